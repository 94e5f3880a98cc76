//! The gap between two rods with round ends; a sphere is a rod of zero length.
//!
//! With the nearest points `c_1`, `c_2` of the two axes, which are segments,
//!
//! ```math
//! g = \lVert c_1 - c_2 \rVert - r_1 - r_2, \qquad n = \frac{c_1 - c_2}{\lVert c_1 - c_2 \rVert}.
//! ```
//!
//! The nearest points are those of the two lines if they are between the ends of both segments. Otherwise they are
//! an end of one segment and the point of the other segment nearest to it. Moving either point along its segment
//! does not change the distance to first order, or an end prevents it, so that `n` times the velocities of the two
//! material points is the gradient.
//!
//! # Source
//!
//! V. J. Lumelsky, "On fast computation of distance between line segments", *Information Processing
//! Letters* 21 (1985) 55–61 (nearest points of segments).

use nalgebra::Vector3;

use crate::{
    anchor::Anchor,
    contact_frame::{self, ContactFrame},
    gap::{
        ContactPoint, ContactRows, Error, GapFunction, PointContact, Region, Sphere,
        bias_across_axis,
        rates::{Core, Rates, Touch},
    },
    system::{Dimension, System, motion::BodyMotion},
};

#[cfg(test)]
mod tests;

/// Segments count as parallel if the sine of their angle is below this. The position of the nearest points of their
/// lines then has an error of the rounding divided by the square of the sine, and the distance of an end is the same
/// up to the square of the sine.
const PARALLEL: f64 = 1e-6;

/// A rod with round ends, carried by a body or fixed in the world: all points within `radius` of a
/// segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// The ends of the segment, on the same body; equal ends make a sphere.
    ends: [Anchor; 2],
    radius: f64,
}

impl Rod {
    /// A rod along the `x` axis of `body`, with the centers of its ends at `±length/2` (m); the sign of the length
    /// does not matter.
    #[must_use]
    pub fn of_body(body: usize, length: f64, radius: f64) -> Self {
        let end = Vector3::x() * (0.5 * length);
        Self { ends: [-end, end].map(|end| Anchor::on_body(body, end)), radius }
    }

    /// A rod between two points of the world (m).
    #[must_use]
    pub fn in_world(ends: [Vector3<f64>; 2], radius: f64) -> Self {
        Self { ends: ends.map(Anchor::in_world), radius }
    }

    /// The start of the segment and the vector to its end (m, world).
    fn segment(&self, system: &dyn System, coordinates: &[f64]) -> [Vector3<f64>; 2] {
        let [start, end] = self.ends.map(|end| end.position(system, coordinates));
        [start, end - start]
    }

    /// The smallest sphere that contains the rod.
    fn ball(&self) -> Sphere {
        let [start, end] = self.ends.map(|end| end.point);
        let center = Anchor { point: 0.5 * (start + end), ..self.ends[0] };
        Sphere { center, radius: 0.5 * (end - start).norm() + self.radius }
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        let [first, second] =
            self.ends.map(|center| Sphere { center, radius: self.radius }.check(system));
        first.and(second)
    }
}

impl From<Sphere> for Rod {
    fn from(sphere: Sphere) -> Self {
        Self { ends: [sphere.center; 2], radius: sphere.radius }
    }
}

