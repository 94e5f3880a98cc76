//! Sharpens the answer of an iteration for a cylinder to rounding.
//!
//! The iteration stops at about `5e-8` of the distance, and its points are then off by the square root
//! of that. Its answer tells which curves are nearest, and the nearest points `p(s)`, `q(t)` of two
//! curves solve two equations by Newton's method,
//!
//! ```math
//! (p - q) \cdot p' = 0, \qquad (p - q) \cdot q' = 0,
//! ```
//!
//! whose Jacobian is regular where the curves are not parallel, also where they touch. The normal is
//! `p' × q'`, which does not depend on the distance. Curves are the edges of a polytope, the axes of
//! capsules and cylinders, rounded by their radii, and the rims of cylinders. Where a vertex is
//! nearest, its distance from the other surface has a closed form.
//!
//! # Source
//!
//! D. Vranek, "Fast and accurate circle–circle and circle–line 3D distance computation", *Journal of
//! Graphics Tools* 7 (2002) 23–32 (the conditions for circles); the pairing with an iteration that
//! finds the curves is this crate's.

use nalgebra::{Matrix2, Vector2, Vector3};
use percussion_dynamics::Dimension;

use super::{edge_start_along, manifold::rim_count, rim_face, vertex_face, vertex_whole};
use crate::{
    solid::{Placed, Solid},
    witness::Witness,
};

/// Candidates farther than this from the answer of the iteration, in gap and points and relative to
/// the size, are something else. The iteration has been seen to stop early with an error of 1e-4.
const REACH: f64 = 1e-2;

/// From so near a start Newton's method needs five steps to rounding; more means another solution.
const STEPS: usize = 12;

/// A line or a circle, rounded.
#[derive(Clone, Copy, Debug)]
struct Curve {
    center: Vector3<f64>,
    /// `center + s x`, `|s| ≤ 1`, or `center + cos s x + sin s y`.
    x: Vector3<f64>,
    y: Option<Vector3<f64>>,
    radius: f64,
}

impl Curve {
    /// Point, first and second derivative.
    fn at(&self, s: f64) -> [Vector3<f64>; 3] {
        match self.y {
            None => [self.center + s * self.x, self.x, Vector3::zeros()],
            Some(y) => {
                let (sin, cos) = s.sin_cos();
                let out = cos * self.x + sin * y;
                [self.center + out, cos * y - sin * self.x, -out]
            }
        }
    }

    /// Parameter of the point nearest to `point`, of a line without regard to its ends.
    fn nearest(&self, point: &Vector3<f64>) -> f64 {
        let d = point - self.center;
        match self.y {
            None => d.dot(&self.x) / self.x.norm_squared(),
            Some(y) => d.dot(&y).atan2(d.dot(&self.x)),
        }
    }
}

/// The exact answer near `rough`, or `rough` itself if no pair of features explains it.
///
/// Every candidate for solids apart joins two of their points, so that the smallest is the distance. Of
/// overlapping solids the candidate nearest to the depth found counts.
pub(super) fn polish(a: &Placed<'_>, b: &Placed<'_>, rough: &Witness) -> Witness {
    let reach = REACH * a.solid.size().min(b.solid.size());
    let key = |witness: &Witness| {
        let difference = witness.gap - rough.gap;
        if rough.gap > 0.0 { difference } else { difference.abs() }
    };
    let mut best: Option<Witness> = None;
    let mut offer = |witness: Witness| {
        let off = (0..2).map(|k| (witness.points[k] - rough.points[k]).norm()).fold(0.0, f64::max);
        let is_near = off <= 10.0 * reach && (witness.gap - rough.gap).abs() <= reach;
        if is_near && best.is_none_or(|best| key(&witness) < key(&best)) {
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

/// Offers the vertices of `a` against the surface of `b` and against the side of a cylinder, and its
/// vertices and rims against the faces of `b` that they stand over.
fn vertices_and_rims(a: &Placed<'_>, b: &Placed<'_>, offer: &mut impl FnMut(Witness)) {
    for i in 0..a.solid.vertex_count() {
        offer(vertex_whole(a, i, b));
        let center = a.vertex(i);
        if let Some((distance, normal)) = b.solid.side_distance(&b.local(&center)) {
            let (normal, radius) = (b.pose.rotation * normal, a.solid.rounding());
            offer(Witness::new(center - normal * radius, normal, distance - radius));
        }
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

fn curves<'a>(placed: &'a Placed<'_>) -> impl Iterator<Item = Curve> + 'a {
    let rotation = placed.pose.rotation;
    let count = match placed.solid {
        Solid::Polytope(hull) => hull.edges().len(),
        Solid::Cylinder { .. } => 3,
        _ => 1,
    };
    (0..count).filter_map(move |index| match placed.solid {
        Solid::Cylinder { half_height, radius } => {
            let axis = rotation * Vector3::z() * *half_height;
            let center = placed.pose.translation.vector;
            let [x, y] = [Vector3::x(), Vector3::y()].map(|e| rotation * e * *radius);
            Some(match index {
                0 => Curve { center: center + axis, x, y: Some(y), radius: 0.0 },
                1 => Curve { center: center - axis, x, y: Some(y), radius: 0.0 },
                _ => Curve { center, x: axis, y: None, radius: *radius },
            })
        }
        _ => {
            let (start, along) = edge_start_along(placed, index)?;
            let x = 0.5 * along;
            Some(Curve { center: start + x, x, y: None, radius: placed.solid.rounding() })
        }
    })
}

/// The nearest points of two curves that lie near those of `rough`.
fn nearest(a: &Curve, b: &Curve, rough: &Witness, reach: f64) -> Option<Witness> {
    // Points of `rough` lie on the surface, those of the curves below it.
    let cores =
        [rough.points[0] + a.radius * rough.normal, rough.points[1] - b.radius * rough.normal];
    let mut parameters = Vector2::new(a.nearest(&cores[0]), b.nearest(&cores[1]));
    for (curve, s, core) in [(a, parameters.x, cores[0]), (b, parameters.y, cores[1])] {
        if (curve.at(s)[0] - core).norm() > reach || (curve.y.is_none() && s.abs() > 1.0 + reach) {
            return None;
        }
    }
    let mut step = f64::INFINITY;
    for _ in 0..STEPS {
        let [p, dp, ddp] = a.at(parameters.x);
        let [q, dq, ddq] = b.at(parameters.y);
        let between = p - q;
        let residual = Vector2::new(between.dot(&dp), between.dot(&dq));
        let jacobian = Matrix2::new(
            dp.norm_squared() + between.dot(&ddp),
            -dp.dot(&dq),
            dp.dot(&dq),
            between.dot(&ddq) - dq.norm_squared(),
        );
        let change = jacobian.try_inverse()? * residual;
        parameters -= change;
        // The step before the last was small, so the last one has converged quadratically.
        if step < 1e-8 {
            break;
        }
        step = change.amax();
    }
    if step.is_nan() || step >= 1e-8 {
        return None;
    }
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
