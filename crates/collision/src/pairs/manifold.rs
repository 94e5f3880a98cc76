//! The active pairs of features of two bodies: all pairs whose gap is at most a given margin.

use nalgebra::Vector3;
use percussion_dynamics::Dimension;

use super::{
    Active, CROSSING, FACING, SAME_POINT, apart, boxes, edge_edge, evaluate_general, half_extents,
    rim_face, vertex_face, vertex_whole, whole_within,
};
use crate::{
    feature::Feature,
    solid::{Placed, Solid},
    witness::Witness,
};

/// A point of a segment this close to its end (relative to its length) is the end.
const END: f64 = 1e-9;

/// Appends the pairs of features of `a` and `b` with a gap of at most `margin` (m), sorted. Returns a lower bound of the
/// gap (m) if there are none.
///
/// `None` if the iteration for the whole pair fails; nothing is appended then.
pub(crate) fn manifold(
    a: &Placed<'_>,
    b: &Placed<'_>,
    dimension: Dimension,
    margin: f64,
    active: &mut Vec<Active>,
) -> Option<f64> {
    let first = active.len();
    let gap = if a.solid.rank() <= b.solid.rank() {
        ordered(a, b, dimension, margin, active)?
    } else {
        let gap = ordered(b, a, dimension, margin, active)?;
        for (features, witness) in &mut active[first..] {
            features.swap(0, 1);
            *witness = witness.flipped();
        }
        gap
    };
    active[first..].sort_unstable_by_key(|(features, _)| *features);
    Some(gap)
}

fn ordered(
    a: &Placed<'_>,
    b: &Placed<'_>,
    dimension: Dimension,
    margin: f64,
    active: &mut Vec<Active>,
) -> Option<f64> {
    let gap = match (a.solid, b.solid) {
        (_, Solid::HalfSpace { .. }) => over_half_space(a, b, margin, active),
        (Solid::Ball { radius, .. }, Solid::Polytope(hull)) => {
            match apart::beyond_face(&a.vertex(0), *radius, (hull, b), margin) {
                Some(gap) => gap,
                None => ball(a, b, margin, active),
            }
        }
        (Solid::Ball { .. }, _) => ball(a, b, margin, active),
        (Solid::Capsule { .. }, Solid::Capsule { .. }) if dimension == Dimension::Space => {
            capsules(a, b, margin, active)
        }
        _ => {
            let decided =
                half_extents([a, b]).and_then(|half| boxes::manifold([a, b], half, margin, active));
            match decided {
                Some(gap) => gap,
                None => faceted(a, b, dimension, margin, active)?,
            }
        }
    };
    Some(gap.max(margin))
}

/// A ball and the surface of `b`; returns a lower bound of their gap.
fn ball(a: &Placed<'_>, b: &Placed<'_>, margin: f64, active: &mut Vec<Active>) -> f64 {
    let witness = vertex_whole(a, 0, b);
    push([Feature::Vertex(0), Feature::Whole], witness, margin, active);
    witness.gap - SAME_POINT * (a.solid.rounding() + witness.gap.abs())
}

fn push(features: [Feature; 2], witness: Witness, margin: f64, active: &mut Vec<Active>) {
    if witness.gap <= margin {
        active.push((features, witness));
    }
}

/// Every vertex of `a`, and the lowest points of the rims of a cylinder. If the cylinder stands upright, its rims
/// have no unique lowest point and are left out. Returns a lower bound of the gap.
fn over_half_space(a: &Placed<'_>, b: &Placed<'_>, margin: f64, active: &mut Vec<Active>) -> f64 {
    let (normal, offset) = b.face(0);
    let center = &a.pose.translation.vector;
    let (up, height) = (a.axes.tr_mul(&normal), normal.dot(center) - offset - a.solid.rounding());
    let sizes = center.abs().sum() + offset.abs();
    // The lowest points of rims are not among the vertices of a cylinder.
    let is_round = matches!(a.solid, Solid::Cylinder { .. });
    let mut lowest = if is_round { margin } else { f64::INFINITY };
    for i in 0..vertex_count(a, &normal) {
        let vertex = a.solid.vertex(i);
        // Most vertices are far above, whatever some ten roundings make of the height.
        let rounding = 64.0 * f64::EPSILON * (sizes + vertex.abs().sum());
        let gap = height + up.dot(&vertex) - rounding;
        lowest = lowest.min(gap);
        if gap > margin {
            continue;
        }
        push([Feature::Vertex(i), Feature::Face(0)], vertex_face(a, i, b, 0), margin, active);
    }
    for i in 0..rim_count(a, &normal) {
        push([Feature::Rim(i), Feature::Face(0)], rim_face(a, i, b, 0), margin, active);
    }
    lowest
}

