//! [`Space`]: vectors of three entries and rotation matrices.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::{Geometry, Inertia, Spatial};
use crate::system::Dimension;

/// Motion in space.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Space;

/// A symmetric 6 × 6 map in blocks.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Tensor {
    linear: Matrix3<f64>,
    /// From angular motions to linear forces; its transpose leads back.
    coupling: Matrix3<f64>,
    angular: Matrix3<f64>,
}

impl Geometry for Space {
    const DIMENSION: Dimension = Dimension::Space;

    type Linear = Vector3<f64>;
    type Angular = Vector3<f64>;
    type Rotation = Matrix3<f64>;
    type Moments = Matrix3<f64>;
    type Tensor = Tensor;

    fn linear(vector: &Vector3<f64>) -> Vector3<f64> {
        *vector
    }

    fn linear_to_vector(linear: Vector3<f64>) -> Vector3<f64> {
        linear
    }

    fn angular(vector: &Vector3<f64>) -> Vector3<f64> {
        *vector
    }

    fn angular_to_vector(angular: Vector3<f64>) -> Vector3<f64> {
        angular
    }

    fn moments(tensor: &Matrix3<f64>) -> Matrix3<f64> {
        *tensor
    }

    fn rotation(quaternion: &UnitQuaternion<f64>) -> Matrix3<f64> {
        quaternion.to_rotation_matrix().into_inner()
    }

    fn quaternion(rotation: &Matrix3<f64>) -> UnitQuaternion<f64> {
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation))
    }

    fn compose(a: &Matrix3<f64>, b: &Matrix3<f64>) -> Matrix3<f64> {
        a * b
    }

    fn turned(rotation: &Matrix3<f64>, axis: Vector3<f64>, angle: f64) -> Matrix3<f64> {
        let (sine, cosine) = angle.sin_cos();
        // About an axis of the frame two of its axes turn in their plane.
        let others = |k: usize| [(k + 1) % 3, (k + 2) % 3];
        let is_along = |k: &usize| axis[*k] > 0.0 && others(*k).iter().all(|j| axis[*j] == 0.0);
        if let Some(k) = (0..3).find(is_along) {
            let [a, b] = others(k);
            let (from, to) = (rotation.column(a), rotation.column(b));
            let mut turned = *rotation;
            turned.set_column(a, &(from * cosine + to * sine));
            turned.set_column(b, &(to * cosine - from * sine));
            return turned;
        }
        // Rodrigues' formula.
        let (x, y, z) = (axis.x, axis.y, axis.z);
        let along = axis * (1.0 - cosine);
        let turn = Matrix3::new(
            along.x * x + cosine,
            along.x * y - sine * z,
            along.x * z + sine * y,
            along.x * y + sine * z,
            along.y * y + cosine,
            along.y * z - sine * x,
            along.x * z - sine * y,
            along.y * z + sine * x,
            along.z * z + cosine,
        );
        rotation * turn
    }

    fn rotate(rotation: &Matrix3<f64>, r: Vector3<f64>) -> Vector3<f64> {
        rotation * r
    }

    fn rotate_angular(rotation: &Matrix3<f64>, angular: Vector3<f64>) -> Vector3<f64> {
        rotation * angular
    }

    fn rotate_moments(rotation: &Matrix3<f64>, moments: Matrix3<f64>) -> Matrix3<f64> {
        rotation * moments * rotation.transpose()
    }

    fn dot(a: Vector3<f64>, b: Vector3<f64>) -> f64 {
        a.dot(&b)
    }

    fn dot_angular(a: Vector3<f64>, b: Vector3<f64>) -> f64 {
        a.dot(&b)
    }

    fn spin(omega: Vector3<f64>, r: Vector3<f64>) -> Vector3<f64> {
        omega.cross(&r)
    }

    fn moment(r: Vector3<f64>, f: Vector3<f64>) -> Vector3<f64> {
        r.cross(&f)
    }

    fn twirl(omega: Vector3<f64>, n: Vector3<f64>) -> Vector3<f64> {
        omega.cross(&n)
    }

    fn apply(moments: &Matrix3<f64>, omega: Vector3<f64>) -> Vector3<f64> {
        moments * omega
    }

    fn trace(moments: &Matrix3<f64>) -> f64 {
        moments.trace()
    }

    fn point_moments(mass: f64, r: Vector3<f64>) -> Matrix3<f64> {
        let scaled = r * mass;
        Matrix3::from_diagonal_element(scaled.dot(&r)) - scaled * r.transpose()
    }

    fn tensor(inertia: &Inertia<Self>) -> Tensor {
        // The columns of p = m v + ω × m c and h = I ω + m c × v.
        Tensor {
            linear: Matrix3::from_diagonal_element(inertia.mass),
            coupling: -inertia.first.cross_matrix(),
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
            angular: tensor.coupling.tr_mul(&motion.linear) + tensor.angular * motion.angular,
        }
    }

    fn subtract_square(tensor: &mut Tensor, u: &Spatial<Self>, scale: f64) {
        let scaled = *u * scale;
        tensor.linear -= scaled.linear * u.linear.transpose();
        tensor.coupling -= scaled.linear * u.angular.transpose();
        tensor.angular -= scaled.angular * u.angular.transpose();
    }
}
