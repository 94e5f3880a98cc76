//! Gap functions of pairs of features, and the choice of the active pairs.
//!
//! With points `p_1`, `p_2` of the two surfaces and the unit normal `n` from body 2 to body 1,
//!
//! ```math
//! p_1 - p_2 = g\, n, \qquad \dot g = n \cdot (v_1(p_1) - v_2(p_2)),
//! ```
//!
//! where `v_i(p)` is the velocity of the point of body `i` that is at `p`. The second identity holds because the
//! points are vertices or projections, or because the distance is stationary when the points move along the
//! surfaces. It gives the gradient of the gap: `n · (J_1 − J_2)` is the normal row of the contact Jacobian.
//!
//! | pair | gap | source of the answer |
//! | --- | --- | --- |
//! | vertex – face | distance of the rounded vertex from the plane | closed form |
//! | rim – face | distance of the lowest point of the circle | closed form |
//! | vertex – whole | signed distance of the rounded vertex from the surface | closed form |
//! | edge – edge | distance of two lines | closed form |
//! | two boxes, all features | the same | [closed form](boxes) |
//! | whole – whole, polytopes that overlap | largest separation by an axis | closed form |
//! | whole – whole, in the plane | the same, or the nearest vertex | closed form |
//! | whole – whole, otherwise, that overlap | largest separation along a direction | closed form, circles by Newton's method |
//! | whole – whole, otherwise, apart | distance of cores | parry, sharpened for cylinders |

mod apart;
mod boxes;
#[cfg(any(test, not(feature = "hulls")))]
mod closest;
mod curve;
mod depth;
mod manifold;
mod polish;
pub(crate) mod rates;
mod separation;

use nalgebra::Vector3;
use percussion_dynamics::Dimension;

#[cfg(feature = "hulls")]
use crate::adapter;
use crate::{
    feature::Feature,
    solid::{Placed, Solid},
    witness::Witness,
};

pub(crate) use manifold::manifold;

/// Two features with their gap.
pub(crate) type Active = ([Feature; 2], Witness);

/// Solids closer than this fraction of their size are compared axis by axis: the error of the direction between two
/// points is about the rounding unit over their distance, relative to the size, and the axes are exact.
const CLOSE: f64 = 1e-6;

/// If the angle between two lines is smaller than this (rad), they have no crossing; the ends of the segments then
/// give the distance up to the square of the angle.
pub(crate) const PARALLEL: f64 = 1e-6;

/// A face is considered if its normal is within 30° of the direction of contact. Two faces of a box meet at 90°, so
/// at an edge contact midway between them (45°) neither is considered.
const FACING: f64 = 0.866_025_403_784_438_6;

/// Edges in a common face are paired if the sine of their angle is at least this. Two polygons cross there at an
/// interior angle of π minus the angle. Omitting more nearly parallel pairs cuts at most a sliver of 5 % of the edge
/// off the support polygon, and the position of such a crossing would move ten times as fast as the bodies.
const CROSSING: f64 = 0.1;

/// Points closer than this fraction of the size are the same point.
const SAME_POINT: f64 = 1e-6;

/// The gap between feature `features[0]` of `a` and `features[1]` of `b`.
///
/// `None` only if the iteration for a whole pair fails.
pub(crate) fn evaluate(
    a: &Placed<'_>,
    b: &Placed<'_>,
    features: [Feature; 2],
    dimension: Dimension,
) -> Option<Witness> {
    if let Some(half) = half_extents([a, b])
        && let Some(witness) = boxes::evaluate([a, b], half, features)
    {
        return Some(witness);
    }
    evaluate_general(a, b, features, dimension)
}

/// [`evaluate`] for all solids, without the closed form of two boxes.
fn evaluate_general(
    a: &Placed<'_>,
    b: &Placed<'_>,
    features: [Feature; 2],
    dimension: Dimension,
) -> Option<Witness> {
    match features {
        [Feature::Vertex(i), Feature::Face(k)] => Some(vertex_face(a, i, b, k)),
        [Feature::Rim(i), Feature::Face(k)] => Some(rim_face(a, i, b, k)),
        [Feature::Vertex(i), Feature::Whole] => Some(vertex_whole(a, i, b)),
        [Feature::Face(_), Feature::Vertex(_) | Feature::Rim(_)]
        | [Feature::Whole, Feature::Vertex(_)] => {
            evaluate_general(b, a, [features[1], features[0]], dimension).map(Witness::flipped)
        }
        [Feature::Edge(i), Feature::Edge(j)] => edge_edge(a, i, b, j, PARALLEL)
            .map_or_else(|| whole(a, b, dimension), |c| Some(c.witness)),
        _ => whole(a, b, dimension),
    }
}

