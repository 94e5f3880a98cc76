//! Complete orthogonal factorization: the solution of least norm of equations of any rank.
//!
//! The equations `B y = w` are scaled on both sides by `S = diag(s)` to entries of order one, in which the
//! rank is visible:
//!
//! ```math
//! S B S = Q \begin{pmatrix} R_1 & R_2 \\ 0 & \approx 0 \end{pmatrix} P^\mathsf{T}, \qquad
//! (R_1\; R_2)\, P^\mathsf{T} S^{-1} = (L\; 0)\, Z^\mathsf{T}, \qquad
//! y = Z \begin{pmatrix} L^{-1} (Q^\mathsf{T} S w)_1 \\ 0 \end{pmatrix}
//! ```
//!
//! with column pivoting in the first factorization. The scaling affects only the decision about the rank: the
//! norm that is minimized is that of `y` itself.
//!
//! - **Needs** finite entries and `s > 0`.
//! - **Cost** `2 n³` operations, `4 n²` a solution; at full rank the second factorization is left out.
//! - **Allocates** only when the number of equations is larger than ever before.
//!
//! # Source
//!
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, third edition, Johns Hopkins 1996, sections 5.4
//! and 5.5.

/// The factorization, and the memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Orthogonal {
    n: usize,
    rank: usize,
    /// `R` on and above the diagonal, Householder vectors of `Q` below it (`n × n`, by columns).
    first: Vec<f64>,
    /// Transpose of `(R₁ R₂) Pᵀ S⁻¹`, factored likewise (`n × rank`, by columns).
    second: Vec<f64>,
    first_scales: Vec<f64>,
    second_scales: Vec<f64>,
    /// Column of `B` at each place of `R`.
    order: Vec<usize>,
    scale: Vec<f64>,
    work: Vec<f64>,
}

impl Orthogonal {
    /// Factors `matrix` (`n × n`, by columns), scaled by `scale` (`n`, positive). Pivots at or below
    /// `tolerance` count as zero.
    pub(super) fn factor(&mut self, matrix: &[f64], scale: &[f64], tolerance: f64) {
        let n = scale.len();
        debug_assert_eq!(matrix.len(), n * n, "the matrix is square");
        self.n = n;
        refill(&mut self.scale, scale.iter().copied());
        refill(&mut self.order, 0..n);
        refill(&mut self.first_scales, std::iter::repeat_n(0.0, n));
        refill(&mut self.work, std::iter::repeat_n(0.0, n));
        let entries = matrix.chunks_exact(n.max(1)).zip(scale);
        let entries = entries.flat_map(|(column, &right)| {
            column.iter().zip(scale).map(move |(entry, left)| left * entry * right)
        });
        refill(&mut self.first, entries);
        self.rank = n;
        for step in 0..n {
            self.pivot(step);
            self.first_scales[step] = eliminate(&mut self.first, n, step, step + 1..n);
            if self.first[step * n + step].abs() <= tolerance {
                self.rank = step;
                break;
            }
        }
        if self.rank < n {
            self.factor_rows();
        }
    }

    /// Number of independent equations.
    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// Replaces `w` by the `y` of least norm, or by the least squares solution where no `y` fits.
    pub(super) fn solve(&mut self, w: &mut [f64]) {
        let (n, rank) = (self.n, self.rank);
        for (value, scale) in w.iter_mut().zip(&self.scale) {
            *value *= scale;
        }
        for step in 0..rank {
            reflect(&self.first[step * n..][step..n], self.first_scales[step], &mut w[step..]);
        }
        if rank == n {
            for i in (0..n).rev() {
                let known: f64 = (i + 1..n).map(|j| self.first[j * n + i] * w[j]).sum();
                w[i] = (w[i] - known) / self.first[i * n + i];
            }
            for (place, &column) in self.order.iter().enumerate() {
                self.work[column] = w[place] * self.scale[column];
            }
            w.copy_from_slice(&self.work);
            return;
        }
        for i in 0..rank {
            let known: f64 = (0..i).map(|j| self.second[i * n + j] * w[j]).sum();
            w[i] = (w[i] - known) / self.second[i * n + i];
        }
        w[rank..].fill(0.0);
        for step in (0..rank).rev() {
            reflect(&self.second[step * n..][step..n], self.second_scales[step], &mut w[step..]);
        }
    }

    /// An orthonormal basis of the `y` with `B y = 0`, by columns into `basis`; returns its dimension.
    pub(super) fn kernel(&self, basis: &mut Vec<f64>) -> usize {
        let (n, rank) = (self.n, self.rank);
        basis.clear();
        basis.resize(n * (n - rank), 0.0);
        for (index, column) in basis.chunks_exact_mut(n.max(1)).enumerate() {
            column[rank + index] = 1.0;
            for step in (0..rank).rev() {
                let vector = &self.second[step * n..][step..n];
                reflect(vector, self.second_scales[step], &mut column[step..]);
            }
        }
        n - rank
    }

    /// Moves the column with the largest remainder below row `step` to that place.
    fn pivot(&mut self, step: usize) {
        let n = self.n;
        let size = |column: usize| -> f64 {
            self.first[column * n + step..(column + 1) * n].iter().map(|entry| entry * entry).sum()
        };
        let (mut best, mut largest) = (step, size(step));
        for column in step + 1..n {
            let candidate = size(column);
            if candidate > largest {
                (best, largest) = (column, candidate);
            }
        }
        if best != step {
            self.order.swap(step, best);
            let (left, right) = self.first.split_at_mut(best * n);
            left[step * n..][..n].swap_with_slice(&mut right[..n]);
        }
    }

