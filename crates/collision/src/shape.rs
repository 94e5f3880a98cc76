//! Shapes of bodies, each described in its own frame: [`Shape`].

use std::{borrow::Cow, sync::Arc};

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::Dimension;

use crate::{
    hull::{Hull, HullError},
    lengths::{LARGEST, SMALLEST, unit},
};

/// The reason why a shape is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is zero, negative, NaN or out of range.
    #[error("{field} of a {shape} is {value:?}, expected a number between 1e-12 and 1e12 (m)")]
    Length {
        /// [Name](Shape::name) of the shape.
        shape: &'static str,
        /// Name of the length, as `radius` or `half_extents[1]`.
        field: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// The normal of a half-space is zero or not finite.
    #[error("normal of a half-space is ({:?}, {:?}, {:?}), expected a finite direction", .normal.x, .normal.y, .normal.z)]
    Normal {
        /// Normal given.
        normal: Vector3<f64>,
    },
    /// Points do not span a convex hull.
    #[error(transparent)]
    Hull(#[from] HullError),
}

/// A convex shape in its own frame; lengths in meters.
///
/// The fields are public. A [`Collider`](crate::Collider) checks them when it is created.
///
/// In files, with the feature `serde`, a shape is its [name](Self::name) with its fields, such as
/// `{"box": {"half_extents": [0.1, 0.2, 0.3]}}`. A hull is its points, `{"hull": {"points": [[0, 0, 0], …]}}`.
///
/// | shape | in |
/// | --- | --- |
/// | `half-space` | space and plane |
/// | `rod` with round ends | space and plane |
/// | `sphere`, `box`, `capsule`, `cylinder`, `hull` (convex) | space |
/// | `disc`, `rectangle` | plane |
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Shape {
    /// All points within `radius` of the origin. Space only.
    Sphere {
        /// Radius (m), positive.
        radius: f64,
    },
    /// All points behind the plane through the origin with this outward normal. Space and plane.
    HalfSpace {
        /// Outward normal, of any length but zero; in the plane with `z = 0`.
        #[cfg_attr(feature = "serde", serde(with = "crate::files::vector"))]
        normal: Vector3<f64>,
    },
    /// A box centered at the origin with edges along the axes. Space only.
    Box {
        /// Half of its edges along `x`, `y`, `z` (m), positive.
        #[cfg_attr(feature = "serde", serde(with = "crate::files::vector"))]
        half_extents: Vector3<f64>,
    },
    /// All points within `radius` of the segment from `−half_length` to `half_length` on `z`.
    /// Space only.
    Capsule {
        /// Half of the segment (m), positive.
        half_length: f64,
        /// Radius (m), positive.
        radius: f64,
    },
    /// A solid cylinder about `z`. Space only.
    Cylinder {
        /// Half of its height (m), positive.
        half_height: f64,
        /// Radius (m), positive.
        radius: f64,
    },
    /// The convex hull of points. Space only.
    Hull(#[cfg_attr(feature = "serde", serde(with = "crate::files::hull"))] Arc<Hull>),
    /// A rod with round ends along `x`: all points within `radius` of the segment of this `length` about the origin,
    /// with the total length `length + 2 radius`. Space and plane.
    Rod {
        /// Distance of the centers of its ends (m), positive.
        length: f64,
        /// Radius of the ends and of the rod (m), positive.
        radius: f64,
    },
    /// A disc about the origin. Plane only.
    Disc {
        /// Radius (m), positive.
        radius: f64,
    },
    /// A rectangle, the box of the plane. Plane only.
    Rectangle {
        /// Half of its edges along `x` and `y` (m), positive.
        #[cfg_attr(feature = "serde", serde(with = "crate::files::vector"))]
        half_extents: Vector2<f64>,
    },
}

impl Shape {
    /// The names of all shapes, in the order used in lists.
    pub const NAMES: [&str; 9] =
        ["sphere", "half-space", "box", "capsule", "cylinder", "hull", "rod", "disc", "rectangle"];

    /// The convex hull of `points` (m). Needs the feature `hulls`.
    ///
    /// # Errors
    ///
    /// [`HullError`].
    ///
    /// # Example
    ///
    /// A tetrahedron has 4 vertices and 4 faces; the point inside is left out.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_collision::Shape;
    ///
    /// let [o, x, y, z] = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    /// let Shape::Hull(hull) = Shape::hull(&[o, x, y, z, Vector3::repeat(0.1)])? else { panic!() };
    /// assert_eq!((hull.vertices().len(), hull.faces().len()), (4, 4));
    /// # Ok::<(), percussion_collision::HullError>(())
    /// ```
    #[cfg(feature = "hulls")]
    pub fn hull(points: &[Vector3<f64>]) -> Result<Self, HullError> {
        Ok(Self::Hull(Arc::new(Hull::new(points)?)))
    }

    /// Checks that lengths are positive and neither NaN nor out of range.
    ///
    /// # Errors
    ///
    /// See [`ShapeError`].
    pub fn check(&self) -> Result<(), ShapeError> {
        let length = |field: &'static str, value: f64| {
            let usable = (SMALLEST..=LARGEST).contains(&value);
            if usable {
                Ok(())
            } else {
                Err(ShapeError::Length { shape: self.name(), field, value })
            }
        };
        match self {
            Self::Sphere { radius } | Self::Disc { radius } => length("radius", *radius),
            Self::HalfSpace { normal } => match unit(normal) {
                Some(_) => Ok(()),
                None => Err(ShapeError::Normal { normal: *normal }),
            },
            Self::Box { half_extents } => {
                HALF_EXTENTS.iter().zip(half_extents).try_for_each(|(name, h)| length(name, *h))
            }
            Self::Rectangle { half_extents } => {
                HALF_EXTENTS.iter().zip(half_extents).try_for_each(|(name, h)| length(name, *h))
            }
            Self::Capsule { half_length, radius } => {
                length("half_length", *half_length)?;
                length("radius", *radius)
            }
            Self::Cylinder { half_height, radius } => {
                length("half_height", *half_height)?;
                length("radius", *radius)
            }
            Self::Rod { length: of_rod, radius } => {
                length("length", *of_rod)?;
                length("radius", *radius)
            }
            Self::Hull(_) => Ok(()),
        }
    }

    /// Whether the shape exists in this dimension.
    #[must_use]
    pub fn fits(&self, dimension: Dimension) -> bool {
        match self {
            Self::HalfSpace { normal } => dimension == Dimension::Space || normal.z == 0.0,
            Self::Rod { .. } => true,
            Self::Disc { .. } | Self::Rectangle { .. } => dimension == Dimension::Plane,
            _ => dimension == Dimension::Space,
        }
    }

    /// The shape as a polyhedron, if it has flat faces in space.
    #[must_use]
    pub fn polyhedron(&self) -> Option<Cow<'_, Hull>> {
        match self {
            Self::Box { half_extents } => Some(Cow::Owned(Hull::cuboid(half_extents))),
            Self::Hull(hull) => Some(Cow::Borrowed(hull)),
            _ => None,
        }
    }

    /// Its name in messages and files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::HalfSpace { .. } => "half-space",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Hull(_) => "hull",
            Self::Rod { .. } => "rod",
            Self::Disc { .. } => "disc",
            Self::Rectangle { .. } => "rectangle",
        }
    }
}

