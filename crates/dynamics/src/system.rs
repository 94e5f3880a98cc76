//! The interface between mechanics and the schemes that move a system: the trait [`System`].

pub mod difference;
pub mod motion;

use std::{fmt::Debug, ops::Range};

use nalgebra::{Cholesky, DMatrix, DVectorView, Isometry3, Point3, Vector3};

use motion::BodyVelocity;

use crate::AddedMass;

/// The space in which a [`System`] moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Motion in the x–y plane, rotation about `z`; one tangent per contact.
    Plane,
    /// Motion in space; two tangents per contact.
    Space,
}

impl Dimension {
    /// Number of tangents of one contact: 1 in the plane, 2 in space.
    #[must_use]
    pub const fn tangent_count(self) -> usize {
        match self {
            Self::Plane => 1,
            Self::Space => 2,
        }
    }
}

/// What a velocity moves that moves too little, as errors say it, and what was expected.
pub(crate) fn moved(fraction: &f64) -> String {
    if fraction.is_nan() {
        return "no mass and no moment of inertia, expected one of them".to_owned();
    }
    format!("only {fraction:e} of its inertia, expected more than 1e-12")
}

/// The reason why coordinates do not describe a position of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CoordinateError {
    /// The number of entries is not the number of coordinates.
    #[error("coordinates have length {found}, expected {expected}")]
    Length {
        /// Number of coordinates of the system.
        expected: usize,
        /// Length given.
        found: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("coordinate {index} is {value:?}, expected a finite number")]
    NotFinite {
        /// Index of the coordinate.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A quaternion is not normalized.
    #[error("quaternion of body {body} has norm {norm:?}, expected 1 within 1e-6")]
    QuaternionNorm {
        /// Body that the quaternion belongs to.
        body: usize,
        /// Norm found.
        norm: f64,
    },
    /// The mass matrix is singular at these coordinates.
    #[error(
        "mass matrix is singular: beside those before it, velocity {velocity}, of the joint of body {body}, moves \
         {}", moved(.fraction)
    )]
    SingularMass {
        /// Index of a velocity that, together with those before it, contains a motion without mass.
        velocity: usize,
        /// Body whose joint has this velocity.
        body: usize,
        /// Pivot of the mass matrix relative to the terms of its diagonal entry, or NaN; negative if the mass matrix
        /// is indefinite.
        fraction: f64,
    },
}

/// The reason why the smooth forces of a step do not give a velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SmoothVelocityError {
    /// A body rotates so far within the step that the equation of its angular velocity was not solved.
    #[error(
        "gyroscopic torque of body {body}: no solution in {parts} parts of the step, expected a shorter step"
    )]
    Gyroscopic {
        /// The body.
        body: usize,
        /// Maximum number of parts into which the step was divided.
        parts: usize,
    },
}

/// A mechanical system with finitely many degrees of freedom.
///
/// Its state is the pair of coordinates `q` (length `n_q`; m, rad, unit quaternions `w` first) and
/// generalized velocity `v` (length `n_v`; m/s, rad/s). They are related by `q̇ = N(q) v`, and
/// `n_q ≠ n_v` is allowed. Its motion without contact obeys `M(q) v̇ = k(q, v, t)`.
///
/// Slices have the stated length. Implementations may panic in debug builds if they do not, because callers check
/// sizes once, when a simulation is built. Methods allocate nothing.
///
/// Bodies are numbered `0 .. body_count()`. World vectors of a plane system have `z = 0`.
pub trait System: Debug + Send + Sync {
    /// Number of coordinates, `n_q`.
    fn coordinate_count(&self) -> usize;

    /// Number of generalized velocities, `n_v`.
    fn velocity_count(&self) -> usize;

    /// Checks that `coordinates` describe a position. Callers use it once on user input.
    ///
    /// The default implementation checks length and finiteness; systems with quaternions also check their norms.
    ///
    /// # Errors
    ///
    /// See [`CoordinateError`].
    fn check_coordinates(&self, coordinates: &[f64]) -> Result<(), CoordinateError> {
        check_finite(coordinates, self.coordinate_count())
    }

