//! Short steps of smooth motion, and two causes of them: a direction of slip that turns much faster than the motion changes, and
//! [forces](super::stiff) that do.
//!
//! Friction `μ f_n` turns the direction of a slip `u` at the rate `μ f_n W/|u|`, with the inverse mass `W` across it. Explicit steps
//! are stable up to about three times the inverse of this rate. A slip that is about to stop passes through fast turns within a short
//! time, and explicit steps follow it; one that goes on slowly needs implicit steps.

use nalgebra::DMatrix;

use super::{
    geometry::{Geometry, Moment},
    hold::{Grip, Held, Hold, Line, line_row},
    report::Cause,
    settings::Resolved,
    stiff,
};

/// Fraction of the time of the model below which steps of smooth motion are short.
pub(super) const SHORT: f64 = 1e-3;

/// Number of such steps in succession after which a cause is searched for.
const PATIENCE: usize = 100;

/// Minimum number of turns of the direction of a slip before it stops that make the slip stiff.
const TURNS: f64 = 100.0;

/// Sequences of short steps of smooth motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crawl {
    short: usize,
    /// Time that these steps have taken (s).
    duration: f64,
    patience: usize,
    /// The cause that the last search has found, and the mean length of the steps before it (s).
    pub(super) found: Option<(Cause, f64)>,
}

impl Default for Crawl {
    fn default() -> Self {
        Self { short: 0, duration: 0.0, patience: PATIENCE, found: None }
    }
}

impl Crawl {
    /// Counts a step of smooth motion of `length` (s); returns the mean length of the last ones (s) when a cause should be searched for,
    /// as they have been short for long, with the `time` of the model (s).
    pub(super) fn is_due(&mut self, length: f64, time: f64) -> Option<f64> {
        if length > SHORT * time {
            (self.short, self.duration) = (0, 0.0);
            return None;
        }
        self.short += 1;
        self.duration += length;
        if self.short < self.patience {
            return None;
        }
        let mean = self.duration / self.short as f64;
        (self.short, self.duration) = (0, 0.0);
        Some(mean)
    }

    /// Searches half as often, where a stretch is of no use.
    pub(super) const fn wait_longer(&mut self) {
        self.patience = self.patience.saturating_mul(2);
    }
}

/// The cause of steps of this mean length (s) before a moment whose contacts are located, and are afterwards. Counts the
/// evaluations that the search takes.
pub(super) fn cause(
    geometry: &mut Geometry<'_>,
    moment: &Moment<'_>,
    (hold, held): (&Hold, &Held),
    (settings, length): (&Resolved, f64),
    evaluations: &mut usize,
) -> Option<Cause> {
    if is_stiff(geometry, moment, (hold, held), settings.scales.time) {
        return Some(Cause::SlowSlip);
    }
    *evaluations += stiff::EVALUATIONS;
    stiff::are_stiff(geometry, moment, hold, (settings, length)).then_some(Cause::StiffForces)
}

/// Whether the direction of a slip turns fast for the `time` of the model (s), and the slip goes on for many turns, at a moment whose
/// contacts are located.
fn is_stiff(
    geometry: &mut Geometry<'_>,
    moment: &Moment<'_>,
    (hold, held): (&Hold, &Held),
    time: f64,
) -> bool {
    if geometry.components == 2 {
        return false;
    }
    let contacts = hold.contacts();
    let bias = geometry.bias(moment, &contacts);
    hold.carried.iter().any(|(contact, grip)| {
        let Grip::Slide(_) = grip else { return false };
        let slip = geometry.slip(*contact, moment.velocity);
        let force = held.forces[geometry.components * contact];
        let Some(turn) = turning(geometry, moment.coordinates, *contact, slip, force) else {
            return false;
        };
        let (row, speed) = (geometry.first_row(*contact), slip[0].hypot(slip[1]));
        let along: f64 = (1..3)
            .map(|k| {
                let rate = geometry.speed(row + k, held.acceleration.as_slice()) + bias[row + k];
                rate * slip[k - 1] / speed
            })
            .sum();
        let is_fast = turn * SHORT * time > 1.0;
        is_fast && TURNS * -along < turn * speed
    })
}

/// The rate at which the direction of a slip (m/s) turns (1/s) by the friction of a contact with a normal force (N): `μ f_n W/|u|` with
/// the inverse mass `W` across the slip. `None` without slip or friction.
pub(super) fn turning(
    geometry: &Geometry<'_>,
    coordinates: &[f64],
    contact: usize,
    slip: [f64; 2],
    force: f64,
) -> Option<f64> {
    let friction = geometry.contacts.as_slice()[contact].friction;
    let speed = slip[0].hypot(slip[1]);
    if !(speed > 0.0 && friction > 0.0 && geometry.components == 3) {
        return None;
    }
    let across = [-slip[1] / speed, slip[0] / speed];
    let row = line_row(geometry, &Line::Tangent(contact, across));
    let response = geometry.divide(coordinates, DMatrix::from_columns(std::slice::from_ref(&row)));
    Some(friction * force.max(0.0) * row.dot(&response.column(0)) / speed)
}