/// The gap between two rods with round ends, in space or in the plane. A [`Sphere`] converts into a rod of zero
/// length, which gives the gap between a rod and a sphere (in the plane a disc).
///
/// In space the first tangent is `n × a` for the world axis `a` (default `e_z`), as for
/// [`SphereSphere`](crate::gap::SphereSphere).
///
/// It is one contact. If parallel rods are side by side, all points of their common stretch are nearest, and the
/// middle of the stretch is taken. When the rods rotate through parallel the point therefore jumps, while gap and
/// normal do not. Where the axes meet, the gap `−r_1 − r_2` has no gradient. The normal is then `d_1 × d_2` for the
/// directions of the axes; in the plane it is the normal of the second, `d_2` rotated by 90°; for parallel axes it
/// is a world axis orthogonalized against `d_1`.
///
/// # Example
///
/// Rods of radius 0.1 m, one along `x`, the other 1 m above it along `y`.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use percussion_dynamics::{Body, FreeBodies, gap::GapFunction};
/// use percussion_dynamics::gap::{Rod, RodRod};
///
/// let body = Body::new(1.0, Matrix3::identity());
/// let system = FreeBodies::new(vec![body], Vector3::zeros())?;
/// let fixed = Rod::in_world([Vector3::new(0.3, -2.0, 1.0), Vector3::new(0.3, 2.0, 1.0)], 0.1);
/// let contact = RodRod::new(Rod::of_body(0, 2.0, 0.1), fixed)?;
/// let lying = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
/// assert!((contact.gap(&system, &lying) - 0.8).abs() < 1e-15);
/// let point = contact.contact_point(&system, &lying).ok_or("none")?.point;
/// assert!((point - Vector3::new(0.3, 0.0, 0.1)).norm() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodRod {
    rod_1: Rod,
    rod_2: Rod,
    axis: Vector3<f64>,
}

impl RodRod {
    /// The gap between two rods, either of which may be a sphere, with tangents from the vertical `e_z`.
    ///
    /// # Errors
    ///
    /// [`Error::Radius`] for a radius that is negative or not finite, [`Error::Length`] for a length that
    /// is not finite.
    pub fn new(rod_1: impl Into<Rod>, rod_2: impl Into<Rod>) -> Result<Self, Error> {
        let (rod_1, rod_2) = (rod_1.into(), rod_2.into());
        for rod in [&rod_1, &rod_2] {
            if !(rod.radius.is_finite() && rod.radius >= 0.0) {
                return Err(Error::Radius { value: rod.radius });
            }
            let [start, end] = rod.ends.map(|end| end.point);
            let value = (end - start).norm();
            if !value.is_finite() {
                return Err(Error::Length { value });
            }
        }
        Ok(Self { rod_1, rod_2, axis: Vector3::z() })
    }

    /// The same gap with the first tangent `n × axis` (any length, world axes).
    ///
    /// # Errors
    ///
    /// [`Error::Frame`] if `axis` is zero or not finite.
    pub fn with_axis(self, axis: &Vector3<f64>) -> Result<Self, Error> {
        Ok(Self { axis: contact_frame::direction("tangent axis", axis)?, ..self })
    }

    /// The contact, its point on the second rod, and the nearest points of the segments.
    fn pair(
        &self,
        system: &dyn System,
        coordinates: &[f64],
    ) -> (ContactPoint, Vector3<f64>, Nearest) {
        let [first, second] = [&self.rod_1, &self.rod_2].map(|r| r.segment(system, coordinates));
        let near = nearest(first, second);
        let [c_1, c_2] = near.points;
        let (r_1, r_2) = (self.rod_1.radius, self.rod_2.radius);
        let distance = (c_1 - c_2).norm();
        let lengths = [first, second].iter().flatten().map(Vector3::norm).sum::<f64>() + r_1 + r_2;
        // Points closer than the rounding of a position do not determine a direction.
        let separate = distance > 2.0 * f64::EPSILON * lengths;
        let frame = match system.dimension() {
            Dimension::Plane => {
                let n = if separate { c_1 - c_2 } else { across_in_plane(&first[1], &second[1]) };
                ContactFrame::from_planar_unit_normal(&n.normalize())
            }
            Dimension::Space => {
                let n = if separate { c_1 - c_2 } else { across(&first[1], &second[1]) };
                let n = n.normalize();
                ContactFrame::from_unit_normal(&n, &n.cross(&self.axis))
            }
        };
        let contact =
            ContactPoint { gap: distance - r_1 - r_2, point: c_1 - r_1 * frame.normal, frame };
        (contact, c_2 + r_2 * frame.normal, near)
    }

