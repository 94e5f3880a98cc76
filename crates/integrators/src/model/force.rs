//! Forces in addition to those of the system: the trait [`Force`], and the drive of a joint.

use std::fmt::Debug;

use nalgebra::DMatrix;

/// A generalized force `f(q, v, t)` on a [`Model`](super::Model).
///
/// [`Variational`](crate::variational::Variational) evaluates it at the midpoint of a step, with half of its impulse at
/// each end; the other schemes do not support it.
pub trait Force: Debug + Send + Sync {
    /// Adds `f` (length `n_v`; N, N·m) to `force`.
    fn add(&self, coordinates: &[f64], velocity: &[f64], time: f64, force: &mut [f64]);

    /// Adds `∂f/∂q` and `∂f/∂v` (`n_v × n_v` each, a row for every entry of `f`); for systems with
    /// quaternions `∂f/∂q` is along tangent vectors.
    ///
    /// They speed up Newton's method, whose result does not depend on them. The default adds nothing, which
    /// is correct for forces that depend on time only.
    fn add_derivatives(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        time: f64,
        by_coordinates: &mut DMatrix<f64>,
        by_velocity: &mut DMatrix<f64>,
    ) {
        let _ = (coordinates, velocity, time, by_coordinates, by_velocity);
    }
}

/// A drive that keeps one coordinate on a path of constant speed: proportional and derivative control.
///
/// ```math
/// f_k = K_p\, (q_{\mathrm{ref}}(t) - q_k) + K_v\, (\dot q_{\mathrm{ref}} - v_k), \qquad
/// q_{\mathrm{ref}}(t) = q_0 + \dot q_{\mathrm{ref}}\, (t - t_0).
/// ```
///
/// # Example
///
/// A hip that lags by 0.1 rad and is at rest is driven with `100 · 0.1 = 10 N·m`.
///
/// ```
/// use percussion_integrators::{Drive, Force};
///
/// let hip = Drive { index: 0, position: 0.1, speed: 0.0, since: 0.0, proportional: 100.0, derivative: 5.0 };
/// let mut force = [0.0];
/// hip.add(&[0.0], &[0.0], 2.0, &mut force);
/// assert_eq!(force, [10.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Index `k` of the coordinate and of its velocity.
    pub index: usize,
    /// `q_0` (m, rad).
    pub position: f64,
    /// `q̇_ref` (m/s, rad/s).
    pub speed: f64,
    /// `t_0` (s).
    pub since: f64,
    /// `K_p` (N/m, N·m/rad).
    pub proportional: f64,
    /// `K_v` (N·s/m, N·m·s/rad).
    pub derivative: f64,
}

impl Force for Drive {
    fn add(&self, coordinates: &[f64], velocity: &[f64], time: f64, force: &mut [f64]) {
        let target = self.position + self.speed * (time - self.since);
        force[self.index] += self.proportional * (target - coordinates[self.index])
            + self.derivative * (self.speed - velocity[self.index]);
    }

    fn add_derivatives(
        &self,
        _coordinates: &[f64],
        _velocity: &[f64],
        _time: f64,
        by_coordinates: &mut DMatrix<f64>,
        by_velocity: &mut DMatrix<f64>,
    ) {
        by_coordinates[(self.index, self.index)] -= self.proportional;
        by_velocity[(self.index, self.index)] -= self.derivative;
    }
}
