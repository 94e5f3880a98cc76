//! Several constraints together: [`ConstraintSet`] with rank, multipliers and projections.
//!
//! A basis `B` of the span of the equations, orthonormal in the metric of the mass matrix, and the impulses `P` that
//! cause it ([`Span`], `Bᵀ M B = I`, `Gᵀ P = M B`) give
//!
//! ```math
//! (G M^{-1} G^\mathsf{T})^{+} = P\, P^\mathsf{T}, \qquad
//! M^{-1} G^\mathsf{T} (G M^{-1} G^\mathsf{T})^{+} = B\, P^\mathsf{T}.
//! ```
//!
//! Redundant equations make `G M⁻¹ Gᵀ` singular. The motion is nevertheless unique. Of all multipliers that cause
//! it, this inverse gives those of least norm, with each row measured by its own size `√(G_i M⁻¹ G_iᵀ)`:
//!
//! ```math
//! \begin{aligned}
//! M \dot v &= k + G^\mathsf{T} \lambda, \quad G \dot v = -\gamma
//! &&\Rightarrow\quad \lambda = -(G M^{-1} G^\mathsf{T})^{+} (\gamma + G M^{-1} k), \\
//! M (v^+ - v) &= G^\mathsf{T} p, \quad G v^+ = 0
//! &&\Rightarrow\quad p = -(G M^{-1} G^\mathsf{T})^{+} G v, \\
//! q &\leftarrow q \oplus d, \quad d = -B\, P^\mathsf{T} \varphi
//! &&\text{until } \lVert\varphi\rVert_\infty \text{ is small.}
//! \end{aligned}
//! ```
//!
//! - **Needs** a positive definite mass matrix. Positions converge quadratically from nearby, where the rank is
//!   constant; steps that do not reduce `‖φ‖` are halved.
//! - **Does not** determine which equations are redundant. A singular position (a flat parallelogram) is only
//!   indicated by the rank, which is smaller there than nearby, and by the smallest part that a row adds to the
//!   others ([`Linearization::smallest_part`]). Equations that are redundant at the exact position count as
//!   redundant at positions that deviate by less than about `1e-8` of the size of the mechanism.
//! - **Cost** a Cholesky factorisation (`n³/3`) and `6 m n r` operations for each position; allocates.
//! - **Deterministic**.
//!
//! # Source
//!
//! F. E. Udwadia, R. E. Kalaba, "A new perspective on constrained motion", *Proceedings of the Royal
//! Society A* 439 (1992) 407–410 (the pseudo-inverse in the metric of the mass matrix).

use std::ops::Range;

use nalgebra::{Cholesky, DMatrix, DVector, DVectorView};
use percussion_complementarity::elimination::{self, Span};

use super::{EqualityConstraint, Error as ConstraintError};
use crate::system::{CoordinateError, System};

#[cfg(test)]
mod tests;

/// Settings of a [`ConstraintSet`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Maximum `|φ_i|` (m or rad) after [`ConstraintSet::project_position`]; default `1e-12`, some thousand rounding
    /// errors of lengths of 1 m.
    pub position_tolerance: f64,
    /// Maximum number of Newton steps of a position projection; default 20.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { position_tolerance: 1e-12, max_iterations: 20 }
    }
}

/// The reason why constraints could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A constraint does not match the system.
    #[error("constraint {constraint}: {source}")]
    Constraint {
        /// Index of the constraint.
        constraint: usize,
        /// The reason.
        source: ConstraintError,
    },
    /// The coordinates are not a position of the system.
    #[error(transparent)]
    Coordinates(#[from] CoordinateError),
    /// A velocity does not have one finite number per degree of freedom.
    #[error("velocity must be {expected} finite numbers, got {found} of {length}")]
    Velocity {
        /// Degrees of freedom of the system.
        expected: usize,
        /// Length given.
        length: usize,
        /// Number of finite entries among them.
        found: usize,
    },
    /// A setting is outside its range.
    #[error("setting `{field}` is {value:?}, expected {expected}")]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
    /// The mass matrix has no Cholesky factor.
    #[error("the mass matrix is not positive definite at these coordinates")]
    MassMatrix,
    /// An entry of the constraint Jacobian or of its response is not finite.
    #[error("the constraint Jacobian is not finite at these coordinates")]
    Jacobian,
}

