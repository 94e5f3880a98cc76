//! Pseudo-inverses of blocks of `W`, by the [elimination](crate::elimination) of the workspace.
//!
//! Only a block of `W` is known, not the rows that it is made of, so a Cholesky factor with pivots takes their place; it
//! ends where what is left of a row is rounding. The [`Span`] of the factor's rows has the rank and the impulses.
//!
//! # Source
//!
//! N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, second edition, SIAM 2002, section 10.3 (Cholesky's method
//! with pivots for semidefinite matrices).

use nalgebra::DMatrix;

use crate::elimination::Span;

/// `P` with `P Pᵀ = B⁺` in the sense of [`Span`], for a positive semidefinite `B`.
pub(super) fn factor_of_inverse(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let factor = cholesky(matrix);
    Span::new(&factor, &factor.transpose()).impulses
}

/// `F` with `F Fᵀ = B`, by Cholesky's method with pivots. Rows are scaled to unit diagonal; what remains below
/// `8 m eps` of a row is rounding.
fn cholesky(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let m = matrix.nrows();
    let sizes: Vec<f64> = (0..m).map(|i| matrix[(i, i)].max(0.0).sqrt()).collect();
    let scaled = |i: usize, j: usize| {
        let size = sizes[i] * sizes[j];
        if size > 0.0 { matrix[(i, j)] / sizes[i] / sizes[j] } else { 0.0 }
    };
    let mut factor = DMatrix::zeros(m, m);
    let mut left: Vec<f64> = sizes.iter().map(|&size| if size > 0.0 { 1.0 } else { 0.0 }).collect();
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let rounding = 8.0 * m as f64 * f64::EPSILON;
    let mut rank = 0;
    while rank < m {
        let largest = (0..m).fold(0, |best, i| if left[i] > left[best] { i } else { best });
        if left[largest] <= rounding {
            break;
        }
        let root = left[largest].sqrt();
        for i in 0..m {
            let mut entry = scaled(i, largest);
            for k in 0..rank {
                entry -= factor[(i, k)] * factor[(largest, k)];
            }
            let taken = left[i] <= 0.0 && i != largest;
            factor[(i, rank)] = if taken { 0.0 } else { entry / root };
        }
        for i in 0..m {
            left[i] = if i == largest { 0.0 } else { left[i] - factor[(i, rank)].powi(2) };
        }
        rank += 1;
    }
    let mut factor = factor.columns(0, rank).into_owned();
    for (i, size) in sizes.iter().enumerate() {
        factor.row_mut(i).scale_mut(*size);
    }
    factor
}
