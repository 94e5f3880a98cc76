//! The bilateral constraints `G v⁺ = 0` of a [`Problem`](super::Problem), eliminated by [`Span`].

use nalgebra::DMatrix;
use percussion_complementarity::elimination::Span;

use super::error::{ProblemError, check_finite};

#[derive(Debug)]
pub(super) struct Bilateral {
    /// `G` (`m_b × n_v`).
    pub(super) jacobian: DMatrix<f64>,
    /// `M⁻¹ Gᵀ` (`n_v × m_b`).
    pub(super) response: DMatrix<f64>,
    pub(super) span: Span,
    /// Fraction of a row below which its remainder after the constraints is rounding.
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
        // Directions of the basis are accurate to `n_v eps` over the fraction that a row added to it.
        let rounding = (rows * columns) as f64 * f64::EPSILON / span.smallest;
        Ok(Self { jacobian, response, span, rounding })
    }
}
