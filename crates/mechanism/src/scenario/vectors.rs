//! Vectors and orientations of files, converted to those of space.

use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

use super::Orientation;

/// The rotation from body to world axes, in space.
pub(super) fn rotation(orientation: Option<Orientation>) -> UnitQuaternion<f64> {
    match orientation {
        Some(Orientation::AxisAngle { axis, angle }) => {
            UnitQuaternion::from_axis_angle(&Unit::new_unchecked(unit(axis)), angle)
        }
        Some(Orientation::Quaternion { quaternion: [w, x, y, z] }) => {
            UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
        }
        _ => UnitQuaternion::identity(),
    }
}

/// The direction of a nonzero vector, which is scaled first so that no square overflows or underflows.
pub(super) fn unit(vector: [f64; 3]) -> Vector3<f64> {
    let vector = Vector3::from(vector);
    (vector / vector.amax()).normalize()
}

/// Converts a vector of the plane or of space to one of space.
pub(super) fn vector3(vector: &[f64]) -> Vector3<f64> {
    Vector3::new(vector[0], vector[1], vector.get(2).copied().unwrap_or_default())
}
