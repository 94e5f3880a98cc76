//! Elimination of the bilateral constraints `G v⁺ = 0` of a [`Problem`](super::Problem).
//!
//! With velocities `Q` that span what the constraints measure, orthonormal in the kinetic metric, the constraints
//! answer any velocity `v_u` that contact impulses alone leave by
//!
//! ```math
//! v^{+} = v_u - Q\, Q^\mathsf{T} M v_u, \qquad G^\mathsf{T} \Lambda_b = -M Q\, Q^\mathsf{T} M v_u .
//! ```
//!
//! [`Span`] decides which rows are redundant and gives `Λ_b`, of redundant rows that of least norm with each row
//! measured by its own effect `G_i M⁻¹ G_iᵀ`, which makes it independent of the units of the rows.
//! The velocity does not pass through `Λ_b`, so that rows which nearly depend cost it no digits.

use nalgebra::{DMatrix, DVector};

use super::error::{ProblemError, check_finite};
use crate::span::Span;

#[derive(Debug)]
pub(super) struct Bilateral {
    /// `G` (`m_b × n_v`).
    pub(super) jacobian: DMatrix<f64>,
    /// `M⁻¹ Gᵀ` (`n_v × m_b`).
    pub(super) response: DMatrix<f64>,
    pub(super) span: Span,
    /// Part of a row below which what the constraints leave of it is rounding.
    pub(super) rounding: f64,
}

impl Bilateral {
    /// # Errors
    ///
    /// When `G M⁻¹ Gᵀ` overflows.
    pub(super) fn new(
        jacobian: DMatrix<f64>,
        response: DMatrix<f64>,
    ) -> Result<Self, ProblemError> {
        let (rows, columns) = jacobian.shape();
        let span = Span::new(&jacobian, &response);
        let sizes = DMatrix::from_column_slice(rows, 1, span.sizes.as_slice());
        check_finite("bilateral inverse mass", &sizes)?;
        // Directions of the basis are known to `n_v eps` over the part that a row added to it.
        let rounding = (rows * columns) as f64 * f64::EPSILON / span.smallest;
        Ok(Self { jacobian, response, span, rounding })
    }

    /// Replaces `v_u` by `v⁺` and returns `Λ_b`; a second pass takes away what rounding leaves.
    pub(super) fn project(&self, velocity: &mut DVector<f64>) -> DVector<f64> {
        let mut total = DVector::zeros(self.jacobian.nrows());
        if total.is_empty() {
            return total;
        }
        for _ in 0..2 {
            let speeds = -(&self.span.momenta * &*velocity);
            velocity.gemv(1.0, &self.span.velocities, &speeds, 1.0);
            total.gemv(1.0, &self.span.percussions, &speeds, 1.0);
        }
        total
    }

    /// Turns `M⁻¹ Jᵀ` (`n_v × r`) into the response of the constrained bodies.
    pub(super) fn reduce(&self, response: &mut DMatrix<f64>) {
        if self.jacobian.nrows() == 0 {
            return;
        }
        for _ in 0..2 {
            let speeds = &self.span.momenta * &*response;
            response.gemm(-1.0, &self.span.velocities, &speeds, 1.0);
        }
    }

    /// What the constraints leave of the rows `J` (`r × n_v`): all of them without constraints.
    pub(super) fn reduced_rows(&self, jacobian: &DMatrix<f64>) -> DMatrix<f64> {
        let mut rows = jacobian.clone();
        if self.jacobian.nrows() == 0 {
            return rows;
        }
        for _ in 0..2 {
            let along = &rows * &self.span.velocities;
            rows.gemm(-1.0, &along, &self.span.momenta, 1.0);
        }
        rows
    }
}
