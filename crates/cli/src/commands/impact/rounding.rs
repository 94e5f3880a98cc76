//! Decides which numbers of an outcome are rounding errors and appear as 0 in printed tables. Outcomes are judged by the certificate, not here.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{Outcome, Problem};

use crate::output::is_rounding;

/// Relative size of a contact velocity below which it counts as zero.
const STILL: f64 = 1e-8;

/// Sizes of the terms from which velocities and impulses are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Size of the contact velocities (m/s).
    speed: f64,
    /// Largest entry of a impulse at a contact (N·s).
    percussion: f64,
}

impl Sizes {
    pub(super) fn of(problem: &Problem, outcome: &Outcome) -> Self {
        let entries = outcome.impulses.iter().flat_map(|impulse| {
            std::iter::once(impulse.normal).chain(impulse.tangent.iter().copied())
        });
        let percussions: DVector<f64> =
            DVector::from_iterator(problem.contact_jacobian().nrows(), entries.map(f64::abs));
        let velocity = problem.velocity().abs()
            + problem.unconstrained_response().abs() * &percussions
            + outcome.velocity.abs();
        let size = |rows: &DMatrix<f64>| largest(&(rows.abs() * &velocity));
        Self { speed: size(problem.contact_jacobian()), percussion: largest(&percussions) }
    }

    /// An impulse (N·s), 0 if it is only rounding error of the largest one.
    pub(super) fn without_rounding(&self, percussion: f64) -> f64 {
        if is_rounding(percussion, self.percussion) { 0.0 } else { percussion }
    }

    /// Whether a contact velocity (m/s) is only rounding error of its terms, which is about `n eps`.
    pub(super) fn is_rounding(&self, velocity: f64) -> bool {
        is_rounding(velocity, self.speed)
    }

    /// Whether a contact velocity counts as zero (m/s).
    pub(super) fn is_still(&self, velocity: f64) -> bool {
        velocity.abs() <= STILL * self.speed
    }
}

fn largest(sizes: &DVector<f64>) -> f64 {
    sizes.iter().copied().fold(0.0, f64::max)
}
