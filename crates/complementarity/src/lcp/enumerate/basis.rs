//! Factorization of the principal submatrix that belongs to a complementary basis.

use crate::lcp::Problem;

/// `P M_αα Q = L U` by complete pivoting, stopped at the numerical rank.
///
/// The complementary basis matrix with columns `−M_j` (`j ∈ α`) and `e_i` (`i ∉ α`) is singular
/// exactly when `M_αα` is.
#[derive(Default)]
pub(super) struct Basis {
    /// Row-major `k × k` factors, rows and columns in the order of `rows` and `columns`.
    factors: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    rank: usize,
}

impl Basis {
    /// Factors `M_αα` for the set `α` of the bits of `alpha`.
    ///
    /// A pivot of at most `rank_tolerance` counts as zero: the caller has scaled the matrix so that
    /// its entries are near one.
    pub(super) fn factor(&mut self, problem: &Problem, alpha: u32, rank_tolerance: f64) {
        self.rows.clear();
        self.rows.extend((0..problem.dimension()).filter(|i| alpha >> i & 1 == 1));
        self.columns.clone_from(&self.rows);
        let k = self.rows.len();
        self.factors.clear();
        for &i in &self.rows {
            self.factors.extend(self.columns.iter().map(|&j| problem.matrix()[(i, j)]));
        }
        self.rank = k;
        for step in 0..k {
            let (row, column, pivot) = self.largest(step);
            if pivot <= rank_tolerance {
                self.rank = step;
                return;
            }
            self.swap(step, row, column);
            self.eliminate(step);
        }
    }

    /// Members of `α` whose value is free: as many as `M_αα` lacks rank.
    pub(super) fn free(&self) -> &[usize] {
        &self.columns[self.rank..]
    }

    /// Writes into `z` (length `n`, zero outside `α` on entry, the free entries given) the pivot
    /// entries that make `(M z)_α = −s q_α`, with one step of iterative refinement.
    ///
    /// Returns the largest entry of `(M z + s q)_α`: not small when the basis is inconsistent.
    pub(super) fn complete(&self, problem: &Problem, s: f64, z: &mut [f64]) -> f64 {
        let mut gap = self.gap(problem, s, z);
        for _ in 0..2 {
            self.correct(&mut gap);
            for (&column, correction) in self.columns[..self.rank].iter().zip(&gap) {
                z[column] -= correction;
            }
            gap = self.gap(problem, s, z);
        }
        gap.iter().fold(0.0, |largest, value| value.abs().max(largest))
    }

    /// `(M z + s q)_α` in the order of the rows.
    fn gap(&self, problem: &Problem, s: f64, z: &[f64]) -> Vec<f64> {
        let row = |&i: &usize| {
            let products = self.columns.iter().map(|&j| problem.matrix()[(i, j)] * z[j]);
            s * problem.vector()[i] + products.sum::<f64>()
        };
        self.rows.iter().map(row).collect()
    }

    /// Replaces a right-hand side by the pivot entries of a solution.
    fn correct(&self, values: &mut [f64]) {
        let k = self.rows.len();
        for i in 1..self.rank {
            for j in 0..i {
                values[i] -= self.factors[i * k + j] * values[j];
            }
        }
        for i in (0..self.rank).rev() {
            for j in i + 1..self.rank {
                values[i] -= self.factors[i * k + j] * values[j];
            }
            values[i] /= self.factors[i * k + i];
        }
    }

    fn largest(&self, step: usize) -> (usize, usize, f64) {
        let k = self.rows.len();
        let mut best = (step, step, 0.0);
        for i in step..k {
            for j in step..k {
                let size = self.factors[i * k + j].abs();
                if size > best.2 {
                    best = (i, j, size);
                }
            }
        }
        best
    }

    fn swap(&mut self, step: usize, row: usize, column: usize) {
        let k = self.rows.len();
        self.rows.swap(step, row);
        self.columns.swap(step, column);
        for j in 0..k {
            self.factors.swap(step * k + j, row * k + j);
        }
        for i in 0..k {
            self.factors.swap(i * k + step, i * k + column);
        }
    }

    fn eliminate(&mut self, step: usize) {
        let k = self.rows.len();
        let (above, below) = self.factors.split_at_mut((step + 1) * k);
        let pivot_row = &above[step * k..];
        for row in below.chunks_exact_mut(k) {
            row[step] /= pivot_row[step];
            let multiplier = row[step];
            for j in step + 1..k {
                row[j] -= multiplier * pivot_row[j];
            }
        }
    }
}
