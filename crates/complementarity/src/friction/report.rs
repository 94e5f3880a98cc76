//! Status, report and errors of the solvers for many contacts.

use nalgebra::Vector3;

use super::{
    Delassus, Law, Problem, ProblemError, law,
    problem::{rounding, scale_of},
    single::{Contact, figures::Figures},
};

/// The status at the end of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// The impulses meet the tolerance: the relative residual was confirmed on the problem itself, with
    /// [compensated sums](crate::compensated) where rounding could have affected the decision.
    Solved,
    /// The maximum number of iterations was reached; the impulses are the best iterate.
    IterationLimit,
    /// No further progress was possible; the impulses are the best iterate.
    Stalled,
    /// There is no solution: [`Infeasibility::find`](super::Infeasibility::find) returns an
    /// [`Infeasibility`](super::Infeasibility) that proves it. The impulses are the best iterate.
    Infeasible,
}

/// The outcome of a solve besides the impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// The status at the end of the solve.
    pub status: Status,
    /// Number of sweeps, Newton steps or gradient steps, as the solver's documentation states.
    pub iterations: usize,
    /// [`Problem::natural_map_residual`](super::Problem::natural_map_residual) of the impulses (m/s), with
    /// compensated velocities if only these show that the tolerance is missed.
    pub residual: f64,
    /// [`Problem::relative_residual`](super::Problem::relative_residual) of the impulses.
    pub relative_residual: f64,
}

impl Report {
    /// The report of `impulses` (N·s) that solve a problem of these `contacts` to a relative `tolerance`, judged by their
    /// velocities `W p + u_f` (m/s) and the free velocities `u_f` without the operator `W`; otherwise `None`, also where
    /// rounding leaves it open. All slices have one entry for each contact.
    ///
    /// A program that can compute `W p` in another way, such as by the dynamics of a mechanism, needs no `W` where the impulses of
    /// the step before still solve the problem.
    ///
    /// # Errors
    ///
    /// [`ProblemError::Length`] and [`ProblemError::FreeVelocity`].
    ///
    /// # Example
    ///
    /// A block of 2 kg that gravity presses to the floor with 0.2 N·s in a step.
    ///
    /// ```
    /// use nalgebra::{Matrix3, vector};
    /// use percussion_complementarity::friction::{Law, Report, single::Contact};
    ///
    /// let block = [Contact::new(&Matrix3::from_diagonal_element(0.5), 0.3)?];
    /// let free = [vector![-0.1, 0.0, 0.0]];
    /// let at = |p: f64| [vector![p, 0.0, 0.0]];
    /// let held = Report::of_solution(Law::Coulomb, &block, &at(0.2), [&at(0.0), &free], 1e-8)?;
    /// assert_eq!(held.ok_or("it is held")?.iterations, 0);
    /// let falls = Report::of_solution(Law::Coulomb, &block, &at(0.1), [&at(-0.05), &free], 1e-8)?;
    /// assert!(falls.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_solution(
        law: Law,
        contacts: &[Contact],
        impulses: &[Vector3<f64>],
        [velocities, free_velocity]: [&[Vector3<f64>]; 2],
        tolerance: f64,
    ) -> Result<Option<Self>, ProblemError> {
        let expected = contacts.len();
        for (name, found) in [
            ("impulses", impulses.len()),
            ("velocities", velocities.len()),
            ("free_velocity", free_velocity.len()),
        ] {
            if found != expected {
                return Err(ProblemError::Length { name, found, expected });
            }
        }
        let scale = scale_of(free_velocity)?;
        let each = contacts.iter().zip(impulses).zip(velocities);
        let residual = each.fold(0.0, |largest: f64, ((contact, impulse), velocity)| {
            largest.max(Figures::of(law, contact, impulse, velocity).largest())
        });
        let open = rounding(impulses, contacts.iter().map(Contact::inverse_mass));
        // As in a solve: without any velocity there is none to which a residual could be relative.
        let target = if is_still(free_velocity) { 0.0 } else { tolerance * scale };
        let solves = residual + open <= target;
        let relative_residual = residual / scale;
        Ok(solves.then_some(Self {
            status: Status::Solved,
            iterations: 0,
            residual,
            relative_residual,
        }))
    }
}

