//! Snapshots and events during an integration, and its result.

use percussion_dynamics::ContactName;
use percussion_impact::RestitutionUse;

use super::{hold::Hold, settings::Resolved};
use crate::{contacts::Contacts, model::State, scales::Scales};

/// State of a contact between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Mode {
    /// It is open, or opens.
    Open,
    /// It is closed and carries no force: others hold the body, or nothing presses on it.
    Touching,
    /// It carries and slides, or has no friction.
    Sliding,
    /// It carries and does not slide; a ball rolls.
    Sticking,
}

/// A snapshot of the motion at one moment.
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
    /// Gaps of all contacts (m); infinite where a contact source finds no such contact.
    pub gaps: &'a [f64],
    /// Contact velocities `u = J v` of all contact components (m/s).
    pub contact_velocity: &'a [f64],
    /// Contact forces of all contact components (N).
    pub forces: &'a [f64],
    /// Friction of each joint along its [axis](crate::BoundedFriction::axis), in the order of
    /// [`Model::joint_friction`](crate::Model::joint_friction) (N, N·m).
    pub joint_friction: &'a [f64],
    /// Modes of all contacts.
    pub modes: &'a [Mode],
    /// Kinetic and potential energy (J).
    pub energy: f64,
    /// Energy dissipated so far by impacts and friction (J).
    pub dissipated: f64,
    /// The equations of the mode.
    pub(super) hold: &'a Hold,
}

/// An event at one moment.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Event {
    /// Time (s).
    pub time: f64,
    /// Kind of event.
    pub kind: EventKind,
}

/// Kinds of events.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum EventKind {
    /// An impact, in which the impact law made velocities jump.
    Impact {
        /// Contacts that took part, resting ones included.
        contacts: Vec<usize>,
        /// Their impulses (N·s): normal, tangents, in the order of `contacts`.
        impulses: Vec<Vec<f64>>,
        /// Kinetic energy lost (J); negative if the law added energy.
        dissipated: f64,
    },
    /// Rebounds became too small to be distinguished from rest; the remaining ones were summed and the
    /// contacts stay closed. If one of the contacts is hit or opens before the limit, the event is recorded
    /// as the impact that closed them instead.
    Accumulation {
        /// Contacts that stay closed.
        contacts: Vec<usize>,
        /// Time at which the infinite sequence of impacts ends (s).
        limit: f64,
        /// Ratio of the last two times between impacts.
        ratio: f64,
        /// Number of landings of these contacts so far.
        landings: usize,
        /// Kinetic energy that the remaining impacts dissipate (J).
        dissipated: f64,
    },
    /// Contacts whose rebounds, again and again, stayed within the proximity were closed. Unlike with an accumulation, their sequence
    /// has no known limit: several contacts strike in turn.
    Settling {
        /// Contacts that stay closed.
        contacts: Vec<usize>,
        /// Kinetic energy of the rebounds left out (J).
        dissipated: f64,
    },
    /// Sliding contacts jammed: no finite force was consistent, and impulses without collision stopped them.
    Jam {
        /// Contacts that took part.
        contacts: Vec<usize>,
        /// Kinetic energy lost (J).
        dissipated: f64,
    },
    /// The motion crossed a stretch by implicit steps, from the time of the event on. Contacts may have changed their modes in it.
    Stretch {
        /// Reason for the stretch.
        cause: Cause,
        /// Time of its end (s).
        end: f64,
        /// Number of its steps.
        steps: usize,
        /// Largest estimated error of a step: of velocities as a fraction of `L/T` and of displacements as a fraction of `L`.
        error: f64,
        /// Energy that contacts dissipated (J).
        dissipated: f64,
    },
    /// The friction of a joint reached its bound and the joint starts to turn, or it turned and came to rest, or the direction
    /// reversed: then both are the same.
    Joint {
        /// Its number in [`Model::joint_friction`](crate::Model::joint_friction).
        joint: usize,
        /// [`Mode::Sticking`] at rest, [`Mode::Sliding`] with friction at its bound.
        from: Mode,
        /// The same afterwards.
        to: Mode,
    },
    /// A contact changed its mode, or reversed its sliding direction: then both modes are the same.
    Mode {
        /// The contact.
        contact: usize,
        /// Mode before.
        from: Mode,
        /// Mode after.
        to: Mode,
    },
}