/// Vertices that may touch a face with this normal: those of a cylinder if its axis is within 30° of it.
///
/// The fixed points of a rim carry a cylinder that stands. Those of one that rolls would lift it: within a step they move along
/// straight lines, which pass below the face, and not on their circles.
fn vertex_count(placed: &Placed<'_>, normal: &Vector3<f64>) -> usize {
    match placed.solid {
        Solid::Cylinder { .. } if placed.tilt(normal) > 0.5 => 0,
        solid => solid.vertex_count(),
    }
}

/// Rims with a lowest point along `normal`.
pub(super) fn rim_count(placed: &Placed<'_>, normal: &Vector3<f64>) -> usize {
    match placed.solid {
        Solid::Cylinder { .. } if !placed.is_upright(normal) => 2,
        _ => 0,
    }
}

/// The ends of both capsules that are beside the other, two ends that face each other, and the crossing of the axes.
///
/// Parallel axes have no crossing; the contacts are at the ends of the common stretch. Returns a lower bound of the gap.
pub(super) fn capsules(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    active: &mut Vec<Active>,
) -> f64 {
    let bound = distance_bound(a, b);
    if bound > margin {
        return bound;
    }
    for i in 0..2 {
        let foot = nearest_part(b, &a.vertex(i));
        // Two ends that face each other are one pair, named by the end of the first.
        let faces_an_end = || foot.is_some_and(|j| nearest_part(a, &b.vertex(j)) == Some(i));
        if foot.is_none() || faces_an_end() {
            push([Feature::Vertex(i), Feature::Whole], vertex_whole(a, i, b), margin, active);
        }
        if nearest_part(a, &b.vertex(i)).is_none() {
            let witness = vertex_whole(b, i, a).flipped();
            push([Feature::Whole, Feature::Vertex(i)], witness, margin, active);
        }
    }
    if let Some(crossing) = edge_edge(a, 0, b, 0, super::PARALLEL)
        && crossing.parameters.iter().all(|s| (END..=1.0 - END).contains(s))
    {
        push([Feature::Edge(0), Feature::Edge(0)], crossing.witness, margin, active);
    }
    bound
}

/// A lower bound of the gap of two capsules (m), which none of their features is below; NaN if there is none.
fn distance_bound(a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    let (Solid::Capsule { half: half_a, .. }, Solid::Capsule { half: half_b, .. }) =
        (a.solid, b.solid)
    else {
        return f64::NEG_INFINITY;
    };
    let (along_a, along_b) = (a.pose.rotation * half_a, b.pose.rotation * half_b);
    let between = a.pose.translation.vector - b.pose.translation.vector;
    let (square_a, square_b) = (along_a.norm_squared(), along_b.norm_squared());
    let (both, on_a, on_b) = (along_a.dot(&along_b), along_a.dot(&between), along_b.dot(&between));
    // The parameters of the nearest points of the axes, from −1 to 1. Of axes that are parallel up to rounding any will do.
    let determinant = square_a * square_b - both * both;
    let crossing = (both * on_b - square_b * on_a) / determinant;
    let s = if crossing.is_finite() { crossing.clamp(-1.0, 1.0) } else { 0.0 };
    let t = ((both * s + on_b) / square_b).clamp(-1.0, 1.0);
    let s = ((both * t - on_a) / square_a).clamp(-1.0, 1.0);
    let distance = (between + s * along_a - t * along_b).norm();
    let sizes = a.solid.size() + b.solid.size();
    let slack = SAME_POINT * (sizes + between.norm());
    distance - a.solid.rounding() - b.solid.rounding() - slack
}

