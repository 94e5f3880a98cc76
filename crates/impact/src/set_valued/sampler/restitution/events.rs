//! The events at which the pieces of a step with restitution end, and the motion from one to the next.

use super::{Mode, ROUNDING, Sampler, Stores};
use crate::set_valued::{frame::Frame, statistics::raise};

/// The end of a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A row of `J` comes to rest.
    Row(usize),
    /// Both tangential rows from this one on come to rest.
    Slip(usize),
    /// A contact has given back its energy.
    Emptied(usize),
    /// The direction of friction changes, or the step ends.
    Other,
}

impl Sampler<'_> {
    /// The length of the piece up to the first event, at most `left`.
    pub(super) fn first_event(&self, stores: &Stores, left: f64) -> (f64, Event) {
        let mut first = (left, Event::Other);
        let mut at = |length: f64, event: Event| {
            if length < first.0 {
                first = (length.max(0.0), event);
            }
        };
        for (i, frame) in self.statement.frames.iter().enumerate() {
            let n = frame.row;
            let (velocity, growth) = (self.contact_velocity[n], stores.growth[n]);
            let rate = self.step_impulse[n];
            if velocity * growth < 0.0 && stores.modes[i] != Mode::Held {
                at(-velocity / growth, Event::Row(n));
            }
            let expands = velocity > 0.0 || (velocity == 0.0 && growth > 0.0);
            if stores.modes[i] == Mode::Pushes && expands && rate > 0.0 {
                // `E = rate (u τ + growth τ²/2)`; no root if the growth turns the velocity first.
                let ratio = stores.energies[i] / rate;
                let square = velocity * velocity + 2.0 * growth * ratio;
                if square >= 0.0 {
                    at(2.0 * ratio / (velocity + square.sqrt()), Event::Emptied(i));
                }
            }
            if rate > 0.0 && frame.friction > 0.0 && frame.tangents > 0 {
                self.slip_event(stores, frame, &mut at);
            }
        }
        first
    }

    /// Calls `at` with the ends of the slip, and of the direction of friction, of a contact that pushes.
    fn slip_event(&self, stores: &Stores, frame: &Frame, at: &mut impl FnMut(f64, Event)) {
        let t = frame.row + 1;
        if frame.tangents == 1 {
            let (slip, growth) = (self.contact_velocity[t], stores.growth[t]);
            if slip * growth < 0.0 {
                at(-slip / growth, Event::Row(t));
            }
            return;
        }
        let rest = ROUNDING * self.units.speed(t).max(self.units.speed(t + 1));
        let pair =
            |d: &[f64; 2]| (frame.along(d, &self.contact_velocity), frame.along(d, &stores.growth));
        let pairs = frame.directions.iter().map(pair);
        let most = pairs.clone().map(|(slip, _)| slip).fold(f64::INFINITY, f64::min);
        // Of those that oppose the slip most now, the one that does so a moment later.
        let later = pairs.clone().filter(|(slip, _)| *slip <= most + rest);
        let growth = later.map(|(_, growth)| growth).fold(f64::INFINITY, f64::min);
        if most < -rest && growth > 0.0 {
            at(-most / growth, Event::Slip(t));
        }
        for (slip, own) in pairs {
            if slip > most + rest && own < growth {
                at((slip - most) / (growth - own), Event::Other);
            }
        }
    }

    /// Moves on by `length` and takes what the event has brought to zero as zero.
    pub(super) fn follow(&mut self, stores: &mut Stores, length: f64, event: Event) {
        let mut gain = 0.0;
        for (i, frame) in self.statement.frames.iter().enumerate() {
            let n = frame.row;
            let (velocity, growth) = (self.contact_velocity[n], stores.growth[n]);
            for row in n..=n + frame.tangents {
                let mean = self.contact_velocity[row] + 0.5 * stores.growth[row] * length;
                gain += self.step_impulse[row] * length * mean;
            }
            if stores.modes[i] != Mode::Pushes {
                continue;
            }
            let work = self.step_impulse[n] * length * (velocity + 0.5 * growth * length);
            let is_compressed = velocity < 0.0 || (velocity == 0.0 && growth < 0.0);
            let before = stores.energies[i];
            let part = if is_compressed { stores.squares[i] } else { 1.0 };
            stores.energies[i] = (before - part * work).max(0.0);
            if matches!(event, Event::Emptied(emptied) if emptied == i) {
                stores.energies[i] = 0.0;
            }
            gain += stores.energies[i] - before;
        }
        raise(&mut self.figures.energy_gain, gain);
        self.contact_velocity.axpy(length, &stores.growth, 1.0);
        stores.total.axpy(length, &self.step_impulse, 1.0);
        match event {
            Event::Row(row) => self.contact_velocity[row] = 0.0,
            Event::Slip(row) => {
                (self.contact_velocity[row], self.contact_velocity[row + 1]) = (0.0, 0.0);
            }
            Event::Emptied(_) | Event::Other => {}
        }
    }
}
