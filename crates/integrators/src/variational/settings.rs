//! The settings of the integrator.

use serde::{Deserialize, Serialize};

use super::Error;

/// Settings of [`Integrator`](super::Integrator).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Length of a step (s, positive, default 0.01).
    pub step_size: f64,
    /// Largest accepted residual of the discrete equations of motion, relative to the largest momentum
    /// and impulse in them (dimensionless, in `(0, 1)`, default `1e-13`: a few hundred roundings). A
    /// residual that rounding keeps above it is accepted up to a thousand times of it.
    pub tolerance: f64,
    /// Most iterations of Newton's method for one piece of a step (≥ 1, default 50).
    pub newton_limit: usize,
    /// How exactly contacts close and constraints hold (m or rad, positive, default `1e-12`).
    pub gap_tolerance: f64,
    /// Contacts with gaps up to this take part in an impact (m, at least
    /// [`gap_tolerance`](Self::gap_tolerance), default `1e-9`).
    pub touching: f64,
    /// A contact that touches rests unless it separates or approaches faster than this (m/s, positive,
    /// default `1e-8`).
    pub rest_speed: f64,
    /// How often one contact may be hit within one step before its impacts are taken as plastic
    /// (≥ 0, default 8): the Zeno rule.
    pub chatter_limit: usize,
    /// Most impacts of one step (≥ 1, default 1000).
    pub impact_limit: usize,
    /// By how much the ledger of energy may change normal velocities after an impact, relative to them
    /// (in `[0, 1)`, default 0.1; 0 leaves every impact as the law has it).
    pub correction_limit: f64,
    /// Number of friction directions in space (even, ≥ 4, default 8); in the plane there are two.
    pub directions: usize,
    /// Most steps of one [`run`](super::Integrator::run) (≥ 1, default 10 million).
    pub step_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_size: 0.01,
            tolerance: 1e-13,
            newton_limit: 50,
            gap_tolerance: 1e-12,
            touching: 1e-9,
            rest_speed: 1e-8,
            chatter_limit: 8,
            impact_limit: 1000,
            correction_limit: 0.1,
            directions: 8,
            step_limit: 10_000_000,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |name, value, expected| Err(Error::Setting { name, value, expected });
        let positive = [
            ("step_size", self.step_size),
            ("gap_tolerance", self.gap_tolerance),
            ("rest_speed", self.rest_speed),
        ];
        if let Some((name, value)) =
            positive.into_iter().find(|(_, x)| !(x.is_finite() && *x > 0.0))
        {
            return refuse(name, value, "a positive number");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return refuse("tolerance", self.tolerance, "a number in (0, 1)");
        }
        if !(self.touching.is_finite() && self.touching >= self.gap_tolerance) {
            return refuse("touching", self.touching, "a number of at least `gap_tolerance`");
        }
        if !(0.0..1.0).contains(&self.correction_limit) {
            return refuse("correction_limit", self.correction_limit, "a number in [0, 1)");
        }
        let counts = [
            ("newton_limit", self.newton_limit),
            ("impact_limit", self.impact_limit),
            ("step_limit", self.step_limit),
        ];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return refuse(name, 0.0, "at least 1");
        }
        if self.directions < 4 || self.directions % 2 == 1 {
            return refuse("directions", self.directions as f64, "an even number of at least 4");
        }
        Ok(())
    }
}
