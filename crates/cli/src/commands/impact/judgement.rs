//! Which figures of a certificate are those of an ideal outcome, up to rounding.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{Certificate, Outcome, Problem};

/// Part of the size of what a figure is made of, up to which it counts as zero: ten times the loosest
/// default tolerance of a law.
const TOLERANCE: f64 = 1e-8;

/// What is said of one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// As in an ideal outcome.
    Holds,
    /// Not as in an ideal outcome.
    Violated,
    /// Neither good nor bad in itself.
    Information,
}

/// A figure with its unit and verdict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) name: &'static str,
    pub(super) value: f64,
    pub(super) unit: &'static str,
    pub(super) verdict: Verdict,
}

/// Sizes that the figures of a certificate are measured by: of a velocity the largest sum of the absolute
/// values of all terms that it is computed from, which its rounding is a part of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Of contact velocities (m/s).
    speed: f64,
    /// Of velocities in the joints (m/s or rad/s).
    joint_speed: f64,
    /// Largest entry of a percussion at a contact (N·s).
    percussion: f64,
    /// Largest sum of the two sides of a friction cone, `μ |Λ_n| + |Λ_t|` (N·s).
    cone: f64,
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
        Self {
            speed: size(problem.contact_jacobian()),
            joint_speed: size(problem.bilateral_jacobian()),
            percussion: largest(&percussions),
            cone: cone(problem, outcome),
        }
    }

    /// Whether a percussion (N·s) is no more than rounding of the largest.
    pub(super) fn is_rounding_of_percussions(&self, percussion: f64) -> bool {
        percussion.abs() <= 1e-13 * self.percussion
    }

    /// Whether a complementarity (J) means that contacts which pushed separate.
    pub(super) fn is_separation(&self, complementarity: f64) -> bool {
        complementarity > TOLERANCE * self.percussion * self.speed
    }

    /// Whether a contact velocity (m/s) is no more than rounding of its terms, which is some `n eps`.
    pub(super) fn is_rounding(&self, velocity: f64) -> bool {
        velocity.abs() <= 1e-13 * self.speed
    }

    /// Whether a contact velocity counts as zero (m/s).
    pub(super) fn is_still(&self, velocity: f64) -> bool {
        velocity.abs() <= TOLERANCE * self.speed
    }
}

/// The figures of `certificate`, judged.
pub(super) fn judge(certificate: &Certificate, sizes: &Sizes) -> Vec<Judged> {
    let energy = certificate.energy_before.max(certificate.energy_after);
    let judged = certificate.figures().into_iter().map(|figure| {
        let size = match figure.name {
            "momentum_residual" => Some(1.0),
            "approach" => Some(sizes.speed),
            "adhesion" => Some(sizes.percussion),
            "cone_violation" => Some(sizes.cone),
            "bilateral_residual" => Some(sizes.joint_speed),
            "energy_change" => Some(energy),
            // Contacts that push may separate, and energies are what they are.
            _ => None,
        };
        let verdict = match size {
            None => Verdict::Information,
            // What is NaN holds nothing.
            Some(size) if figure.value <= TOLERANCE * size => Verdict::Holds,
            Some(_) => Verdict::Violated,
        };
        Judged { name: figure.name, value: figure.value, unit: figure.unit, verdict }
    });
    judged.collect()
}

/// Names of the figures that are violated.
pub(super) fn violations(judged: &[Judged]) -> Vec<&'static str> {
    let violated = judged.iter().filter(|figure| figure.verdict == Verdict::Violated);
    violated.map(|figure| figure.name).collect()
}

fn cone(problem: &Problem, outcome: &Outcome) -> f64 {
    let sides = problem.contacts().iter().zip(&outcome.impulses).map(|(contact, impulse)| {
        let tangential = impulse.tangent.iter().fold(0.0, |length: f64, part| length.hypot(*part));
        contact.friction * impulse.normal.abs() + tangential
    });
    sides.fold(0.0, f64::max)
}

fn largest(sizes: &DVector<f64>) -> f64 {
    sizes.iter().copied().fold(0.0, f64::max)
}
