//! The drift between the velocity after the impulses of a sample and the contact velocities followed through its steps.

use nalgebra::DVector;

use crate::Problem;

/// What the velocity of each row may differ (length `r`, m/s): a fraction of the fastest row, in the kinetic metric, and
/// the rounding of velocities.
///
/// Where rows of a contact depend on each other, impulses of any size may cancel, and their rounding moves the bodies.
#[derive(Clone, Debug)]
pub(super) struct AcceptedDrift(DVector<f64>);

impl AcceptedDrift {
    /// For the contact velocity `start` before the impact, and the `tolerance` of steps.
    pub(super) fn new(problem: &Problem, start: &DVector<f64>, tolerance: f64) -> Self {
        let sizes = problem.free_row_sizes();
        let moving = start.iter().zip(&sizes).filter(|(_, size)| **size > 0.0);
        let fastest = moving.map(|(velocity, size)| velocity.abs() / size).fold(0.0, f64::max);
        let rounding = problem.velocity_rounding();
        Self(sizes * (tolerance * fastest + rounding))
    }

    /// The largest difference of two contact velocities (m/s), and whether each is accepted.
    pub(super) fn judge(&self, result: &DVector<f64>, followed: &DVector<f64>) -> (f64, bool) {
        let (mut drift, mut is_accepted) = (0.0, true);
        for ((result, followed), accepted) in result.iter().zip(followed).zip(&self.0) {
            let difference = (result - followed).abs();
            drift = f64::max(drift, difference);
            is_accepted &= difference <= *accepted;
        }
        (drift, is_accepted)
    }
}