    /// Plane or space.
    fn dimension(&self) -> Dimension;

    /// Number of bodies.
    fn body_count(&self) -> usize;

    /// Pose of the frame of `body` in the world; for a free body its center of mass and axes.
    fn pose(&self, coordinates: &[f64], body: usize) -> Isometry3<f64>;

    /// Replaces the content of `poses` by the [poses](Self::pose) of all bodies.
    fn poses(&self, coordinates: &[f64], poses: &mut Vec<Isometry3<f64>>) {
        poses.clear();
        poses.extend((0..self.body_count()).map(|body| self.pose(coordinates, body)));
    }

    /// Writes the mass matrix `M(q)` (`n_v × n_v`, symmetric positive definite; kg, kg·m²).
    fn mass_matrix(&self, coordinates: &[f64], mass_matrix: &mut DMatrix<f64>);

    /// Replaces `columns` (`n_v × k`) by `M(q)⁻¹ columns`.
    fn apply_inverse_mass(&self, coordinates: &[f64], columns: &mut DMatrix<f64>);

    /// Replaces `columns` (`n_v × k`) by `(M(q) + added)⁻¹ columns`, with a symmetric `added` (`n_v × n_v`) that keeps the sum
    /// positive definite, as the implicit part of forces that depend on velocity does. Otherwise, or with another size, the result is not
    /// finite.
    ///
    /// The default implementation factorizes the sum as a dense matrix.
    fn apply_inverse_sum(
        &self,
        coordinates: &[f64],
        added: &AddedMass,
        columns: &mut DMatrix<f64>,
    ) {
        apply_dense_inverse_sum(self, coordinates, added, columns);
    }

    /// Replaces `columns` (`n_v × k`) by a matrix `Y` with `Yᵀ Y = columnsᵀ (M(q) + added)⁻¹ columns`, for an `added` as in
    /// [`apply_inverse_sum`](Self::apply_inverse_sum) or none, and returns `true`; the Delassus operator then takes half of
    /// the solve. A column is zero in the velocities of trees in which it was zero.
    ///
    /// The default changes nothing and returns `false`, which is always correct.
    fn whiten(
        &self,
        coordinates: &[f64],
        added: Option<&AddedMass>,
        columns: &mut DMatrix<f64>,
    ) -> bool {
        let _ = (coordinates, added, columns);
        false
    }

    /// Adds `rate D + displacement K` to `sum` (`n_v × n_v`), with the damping `D` and the stiffness `K` of the smooth forces that are
    /// linear, `−∂k/∂v` and `−∂k/∂q`, symmetric and positive semidefinite. With `rate = h θ` and `displacement = h² θ²` this is what a
    /// θ-method adds to the mass matrix in a step of length `h`. Iterations take it to converge fast, not for their answer: another `D`
    /// or `K`, such as that of a spring near its rest, is allowed.
    ///
    /// The default adds nothing.
    fn add_linear_forces(&self, [rate, displacement]: [f64; 2], sum: &mut DMatrix<f64>) {
        let _ = (rate, displacement, sum);
    }

    /// Writes all smooth forces `k(q, v, t)` (length `n_v`; N, N·m): gravity, actuation and the gyroscopic or
    /// Coriolis terms, with the sign of `M v̇ = k`.
    fn smooth_forces(&self, coordinates: &[f64], velocity: &[f64], time: f64, forces: &mut [f64]);

    /// Writes the forces `M(q) a − k(q, v, t)` (length `n_v`; N, N·m) that must act beside the smooth ones for `a` (length `n_v`;
    /// m/s², rad/s²) to be the acceleration.
    ///
    /// The default implementation multiplies by a dense mass matrix and allocates it, unless `a` is zero; the systems of this crate
    /// do neither.
    fn inverse_dynamics(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        acceleration: &[f64],
        time: f64,
        forces: &mut [f64],
    ) {
        self.smooth_forces(coordinates, velocity, time, forces);
        forces.iter_mut().for_each(|force| *force = -*force);
        if acceleration.iter().any(|entry| *entry != 0.0) {
            let count = acceleration.len();
            let mut mass = DMatrix::zeros(count, count);
            self.mass_matrix(coordinates, &mut mass);
            let needed = mass * DVectorView::from_slice(acceleration, count);
            forces.iter_mut().zip(&needed).for_each(|(force, needed)| *force += needed);
        }
    }