/// The end of the axis of a capsule that is nearest to `point`, or `None` if a point between the ends is nearer.
fn nearest_part(capsule: &Placed<'_>, point: &Vector3<f64>) -> Option<usize> {
    let Solid::Capsule { half, .. } = capsule.solid else { return Some(0) };
    let along = capsule.local(point).dot(half) / half.norm_squared();
    (along.abs() >= 1.0 - END).then(|| usize::from(along < 0.0))
}

/// Shapes with flat faces: the vertices of each over the facing face of the other, the crossings of the edges of two
/// such faces, and the whole pair if none of these is as near. Returns a lower bound of the gap.
pub(super) fn faceted(
    a: &Placed<'_>,
    b: &Placed<'_>,
    dimension: Dimension,
    margin: f64,
    active: &mut Vec<Active>,
) -> Option<f64> {
    let nearest = whole_within(a, b, dimension, margin)?;
    if nearest.gap > margin {
        // Distances are found by iteration.
        return Some(nearest.gap - SAME_POINT * (a.solid.size() + b.solid.size() + nearest.gap));
    }
    let first = active.len();
    let slack = SAME_POINT * a.solid.size().min(b.solid.size());
    let face_a = facing(a, &-nearest.normal, dimension);
    let face_b = facing(b, &nearest.normal, dimension);
    let mut add = |features: [Feature; 2], witness: Witness| {
        let is_new = active[first..]
            .iter()
            .all(|(_, other)| (other.middle() - witness.middle()).norm() > slack);
        if is_new {
            push(features, witness, margin, active);
        }
    };
    if let Some(k) = face_b {
        for feature in points_over(a, b, k, slack) {
            let features = [feature, Feature::Face(k)];
            add(features, evaluate_general(a, b, features, dimension)?);
        }
    }
    if let Some(k) = face_a {
        for feature in points_over(b, a, k, slack) {
            let features = [Feature::Face(k), feature];
            add(features, evaluate_general(a, b, features, dimension)?);
        }
    }
    if let (Some(face_a), Some(face_b)) = (face_a, face_b) {
        for i in edges_of(a, face_a) {
            for j in edges_of(b, face_b) {
                if let Some(crossing) = edge_edge(a, i, b, j, CROSSING)
                    && crossing.parameters.iter().all(|s| (0.0..=1.0).contains(s))
                    && crossing.witness.normal.dot(&nearest.normal) >= FACING
                {
                    add([Feature::Edge(i), Feature::Edge(j)], crossing.witness);
                }
            }
        }
    }
    let smallest = active[first..].iter().map(|(_, w)| w.gap).fold(f64::INFINITY, f64::min);
    if nearest.gap < smallest - slack {
        active.push(([Feature::Whole, Feature::Whole], nearest));
    }
    Some(margin)
}

/// The face of `placed` whose normal is along `direction`, if there is one; of equal ones the first.
fn facing(placed: &Placed<'_>, direction: &Vector3<f64>, dimension: Dimension) -> Option<usize> {
    let direction = placed.pose.rotation.inverse_transform_vector(direction);
    let mut best = None;
    let mut largest = FACING;
    for k in 0..placed.solid.face_count(dimension) {
        let along = placed.solid.face(k).0.dot(&direction);
        if along > largest {
            (best, largest) = (Some(k), along);
        }
    }
    best
}

/// Vertices and rims of `a` that are over face `face` of `b`.
fn points_over(
    a: &Placed<'_>,
    b: &Placed<'_>,
    face: usize,
    slack: f64,
) -> impl Iterator<Item = Feature> {
    let normal = b.face(face).0;
    let vertices = (0..vertex_count(a, &normal))
        .filter(move |&i| b.is_over(face, &a.vertex(i), slack))
        .map(Feature::Vertex);
    let rims = (0..rim_count(a, &normal))
        .filter(move |&i| b.is_over(face, &a.rim(i, &normal), slack))
        .map(Feature::Rim);
    vertices.chain(rims)
}

/// The edges of a face of a polytope.
fn edges_of(placed: &Placed<'_>, face: usize) -> impl Iterator<Item = usize> {
    let edges = match placed.solid {
        Solid::Polytope(hull) => hull.edges(),
        _ => &[],
    };
    edges.iter().enumerate().filter(move |(_, e)| e.faces.contains(&face)).map(|(index, _)| index)
}
