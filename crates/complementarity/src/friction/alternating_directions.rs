//! Alternating directions (ADMM): one factorization, then many cheap steps.
//!
//! With penalties `ρ_i = c w_i`, `w_i` the inverse mass of the contact, and De Saxcé's `s_i = μ_i ‖û_T‖ n`,
//!
//! ```math
//! p \leftarrow (W + \rho)^{-1}\bigl(\rho\,(q - y) - u_f - s\bigr),\quad
//! \bar p = \alpha p + (1-\alpha) q,\quad q \leftarrow \Pi_K(\bar p + y),\quad y \leftarrow y + \bar p - q,
//! ```
//!
//! where `û = −ρ y` is the modified velocity at convergence; `s` is updated from it in every step.
//!
//! - **Needs** nothing for problems without slip: there it always converges, slowly if `c` is badly chosen.
//!   With slip it is a fixed-point iteration that usually converges.
//! - **Cost** one dense LU factorization of size `3n`, `18 n³` flops, then `18 n²` flops per step.
//! - **Deterministic**: single-threaded.
//!
//! # Source
//!
//! S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein, "Distributed optimization and statistical learning via the
//! alternating direction method of multipliers", *Foundations and Trends in Machine Learning* 3 (2011) 1–122; for friction:
//! V. Acary, Y. Kanno, N. Molino, "Application of ADMM to frictional contact problems", 2018, and J. Carpentier, Q. Le Lidec,
//! L. Montaut, "From compliant to rigid contact simulation: a unified and efficient approach", *RSS* 2024.

use nalgebra::{DVector, Vector3};

use super::{
    Delassus, Law, Problem, Report, Status, cone,
    report::{Error, Record, check_law, check_start},
    rescaled::InUnits,
};
use crate::factorization::Factorization;

/// The laws that [`solve`] supports.
pub const LAWS: &[Law] = &[Law::Coulomb];

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-8`).
    pub tolerance: f64,
    /// Maximum number of steps (default `10_000`).
    pub max_steps: usize,
    /// Penalty `c > 0`, relative to the inverse masses (default 0.3): larger for stiff sticking, smaller for open contacts.
    pub penalty: f64,
    /// Over-relaxation `α` in `(0, 2)` (default 1.6).
    pub relaxation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_steps: 10_000, penalty: 0.3, relaxation: 1.6 }
    }
}

/// Solves `problem` by Coulomb's law in place, starting from `impulses` (N·s, one per contact).
///
/// On return `impulses` is the iterate with the smallest residual. [`Report::iterations`] counts steps.
///
/// # Errors
///
/// See [`Error`], also for a problem whose law is not among [`LAWS`]; `impulses` are then untouched. Not converging is
/// not an error.
///
/// # Example
///
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_complementarity::friction::{Problem, Status, alternating_directions};
///
/// let problem = Problem::from_dense(&(0.5 * DMatrix::identity(3, 3)), &[-2.0, 3.0, 0.0], &[0.5])?;
/// let mut impulses = [Vector3::zeros()];
/// let report = alternating_directions::solve(&problem, &Default::default(), &mut impulses)?;
/// assert_eq!(report.status, Status::Solved);
/// assert!((impulses[0] - Vector3::new(4.0, -2.0, 0.0)).norm() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    check(problem, settings, impulses)?;
    match InUnits::of(problem) {
        Some(units) => {
            units.solve(impulses, |problem, impulses| iterate(problem, settings, impulses))
        }
        None => iterate(problem, settings, impulses),
    }
}

/// [`solve`] for checked input.
fn iterate<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    let n = problem.contact_count();
    let mut record = Record::new(problem, settings.tolerance, impulses);
    let penalties: Vec<f64> = problem
        .inverse_masses()
        .iter()
        .map(|inverse_mass| settings.penalty * inverse_mass)
        .collect();
    let mut system = problem.dense();
    for row in 0..3 * n {
        system[(row, row)] += penalties[row / 3];
    }
    let mut factor = Factorization::new(system);
    let mut feasible: Vec<Vector3<f64>> =
        (0..n).map(|i| cone::project(&impulses[i], problem.contacts()[i].friction())).collect();
    let mut dual: Vec<Vector3<f64>> = vec![Vector3::zeros(); n];
    let mut right = DVector::zeros(3 * n);
    let (mut steps, mut status) = (0, Status::IterationLimit);
    while !record.solved() && steps < settings.max_steps {
        for i in 0..n {
            let friction = problem.contacts()[i].friction();
            let mut target = penalties[i] * (feasible[i] - dual[i]) - problem.free_velocity()[i];
            target.x -= friction * penalties[i] * dual[i].yz().norm();
            right.fixed_rows_mut::<3>(3 * i).copy_from(&target);
        }
        if !factor.solve_mut(&mut right) {
            status = Status::Stalled;
            break;
        }
        for i in 0..n {
            let free: Vector3<f64> = right.fixed_rows::<3>(3 * i).into();
            let relaxed = settings.relaxation * free + (1.0 - settings.relaxation) * feasible[i];
            feasible[i] = cone::project(&(relaxed + dual[i]), problem.contacts()[i].friction());
            dual[i] += relaxed - feasible[i];
        }
        steps += 1;
        let residual = record.offer(&feasible);
        if !residual.is_finite() {
            status = Status::Stalled;
            break;
        }
    }
    Ok(record.finish(impulses, steps, status))
}

fn check<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    impulses: &[Vector3<f64>],
) -> Result<(), Error> {
    check_law(problem.law(), LAWS)?;
    check_start(problem.contact_count(), impulses, settings.tolerance)?;
    let Settings { penalty, relaxation, .. } = *settings;
    if !penalty.is_finite() || penalty <= 0.0 {
        return Err(Error::Setting { name: "penalty", value: penalty, expected: "> 0" });
    }
    if !(relaxation > 0.0 && relaxation < 2.0) {
        let expected = "a number in (0, 2)";
        return Err(Error::Setting { name: "relaxation", value: relaxation, expected });
    }
    Ok(())
}
