//! The motion of one body in one state: [`BodyVelocity`], and velocities and accelerations of all its points.
//!
//! A velocity field of a rigid body is `v(p) = v(o) + ω × (p − o)`. With points at the arms `A e_k`,
//! `v(o + A e_k) − v(o) = A ω × e_k`, and `Σ e_k × (ω × e_k) = 3 ω − ω`, so that
//!
//! ```math
//! \omega = \frac{1}{2 A} \sum_k e_k \times (v(o + A e_k) - v(o)),
//! ```
//!
//! and likewise for the angular acceleration after subtraction of `ω × (ω × e_k)`. A row of `ω · d` is the
//! difference of two point rows: for a unit vector `a ⟂ d` and `b = d × a`, `ω · d = (ω × a) · b`.

use nalgebra::Vector3;

use crate::system::System;

/// The arm `A` (m), `2^100`, at which differences of point rows are angles.
///
/// `v(o)` cancels in the difference, with a rounding of `ε |v(o)|/A`, which is the smaller the larger the arm.
/// Division by a power of two is exact, this one is larger than any length of a mechanism, and its products with
/// velocities do not overflow.
const ARM: f64 = 1_267_650_600_228_229_401_496_703_205_376.0;

/// The velocity of the frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyVelocity {
    /// Velocity of its origin (m/s, world axes).
    pub linear: Vector3<f64>,
    /// Angular velocity (rad/s, world axes).
    pub angular: Vector3<f64>,
}

impl BodyVelocity {
    /// The body at rest.
    #[must_use]
    pub fn zero() -> Self {
        Self { linear: Vector3::zeros(), angular: Vector3::zeros() }
    }

    /// The velocity of `body`, computed from the point rows of its system only.
    pub(crate) fn from_point_rows<S: System + ?Sized>(
        system: &S,
        coordinates: &[f64],
        velocity: &[f64],
        body: usize,
    ) -> Self {
        let origin = system.pose(coordinates, body).translation.vector;
        let mut row = vec![0.0; velocity.len()];
        let mut at = |point: &Vector3<f64>| {
            Vector3::from_fn(|k, _| {
                row.fill(0.0);
                system.add_point_row(
                    coordinates,
                    body,
                    point,
                    &Vector3::ith(k, 1.0),
                    1.0,
                    &mut row,
                );
                row.iter().zip(velocity).map(|(j, v)| j * v).sum()
            })
        };
        Self { linear: at(&origin), angular: curl(&origin, at, |_| Vector3::zeros()) }
    }
}

/// A body of a system in one state; `None` represents the world, which is at rest.
#[derive(Clone, Copy, Debug)]
pub struct BodyMotion<'a> {
    system: &'a dyn System,
    coordinates: &'a [f64],
    speeds: &'a [f64],
    body: Option<usize>,
    origin: Vector3<f64>,
    velocity: BodyVelocity,
}

impl<'a> BodyMotion<'a> {
    /// The motion of `body` at `coordinates` (length `n_q`) with the generalized `velocity` (length `n_v`).
    #[must_use]
    pub fn new(
        system: &'a dyn System,
        coordinates: &'a [f64],
        velocity: &'a [f64],
        body: Option<usize>,
    ) -> Self {
        let (origin, twist) = match body {
            Some(body) => (
                system.pose(coordinates, body).translation.vector,
                system.body_velocity(coordinates, velocity, body),
            ),
            None => (Vector3::zeros(), BodyVelocity::zero()),
        };
        Self { system, coordinates, speeds: velocity, body, origin, velocity: twist }
    }

    /// World velocity of the point of the body at the world position `point` (m/s).
    #[must_use]
    pub fn velocity(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.velocity.linear + self.velocity.angular.cross(&(point - self.origin))
    }

    /// Angular velocity (rad/s, world axes).
    #[must_use]
    pub fn angular_velocity(&self) -> Vector3<f64> {
        self.velocity.angular
    }

    /// Acceleration of the point of the body at the world position `point` while `v̇ = 0` (m/s²).
    #[must_use]
    pub fn bias(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.body.map_or_else(Vector3::zeros, |body| {
            self.system.point_bias(self.coordinates, self.speeds, body, point)
        })
    }

    /// Angular acceleration while `v̇ = 0` (rad/s², world axes).
    #[must_use]
    pub fn angular_bias(&self) -> Vector3<f64> {
        if self.body.is_none() {
            return Vector3::zeros();
        }
        let omega = self.velocity.angular;
        let centripetal = |arm: &Vector3<f64>| omega.cross(&omega.cross(arm));
        curl(&self.origin, |point| self.bias(point), centripetal)
    }
}

/// `½ Σ e_k × ((field(o + A e_k) − field(o))/A − known(e_k))`.
fn curl(
    origin: &Vector3<f64>,
    mut field: impl FnMut(&Vector3<f64>) -> Vector3<f64>,
    known: impl Fn(&Vector3<f64>) -> Vector3<f64>,
) -> Vector3<f64> {
    let at_origin = field(origin);
    let mut sum = Vector3::zeros();
    for k in 0..3 {
        let axis = Vector3::ith(k, 1.0);
        let change = (field(&(origin + ARM * axis)) - at_origin) / ARM;
        sum += axis.cross(&(change - known(&axis)));
    }
    0.5 * sum
}

/// Adds the row of `direction · ω` of `body` to `row` (length `n_v`; rad/s per unit of the velocities), with the angular velocity `ω` of
/// `body` and a `direction` of any length, both in world axes. Adds nothing for the world (`None`) and for a zero direction.
pub fn add_angular_row(
    system: &dyn System,
    coordinates: &[f64],
    body: Option<usize>,
    direction: &Vector3<f64>,
    row: &mut [f64],
) {
    let Some(body) = body else { return };
    let arm = direction.cross(&Vector3::ith(direction.iamin(), 1.0));
    let Some(arm) = arm.try_normalize(0.0) else { return };
    let lever = direction.cross(&arm);
    let origin = system.pose(coordinates, body).translation.vector;
    let far = origin + ARM * arm;
    system.add_point_row(coordinates, body, &far, &lever, 1.0 / ARM, row);
    system.add_point_row(coordinates, body, &origin, &lever, -1.0 / ARM, row);
}
