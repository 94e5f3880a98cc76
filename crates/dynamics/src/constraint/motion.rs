//! Velocities and velocity products of one body, from the point rows of its system alone.
//!
//! The angular quantities follow from four points of the body, its origin `o` and `o + e_k`. With
//! `v(o + e_k) − v(o) = ω × e_k` and `Σ e_k × (ω × e_k) = 3 ω − ω`,
//!
//! ```math
//! \omega = \tfrac12 \sum_k e_k \times (v(o + e_k) - v(o)),
//! ```
//!
//! and likewise for the angular acceleration after `ω × (ω × e_k)` has been taken off. A row of `ω · d`
//! is the difference of two point rows: for a unit vector `a ⟂ d` and `b = d × a`,
//! `ω · d = (ω × a) · b`.

use nalgebra::Vector3;

use crate::system::System;

/// A body of a system in one state; `None` stands for the world, which rests.
pub(super) struct Motion<'a> {
    system: &'a dyn System,
    coordinates: &'a [f64],
    speeds: &'a [f64],
    body: Option<usize>,
}

impl<'a> Motion<'a> {
    pub(super) fn new(
        system: &'a dyn System,
        coordinates: &'a [f64],
        velocity: &'a [f64],
        body: Option<usize>,
    ) -> Self {
        Self { system, coordinates, speeds: velocity, body }
    }

    /// World velocity of the point of the body at the world position `point` (m/s).
    pub(super) fn velocity(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let Some(body) = self.body else { return Vector3::zeros() };
        let mut row = vec![0.0; self.speeds.len()];
        Vector3::from_fn(|k, _| {
            row.fill(0.0);
            let axis = Vector3::ith(k, 1.0);
            self.system.add_point_row(self.coordinates, body, point, &axis, 1.0, &mut row);
            row.iter().zip(self.speeds).map(|(j, v)| j * v).sum()
        })
    }

    /// Acceleration of that point while `v̇ = 0` (m/s²).
    pub(super) fn bias(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.body.map_or_else(Vector3::zeros, |body| {
            self.system.point_bias(self.coordinates, self.speeds, body, point)
        })
    }

    /// Angular velocity (rad/s, world axes).
    pub(super) fn angular_velocity(&self) -> Vector3<f64> {
        self.curl(|point| self.velocity(point), |_| Vector3::zeros())
    }

    /// Angular acceleration while `v̇ = 0` (rad/s², world axes).
    pub(super) fn angular_bias(&self) -> Vector3<f64> {
        let omega = self.angular_velocity();
        self.curl(|point| self.bias(point), |arm| omega.cross(&omega.cross(arm)))
    }

    /// `½ Σ e_k × (field(o + e_k) − field(o) − known(e_k))`.
    fn curl(
        &self,
        field: impl Fn(&Vector3<f64>) -> Vector3<f64>,
        known: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Vector3<f64> {
        let Some(body) = self.body else { return Vector3::zeros() };
        let origin = self.system.pose(self.coordinates, body).translation.vector;
        let at_origin = field(&origin);
        let term = |k| {
            let arm = Vector3::ith(k, 1.0);
            arm.cross(&(field(&(origin + arm)) - at_origin - known(&arm)))
        };
        0.5 * (0..3).map(term).sum::<Vector3<f64>>()
    }
}

/// Adds the row of `direction · ω` of `body` to `row`; nothing for the world.
pub(super) fn add_angular_row(
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
    system.add_point_row(coordinates, body, &(origin + arm), &lever, 1.0, row);
    system.add_point_row(coordinates, body, &origin, &lever, -1.0, row);
}
