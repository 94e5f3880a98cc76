//! The largest separation of two solids along one direction: the depth of overlapping solids.
//!
//! Along a unit vector `n` from body 2 to body 1 the separation of two convex solids is
//!
//! ```math
//! s(n) = \min_{p \in A} n \cdot p - \max_{q \in B} n \cdot q,
//! ```
//!
//! and the gap of overlapping solids is the largest `s` of all directions. The difference of the solids has a unique
//! tangent plane at this maximum, because the largest ball inside it touches it there. The normal cones of the two
//! features in contact therefore share only one direction. In each family of such directions `s` is stationary at
//! finitely many, and all of these are tried:
//!
//! | features | directions |
//! | --- | --- |
//! | face or cap – anything | its normal |
//! | side of a cylinder – vertex | away from the axis |
//! | two of edge, axis, side | the cross product |
//! | rim – edge, axis, side | nearest points of a circle and a line, at most two |
//! | rim – rim | stationary distances of two circles, at most eight |
//!
//! No direction can make the result larger than the gap, since `s(n)` is evaluated with the farthest points of both
//! solids. Because the list is complete, the result is not smaller either. If the largest `s` is positive the solids
//! are apart, by at least that much.
//!
//! - **Needs** at least one solid whose core has volume; otherwise overlapping cores have no separating side.
//! - **Does not** find the nearest points of two solids that are apart: these may be a vertex and a rim.
//! - **Cost** one `s` for every direction that could be the best, about ten operations each for a cylinder and one
//!   product per vertex for a polytope. Once a point inside both is known, rims that are farther from each other
//!   than the depth of the solids are skipped, which makes two cylinders cheap.
//! - **Deterministic**: of directions equal up to rounding, the first in the order of the table is used.
//!
//! # Source
//!
//! The argument and the list were derived for this crate; for polytopes see S. Gottschalk, M. C. Lin, D. Manocha,
//! "`OBBTree`: a hierarchical structure for rapid interference detection", *SIGGRAPH* 1996, 171–180.

mod circles;
#[cfg(test)]
mod tests;

use nalgebra::Vector3;
use percussion_dynamics::Dimension;

use super::{
    PARALLEL,
    curve::{Curve, curves},
};
use crate::{
    solid::{Placed, Solid},
    witness::Witness,
};

/// Separations count as equal if they differ by less than this fraction of the sizes, which is rounding.
const TIE: f64 = 1e-12;

/// Two points are the farthest ones along a direction if their separation is that of the solids up to this fraction
/// of the sizes. An error of 1e-9 in the direction does not change it by more.
const SUPPORTED: f64 = 1e-9;

/// The largest separation of `a` and `b`, capsules, cylinders or polytopes but not two capsules.
///
/// For capsules it is the separation of their cores minus the radii, which is the gap only if the cores overlap.
pub(super) fn largest_separation(a: &Placed<'_>, b: &Placed<'_>) -> Option<Witness> {
    let mut search = Search { a, b, size: a.solid.size() + b.solid.size(), best: None };
    search.faces();
    search.vertices();
    for curve_a in curves(a) {
        for curve_b in curves(b) {
            search.curves(&curve_a, &curve_b);
        }
    }
    search.best.filter(Witness::is_finite)
}

/// The separation along `normal` and the farthest points of the two cores that attain it.
fn separation(a: &Placed<'_>, b: &Placed<'_>, normal: &Vector3<f64>) -> (f64, [Vector3<f64>; 2]) {
    let farthest = |placed: &Placed<'_>, direction: Vector3<f64>| {
        let local = placed.pose.rotation.inverse_transform_vector(&direction);
        placed.point(&placed.solid.core_support(&local))
    };
    let points = [farthest(a, -normal), farthest(b, *normal)];
    let rounding = a.solid.rounding() + b.solid.rounding();
    (normal.dot(&(points[0] - points[1])) - rounding, points)
}

struct Search<'a> {
    a: &'a Placed<'a>,
    b: &'a Placed<'a>,
    size: f64,
    best: Option<Witness>,
}

