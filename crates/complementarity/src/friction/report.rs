//! Status, report and errors of the solvers for many contacts.

use nalgebra::Vector3;

use super::{Delassus, Law, Problem, law};

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
        let still = problem.free_velocity().iter().all(|free| *free == Vector3::zeros());
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
