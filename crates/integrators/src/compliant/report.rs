//! States on the way, and how an integration ended.

use crate::{energy::EnergyBalance, scales::Scales};

/// Where a system is, how it moves, and what its contacts have passed on so far.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Coordinates `q` (length `n_q`; m, rad, unit quaternions).
    pub coordinates: Vec<f64>,
    /// Generalized velocity `v` (length `n_v`; m/s, rad/s).
    pub velocity: Vec<f64>,
    /// Impulses `P = ∫ f dt` of all contacts since the start (N·s): normal, tangent 1, tangent 2 of contact 0, then
    /// of contact 1 and so on. Zero at a start, as a rule; other values are carried on.
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
    /// Which contacts touch: those whose gap was not open at the last restart, which is made
    /// whenever one opens or closes.
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
    /// The state grew beyond all numbers.
    NotFinite,
    /// The end or the stop was reached with more energy than the motion can have, see [`Report::energy`].
    EnergyGained,
}

/// What an integration cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Steps accepted.
    pub steps: usize,
    /// Steps tried and rejected because their error was too large.
    pub rejected_steps: usize,
    /// Newton iterations; none for explicit methods.
    pub newton_iterations: usize,
    /// Newton iterations that did not converge.
    pub newton_failures: usize,
    /// Evaluations of the contact forces: by steps, by derivatives, and to look at states.
    pub evaluations: usize,
    /// Times that contacts opened or closed.
    pub restarts: usize,
}

/// The end of an integration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// The last state.
    pub state: State,
    /// The account of the energy, that of the contacts included.
    pub energy: EnergyBalance,
    /// What it cost.
    pub counters: Counters,
    /// Length, mass and time that tolerances were relative to.
    pub scales: Scales,
}