/// The half extents of two solids, if both are boxes.
fn half_extents<'a>([a, b]: [&Placed<'a>; 2]) -> Option<[&'a Vector3<f64>; 2]> {
    match (a.solid, b.solid) {
        (Solid::Polytope(of_a), Solid::Polytope(of_b)) => {
            Some([of_a.half_extents.as_ref()?, of_b.half_extents.as_ref()?])
        }
        _ => None,
    }
}

/// A rounded vertex of `a` and a face of `b`.
pub(crate) fn vertex_face(a: &Placed<'_>, vertex: usize, b: &Placed<'_>, face: usize) -> Witness {
    let (normal, offset) = b.face(face);
    point_plane(&a.vertex(vertex), a.solid.rounding(), &normal, offset)
}

/// The lowest point of a rim of `a` and a face of `b`.
pub(crate) fn rim_face(a: &Placed<'_>, rim: usize, b: &Placed<'_>, face: usize) -> Witness {
    let (normal, offset) = b.face(face);
    point_plane(&a.rim(rim, &normal), 0.0, &normal, offset)
}

/// A rounded vertex of `a` and the surface of `b`.
pub(crate) fn vertex_whole(a: &Placed<'_>, vertex: usize, b: &Placed<'_>) -> Witness {
    let center = a.vertex(vertex);
    let (distance, normal) = b.signed_distance(&center);
    let radius = a.solid.rounding();
    Witness::new(center - normal * radius, normal, distance - radius)
}

fn point_plane(center: &Vector3<f64>, radius: f64, normal: &Vector3<f64>, offset: f64) -> Witness {
    Witness::new(center - normal * radius, *normal, normal.dot(center) - offset - radius)
}

/// Two edges and the parameters of their nearest points, from 0 to 1 between the ends.
pub(crate) struct Crossing {
    pub(crate) witness: Witness,
    pub(crate) parameters: [f64; 2],
}

/// The distance of the lines of an edge of `a` and an edge of `b`, rounding included, or `None` if the
/// sine of their angle is at most `smallest_sine`.
///
/// Edges of polytopes give a signed distance, with the normal pointing out of the faces of `b`. Axes of capsules
/// have no inside: their distance is at least 0, and if they meet, the normal is the cross product of their
/// directions.
pub(crate) fn edge_edge(
    a: &Placed<'_>,
    edge_a: usize,
    b: &Placed<'_>,
    edge_b: usize,
    smallest_sine: f64,
) -> Option<Crossing> {
    let (start_a, along_a) = edge_start_along(a, edge_a)?;
    let (start_b, along_b) = edge_start_along(b, edge_b)?;
    let cross = along_a.cross(&along_b);
    let scale = along_a.norm() * along_b.norm();
    let sine = cross.norm() / scale;
    if sine.is_nan() || sine <= smallest_sine {
        return None;
    }
    let between = start_a - start_b;
    let unit = cross.normalize();
    let outward = match (edge_outward(a, edge_a), edge_outward(b, edge_b)) {
        (Some(out_a), Some(out_b)) => unit.dot(&(out_b - out_a)),
        _ => unit.dot(&between),
    };
    let normal = if outward < 0.0 { -unit } else { unit };
    // Both lines projected along the normal meet where between + s along_a − t along_b ∥ cross.
    let squared = cross.norm_squared();
    let s = along_b.cross(&between).dot(&cross) / squared;
    let t = along_a.cross(&between).dot(&cross) / squared;
    let [r_a, r_b] = [a, b].map(|placed| placed.solid.rounding());
    let point = start_a + s * along_a - r_a * normal;
    let witness = Witness::new(point, normal, normal.dot(&between) - r_a - r_b);
    Some(Crossing { witness, parameters: [s, t] })
}

