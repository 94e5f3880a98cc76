//! What a step reports, the same for every stepping scheme: [`StepReport`].

use nalgebra::{DVector, Vector3};
use percussion_complementarity::friction::Status;
use percussion_impact::outcome;

use crate::energy::EnergyBalance;

/// Diagnostics of one step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Time at the end of the step (s).
    pub time: f64,
    /// How the last contact problem ended: solved, also when nothing was in contact, unless the settings of the scheme
    /// [accept](crate::Unsolved) others.
    pub status: Status,
    /// Relative residual of the equations of the step: the natural map of its LCPs (the largest) or of its last contact
    /// problem, of [`Variational`](crate::Variational) the largest of the momentum balance of its pieces.
    pub relative_residual: f64,
    /// The contacts of its last problem in ascending order, those with zero impulse included; of
    /// [`Variational`](crate::Variational) those that stayed closed or took part in an impact.
    pub contacts: Vec<ContactReport>,
    /// The impacts, in the order of time, of schemes that locate them within the step.
    pub impacts: Vec<Impact>,
    /// Deepest penetration of any contact at the end of the step (m, ≥ 0).
    pub penetration: f64,
    /// Largest `|φ_i(q')|` of the constraints at the end of the step (m, rad).
    pub constraint_error: f64,
    /// Multiplier of each equation of the constraints, in order: the generalized impulse is `Gᵀ` times it. Of redundant
    /// equations the smallest possible ones, each weighted by `√(G M⁻¹ Gᵀ)_ii`; equal equations share equally.
    /// [`Variational`](crate::Variational) reports none.
    pub constraint_impulses: Vec<f64>,
    /// Generalized impulse `D β` of each bounded friction in joints (`n_v`; N·s, N·m·s).
    pub joint_friction: Vec<DVector<f64>>,
    /// Energy at the start of the step (J).
    pub energy_before: f64,
    /// Energy at the end of the step (J).
    pub energy_after: f64,
    /// Energy gained since the start, and how much of it the scheme may have gained.
    pub energy: EnergyBalance,
    /// What the step took.
    pub work: Work,
}

/// One contact that took part in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactReport {
    /// Its number in [`Contacts`](crate::Contacts).
    pub contact: usize,
    /// Gap at the end of the step (m).
    pub gap: f64,
    /// Impulse over the step in the contact frame: normal (≥ 0), tangent 1, tangent 2 (N·s; the last is 0 in the plane).
    pub impulse: Vector3<f64>,
    /// Contact velocity at the end of the step, in the same order (m/s); of the schemes with contacts by their velocities
    /// with the frame that the problem was stated in.
    pub velocity: Vector3<f64>,
    /// Part of the normal impulse that comes from [impacts](StepReport::impacts) located within the step (N·s, ≥ 0).
    pub percussion: f64,
    /// How far the contact laws are from holding.
    pub residual: Residual,
}

impl ContactReport {
    /// A contact without percussion and residual.
    #[must_use]
    pub const fn new(
        contact: usize,
        gap: f64,
        impulse: Vector3<f64>,
        velocity: Vector3<f64>,
    ) -> Self {
        Self { contact, gap, impulse, velocity, percussion: 0.0, residual: Residual::None }
    }

    /// What the residual may have done to the energy (J, ≥ 0): of a velocity, twice the impulse times it, for the normal
    /// and the tangential part.
    #[must_use]
    pub fn undecided_work(&self) -> f64 {
        match self.residual {
            Residual::None => 0.0,
            Residual::Work { complementarity, .. } => complementarity,
            Residual::Velocity(residual) => 2.0 * self.impulse.norm() * residual,
        }
    }
}

