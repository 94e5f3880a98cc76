//! Singular values by one-sided Jacobi rotations: `A = V Σ Uᵀ` of an `n × m` matrix.
//!
//! Rotations from the right make the columns of `A` orthogonal, two at a time. With
//! `α = ‖a_p‖²`, `β = ‖a_q‖²`, `γ = a_p · a_q` and `ζ = (β − α)/(2 γ)`, the rotation by the angle with
//!
//! ```math
//! \tan\theta = \frac{\operatorname{sign} \zeta}{\lvert\zeta\rvert + \sqrt{1 + \zeta^2}}
//! ```
//!
//! makes a pair orthogonal. In the end `A U = V Σ`.
//!
//! The decomposition of nalgebra 0.35 is not used because constraints are redundant: of 20 000 random
//! matrices of 2 to 8 rows and columns and of lower rank, its factors multiplied to another matrix for 1136.
//!
//! - **Needs** finite entries, whose squares neither overflow nor vanish.
//! - **Cost** `O(m² n)` per sweep, and some six sweeps, since convergence is quadratic in the end; small
//!   singular values come out to full relative accuracy where the columns allow it.
//! - **Deterministic**.
//!
//! # Source
//!
//! J. Demmel, K. Veselić, "Jacobi's method is more accurate than QR", *SIAM Journal on Matrix Analysis
//! and Applications* 13 (1992) 1204–1245, algorithm 4.1.

use nalgebra::{DMatrix, DVector};

/// Sweeps of quadratic convergence need some six; the bound only keeps the loop finite.
const MOST_SWEEPS: usize = 60;

/// `V` (`n × m`, with zero columns for singular values of zero), `Σ` with the largest first, and `U`
/// (`m × m`).
#[derive(Debug)]
pub(super) struct Decomposition {
    pub(super) v: DMatrix<f64>,
    pub(super) sigma: DVector<f64>,
    pub(super) u: DMatrix<f64>,
}

/// The decomposition of `matrix`, or `None` if its entries are not finite or the sweeps do not end.
pub(super) fn decompose(matrix: DMatrix<f64>) -> Option<Decomposition> {
    let m = matrix.ncols();
    // A column this small is what rounding leaves of one that depends on the others.
    let noise = (matrix.nrows() * m) as f64 * f64::EPSILON * matrix.norm();
    if !noise.is_finite() {
        return None;
    }
    let (mut scaled_v, mut u) = (matrix, DMatrix::identity(m, m));
    for _ in 0..MOST_SWEEPS {
        let mut rotated = false;
        for p in 0..m {
            for q in p + 1..m {
                if let Some((cosine, sine)) = rotation(&scaled_v, p, q, noise) {
                    rotate(&mut scaled_v, p, q, cosine, sine);
                    rotate(&mut u, p, q, cosine, sine);
                    rotated = true;
                }
            }
        }
        if !rotated {
            return Some(sorted(&scaled_v, &u));
        }
    }
    None
}

/// Cosine and sine of the rotation that makes the columns `p` and `q` orthogonal; `None` if they are.
fn rotation(matrix: &DMatrix<f64>, p: usize, q: usize, noise: f64) -> Option<(f64, f64)> {
    let (a, b) = (matrix.column(p), matrix.column(q));
    let (alpha, beta, gamma) = (a.norm_squared(), b.norm_squared(), a.dot(&b));
    // The dot product itself is known to about this.
    let known = matrix.nrows() as f64 * f64::EPSILON * (alpha * beta).sqrt();
    if gamma.abs() <= known || alpha.min(beta).sqrt() <= noise {
        return None;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    Some((cosine, cosine * tangent))
}

fn rotate(matrix: &mut DMatrix<f64>, p: usize, q: usize, cosine: f64, sine: f64) {
    for i in 0..matrix.nrows() {
        let (a, b) = (matrix[(i, p)], matrix[(i, q)]);
        matrix[(i, p)] = cosine * a - sine * b;
        matrix[(i, q)] = sine * a + cosine * b;
    }
}

fn sorted(scaled_v: &DMatrix<f64>, u: &DMatrix<f64>) -> Decomposition {
    let norms: Vec<f64> = scaled_v.column_iter().map(|column| column.norm()).collect();
    let mut order: Vec<usize> = (0..norms.len()).collect();
    order.sort_by(|&i, &j| norms[j].total_cmp(&norms[i]));
    let mut v = scaled_v.select_columns(&order);
    for (mut column, &i) in v.column_iter_mut().zip(&order) {
        if norms[i] > 0.0 {
            column /= norms[i];
        }
    }
    let sigma = DVector::from_iterator(order.len(), order.iter().map(|&i| norms[i]));
    Decomposition { v, sigma, u: u.select_columns(&order) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::fixed_seed;

    #[test]
    fn a_matrix_of_rank_one_has_one_singular_value() {
        let found = decompose(DMatrix::from_row_slice(2, 2, &[3.0, 6.0, 4.0, 8.0])).unwrap();
        assert!((found.sigma[0] - 125_f64.sqrt()).abs() < 1e-14 && found.sigma[1] < 1e-15);
        assert!((found.v[(0, 0)].abs() - 0.6).abs() < 1e-15);
        assert!(decompose(DMatrix::from_element(1, 1, f64::NAN)).is_none());
    }

    /// Two rows of angles that a linkage ties once too often: the fourth singular value is zero.
    #[test]
    fn a_redundant_linkage_is_decomposed_to_rounding() {
        let (s, c) = 0.017_997_f64.sin_cos();
        let rows =
            [-c, c, 0.0, 0.0, -1.0 - s, s, 0.0, -1.0, -c, 0.0, c, 0.0, -2.0 - s, 0.0, s, -2.0];
        let rows = DMatrix::from_row_slice(4, 4, &rows);
        let found = decompose(rows.clone()).unwrap();
        let product = &found.v * DMatrix::from_diagonal(&found.sigma) * found.u.transpose();
        // Each of some forty rotations adds a few rounding errors.
        let rounding = 100.0 * f64::EPSILON * rows.norm();
        assert!((product - rows).amax() < rounding);
        assert!(found.sigma[3] < rounding && found.sigma[2] > 0.1, "{}", found.sigma);
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        /// Each of some hundred rotations at most adds a rounding error or two.
        #[test]
        fn the_factors_multiply_to_the_matrix(
            (n, m, rank) in (1_usize..8, 1_usize..8, 1_usize..8),
            entries in prop::collection::vec(-1.0..1.0, 128),
        ) {
            let a = DMatrix::from_column_slice(n, rank, &entries[..n * rank]);
            let b = DMatrix::from_column_slice(rank, m, &entries[64..64 + rank * m]);
            let matrix: DMatrix<f64> = a * b;
            let found = decompose(matrix.clone()).unwrap();
            let bound = 100.0 * f64::EPSILON * (1.0 + matrix.norm());
            let product = &found.v * DMatrix::from_diagonal(&found.sigma) * found.u.transpose();
            prop_assert!((product - &matrix).amax() < bound);
            prop_assert!((found.u.tr_mul(&found.u) - DMatrix::identity(m, m)).amax() < 1e-13);
            let count = found.sigma.iter().filter(|sigma| **sigma > 1e-8).count();
            prop_assert!(count <= rank.min(n).min(m));
            let v = found.v.columns(0, count);
            prop_assert!((v.tr_mul(&v) - DMatrix::identity(count, count)).amax() < 1e-7);
        }
    }
}
