//! The states of contact points in an interval, and the data that the law stores for each during an impact.

use crate::{Contact, Problem};

/// Role of a contact in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Phase {
    /// Does not approach and takes no impulse.
    Observing,
    /// Is brought to rest in the normal direction.
    Compressing,
    /// Returns its fraction of the impulse it took in the round before.
    Expanding,
}

/// State of a contact in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Motion {
    /// Takes no impulse: it observes, or it separates without an impulse.
    Free,
    /// Its sliding velocity, which is below the transition velocity, is brought to zero.
    Rolling,
    /// It does not slide, or hardly, but the friction it would need to roll lies outside its cone. It slides
    /// at the end of the interval, and friction opposes that sliding.
    ImpendingSlip,
    /// It slides, and friction opposes its velocity at the start of the interval. Contacts without friction
    /// are always in this state, at any velocity.
    Sliding,
}

/// State of a contact in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct State {
    /// Its role in the round.
    pub phase: Phase,
    /// Its motion.
    pub motion: Motion,
}

impl State {
    pub(super) const OBSERVING: Self = Self { phase: Phase::Observing, motion: Motion::Free };
}

/// Data that the law stores for a contact.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Row of its normal; those of its tangents follow.
    pub(super) normal: usize,
    /// Number of tangents along which it has friction.
    pub(super) tangents: usize,
    pub(super) friction: f64,
    /// Coefficient of restitution at high speed.
    pub(super) e_min: f64,
    /// Coefficient of restitution of this round.
    pub(super) restitution: f64,
    /// Normal impulse taken in this round while compressing (N·s).
    pub(super) compression: f64,
    /// Outstanding normal impulse of the expansion (N·s).
    pub(super) owed: f64,
    /// Number of rounds since it last took part.
    pub(super) idle: usize,
    /// Direction of sliding that friction opposes, zero without friction.
    pub(super) direction: [f64; 2],
    /// `σ = ‖u_t⁺‖ / ‖π_t‖` in impending slip (kg⁻¹).
    pub(super) slip: f64,
}

impl Point {
    pub(super) fn new(problem: &Problem, contact: &Contact, index: usize, e_min: f64) -> Self {
        let tangents = if contact.friction > 0.0 { contact.tangents.len() } else { 0 };
        Self {
            normal: problem.rows(index).start,
            tangents,
            friction: contact.friction,
            e_min,
            restitution: 0.0,
            compression: 0.0,
            owed: 0.0,
            idle: usize::MAX,
            direction: [0.0; 2],
            slip: 0.0,
        }
    }

    /// The tangential components of a stacked vector; zero if there is no tangent or no friction.
    pub(super) fn tangential(&self, stacked: &[f64]) -> [f64; 2] {
        let mut components = [0.0; 2];
        let rows = &stacked[self.normal + 1..][..self.tangents];
        components[..self.tangents].copy_from_slice(rows);
        components
    }

    /// `‖x_t‖` of a stacked vector.
    pub(super) fn tangential_norm(&self, stacked: &[f64]) -> f64 {
        let [x, y] = self.tangential(stacked);
        if self.tangents == 1 { x.abs() } else { (x * x + y * y).sqrt() }
    }

    /// Sets the direction of sliding to that which these impulses oppose.
    pub(super) fn slide_against(&mut self, impulse: &[f64]) {
        let [x, y] = self.tangential(impulse);
        let size = self.tangential_norm(impulse);
        self.direction = if size > 0.0 { [-x / size, -y / size] } else { [0.0; 2] };
    }

    /// `−μ ŝ`: friction per normal impulse.
    pub(super) fn friction_direction(&self) -> [f64; 2] {
        self.direction.map(|component| -self.friction * component)
    }
}
