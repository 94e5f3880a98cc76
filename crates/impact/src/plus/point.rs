//! What the contact points do in an interval, and what the law keeps of each through an impact.

use crate::{Contact, Problem};

/// Part of a contact in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Phase {
    /// Does not approach and takes no percussion.
    Observing,
    /// Is brought to rest in the normal direction.
    Compressing,
    /// Gives back its part of the percussion it took in the round before.
    Expanding,
}

/// State of a contact in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Motion {
    /// Takes no percussion: it observes, or it would separate without one.
    Free,
    /// Its sliding velocity, below the transition velocity, is brought to zero.
    Rolling,
    /// It does not slide, or hardly, but the friction it would need to roll is beyond its cone: it
    /// slides at the end of the interval, and friction opposes that.
    ImpendingSlip,
    /// It slides, and friction opposes its velocity at the start of the interval. So does every contact
    /// without friction, whatever its velocity.
    Sliding,
}

/// What a contact does in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct State {
    /// Its part in the round.
    pub phase: Phase,
    /// Its motion.
    pub motion: Motion,
}

impl State {
    pub(super) const OBSERVING: Self = Self { phase: Phase::Observing, motion: Motion::Free };
}

/// What the law keeps of a contact.
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
    /// Normal percussion taken in this round while compressing (N·s).
    pub(super) compression: f64,
    /// Normal percussion to be given back (N·s).
    pub(super) owed: f64,
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
            direction: [0.0; 2],
            slip: 0.0,
        }
    }

    /// The tangential components of a stacked vector; zero where there is no tangent or no friction.
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

    /// `−μ ŝ`: friction per normal percussion.
    pub(super) fn friction_direction(&self) -> [f64; 2] {
        self.direction.map(|component| -self.friction * component)
    }
}