    /// [`inverse_dynamics`](Self::inverse_dynamics) (`forces` of length `n_v`; N, N·m) with inertia and gravity of the state `bodies`, and
    /// forces of joints at `coordinates` and `velocity`. The caller chooses `bodies` so near that the rest does not notice. Where the
    /// state of a tree in `bodies` is that of an earlier call, there is little to compute.
    ///
    /// The default has all forces at `coordinates` and `velocity`.
    fn inverse_dynamics_near(
        &self,
        bodies: Near<'_>,
        coordinates: &[f64],
        velocity: &[f64],
        acceleration: &[f64],
        time: f64,
        forces: &mut [f64],
    ) {
        let _ = bodies;
        self.inverse_dynamics(coordinates, velocity, acceleration, time, forces);
    }

    /// Writes the velocity `v_f` (`n_v × 1`) after a step of length `step` (s) with the smooth forces only, with the
    /// mass matrix at `coordinates`. It is the free velocity of schemes that keep the coordinates fixed during a
    /// step.
    ///
    /// The default implementation treats all forces explicitly, `v_f = v + h M(q)⁻¹ k(q, v, t)`. This is accurate to
    /// first order and gains energy of second order in the step if forces depend on velocity. Systems of freely
    /// rotating bodies treat the gyroscopic torque implicitly. In a mechanism the Coriolis forces do work,
    /// `½ vᵀ Ṁ v`, which no choice of `v_f` at fixed coordinates balances exactly. Trees therefore use the default,
    /// and the energy account of a step shows its error.
    ///
    /// # Errors
    ///
    /// See [`SmoothVelocityError`]. Entries that are not finite are written unchanged.
    fn smooth_velocity(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        time: f64,
        step: f64,
        end: &mut DMatrix<f64>,
    ) -> Result<(), SmoothVelocityError> {
        self.smooth_forces(coordinates, velocity, time, end.as_mut_slice());
        self.apply_inverse_mass(coordinates, end);
        for (v, start) in end.as_mut_slice().iter_mut().zip(velocity) {
            *v = start + step * *v;
        }
        Ok(())
    }

    /// Whether `T(q ⊕ s v, v) = T(q, v)` for the kinetic energy `T`, all velocities `v` and all `s`. This holds if
    /// the mass matrix is constant, and for bodies that rotate about their own angular velocity.
    ///
    /// Schemes that move by `q' = q ⊕ h v'` then use the mass matrix at `q`, for which their energy balance is
    /// exact. The default is `false`.
    fn retract_keeps_kinetic_energy(&self) -> bool {
        false
    }

    /// Writes `q̇ = N(q) v` (length `n_q`).
    fn coordinate_rate(&self, coordinates: &[f64], velocity: &[f64], rate: &mut [f64]);