    /// The nearest points of the axes and their motion.
    fn cores(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        motions: [&BodyMotion<'_>; 2],
        near: &Nearest,
    ) -> [Core; 2] {
        let rods = [&self.rod_1, &self.rod_2];
        let segments = rods.map(|rod| rod.segment(system, coordinates));
        let mut cores = [0, 1].map(|k| {
            let line = [segments[k][1], Vector3::zeros()];
            let core = Core::on_curve(motions[k], &near.points[k], line, rods[k].radius);
            if near.sliding[k] { core } else { core.fixed() }
        });
        if let Some(stretch) = near.stretch {
            let middle = middle_rate(segments, motions, stretch);
            cores[0].velocity += middle * segments[0][1];
            cores[0] = cores[0].fixed();
        }
        cores
    }
}

/// The rate of the parameter of the middle of the stretch of the first segment that lies beside the second. Of its
/// ends, those that are projections of ends of the second segment move.
fn middle_rate(
    [[p, d], [q, e]]: [[Vector3<f64>; 2]; 2],
    motions: [&BodyMotion<'_>; 2],
    stretch: [f64; 2],
) -> f64 {
    let turning = motions[0].angular_velocity().cross(&d);
    let foot_rate = |end: Vector3<f64>| {
        let relative = motions[1].velocity(&end) - motions[0].velocity(&p);
        (relative.dot(&d) + (end - p).dot(&turning)) / d.norm_squared()
    };
    let (low_end, high_end) = if d.dot(&e) > 0.0 { (q, q + e) } else { (q + e, q) };
    let low = if stretch[0] > 0.0 { foot_rate(low_end) } else { 0.0 };
    let high = if stretch[1] < 1.0 { foot_rate(high_end) } else { 0.0 };
    0.5 * (low + high)
}

/// The nearest points of two segments, and which of them slide along their segment as it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Nearest {
    points: [Vector3<f64>; 2],
    /// A point that does not slide is an end.
    sliding: [bool; 2],
    /// For parallel segments, the stretch of the first that lies beside the second, in parameters of the first.
    stretch: Option<[f64; 2]>,
}

/// The nearest points of two segments, given by start and direction.
fn nearest([p, d]: [Vector3<f64>; 2], [q, e]: [Vector3<f64>; 2]) -> Nearest {
    let between = p - q;
    let cross = d.cross(&e);
    let squared = cross.norm_squared();
    if squared > (PARALLEL * PARALLEL) * d.norm_squared() * e.norm_squared() {
        let s = e.cross(&between).dot(&cross) / squared;
        let t = d.cross(&between).dot(&cross) / squared;
        if [s, t].iter().all(|parameter| (0.0..=1.0).contains(parameter)) {
            return Nearest { points: [p + s * d, q + t * e], sliding: [true; 2], stretch: None };
        }
    } else if let Some(stretch) = shared_stretch(&between, &d, &e) {
        let middle = p + 0.5 * (stretch[0] + stretch[1]) * d;
        let points = [middle, q + along(&(middle - q), &e) * e];
        return Nearest { points, sliding: [true; 2], stretch: Some(stretch) };
    }
    let slides = |parameter: f64| parameter > 0.0 && parameter < 1.0;
    let of_first = [0.0, 1.0].map(|s| {
        let end = p + s * d;
        let t = along(&(end - q), &e);
        Nearest { points: [end, q + t * e], sliding: [false, slides(t)], stretch: None }
    });
    let of_second = [0.0, 1.0].map(|t| {
        let end = q + t * e;
        let s = along(&(end - p), &d);
        Nearest { points: [p + s * d, end], sliding: [slides(s), false], stretch: None }
    });
    let shorter = |best: Nearest, other: Nearest| {
        let squared = |near: &Nearest| (near.points[0] - near.points[1]).norm_squared();
        if squared(&other) < squared(&best) { other } else { best }
    };
    [of_first[1], of_second[0], of_second[1]].into_iter().fold(of_first[0], shorter)
}

/// The parameter in [0, 1] of the point of a segment along `d` nearest to `point`, relative to its start.
fn along(point: &Vector3<f64>, d: &Vector3<f64>) -> f64 {
    let squared = d.norm_squared();
    if squared > 0.0 { (point.dot(d) / squared).clamp(0.0, 1.0) } else { 0.0 }
}

/// The parameters on the first of two parallel segments between which it lies beside the second; `None` unless both
/// have a length.
fn shared_stretch(between: &Vector3<f64>, d: &Vector3<f64>, e: &Vector3<f64>) -> Option<[f64; 2]> {
    let squared = d.norm_squared();
    if squared == 0.0 || e.norm_squared() == 0.0 {
        return None;
    }
    let [start, end] = [-between, e - between].map(|end| end.dot(d) / squared);
    let [low, high] = [start.min(end).max(0.0), start.max(end).min(1.0)];
    (low < high).then_some([low, high])
}

/// A direction perpendicular to both segments.
fn across(d: &Vector3<f64>, e: &Vector3<f64>) -> Vector3<f64> {
    let cross = d.cross(e);
    if cross.norm() > PARALLEL * d.norm() * e.norm() {
        return cross;
    }
    let along = if d.norm_squared() > 0.0 { d } else { e };
    if along.norm_squared() == 0.0 {
        return Vector3::z();
    }
    // The world axis with the smallest component along the segment is never close to it.
    along.cross(&Vector3::ith(along.iamin(), 1.0))
}

/// The normal of the second segment in the plane, or of the first if the second has no length.
fn across_in_plane(d: &Vector3<f64>, e: &Vector3<f64>) -> Vector3<f64> {
    let along = if e.norm_squared() > 0.0 { e } else { d };
    if along.norm_squared() > 0.0 { Vector3::new(-along.y, along.x, 0.0) } else { Vector3::y() }
}

impl GapFunction for RodRod {
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
        self.pair(system, coordinates).0.gap
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        let (ContactPoint { gap, point, frame }, point_2, _) = self.pair(system, coordinates);
        rows.clear();
        rows.add_point(system, coordinates, &self.rod_1.ends[0], &point, &frame, 1.0);
        rows.add_point(system, coordinates, &self.rod_2.ends[0], &point_2, &frame, -1.0);
        gap
    }

    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let (ContactPoint { gap, point, frame }, point_2, near) = self.pair(system, coordinates);
        let bodies = [&self.rod_1, &self.rod_2].map(|rod| rod.ends[0].body);
        let motions = bodies.map(|body| BodyMotion::new(system, coordinates, velocity, body));
        let motions = [&motions[0], &motions[1]];
        let cores = self.cores(system, coordinates, motions, &near);
        let touch = Touch { gap, points: [point, point_2], normal: frame.normal };
        let rates = Rates::of_cores(&cores, &frame.normal);
        bias_across_axis(&rates, motions, (&touch, &frame), (&self.axis, system.dimension()), bias);
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.rod_1.check(system)?;
        self.rod_2.check(system)
    }

    fn contact_point(&self, system: &dyn System, coordinates: &[f64]) -> Option<ContactPoint> {
        Some(self.pair(system, coordinates).0)
    }

    fn point_contact(&self, system: &dyn System, coordinates: &[f64]) -> Option<PointContact> {
        let (ContactPoint { gap, point, frame }, point_2, _) = self.pair(system, coordinates);
        let bodies = [&self.rod_1, &self.rod_2].map(|rod| rod.ends[0].body);
        Some(PointContact { bodies, points: [point, point_2], frame, gap })
    }

    fn regions(&self) -> Option<[Region; 2]> {
        Some([&self.rod_1, &self.rod_2].map(|rod| Region::Sphere(rod.ball())))
    }
}
