//! Shapes of bodies as files have them: [`Shape`], and shapes with a place: [`BodyShape`], [`Fixed`].

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector2, Vector3};
use percussion_collision as collision;
use percussion_dynamics::Dimension;
use serde::{Deserialize, Serialize};

use super::{Orientation, Space, vectors};

/// A surface with its names.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    /// In names of contacts.
    pub(super) name: String,
    /// Of the body or what is fixed.
    pub(super) owner: String,
    pub(super) collider: collision::Collider,
}

/// The surface of a body, about its center of mass; of a shape with a position and an orientation, about that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shape {
    /// A ball, in space.
    Sphere(Round),
    /// A disc, in the plane.
    Disc(Round),
    /// A rod along the body's `x` axis with round ends.
    Rod(Rod),
    /// A box along the body's axes, in space.
    Box(BoxShape),
    /// A capsule along the body's `z` axis, in space: a rod that stands.
    Capsule(Capsule),
    /// A cylinder along the body's `z` axis, in space.
    Cylinder(Cylinder),
    /// The convex hull of points, in space.
    Hull(HullShape),
    /// A rectangle along the body's axes, in the plane.
    Rectangle(Rectangle),
}

/// Size of a ball or a disc.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Radius (m), positive.
    pub radius: f64,
}

/// Size of a rod.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rod {
    /// Distance between the centers of the round ends (m), positive.
    pub length: f64,
    /// Radius of the ends and half thickness (m), positive.
    pub radius: f64,
}

/// Size of a box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Half of its edges along `x`, `y`, `z` (m), positive.
    pub half_extents: [f64; 3],
}

/// Size of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rectangle {
    /// Half of its edges along `x` and `y` (m), positive.
    pub half_extents: [f64; 2],
}

/// Size of a capsule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Half of the distance between the centers of the round ends (m), positive.
    pub half_length: f64,
    /// Radius of the ends and half thickness (m), positive.
    pub radius: f64,
}

/// Size of a cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Half of its height (m), positive.
    pub half_height: f64,
    /// Radius (m), positive.
    pub radius: f64,
}

/// Points of a hull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HullShape {
    /// Points (m), at least 4 that span a volume; those inside of the hull of the others are left out.
    pub points: Vec<[f64; 3]>,
}

/// One of several surfaces of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyShape {
    /// Name, by default its number counted from 0.
    pub name: Option<String>,
    /// The shape.
    pub shape: Shape,
    /// Position of its frame in body axes from the center of mass (m); default zero.
    pub position: Option<Vec<f64>>,
    /// Orientation of its frame in the body, by default that of the body.
    pub orientation: Option<Orientation>,
    /// Coulomb coefficient of its surface, at least 0; default the scenario's.
    pub friction: Option<f64>,
    /// Coefficient of restitution of its surface, from 0 to 1; default the scenario's.
    pub restitution: Option<f64>,
}

/// A shape that never moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// Name, unique among all.
    pub name: String,
    /// The shape.
    pub shape: Shape,
    /// Position of its frame (m, world); default zero.
    pub position: Option<Vec<f64>>,
    /// Orientation, by default that of the world axes.
    pub orientation: Option<Orientation>,
    /// Coulomb coefficient of its surface, at least 0; default the scenario's.
    pub friction: Option<f64>,
    /// Coefficient of restitution of its surface, from 0 to 1; default the scenario's.
    pub restitution: Option<f64>,
}

impl Shape {
    /// Whether gaps of it are named before the motion: a sphere, a disc or a rod.
    pub(super) const fn is_round(&self) -> bool {
        matches!(self, Self::Sphere(_) | Self::Disc(_) | Self::Rod(_))
    }

    /// The same shape for the search of contacts.
    ///
    /// # Errors
    ///
    /// [`collision::shape::Error`].
    pub(super) fn collision(&self) -> Result<collision::Shape, collision::shape::Error> {
        let shape = match self {
            Self::Sphere(Round { radius }) => collision::Shape::Sphere { radius: *radius },
            Self::Disc(Round { radius }) => collision::Shape::Disc { radius: *radius },
            Self::Rod(Rod { length, radius }) => {
                collision::Shape::Rod { length: *length, radius: *radius }
            }
            Self::Box(BoxShape { half_extents }) => {
                collision::Shape::Box { half_extents: Vector3::from(*half_extents) }
            }
            Self::Capsule(Capsule { half_length, radius }) => {
                collision::Shape::Capsule { half_length: *half_length, radius: *radius }
            }
            Self::Cylinder(Cylinder { half_height, radius }) => {
                collision::Shape::Cylinder { half_height: *half_height, radius: *radius }
            }
            Self::Hull(HullShape { points }) => {
                let points: Vec<_> = points.iter().map(|point| Vector3::from(*point)).collect();
                collision::Shape::hull(&points)?
            }
            Self::Rectangle(Rectangle { half_extents }) => {
                collision::Shape::Rectangle { half_extents: Vector2::from(*half_extents) }
            }
        };
        shape.check()?;
        Ok(shape)
    }
}

/// The pose of a frame; none of its parts given is the identity.
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
