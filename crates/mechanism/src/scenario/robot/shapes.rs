//! Collision shapes of robots as colliders.

use percussion_collision::{Collider, Shape};
use percussion_dynamics::{Dimension, System};

use crate::{
    mesh,
    urdf::{Collision, Geometry},
};

/// The collider of a collision shape of a robot, or a message why there is none. In the plane boxes become
/// rectangles, and spheres and cylinders become discs.
///
/// # Errors
///
/// A description of the problem with the shape.
pub(crate) fn collider(system: &dyn System, collision: &Collision) -> Result<Collider, String> {
    let shape = match (&collision.geometry, system.dimension()) {
        (Geometry::Shape(shape), Dimension::Space) => shape.clone(),
        (Geometry::Shape(shape), Dimension::Plane) => section(shape).ok_or(NOT_IN_THE_PLANE)?,
        (Geometry::Mesh { path, scale }, Dimension::Space) => mesh::hull(path, scale)?,
        (Geometry::Missing { reason }, _) => return Err(reason.clone()),
        (Geometry::Mesh { .. }, Dimension::Plane) => return Err(NOT_IN_THE_PLANE.to_owned()),
    };
    let collider = Collider::on_body(collision.body, shape)
        .and_then(|collider| collider.with_pose(collision.placement));
    let checked = collider.and_then(|collider| collider.check(system).map(|()| collider));
    checked.map_err(|error| error.to_string())
}

const NOT_IN_THE_PLANE: &str = "it does not exist in the plane";

/// The cross section of a shape in the plane through its center, perpendicular to its axis.
fn section(shape: &Shape) -> Option<Shape> {
    match shape {
        Shape::Sphere { radius } | Shape::Cylinder { radius, .. } => {
            Some(Shape::Disc { radius: *radius })
        }
        Shape::Box { half_extents } => Some(Shape::Rectangle { half_extents: half_extents.xy() }),
        _ => None,
    }
}