/// The reason why a solver could not start; shared by all solvers.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The start does not have one impulse per contact.
    #[error("start has {found} impulses, expected {expected}")]
    StartLength {
        /// Number of contacts.
        expected: usize,
        /// Number found.
        found: usize,
    },
    /// An entry of the start is NaN or infinite.
    #[error("start of contact {contact} is {value}, expected finite numbers")]
    StartEntry {
        /// The contact.
        contact: usize,
        /// The entry.
        value: f64,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
    /// The solver does not support the law of the problem.
    #[error("`law` is {law}, expected {}: this solver has no rule for others", law::names(solved))]
    Law {
        /// The law of the problem.
        law: Law,
        /// The laws that the solver supports.
        solved: &'static [Law],
    },
    /// The solver does not support problems with blocks.
    #[error(
        "`blocks` are given, expected a problem of discs: {solver} does not support blocks; combined, block-gauss-seidel and alternating-directions do"
    )]
    Blocks {
        /// Name of the solver.
        solver: &'static str,
    },
    /// Sweeps have no closed form of the convex relaxation.
    #[error(
        "`model` is convex-relaxation, expected coulomb: block-gauss-seidel does not support it; combined and alternating-directions do"
    )]
    Relaxation,
}

/// Refuses a law that is not in `solved`, the laws that the solver supports.
pub(super) fn check_law(law: Law, solved: &'static [Law]) -> Result<(), Error> {
    if solved.contains(&law) { Ok(()) } else { Err(Error::Law { law, solved }) }
}

/// Checks a start, and the tolerance that all solvers have.
pub(super) fn check_start(
    contacts: usize,
    start: &[Vector3<f64>],
    tolerance: f64,
) -> Result<(), Error> {
    if start.len() != contacts {
        return Err(Error::StartLength { expected: contacts, found: start.len() });
    }
    for (contact, impulse) in start.iter().enumerate() {
        if let Some(&value) = impulse.iter().find(|value| !value.is_finite()) {
            return Err(Error::StartEntry { contact, value });
        }
    }
    if tolerance.is_nan() || tolerance < 0.0 {
        return Err(Error::Setting { name: "tolerance", value: tolerance, expected: "≥ 0" });
    }
    Ok(())
}

fn is_still(free_velocity: &[Vector3<f64>]) -> bool {
    free_velocity.iter().all(|free| *free == Vector3::zeros())
}

/// The best iterate of a solve so far.
pub(super) struct Record<'a, D> {
    problem: &'a Problem<D>,
    /// The largest residual that solves the problem (m/s).
    pub(super) target: f64,
    impulses: Vec<Vector3<f64>>,
    residual: f64,
    memory: Vec<f64>,
}

impl<'a, D: Delassus> Record<'a, D> {
    /// Creates a record with the start of a solve.
    pub(super) fn new(problem: &'a Problem<D>, tolerance: f64, start: &[Vector3<f64>]) -> Self {
        let mut memory = Vec::new();
        let residual = problem.natural_map_residual_with(start, &mut memory);
        // Without any velocity zero impulses are the answer, and there is no velocity to which another residual
        // could be relative.
        let still = is_still(problem.free_velocity());
        let target = if still { 0.0 } else { tolerance * problem.velocity_scale() };
        let mut record = Self { problem, target, impulses: start.to_vec(), residual, memory };
        if still {
            record.offer(&vec![Vector3::zeros(); start.len()]);
        }
        record
    }

    /// Evaluates an iterate, keeps it if it is the best and returns its residual (m/s).
    pub(super) fn offer(&mut self, impulses: &[Vector3<f64>]) -> f64 {
        let residual = self.problem.natural_map_residual_with(impulses, &mut self.memory);
        if residual < self.residual {
            self.impulses.copy_from_slice(impulses);
            self.residual = residual;
        }
        residual
    }

    /// The residual of the best iterate (m/s).
    pub(super) fn residual(&self) -> f64 {
        self.residual
    }

    /// Whether the best iterate meets the tolerance.
    pub(super) fn solved(&self) -> bool {
        self.residual <= self.target
    }

    /// Returns the best iterate; `otherwise` is the status if it does not meet the tolerance.
    ///
    /// If rounding could hide that the iterate misses the tolerance, its residual is recomputed with
    /// compensated sums.
    pub(super) fn finish(
        mut self,
        impulses: &mut [Vector3<f64>],
        iterations: usize,
        otherwise: Status,
    ) -> Report {
        let mut status = otherwise;
        if self.solved() {
            status = Status::Solved;
            if self.residual + 4.0 * self.problem.rounding(&self.impulses) > self.target {
                let figures = self.problem.compensated_figures(&self.impulses);
                if figures.largest() > self.target {
                    self.residual = figures.largest();
                    status = Status::Stalled;
                }
            }
        }
        impulses.copy_from_slice(&self.impulses);
        Report {
            status,
            iterations,
            residual: self.residual,
            relative_residual: self.residual / self.problem.velocity_scale(),
        }
    }
}
