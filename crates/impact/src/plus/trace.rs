//! The intervals of an impact, as they happen, and as a list to keep.

use super::{Report, State};

/// One interval, as passed to the observer of [`Plus::observe`](super::Plus::observe).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Interval<'a> {
    /// Number of its round, from 1.
    pub round: usize,
    /// Step fraction `α` of the remainder of the round, in `[0, 1]`. The last interval of a round has 1, the
    /// push of a jammed contact has 0.
    pub fraction: f64,
    /// State of each contact.
    pub states: &'a [State],
    /// Impulses applied in the interval (length `r`, N·s).
    pub impulse: &'a [f64],
    /// Contact velocity at its end (length `r`, m/s).
    pub contact_velocity: &'a [f64],
}

/// One interval, for storage; the fields are those of [`Interval`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Record {
    /// Number of its round, from 1.
    pub round: usize,
    /// Step fraction `α`.
    pub fraction: f64,
    /// State of each contact.
    pub states: Vec<State>,
    /// Impulses applied in the interval (length `r`, N·s).
    pub impulse: Vec<f64>,
    /// Contact velocity at its end (length `r`, m/s).
    pub contact_velocity: Vec<f64>,
}

impl From<&Interval<'_>> for Record {
    fn from(interval: &Interval<'_>) -> Self {
        Self {
            round: interval.round,
            fraction: interval.fraction,
            states: interval.states.to_vec(),
            impulse: interval.impulse.to_vec(),
            contact_velocity: interval.contact_velocity.to_vec(),
        }
    }
}

/// A whole impact.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Trace {
    /// How it ended.
    pub report: Report,
    /// Its intervals, in order.
    pub intervals: Vec<Record>,
}
