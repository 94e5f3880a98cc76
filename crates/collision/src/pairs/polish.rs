//! Refines the distance of a cylinder from another solid to rounding.
//!
//! The iteration for the distance stops at a relative error of about `5e-8`, and the error of its points is then the
//! square root of that. Its result determines the nearest features. They are two [curves](super::curve), whose
//! nearest points Newton's method finds from there, or a vertex or rim and a surface, whose distance has a closed
//! form.

use nalgebra::Vector2;
use percussion_dynamics::Dimension;

use super::{
    curve::{Curve, curves, stationary},
    manifold::rim_count,
    rim_face, vertex_face, vertex_whole,
};
use crate::{solid::Placed, witness::Witness};

/// Candidates farther than this from the result of the iteration, in gap and points and relative to the size, belong
/// to other features. The iteration has been observed to stop early with an error of 1e-4.
const REACH: f64 = 1e-2;

/// The exact answer near `rough`, or `rough` itself if no pair of features matches it.
///
/// Every candidate connects two points of the solids, so the smallest is the distance.
pub(super) fn polish(a: &Placed<'_>, b: &Placed<'_>, rough: &Witness) -> Witness {
    let reach = REACH * a.solid.size().min(b.solid.size());
    let mut best: Option<Witness> = None;
    let mut offer = |witness: Witness| {
        let off = (0..2).map(|k| (witness.points[k] - rough.points[k]).norm()).fold(0.0, f64::max);
        let is_near = off <= 10.0 * reach && (witness.gap - rough.gap).abs() <= reach;
        if is_near && best.is_none_or(|best| witness.gap < best.gap) {
            best = Some(witness);
        }
    };
    vertices_and_rims(a, b, &mut offer);
    vertices_and_rims(b, a, &mut |witness| offer(witness.flipped()));
    for curve_a in curves(a) {
        for curve_b in curves(b) {
            if let Some(witness) = nearest(&curve_a, &curve_b, rough, 10.0 * reach) {
                offer(witness);
            }
        }
    }
    best.unwrap_or(*rough)
}

/// Passes to `offer` the vertices of `a` against the surface of `b`, and its vertices and rims against the faces of
/// `b` that they are over.
fn vertices_and_rims(a: &Placed<'_>, b: &Placed<'_>, offer: &mut impl FnMut(Witness)) {
    for i in 0..a.solid.vertex_count() {
        offer(vertex_whole(a, i, b));
    }
    for k in 0..b.solid.face_count(Dimension::Space) {
        let normal = b.face(k).0;
        for i in (0..a.solid.vertex_count()).filter(|&i| b.is_over(k, &a.vertex(i), 0.0)) {
            offer(vertex_face(a, i, b, k));
        }
        for i in (0..rim_count(a, &normal)).filter(|&i| b.is_over(k, &a.rim(i, &normal), 0.0)) {
            offer(rim_face(a, i, b, k));
        }
    }
}

/// The nearest points of two curves that lie near those of `rough`.
fn nearest(a: &Curve, b: &Curve, rough: &Witness, reach: f64) -> Option<Witness> {
    // Points of `rough` lie on the surface, those of the curves below it.
    let cores =
        [rough.points[0] + a.radius * rough.normal, rough.points[1] - b.radius * rough.normal];
    let start = Vector2::new(a.nearest(&cores[0]), b.nearest(&cores[1]));
    for (curve, s, core) in [(a, start.x, cores[0]), (b, start.y, cores[1])] {
        if (curve.at(s)[0] - core).norm() > reach || (curve.y.is_none() && s.abs() > 1.0 + reach) {
            return None;
        }
    }
    let parameters = stationary(a, b, start)?;
    let inside = |curve: &Curve, s: f64| curve.y.is_some() || s.abs() <= 1.0;
    if !(inside(a, parameters.x) && inside(b, parameters.y)) {
        return None;
    }
    let [p, dp, _] = a.at(parameters.x);
    let [q, dq, _] = b.at(parameters.y);
    let cross = dp.cross(&dq);
    if cross.norm() <= super::PARALLEL * dp.norm() * dq.norm() {
        return None;
    }
    let cross = cross.normalize();
    let normal = if cross.dot(&rough.normal) < 0.0 { -cross } else { cross };
    let gap = normal.dot(&(p - q)) - a.radius - b.radius;
    Some(Witness::new(p - a.radius * normal, normal, gap))
}
