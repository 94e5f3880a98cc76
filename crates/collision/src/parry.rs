//! Our vectors and those of parry (glam), which only `adapter` and `points` use.

use nalgebra::Vector3;
use parry3d_f64::math::Vector;

pub(crate) fn to_parry(vector: &Vector3<f64>) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

pub(crate) fn from_parry(vector: &Vector) -> Vector3<f64> {
    Vector3::new(vector.x, vector.y, vector.z)
}
