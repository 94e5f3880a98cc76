//! A linear and an angular part of the motion of a body, or of its shift: [`Twist`].

use nalgebra::Vector3;

/// Velocity and angular velocity (m/s, rad/s), or displacement and rotation vector (m, rad): one cache line.
///
/// It is an array, with two numbers that are not used, so that it is read and written whole.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Twist(pub(super) [f64; 8]);

impl Twist {
    pub(super) fn new(linear: Vector3<f64>, angular: Vector3<f64>) -> Self {
        let ([u, v, w], [x, y, z]) = (linear.into(), angular.into());
        Self([u, v, w, x, y, z, 0.0, 0.0])
    }

    pub(super) fn linear(&self) -> Vector3<f64> {
        let [x, y, z, ..] = self.0;
        Vector3::new(x, y, z)
    }

    pub(super) fn angular(&self) -> Vector3<f64> {
        let [_, _, _, x, y, z, ..] = self.0;
        Vector3::new(x, y, z)
    }
}
