//! Collision shapes of robots as colliders.

use percussion_collision::{Collider, Shape};
use percussion_dynamics::{Dimension, System};

use super::mesh;
use crate::urdf::{self, Collision};

/// The collider of a collision shape of a robot, or why there is none. In the plane boxes become rectangles, and spheres
/// and cylinders discs.
///
/// # Errors
///
/// What is wrong with the shape, in words.
pub fn collider(system: &dyn System, collision: &Collision) -> Result<Collider, String> {
    let shape = match (&collision.shape, system.dimension()) {
        (urdf::Shape::Sphere { radius }, Dimension::Plane) => Shape::Disc { radius: *radius },
        (urdf::Shape::Box { size }, Dimension::Plane) => {
            Shape::Rectangle { half_extents: 0.5 * size.xy() }
        }
        (urdf::Shape::Cylinder { radius, .. }, Dimension::Plane) => Shape::Disc { radius: *radius },
        (urdf::Shape::Sphere { radius }, Dimension::Space) => Shape::Sphere { radius: *radius },
        (urdf::Shape::Box { size }, Dimension::Space) => Shape::Box { half_extents: 0.5 * size },
        (urdf::Shape::Cylinder { radius, length }, Dimension::Space) => {
            Shape::Cylinder { half_height: 0.5 * length, radius: *radius }
        }
        (urdf::Shape::Capsule { radius, length }, Dimension::Space) => {
            Shape::Capsule { half_length: 0.5 * length, radius: *radius }
        }
        (urdf::Shape::Mesh { path, scale }, Dimension::Space) => mesh::hull(path, scale)?,
        _ => return Err("it does not exist in the plane".to_owned()),
    };
    let collider = Collider::on_body(collision.body, shape)
        .and_then(|collider| collider.with_pose(collision.placement));
    let checked = collider.and_then(|collider| collider.check(system).map(|()| collider));
    checked.map_err(|error| error.to_string())
}
