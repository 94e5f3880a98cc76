//! The impacts and modes of a motion as a sequence that can be compared.

use percussion_dynamics::ContactName;

use crate::event_driven::{EventKind, Mode, Report};

/// The contacts of a motion from one event to the next.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Phase {
    /// How it began.
    pub entry: Entry,
    /// The closed contacts with their modes, in the order of [`Place`].
    pub closed: Vec<(Place, Mode)>,
}

/// How a phase begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Entry {
    /// With the motion, or with a change of modes without an impact.
    Smooth,
    /// With a jam.
    Jam,
    /// With an impact.
    Impact,
    /// With infinitely many impacts.
    Accumulation,
}

/// A contact, by a name that is the same in all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Place {
    /// A contact of the model, by number.
    Named(usize),
    /// A contact that was found during the motion. Its number may differ from member to member.
    Found(ContactName),
}

/// The first phases of a motion. Events at the same instant begin one phase, and a phase differs from the one before by its
/// closed contacts or begins with an impact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Sequence {
    /// The phases.
    pub phases: Vec<Phase>,
    /// Whether others follow.
    pub continues: bool,
}

/// The first `limit` phases of a motion that began at the time `start`, and the last phase.
pub(super) fn of(report: &Report, start: f64, limit: usize) -> (Sequence, Phase) {
    let mut modes: Vec<Mode> = vec![Mode::Open; report.names.len()];
    let mut phases = vec![Phase { entry: Entry::Smooth, closed: Vec::new() }];
    let mut last = start;
    let mut count = 1;
    for event in &report.events {
        let entry = match &event.kind {
            EventKind::Impact { .. } => Entry::Impact,
            EventKind::Accumulation { .. } | EventKind::Settling { .. } => Entry::Accumulation,
            EventKind::Jam { .. } => Entry::Jam,
            EventKind::Stretch { .. } | EventKind::Joint { .. } => Entry::Smooth,
            EventKind::Mode { contact, to, .. } => {
                if let Some(mode) = modes.get_mut(*contact) {
                    *mode = *to;
                }
                Entry::Smooth
            }
        };
        let closed = closed(&modes, report);
        let Some(current) = phases.last_mut() else { break };
        if event.time > last && (entry != Entry::Smooth || closed != current.closed) {
            (last, count) = (event.time, count + 1);
            // Beyond the limit only the last phase is kept.
            if phases.len() > limit {
                phases.pop();
            }
            phases.push(Phase { entry, closed });
        } else {
            *current = Phase { entry: current.entry.max(entry), closed };
        }
    }
    let ending =
        phases.last().cloned().unwrap_or(Phase { entry: Entry::Smooth, closed: Vec::new() });
    phases.truncate(limit);
    (Sequence { phases, continues: count > limit }, ending)
}

fn closed(modes: &[Mode], report: &Report) -> Vec<(Place, Mode)> {
    let place = |contact: usize| {
        report.names.get(contact).copied().flatten().map_or(Place::Named(contact), Place::Found)
    };
    let closed = modes.iter().enumerate().filter(|(_, mode)| **mode != Mode::Open);
    let mut closed: Vec<_> = closed.map(|(contact, mode)| (place(contact), *mode)).collect();
    closed.sort_unstable();
    closed
}
