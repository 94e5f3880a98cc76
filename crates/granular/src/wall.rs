//! The walls of a world: [`Wall`], a [`Surface`] of infinite mass with a prescribed motion.

mod bounds;
pub(crate) mod near;
mod shell;

use nalgebra::{Isometry3, Unit, Vector3};
use percussion_collision::{Shape, ShapeError};
use percussion_dynamics::Dimension;

#[cfg(feature = "bodies")]
pub(crate) use self::shell::RimTouch;
pub use self::shell::{Frustum, Triangle};

use crate::{materials::Materials, range};

/// The surface of a wall, on one side of which the grains stay.
///
/// In addition to solid shapes there are an infinite cylinder and the exterior of one, which are not a
/// [`Shape`], and planes given by a point and a unit normal, whose gap is one product.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Surface {
    /// The half-space behind the plane through `point`; `normal` points to the grains.
    Plane {
        /// A point of the plane (m).
        point: Vector3<f64>,
        /// Towards the grains.
        normal: Unit<Vector3<f64>>,
    },
    /// A solid three-dimensional shape; a box may have any size from `1e-75` to `1e75` m.
    Solid {
        /// The shape, in its own frame.
        shape: Shape,
        /// The transformation from the frame of the shape to the world.
        pose: Isometry3<f64>,
    },
    /// An infinite solid cylinder.
    Cylinder {
        /// A point of the axis (m).
        point: Vector3<f64>,
        /// Direction of the axis.
        axis: Unit<Vector3<f64>>,
        /// Radius (m), positive.
        radius: f64,
    },
    /// The exterior of an infinite cylinder: a drum or a tube around the grains.
    Tube {
        /// A point of the axis (m).
        point: Vector3<f64>,
        /// Direction of the axis.
        axis: Unit<Vector3<f64>>,
        /// Radius (m), positive and larger than those of the grains.
        radius: f64,
    },
    /// A thin cone, pipe, ring or disc, with grains on either side.
    Frustum(Frustum),
    /// A thin triangle, with grains on either side.
    Triangle(Triangle),
}

/// A boundary of infinite mass.
///
/// It moves with `velocity`, and points of its surface with `velocity + ω × (x − center)`. The surface as a
/// whole is only translated: `angular_velocity` is for rotations that map the surface onto itself, such as
/// those of a drum about its axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// The surface at its current position.
    pub surface: Surface,
    /// Velocity (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity `ω` of the surface (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// A point of the axis of that rotation (m); moves with `velocity`.
    pub center: Vector3<f64>,
    /// Coefficient of friction against grains, ≥ 0, in a world without [`Materials`](crate::Materials).
    pub friction: f64,
    /// Number of its material in [`Materials`](crate::Materials), default 0; without any it has no meaning.
    pub material: u8,
    /// Whether grains pass through it, as if it were not there; it moves all the same.
    pub absent: bool,
}

impl Wall {
    /// A wall at rest.
    #[must_use]
    pub fn fixed(surface: Surface, friction: f64) -> Self {
        let zero = Vector3::zeros();
        let (velocity, angular_velocity, center) = (zero, zero, zero);
        Self { surface, velocity, angular_velocity, center, friction, material: 0, absent: false }
    }

    /// A plane at rest through `point`, with `normal` (of any length) towards the grains.
    #[must_use]
    pub fn plane(point: Vector3<f64>, normal: Vector3<f64>, friction: f64) -> Self {
        Self::fixed(Surface::Plane { point, normal: Unit::new_normalize(normal) }, friction)
    }

    /// A solid three-dimensional shape at rest; `pose` transforms from its frame to the world.
    ///
    /// # Example
    ///
    /// A ball of 0.1 m beside a post that is 0.2 m thick.
    ///
    /// ```
    /// use nalgebra::{Isometry3, Vector3};
    /// use percussion_collision::Shape;
    /// use percussion_granular::Wall;
    ///
    /// let post = Shape::Capsule { half_length: 1.0, radius: 0.1 };
    /// let wall = Wall::solid(post, Isometry3::translation(2.0, 0.0, 0.0), 0.3);
    /// let (gap, normal) = wall.gap(&Vector3::new(2.5, 0.0, 0.5), 0.1);
    /// assert!((gap - 0.3).abs() < 1e-15 && normal == Vector3::x());
    /// ```
    #[must_use]
    pub fn solid(shape: Shape, pose: Isometry3<f64>, friction: f64) -> Self {
        Self::fixed(Surface::Solid { shape, pose }, friction)
    }

    /// Returns the wall of this material.
    #[must_use]
    pub fn of_material(self, material: u8) -> Self {
        Self { material, ..self }
    }

    /// Returns the wall with the velocity `velocity` (m/s).
    #[must_use]
    pub fn moving(self, velocity: Vector3<f64>) -> Self {
        Self { velocity, ..self }
    }

    /// Returns the wall with a surface that rotates about the axis through `center` with `angular_velocity`
    /// (rad/s).
    #[must_use]
    pub fn turning(self, center: Vector3<f64>, angular_velocity: Vector3<f64>) -> Self {
        Self { center, angular_velocity, ..self }
    }

    /// Velocity of the surface at `point` (m/s).
    #[must_use]
    pub fn surface_velocity(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.angular_velocity.cross(&(point - self.center))
    }

    /// The gap between the wall and a ball (m, negative if they overlap) and the unit normal from the
    /// wall to the ball; infinite for a wall that is [absent](Self::absent).
    #[must_use]
    pub fn gap(&self, position: &Vector3<f64>, radius: f64) -> (f64, Vector3<f64>) {
        let (distance, normal) = self.surface.distance(position);
        (if self.absent { f64::INFINITY } else { distance - radius }, normal)
    }

