//! Rigid bodies that move freely in the x–y plane: the system [`PlanarBodies`].

use std::ops::Range;

use nalgebra::{DMatrix, Isometry3, Translation3, UnitQuaternion, Vector2, Vector3};

use crate::{
    free_bodies::{FreeBodiesError, check_entries, check_gravity, check_mass},
    lagrangian::{Derivatives, Lagrangian},
    system::{Dimension, System, motion::BodyVelocity},
};

/// One rigid body in the plane. [`PlanarBodies::new`] checks it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarBody {
    /// Mass (kg), positive.
    pub mass: f64,
    /// Moment of inertia about `z` through the center of mass (kg·m²), positive.
    pub inertia: f64,
    /// Constant force at the center of mass besides gravity (N, world axes); default zero.
    pub force: Vector2<f64>,
    /// Constant torque about `z` (N·m); default zero.
    pub torque: f64,
}

impl PlanarBody {
    /// A body of `mass` (kg) and `inertia` (kg·m², about its center of mass) on which only gravity
    /// acts.
    #[must_use]
    pub fn new(mass: f64, inertia: f64) -> Self {
        Self { mass, inertia, force: Vector2::zeros(), torque: 0.0 }
    }

    /// The same body with a constant force at its center of mass (N, world axes).
    #[must_use]
    pub fn with_force(self, force: Vector2<f64>) -> Self {
        Self { force, ..self }
    }

    /// The same body with a constant torque about `z` (N·m).
    #[must_use]
    pub fn with_torque(self, torque: f64) -> Self {
        Self { torque, ..self }
    }

    fn check(&self, body: usize) -> Result<(), FreeBodiesError> {
        check_mass(body, self.mass)?;
        check_entries(body, "inertia", &[self.inertia])?;
        check_entries(body, "force", self.force.as_slice())?;
        check_entries(body, "torque", &[self.torque])?;
        if !(self.inertia.is_normal() && self.inertia > 0.0) {
            let (smallest, largest) = (self.inertia, self.inertia);
            return Err(FreeBodiesError::Indefinite { body, smallest, largest });
        }
        Ok(())
    }

    fn mass_diagonal(&self) -> [f64; 3] {
        [self.mass, self.mass, self.inertia]
    }
}

/// Free rigid bodies in the plane, with the layout of coordinates below.
///
/// Body `i` has the coordinates `q[3i ..] = (x, y, θ)`, the position of its center of mass (m) and its
/// angle about `z` (rad, any real number), and the velocity `v[3i ..] = q̇[3i ..]` (m/s, rad/s). The
/// mass matrix is the constant diagonal `(m, m, I)`, so free flight has no gyroscopic term.
///
/// # Source
///
/// H. Goldstein, C. Poole, J. Safko, *Classical Mechanics*, 3rd ed., Addison-Wesley 2002, chapter 5,
/// for rotations about a fixed direction.
///
/// # Example
///
/// A rod of 1 kg and 1 m turning at 6 rad/s about its middle: `½ · 1/12 · 6² = 1.5 J`.
///
/// ```
/// use nalgebra::Vector2;
/// use percussion_dynamics::{PlanarBodies, PlanarBody, System};
///
/// let rod = PlanarBody::new(1.0, 1.0 / 12.0);
/// let system = PlanarBodies::new(vec![rod], Vector2::new(0.0, -9.81))?;
/// let energy = system.kinetic_energy(&[0.0, 1.0, 0.5], &[0.0, 0.0, 6.0]);
/// assert!((energy - 1.5).abs() < 1e-15);
/// # Ok::<(), percussion_dynamics::FreeBodiesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarBodies {
    bodies: Vec<PlanarBody>,
    gravity: Vector2<f64>,
}

impl PlanarBodies {
    /// Creates a system of bodies under `gravity` (m/s², world axes).
    ///
    /// # Errors
    ///
    /// See [`FreeBodiesError`]: no bodies, a mass or inertia that is not positive, or an entry that is not finite.
    pub fn new(bodies: Vec<PlanarBody>, gravity: Vector2<f64>) -> Result<Self, FreeBodiesError> {
        if bodies.is_empty() {
            return Err(FreeBodiesError::NoBodies);
        }
        check_gravity(gravity.as_slice())?;
        for (index, body) in bodies.iter().enumerate() {
            body.check(index)?;
        }
        Ok(Self { bodies, gravity })
    }

    /// The bodies, in order.
    #[must_use]
    pub fn bodies(&self) -> &[PlanarBody] {
        &self.bodies
    }

    /// Gravity (m/s², world axes).
    #[must_use]
    pub fn gravity(&self) -> Vector2<f64> {
        self.gravity
    }

    /// Linear momentum `Σ m v` (N·s, world axes).
    #[must_use]
    pub fn linear_momentum(&self, velocity: &[f64]) -> Vector2<f64> {
        self.bodies.iter().enumerate().map(|(i, body)| body.mass * in_plane(velocity, i)).sum()
    }

    /// Angular momentum `Σ m (x v_y − y v_x) + I ω` about the origin of the world (N·m·s).
    #[must_use]
    pub fn angular_momentum(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        let of_body = |(i, body): (usize, &PlanarBody)| {
            body.mass * in_plane(coordinates, i).perp(&in_plane(velocity, i))
                + body.inertia * velocity[3 * i + 2]
        };
        self.bodies.iter().enumerate().map(of_body).sum()
    }
}

