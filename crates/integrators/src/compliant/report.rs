//! States during an integration, and its result.

use crate::{energy::EnergyBalance, scales::Scales};

/// Position and velocity of a system, and the impulses of its contacts so far.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Coordinates `q` (length `n_q`; m, rad, unit quaternions).
    pub coordinates: Vec<f64>,
    /// Generalized velocity `v` (length `n_v`; m/s, rad/s).
    pub velocity: Vec<f64>,
    /// Impulses `P = ∫ f dt` of all contacts since the start (N·s): normal, tangent 1, tangent 2 of contact 0, then
    /// of contact 1 and so on. Normally zero at the start; other values are added to.
    pub impulses: Vec<f64>,
}

/// A look at one moment of the motion, for stop functions and observers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Snapshot<'a> {
    /// Time (s).
    pub time: f64,
    /// Coordinates (length `n_q`), quaternions normalized.
    pub coordinates: &'a [f64],
    /// Generalized velocity (length `n_v`).
    pub velocity: &'a [f64],
    /// Impulses of all contact components so far (N·s), as in [`State::impulses`].
    pub impulses: &'a [f64],
    /// Gaps of all contacts (m).
    pub gaps: &'a [f64],
    /// Contact velocities `u = J v` of all contact components (m/s), open contacts included.
    pub contact_velocity: &'a [f64],
    /// Contact forces of all contact components (N), zero where a contact is open.
    pub forces: &'a [f64],
    /// Whether each contact touches: its gap was not open at the last restart. There is a restart whenever a
    /// contact opens or closes.
    pub touching: &'a [bool],
}

/// How an integration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The stop function reached zero.
    Stopped,
    /// The end time was reached.
    EndReached,
    /// [`Settings::step_limit`](super::Settings::step_limit) was reached.
    StepLimit,
    /// [`Settings::restart_limit`](super::Settings::restart_limit) was reached.
    RestartLimit,
    /// No step longer than [`Settings::smallest_step`](super::Settings::smallest_step) met the tolerances.
    StepTooSmall,
    /// Newton's iterations of an implicit method failed 20 000 times since the last restart.
    NotConverged,
    /// The state overflowed.
    NotFinite,
    /// The end or the stop was reached with more energy than the motion can have, see [`Report::energy`].
    EnergyGained,
}

/// Cost of an integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Number of accepted steps.
    pub steps: usize,
    /// Number of steps rejected because their error was too large.
    pub rejected_steps: usize,
    /// Number of Newton iterations; zero for explicit methods.
    pub newton_iterations: usize,
    /// Number of Newton iterations that did not converge.
    pub newton_failures: usize,
    /// Number of evaluations of the contact forces: by steps, by derivatives, and for snapshots.
    pub evaluations: usize,
    /// Number of times that contacts opened or closed.
    pub restarts: usize,
}

/// Result of an integration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// The last state.
    pub state: State,
    /// The energy balance, including that of the contacts.
    pub energy: EnergyBalance,
    /// Its cost.
    pub counters: Counters,
    /// Length, mass and time to which tolerances are relative.
    pub scales: Scales,
}
