//! The characteristic length, mass and time of a problem: [`Scales`].

use std::sync::Arc;

use nalgebra::{DMatrix, Vector3};
use percussion_dynamics::{ContactSource, Dimension, System, gap::GapFunction};

use crate::state::State;

/// Minimum length relative to the largest coordinate of a position: a tolerance of `1e-9` of this length is
/// some 50 roundings of the position.
const SMALLEST: f64 = 1e-5;

/// Length, mass and time of a problem, in the units of the model (m, kg, s).
///
/// Tolerances that are lengths, speeds or forces have no meaning by themselves: 1 nm is negligible for a
/// crane but large for a grain of dust. Where a tolerance is not given in the settings, it is a small number
/// times the scales of the model. The same motion in other units of mass, length and time therefore takes the
/// same steps and has the same statuses.
///
/// - **Length** `L`: the size of the bodies, which is the maximum of the largest radius of gyration `√(I/m)`
///   and the largest distance of a point of contact, or of a surface of a contact source, from the origin of
///   its body. For points without size it is the largest gap or, if there is none, the extent of the system.
///   It is at least `1e-5` of the largest coordinate of a position, so that `1e-9 L` is above the rounding of
///   positions.
/// - **Mass** `m`: the largest effective mass at the origin of a body, `d/tr(J M⁻¹ Jᵀ)` for the rows `J` of
///   the origin in `d` dimensions; for a free body its mass.
/// - **Time** `T`: the shorter of `L/V` and `√(L/a)` for the largest speed `V` of the start, including `L ω`
///   from rotation, and the largest acceleration `a` that smooth forces give the origin of a body. For a
///   model at rest without forces it is the time span of the integration.
///
/// All scales are evaluated at the start of a motion, without contact forces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Scales {
    /// Length `L` (m, > 0).
    pub length: f64,
    /// Mass `m` (kg, > 0).
    pub mass: f64,
    /// Time `T` (s, > 0).
    pub time: f64,
}

impl Scales {
    /// One meter, one kilogram, one second.
    #[must_use]
    pub fn one() -> Self {
        Self { length: 1.0, mass: 1.0, time: 1.0 }
    }