    fn factor_rows(&mut self) {
        let (n, rank) = (self.n, self.rank);
        refill(&mut self.second, std::iter::repeat_n(0.0, n * rank));
        refill(&mut self.second_scales, std::iter::repeat_n(0.0, rank));
        for row in 0..rank {
            for place in row..n {
                let column = self.order[place];
                self.second[row * n + column] = self.first[place * n + row] / self.scale[column];
            }
        }
        for step in 0..rank {
            self.second_scales[step] = eliminate(&mut self.second, n, step, step + 1..rank);
        }
    }
}

fn refill<T>(list: &mut Vec<T>, values: impl Iterator<Item = T>) {
    list.clear();
    list.extend(values);
}

/// Reflects column `step` onto its diagonal entry and the columns `others` with it. Returns the scale of the
/// reflection. Its vector, with a leading 1, is stored in place of the entries that vanish.
fn eliminate(matrix: &mut [f64], n: usize, step: usize, others: std::ops::Range<usize>) -> f64 {
    let (left, right) = matrix.split_at_mut((step + 1) * n);
    let column = &mut left[step * n..][step..];
    let norm = column.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    if norm == 0.0 {
        return 0.0;
    }
    let diagonal = if column[0] > 0.0 { -norm } else { norm };
    let lead = column[0] - diagonal;
    let scale = -lead / diagonal;
    column[1..].iter_mut().for_each(|entry| *entry /= lead);
    column[0] = diagonal;
    let column = &left[step * n..][step..];
    for other in others {
        reflect(column, scale, &mut right[(other - step - 1) * n..][step..n]);
    }
    scale
}

/// `x ← x − scale v (vᵀ x)` for `v = (1, vector[1..])`.
fn reflect(vector: &[f64], scale: f64, x: &mut [f64]) {
    let product: f64 = vector[1..].iter().zip(&x[1..]).map(|(v, x)| v * x).sum();
    let factor = scale * (x[0] + product);
    x[0] -= factor;
    for (v, x) in vector[1..].iter().zip(&mut x[1..]) {
        *x -= factor * v;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    use super::Orthogonal;

    fn solve(matrix: &DMatrix<f64>, scale: &[f64], w: &DVector<f64>) -> (usize, DVector<f64>) {
        let mut factorization = Orthogonal::default();
        factorization.factor(matrix.as_slice(), scale, 1e-10);
        let mut y = w.clone();
        factorization.solve(y.as_mut_slice());
        (factorization.rank(), y)
    }

    #[test]
    fn two_redundant_supports_share_the_load() {
        let (rank, y) = solve(&DMatrix::repeat(2, 2, 0.5), &[1.0; 2], &DVector::repeat(2, 3.0));
        assert_eq!(rank, 1);
        assert!((y - DVector::repeat(2, 3.0)).amax() < 1e-15);
    }

    #[test]
    fn masses_of_different_size_do_not_hide_the_rank() {
        let matrix = DMatrix::from_diagonal(&DVector::from_vec(vec![1e9, 1e-9]));
        let scale = [1e9_f64.powf(-0.5), 1e-9_f64.powf(-0.5)];
        let (rank, y) = solve(&matrix, &scale, &DVector::from_vec(vec![1.0, 1.0]));
        assert_eq!(rank, 2);
        assert!((y[1] - 1e9).abs() < 1e-4 && (y[0] - 1e-9).abs() < 1e-22);
    }

    #[test]
    fn nothing_and_zero_are_solved_by_zero() {
        assert_eq!(solve(&DMatrix::zeros(0, 0), &[], &DVector::zeros(0)).0, 0);
        let (rank, y) = solve(&DMatrix::zeros(2, 2), &[1.0; 2], &DVector::repeat(2, 1.0));
        assert_eq!((rank, y), (0, DVector::zeros(2)));
    }

    proptest! {
        /// `B = A Aᵀ` with fewer columns than rows: `B y = w` and `y ⊥ ker B` make `y` that of least norm.
        #[test]
        fn solutions_solve_and_have_no_part_in_the_kernel(
            (n, rank) in (1_usize..9).prop_flat_map(|n| (Just(n), 1..=n)),
            entries in prop::collection::vec(-1.0..1.0, 81),
            load in prop::collection::vec(-1.0..1.0, 9),
        ) {
            let factor = DMatrix::from_fn(n, rank, |i, j| entries[9 * i + j]);
            let matrix: DMatrix<f64> = &factor * factor.transpose();
            let scale: Vec<_> = matrix.diagonal().iter().map(|d| 1.0 / d.sqrt()).collect();
            prop_assume!(scale.iter().all(|s| s.is_finite()));
            let values: DVector<f64> = (factor.transpose() * &factor).symmetric_eigenvalues();
            prop_assume!(values.min() > 1e-4);
            let w = &matrix * DVector::from_column_slice(&load[..n]);
            let (found, y) = solve(&matrix, &scale, &w);
            prop_assert_eq!(found, rank);
            prop_assert!((&matrix * &y - &w).amax() <= 1e-10);
            // The kernel of B is that of Aᵀ, so y lies in the range of A.
            let inside: DVector<f64> = &factor * (factor.transpose() * &factor).try_inverse().unwrap()
                * factor.transpose() * &y;
            prop_assert!((inside - &y).amax() <= 1e-8 * (1.0 + y.amax()));
        }
    }
}
