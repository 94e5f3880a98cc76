//! Shapes with a position, as in files: [`BodyShape`], [`Fixed`].

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, Shape};
use percussion_dynamics::Dimension;
use serde::{Deserialize, Serialize};

use super::{MeshFile, Orientation, Space, vectors};

/// A surface with its names.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    /// Name of the surface in names of contacts.
    pub(super) name: String,
    /// Name of the body or fixed object.
    pub(super) owner: String,
    pub(super) collider: Collider,
}

/// One of several surfaces of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyShape {
    /// Name, by default its number, counted from 0.
    pub name: Option<String>,
    /// The shape; one of `shape` and `mesh` is required.
    pub shape: Option<Shape>,
    /// A file whose convex hull is the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshFile>,
    /// Position of its frame in body axes from the center of mass (m); default zero.
    pub position: Option<Vec<f64>>,
    /// Orientation of its frame in the body, by default that of the body.
    pub orientation: Option<Orientation>,
    /// Coulomb coefficient of its surface, at least 0; default that of the scenario.
    pub friction: Option<f64>,
    /// Coefficient of restitution of its surface, from 0 to 1; default that of the scenario.
    pub restitution: Option<f64>,
}

/// A shape that never moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// Name, unique among all bodies, planes and fixed shapes.
    pub name: String,
    /// The shape; one of `shape` and `mesh` is required.
    pub shape: Option<Shape>,
    /// A file whose convex hull is the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshFile>,
    /// Position of its frame (m, world); default zero.
    pub position: Option<Vec<f64>>,
    /// Orientation, by default that of the world axes.
    pub orientation: Option<Orientation>,
    /// Coulomb coefficient of its surface, at least 0; default that of the scenario.
    pub friction: Option<f64>,
    /// Coefficient of restitution of its surface, from 0 to 1; default that of the scenario.
    pub restitution: Option<f64>,
}

/// Whether contacts of the shape are known before the motion: a sphere, a disc or a rod.
pub(super) const fn is_round(shape: &Shape) -> bool {
    matches!(shape, Shape::Sphere { .. } | Shape::Disc { .. } | Shape::Rod { .. })
}

/// The pose of a frame; missing parts are those of the identity.
pub(super) fn pose(
    position: Option<&Vec<f64>>,
    orientation: Option<Orientation>,
) -> Isometry3<f64> {
    let place = position.map_or_else(Vector3::zeros, |position| vectors::vector3(position));
    let turn = match orientation {
        Some(Orientation::Angle(angle)) => {
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle)
        }
        other => vectors::rotation(other),
    };
    Isometry3::from_parts(Translation3::from(place), turn)
}

impl From<Space> for Dimension {
    fn from(space: Space) -> Self {
        match space {
            Space::Plane => Self::Plane,
            Space::Space => Self::Space,
        }
    }
}