    /// The scales of a system with these gaps at `start`, as defined at [`Scales`]; `span` (s)
    /// is the time of the integration or the length of a step.
    ///
    /// A scale without any determining quantity is 1.
    pub fn of<'g>(
        system: &dyn System,
        gaps: impl IntoIterator<Item = &'g dyn GapFunction>,
        start: &State,
        span: f64,
    ) -> Self {
        Self::with_size(0.0, system, gaps, start, span)
    }

    /// The same for bodies that are known to extend this far from their origins (m).
    pub(crate) fn with_size<'g>(
        size: f64,
        system: &dyn System,
        gaps: impl IntoIterator<Item = &'g dyn GapFunction>,
        start: &State,
        span: f64,
    ) -> Self {
        let q = &start.coordinates;
        let sizes = Sizes::of(system, gaps, q);
        let responses = Responses::of(system, start);
        let extents = [
            sizes.bodies.max(size).max(responses.gyration),
            sizes.gaps,
            sizes.spread,
            sizes.farthest,
        ];
        let length = extents.into_iter().find(|size| usable(*size)).unwrap_or(1.0);
        let length =
            if usable(sizes.farthest) { length.max(SMALLEST * sizes.farthest) } else { length };
        let mass = if usable(responses.mass) { responses.mass } else { 1.0 };
        let speed = responses.linear + responses.angular * length;
        let times = [length / speed, (length / responses.acceleration).sqrt()];
        let time = times.into_iter().filter(|t| usable(*t)).fold(f64::INFINITY, f64::min);
        let time = [time, span].into_iter().find(|t| usable(*t)).unwrap_or(1.0);
        Self { length, mass, time }
    }

    /// `L/T` (m/s).
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.length / self.time
    }

    /// `L/T²` (m/s²).
    #[must_use]
    pub fn acceleration(&self) -> f64 {
        self.length / self.time / self.time
    }

    /// `m L/T²` (N).
    #[must_use]
    pub fn force(&self) -> f64 {
        self.mass * self.acceleration()
    }

    /// `m L/T` (N·s).
    #[must_use]
    pub fn impulse(&self) -> f64 {
        self.mass * self.speed()
    }

    /// `m (L/T)²` (J).
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.mass * self.speed() * self.speed()
    }

    /// The name and the value of a scale that is not positive and finite.
    pub(crate) fn unusable(&self) -> Option<(&'static str, f64)> {
        let all = [
            ("scales.length", self.length),
            ("scales.mass", self.mass),
            ("scales.time", self.time),
        ];
        all.into_iter().find(|(_, value)| !usable(*value))
    }

    /// Displacement along each generalized velocity (m or rad, length `n_v`) that moves a point of a body,
    /// at the distance `L` from the origin, by about `L`: `L` for a translation and about 1 for a rotation.
    pub(crate) fn of_velocities(&self, system: &dyn System, coordinates: &[f64]) -> Vec<f64> {
        let count = system.velocity_count();
        let mut unit = vec![0.0; count];
        (0..count)
            .map(|index| {
                unit[index] = 1.0;
                let moves = (0..system.body_count())
                    .filter(|body| system.tree_velocities(*body).contains(&index))
                    .map(|body| {
                        let velocity = system.body_velocity(coordinates, &unit, body);
                        velocity.linear.norm().max(velocity.angular.norm() * self.length)
                    })
                    .fold(0.0, f64::max);
                unit[index] = 0.0;
                if moves > 0.0 { self.length / moves } else { self.length }
            })
            .collect()
    }

    /// The largest speed of bodies (m/s) that one entry of a `velocity` (length `n_v`) causes, with the displacements `strides` of
    /// [`of_velocities`](Self::of_velocities).
    pub(crate) fn fastest(&self, velocity: &[f64], strides: &[f64]) -> f64 {
        let speeds = velocity.iter().zip(strides).map(|(v, stride)| v.abs() * self.length / stride);
        speeds.fold(0.0, f64::max)
    }

    /// Whether the velocities along `rows` (one per column, `n_v × r`) all are rounding of a `velocity` (length `n_v`), or of `L/T`, with
    /// the displacements `strides` of [`of_velocities`](Self::of_velocities).
    pub(crate) fn are_rounding(
        &self,
        mut along: impl Iterator<Item = f64>,
        rows: &DMatrix<f64>,
        (velocity, strides): (&[f64], &[f64]),
    ) -> bool {
        let noise = 16.0 * f64::EPSILON * self.speed().max(self.fastest(velocity, strides));
        let mut columns = rows.column_iter();
        along.all(|speed| {
            columns.next().is_some_and(|row| {
                speed.abs() * self.length_along(row.as_slice(), strides) <= noise
            })
        })
    }

    /// The length (m) by which the velocity of a `row` (length `n_v`) is multiplied to be comparable with that of a point of the
    /// bodies, with the displacements `strides` of [`of_velocities`](Self::of_velocities).
    pub(crate) fn length_along(&self, row: &[f64], strides: &[f64]) -> f64 {
        let moved: f64 = row.iter().zip(strides).map(|(r, stride)| r.abs() * stride).sum();
        let length = self.length / moved;
        if usable(length) { length } else { 1.0 }
    }

    /// The same for coordinates (length `n_q`): their changes for the displacements of
    /// [`of_velocities`](Self::of_velocities).
    #[cfg(feature = "adaptive")]
    pub(crate) fn of_coordinates(&self, system: &dyn System, coordinates: &[f64]) -> Vec<f64> {
        let of_velocities = self.of_velocities(system, coordinates);
        let (mut unit, mut rate) = (vec![0.0; of_velocities.len()], vec![0.0; coordinates.len()]);
        let mut scales = vec![0.0_f64; coordinates.len()];
        for (index, scale) in of_velocities.iter().enumerate() {
            unit[index] = *scale;
            system.coordinate_rate(coordinates, &unit, &mut rate);
            unit[index] = 0.0;
            for (scale, rate) in scales.iter_mut().zip(&rate) {
                *scale = scale.max(rate.abs());
            }
        }
        // A quaternion has one entry that does not change to first order.
        scales.iter_mut().filter(|scale| **scale == 0.0).for_each(|scale| *scale = 1.0);
        scales
    }
}

