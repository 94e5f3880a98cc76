//! A basis of what given rows measure, orthonormal in the kinetic metric, with one rule for redundant rows.
//!
//! Of rows `A` (`m × n_v`) with the responses `M⁻¹ Aᵀ`, each measured by its own size `√(A_i M⁻¹ A_iᵀ)`, the row of
//! which most is left is taken into the basis and its direction subtracted from the others, until nothing is left
//! (Gram and Schmidt with column pivoting, every subtraction done twice).
//!
//! **The rank rule.** A row is redundant when the rows before leave at most [`RANK`] `= √eps` of it. Subtraction of
//! vectors leaves redundant rows with `n_v eps` of themselves, seven digits below the rule; eigenvalues of the Gram
//! matrix `A M⁻¹ Aᵀ` are the squares of these parts, and their rounding is as large as the rule itself. The rule
//! balances two errors: a row that is left out may lack up to `√eps` of its speed, and multipliers of a row that is
//! kept are up to `1/√eps` times larger than what they do, which rounds by `√eps`.
//!
//! # Source
//!
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, fourth edition, Johns Hopkins 2013, sections 5.2 (modified
//! Gram–Schmidt), 5.4 (column pivoting) and 5.5 (complete orthogonal decomposition).

use nalgebra::{DMatrix, DVector};

/// Part of a row below which it is redundant: `√eps`.
pub(crate) const RANK: f64 = 1.490_116_119_384_765_6e-8;

/// The basis, and percussions that act along it.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// Velocities `q_j` with `q_iᵀ M q_j = δ_ij` (`n_v × k`).
    pub(crate) velocities: DMatrix<f64>,
    /// The momenta `M q_j`, one a row (`k × n_v`).
    pub(crate) momenta: DMatrix<f64>,
    /// Percussions at the rows that lead to each momentum (`m × k`): of redundant rows those of least norm, each
    /// row measured by its own size.
    pub(crate) percussions: DMatrix<f64>,
    /// `√(A_i M⁻¹ A_iᵀ)` of each row.
    pub(crate) sizes: DVector<f64>,
    /// Smallest part of itself that a row of the basis added to those before it (in `(√eps, 1]`).
    pub(crate) smallest: f64,
}

impl Span {
    /// The span of `rows` (`m × n_v`) with the `responses` `M⁻¹ Aᵀ` (`n_v × m`). Rows whose size is not a positive
    /// finite number are left out.
    pub(crate) fn new(rows: &DMatrix<f64>, responses: &DMatrix<f64>) -> Self {
        let (m, n) = rows.shape();
        let size = |i: usize| {
            let square = rows.row(i).tr_dot(&responses.column(i));
            if square.is_nan() { f64::INFINITY } else { square.max(0.0).sqrt() }
        };
        let sizes = DVector::from_fn(m, |i, _| size(i));
        let parts = sizes.map(|size| if size > 0.0 && size.is_finite() { 1.0 / size } else { 0.0 });
        let mut momenta = rows.transpose();
        let mut velocities = responses.clone();
        for i in 0..m {
            momenta.column_mut(i).scale_mut(parts[i]);
            velocities.column_mut(i).scale_mut(parts[i]);
        }
        let scaled = momenta.clone();
        let mut basis = Basis::new(n);
        let mut left: Vec<usize> = (0..m).filter(|&i| parts[i] > 0.0).collect();
        while basis.count < n {
            let norm = |i: usize| velocities.column(i).dot(&momenta.column(i)).max(0.0).sqrt();
            let largest = left.iter().enumerate().map(|(place, &i)| (norm(i), place));
            let largest = largest.reduce(|a, b| if b.0 > a.0 { b } else { a });
            let Some((norm, place)) = largest.filter(|(norm, _)| *norm > RANK) else { break };
            let pivot = left.swap_remove(place);
            left.sort_unstable();
            basis.push(velocities.column(pivot).into(), momenta.column(pivot).into(), norm);
            for &i in &left {
                basis.subtract_last(&mut velocities, &mut momenta, i);
            }
        }
        basis.finish(&scaled, sizes, &parts)
    }

    /// Number of independent rows.
    #[cfg(test)]
    pub(crate) fn rank(&self) -> usize {
        self.velocities.ncols()
    }
}

