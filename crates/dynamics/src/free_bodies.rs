//! Rigid bodies that move freely in space: the system [`FreeBodies`].

mod checks;
mod gyroscopic;

use std::ops::Range;

use nalgebra::{DMatrix, Isometry3, Matrix3, Translation3, Vector3};

use crate::{
    inertia::{MassProperties, principal_moments},
    rotation::{self, RotationUpdate},
    system::motion::BodyVelocity,
    system::{CoordinateError, Dimension, SmoothVelocityError, System, check_finite},
};
pub(crate) use checks::{check_entries, check_gravity, check_mass};
use gyroscopic::Principal;

/// Maximum accepted deviation of the norm of a quaternion from one: that of coordinates written with six decimals.
/// [`FreeBodies`] normalizes its input, so the remaining error is only in `q̇`.
const QUATERNION_TOLERANCE: f64 = 1e-6;

/// Smallest principal moment relative to the largest that [`FreeBodies`] accepts. The moments are
/// known to about `eps` of the largest, so below it the inverse would have fewer than four digits.
const SMALLEST_RELATIVE_MOMENT: f64 = 1e-12;

/// The reason why bodies do not make a system.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FreeBodiesError {
    /// The list of bodies is empty.
    #[error("a system needs at least one body, got none")]
    NoBodies,
    /// A mass is not positive, not finite, or so small that its inverse overflows.
    #[error("mass of body {body} is {value:?}, expected a positive finite number (kg)")]
    Mass {
        /// Offending body.
        body: usize,
        /// Its mass (kg).
        value: f64,
    },
    /// An inertia is not symmetric.
    #[error("inertia of body {body} differs from its transpose by {difference}, expected symmetry")]
    Asymmetric {
        /// Offending body.
        body: usize,
        /// Largest difference between the tensor and its transpose (kg·m²).
        difference: f64,
    },
    /// An inertia is not positive definite, or its smallest moment is below the stated limit.
    #[error(
        "smallest principal moment of body {body} is {smallest} beside the largest {largest}, \
         expected a positive number of at least 1e-12 of it (kg·m²)"
    )]
    Indefinite {
        /// Offending body.
        body: usize,
        /// Smallest principal moment (kg·m²).
        smallest: f64,
        /// Largest principal moment (kg·m²).
        largest: f64,
    },
    /// Inertia, force or torque of a body has an entry that is NaN or infinite.
    #[error("{field} of body {body} has an entry {value:?}, expected finite numbers")]
    NotFinite {
        /// Offending body.
        body: usize,
        /// Name of the field.
        field: &'static str,
        /// First such entry.
        value: f64,
    },
    /// Gravity has an entry that is NaN or infinite.
    #[error("gravity has an entry {value:?}, expected finite numbers (m/s²)")]
    Gravity {
        /// First such entry.
        value: f64,
    },
}

/// One rigid body in space. [`FreeBodies::new`] checks it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Mass (kg), positive.
    pub mass: f64,
    /// Inertia tensor about the center of mass in body axes (kg·m²), symmetric positive definite.
    /// The triangle inequality of its principal moments is not required.
    pub inertia: Matrix3<f64>,
    /// Constant force at the center of mass besides gravity (N, world axes); default zero.
    pub force: Vector3<f64>,
    /// Constant torque (N·m, world axes); default zero.
    pub torque: Vector3<f64>,
}

impl Body {
    /// A body of `mass` (kg) and `inertia` (kg·m², about the center of mass, body axes) on which
    /// only gravity acts.
    #[must_use]
    pub fn new(mass: f64, inertia: Matrix3<f64>) -> Self {
        Self { mass, inertia, force: Vector3::zeros(), torque: Vector3::zeros() }
    }

    /// A body with these mass properties. Its frame has their axes and its origin at the center of mass, so points
    /// of the model are shifted by `−center_of_mass`.
    #[must_use]
    pub fn from_mass_properties(properties: &MassProperties) -> Self {
        Self::new(properties.mass(), properties.inertia())
    }