/// How far the contact laws of a [`ContactReport`] are from holding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Residual {
    /// The scheme does not measure it.
    None,
    /// Of [`StewartTrinkle`](crate::StewartTrinkle). It is computed from the end state alone, with the rows of the contact
    /// Jacobian there, and can be checked by anyone.
    Work {
        /// The larger of `c_n |g(q')| / h` and of the power by which friction dissipates less than it could within the
        /// polygon, over the step (J, ≥ 0).
        complementarity: f64,
        /// How far the impulse is outside the friction cone, `max(0, ‖p_T‖ − μ p_N)` (N·s).
        cone_violation: f64,
    },
    /// Of [`ImpulseVelocity`](crate::ImpulseVelocity) and [`MoreauJean`](crate::MoreauJean): the contact's natural map
    /// (m/s).
    Velocity(f64),
}

/// What a step took, by its scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Work {
    /// The scheme does not count it.
    #[default]
    None,
    /// A step with polygons as friction limits: [`StewartTrinkle`](crate::StewartTrinkle).
    Polygons(Polygons),
    /// A step with round friction cones: [`ImpulseVelocity`](crate::ImpulseVelocity),
    /// [`MoreauJean`](crate::MoreauJean).
    RoundCones(RoundCones),
    /// A step in pieces from impact to impact: [`Variational`](crate::Variational).
    Pieces(Pieces),
}

/// What a step with polygons as friction limits took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Polygons {
    /// Sets of active contacts tried.
    pub active_set_passes: usize,
    /// Outer iterations over all sets; above `lcp_solves` when nothing was in contact.
    pub outer_iterations: usize,
    /// LCPs solved.
    pub lcp_solves: usize,
    /// Size of the last LCP, 0 when there was none.
    pub lcp_size: usize,
    /// Pivots over all LCPs.
    pub pivots: usize,
    /// Change of the last outer iteration, `‖h (v' − v̂)‖∞` (m, rad).
    pub change: f64,
}

/// What a step with round friction cones took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoundCones {
    /// Problems stated: sets of contacts tried, or iterations for the smooth forces.
    pub passes: usize,
    /// Sweeps of all solves, or iterations of a solver that does not sweep.
    pub sweeps: usize,
}

/// What a step in pieces took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pieces {
    /// Pieces of the path: one more than there were moments of impact.
    pub pieces: usize,
    /// Iterations of Newton's method over all pieces, those of the search for impacts included.
    pub newton_iterations: usize,
}

/// One impact within a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
    pub status: outcome::Status,
    /// Change of the kinetic energy by the law (J).
    pub energy_change: f64,
    /// What the [modified energy](crate::Simulation::modified_energy) of the law's outcome has too much (J), measured by the
    /// ledger of energy; 0 where there is none.
    pub energy_error: f64,
    /// The factor `σ` by which the normal velocities of the law's outcome were multiplied for it: 1 where they were not.
    /// `impulses` and `velocity_after` include it, `energy_change` does not.
    pub correction: f64,
}

impl StepReport {
    /// Whether the Zeno rule of [`Variational`](crate::Variational) was used.
    #[must_use]
    pub fn is_zeno(&self) -> bool {
        self.impacts.iter().any(|impact| impact.is_plastic)
    }

    pub(crate) fn new(time: f64, energy_before: f64) -> Self {
        Self {
            time,
            status: Status::Solved,
            relative_residual: 0.0,
            contacts: Vec::new(),
            impacts: Vec::new(),
            penetration: 0.0,
            constraint_error: 0.0,
            constraint_impulses: Vec::new(),
            joint_friction: Vec::new(),
            energy_before,
            energy_after: energy_before,
            energy: EnergyBalance::default(),
            work: Work::None,
        }
    }

    /// What the residuals of the contacts may have done to the energy (J). A problem that was not solved has no such
    /// excuse.
    pub(crate) fn undecided_work(&self) -> f64 {
        if self.status != Status::Solved {
            return 0.0;
        }
        self.contacts.iter().map(ContactReport::undecided_work).sum()
    }

    /// Contacts with their normal impulses (N·s).
    pub(crate) fn normal_impulses(&self) -> impl Iterator<Item = (usize, f64)> {
        self.contacts.iter().map(|contact| (contact.contact, contact.impulse.x))
    }
}