impl Search<'_> {
    fn is_better(&self, gap: f64) -> bool {
        self.best.is_none_or(|best| gap > best.gap + TIE * self.size)
    }

    /// The normals of faces and caps.
    fn faces(&mut self) {
        let rounding = self.a.solid.rounding();
        for k in 0..self.b.solid.face_count(Dimension::Space) {
            let normal = self.b.face(k).0;
            let (gap, [low, _]) = separation(self.a, self.b, &normal);
            if self.is_better(gap) {
                self.best = Some(Witness::new(low - rounding * normal, normal, gap));
            }
        }
        let rounding = self.b.solid.rounding();
        for k in 0..self.a.solid.face_count(Dimension::Space) {
            let normal = -self.a.face(k).0;
            let (gap, [_, high]) = separation(self.a, self.b, &normal);
            if self.is_better(gap) {
                let point = high + (rounding + gap) * normal;
                self.best = Some(Witness::new(point, normal, gap));
            }
        }
    }

    /// The vertices of each against the side of a cylinder.
    fn vertices(&mut self) {
        for (of, against) in [(self.b, self.a), (self.a, self.b)] {
            let Solid::Cylinder { radius, .. } = against.solid else { continue };
            if matches!(of.solid, Solid::Cylinder { .. }) {
                continue;
            }
            let axis = against.pose.rotation * Vector3::z();
            for i in 0..of.solid.vertex_count() {
                let vertex = of.vertex(i);
                let from_center = vertex - against.pose.translation.vector;
                let foot = against.pose.translation.vector + axis * axis.dot(&from_center);
                let outward = self.away(against, &(vertex - foot));
                let (points, radii) = ([foot, vertex], [*radius, of.solid.rounding()]);
                if std::ptr::eq(against, self.a) {
                    self.offer(points, radii, outward);
                } else {
                    self.offer([points[1], points[0]], [radii[1], radii[0]], outward);
                }
            }
        }
    }

    /// The direction of a vector from the axis of `cylinder`, or its `x` axis if the vector is only rounding.
    fn away(&self, cylinder: &Placed<'_>, from_axis: &Vector3<f64>) -> Vector3<f64> {
        let direction = from_axis.try_normalize(TIE * self.size);
        direction.unwrap_or_else(|| cylinder.pose.rotation * Vector3::x())
    }

    /// The stationary distances of two curves.
    fn curves(&mut self, a: &Curve, b: &Curve) {
        match (a.y, b.y) {
            (None, None) => self.lines(a, b),
            (None, Some(_)) => {
                for t in circles::nearest_to_line(b, a).into_iter().flatten() {
                    self.stationary(a, a.nearest(&b.at(t)[0]), b, t);
                }
            }
            (Some(_), None) => {
                for s in circles::nearest_to_line(a, b).into_iter().flatten() {
                    self.stationary(a, s, b, b.nearest(&a.at(s)[0]));
                }
            }
            (Some(_), Some(_)) => {
                // Overlapping solids have no separating direction, so points at this distance from each other are
                // deeper than the best.
                let depth = self.best.map_or(f64::INFINITY, |best| -best.gap);
                if self.overlaps_surely() && circles::distance_bound(a, b) > depth {
                    return;
                }
                circles::stationary(a, b, self.size, &mut |s, t| self.stationary(a, s, b, t));
            }
        }
    }

    /// Whether the middle of the best witness lies inside both solids.
    fn overlaps_surely(&self) -> bool {
        self.best.is_some_and(|best| {
            let is_inside = |placed: &Placed<'_>| {
                placed.signed_distance(&best.middle()).0 < -SUPPORTED * self.size
            };
            is_inside(self.a) && is_inside(self.b)
        })
    }

    /// The common perpendicular of two lines. Parallel lines are only relevant as the axes of cylinders, which have
    /// no vertices; their perpendicular is the direction from one to the other.
    fn lines(&mut self, a: &Curve, b: &Curve) {
        let cross = a.x.cross(&b.x);
        let (normal, points) = if cross.norm() > PARALLEL * a.x.norm() * b.x.norm() {
            let between = a.center - b.center;
            let s = b.x.cross(&between).dot(&cross) / cross.norm_squared();
            let t = a.x.cross(&between).dot(&cross) / cross.norm_squared();
            (cross.normalize(), [a.at(s)[0], b.at(t)[0]])
        } else {
            let foot = b.at(b.nearest(&a.center))[0];
            (self.away(self.a, &(a.center - foot)), [a.center, foot])
        };
        self.offer(points, [a.radius, b.radius], normal);
    }

    /// Points at which the distance of two curves is stationary. The normal is computed from the difference of the
    /// points or from the tangents, whichever has less rounding.
    fn stationary(&mut self, a: &Curve, s: f64, b: &Curve, t: f64) {
        let ([p, dp, _], [q, dq, _]) = (a.at(s), b.at(t));
        let (between, cross) = (p - q, dp.cross(&dq));
        let sine = cross.norm() / (dp.norm() * dq.norm());
        let direction = if sine * self.size > between.norm() { cross } else { between };
        if let Some(normal) = direction.try_normalize(0.0) {
            self.offer([p, q], [a.radius, b.radius], normal);
        }
    }

    /// Tries `normal` and its opposite, with the points of the rounded curves to which it belongs. A direction is
    /// rejected if other points of the solids are farther along it.
    fn offer(&mut self, points: [Vector3<f64>; 2], radii: [f64; 2], normal: Vector3<f64>) {
        for normal in [normal, -normal] {
            let between_points = normal.dot(&(points[0] - points[1])) - radii[0] - radii[1];
            if !self.is_better(between_points) {
                continue;
            }
            let (gap, _) = separation(self.a, self.b, &normal);
            let is_supported = between_points - gap <= SUPPORTED * self.size;
            if is_supported && self.is_better(gap) {
                self.best = Some(Witness::new(points[0] - radii[0] * normal, normal, gap));
            }
        }
    }
}