    /// The same body with a constant force at its center of mass (N, world axes).
    #[must_use]
    pub fn with_force(self, force: Vector3<f64>) -> Self {
        Self { force, ..self }
    }

    /// The same body with a constant torque (N·m, world axes).
    #[must_use]
    pub fn with_torque(self, torque: Vector3<f64>) -> Self {
        Self { torque, ..self }
    }

    fn check(&self, body: usize) -> Result<(), FreeBodiesError> {
        check_mass(body, self.mass)?;
        check_entries(body, "inertia", self.inertia.as_slice())?;
        check_entries(body, "force", self.force.as_slice())?;
        check_entries(body, "torque", self.torque.as_slice())?;
        let difference = (self.inertia - self.inertia.transpose()).amax();
        // A tensor rotated by a rotation matrix is symmetric up to a few rounding errors.
        if difference > 1e-12 * self.inertia.amax() {
            return Err(FreeBodiesError::Asymmetric { body, difference });
        }
        let [smallest, _, largest] = principal_moments(&self.inertia);
        if !(smallest.is_normal() && smallest >= SMALLEST_RELATIVE_MOMENT * largest) {
            return Err(FreeBodiesError::Indefinite { body, smallest, largest });
        }
        Ok(())
    }
}

/// Free rigid bodies in space, with the layout of coordinates below.
///
/// Body `i` has the coordinates `q[7i ..] = (x, y, z, w, q_x, q_y, q_z)`, the position of its center
/// of mass (m) and the unit quaternion from body to world axes, and the velocity
/// `v[6i ..] = (v_x, v_y, v_z, ω_x, ω_y, ω_z)`, linear velocity of the center of mass (m/s) and
/// angular velocity (rad/s), both in **world** axes. The equations of Newton and Euler are
///
/// ```math
/// m \dot v = m g + f, \qquad
/// R I R^\mathsf{T} \dot\omega = \tau - \omega \times (R I R^\mathsf{T} \omega),
/// ```
///
/// with the inertia tensor `I` in body axes, principal or not. The mass matrix is block diagonal and `I⁻¹` is
/// computed once. [`System::smooth_velocity`] treats the gyroscopic torque implicitly, so that a free body conserves
/// its kinetic energy for any step; the derivation is in the module `gyroscopic`.
///
/// # Source
///
/// H. Goldstein, C. Poole, J. Safko, *Classical Mechanics*, 3rd ed., Addison-Wesley 2002, chapter 5.
///
/// # Example
///
/// A ball of 2 kg falls from 3 m: its potential energy is `2 · 9.81 · 3 = 58.86 J`.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use percussion_dynamics::{Body, FreeBodies, System};
///
/// let ball = Body::new(2.0, Matrix3::identity() * 0.1);
/// let system = FreeBodies::new(vec![ball], Vector3::new(0.0, 0.0, -9.81))?;
/// let coordinates = [0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0];
/// assert!((system.potential_energy(&coordinates) - 58.86).abs() < 1e-12);
/// # Ok::<(), percussion_dynamics::FreeBodiesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FreeBodies {
    bodies: Vec<Body>,
    /// Inverse inertia tensors in body axes (kg⁻¹·m⁻²).
    inverse_inertias: Vec<Matrix3<f64>>,
    principal: Vec<Principal>,
    gravity: Vector3<f64>,
    rotation_update: RotationUpdate,
}

impl FreeBodies {
    /// Creates a system of bodies under `gravity` (m/s², world axes), with the exponential rotation update.
    ///
    /// # Errors
    ///
    /// See [`FreeBodiesError`]: no bodies, a mass that is not positive, an inertia that is not symmetric positive definite, or
    /// an entry that is not finite.
    pub fn new(bodies: Vec<Body>, gravity: Vector3<f64>) -> Result<Self, FreeBodiesError> {
        if bodies.is_empty() {
            return Err(FreeBodiesError::NoBodies);
        }
        check_gravity(gravity.as_slice())?;
        let mut inverse_inertias = Vec::with_capacity(bodies.len());
        for (index, body) in bodies.iter().enumerate() {
            body.check(index)?;
            inverse_inertias.push(symmetric_inverse(&body.inertia));
        }
        let principal = bodies.iter().map(|body| Principal::of(&body.inertia)).collect();
        let rotation_update = RotationUpdate::default();
        Ok(Self { bodies, inverse_inertias, principal, gravity, rotation_update })
    }

