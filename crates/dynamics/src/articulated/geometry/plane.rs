//! The [`Plane`]: vectors of two entries, rotations and moments about `z`.

use nalgebra::{Matrix2, Matrix3, Quaternion, UnitQuaternion, Vector2, Vector3};

use super::{Geometry, Inertia, Spatial};
use crate::system::Dimension;

/// Motion in the x–y plane.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Plane;

/// A symmetric 3 × 3 map in blocks.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Tensor {
    linear: Matrix2<f64>,
    coupling: Vector2<f64>,
    angular: f64,
}

impl Geometry for Plane {
    const DIMENSION: Dimension = Dimension::Plane;

    type Linear = Vector2<f64>;
    type Angular = f64;
    /// Cosine and sine.
    type Rotation = Vector2<f64>;
    type Moments = f64;
    type Tensor = Tensor;

    fn linear(vector: &Vector3<f64>) -> Vector2<f64> {
        vector.xy()
    }

    fn linear_to_vector(linear: Vector2<f64>) -> Vector3<f64> {
        linear.push(0.0)
    }

    fn angular(vector: &Vector3<f64>) -> f64 {
        vector.z
    }

    fn angular_to_vector(angular: f64) -> Vector3<f64> {
        Vector3::new(0.0, 0.0, angular)
    }

    fn moments(tensor: &Matrix3<f64>) -> f64 {
        tensor[(2, 2)]
    }

    fn rotation(quaternion: &UnitQuaternion<f64>) -> Vector2<f64> {
        let (w, z) = (quaternion.w, quaternion.k);
        Vector2::new(w * w - z * z, 2.0 * w * z)
    }

    fn quaternion(rotation: &Vector2<f64>) -> UnitQuaternion<f64> {
        let half = 0.5 * rotation.y.atan2(rotation.x);
        UnitQuaternion::new_unchecked(Quaternion::new(half.cos(), 0.0, 0.0, half.sin()))
    }

    fn compose(a: &Vector2<f64>, b: &Vector2<f64>) -> Vector2<f64> {
        Self::rotate(a, *b)
    }

    fn turned(rotation: &Vector2<f64>, axis: f64, angle: f64) -> Vector2<f64> {
        let (sine, cosine) = (axis * angle).sin_cos();
        Self::rotate(rotation, Vector2::new(cosine, sine))
    }

    fn rotate(rotation: &Vector2<f64>, r: Vector2<f64>) -> Vector2<f64> {
        let (cosine, sine) = (rotation.x, rotation.y);
        Vector2::new(cosine * r.x - sine * r.y, sine * r.x + cosine * r.y)
    }

    fn rotate_angular(_rotation: &Vector2<f64>, angular: f64) -> f64 {
        angular
    }

    fn rotate_moments(_rotation: &Vector2<f64>, moments: f64) -> f64 {
        moments
    }

    fn dot(a: Vector2<f64>, b: Vector2<f64>) -> f64 {
        a.dot(&b)
    }

    fn dot_angular(a: f64, b: f64) -> f64 {
        a * b
    }

    fn spin(omega: f64, r: Vector2<f64>) -> Vector2<f64> {
        Vector2::new(-omega * r.y, omega * r.x)
    }

    fn moment(r: Vector2<f64>, f: Vector2<f64>) -> f64 {
        r.perp(&f)
    }

    fn twirl(_omega: f64, _n: f64) -> f64 {
        0.0
    }

    fn apply(moments: &f64, omega: f64) -> f64 {
        moments * omega
    }

    fn trace(moments: &f64) -> f64 {
        *moments
    }

    fn point_moments(mass: f64, r: Vector2<f64>) -> f64 {
        mass * r.norm_squared()
    }

    fn tensor(inertia: &Inertia<Self>) -> Tensor {
        // The columns of p = m v + ω × m c and h = I ω + m c × v.
        Tensor {
            linear: Matrix2::from_diagonal_element(inertia.mass),
            coupling: Self::spin(1.0, inertia.first),
            angular: inertia.moments,
        }
    }

    fn add_tensor(tensor: &mut Tensor, other: &Tensor) {
        tensor.linear += other.linear;
        tensor.coupling += other.coupling;
        tensor.angular += other.angular;
    }

    fn apply_tensor(tensor: &Tensor, motion: &Spatial<Self>) -> Spatial<Self> {
        Spatial {
            linear: tensor.linear * motion.linear + tensor.coupling * motion.angular,
            angular: tensor.coupling.dot(&motion.linear) + tensor.angular * motion.angular,
        }
    }

    fn subtract_square(tensor: &mut Tensor, u: &Spatial<Self>, scale: f64) {
        let scaled = u.linear * scale;
        tensor.linear -= scaled * u.linear.transpose();
        tensor.coupling -= scaled * u.angular;
        tensor.angular -= scale * u.angular * u.angular;
    }
}
