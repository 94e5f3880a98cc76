//! Proofs that two surfaces in space are farther apart than a reach, for a fraction of the time that their distance takes.
//!
//! The separation of two convex sets along any unit normal `n`, `min n·x − max n·y` over the points `x` of the first and `y` of the
//! second, is at most their distance. Tried are the normals of faces, the line between the centers, and what is left of it
//! perpendicular to the axes of capsules and cylinders.
//!
//! # Source
//!
//! C. Ericson, *Real-Time Collision Detection*, Morgan Kaufmann 2005, section 5.2 (separating axes).

use nalgebra::Vector3;

use super::SAME_POINT;
use crate::{
    hull::{Face, Hull},
    solid::{Placed, Solid},
    witness::Witness,
};

/// The separation (m) of a ball around the world point `center` from a polytope by one of its faces, less its rounding, if it is larger
/// than `reach`.
pub(super) fn beyond_face(
    center: &Vector3<f64>,
    radius: f64,
    (hull, placed): (&Hull, &Placed<'_>),
    reach: f64,
) -> Option<f64> {
    let local = placed.local(center);
    let positions = center.abs().sum() + placed.pose.translation.vector.abs().sum();
    let heights = hull.faces().iter().map(|face| face.normal.dot(&local) - face.offset);
    let highest = heights.fold(f64::NEG_INFINITY, f64::max);
    let gap = highest - radius - SAME_POINT * (positions + reach);
    (gap > reach).then_some(gap)
}

/// A separation of two surfaces that is larger than `reach`, if one of the normals has one.
pub(super) fn separation(a: &Placed<'_>, b: &Placed<'_>, reach: f64) -> Option<Witness> {
    if reach.is_infinite() {
        return None;
    }
    let between = a.pose.translation.vector - b.pose.translation.vector;
    let across = |placed: &Placed<'_>| {
        let axis = axis_of(placed)?;
        Some(between - between.dot(&axis) * axis)
    };
    let lines = [Some(between), across(a), across(b)].into_iter().flatten();
    let mut normals = lines.filter_map(|line| line.try_normalize(f64::MIN_POSITIVE));
    let along = |normal: Vector3<f64>| separation_along([a, b], normal, reach);
    // Of the faces, the one over which the center of the other surface is highest.
    let of_faces = |placed: &Placed<'_>, other: &Placed<'_>, sign: f64| {
        let Solid::Polytope(hull) = placed.solid else { return None };
        let center = placed.local(&other.pose.translation.vector);
        let height = |face: &Face| face.normal.dot(&center) - face.offset;
        let highest =
            hull.faces().iter().max_by(|first, other| height(first).total_cmp(&height(other)))?;
        let is_over = height(highest) > reach;
        is_over.then(|| along(sign * (placed.pose.rotation * highest.normal)))?
    };
    normals.find_map(along).or_else(|| of_faces(b, a, 1.0)).or_else(|| of_faces(a, b, -1.0))
}

/// The axis of symmetry in the world.
fn axis_of(placed: &Placed<'_>) -> Option<Vector3<f64>> {
    match placed.solid {
        Solid::Capsule { half, .. } => Some(placed.pose.rotation * half.normalize()),
        Solid::Cylinder { .. } => Some(placed.pose.rotation * Vector3::z()),
        _ => None,
    }
}

/// The separation along a unit normal that points from `b` to `a`, if it is larger than `reach`.
fn separation_along([a, b]: [&Placed<'_>; 2], normal: Vector3<f64>, reach: f64) -> Option<Witness> {
    let [from, to] = [(a, -normal), (b, normal)].map(|(placed, direction)| {
        let local = placed.pose.rotation.inverse_transform_vector(&direction);
        placed.point(&placed.solid.core_support(&local))
    });
    let radius = a.solid.rounding();
    let gap = normal.dot(&(from - to)) - radius - b.solid.rounding();
    let positions = from.abs().sum() + to.abs().sum();
    let is_farther = gap > reach + SAME_POINT * (positions + reach);
    is_farther.then(|| Witness::new(from - normal * radius, normal, gap))
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::{super::whole, *};
    use crate::Shape;
    use percussion_dynamics::Dimension;

    /// Whatever is said to be apart is, and most pairs that are far apart are said to be.
    #[test]
    fn separations_are_no_larger_than_distances() {
        let corners = [Vector3::x(), Vector3::y(), Vector3::z(), -Vector3::repeat(0.4)];
        let solids = [
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { half_length: 0.6, radius: 0.2 },
            Shape::Rod { length: 1.0, radius: 0.05 },
            Shape::Cylinder { half_height: 0.4, radius: 0.25 },
            Shape::Box { half_extents: Vector3::new(0.5, 0.8, 0.3) },
            Shape::hull(&corners).unwrap(),
        ]
        .map(|shape| Solid::from(&shape));
        let mut random = ChaCha8Rng::seed_from_u64(21);
        let (mut apart, mut proven, mut beyond) = (0, 0, 0);
        for _ in 0..4000 {
            let mut pose = || {
                let mut vector =
                    |size: f64| Vector3::from_fn(|_, _| random.random_range(-size..size));
                Isometry3::new(vector(1.5), vector(3.0))
            };
            let poses = [pose(), pose()];
            let mut pick = || &solids[random.random_range(0..solids.len())];
            let [a, b] = poses.map(|pose| Placed::new(pick(), pose));
            let reach = random.random_range(0.0..0.2);
            let distance = whole(&a, &b, Dimension::Space).unwrap().gap;
            apart += usize::from(distance > reach + 0.01);
            if let Some(witness) = separation(&a, &b, reach) {
                proven += 1;
                let gap = witness.gap;
                assert!(reach < gap && gap <= distance + 1e-9, "{gap} of {distance}, {a:?} {b:?}");
            }
            if let (Solid::Ball { radius, .. }, Solid::Polytope(hull)) = (a.solid, b.solid) {
                let center = a.pose.translation.vector;
                let gap = beyond_face(&center, *radius, (hull, &b), reach);
                assert!(gap.is_none_or(|gap| reach < gap && gap <= distance), "{gap:?} {distance}");
                beyond += usize::from(gap.is_some());
            }
        }
        assert!(10 * proven > 8 * apart, "{proven} of {apart}");
        assert!(beyond > 50, "{beyond}");
    }
}