    /// The same system with another [rotation update](RotationUpdate).
    #[must_use]
    pub fn with_rotation_update(self, rotation_update: RotationUpdate) -> Self {
        Self { rotation_update, ..self }
    }

    /// The bodies, in order.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Gravity (m/s², world axes).
    #[must_use]
    pub fn gravity(&self) -> Vector3<f64> {
        self.gravity
    }

    /// Linear momentum `Σ m v` (N·s, world axes).
    #[must_use]
    pub fn linear_momentum(&self, velocity: &[f64]) -> Vector3<f64> {
        self.bodies.iter().enumerate().map(|(i, body)| body.mass * linear(velocity, i)).sum()
    }

    /// Angular momentum `Σ x × m v + R I Rᵀ ω` about the origin of the world (N·m·s, world axes).
    #[must_use]
    pub fn angular_momentum(&self, coordinates: &[f64], velocity: &[f64]) -> Vector3<f64> {
        let of_body = |(i, body): (usize, &Body)| {
            let orbital = position(coordinates, i).cross(&(body.mass * linear(velocity, i)));
            orbital + in_world(&body.inertia, coordinates, i) * angular(velocity, i)
        };
        self.bodies.iter().enumerate().map(of_body).sum()
    }
}

/// The coordinates `(x, y, z, w, q_x, q_y, q_z)` of one body at `pose`.
#[must_use]
pub fn pose_coordinates(pose: &Isometry3<f64>) -> [f64; 7] {
    let (x, q) = (&pose.translation, &pose.rotation);
    [x.x, x.y, x.z, q.w, q.i, q.j, q.k]
}

impl System for FreeBodies {
    fn coordinate_count(&self) -> usize {
        7 * self.bodies.len()
    }

    fn velocity_count(&self) -> usize {
        6 * self.bodies.len()
    }

    fn check_coordinates(&self, coordinates: &[f64]) -> Result<(), CoordinateError> {
        check_finite(coordinates, self.coordinate_count())?;
        for body in 0..self.bodies.len() {
            let norm = quaternion(coordinates, body).iter().map(|c| c * c).sum::<f64>().sqrt();
            if (norm - 1.0).abs() > QUATERNION_TOLERANCE {
                return Err(CoordinateError::QuaternionNorm { body, norm });
            }
        }
        Ok(())
    }

    fn dimension(&self) -> Dimension {
        Dimension::Space
    }

    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    fn pose(&self, coordinates: &[f64], body: usize) -> Isometry3<f64> {
        let rotation = rotation::unit_quaternion(&quaternion(coordinates, body));
        Isometry3::from_parts(Translation3::from(position(coordinates, body)), rotation)
    }

    fn mass_matrix(&self, coordinates: &[f64], mass_matrix: &mut DMatrix<f64>) {
        mass_matrix.fill(0.0);
        for (i, body) in self.bodies.iter().enumerate() {
            let inertia = in_world(&body.inertia, coordinates, i);
            mass_matrix
                .fixed_view_mut::<3, 3>(6 * i, 6 * i)
                .copy_from(&Matrix3::from_diagonal_element(body.mass));
            mass_matrix.fixed_view_mut::<3, 3>(6 * i + 3, 6 * i + 3).copy_from(&inertia);
        }
    }

