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
    /// Whether entries that are not zero were set to zero as rounding.
    rounded: bool,
}

/// The outcome of solving the equations of a basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Equations {
    /// They are satisfied.
    Consistent,
    /// A row that depends on the others contradicts them.
    Inconsistent,
    /// They are too ill-conditioned to be solved to the tolerance, or they overflow.
    Undecided,
}

impl Basis {
    /// Factors `M_αα` for the set `α` of the bits of `alpha`.
    ///
    /// A pivot counts as zero if it is at most `rank_tolerance` and also at most that fraction of the sum of the
    /// magnitudes of its terms: a value that is small without cancellation is not a rounding error.
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
        self.rounded = false;
        for step in 0..k {
            let (mut row, mut column, pivot) = self.largest(step);
            if pivot <= rank_tolerance {
                self.drop_rounding(problem, step, rank_tolerance);
                let significant = self.largest(step);
                if significant.2 == 0.0 {
                    self.rank = step;
                    return;
                }
                (row, column, _) = significant;
            }
            self.swap(step, row, column);
            self.eliminate(step);
        }
    }

    /// Members of `α` whose value is free; their number is the rank deficiency of `M_αα`.
    pub(super) fn free(&self) -> &[usize] {
        &self.columns[self.rank..]
    }

    /// Whether `M_αα` is singular only within rounding: some pivots were set to zero although they are not.
    pub(super) fn is_nearly_singular(&self) -> bool {
        self.rank < self.rows.len() && self.rounded
    }

    /// Sets the entries that remain after `step` pivots to zero if they are rounding: at most `rank_tolerance` times
    /// the terms from which elimination formed them.
    fn drop_rounding(&mut self, problem: &Problem, step: usize, rank_tolerance: f64) {
        let k = self.rows.len();
        let is_rounding = |basis: &Self, i: usize, j: usize, terms: f64| {
            basis.factors[i * k + j].abs() <= rank_tolerance * terms
        };
        let products = |basis: &Self, i: usize, j: usize| {
            let stated = problem.matrix()[(basis.rows[i], basis.columns[j])].abs();
            let product = |p: usize| (basis.factors[i * k + p] * basis.factors[p * k + j]).abs();
            stated + (0..step).map(product).sum::<f64>()
        };
        // The products of the last steps are a lower bound of all terms, and cheap.
        let mut left = (step..k).flat_map(|i| (step..k).map(move |j| (i, j)));
        let all = left.all(|(i, j)| is_rounding(self, i, j, products(self, i, j)));
        let terms = if all { Vec::new() } else { self.terms_of_elimination(problem, step) };
        for i in step..k {
            for j in step..k {
                if all || is_rounding(self, i, j, terms[i * k + j]) {
                    self.rounded |= self.factors[i * k + j] != 0.0;
                    self.factors[i * k + j] = 0.0;
                }
            }
        }
    }

    /// The sums of the absolute terms from which `step` pivots form the entries, including the terms of the
    /// multipliers. If an entry is the rounding of large terms, its products are rounding too (running error
    /// analysis, without the roundings themselves).
    ///
    /// # Source
    ///
    /// N. J. Higham, *Accuracy and Stability of Numerical Algorithms* (SIAM 2002), section 3.3.
    fn terms_of_elimination(&self, problem: &Problem, step: usize) -> Vec<f64> {
        let k = self.rows.len();
        let entry = |i: usize, j: usize| problem.matrix()[(self.rows[i], self.columns[j])].abs();
        let mut terms: Vec<f64> =
            (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
        for p in 0..step {
            let pivot = self.factors[p * k + p].abs();
            for i in p + 1..k {
                let multiplier = self.factors[i * k + p].abs();
                let of_multiplier = (terms[i * k + p] + multiplier * terms[p * k + p]) / pivot;
                for j in p + 1..k {
                    terms[i * k + j] += multiplier * terms[p * k + j]
                        + of_multiplier * self.factors[p * k + j].abs();
                }
            }
        }
        terms
    }

    /// Writes into `z` (length `n`, zero outside `α` on entry, with the free entries given) the pivot entries for
    /// which `(M z)_α = −s q_α`, with one step of iterative refinement. Pivot entries that are rounding, at most
    /// `tolerance` times their terms, are set to zero.
    ///
    /// The equations are [consistent](Equations) if every entry of `(M z + s q)_α` is at most `tolerance` times its
    /// terms.
    pub(super) fn complete(
        &self,
        problem: &Problem,
        s: f64,
        z: &mut [f64],
        tolerance: f64,
    ) -> Equations {
        let mut gap = self.gap(problem, s, z);
        for _ in 0..2 {
            self.correct(&mut gap);
            for (&column, correction) in self.columns[..self.rank].iter().zip(&gap) {
                z[column] -= correction;
            }
            gap = self.gap(problem, s, z);
        }
        let mut terms = self.terms(problem, s, z);
        if self.drop_rounding_of(&terms, s, z, tolerance) {
            gap = self.gap(problem, s, z);
            terms = self.terms(problem, s, z);
        }
        let holds =
            |(gap, terms): (&f64, &f64)| *terms < f64::INFINITY && gap.abs() <= tolerance * terms;
        let mut rows = gap.iter().zip(&terms);
        if !rows.by_ref().take(self.rank).all(holds) {
            return Equations::Undecided;
        }
        if !rows.all(holds) {
            return Equations::Inconsistent;
        }
        Equations::Consistent
    }

    /// `|s q_i| + Σ_j |M_ij z_j|` over `α`, in the order of the rows.
    fn terms(&self, problem: &Problem, s: f64, z: &[f64]) -> Vec<f64> {
        let row = |&i: &usize| {
            let products = self.columns.iter().map(|&j| (problem.matrix()[(i, j)] * z[j]).abs());
            (s * problem.vector()[i]).abs() + products.sum::<f64>()
        };
        self.rows.iter().map(row).collect()
    }

    /// Sets pivot entries that are rounding to zero. `z = U⁻¹ L⁻¹ b` contains the rounding of the terms of every
    /// row, and the rounding of the factors leaves no entry exactly zero. Returns whether there were any.
    ///
    /// With the terms `t` of the `k` rows, refinement leaves the rounding of its residuals, `(k + 1) t eps/2`, and the
    /// data are known to `t eps/2`. Both together change an entry by at most `(k + 2) (|U|⁻¹ |L|⁻¹ t) eps/2`, and up
    /// to twice this it is rounding. For an entry that is at most `tolerance` times the largest one, `tolerance`
    /// stands in the place of `(k + 2) eps`.
    fn drop_rounding_of(&self, terms: &[f64], s: f64, z: &mut [f64], tolerance: f64) -> bool {
        let pivots = &self.columns[..self.rank];
        let largest = z.iter().fold(s, |largest, value| value.abs().max(largest));
        let rounding = (self.rows.len() + 2) as f64 * f64::EPSILON;
        let may_be_rounding = (tolerance * largest).max(rounding * self.felt_at_most(terms));
        if pivots.iter().all(|&column| z[column] == 0.0 || z[column].abs() > may_be_rounding) {
            return false;
        }
        let mut dropped = false;
        for (&column, felt) in pivots.iter().zip(self.felt(terms)) {
            let value = z[column].abs();
            let is_small = value <= tolerance * largest;
            let part = if is_small { tolerance.max(rounding) } else { rounding };
            if value != 0.0 && value <= part * felt {
                z[column] = 0.0;
                dropped = true;
            }
        }
        dropped
    }

    /// A bound of the effect of the `terms` of the rows on each pivot entry, in the order of the columns: `|U|⁻¹ |L|⁻¹`
    /// times the terms, with the signs of the factors chosen so that nothing cancels.
    fn felt(&self, terms: &[f64]) -> Vec<f64> {
        let k = self.rows.len();
        let size = |i: usize, j: usize| self.factors[i * k + j].abs();
        let mut felt = terms[..self.rank].to_vec();
        for i in 1..self.rank {
            for j in 0..i {
                felt[i] += size(i, j) * felt[j];
            }
        }
        for i in (0..self.rank).rev() {
            for j in i + 1..self.rank {
                felt[i] += size(i, j) * felt[j];
            }
            felt[i] /= size(i, i);
        }
        felt
    }

    /// A bound of all entries of [`felt`](Self::felt): by complete pivoting no entry of `L` is above one and none of a
    /// row of `U` above its pivot, so that a row of either substitution is at most the sum of those before it.
    fn felt_at_most(&self, terms: &[f64]) -> f64 {
        let k = self.rows.len();
        let pivots = (0..self.rank).map(|i| self.factors[i * k + i].abs());
        let least = pivots.fold(f64::INFINITY, f64::min);
        let largest = terms[..self.rank].iter().copied().fold(0.0, f64::max);
        4_f64.powi(i32::try_from(self.rank).unwrap_or(i32::MAX)) * largest / least
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