/// Maximum distance of the surfaces of a source from the origins of the bodies (m).
pub(crate) fn radius_of(source: Option<&Arc<dyn ContactSource>>, system: &dyn System) -> f64 {
    let radius = |body| source.map_or(0.0, |source| source.radius(body));
    (0..system.body_count()).map(radius).fold(0.0, f64::max)
}

fn usable(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// Lengths of a position (m).
struct Sizes {
    /// Largest distance of a point of contact from the origin of a body next to it.
    bodies: f64,
    gaps: f64,
    /// Extent of the origins of the bodies.
    spread: f64,
    /// Largest coordinate of a position.
    farthest: f64,
}

impl Sizes {
    fn of<'g>(
        system: &dyn System,
        gaps: impl IntoIterator<Item = &'g dyn GapFunction>,
        coordinates: &[f64],
    ) -> Self {
        let count = system.body_count();
        let origins: Vec<Vector3<f64>> =
            (0..count).map(|body| system.pose(coordinates, body).translation.vector).collect();
        let mut low = Vector3::repeat(f64::INFINITY);
        let mut high = -low;
        for origin in &origins {
            (low, high) = (low.inf(origin), high.sup(origin));
        }
        let spread = if count > 0 { (high - low).norm() } else { 0.0 };
        let farthest = origins.iter().map(Vector3::amax).fold(0.0, f64::max);
        let (mut bodies, mut largest, mut near) = (0.0_f64, 0.0_f64, 0);
        for gap in gaps {
            let value = gap.gap(system, coordinates).abs();
            if value.is_finite() {
                largest = largest.max(value);
            }
            // Body 1 is the one with the nearest origin: an arm that is too short never loosens a tolerance.
            let Some(contact) = gap.contact_point(system, coordinates) else { continue };
            let arm = |origin: &Vector3<f64>| (contact.point - origin).norm();
            // Only a larger arm counts, so one origin within the largest settles a contact; that of the contact
            // before is tried first, since contacts of a body follow each other.
            let settles = |origin: &Vector3<f64>| arm(origin) <= bodies;
            if origins.get(near).is_some_and(settles) {
                continue;
            }
            if let Some(found) = origins.iter().position(settles) {
                near = found;
                continue;
            }
            let nearest = origins.iter().map(arm).fold(f64::INFINITY, f64::min);
            if nearest.is_finite() {
                bodies = nearest;
            }
        }
        Self { bodies, gaps: largest, spread, farthest }
    }
}

/// Masses, speeds and accelerations of the bodies.
struct Responses {
    /// Largest mass of an origin (kg).
    mass: f64,
    /// Largest radius of gyration (m).
    gyration: f64,
    /// Largest speed of an origin (m/s).
    linear: f64,
    /// Largest angular speed (rad/s).
    angular: f64,
    /// Largest acceleration of an origin by smooth forces (m/s²).
    acceleration: f64,
}

impl Responses {
    fn of(system: &dyn System, start: &State) -> Self {
        let State { time, coordinates, velocity } = start;
        let count = velocity.len();
        let mut free = DMatrix::zeros(count, 1);
        system.smooth_forces(coordinates, velocity, *time, free.as_mut_slice());
        system.apply_inverse_mass(coordinates, &mut free);
        let mut found =
            Self { mass: 0.0, gyration: 0.0, linear: 0.0, angular: 0.0, acceleration: 0.0 };
        for body in 0..system.body_count() {
            let moving = system.body_velocity(coordinates, velocity, body);
            found.linear = found.linear.max(moving.linear.norm());
            found.angular = found.angular.max(moving.angular.norm());
            let pushed = system.body_velocity(coordinates, free.as_slice(), body);
            found.acceleration = found.acceleration.max(pushed.linear.norm());
            let [translation, rotation] = inverse_masses(system, coordinates, body);
            if usable(translation) {
                found.mass = found.mass.max(1.0 / translation);
                // √(I/m) = √(m⁻¹/I⁻¹).
                let gyration = (translation / rotation).sqrt();
                if usable(gyration) {
                    found.gyration = found.gyration.max(gyration);
                }
            }
        }
        found
    }
}