/// The outcome of a position projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// The equations hold to the tolerance.
    Converged,
    /// The maximum number of Newton steps was reached.
    IterationLimit,
    /// No fraction of a Newton step reduces the violation: the equations contradict each other in the neighborhood,
    /// or the tolerance is below the rounding error.
    Stalled,
}

/// The report of a position projection.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The outcome.
    pub status: Status,
    /// Newton steps taken.
    pub iterations: usize,
    /// Largest remaining `|φ_i|` (m or rad).
    pub residual: f64,
}

/// The constrained acceleration, and the forces of the constraints.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Acceleration {
    /// `v̇` (length `n_v`).
    pub acceleration: DVector<f64>,
    /// `λ`, one per row, of least norm if rows are redundant: the generalized force of the constraints is `Gᵀ λ` (N
    /// or N·m).
    pub multipliers: DVector<f64>,
    /// Maximum `|G v̇ + γ|`: above rounding only if the equations contradict each other.
    pub residual: f64,
}

/// Constraints of one system, stacked row by row.
///
/// # Example
///
/// A pendulum of 2 kg on a rod of 1.5 m, made of a free body and two identical constraints. At rest below its hook,
/// each carries half of the weight of `2 · 10 = 20 N`.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::{Anchor, PlanarBodies, PlanarBody, constraint::Distance};
/// use percussion_dynamics::constraint::set::{ConstraintSet, Settings};
///
/// let bob = PlanarBody::new(2.0, 1.0);
/// let system = PlanarBodies::new(vec![bob], Vector2::new(0.0, -10.0))?;
/// let hook = Anchor::in_world(Vector3::zeros());
/// let rod = Distance::new(Anchor::on_body(0, Vector3::zeros()), hook, 1.5)?;
/// let set = ConstraintSet::new(&system, vec![Box::new(rod), Box::new(rod)])?;
///
/// let at = set.linearize(&system, &[0.0, -1.5, 0.0], &Settings::default())?;
/// assert_eq!((at.rank(), at.redundancy()), (1, 1));
/// let hanging = at.acceleration(&[0.0; 3], 0.0)?;
/// assert!(hanging.acceleration.norm() < 1e-14);
/// // The rows point from the hook down to the bob, and the rod pulls up.
/// assert!(hanging.multipliers.iter().all(|force| (force + 10.0).abs() < 1e-13));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ConstraintSet {
    constraints: Vec<Box<dyn EqualityConstraint>>,
    /// Rows of each constraint.
    rows: Vec<Range<usize>>,
    /// All rows with a `φ`, in order.
    holonomic: Vec<usize>,
}

impl ConstraintSet {
    /// Stacks `constraints`, which must all belong to `system`; every later call needs the same system.
    ///
    /// # Errors
    ///
    /// [`Error::Constraint`].
    pub fn new(
        system: &dyn System,
        constraints: Vec<Box<dyn EqualityConstraint>>,
    ) -> Result<Self, Error> {
        let mut set = Self::default();
        let mut first = 0;
        for (index, constraint) in constraints.iter().enumerate() {
            constraint
                .check(system)
                .map_err(|source| Error::Constraint { constraint: index, source })?;
            let end = first + constraint.row_count(system);
            set.holonomic.extend(first..first + constraint.holonomic_count(system));
            set.rows.push(first..end);
            first = end;
        }
        Ok(Self { constraints, ..set })
    }

    /// The constraints.
    #[must_use]
    pub fn constraints(&self) -> &[Box<dyn EqualityConstraint>] {
        &self.constraints
    }

