//! Which numbers of an outcome are rounding, and read 0 in tables for people. Judgement is that of the certificate.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{Outcome, Problem};

/// Part of a contact velocity below which a contact is called still.
const STILL: f64 = 1e-8;

/// Sizes of the terms that velocities and percussions are computed from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Of contact velocities (m/s).
    speed: f64,
    /// Largest entry of a percussion at a contact (N·s).
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

    /// Whether a percussion (N·s) is no more than rounding of the largest.
    pub(super) fn is_rounding_of_percussions(&self, percussion: f64) -> bool {
        percussion.abs() <= 1e-13 * self.percussion
    }

    /// Whether a contact velocity (m/s) is no more than rounding of its terms, which is some `n eps`.
    pub(super) fn is_rounding(&self, velocity: f64) -> bool {
        velocity.abs() <= 1e-13 * self.speed
    }

    /// Whether a contact velocity counts as zero (m/s).
    pub(super) fn is_still(&self, velocity: f64) -> bool {
        velocity.abs() <= STILL * self.speed
    }
}

fn largest(sizes: &DVector<f64>) -> f64 {
    sizes.iter().copied().fold(0.0, f64::max)
}
