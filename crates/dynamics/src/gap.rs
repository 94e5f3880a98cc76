//! Gaps between surfaces and the rows of the contact Jacobian: the trait [`GapFunction`].

use std::fmt::Debug;

use crate::system::System;

/// The rows that one contact adds to the contact Jacobian, each of length `n_v`.
///
/// Applied to a generalized velocity they give the contact velocity `u` (m/s): the velocity of
/// body 1 minus that of body 2 along the normal (positive when separating) and along the tangents.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRows {
    velocity_count: usize,
    rows: Vec<f64>,
}

impl ContactRows {
    /// Zero rows for a system with `velocity_count` velocities and `tangent_count` tangents.
    #[must_use]
    pub fn new(velocity_count: usize, tangent_count: usize) -> Self {
        Self { velocity_count, rows: vec![0.0; velocity_count * (1 + tangent_count)] }
    }

    /// Zero rows of the right shape for `system`.
    #[must_use]
    pub fn for_system(system: &dyn System) -> Self {
        Self::new(system.velocity_count(), system.dimension().tangent_count())
    }

    /// Number of tangents.
    #[must_use]
    pub fn tangent_count(&self) -> usize {
        self.rows.len() / self.velocity_count.max(1) - 1
    }

    /// The normal row, which is the gradient of the gap: `ġ = normal · v`.
    #[must_use]
    pub fn normal(&self) -> &[f64] {
        self.row(0)
    }

    /// The row of tangent `index`.
    #[must_use]
    pub fn tangent(&self, index: usize) -> &[f64] {
        self.row(1 + index)
    }

    /// Row `index` to write to: 0 is the normal, then the tangents.
    pub fn row_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.rows[index * self.velocity_count..(index + 1) * self.velocity_count]
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.rows.fill(0.0);
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.velocity_count..(index + 1) * self.velocity_count]
    }
}

/// A signed distance between two surfaces of a system.
///
/// Implement it for surfaces of your own. The identity to satisfy: along any motion,
/// `d gap/dt = normal row · v`.
pub trait GapFunction: Debug + Send + Sync {
    /// The gap (m): positive open, zero touching, negative penetrating.
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64;

    /// Writes normal and tangent rows and returns the gap.
    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64;
}
