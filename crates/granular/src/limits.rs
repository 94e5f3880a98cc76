//! Limits at which a long run is stopped: [`Limits`].

use crate::{Report, World};

/// Bounds on the values that steps report; infinite by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Maximum [relative residual](Report::relative_residual).
    pub relative_residual: f64,
    /// Maximum overlap, in radii of the smallest grain.
    pub overlap: f64,
    /// Maximum kinetic energy (J).
    pub kinetic_energy: f64,
}

impl Default for Limits {
    fn default() -> Self {
        let none = f64::INFINITY;
        Self { relative_residual: none, overlap: none, kinetic_energy: none }
    }
}

/// A bound that a step exceeded.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("step {step}: {quantity} is {value:?}, the limit is {limit:?}")]
#[non_exhaustive]
pub struct Breach {
    /// The step, counted from 1.
    pub step: u64,
    /// Name of the quantity that is out of bounds.
    pub quantity: &'static str,
    /// Its value.
    pub value: f64,
    /// Its bound.
    pub limit: f64,
}

impl Limits {
    /// Checks the last step of `world`.
    ///
    /// # Errors
    ///
    /// The first [`Breach`]; a quantity that is NaN exceeds every limit.
    pub fn check(&self, world: &World, report: &Report) -> Result<(), Breach> {
        let grains = world.grains();
        let overlap = report.overlap / grains.smallest_radius();
        self.check_values(
            world.steps(),
            [report.relative_residual, overlap, grains.kinetic_energy()],
        )
    }

    /// Checks the relative residual, the overlap in radii of the smallest grain and the kinetic energy (J) after `step` steps.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn check_values(&self, step: u64, values: [f64; 3]) -> Result<(), Breach> {
        let [relative_residual, overlap, kinetic_energy] = values;
        let checks = [
            ("relative residual", relative_residual, self.relative_residual),
            ("overlap in radii", overlap, self.overlap),
            ("kinetic energy in J", kinetic_energy, self.kinetic_energy),
        ];
        for (quantity, value, limit) in checks {
            if value.is_nan() || value > limit {
                return Err(Breach { step, quantity, value, limit });
            }
        }
        Ok(())
    }
}
