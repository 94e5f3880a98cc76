//! Tolerances of the published code of Halm and Posa: [`PublishedCode`].

use serde::Deserialize;

/// Tolerances of the published code, and the number of samples that are followed with them.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedCode {
    /// Largest `|min(z, w)|` of a solution of a step.
    pub(crate) solver_tolerance: f64,
    /// Approach at which the loop ends (m/s).
    pub(crate) loop_tolerance: f64,
    /// Number of samples that are followed; at most one for 16 of the whole run.
    pub(crate) followed: u64,
}
