//! The orthonormal frame of one contact.

use nalgebra::Vector3;

/// A right-handed orthonormal contact frame `(n, t, o)` in world axes.
///
/// `n` points from body 2 to body 1, so that a positive normal velocity separates.
/// In the plane only `tangent_1` is used, and it is `n` turned by −90° about `z`: for the floor
/// normal `(0, 1, 0)` it is `(1, 0, 0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFrame {
    /// Unit normal, from body 2 to body 1.
    pub normal: Vector3<f64>,
    /// First unit tangent `t`.
    pub tangent_1: Vector3<f64>,
    /// Second unit tangent `o = n × t`.
    pub tangent_2: Vector3<f64>,
}
