//! Separating axes of polytopes in space and of rounded polygons in the plane.
//!
//! Two disjoint convex polyhedra are separated by the plane of a face or by a plane parallel to two edges, and the
//! shortest separating translation of overlapping ones is along the normal of such a plane. Pairs of edges are only
//! considered if they bound the difference of the two polyhedra, which is decided by their arcs on the sphere of
//! normals. Faces come before edges, and of separations that are equal up to rounding the first is used.
//!
//! Most faces and edges are left out by a bound. Along a unit normal `n` of a face or an edge of one polyhedron that touches it at `w`,
//! any vertex `v` of the other gives `n · (v − w)`, which is at least the separation. With the vertex that is lowest over the best face
//! so far, this is negative for all faces but those near it, and along the arc of an edge, from `n_1` to `n_2`, it is at most
//!
//! ```math
//! \max_{0 \le s \le 1} \frac{(1 - s)\, n_1 \cdot (v - w) + s\, n_2 \cdot (v - w)}{\|(1 - s)\, n_1 + s\, n_2\|}
//!   \le \begin{cases} m & m \le 0 \\ 2 m / \|n_1 + n_2\| & m > 0 \end{cases}, \qquad m = \max_k n_k \cdot (v - w) .
//! ```
//!
//! # Source
//!
//! S. Gottschalk, M. C. Lin, D. Manocha, "`OBBTree`: a hierarchical structure for rapid interference
//! detection", *SIGGRAPH* 1996, 171–180 (axes); D. Gregorius, "The separating axis test between convex
//! polyhedra", *Game Developers Conference* 2013 (arcs of edges).

use nalgebra::Vector3;

use super::{PARALLEL, edge_edge, point_plane, vertex_whole};
use crate::{
    hull::{Edge, Face, Hull},
    solid::{Placed, Solid},
    witness::Witness,
};

/// Separations count as equal if they differ by less than this fraction of the sizes, which is rounding.
pub(super) const TIE: f64 = 1e-12;

