//! Bilateral constraints between coordinates: the trait [`EqualityConstraint`].

use std::fmt::Debug;

use nalgebra::DMatrix;

use crate::system::System;

/// Equations `φ(q) = 0` that hold in both directions: joints and loops.
///
/// The identity to satisfy: along any motion `dφ/dt = G(q) v` with the Jacobian `G`.
pub trait EqualityConstraint: Debug + Send + Sync {
    /// Number of equations, `m_b`.
    fn row_count(&self, system: &dyn System) -> usize;

    /// Writes `φ(q)` to `value` (length `m_b`; m or rad) and `G(q)` to the rows
    /// `first_row .. first_row + m_b` of `jacobian` (`n_v` columns), overwriting them.
    fn evaluate(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    );
}