impl System for PlanarBodies {
    fn coordinate_count(&self) -> usize {
        3 * self.bodies.len()
    }

    fn velocity_count(&self) -> usize {
        3 * self.bodies.len()
    }

    fn dimension(&self) -> Dimension {
        Dimension::Plane
    }

    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    fn pose(&self, coordinates: &[f64], body: usize) -> Isometry3<f64> {
        let center = in_plane(coordinates, body);
        let angle = coordinates[3 * body + 2];
        Isometry3::from_parts(
            Translation3::new(center.x, center.y, 0.0),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle),
        )
    }

    fn mass_matrix(&self, _coordinates: &[f64], mass_matrix: &mut DMatrix<f64>) {
        mass_matrix.fill(0.0);
        for (i, mass) in self.bodies.iter().flat_map(PlanarBody::mass_diagonal).enumerate() {
            mass_matrix[(i, i)] = mass;
        }
    }

    fn apply_inverse_mass(&self, _coordinates: &[f64], columns: &mut DMatrix<f64>) {
        for (i, mass) in self.bodies.iter().flat_map(PlanarBody::mass_diagonal).enumerate() {
            columns.row_mut(i).iter_mut().for_each(|entry| *entry /= mass);
        }
    }

    fn smooth_forces(&self, _: &[f64], _: &[f64], _time: f64, forces: &mut [f64]) {
        for (body, forces) in self.bodies.iter().zip(forces.chunks_exact_mut(3)) {
            let force = body.mass * self.gravity + body.force;
            forces.copy_from_slice(&[force.x, force.y, body.torque]);
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
        let masses = self.bodies.iter().flat_map(PlanarBody::mass_diagonal);
        for ((force, mass), rate) in forces.iter_mut().zip(masses).zip(acceleration) {
            *force = mass * rate - *force;
        }
    }

    /// True: the mass matrix is constant.
    fn retract_keeps_kinetic_energy(&self) -> bool {
        true
    }

    fn coordinate_rate(&self, _coordinates: &[f64], velocity: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(velocity);
    }

    fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]) {
        for ((m, q), d) in moved.iter_mut().zip(coordinates).zip(tangent) {
            *m = q + d;
        }
    }

    fn tree_velocities(&self, body: usize) -> Range<usize> {
        3 * body..3 * (body + 1)
    }

    fn tree_coordinates(&self, body: usize) -> Range<usize> {
        3 * body..3 * (body + 1)
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
        let arm = point.xy() - in_plane(coordinates, body);
        row[3 * body] += scale * direction.x;
        row[3 * body + 1] += scale * direction.y;
        row[3 * body + 2] += scale * arm.perp(&direction.xy());
    }

    fn body_velocity(&self, _coordinates: &[f64], velocity: &[f64], body: usize) -> BodyVelocity {
        let [x, y, spin] = [0, 1, 2].map(|k| velocity[3 * body + k]);
        BodyVelocity { linear: Vector3::new(x, y, 0.0), angular: Vector3::new(0.0, 0.0, spin) }
    }

    /// The centripetal acceleration `−ω² r`.
    fn point_bias(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        body: usize,
        point: &Vector3<f64>,
    ) -> Vector3<f64> {
        let arm = point.xy() - in_plane(coordinates, body);
        let spin = velocity[3 * body + 2];
        (-spin * spin * arm).push(0.0)
    }

    /// Zero: all forces have a potential.
    fn other_power(&self, _coordinates: &[f64], _velocity: &[f64], _time: f64) -> f64 {
        0.0
    }

    /// The potential energy of gravity, the constant forces and the constant torques, `−Σ ((m g + f) · x + τ θ)`.
    fn potential_energy(&self, coordinates: &[f64]) -> f64 {
        let of_body = |(i, body): (usize, &PlanarBody)| {
            -(body.mass * self.gravity + body.force).dot(&in_plane(coordinates, i))
                - body.torque * coordinates[3 * i + 2]
        };
        self.bodies.iter().enumerate().map(of_body).sum()
    }

    fn kinetic_energy(&self, _coordinates: &[f64], velocity: &[f64]) -> f64 {
        let masses = self.bodies.iter().flat_map(PlanarBody::mass_diagonal);
        masses.zip(velocity).map(|(mass, v)| 0.5 * mass * v * v).sum()
    }
}

impl Lagrangian for PlanarBodies {
    fn momentum(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        time: f64,
        momentum: &mut [f64],
        rate: &mut [f64],
    ) {
        let masses = self.bodies.iter().flat_map(PlanarBody::mass_diagonal);
        for ((p, mass), v) in momentum.iter_mut().zip(masses).zip(velocity) {
            *p = mass * v;
        }
        self.smooth_forces(coordinates, velocity, time, rate);
    }

    /// Only `∂p/∂v` is not zero.
    fn momentum_derivatives(
        &self,
        coordinates: &[f64],
        _velocity: &[f64],
        _time: f64,
        derivatives: &mut Derivatives,
    ) {
        derivatives.clear();
        self.mass_matrix(coordinates, &mut derivatives.momentum_by_velocity);
    }

    fn is_conservative(&self) -> bool {
        true
    }
}

/// The first two of the three numbers of `body`.
fn in_plane(of: &[f64], body: usize) -> Vector2<f64> {
    Vector2::new(of[3 * body], of[3 * body + 1])
}

#[cfg(test)]
mod tests;
