//! One [`Body`], and the [`Boundary`] of a set of bodies.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, ColliderError, Shape};

use super::{
    contact::{Motion, Yielding},
    form::Form,
    products::product,
    twist::Twist,
};
use crate::range;

/// A rigid body, as it is added to [`Bodies`](super::Bodies) and read from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Shape, surface and mass.
    pub form: Arc<Form>,
    /// Center of mass (m).
    pub position: Vector3<f64>,
    /// Rotation from the axes of the form to the world.
    pub orientation: UnitQuaternion<f64>,
    /// Velocity of the center of mass (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity in the world frame (rad/s).
    pub angular_velocity: Vector3<f64>,
}

impl Body {
    /// A body at rest, in the orientation in which its form was described.
    #[must_use]
    pub fn at(form: &Arc<Form>, position: Vector3<f64>) -> Self {
        Self {
            form: Arc::clone(form),
            position,
            orientation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        }
    }

    /// The transformation from the frame of the form to the world.
    #[must_use]
    pub fn pose(&self) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::from(self.position), self.orientation)
    }

    /// `½ m v² + ½ ω·I ω` (J).
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let spin = self.orientation.inverse_transform_vector(&self.angular_velocity);
        0.5 * (self.form.mass() * self.velocity.norm_squared()
            + spin.dot(&(self.form.inertia() * spin)))
    }

    /// `m v` (N·s).
    #[must_use]
    pub fn momentum(&self) -> Vector3<f64> {
        self.form.mass() * self.velocity
    }

    /// `x × m v + I ω` about the origin of the world (kg·m²/s).
    #[must_use]
    pub fn angular_momentum(&self) -> Vector3<f64> {
        let spin = self.orientation.inverse_transform_vector(&self.angular_velocity);
        self.position.cross(&self.momentum()) + self.orientation * (self.form.inertia() * spin)
    }

    /// Upper bound of the speed of its points (m/s).
    pub(super) fn speed(&self) -> f64 {
        self.velocity.norm() + self.angular_velocity.norm() * self.form.radius()
    }

    /// The state for the sweeps, after the velocity has changed by `kick`.
    pub(super) fn motion(&self, kick: &Vector3<f64>) -> Motion {
        let axes: Matrix3<f64> = self.orientation.to_rotation_matrix().into_inner();
        let inverse_inertia = product(&product(&axes, &self.form.yielding), &axes.transpose());
        Motion {
            twist: Twist::new(self.velocity + kick, self.angular_velocity),
            yielding: Yielding::new(1.0 / self.form.mass(), &inverse_inertia),
        }
    }

    /// The first entry that is out of range: its name, value and what was expected.
    pub(crate) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let Self { position, orientation, velocity, angular_velocity, .. } = self;
        fault(position, orientation, velocity, angular_velocity)
    }
}

/// The first entry of a position and its motion that is out of range.
fn fault(
    position: &Vector3<f64>,
    orientation: &UnitQuaternion<f64>,
    velocity: &Vector3<f64>,
    angular_velocity: &Vector3<f64>,
) -> Option<(&'static str, f64, &'static str)> {
    let vectors =
        [("position", position), ("velocity", velocity), ("angular_velocity", angular_velocity)];
    for (name, vector) in vectors {
        if let Some(value) = range::unbounded(vector.as_slice()) {
            return Some((name, value, range::BOUNDED));
        }
    }
    let coordinates = &orientation.coords;
    let is_unit = range::is_unit(coordinates.as_slice());
    (!is_unit).then(|| ("norm of the orientation", coordinates.norm(), "1"))
}

/// A boundary of infinite mass with a prescribed motion: a floor, a box, a cylinder, a hull.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// Shape and surface, in the frame of the boundary; the body of the collider is not used.
    pub collider: Collider,
    /// The current transformation from that frame to the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the origin of the frame (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity about that origin in the world frame (rad/s).
    pub angular_velocity: Vector3<f64>,
}

impl Boundary {
    /// A boundary at rest, at the position of its collider.
    #[must_use]
    pub fn fixed(collider: Collider) -> Self {
        let (pose, velocity, angular_velocity) =
            (Isometry3::identity(), Vector3::zeros(), Vector3::zeros());
        Self { collider, pose, velocity, angular_velocity }
    }

    /// The half-space behind the plane through `point` (m); its normal, of any length, points to the bodies.
    ///
    /// # Errors
    ///
    /// Those of [`Collider`] for an invalid normal, point or friction.
    pub fn plane(
        point: Vector3<f64>,
        normal: Vector3<f64>,
        friction: f64,
    ) -> Result<Self, ColliderError> {
        let half_space = Collider::fixed(Shape::HalfSpace { normal })?;
        let pose = Isometry3::from(Translation3::from(point));
        Ok(Self::fixed(half_space.with_pose(pose)?.with_friction(friction)?))
    }

    /// Returns the boundary with the velocity `velocity` (m/s) and the angular velocity `angular_velocity`
    /// (rad/s).
    #[must_use]
    pub fn moving(self, velocity: Vector3<f64>, angular_velocity: Vector3<f64>) -> Self {
        Self { velocity, angular_velocity, ..self }
    }

    /// Velocity of the surface at `point` (m/s).
    #[must_use]
    pub fn surface_velocity(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.angular_velocity.cross(&(point - self.pose.translation.vector))
    }

    pub(super) fn advance(&mut self, step: f64) {
        self.pose.translation.vector += step * self.velocity;
        let turn = UnitQuaternion::from_scaled_axis(step * self.angular_velocity);
        self.pose.rotation =
            UnitQuaternion::new_normalize((turn * self.pose.rotation).into_inner());
    }

    /// The first entry that is out of range: its name, value and what was expected.
    pub(super) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let Self { pose, velocity, angular_velocity, .. } = self;
        fault(&pose.translation.vector, &pose.rotation, velocity, angular_velocity)
    }
}