    /// Number of rows `m`.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows.last().map_or(0, |rows| rows.end)
    }

    /// The rows of `constraint`, or `None` if there is no such constraint.
    #[must_use]
    pub fn rows(&self, constraint: usize) -> Option<Range<usize>> {
        self.rows.get(constraint).cloned()
    }

    /// `φ(q)` (length `m`; m or rad), zero in the non-holonomic rows, and the Jacobian `G(q)`
    /// (`m × n_v`).
    #[must_use]
    pub fn evaluate(
        &self,
        system: &dyn System,
        coordinates: &[f64],
    ) -> (DVector<f64>, DMatrix<f64>) {
        let mut value = DVector::zeros(self.row_count());
        let mut jacobian = DMatrix::zeros(self.row_count(), system.velocity_count());
        for (constraint, rows) in self.constraints.iter().zip(&self.rows) {
            let value = &mut value.as_mut_slice()[rows.clone()];
            constraint.evaluate(system, coordinates, value, &mut jacobian, rows.start);
        }
        (value, jacobian)
    }

    /// The bias `γ = Ġ v` (length `m`; m/s² or rad/s²).
    #[must_use]
    pub fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64]) -> DVector<f64> {
        let mut bias = DVector::zeros(self.row_count());
        for (constraint, rows) in self.constraints.iter().zip(&self.rows) {
            let bias = &mut bias.as_mut_slice()[rows.clone()];
            constraint.bias(system, coordinates, velocity, bias);
        }
        bias
    }

    /// Factors the constraints at one position.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn linearize<'a>(
        &'a self,
        system: &'a dyn System,
        coordinates: &'a [f64],
        settings: &Settings,
    ) -> Result<Linearization<'a>, Error> {
        settings.check()?;
        system.check_coordinates(coordinates)?;
        let (_, jacobian) = self.evaluate(system, coordinates);
        let groups = self.rows.iter().cloned();
        let span = span(system, coordinates, &jacobian, groups)?;
        Ok(Linearization { set: self, system, coordinates, jacobian, span })
    }

    /// Moves `coordinates` until the holonomic equations hold. Each step is the shortest in the metric of the mass
    /// matrix.
    ///
    /// Whatever the status, `coordinates` is the best position found.
    ///
    /// # Errors
    ///
    /// See [`Error`]; not converging is a [`Status`].
    pub fn project_position(
        &self,
        system: &dyn System,
        coordinates: &mut [f64],
        settings: &Settings,
    ) -> Result<Report, Error> {
        settings.check()?;
        system.check_coordinates(coordinates)?;
        let (mut value, mut jacobian) = self.evaluate_holonomic(system, coordinates);
        let groups = self.holonomic_groups();
        let mut report =
            Report { status: Status::IterationLimit, iterations: 0, residual: amax(&value) };
        loop {
            if report.residual <= settings.position_tolerance {
                report.status = Status::Converged;
                return Ok(report);
            }
            if report.iterations == settings.max_iterations {
                return Ok(report);
            }
            let span = span(system, coordinates, &jacobian, groups.iter().cloned())?;
            let (step, _) = span.shortest_step(&-&value);
            let Some(moved) = self.reduce(system, coordinates, &step, value.norm()) else {
                report.status = Status::Stalled;
                return Ok(report);
            };
            coordinates.copy_from_slice(&moved);
            (value, jacobian) = self.evaluate_holonomic(system, coordinates);
            report.iterations += 1;
            report.residual = amax(&value);
        }
    }

    /// `q ⊕ s d` with the first `s` of 1, ½, ¼, … that makes `‖φ‖` smaller than `norm`; `None` if thirty halvings do
    /// not.
    fn reduce(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        step: &DVector<f64>,
        norm: f64,
    ) -> Option<Vec<f64>> {
        let mut moved = coordinates.to_vec();
        (0..30).map(|halvings| 0.5_f64.powi(halvings)).find_map(|scale| {
            system.retract(coordinates, (scale * step).as_slice(), &mut moved);
            let (value, _) = self.evaluate_holonomic(system, &moved);
            (value.norm() < norm).then(|| moved.clone())
        })
    }

    /// The rows of each constraint among the holonomic ones.
    fn holonomic_groups(&self) -> Vec<Range<usize>> {
        let before = |row: usize| self.holonomic.partition_point(|&holonomic| holonomic < row);
        self.rows.iter().map(|rows| before(rows.start)..before(rows.end)).collect()
    }

    fn evaluate_holonomic(
        &self,
        system: &dyn System,
        coordinates: &[f64],
    ) -> (DVector<f64>, DMatrix<f64>) {
        let (value, jacobian) = self.evaluate(system, coordinates);
        (value.select_rows(&self.holonomic), jacobian.select_rows(&self.holonomic))
    }
}

impl Settings {
    fn check(&self) -> Result<(), Error> {
        if self.position_tolerance.is_nan() || self.position_tolerance < 0.0 {
            let (field, value) = ("position_tolerance", self.position_tolerance);
            return Err(Error::Setting { field, value, expected: "a number of at least 0" });
        }
        Ok(())
    }
}

