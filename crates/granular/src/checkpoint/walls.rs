//! Walls as bytes.

use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};
use percussion_collision::Shape;

use super::bytes::{Reader, Writer};
use crate::{
    Surface, Wall,
    wall::{Frustum, Triangle},
};

/// Added to the kind of a wall that is absent.
const ABSENT: u8 = 128;

/// Files from before solid shapes other than boxes have the kinds 0 to 3.
pub(super) fn put(bytes: &mut Writer, wall: &Wall) {
    let kind = |kind: u8| [kind + if wall.absent { ABSENT } else { 0 }];
    match &wall.surface {
        Surface::Plane { point, normal } => {
            bytes.put(kind(0));
            bytes.vector(point);
            bytes.vector(normal);
        }
        Surface::Solid { shape: Shape::Box { half_extents }, pose } => {
            bytes.put(kind(1));
            place(bytes, pose);
            bytes.vector(half_extents);
        }
        Surface::Cylinder { point, axis, radius } => {
            bytes.put(kind(2));
            around(bytes, point, axis, *radius);
        }
        Surface::Tube { point, axis, radius } => {
            bytes.put(kind(3));
            around(bytes, point, axis, *radius);
        }
        Surface::Solid { shape, pose } => {
            bytes.put(kind(4));
            place(bytes, pose);
            put_shape(bytes, shape);
        }
        Surface::Frustum(Frustum { base, axis, height, radii }) => {
            bytes.put(kind(5));
            bytes.vector(base);
            bytes.vector(axis);
            bytes.numbers(&[*height, radii[0], radii[1]]);
        }
        Surface::Triangle(Triangle { corners, beside, around }) => {
            bytes.put(kind(6));
            corners.iter().for_each(|corner| bytes.vector(corner));
            for (directions, owned) in beside.iter().chain(around) {
                bytes.list(directions, Writer::vector);
                bytes.put([u8::from(*owned)]);
            }
        }
    }
    bytes.vector(&wall.velocity);
    bytes.vector(&wall.angular_velocity);
    bytes.vector(&wall.center);
    bytes.number(wall.friction);
}

fn place(bytes: &mut Writer, pose: &Isometry3<f64>) {
    bytes.vector(&pose.translation.vector);
    bytes.numbers(&pose.rotation.coords.into());
}

fn around(bytes: &mut Writer, point: &Vector3<f64>, axis: &Vector3<f64>, radius: f64) {
    bytes.vector(point);
    bytes.vector(axis);
    bytes.number(radius);
}

/// Writes a three-dimensional shape. A world has no walls of other shapes; an unknown shape is written as
/// none, which is refused when it is read.
fn put_shape(bytes: &mut Writer, shape: &Shape) {
    match shape {
        Shape::Sphere { radius } => {
            bytes.put([0]);
            bytes.number(*radius);
        }
        Shape::HalfSpace { normal } => {
            bytes.put([1]);
            bytes.vector(normal);
        }
        Shape::Capsule { half_length, radius } => {
            bytes.put([2]);
            bytes.numbers(&[*half_length, *radius]);
        }
        Shape::Cylinder { half_height, radius } => {
            bytes.put([3]);
            bytes.numbers(&[*half_height, *radius]);
        }
        Shape::Rod { length, radius } => {
            bytes.put([4]);
            bytes.numbers(&[*length, *radius]);
        }
        Shape::Hull(hull) => {
            bytes.put([5]);
            bytes.list(hull.vertices(), Writer::vector);
        }
        _ => bytes.put([u8::MAX]),
    }
}

/// Unit vectors and rotations keep their bits, because normalizing them again could change the last bit.
pub(super) fn take(bytes: &mut Reader<'_>) -> Option<Wall> {
    let unit = |bytes: &mut Reader<'_>| bytes.vector().map(Unit::new_unchecked);
    let kind = bytes.byte()?;
    let surface = match kind % ABSENT {
        0 => Surface::Plane { point: bytes.vector()?, normal: unit(bytes)? },
        1 => {
            let pose = take_place(bytes)?;
            Surface::Solid { shape: Shape::Box { half_extents: bytes.vector()? }, pose }
        }
        2 => Surface::Cylinder {
            point: bytes.vector()?,
            axis: unit(bytes)?,
            radius: bytes.number()?,
        },
        3 => Surface::Tube { point: bytes.vector()?, axis: unit(bytes)?, radius: bytes.number()? },
        4 => {
            let pose = take_place(bytes)?;
            Surface::Solid { shape: take_shape(bytes)?, pose }
        }
        5 => {
            let (base, axis) = (bytes.vector()?, unit(bytes)?);
            let [height, base_radius, other_radius] = bytes.numbers()?;
            Surface::Frustum(Frustum { base, axis, height, radii: [base_radius, other_radius] })
        }
        6 => {
            let corners = [bytes.vector()?, bytes.vector()?, bytes.vector()?];
            let rim =
                |bytes: &mut Reader<'_>| Some((bytes.list(24, Reader::vector)?, bytes.flag()?));
            let mut three = || Some([rim(bytes)?, rim(bytes)?, rim(bytes)?]);
            Surface::Triangle(Triangle { corners, beside: three()?, around: three()? })
        }
        _ => return None,
    };
    Some(Wall {
        surface,
        velocity: bytes.vector()?,
        angular_velocity: bytes.vector()?,
        center: bytes.vector()?,
        friction: bytes.number()?,
        absent: kind >= ABSENT,
        material: 0,
    })
}

fn take_place(bytes: &mut Reader<'_>) -> Option<Isometry3<f64>> {
    let translation = Translation3::from(bytes.vector()?);
    let [i, j, k, w] = bytes.numbers()?;
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
    Some(Isometry3::from_parts(translation, rotation))
}

/// Faces and edges of a hull follow from its vertices.
fn take_shape(bytes: &mut Reader<'_>) -> Option<Shape> {
    Some(match bytes.byte()? {
        0 => Shape::Sphere { radius: bytes.number()? },
        1 => Shape::HalfSpace { normal: bytes.vector()? },
        2 => {
            let [half_length, radius] = bytes.numbers()?;
            Shape::Capsule { half_length, radius }
        }
        3 => {
            let [half_height, radius] = bytes.numbers()?;
            Shape::Cylinder { half_height, radius }
        }
        4 => {
            let [length, radius] = bytes.numbers()?;
            Shape::Rod { length, radius }
        }
        5 => Shape::hull(&bytes.list(24, Reader::vector)?).ok()?,
        _ => return None,
    })
}