/// Reasons for a [stretch](EventKind::Stretch).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Cause {
    /// The direction of a slow slip turned so fast that explicit steps became short.
    SlowSlip,
    /// Forces changed so fast with positions or velocities, as those of stiff servos of light links do, that explicit steps became
    /// short.
    StiffForces,
    /// Much work advanced the motion by almost nothing: events followed each other closely.
    Lag,
    /// No contact forces were consistent with any mode, as for [`Status::Inconsistent`].
    Inconsistent,
    /// No explicit step met the tolerances, as for [`Status::Failed`].
    Failed,
    /// The law had no answer to an impact, as for [`Status::ImpactUnresolved`]. The impact was inelastic instead, as
    /// [`Settings::inelastic_fallback`](super::Settings::inelastic_fallback) asks.
    ImpactUnresolved,
}

/// The energy balance, in J: `end = start + other_work − impacts − friction + projections + residual`.
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
    /// Lost by friction, of sliding contacts and of joints.
    pub friction: f64,
    /// Work of smooth forces without a potential: dampers and drives.
    pub other_work: f64,
    /// Added when drift was removed.
    pub projections: f64,
}

impl EnergyAccount {
    /// The remainder: the error of the integration.
    #[must_use]
    pub fn residual(&self) -> f64 {
        let known = self.other_work - self.impacts - self.friction + self.projections;
        self.end - self.start - known
    }

    /// Whether smooth motion has gained more energy than its tolerances allow.
    ///
    /// A step may have an error of the relative tolerance of its energy plus the absolute one. The kinetic
    /// energy is at most that of the start plus the work done and the potential energy released; impacts and
    /// friction have dissipated the rest. A factor of ten allows for errors that unstable motion amplifies
    /// before they turn into energy.
    pub(super) fn is_breached(
        &self,
        start_kinetic: f64,
        settings: &Resolved,
        counters: &Counters,
    ) -> bool {
        let taken = self.impacts.abs() + self.friction.abs();
        let available =
            start_kinetic + taken + self.other_work.abs() + (self.start - self.end).abs();
        // The last two tolerances are those of energies.
        let absolute = settings.absolute_tolerances.last().copied().unwrap_or(0.0);
        let of_step = settings.relative_tolerance * available + absolute;
        let gained = self.residual() + self.projections;
        // A comparison with NaN does not hold.
        gained.is_nan() || gained > 10.0 * (1 + counters.steps) as f64 * of_step
    }
}

/// Largest violations of equations that were found before they were corrected.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Drift {
    /// Gaps of carrying contacts and bilateral constraints (m, rad).
    pub position: f64,
    /// Normal velocities of carrying contacts, slip of sticking ones, of joints that friction holds, and velocities of bilateral
    /// constraints (m/s, rad/s).
    pub velocity: f64,
    /// Deepest overlap of any contact at the end of a step or at a sample (m).
    pub penetration: f64,
}

/// How an integration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// The end time was reached.
    EndReached,
    /// The energy fell to [`Settings::end_energy`](super::Settings::end_energy) or below.
    EnergyReached,
    /// The end time was reached, but the law of an impact gained energy, which it does not exclude, or smooth
    /// motion gained more than its tolerances allow.
    EnergyGained,
    /// [`Settings::impact_limit`](super::Settings::impact_limit) was reached.
    ImpactLimit,
    /// [`Settings::mode_limit`](super::Settings::mode_limit) was reached.
    ModeLimit,
    /// [`Settings::step_limit`](super::Settings::step_limit) was reached.
    StepLimit,
    /// [`Settings::work_limit`](super::Settings::work_limit) was reached.
    WorkLimit,
    /// The caller of [`integrate_while`](super::integrate_while) ended the motion.
    Interrupted,
    /// Bodies overlapped by more than the accepted overlap of the start plus
    /// [`Settings::gap_tolerance`](super::Settings::gap_tolerance): either a contact closed without being
    /// detected, or one without a pressing force drifted.
    Overlap,
    /// The impact law did not come to its end, or the certificate of its outcome does not hold.
    ImpactUnresolved,
    /// No contact forces are consistent with any mode, and impulses without collision had no effect.
    Inconsistent,
    /// No step met the tolerances, however small, or numbers overflowed.
    Failed,
}

