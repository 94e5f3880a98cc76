//! What a step reports.

use nalgebra::{DVector, Vector3};

use crate::energy::EnergyBalance;

/// One contact that took part in a step.
///
/// Everything but the impulse is computed from the end state alone, with the rows of the contact
/// Jacobian there, and can be checked by anyone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    /// Its number in [`Contacts`](crate::Contacts).
    pub contact: usize,
    /// Gap at the end of the step (m).
    pub gap: f64,
    /// Impulse over the step in the contact frame: normal (≥ 0), tangent 1, tangent 2 (N·s; the last
    /// is 0 in the plane).
    pub impulse: Vector3<f64>,
    /// Contact velocity at the end of the step, in the same order (m/s).
    pub velocity: Vector3<f64>,
    /// How far the contact laws are from holding exactly (J, ≥ 0): the larger of `c_n |g(q')| / h`
    /// and of the power by which friction dissipates less than it could within the polygon.
    pub complementarity: f64,
    /// How far the impulse is outside the friction cone, `max(0, ‖p_T‖ − μ p_N)` (N·s).
    pub cone_violation: f64,
}

/// Diagnostics of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Time at the end of the step (s).
    pub time: f64,
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
    /// Largest relative natural-map residual of the LCPs, in which impulses are counted in multiples
    /// of a mass so that all entries are velocities.
    pub relative_residual: f64,
    /// Change of the last outer iteration, `‖h (v' − v̂)‖∞` (m, rad).
    pub change: f64,
    /// Deepest penetration of any contact at the end of the step (m, ≥ 0).
    pub penetration: f64,
    /// Largest `|φ_i(q')|` of the constraints at the end of the step (m, rad).
    pub constraint_error: f64,
    /// Energy at the start of the step (J).
    pub energy_before: f64,
    /// Energy at the end of the step (J).
    pub energy_after: f64,
    /// Energy gained since the start, and how much of it the scheme may have gained.
    pub energy: EnergyBalance,
    /// The contacts of the last LCP in ascending order, those with zero impulse included.
    pub contacts: Vec<ContactReport>,
    /// Generalized impulse `D β` of each bounded friction (`n_v`; N·s, N·m·s).
    pub joint_friction: Vec<DVector<f64>>,
    /// Multiplier of each equation of the constraints, in order: the impulse is `Gᵀ` times it.
    /// Of redundant equations the smallest possible ones, each weighted by `√(G M⁻¹ Gᵀ)_ii`; equal
    /// equations share equally.
    pub constraint_impulses: Vec<f64>,
}

impl StepReport {
    pub(super) fn new(time: f64, energy_before: f64) -> Self {
        Self {
            time,
            active_set_passes: 0,
            outer_iterations: 0,
            lcp_solves: 0,
            lcp_size: 0,
            pivots: 0,
            relative_residual: 0.0,
            change: 0.0,
            penetration: 0.0,
            constraint_error: 0.0,
            energy_before,
            energy_after: energy_before,
            energy: EnergyBalance::default(),
            contacts: Vec::new(),
            joint_friction: Vec::new(),
            constraint_impulses: Vec::new(),
        }
    }
}
