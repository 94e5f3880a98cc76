//! What grains run against: [`Wall`], a [`Shape`] of infinite mass with a prescribed motion.

use nalgebra::{Isometry3, Unit, Vector3};

use crate::range;

/// The side of a wall that grains are kept out of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// The half-space behind the plane through `point`; `normal` points to the grains.
    Plane {
        /// A point of the plane (m).
        point: Vector3<f64>,
        /// Toward the grains.
        normal: Unit<Vector3<f64>>,
    },
    /// A solid box.
    Box {
        /// From the frame of the box, with its center as origin, to the world.
        pose: Isometry3<f64>,
        /// Half the edges (m), positive.
        half_extents: Vector3<f64>,
    },
    /// An endless solid cylinder.
    Cylinder {
        /// A point of the axis (m).
        point: Vector3<f64>,
        /// Direction of the axis.
        axis: Unit<Vector3<f64>>,
        /// Radius (m), positive.
        radius: f64,
    },
    /// All that is outside of an endless cylinder: a drum or a tube around the grains.
    Tube {
        /// A point of the axis (m).
        point: Vector3<f64>,
        /// Direction of the axis.
        axis: Unit<Vector3<f64>>,
        /// Radius (m), positive and larger than those of the grains.
        radius: f64,
    },
}

/// A boundary of infinite mass.
///
/// It moves with `velocity`, and its surface with `velocity + ω × (x − center)`. The shape itself is only
/// translated: `angular_velocity` is for turns that bring the shape onto itself, as those of a drum about
/// its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Where it is now.
    pub shape: Shape,
    /// Velocity (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity `ω` of the surface (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// A point of the axis of that turn (m); moves with `velocity`.
    pub center: Vector3<f64>,
    /// Coefficient of friction against grains, ≥ 0.
    pub friction: f64,
}

impl Wall {
    /// A wall at rest.
    #[must_use]
    pub fn fixed(shape: Shape, friction: f64) -> Self {
        let zero = Vector3::zeros();
        Self { shape, velocity: zero, angular_velocity: zero, center: zero, friction }
    }

    /// A plane at rest through `point`, with `normal` (of any length) toward the grains.
    #[must_use]
    pub fn plane(point: Vector3<f64>, normal: Vector3<f64>, friction: f64) -> Self {
        Self::fixed(Shape::Plane { point, normal: Unit::new_normalize(normal) }, friction)
    }

    /// The same wall moving with `velocity` (m/s).
    #[must_use]
    pub fn moving(self, velocity: Vector3<f64>) -> Self {
        Self { velocity, ..self }
    }

    /// The same wall whose surface turns about the axis through `center` with `angular_velocity` (rad/s).
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
    /// wall to the ball.
    #[must_use]
    pub fn gap(&self, position: &Vector3<f64>, radius: f64) -> (f64, Vector3<f64>) {
        let (distance, normal) = self.shape.distance(position);
        (distance - radius, normal)
    }

    pub(crate) fn advance(&mut self, step: f64) {
        let shift = step * self.velocity;
        self.center += shift;
        match &mut self.shape {
            Shape::Plane { point, .. }
            | Shape::Cylinder { point, .. }
            | Shape::Tube { point, .. } => *point += shift,
            Shape::Box { pose, .. } => pose.translation.vector += shift,
        }
    }

    /// The first entry that is not usable: its name, value and what was expected.
    pub(crate) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
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
        let (place, (direction, is_unit, norm), sizes) = match &self.shape {
            Shape::Plane { point, normal } => {
                (point, unit("norm of the normal", normal.as_slice()), [1.0; 3])
            }
            Shape::Cylinder { point, axis, radius } | Shape::Tube { point, axis, radius } => {
                (point, unit("norm of the axis", axis.as_slice()), [*radius; 3])
            }
            Shape::Box { pose, half_extents } => {
                let rotation = pose.rotation.coords.as_slice();
                (
                    &pose.translation.vector,
                    unit("norm of the rotation", rotation),
                    (*half_extents).into(),
                )
            }
        };
        if let Some(value) = range::unbounded(place.as_slice()) {
            return Some(("place", value, range::BOUNDED));
        }
        if !is_unit {
            return Some((direction, norm, "1"));
        }
        let bad = sizes.into_iter().find(|size| !range::is_positive(*size));
        bad.map(|value| ("size of the shape", value, range::POSITIVE))
    }
}

/// The name of the norm of a direction, whether it is 1, and the norm.
fn unit(name: &'static str, direction: &[f64]) -> (&'static str, bool, f64) {
    let norm = direction.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    (name, range::is_unit(direction), norm)
}

impl Shape {
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
            Self::Box { pose, half_extents } => {
                let local = pose.inverse_transform_vector(&(at - pose.translation.vector));
                let outside = local - local.inf(half_extents).sup(&-half_extents);
                let distance = outside.norm();
                if distance > 0.0 {
                    return (distance, pose * (outside / distance));
                }
                let depth = half_extents - local.abs();
                let face = depth.imin();
                let mut normal = Vector3::zeros();
                normal[face] = 1.0_f64.copysign(local[face]);
                (-depth[face], pose * normal)
            }
        }
    }
}

/// The direction from an axis to a point, and the distance. On the axis any direction across it will do.
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
