//! What a step reports.

use nalgebra::DVector;
use percussion_impact::outcome::Status;

use crate::energy::EnergyBalance;

/// One impact within a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// When it happened (s).
    pub time: f64,
    /// The contacts that touched, ascending; those of them that rested take part too.
    pub contacts: Vec<usize>,
    /// Their percussions (N·s), in the same order.
    pub impulses: Vec<f64>,
    /// Where it happened, `q_*` (length `n_q`).
    pub coordinates: Vec<f64>,
    /// `M⁻¹ p⁻` of the discrete momentum before (length `n_v`; m/s, rad/s).
    pub velocity_before: DVector<f64>,
    /// `M⁻¹ p⁺` of the discrete momentum after.
    pub velocity_after: DVector<f64>,
    /// Whether the Zeno rule took it as plastic.
    pub is_plastic: bool,
    /// Whether the law came to its answer.
    pub status: Status,
    /// Change of the kinetic energy by the law (J).
    pub energy_change: f64,
    /// What the [modified energy](super::Integrator::modified_energy) of the law's outcome has too much (J),
    /// measured by the ledger of energy; 0 where there is none.
    pub energy_error: f64,
    /// The factor `σ` by which the normal velocities of the law's outcome were multiplied for it: 1 where
    /// they were not. `impulses` and `velocity_after` include it, `energy_change` does not.
    pub correction: f64,
}

/// A contact that was closed during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedContact {
    /// Its number in [`Contacts`](crate::Contacts).
    pub contact: usize,
    /// Impulse along the normal over the step, without percussions (N·s, ≥ 0).
    pub normal: f64,
    /// Impulse of friction along the tangents over the step (N·s; the last is 0 in the plane).
    pub friction: [f64; 2],
}

/// Diagnostics of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Time at the end of the step (s).
    pub time: f64,
    /// Pieces of the path: one more than there were moments of impact.
    pub pieces: usize,
    /// Iterations of Newton's method over all pieces, those of the search for impacts included.
    pub newton_iterations: usize,
    /// Largest relative residual of the momentum balance of the pieces.
    pub residual: f64,
    /// Energy at the start of the step (J).
    pub energy_before: f64,
    /// Energy at the end of the step (J).
    pub energy_after: f64,
    /// Energy gained since the start, and how much of it the scheme may have gained.
    pub energy: EnergyBalance,
    /// Deepest penetration at the end of the step (m, ≥ 0).
    pub penetration: f64,
    /// Largest `|φ_i|` of the constraints at the end of the step (m, rad).
    pub constraint_error: f64,
    /// The impacts, in the order of time.
    pub impacts: Vec<Impact>,
    /// The contacts that carried impulses without impact, ascending.
    pub closed: Vec<ClosedContact>,
}

impl StepReport {
    /// Whether the Zeno rule was used.
    #[must_use]
    pub fn is_zeno(&self) -> bool {
        self.impacts.iter().any(|impact| impact.is_plastic)
    }

    pub(super) fn new(time: f64, energy: f64) -> Self {
        Self {
            time,
            pieces: 0,
            newton_iterations: 0,
            residual: 0.0,
            energy_before: energy,
            energy_after: energy,
            energy: EnergyBalance::default(),
            penetration: 0.0,
            constraint_error: 0.0,
            impacts: Vec::new(),
            closed: Vec::new(),
        }
    }

    /// Whether friction has taken energy.
    pub(super) fn is_rubbed(&self) -> bool {
        self.closed.iter().any(|closed| closed.friction.iter().any(|friction| *friction != 0.0))
    }

    /// Adds impulses of the closed contact `contact`.
    pub(super) fn add_closed(&mut self, contact: usize, normal: f64, friction: [f64; 2]) {
        let place = self.closed.binary_search_by_key(&contact, |closed| closed.contact);
        let index = place.unwrap_or_else(|index| {
            self.closed.insert(index, ClosedContact { contact, normal: 0.0, friction: [0.0; 2] });
            index
        });
        let closed = &mut self.closed[index];
        closed.normal += normal;
        closed.friction[0] += friction[0];
        closed.friction[1] += friction[1];
    }
}