/// The largest separation of two polytopes along the normal of a face or of two edges. If the faces alone give more
/// than `reach`, it is the one of the faces.
pub(super) fn polytopes(placed: [&Placed<'_>; 2], hulls: [&Hull; 2], reach: f64) -> Witness {
    let [a, b] = placed;
    let tie = TIE * (a.solid.size() + b.solid.size());
    let (over_b, vertex_of_a) = by_faces(a, hulls[0], b, hulls[1], tie);
    let (over_a, vertex_of_b) = by_faces(b, hulls[1], a, hulls[0], tie);
    let over_a = over_a.flipped();
    let mut best = if over_a.gap > over_b.gap + tie { over_a } else { over_b };
    if best.gap > reach {
        return best;
    }
    let (in_a, in_b) = (a.local(&b.vertex(vertex_of_b)), b.local(&a.vertex(vertex_of_a)));
    let a_to_b = b.pose.rotation.inverse() * a.pose.rotation;
    for (i, edge_a) in hulls[0].edges().iter().enumerate() {
        if separation_bound(hulls[0], edge_a, &in_a) <= best.gap {
            continue;
        }
        let arc_a = edge_a.faces.map(|face| a_to_b * hulls[0].faces()[face].normal);
        let plane_a = arc_a[1].cross(&arc_a[0]);
        for (j, edge_b) in hulls[1].edges().iter().enumerate() {
            if separation_bound(hulls[1], edge_b, &in_b) <= best.gap {
                continue;
            }
            let arc_b = edge_b.faces.map(|face| -hulls[1].faces()[face].normal);
            if !arcs_cross(&arc_a, &plane_a, &arc_b) {
                continue;
            }
            if let Some(crossing) = edge_edge(a, i, b, j, PARALLEL)
                && crossing.witness.gap > best.gap + tie
            {
                best = crossing.witness;
            }
        }
    }
    best
}

/// A bound of the separations of a hull, along normals of one of its edges, from anything that contains `point` (in its frame).
fn separation_bound(hull: &Hull, edge: &Edge, point: &Vector3<f64>) -> f64 {
    let [first, second] = edge.faces.map(|face| &hull.faces()[face]);
    let over = |face: &Face| face.normal.dot(point) - face.offset;
    let largest = over(first).max(over(second));
    if largest <= 0.0 { largest } else { 2.0 * largest / (first.normal + second.normal).norm() }
}

/// The largest separation along the normal of a face of `b`, and the vertex of `a` that is lowest there.
fn by_faces(
    a: &Placed<'_>,
    hull_a: &Hull,
    b: &Placed<'_>,
    hull_b: &Hull,
    tie: f64,
) -> (Witness, usize) {
    let mut best = (Witness::new(a.vertex(0), Vector3::z(), f64::NEG_INFINITY), 0);
    let b_to_a = a.pose.rotation.inverse() * b.pose.rotation;
    for (k, face) in hull_b.faces().iter().enumerate() {
        let (normal, offset) = b.face(k);
        if normal.dot(&a.vertex(best.1)) - offset <= best.0.gap {
            continue;
        }
        let lowest = hull_a.support(&-(b_to_a * face.normal));
        let witness = point_plane(&a.vertex(lowest), 0.0, &normal, offset);
        if witness.gap.is_nan() || witness.gap > best.0.gap + tie {
            best = (witness, lowest);
        }
    }
    best
}

/// Whether the great arcs between two pairs of unit vectors cross; `plane` is `b × a`.
fn arcs_cross(
    [a, b]: &[Vector3<f64>; 2],
    plane: &Vector3<f64>,
    [c, d]: &[Vector3<f64>; 2],
) -> bool {
    let (c_side, d_side) = (c.dot(plane), d.dot(plane));
    if c_side * d_side >= 0.0 {
        return false;
    }
    let other = d.cross(c);
    let (a_side, b_side) = (a.dot(&other), b.dot(&other));
    a_side * b_side < 0.0 && c_side * b_side > 0.0
}

/// The gap of two rods or rectangles in the plane: the distance of their cores minus their rounding or, if the cores
/// overlap, the largest separation along the normal of a side.
pub(super) fn planar(a: &Placed<'_>, b: &Placed<'_>) -> Witness {
    let tie = TIE * (a.solid.size() + b.solid.size());
    let axis = {
        let over_b = by_sides(a, b, tie);
        let over_a = by_sides(b, a, tie).flipped();
        if over_a.gap > over_b.gap + tie { over_a } else { over_b }
    };
    let core_gap = axis.gap + a.solid.rounding() + b.solid.rounding();
    if core_gap <= tie {
        return axis;
    }
    // For disjoint polygons one of the nearest points is a vertex.
    let of_a = (0..a.solid.vertex_count()).map(|i| vertex_whole(a, i, b));
    let of_b = (0..b.solid.vertex_count()).map(|i| vertex_whole(b, i, a).flipped());
    of_a.chain(of_b).reduce(super::deeper).unwrap_or(axis)
}

/// The largest separation along the normal of a side of the core of `b`, rounding subtracted.
fn by_sides(a: &Placed<'_>, b: &Placed<'_>, tie: f64) -> Witness {
    let mut best: Option<Witness> = None;
    for (normal, offset) in sides(b.solid) {
        let normal = b.pose.rotation * normal;
        let offset = offset + normal.dot(&b.pose.translation.vector);
        let lowest = (0..a.solid.vertex_count())
            .map(|i| point_plane(&a.vertex(i), a.solid.rounding(), &normal, offset))
            .reduce(super::deeper);
        if let Some(lowest) = lowest
            && best.is_none_or(|best| lowest.gap > best.gap + tie)
        {
            best = Some(lowest);
        }
    }
    best.unwrap_or_else(|| Witness::new(a.vertex(0), Vector3::y(), f64::NEG_INFINITY))
}

/// Normals and offsets of the sides of a rounded core; those of a segment are its two sides and
/// its two ends.
fn sides(solid: &Solid) -> [(Vector3<f64>, f64); 4] {
    match solid {
        Solid::Capsule { half, radius } => {
            let along = half.normalize();
            let end = half.norm() + radius;
            [solid.face(0), solid.face(1), (along, end), (-along, end)]
        }
        _ => [0, 1, 2, 3].map(|k| solid.face(k)),
    }
}

#[cfg(test)]
mod tests;
