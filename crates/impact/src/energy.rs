//! Restitution that gives no energy: the coefficients of all contacts times the largest factor found with which the
//! energy does not grow.
//!
//! With targets `κ e_i max(0, −u_n⁻)`, let `v(κ)` be the outcome of a law. It is certified by its own energy alone:
//! `T(v(κ)) ≤ T⁻`. If `v(1)` has more energy than before the impact, the factor is found by bisection between 0,
//! where an inelastic law loses energy, and 1.
//!
//! - **Certified** is the outcome with the factor that is reported, nothing else. Between that factor and the next
//!   one tried that fails, `v(κ)` may jump, not exist, or have several values; the report has both.
//! - **Unchanged** remain outcomes without growth, so that for one contact without friction the factor is 1.
//! - **Cost** nothing without growth; otherwise one outcome for each of some 20 factors.
//!
//! # Source
//!
//! Ours; T. R. Kane, D. A. Levinson, *Dynamics: Theory and Applications*, McGraw-Hill 1985, for an impact whose
//! energy grows by Newton's law.

use crate::{
    Outcome, Problem,
    certificate::is_inelastic,
    law::Error,
    outcome::{Reduction, Status},
};

/// Gap at which the bisection ends.
const GAP: f64 = 1e-6;

/// Growth that is rounding, as a fraction of the energy before the impact.
const ROUNDING: f64 = 1e-12;

/// What a law does where its restitution would let the energy grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Energy {
    /// It reduces all coefficients by one factor until the energy does not grow, and [reports](Reduction) it.
    #[default]
    NeverGrows,
    /// It takes the coefficients as given, and the status is [`Status::EnergyGained`].
    AsGiven,
}

impl Energy {
    /// The names of both, the default of a law first.
    pub(crate) fn choices(default: Self) -> [(&'static str, Self); 2] {
        let both = [("never-grows", Self::NeverGrows), ("as-given", Self::AsGiven)];
        if default == Self::NeverGrows { both } else { [both[1], both[0]] }
    }

    /// Returns the outcome of `solve`, with the restitution of `problem` reduced if that is asked for and needed.
    /// Growth up to `tolerance` times the energy before the impact counts as none.
    pub(crate) fn resolve(
        self,
        problem: &Problem,
        tolerance: f64,
        solve: impl Fn(&Problem) -> Result<Outcome, Error>,
    ) -> Result<Outcome, Error> {
        if self == Self::AsGiven || is_inelastic(problem) {
            return solve(problem);
        }
        reduced(problem, tolerance, |factor| {
            if factor < 1.0 {
                solve(&problem.with_restitution_times(factor))
            } else {
                solve(problem)
            }
        })
    }
}

/// Returns the outcome of `solve` with the largest factor of restitution found, from 0 to 1, with which the energy does not
/// grow; [`Status::Unsolved`] if it grows with the factor 0, too.
pub(crate) fn reduced(
    problem: &Problem,
    tolerance: f64,
    solve: impl Fn(f64) -> Result<Outcome, Error>,
) -> Result<Outcome, Error> {
    let given = solve(1.0)?;
    let tolerance = tolerance.max(ROUNDING);
    let ended = given.trace.status.came_to_its_end();
    if !ended || !grows(problem, &given, tolerance) {
        return Ok(given);
    }
    let holds = |factor: f64| {
        let outcome = solve(factor)?;
        let ended = outcome.trace.status.came_to_its_end();
        Ok::<_, Error>((ended && !grows(problem, &outcome, tolerance)).then_some(outcome))
    };
    let Some(mut best) = holds(0.0)? else {
        return Ok(Outcome { trace: unsolved(given.trace), ..given });
    };
    let (mut factor, mut failing) = (0.0, 1.0);
    while failing - factor > GAP {
        let middle = 0.5 * (factor + failing);
        match holds(middle)? {
            Some(outcome) => (factor, best) = (middle, outcome),
            None => failing = middle,
        }
    }
    best.trace.reduction = Some(Reduction { factor, failing });
    Ok(best)
}

fn unsolved(mut trace: crate::outcome::Trace) -> crate::outcome::Trace {
    trace.status = Status::Unsolved;
    trace
}

/// Whether the outcome has more energy than before the impact. NaN counts as more.
fn grows(problem: &Problem, outcome: &Outcome, tolerance: f64) -> bool {
    let (before, after) = (problem.velocity(), &outcome.velocity);
    let change = 0.5 * problem.momentum(&(after - before)).dot(&(after + before));
    change.is_nan() || change > tolerance * problem.kinetic_energy(before)
}
