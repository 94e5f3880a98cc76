//! Settings of the integration.

use serde::{Deserialize, Serialize};

use super::Error;

/// Settings of [`integrate`](super::integrate).
///
/// Three tolerances say what is zero: a gap, a contact velocity, a contact acceleration. Whatever is decided between
/// two modes of a contact is decided at these; they are to be above what the integration errs by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Relative tolerance of a step of smooth motion, in `[1e-13, 1e-3]` (default `1e-10`).
    pub relative_tolerance: f64,
    /// Absolute tolerance of displacements, velocities and energies of a step (m, rad, m/s, rad/s, J; > 0, default
    /// `1e-11`).
    pub absolute_tolerance: f64,
    /// Contacts whose gap is at most this take part in an impact together (m; ≥ 0, default `1e-9`): simultaneous
    /// events. Rebounds that stay within it are summed up as a geometric series.
    pub proximity: f64,
    /// A gap up to this is closed, and a drift of a closed contact is let grow to a tenth of it (m; > 0, default `1e-9`).
    pub gap_tolerance: f64,
    /// A contact velocity up to this is none (m/s; > 0, default `1e-9`).
    pub velocity_tolerance: f64,
    /// A contact acceleration up to this is none (m/s²; > 0, default `1e-7`). Contact forces are zero or at the edge of
    /// their cones when what they are off by accelerates their contact by no more.
    pub acceleration_tolerance: f64,
    /// Largest number of impacts (≥ 1, default `100_000`).
    pub impact_limit: usize,
    /// Largest number of changes of the modes of contacts (≥ 1, default `100_000`).
    pub mode_limit: usize,
    /// Largest number of steps of smooth motion (≥ 1, default `1_000_000`).
    pub step_limit: usize,
    /// Time between two moments that the observer sees besides events (s; > 0); without it (the default), the ends of
    /// steps, which are far apart where the motion is smooth.
    pub sample_interval: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            relative_tolerance: 1e-10,
            absolute_tolerance: 1e-11,
            proximity: 1e-9,
            gap_tolerance: 1e-9,
            velocity_tolerance: 1e-9,
            acceleration_tolerance: 1e-7,
            impact_limit: 100_000,
            mode_limit: 100_000,
            step_limit: 1_000_000,
            sample_interval: None,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let value = self.relative_tolerance;
        if !(1e-13..=1e-3).contains(&value) {
            let (name, expected) = ("relative_tolerance", "a number from 1e-13 to 1e-3");
            return Err(Error::Setting { name, value, expected });
        }
        if !(self.proximity.is_finite() && self.proximity >= 0.0) {
            let (name, value) = ("proximity", self.proximity);
            return Err(Error::Setting { name, value, expected: "a finite number of at least 0" });
        }
        for (name, value) in [
            ("absolute_tolerance", self.absolute_tolerance),
            ("gap_tolerance", self.gap_tolerance),
            ("velocity_tolerance", self.velocity_tolerance),
            ("acceleration_tolerance", self.acceleration_tolerance),
            ("sample_interval", self.sample_interval.unwrap_or(1.0)),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Setting { name, value, expected: "a positive finite number" });
            }
        }
        for (name, value) in [
            ("impact_limit", self.impact_limit),
            ("mode_limit", self.mode_limit),
            ("step_limit", self.step_limit),
        ] {
            if value == 0 {
                return Err(Error::Setting { name, value: 0.0, expected: "at least 1" });
            }
        }
        Ok(())
    }
}
