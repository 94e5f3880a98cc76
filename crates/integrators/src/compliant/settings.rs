//! Settings of the integration.

use serde::{Deserialize, Serialize};

use super::Error;

/// The method that advances the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// Backward differentiation formulas of order 1 to 5 with variable steps, implicit: for stiff
    /// contacts, which are those with much damping or with friction close to rest (default).
    #[default]
    Bdf,
    /// The implicit one-step method TR-BDF2 of order 2: independent of the other, to check it.
    TrBdf2,
    /// The explicit one-step method of Tsitouras of order 5: for contacts that are elastic or lightly
    /// damped and slide, where following the collision needs more steps than stability.
    Tsit45,
}

/// Settings of [`integrate`](super::integrate).
///
/// An error of a step is acceptable when, in the mean square over all components, it is at most the
/// absolute tolerance of the component plus the relative tolerance times its size. Positions count
/// from the start of the integration, so that the relative tolerance applies to displacements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// Relative tolerance, in `[1e-13, 0.1]` (default `1e-8`).
    pub relative_tolerance: f64,
    /// Absolute tolerance of displacements (m, rad; > 0, default `1e-12`).
    ///
    /// It has to be small against the depth of the contacts: a velocity `v` stops in a spring `k` within
    /// `v √(m/k)`.
    pub displacement_tolerance: f64,
    /// Absolute tolerance of velocities (m/s, rad/s; > 0, default `1e-9`).
    ///
    /// Where contacts stick it has to be a tenth of the width of their friction law or less.
    pub velocity_tolerance: f64,
    /// Absolute tolerance of contact impulses (N·s; > 0, default `1e-9`).
    pub impulse_tolerance: f64,
    /// Largest number of steps (≥ 1, default `1_000_000`).
    pub step_limit: usize,
    /// Largest number of restarts, one for each time that contacts open or close (≥ 1, default `10_000`).
    pub restart_limit: usize,
    /// Steps shorter than this end the integration (s; > 0, default `1e-16`).
    pub smallest_step: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            relative_tolerance: 1e-8,
            displacement_tolerance: 1e-12,
            velocity_tolerance: 1e-9,
            impulse_tolerance: 1e-9,
            step_limit: 1_000_000,
            restart_limit: 10_000,
            smallest_step: 1e-16,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let value = self.relative_tolerance;
        if !(1e-13..=0.1).contains(&value) {
            let (name, expected) = ("relative_tolerance", "a number from 1e-13 to 0.1");
            return Err(Error::Setting { name, value, expected });
        }
        for (name, value) in [
            ("displacement_tolerance", self.displacement_tolerance),
            ("velocity_tolerance", self.velocity_tolerance),
            ("impulse_tolerance", self.impulse_tolerance),
            ("smallest_step", self.smallest_step),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Setting { name, value, expected: "a positive finite number" });
            }
        }
        for (name, value) in
            [("step_limit", self.step_limit), ("restart_limit", self.restart_limit)]
        {
            if value == 0 {
                return Err(Error::Setting { name, value: 0.0, expected: "at least 1" });
            }
        }
        Ok(())
    }
}
