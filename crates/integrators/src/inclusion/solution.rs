//! Solutions of the inclusion as phases of moments.

use super::contacts::{Carriers, Hold};
use crate::{energy::EnergyBalance, model::State, scales::Scales};

/// One moment of a solution, with the rates that apply after it within its phase.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Moment {
    /// Parameter `s` (s, and N·s of normal impulse).
    pub s: f64,
    /// Time `t` (s).
    pub time: f64,
    /// Coordinates `q` (length `n_q`).
    pub coordinates: Vec<f64>,
    /// Velocity `v` (length `n_v`).
    pub velocity: Vec<f64>,
    /// Rate of time `τ = dt/ds`, from 0 (impact) to 1 (free).
    pub time_rate: f64,
    /// Rates `λ` of the contact impulses by `s`, the normal and the tangent of contact 0, of contact 1 …
    pub rates: Vec<f64>,
}

impl Moment {
    pub(super) fn at(state: &State, contacts: usize) -> Self {
        Self {
            s: 0.0,
            time: state.time,
            coordinates: state.coordinates.clone(),
            velocity: state.velocity.clone(),
            time_rate: 1.0,
            rates: vec![0.0; 2 * contacts],
        }
    }
}

/// Behavior of time in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `τ = 1`, no contact carries.
    Free,
    /// `0 < τ < 1`, contacts stick or slide.
    Sustained,
    /// `τ = 0`, with constant rates.
    Impact,
}

/// Part of a solution in which the same contacts carry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Phase {
    /// Behavior of time.
    pub kind: Kind,
    /// Contacts that carry, ascending.
    pub contacts: Vec<usize>,
    /// Those of them that slide while they carry, ascending. Empty for impacts, whose rates show it.
    pub sliding: Vec<usize>,
    /// Its moments, an odd number of at least three. Each pair of neighboring intervals is equal: in
    /// time, or in `s` for an impact.
    pub moments: Vec<Moment>,
}

impl Phase {
    pub(super) fn new(kind: Kind, carriers: &Carriers, moments: Vec<Moment>) -> Self {
        let contacts = carriers.iter().map(|(contact, _)| *contact).collect();
        let slides = carriers.iter().filter(|(_, hold)| *hold != Hold::Stick);
        Self { kind, contacts, sliding: slides.map(|(contact, _)| *contact).collect(), moments }
    }

    /// Its first moment.
    ///
    /// # Panics
    ///
    /// If the list of moments, which is public, was emptied.
    #[must_use]
    pub fn start(&self) -> &Moment {
        &self.moments[0]
    }

    /// Its last moment.
    ///
    /// # Panics
    ///
    /// If the list of moments, which is public, was emptied.
    #[must_use]
    pub fn end(&self) -> &Moment {
        &self.moments[self.moments.len() - 1]
    }
}

/// How a solution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// At the requested time.
    EndReached,
    /// At the requested time or before an impact beyond the limit, with more energy than the motion can have,
    /// see [`Solution::energy`].
    EnergyGained,
    /// Before the impact beyond [`Settings::impact_limit`](super::Settings::impact_limit): usually at an
    /// accumulation point.
    ImpactLimit,
    /// [`Settings::phase_limit`](super::Settings::phase_limit) was reached.
    PhaseLimit,
    /// [`Settings::step_limit`](super::Settings::step_limit) was reached.
    StepLimit,
    /// Contacts touch, but no choice of those that stick, slide or are left is consistent, and no sliding contact is
    /// in Painlevé's case: several of them exclude each other, or there are too many to try all choices.
    NoSticking,
    /// Bodies overlap by more than [`Settings::gap_tolerance`](super::Settings::gap_tolerance): a contact
    /// closed without being detected, or step errors accumulated.
    Overlap,
    /// An impact did not end with impulses at single contacts.
    Jammed,
    /// Steps of a smooth phase became too small, or numbers overflowed.
    Failed,
}

/// A solution, from `s = 0` on.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Its phases; each starts where the one before ends.
    pub phases: Vec<Phase>,
    /// How it ended.
    pub status: Status,
    /// The energy balance.
    pub energy: EnergyBalance,
    /// Length, mass and time to which tolerances are relative.
    pub scales: Scales,
}

impl Solution {
    /// The first moment of each impact; several pieces of one impact count once.
    pub fn impacts(&self) -> impl Iterator<Item = &Moment> {
        let mut after_smooth = true;
        self.phases.iter().filter_map(move |phase| {
            let begins = phase.kind == Kind::Impact && after_smooth;
            after_smooth = phase.kind != Kind::Impact;
            begins.then(|| phase.start())
        })
    }
}

/// The point at which impacts accumulate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Accumulation {
    /// Its parameter (s, and N·s).
    pub s: f64,
    /// Its time (s).
    pub time: f64,
    /// Coordinates of the last impact built, from which they no longer move by more than the distance to
    /// the limit.
    pub coordinates: Vec<f64>,
    /// The last ratio of the times between impacts, below 1.
    pub ratio: f64,
}

impl Accumulation {
    /// Extrapolates the times and parameters between the impacts of `solution` as geometric series with the
    /// last ratio of each: with the last interval `d` and the ratio `r` of it to the one before, the limit is
    /// `d r/(1 − r)` after the last impact.
    ///
    /// If the intervals follow their limiting ratio up to a relative `ε`, the error is about
    /// `ε d r/(1 − r)²`. `None` for fewer than three impacts, or if a ratio is not between 0 and 1.
    ///
    /// # Example
    ///
    /// Impacts at 0, 1 and 1.5 s whose intervals continue to halve accumulate at 2 s; see the tests for a
    /// solution.
    #[must_use]
    pub fn of(solution: &Solution) -> Option<Self> {
        let impacts: Vec<_> = solution.impacts().collect();
        let [.., a, b, c] = impacts[..] else { return None };
        let (time, ratio) = limit(a.time, b.time, c.time)?;
        let (s, _) = limit(a.s, b.s, c.s)?;
        Some(Self { s, time, coordinates: c.coordinates.clone(), ratio })
    }
}

/// The limit of a geometric series through three partial sums, and its ratio.
fn limit(a: f64, b: f64, c: f64) -> Option<(f64, f64)> {
    let (last, ratio) = (c - b, (c - b) / (b - a));
    (0.0 < ratio && ratio < 1.0).then_some((c + last * ratio / (1.0 - ratio), ratio))
}