/// The constraints of a [`ConstraintSet`] at one position, factored once for several uses.
#[derive(Debug)]
pub struct Linearization<'a> {
    set: &'a ConstraintSet,
    system: &'a dyn System,
    coordinates: &'a [f64],
    jacobian: DMatrix<f64>,
    span: Span,
}

impl Linearization<'_> {
    /// The Jacobian `G` (`m × n_v`).
    #[must_use]
    pub fn jacobian(&self) -> &DMatrix<f64> {
        &self.jacobian
    }

    /// Number of independent equations.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.span.rank()
    }

    /// Number of equations that follow from the others, `m − r`.
    #[must_use]
    pub fn redundancy(&self) -> usize {
        self.jacobian.nrows() - self.rank()
    }

    /// Number of remaining degrees of freedom, `n_v − r`.
    #[must_use]
    pub fn mobility(&self) -> usize {
        self.jacobian.ncols() - self.rank()
    }

    /// The smallest remaining fraction of an independent equation after subtraction of those before it, in
    /// `(√eps, 1]`. Near the lower end the position is nearly singular.
    #[must_use]
    pub const fn smallest_part(&self) -> f64 {
        self.span.smallest
    }

    /// Replaces `velocity` by `v⁺ = v − M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ G v`, the velocity nearest in kinetic energy that the
    /// constraints allow, and returns the impulses of smallest norm (N·s or N·m·s).
    ///
    /// This is also the effect of a shock on the constraints, such as a sudden closing of a loop.
    ///
    /// # Errors
    ///
    /// [`Error::Velocity`].
    pub fn project_velocity(&self, velocity: &mut [f64]) -> Result<DVector<f64>, Error> {
        self.check_velocity(velocity)?;
        let violation = -(&self.jacobian * DVectorView::from_slice(velocity, velocity.len()));
        let (change, impulses) = self.span.shortest_step(&violation);
        velocity.iter_mut().zip(change.iter()).for_each(|(v, change)| *v += change);
        Ok(impulses)
    }

    /// The acceleration under the smooth forces of the system at time `time` (s), and the multipliers.
    ///
    /// The velocity should satisfy `G v = 0`; it is not changed.
    ///
    /// # Errors
    ///
    /// [`Error::Velocity`].
    pub fn acceleration(&self, velocity: &[f64], time: f64) -> Result<Acceleration, Error> {
        self.check_velocity(velocity)?;
        let mut free = DMatrix::zeros(velocity.len(), 1);
        self.system.smooth_forces(self.coordinates, velocity, time, free.as_mut_slice());
        self.system.apply_inverse_mass(self.coordinates, &mut free);
        let mut acceleration = DVector::from_column_slice(free.as_slice());
        let bias = self.set.bias(self.system, self.coordinates, velocity);
        let missing = -(&self.jacobian * &acceleration + &bias);
        let (change, multipliers) = self.span.shortest_step(&missing);
        acceleration += change;
        let residual = amax(&(&self.jacobian * &acceleration + bias));
        Ok(Acceleration { acceleration, multipliers, residual })
    }

    fn check_velocity(&self, velocity: &[f64]) -> Result<(), Error> {
        let (expected, length) = (self.jacobian.ncols(), velocity.len());
        let found = velocity.iter().filter(|v| v.is_finite()).count();
        if length == expected && found == expected {
            Ok(())
        } else {
            Err(Error::Velocity { expected, length, found })
        }
    }
}

/// The span of the rows of `jacobian` at these coordinates, in `groups` of one constraint each.
fn span(
    system: &dyn System,
    coordinates: &[f64],
    jacobian: &DMatrix<f64>,
    groups: impl Iterator<Item = Range<usize>>,
) -> Result<Span, Error> {
    let (rows, n) = jacobian.shape();
    let mut responses = jacobian.transpose();
    if rows > 0 && n > 0 {
        let mut mass = DMatrix::zeros(n, n);
        system.mass_matrix(coordinates, &mut mass);
        Cholesky::new(mass).ok_or(Error::MassMatrix)?.solve_mut(&mut responses);
    }
    if !jacobian.iter().chain(&responses).all(|entry| entry.is_finite()) {
        return Err(Error::Jacobian);
    }
    let mut jacobian = jacobian.clone();
    elimination::drop_rounding(&mut jacobian, &mut responses, groups);
    Ok(Span::new(&jacobian, &responses))
}

/// Largest absolute entry; 0 if there are none.
fn amax(vector: &DVector<f64>) -> f64 {
    vector.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()))
}