/// Start and direction of edge `index` in the world.
fn edge_start_along(placed: &Placed<'_>, index: usize) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let [from, to] = match placed.solid {
        Solid::Capsule { half, .. } => [-half, *half],
        Solid::Polytope(hull) => hull.edges().get(index)?.vertices.map(|v| hull.vertices()[v]),
        _ => return None,
    };
    Some((placed.point(&from), placed.pose.rotation * (to - from)))
}

/// A direction that points out of edge `index` of a polytope, in the world.
fn edge_outward(placed: &Placed<'_>, index: usize) -> Option<Vector3<f64>> {
    let Solid::Polytope(hull) = placed.solid else { return None };
    let [n_1, n_2] = hull.edges().get(index)?.faces.map(|face| hull.faces()[face].normal);
    Some(placed.pose.rotation * (n_1 + n_2))
}

/// The gap between the two surfaces.
fn whole(a: &Placed<'_>, b: &Placed<'_>, dimension: Dimension) -> Option<Witness> {
    whole_within(a, b, dimension, f64::INFINITY)
}

/// The gap between the two surfaces, or a smaller value that is already larger than `reach`.
pub(crate) fn whole_within(
    a: &Placed<'_>,
    b: &Placed<'_>,
    dimension: Dimension,
    reach: f64,
) -> Option<Witness> {
    if a.solid.rank() > b.solid.rank() {
        return whole_within(b, a, dimension, reach).map(Witness::flipped);
    }
    match (a.solid, b.solid) {
        (Solid::Ball { .. }, _) => Some(vertex_whole(a, 0, b)),
        (_, Solid::HalfSpace { .. }) => lowest(a, b),
        _ if dimension == Dimension::Plane => Some(separation::planar(a, b)),
        (Solid::Capsule { .. }, Solid::Capsule { .. }) => {
            let mut active = Vec::new();
            manifold::capsules(a, b, f64::INFINITY, &mut active);
            active.into_iter().map(|(_, witness)| witness).reduce(deeper)
        }
        (Solid::Polytope(of_a), Solid::Polytope(of_b)) => {
            let axis = separation::polytopes([a, b], [of_a, of_b], reach);
            let close = CLOSE * (a.solid.size() + b.solid.size());
            if axis.gap <= close || axis.gap > reach { Some(axis) } else { nearest(a, b) }
        }
        _ => apart::separation(a, b, reach).or_else(|| nearest(a, b)),
    }
}

/// The nearest points of cores that are apart, found by iteration. If cores overlap or nearly touch, the iteration
/// has no direction, and the separating direction is computed instead.
fn nearest(a: &Placed<'_>, b: &Placed<'_>) -> Option<Witness> {
    let rounding = a.solid.rounding() + b.solid.rounding();
    let close = CLOSE * (a.solid.size() + b.solid.size());
    #[cfg(feature = "hulls")]
    let apart = adapter::nearest([a.solid, b.solid], [&a.pose, &b.pose]);
    #[cfg(not(feature = "hulls"))]
    let apart = closest::nearest(a, b);
    let apart = apart.filter(|witness| witness.gap + rounding > close);
    let is_curved = [a, b].iter().any(|placed| matches!(placed.solid, Solid::Cylinder { .. }));
    match apart {
        Some(rough) if is_curved => Some(polish::polish(a, b, &rough)),
        Some(distance) => Some(distance),
        // A separation larger than `close` means that the iteration failed.
        None => depth::largest_separation(a, b).filter(|w| w.gap + rounding <= 2.0 * close),
    }
}

/// The lowest vertex or rim of `a` over the half-space `b`.
fn lowest(a: &Placed<'_>, b: &Placed<'_>) -> Option<Witness> {
    match a.solid {
        Solid::Cylinder { .. } => (0..2).map(|rim| rim_face(a, rim, b, 0)).reduce(deeper),
        _ => (0..a.solid.vertex_count()).map(|v| vertex_face(a, v, b, 0)).reduce(deeper),
    }
}

/// The witness with the smaller gap; of equal ones the first.
fn deeper(first: Witness, second: Witness) -> Witness {
    if second.gap < first.gap { second } else { first }
}
