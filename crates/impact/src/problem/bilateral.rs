//! Elimination of the bilateral constraints `G v⁺ = 0` of a [`Problem`](super::Problem).
//!
//! With `S = G M⁻¹ Gᵀ` the constraints answer any velocity `v_u` that contact impulses alone leave by
//!
//! ```math
//! \Lambda_b = -S^{+} G v_u, \qquad v^{+} = v_u + M^{-1} G^\mathsf{T} \Lambda_b .
//! ```
//!
//! Redundant rows make `S` singular, so `S⁺` is a generalized inverse. `S` is first scaled to a unit
//! diagonal, which makes the multipliers of least norm independent of the units of the rows. The
//! entries are then known to `n_v eps` and the eigenvalues to `m_b n_v eps`; those below are zero.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::error::{ProblemError, check_finite};

#[derive(Debug)]
pub(super) struct Bilateral {
    /// `G` (`m_b × n_v`).
    pub(super) jacobian: DMatrix<f64>,
    /// `M⁻¹ Gᵀ` (`n_v × m_b`).
    response: DMatrix<f64>,
    /// `S⁺`.
    inverse: DMatrix<f64>,
    /// Part of a Delassus entry below which what the constraints leave of it is rounding.
    pub(super) rounding: f64,
}

impl Bilateral {
    /// # Errors
    ///
    /// When `S` overflows.
    pub(super) fn new(
        jacobian: DMatrix<f64>,
        response: DMatrix<f64>,
    ) -> Result<Self, ProblemError> {
        let (rows, columns) = jacobian.shape();
        if rows == 0 {
            let inverse = DMatrix::zeros(0, 0);
            return Ok(Self { jacobian, response, inverse, rounding: 0.0 });
        }
        let matrix = &jacobian * &response;
        let scale = matrix.diagonal().map(|s| if s > 0.0 { 1.0 / s.sqrt() } else { 0.0 });
        let scale = DMatrix::from_diagonal(&scale);
        let matrix = &scale * matrix * &scale;
        check_finite("bilateral inverse mass", &matrix)?;
        let mut eigen = SymmetricEigen::new(matrix);
        let zero = (rows * columns) as f64 * f64::EPSILON;
        let mut smallest = 1.0_f64;
        eigen.eigenvalues.apply(|e| {
            *e = if *e > zero {
                smallest = smallest.min(*e);
                1.0 / *e
            } else {
                0.0
            };
        });
        let inverse = &scale * eigen.recompose() * &scale;
        Ok(Self { jacobian, response, inverse, rounding: zero / smallest })
    }

    /// Replaces `v_u` by `v⁺` and returns `Λ_b`; a second pass takes away what rounding leaves.
    pub(super) fn project(&self, velocity: &mut DVector<f64>) -> DVector<f64> {
        let mut total = DVector::zeros(self.jacobian.nrows());
        if total.is_empty() {
            return total;
        }
        for _ in 0..2 {
            let impulses = -(&self.inverse * (&self.jacobian * &*velocity));
            velocity.gemv(1.0, &self.response, &impulses, 1.0);
            total += impulses;
        }
        total
    }

    /// Turns `M⁻¹ Jᵀ` (`n_v × r`) into the response of the constrained bodies.
    pub(super) fn reduce(&self, response: &mut DMatrix<f64>) {
        if self.jacobian.nrows() == 0 {
            return;
        }
        for _ in 0..2 {
            let coupling = &self.inverse * (&self.jacobian * &*response);
            response.gemm(-1.0, &self.response, &coupling, 1.0);
        }
    }
}