/// Names of the half extents of a box; a rectangle has the first two.
const HALF_EXTENTS: [&str; 3] = ["half_extents[0]", "half_extents[1]", "half_extents[2]"];

#[cfg(test)]
#[cfg(feature = "hulls")]
mod tests {
    use super::*;

    /// One shape of each kind.
    fn all() -> [Shape; 9] {
        let [o, x, y, z] = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
        [
            Shape::Sphere { radius: 0.1 },
            Shape::HalfSpace { normal: Vector3::new(0.0, 0.0, 2.0) },
            Shape::Box { half_extents: Vector3::new(0.1, 0.2, 0.3) },
            Shape::Capsule { half_length: 0.2, radius: 0.1 },
            Shape::Cylinder { half_height: 0.2, radius: 0.1 },
            Shape::hull(&[o, x, y, z]).unwrap(),
            Shape::Rod { length: 0.4, radius: 0.1 },
            Shape::Disc { radius: 0.1 },
            Shape::Rectangle { half_extents: Vector2::new(0.1, 0.2) },
        ]
    }

    #[test]
    fn names_are_those_of_the_list() {
        assert_eq!(all().map(|shape| shape.name()), Shape::NAMES);
    }

    #[test]
    #[cfg(feature = "serde")]
    fn files_have_the_names_and_give_the_shape_back() {
        for shape in all() {
            let text = serde_json::to_string(&shape).unwrap();
            assert!(text.starts_with(&format!("{{\"{}\":{{", shape.name())), "{text}");
            assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), shape);
        }
    }
}
