//! What happened on the way, and how an integration ended.

use percussion_dynamics::contact_source::ContactName;

use super::settings::Resolved;
use crate::{contacts::Contacts, model::State, scales::Scales};

/// What a contact does between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Mode {
    /// It is open, or opens.
    Open,
    /// It is closed and carries no force: others hold it, or nothing presses on it.
    Touching,
    /// It carries and slides, or has no friction.
    Sliding,
    /// It carries and does not slide; a ball rolls.
    Sticking,
}

/// A look at one moment of the motion.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Snapshot<'a> {
    /// Time (s).
    pub time: f64,
    /// Coordinates (length `n_q`), quaternions normalized.
    pub coordinates: &'a [f64],
    /// Generalized velocity (length `n_v`).
    pub velocity: &'a [f64],
    /// The contacts by number.
    pub contacts: &'a Contacts,
    /// Gaps of all contacts (m); infinite where a contact source names no such contact.
    pub gaps: &'a [f64],
    /// Contact velocities `u = J v` of all contact components (m/s).
    pub contact_velocity: &'a [f64],
    /// Contact forces of all contact components (N).
    pub forces: &'a [f64],
    /// Modes of all contacts.
    pub modes: &'a [Mode],
    /// Kinetic and potential energy (J).
    pub energy: f64,
    /// Energy that impacts and sliding have taken so far (J).
    pub dissipated: f64,
}

/// Something that happened at one moment.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Event {
    /// When (s).
    pub time: f64,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum EventKind {
    /// The impact law made velocities jump.
    Impact {
        /// Contacts that took part, resting ones included.
        contacts: Vec<usize>,
        /// Their percussions (N·s): normal, tangents, in the order of `contacts`.
        impulses: Vec<Vec<f64>>,
        /// Kinetic energy lost (J); negative if the law made some.
        dissipated: f64,
    },
    /// Rebounds became too small to be told from rest; the rest of them was summed up and the contacts stay closed. If
    /// one of them is hit or opens before the limit, this is recorded as the impact that closed them instead.
    Accumulation {
        /// Contacts that stay closed.
        contacts: Vec<usize>,
        /// Time at which infinitely many impacts would be over (s).
        limit: f64,
        /// Ratio of the last two times between impacts.
        ratio: f64,
        /// Landings of these contacts up to here.
        landings: usize,
        /// Kinetic energy that the remaining impacts take (J).
        dissipated: f64,
    },
    /// Sliding contacts jammed: no finite force was consistent, and percussions without collision stopped them.
    Jam {
        /// Contacts that took part.
        contacts: Vec<usize>,
        /// Kinetic energy lost (J).
        dissipated: f64,
    },
    /// A contact changed its mode, or slides the other way: then both modes are the same.
    Mode {
        /// The contact.
        contact: usize,
        /// Before.
        from: Mode,
        /// From now on.
        to: Mode,
    },
}

/// Where the energy went, in J: `end = start + other_work − impacts − friction + projections + residual`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EnergyAccount {
    /// Kinetic and potential energy at the start.
    pub start: f64,
    /// Kinetic and potential energy at the end.
    pub end: f64,
    /// Lost in impacts.
    pub impacts: f64,
    /// Lost by sliding with friction.
    pub friction: f64,
    /// Work of smooth forces without a potential: dampers and drives.
    pub other_work: f64,
    /// Brought in when drift was taken out.
    pub projections: f64,
}

impl EnergyAccount {
    /// What is left over: the error of the integration.
    #[must_use]
    pub fn residual(&self) -> f64 {
        let known = self.other_work - self.impacts - self.friction + self.projections;
        self.end - self.start - known
    }

