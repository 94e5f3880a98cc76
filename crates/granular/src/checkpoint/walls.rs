//! Walls as bytes.

use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};

use super::bytes::{Reader, Writer};
use crate::{Shape, Wall};

pub(super) fn put(bytes: &mut Writer, wall: &Wall) {
    match &wall.shape {
        Shape::Plane { point, normal } => {
            bytes.put([0]);
            bytes.vector(point);
            bytes.vector(normal);
        }
        Shape::Box { pose, half_extents } => {
            bytes.put([1]);
            bytes.vector(&pose.translation.vector);
            bytes.numbers(&pose.rotation.coords.into());
            bytes.vector(half_extents);
        }
        Shape::Cylinder { point, axis, radius } => {
            bytes.put([2]);
            around(bytes, point, axis, *radius);
        }
        Shape::Tube { point, axis, radius } => {
            bytes.put([3]);
            around(bytes, point, axis, *radius);
        }
    }
    bytes.vector(&wall.velocity);
    bytes.vector(&wall.angular_velocity);
    bytes.vector(&wall.center);
    bytes.number(wall.friction);
}

fn around(bytes: &mut Writer, point: &Vector3<f64>, axis: &Vector3<f64>, radius: f64) {
    bytes.vector(point);
    bytes.vector(axis);
    bytes.number(radius);
}

/// Unit vectors and rotations keep their bits: normalizing them again could change the last one.
pub(super) fn take(bytes: &mut Reader<'_>) -> Option<Wall> {
    let unit = |bytes: &mut Reader<'_>| bytes.vector().map(Unit::new_unchecked);
    let shape = match bytes.byte()? {
        0 => Shape::Plane { point: bytes.vector()?, normal: unit(bytes)? },
        1 => {
            let translation = Translation3::from(bytes.vector()?);
            let [i, j, k, w] = bytes.numbers()?;
            let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
            let pose = Isometry3::from_parts(translation, rotation);
            Shape::Box { pose, half_extents: bytes.vector()? }
        }
        2 => {
            Shape::Cylinder { point: bytes.vector()?, axis: unit(bytes)?, radius: bytes.number()? }
        }
        3 => Shape::Tube { point: bytes.vector()?, axis: unit(bytes)?, radius: bytes.number()? },
        _ => return None,
    };
    Some(Wall {
        shape,
        velocity: bytes.vector()?,
        angular_velocity: bytes.vector()?,
        center: bytes.vector()?,
        friction: bytes.number()?,
    })
}