    pub(crate) fn advance(&mut self, step: f64) {
        let shift = step * self.velocity;
        self.center += shift;
        self.surface.shift(&shift);
    }

    /// [`fault`](Self::fault), or a material that the table lacks.
    pub(crate) fn fault_among(&self, materials: &Materials) -> Option<Fault> {
        self.fault().or_else(|| materials.fault(self.material))
    }

    /// The first entry that is invalid: its name, value and what was expected.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let vectors = [
            ("velocity", self.velocity),
            ("angular_velocity", self.angular_velocity),
            ("center", self.center),
        ];
        for (name, vector) in vectors {
            if let Some(value) = range::unbounded(vector.as_slice()) {
                return Some((name, value, range::BOUNDED));
            }
        }
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return Some(("friction", self.friction, "a finite number ≥ 0"));
        }
        let (place, (direction, is_unit, norm), size) = match &self.surface {
            Surface::Plane { point, normal } => {
                (point, unit("norm of the normal", normal.as_slice()), None)
            }
            Surface::Cylinder { point, axis, radius } | Surface::Tube { point, axis, radius } => {
                (point, unit("norm of the axis", axis.as_slice()), unusable(&[*radius]))
            }
            Surface::Solid { shape, pose } => {
                let rotation = unit("norm of the rotation", pose.rotation.coords.as_slice());
                (&pose.translation.vector, rotation, misshapen(shape))
            }
            Surface::Frustum(frustum) => return frustum.fault(),
            Surface::Triangle(triangle) => return triangle.fault(),
        };
        if let Some(value) = range::unbounded(place.as_slice()) {
            return Some(("place", value, range::BOUNDED));
        }
        if !is_unit {
            return Some((direction, norm, "1"));
        }
        size
    }
}

/// An invalid entry: its name, value and what was expected.
type Fault = (&'static str, f64, &'static str);

/// The first of these sizes that is invalid.
fn unusable(sizes: &[f64]) -> Option<Fault> {
    let bad = sizes.iter().find(|size| !range::is_positive(**size));
    bad.map(|value| ("size of the shape", *value, range::POSITIVE))
}

/// The fault of a solid shape, if there is one.
fn misshapen(shape: &Shape) -> Option<Fault> {
    if let Shape::Box { half_extents } = shape {
        return unusable(half_extents.as_slice());
    }
    if !shape.fits(Dimension::Space) {
        return Some(("dimension of the shape", 2.0, "3, a shape of space"));
    }
    match shape.check().err()? {
        ShapeError::Length { field, value, .. } => Some((field, value, "1e-12 to 1e12 m")),
        ShapeError::Normal { normal } => {
            Some(("norm of the normal", normal.norm(), "a positive finite number"))
        }
        // Hulls were checked when they were made.
        _ => Some(("size of the shape", f64::NAN, "a shape that passes its own check")),
    }
}

/// The name of the norm of a direction, whether it is 1, and the norm.
fn unit(name: &'static str, direction: &[f64]) -> (&'static str, bool, f64) {
    let norm = direction.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    (name, range::is_unit(direction), norm)
}

#[cfg(feature = "bodies")]
impl Surface {
    /// A point that moves with the surface (m).
    pub(crate) fn reference(&self) -> Vector3<f64> {
        match self {
            Self::Plane { point, .. } | Self::Cylinder { point, .. } | Self::Tube { point, .. } => {
                *point
            }
            Self::Solid { pose, .. } => pose.translation.vector,
            Self::Frustum(frustum) => frustum.base,
            Self::Triangle(triangle) => triangle.corners[0],
        }
    }

    /// Signed distance of a point (m), also where another triangle of the mesh touches instead.
    pub(crate) fn clearance(&self, at: &Vector3<f64>) -> f64 {
        match self {
            Self::Triangle(triangle) => triangle.clearance(at),
            _ => self.distance(at).0,
        }
    }
}

impl Surface {
    /// Signed distance of a point (m, negative behind the surface) and the direction in which it grows.
    fn distance(&self, at: &Vector3<f64>) -> (f64, Vector3<f64>) {
        match self {
            Self::Plane { point, normal } => (normal.dot(&(at - point)), **normal),
            Self::Cylinder { point, axis, radius } => {
                let (away, distance) = from_axis(at, point, axis);
                (distance - radius, away)
            }
            Self::Tube { point, axis, radius } => {
                let (away, distance) = from_axis(at, point, axis);
                (radius - distance, -away)
            }
            Self::Solid { shape, pose } => {
                let local = pose.inverse_transform_vector(&(at - pose.translation.vector));
                let (distance, normal) = shape.distance(&local);
                (distance, pose * normal)
            }
            Self::Frustum(frustum) => frustum.distance(at),
            Self::Triangle(triangle) => triangle.distance(at),
        }
    }
}

/// The direction from an axis to a point, and the distance. On the axis any direction across it is valid.
fn from_axis(at: &Vector3<f64>, point: &Vector3<f64>, axis: &Vector3<f64>) -> (Vector3<f64>, f64) {
    let from = at - point;
    let across = from - from.dot(axis) * axis;
    let distance = across.norm();
    if distance > 0.0 {
        return (across / distance, distance);
    }
    let mut aside = Vector3::zeros();
    aside[axis.iamin()] = 1.0;
    (axis.cross(&aside).normalize(), 0.0)
}