    fn apply_inverse_mass(&self, coordinates: &[f64], columns: &mut DMatrix<f64>) {
        for (i, body) in self.bodies.iter().enumerate() {
            let inverse_inertia = in_world(&self.inverse_inertias[i], coordinates, i);
            for mut column in columns.column_iter_mut() {
                let force = column.fixed_rows::<3>(6 * i).clone_owned();
                let torque = column.fixed_rows::<3>(6 * i + 3).clone_owned();
                column.fixed_rows_mut::<3>(6 * i).copy_from(&(force / body.mass));
                column.fixed_rows_mut::<3>(6 * i + 3).copy_from(&(inverse_inertia * torque));
            }
        }
    }

    fn smooth_forces(&self, coordinates: &[f64], velocity: &[f64], _time: f64, forces: &mut [f64]) {
        for (i, body) in self.bodies.iter().enumerate() {
            let spin = angular(velocity, i);
            let gyroscopic = spin.cross(&(in_world(&body.inertia, coordinates, i) * spin));
            write(&mut forces[6 * i..6 * i + 3], &(body.mass * self.gravity + body.force));
            write(&mut forces[6 * i + 3..6 * i + 6], &(body.torque - gyroscopic));
        }
    }

    fn inverse_dynamics(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        acceleration: &[f64],
        time: f64,
        forces: &mut [f64],
    ) {
        self.smooth_forces(coordinates, velocity, time, forces);
        for (i, body) in self.bodies.iter().enumerate() {
            let needed = body.mass * linear(acceleration, i);
            let moment = in_world(&body.inertia, coordinates, i) * angular(acceleration, i);
            for (force, needed) in forces[6 * i..].iter_mut().zip(needed.iter().chain(&moment)) {
                *force = needed - *force;
            }
        }
    }

    /// Forces are explicit, and the gyroscopic torque uses the implicit midpoint rule: without torque the kinetic
    /// energy and the magnitude of the angular momentum of a body do not change, for any step.
    fn smooth_velocity(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        _time: f64,
        step: f64,
        end: &mut DMatrix<f64>,
    ) -> Result<(), SmoothVelocityError> {
        for (i, body) in self.bodies.iter().enumerate() {
            let acceleration = (body.mass * self.gravity + body.force) / body.mass;
            let moved = linear(velocity, i) + step * acceleration;
            let spin = angular(velocity, i);
            let turned = match &self.principal[i] {
                Principal::Isotropic => spin + step * (self.inverse_inertias[i] * body.torque),
                Principal::Axes { axes, roots, coupling } => {
                    let rotation = rotation::rotation_matrix(&quaternion(coordinates, i));
                    let moment = (&spin, &body.torque);
                    gyroscopic::advance(&(rotation * axes), roots, coupling, moment, step)
                        .map_err(|parts| SmoothVelocityError::Gyroscopic { body: i, parts })?
                }
            };
            write(&mut end.as_mut_slice()[6 * i..6 * i + 3], &moved);
            write(&mut end.as_mut_slice()[6 * i + 3..6 * i + 6], &turned);
        }
        Ok(())
    }

    /// True: both rotation updates rotate a body about its angular velocity.
    fn retract_keeps_kinetic_energy(&self) -> bool {
        true
    }

    fn coordinate_rate(&self, coordinates: &[f64], velocity: &[f64], rate: &mut [f64]) {
        for i in 0..self.bodies.len() {
            let rotation =
                rotation::rate_matrix(&quaternion(coordinates, i)) * angular(velocity, i);
            write(&mut rate[7 * i..7 * i + 3], &linear(velocity, i));
            rate[7 * i + 3..7 * i + 7].copy_from_slice(rotation.as_slice());
        }
    }

    fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]) {
        for i in 0..self.bodies.len() {
            let translated = position(coordinates, i) + linear(tangent, i);
            let rotated =
                self.rotation_update.apply(&quaternion(coordinates, i), &angular(tangent, i));
            write(&mut moved[7 * i..7 * i + 3], &translated);
            moved[7 * i + 3..7 * i + 7].copy_from_slice(&rotated);
        }
    }

    fn difference(&self, from: &[f64], to: &[f64], tangent: &mut [f64]) {
        for i in 0..self.bodies.len() {
            let (a, b) = (quaternion(from, i), quaternion(to, i));
            write(&mut tangent[6 * i..6 * i + 3], &(position(to, i) - position(from, i)));
            write(&mut tangent[6 * i + 3..6 * i + 6], &self.rotation_update.difference(&a, &b));
        }
    }

    fn tree_velocities(&self, body: usize) -> Range<usize> {
        6 * body..6 * (body + 1)
    }

    fn tree_coordinates(&self, body: usize) -> Range<usize> {
        7 * body..7 * (body + 1)
    }

    fn add_point_row(
        &self,
        coordinates: &[f64],
        body: usize,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        scale: f64,
        row: &mut [f64],
    ) {
        // The point moves at v + ω × r, and direction · (ω × r) = ω · (r × direction).
        let moment = (point - position(coordinates, body)).cross(direction);
        for k in 0..3 {
            row[6 * body + k] += scale * direction[k];
            row[6 * body + 3 + k] += scale * moment[k];
        }
    }

    fn body_velocity(&self, _coordinates: &[f64], velocity: &[f64], body: usize) -> BodyVelocity {
        BodyVelocity { linear: linear(velocity, body), angular: angular(velocity, body) }
    }

    /// The centripetal acceleration `ω × (ω × r)`.
    fn point_bias(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        body: usize,
        point: &Vector3<f64>,
    ) -> Vector3<f64> {
        let spin = angular(velocity, body);
        spin.cross(&spin.cross(&(point - position(coordinates, body))))
    }

    /// The power of the torques.
    fn other_power(&self, _coordinates: &[f64], velocity: &[f64], _time: f64) -> f64 {
        let torques = self.bodies.iter().enumerate();
        torques.map(|(i, body)| body.torque.dot(&angular(velocity, i))).sum()
    }

    /// The potential energy of gravity and the constant forces, `−Σ (m g + f) · x`; torques have none in space.
    fn potential_energy(&self, coordinates: &[f64]) -> f64 {
        let of_body = |(i, body): (usize, &Body)| {
            -(body.mass * self.gravity + body.force).dot(&position(coordinates, i))
        };
        self.bodies.iter().enumerate().map(of_body).sum()
    }

    fn kinetic_energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        let of_body = |(i, body): (usize, &Body)| {
            let spin = angular(velocity, i);
            0.5 * body.mass * linear(velocity, i).norm_squared()
                + 0.5 * spin.dot(&(in_world(&body.inertia, coordinates, i) * spin))
        };
        self.bodies.iter().enumerate().map(of_body).sum()
    }
}

/// Inverse of a symmetric positive definite tensor by its cofactors, scaled so that the
/// determinant neither overflows nor underflows.
fn symmetric_inverse(tensor: &Matrix3<f64>) -> Matrix3<f64> {
    let scale = tensor.amax();
    let [a, b, c] = [0, 1, 2].map(|i| tensor.column(i) / scale);
    let cofactors = Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
    let inverse = cofactors / a.dot(&b.cross(&c)) / scale;
    0.5 * (inverse + inverse.transpose())
}

/// `R A Rᵀ` for a tensor `A` in the axes of `body`.
fn in_world(tensor: &Matrix3<f64>, coordinates: &[f64], body: usize) -> Matrix3<f64> {
    let rotation = rotation::rotation_matrix(&quaternion(coordinates, body));
    rotation * tensor * rotation.transpose()
}

fn position(coordinates: &[f64], body: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&coordinates[7 * body..7 * body + 3])
}

fn quaternion(coordinates: &[f64], body: usize) -> [f64; 4] {
    [3, 4, 5, 6].map(|k| coordinates[7 * body + k])
}

fn linear(velocity: &[f64], body: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&velocity[6 * body..6 * body + 3])
}

fn angular(velocity: &[f64], body: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&velocity[6 * body + 3..6 * body + 6])
}

fn write(to: &mut [f64], vector: &Vector3<f64>) {
    to.copy_from_slice(vector.as_slice());
}

#[cfg(test)]
mod tests;