    /// Writes `q ⊕ d` (length `n_q`): the result of moving from `q` along the tangent vector `d` (length `n_v`; a
    /// velocity times a time). Quaternions stay normalized; `q ⊕ 0 = q`; `d/ds (q ⊕ s v) = N(q) v` at 0.
    fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]);

    /// Writes the tangent vector `d` (length `n_v`) with `from ⊕ d = to`: the inverse of [`retract`](Self::retract).
    /// Quaternions of opposite sign are the same rotation.
    ///
    /// The default implementation, `to − from`, is correct if `retract` adds, which requires `n_q = n_v`.
    fn difference(&self, from: &[f64], to: &[f64], tangent: &mut [f64]) {
        debug_assert_eq!(from.len(), tangent.len(), "the default needs n_q = n_v");
        for ((d, a), b) in tangent.iter_mut().zip(from).zip(to) {
            *d = b - a;
        }
    }

    /// A range of velocities that contains all that move `body` and all that the mass matrix couples to them at any
    /// coordinates: those of its kinematic tree.
    ///
    /// Outside the range, rows of points of `body` are zero, and so are the entries of `M(q)` that have one index
    /// inside. The default, all velocities, is always correct; a smaller range allows contacts of different trees to
    /// be treated separately.
    fn tree_velocities(&self, body: usize) -> Range<usize> {
        let _ = body;
        0..self.velocity_count()
    }

    /// The coordinates that the velocities of [`tree_velocities`](Self::tree_velocities) change: rows and masses in that range depend on
    /// no others. The default, all coordinates, is always correct.
    fn tree_coordinates(&self, body: usize) -> Range<usize> {
        let _ = body;
        0..self.coordinate_count()
    }

    /// Adds `scale · directionᵀ J_point(q)` to `row` (length `n_v`), where `J_point(q) v` is the world
    /// velocity of the point of `body` that is now at the world position `point`.
    ///
    /// Every row of every contact Jacobian is a difference of two such rows.
    fn add_point_row(
        &self,
        coordinates: &[f64],
        body: usize,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        scale: f64,
        row: &mut [f64],
    );

    /// Does the same for several directions, each with a row of its own; `rows` are one after another. The bits are those of
    /// [`add_point_row`](Self::add_point_row), of which the default is made.
    fn add_point_rows(
        &self,
        coordinates: &[f64],
        body: usize,
        point: &Vector3<f64>,
        directions: &[Vector3<f64>],
        scale: f64,
        rows: &mut [f64],
    ) {
        let each = directions.iter().zip(rows.chunks_exact_mut(self.velocity_count().max(1)));
        for (direction, row) in each {
            self.add_point_row(coordinates, body, point, direction, scale, row);
        }
    }

    /// The velocity of the frame of `body`: that of its origin, and the angular velocity.
    ///
    /// The default implementation uses point rows and allocates; the systems of this crate have closed forms.
    fn body_velocity(&self, coordinates: &[f64], velocity: &[f64], body: usize) -> BodyVelocity {
        BodyVelocity::from_point_rows(self, coordinates, velocity, body)
    }

    /// The velocity product `J̇_point v` (m/s², world axes): the acceleration, while `v̇ = 0`, of the point of
    /// `body` that is now at the world position `point`.
    ///
    /// For a point at the arm `r` of a free body it is the centripetal acceleration `ω × (ω × r)`.
    ///
    /// The default implementation takes [differences](crate::system::difference) and allocates; the systems of this
    /// crate have closed forms.
    fn point_bias(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        body: usize,
        point: &Vector3<f64>,
    ) -> Vector3<f64> {
        point_bias_by_differences(self, coordinates, velocity, body, point)
    }

    /// Power of the smooth forces without a potential (W): dampers, drives, torques. Forces with a potential, and
    /// the gyroscopic and Coriolis terms, conserve the energy and are not included.
    ///
    /// The default implementation is `vᵀ k + d/ds E(q ⊕ s v, v)` at `s = 0`, by
    /// [differences](crate::system::difference), and allocates; the systems of this crate have closed forms.
    fn other_power(&self, coordinates: &[f64], velocity: &[f64], time: f64) -> f64 {
        let (mut exchanged, mut forces) = ([0.0], vec![0.0; velocity.len()]);
        let energy = |moved: &[f64], value: &mut [f64]| {
            let (kinetic, potential) =
                (self.kinetic_energy(moved, velocity), self.potential_energy(moved));
            value[0] = kinetic + potential;
            kinetic.abs() + potential.abs()
        };
        difference::along(self, coordinates, velocity, 0.0, energy, &mut exchanged);
        let [exchanged] = exchanged;
        self.smooth_forces(coordinates, velocity, time, &mut forces);
        exchanged + forces.iter().zip(velocity).map(|(k, v)| k * v).sum::<f64>()
    }

    /// Potential energy `V(q)` (J) of the conservative part of the smooth forces.
    fn potential_energy(&self, coordinates: &[f64]) -> f64;

    /// Kinetic energy `½ vᵀ M(q) v` (J).
    fn kinetic_energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64;

    /// Kinetic and potential energy (J) of a state from what is known at a position `place` (length `n_q`) near it: the kinetic energy is
    /// that of `velocity` at `place`, and the potential energy is right to first order in the displacement from there.
    ///
    /// The default has both at `coordinates`.
    ///
    /// # Example
    ///
    /// A point of 2 kg on an arm of 3 m is 0.01 rad above the horizontal: `2 · 9.81 · 3 · 0.01 = 0.5886 J`.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_dynamics::{Articulated, Joint, Link, MassProperties, System};
    ///
    /// let bob = MassProperties::point(2.0)?.translated(&Vector3::new(3.0, 0.0, 0.0));
    /// let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(bob);
    /// let pendulum = Articulated::new(vec![arm], Vector3::new(0.0, -9.81, 0.0))?;
    /// let [kinetic, potential] = pendulum.energies_near(&[0.0], &[0.01], &[0.1]);
    /// assert!((kinetic - 0.09).abs() < 1e-15);
    /// assert!((potential - 0.5886).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn energies_near(&self, place: &[f64], coordinates: &[f64], velocity: &[f64]) -> [f64; 2] {
        let _ = place;
        [self.kinetic_energy(coordinates, velocity), self.potential_energy(coordinates)]
    }

    /// Total energy (J).
    fn energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        self.kinetic_energy(coordinates, velocity) + self.potential_energy(coordinates)
    }
}

