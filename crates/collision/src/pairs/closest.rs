//! The nearest points of two cores with straight edges and flat faces, by comparison of all features.
//!
//! If two convex polyhedra are apart, their nearest points are a vertex of one and any point of the other, or inside
//! an edge of each. Both cases have a closed form, so the least distance of all is exact.
//!
//! **Cost** one distance for every vertex and every pair of edges: 160 for two boxes. **Allocates** nothing.

use super::{PARALLEL, edge_edge, vertex_whole};
use crate::{
    solid::{Placed, Solid},
    witness::Witness,
};

/// The nearest points of two solids, or `None` if their cores overlap or one of them is a cylinder.
pub(crate) fn nearest(a: &Placed<'_>, b: &Placed<'_>) -> Option<Witness> {
    let (edges_a, edges_b) = (edge_count(a.solid)?, edge_count(b.solid)?);
    let of_a = vertices(a, b);
    let of_b = vertices(b, a).map(Witness::flipped);
    let crossings = (0..edges_a).flat_map(|i| (0..edges_b).map(move |j| (i, j)));
    let of_edges = crossings.filter_map(|(i, j)| {
        let crossing = edge_edge(a, i, b, j, PARALLEL)?;
        let inside = crossing.parameters.iter().all(|t| (0.0..=1.0).contains(t));
        inside.then_some(crossing.witness)
    });
    let rounding = a.solid.rounding() + b.solid.rounding();
    let apart = |witness: &Witness| witness.is_finite() && witness.gap + rounding > 0.0;
    if of_a.clone().chain(of_b.clone()).any(|witness| !apart(&witness)) {
        return None;
    }
    of_a.chain(of_b)
        .chain(of_edges.filter(apart))
        .reduce(|first, second| if second.gap < first.gap { second } else { first })
}

/// The gap of each vertex of `a` from the surface of `b`.
fn vertices<'a>(a: &'a Placed<'_>, b: &'a Placed<'_>) -> impl Iterator<Item = Witness> + Clone {
    (0..a.solid.vertex_count()).map(|index| vertex_whole(a, index, b))
}

/// Number of straight edges, or `None` for a solid with curved ones.
fn edge_count(solid: &Solid) -> Option<usize> {
    match solid {
        Solid::Ball { .. } => Some(0),
        Solid::Capsule { .. } => Some(1),
        Solid::Polytope(hull) => Some(hull.edges().len()),
        Solid::Cylinder { .. } | Solid::HalfSpace { .. } | Solid::Rectangle { .. } => None,
    }
}

#[cfg(test)]
#[cfg(feature = "hulls")]
mod tests {
    use nalgebra::{Isometry3, Vector3};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Shape, adapter};

    #[test]
    fn comparing_all_features_finds_what_the_iteration_finds() {
        let shapes = [
            Shape::Box { half_extents: Vector3::new(0.5, 0.8, 0.3) },
            Shape::Capsule { half_length: 0.6, radius: 0.2 },
            Shape::Rod { length: 1.0, radius: 0.05 },
            Shape::hull(&[Vector3::x(), Vector3::y(), Vector3::z(), -Vector3::repeat(0.4)])
                .unwrap(),
        ];
        let solids: Vec<Solid> = shapes.iter().map(Solid::from).collect();
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut apart = 0;
        for _ in 0..2000 {
            let mut pose = || {
                let mut vector =
                    |size: f64| Vector3::from_fn(|_, _| random.random_range(-size..size));
                Isometry3::new(vector(1.5), vector(3.0))
            };
            let poses = [pose(), pose()];
            let mut pick = || &solids[random.random_range(0..solids.len())];
            let [a, b] = [(pick(), poses[0]), (pick(), poses[1])]
                .map(|(solid, pose)| Placed::new(solid, pose));
            let iterated = adapter::nearest([a.solid, b.solid], [&a.pose, &b.pose]);
            let Some(expected) = iterated else { continue };
            let rounding = a.solid.rounding() + b.solid.rounding();
            if expected.gap + rounding < 1e-3 {
                continue;
            }
            apart += 1;
            let found = nearest(&a, &b).unwrap();
            assert!((found.gap - expected.gap).abs() < 1e-9, "{found:?} {expected:?}");
            let parts = found.points[0] - found.points[1] - found.gap * found.normal;
            assert!(parts.norm() < 1e-12, "{found:?}");
        }
        assert!(apart > 500, "{apart} pairs were apart");
    }
}