/// Mean inverse mass (1/kg) of the origin of a body and mean inverse inertia (1/(kg·m²)) of the body about its origin,
/// over the directions of the plane or of space.
fn inverse_masses(system: &dyn System, coordinates: &[f64], body: usize) -> [f64; 2] {
    let count = system.velocity_count();
    let (axes, spins) = match system.dimension() {
        Dimension::Plane => (2, 2..3),
        Dimension::Space => (3, 0..3),
    };
    let mut columns = DMatrix::zeros(count, axes);
    let origin = system.pose(coordinates, body).translation.vector;
    for (k, mut column) in columns.column_iter_mut().enumerate() {
        let axis = Vector3::ith(k, 1.0);
        system.add_point_row(coordinates, body, &origin, &axis, 1.0, column.as_mut_slice());
    }
    let mut responses = columns.clone();
    system.apply_inverse_mass(coordinates, &mut responses);
    let translation = columns.dot(&responses) / axes as f64;
    // A unit couple about an axis is dual to the angular velocity of unit velocities along it.
    let mut couples = DMatrix::zeros(count, spins.len());
    let mut unit = vec![0.0; count];
    for index in system.tree_velocities(body) {
        unit[index] = 1.0;
        let angular = system.body_velocity(coordinates, &unit, body).angular;
        unit[index] = 0.0;
        for (column, k) in spins.clone().enumerate() {
            couples[(index, column)] = angular[k];
        }
    }
    let mut responses = couples.clone();
    system.apply_inverse_mass(coordinates, &mut responses);
    [translation, couples.dot(&responses) / spins.len() as f64]
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;
    use percussion_dynamics::{
        PlanarBodies, PlanarBody,
        gap::{Plane, Sphere, SpherePlane},
    };

    use super::*;

    fn of(velocity: [f64; 3], gravity: f64, span: f64) -> Scales {
        // Radius of gyration 0.5 m.
        let body = PlanarBody::new(4.0, 1.0);
        let system = PlanarBodies::new(vec![body], Vector2::new(0.0, -gravity)).unwrap();
        let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
        let gap = SpherePlane::new(Sphere::of_body(0, 0.2), floor).unwrap();
        let start =
            State { time: 0.0, coordinates: vec![0.0, 3.0, 0.0], velocity: velocity.to_vec() };
        Scales::of(&system, [&gap as &dyn GapFunction], &start, span)
    }

    fn assert_near(found: Scales, [length, mass, time]: [f64; 3]) {
        for (found, expected) in [(found.length, length), (found.mass, mass), (found.time, time)] {
            assert!((found / expected - 1.0).abs() < 1e-14, "{found} {expected}");
        }
    }

    #[test]
    fn scales_are_those_of_sizes_masses_forces_and_speeds() {
        assert_near(of([0.0; 3], 8.0, 7.0), [0.5, 4.0, 0.25]);
        assert_near(of([0.0, 5.0, 0.0], 8.0, 7.0), [0.5, 4.0, 0.1]);
        assert_near(of([0.0, 5.0, 10.0], 8.0, 7.0), [0.5, 4.0, 0.05]);
        // No motion and no forces.
        assert_near(of([0.0; 3], 0.0, 7.0), [0.5, 4.0, 7.0]);
    }

    #[cfg(feature = "adaptive")]
    #[test]
    fn velocities_have_the_scales_of_the_points_they_move() {
        let system = PlanarBodies::new(vec![PlanarBody::new(4.0, 1.0)], Vector2::zeros()).unwrap();
        let scales = Scales { length: 0.5, mass: 4.0, time: 1.0 };
        assert_eq!(scales.of_velocities(&system, &[0.0; 3]), [0.5, 0.5, 1.0]);
        assert_eq!(scales.of_coordinates(&system, &[0.0; 3]), [0.5, 0.5, 1.0]);
        assert_eq!(Scales { mass: -1.0, ..scales }.unusable(), Some(("scales.mass", -1.0)));
        assert_eq!(scales.unusable(), None);
    }
}
