//! How an impact by PLUS was resolved: [`Report`].

/// How an impact was resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// Whether the law came to its end.
    pub status: Status,
    /// Number of rounds begun.
    pub rounds: usize,
    /// Number of intervals begun, over all rounds.
    pub intervals: usize,
    /// Number of sets of constraints tried, over all intervals.
    pub passes: usize,
    /// Number of intervals that push a jammed contact.
    pub jams: usize,
    /// Number of rounds in which all contacts took part that did in one of the 100 rounds before, because none of these had
    /// an expansion.
    pub gathered: usize,
    /// Largest approach that the constraints of an interval leave to the next round (m/s): zero when every
    /// interval satisfies all its conditions.
    pub violation: f64,
    /// Work done, in multiply-adds; see [`Plus::work_limit`](super::Plus::work_limit).
    pub work: u64,
}

impl Report {
    pub(super) fn or(self, status: Status) -> Self {
        Self { status, ..self }
    }
}

/// Whether the law came to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// No contact approaches and no expansion is outstanding.
    #[default]
    Resolved,
    /// The limit of rounds was reached; the outcome is the state after the last one.
    RoundLimit,
    /// The limit of intervals was reached; the outcome is the state after the last one.
    IntervalLimit,
    /// The limit of active-set passes was reached; the outcome is the state before that interval.
    PassLimit,
    /// The limit of work was reached; the outcome is the state before the interval in which this happened.
    WorkLimit,
    /// Either the directions of impending slip were not found, and in one interval friction acts along the
    /// last ones tried; or no impulse stops a contact that approaches, and the outcome is the state there.
    Unsolved,
}