/// The basis under way.
struct Basis {
    velocities: DMatrix<f64>,
    momenta: DMatrix<f64>,
    count: usize,
    smallest: f64,
}

impl Basis {
    fn new(n: usize) -> Self {
        Self {
            velocities: DMatrix::zeros(n, 0),
            momenta: DMatrix::zeros(n, 0),
            count: 0,
            smallest: 1.0,
        }
    }

    /// Takes a direction of the length `norm` into the basis, after one more subtraction of those before.
    fn push(&mut self, mut velocity: DVector<f64>, mut momentum: DVector<f64>, norm: f64) {
        self.smallest = self.smallest.min(norm);
        velocity.unscale_mut(norm);
        momentum.unscale_mut(norm);
        for j in 0..self.count {
            let along = self.momenta.column(j).dot(&velocity);
            velocity.axpy(-along, &self.velocities.column(j), 1.0);
            let along = self.velocities.column(j).dot(&momentum);
            momentum.axpy(-along, &self.momenta.column(j), 1.0);
        }
        let norm = velocity.dot(&momentum).max(f64::MIN_POSITIVE).sqrt();
        let (velocities, momenta) =
            (std::mem::take(&mut self.velocities), std::mem::take(&mut self.momenta));
        self.velocities = velocities.insert_column(self.count, 0.0);
        self.momenta = momenta.insert_column(self.count, 0.0);
        self.velocities.set_column(self.count, &(velocity / norm));
        self.momenta.set_column(self.count, &(momentum / norm));
        self.count += 1;
    }

    /// Subtracts the last direction from column `i`, twice.
    fn subtract_last(&self, velocities: &mut DMatrix<f64>, momenta: &mut DMatrix<f64>, i: usize) {
        let (q, p) = (self.velocities.column(self.count - 1), self.momenta.column(self.count - 1));
        for _ in 0..2 {
            let along = p.dot(&velocities.column(i));
            velocities.column_mut(i).axpy(-along, &q, 1.0);
            let along = q.dot(&momenta.column(i));
            momenta.column_mut(i).axpy(-along, &p, 1.0);
        }
    }

    /// The percussions, by an orthogonal factorization of the coordinates `C = U S` of the `scaled` rows: those of
    /// least norm for the momentum `q` are `U S⁻ᵀ`.
    fn finish(self, scaled: &DMatrix<f64>, sizes: DVector<f64>, parts: &DVector<f64>) -> Span {
        let (m, k) = (sizes.len(), self.count);
        let mut percussions = DMatrix::zeros(m, k);
        if k > 0 {
            let factors = scaled.tr_mul(&self.velocities).qr();
            let mut transposed = factors.q().transpose();
            // The diagonal holds the pivots, all of them above the rank rule.
            factors.r().solve_upper_triangular_mut(&mut transposed);
            percussions = transposed.transpose();
            for i in 0..m {
                percussions.row_mut(i).scale_mut(parts[i]);
            }
        }
        Span {
            velocities: self.velocities,
            momenta: self.momenta.transpose(),
            percussions,
            sizes,
            smallest: self.smallest,
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::dmatrix;

    use super::*;

    #[test]
    fn copies_of_a_row_share_its_percussion() {
        // A mass of 2 kg with the same row three times, once twice as long: its size counts double.
        let rows = dmatrix![1.0; -1.0; 2.0];
        let span = Span::new(&rows, &(rows.transpose() / 2.0));
        assert!(span.rank() == 1 && (span.smallest - 1.0).abs() < 1e-15);
        let momentum = rows.tr_mul(&span.percussions);
        assert!((momentum - span.momenta.transpose()).amax() < 1e-15);
        let x = span.percussions.column(0);
        assert!((x[0] + x[1]).abs() < 1e-15 && (x[0] - 2.0 * x[2]).abs() < 1e-15, "{x}");
    }

    #[test]
    fn the_rank_rule_is_the_square_root_of_epsilon() {
        for (angle, rank) in [(1e-7, 2), (2e-8, 2), (1e-8, 1), (1e-12, 1), (0.0, 1)] {
            let rows = dmatrix![1.0, 0.0; 1.0, angle];
            assert_eq!(Span::new(&rows, &rows.transpose()).rank(), rank, "{angle}");
        }
    }
}