    /// Whether smooth motion has gained more energy than its tolerances explain.
    ///
    /// A step may be wrong by the relative tolerance of its energy and by the absolute one, and there is no more kinetic
    /// energy than that of the start, the work done and what potential energy gave, of which impacts and friction
    /// took the rest. Ten times that allows for errors that unstable motion magnifies before they turn into energy.
    pub(super) fn is_breached(
        &self,
        start_kinetic: f64,
        settings: &Resolved,
        counters: &Counters,
    ) -> bool {
        let taken = self.impacts.abs() + self.friction.abs();
        let available =
            start_kinetic + taken + self.other_work.abs() + (self.start - self.end).abs();
        // The last two are those of energies.
        let absolute = settings.absolute_tolerances.last().copied().unwrap_or(0.0);
        let of_step = settings.relative_tolerance * available + absolute;
        let gained = self.residual() + self.projections;
        // What is not a number does not hold.
        gained.is_nan() || gained > 10.0 * (1 + counters.steps) as f64 * of_step
    }
}

/// Largest amounts by which equations were found violated before they were restored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Drift {
    /// Gaps of carrying contacts and bilateral constraints (m, rad).
    pub position: f64,
    /// Normal velocities of carrying contacts, slip of sticking ones, velocities of bilateral constraints (m/s, rad/s).
    pub velocity: f64,
    /// Deepest overlap of any contact at the end of a step or at a sample (m).
    pub penetration: f64,
}

/// How an integration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// The end time was reached.
    EndReached,
    /// The end time was reached, and the law of an impact gained energy, as it does not exclude, or smooth motion gained
    /// more than its tolerances explain.
    EnergyGained,
    /// [`Settings::impact_limit`](super::Settings::impact_limit) was reached.
    ImpactLimit,
    /// [`Settings::mode_limit`](super::Settings::mode_limit) was reached.
    ModeLimit,
    /// [`Settings::step_limit`](super::Settings::step_limit) was reached.
    StepLimit,
    /// [`Settings::work_limit`](super::Settings::work_limit) was reached.
    WorkLimit,
    /// Bodies overlapped by more than the start was accepted with and [`Settings::gap_tolerance`](super::Settings::gap_tolerance)
    /// more: a contact closed that was not seen, or one that nothing presses on drifted.
    Overlap,
    /// The impact law did not come to its end, or the certificate of its outcome does not hold.
    ImpactUnresolved,
    /// No contact forces are consistent with any mode, and percussions without collision did not help.
    Inconsistent,
    /// No step, however small, met the tolerances, or numbers grew beyond all bounds.
    Failed,
}

/// What a linear complementarity problem costs, in evaluations: measured for the sizes of one to twelve contacts.
const DECISION: usize = 10;

/// What an integration cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counters {
    /// Steps of smooth motion.
    pub steps: usize,
    /// Evaluations of the accelerations.
    pub evaluations: usize,
    /// Impacts, accumulations and jams.
    pub impacts: usize,
    /// Impacts in which the law gained energy.
    pub energy_gained: usize,
    /// Times that a contact changed its mode.
    pub mode_changes: usize,
    /// Looks at states for events and samples.
    pub looks: usize,
    /// Linear complementarity problems solved to find modes.
    pub mode_lcps: usize,
    /// Steps after which drift was taken out.
    pub projections: usize,
}

impl Counters {
    /// What [`Settings::work_limit`](super::Settings::work_limit) bounds.
    pub(super) fn work(&self) -> usize {
        self.evaluations + self.looks + DECISION * self.mode_lcps
    }
}

/// The end of an integration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// The last state.
    pub state: State,
    /// Modes of the contacts there.
    pub modes: Vec<Mode>,
    /// The names that a contact source has for the contacts, by number; none for those of the model.
    pub names: Vec<Option<ContactName>>,
    /// All events, in order.
    pub events: Vec<Event>,
    /// Where the energy went.
    pub energy: EnergyAccount,
    /// How well closed contacts and bilateral constraints held.
    pub drift: Drift,
    /// What it cost.
    pub counters: Counters,
    /// Length, mass and time that tolerances were relative to.
    pub scales: Scales,
}