/// A state near another one, for [`System::inverse_dynamics_near`].
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// Coordinates (length `n_q`).
    pub coordinates: &'a [f64],
    /// Velocity (length `n_v`; m/s, rad/s).
    pub velocity: &'a [f64],
}

/// [`System::apply_inverse_sum`] for any matrix.
pub(crate) fn apply_dense_inverse_sum<S: System + ?Sized>(
    system: &S,
    coordinates: &[f64],
    added: &AddedMass,
    columns: &mut DMatrix<f64>,
) {
    let n = system.velocity_count();
    let mut sum = DMatrix::zeros(n, n);
    system.mass_matrix(coordinates, &mut sum);
    let has_size = added.matrix().shape() == sum.shape();
    let factors = has_size.then(|| Cholesky::new(sum + added.matrix())).flatten();
    match factors {
        Some(factors) => factors.solve_mut(columns),
        None => columns.fill(f64::NAN),
    }
}

/// `f'(0)` for the velocity `f(s)` of the point at `q ⊕ s v`.
pub(crate) fn point_bias_by_differences<S: System + ?Sized>(
    system: &S,
    coordinates: &[f64],
    velocity: &[f64],
    body: usize,
    point: &Vector3<f64>,
) -> Vector3<f64> {
    let point = Point3::from(*point);
    let local = system.pose(coordinates, body).inverse_transform_point(&point);
    let mut row = vec![0.0; velocity.len()];
    let velocity_of_point = |moved: &[f64], rate: &mut [f64]| {
        let position = (system.pose(moved, body) * local).coords;
        let mut terms = 0.0_f64;
        for (k, rate) in rate.iter_mut().enumerate() {
            row.fill(0.0);
            system.add_point_row(moved, body, &position, &Vector3::ith(k, 1.0), 1.0, &mut row);
            *rate = row.iter().zip(velocity).map(|(j, v)| j * v).sum();
            terms = terms.max(row.iter().zip(velocity).map(|(j, v)| (j * v).abs()).sum());
        }
        terms
    };
    let mut bias = Vector3::zeros();
    let arm = local.coords.norm();
    difference::along(system, coordinates, velocity, arm, velocity_of_point, bias.as_mut_slice());
    bias
}

/// Checks the length and the finiteness of coordinates.
pub(crate) fn check_finite(coordinates: &[f64], expected: usize) -> Result<(), CoordinateError> {
    if coordinates.len() != expected {
        return Err(CoordinateError::Length { expected, found: coordinates.len() });
    }
    match coordinates.iter().enumerate().find(|(_, c)| !c.is_finite()) {
        Some((index, &value)) => Err(CoordinateError::NotFinite { index, value }),
        None => Ok(()),
    }
}