impl Status {
    /// The cause of a stretch where modes, steps or an impact have no answer; `None` for any other status.
    pub(super) const fn cause(self) -> Option<Cause> {
        match self {
            Self::Inconsistent => Some(Cause::Inconsistent),
            Self::Failed => Some(Cause::Failed),
            Self::ImpactUnresolved => Some(Cause::ImpactUnresolved),
            _ => None,
        }
    }
}

/// Cost of a linear complementarity problem, in evaluations: measured for one to twelve contacts.
const DECISION: usize = 10;
/// Number of iterations of a contact problem that cost as much as an evaluation: measured for one contact.
const ITERATIONS: usize = 10;

/// Cost of an integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counters {
    /// Number of steps of smooth motion.
    pub steps: usize,
    /// Number of evaluations of the accelerations.
    pub evaluations: usize,
    /// Number of impacts, accumulations and jams.
    pub impacts: usize,
    /// Number of impacts in which the law gained energy.
    pub energy_gained: usize,
    /// Number of times that a contact, or the friction of a joint, changed its mode.
    pub mode_changes: usize,
    /// Number of states evaluated for events and samples.
    pub looks: usize,
    /// Number of linear complementarity problems solved to find modes.
    pub mode_lcps: usize,
    /// Number of steps that were [implicit](EventKind::Stretch), which are part of `steps`.
    pub implicit_steps: usize,
    /// Number of iterations of the contact problems of implicit steps.
    pub contact_iterations: usize,
    /// Number of steps after which drift was removed.
    pub projections: usize,
}

impl Counters {
    /// The quantity that [`Settings::work_limit`](super::Settings::work_limit) bounds.
    pub(super) fn work(&self) -> usize {
        let decided = DECISION * self.mode_lcps;
        self.evaluations + self.looks + decided + self.contact_iterations / ITERATIONS
    }
}

/// An impact to which the law of a motion had no answer. Two are equal if status, contacts and velocities are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unanswered {
    /// How the law ended.
    pub status: percussion_impact::Status,
    /// The contacts of the problem, by their numbers in the motion.
    pub contacts: Vec<usize>,
    /// The problem, with the bilateral equations of the model as joints.
    pub problem: percussion_impact::Problem,
}

impl PartialEq for Unanswered {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.problem, &other.problem);
        (self.status, &self.contacts) == (other.status, &other.contacts)
            && a.velocity() == b.velocity()
            && a.contacts() == b.contacts()
    }
}

/// Result of an integration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// The impact at which it ended, with the status [`Status::ImpactUnresolved`]; `None` also if there were too many
    /// impacts at this moment.
    pub unanswered: Option<Unanswered>,
    /// The last state.
    pub state: State,
    /// Modes of the contacts there.
    pub modes: Vec<Mode>,
    /// The names of the contacts in a contact source, by number; `None` for those of the model.
    pub names: Vec<Option<ContactName>>,
    /// All events, in order.
    pub events: Vec<Event>,
    /// The energy balance.
    pub energy: EnergyAccount,
    /// Accuracy with which closed contacts and bilateral constraints held.
    pub drift: Drift,
    /// How the law used the coefficients of restitution, over all impacts; of different uses the last of
    /// [none](RestitutionUse::None), used, replaced, ignored.
    pub restitution: RestitutionUse,
    /// Its cost.
    pub counters: Counters,
    /// Length, mass and time to which tolerances are relative.
    pub scales: Scales,
}
