//! Gaussian elimination in reused memory: no step of an integrator allocates for it.
//!
//! # Source
//!
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, 4th ed., Johns Hopkins 2013, section 3.4 (partial
//! pivoting).

/// A square matrix, stored by rows, and its factors after [`factor`](Self::factor).
#[derive(Debug)]
pub(super) struct Lu {
    size: usize,
    entries: Vec<f64>,
    /// The original index of each row of the factors.
    order: Vec<usize>,
    permuted: Vec<f64>,
}

impl Lu {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            entries: vec![0.0; size * size],
            order: (0..size).collect(),
            permuted: vec![0.0; size],
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.size + column] = value;
    }

    /// Factors the matrix in place; returns `false` if it is singular to working precision or not finite.
    pub(super) fn factor(&mut self) -> bool {
        let n = self.size;
        for (i, row) in self.order.iter_mut().enumerate() {
            *row = i;
        }
        for k in 0..n {
            let column = |i: usize| self.entries[i * n + k].abs();
            let pivot = (k..n).reduce(|a, b| if column(b) > column(a) { b } else { a });
            let pivot = pivot.unwrap_or(k);
            if pivot != k {
                self.order.swap(pivot, k);
                let (above, below) = self.entries.split_at_mut(pivot * n);
                above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
            }
            let inverse = 1.0 / self.entries[k * n + k];
            if !inverse.is_finite() {
                return false;
            }
            let (above, below) = self.entries.split_at_mut((k + 1) * n);
            let pivot_row = &above[k * n..];
            for row in below.chunks_exact_mut(n) {
                let multiplier = row[k] * inverse;
                row[k] = multiplier;
                if multiplier != 0.0 {
                    for (entry, upper) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                        *entry -= multiplier * upper;
                    }
                }
            }
        }
        true
    }

    /// Replaces `column` by the solution of the factored system.
    pub(super) fn solve(&mut self, column: &mut [f64]) {
        let n = self.size;
        for (to, &from) in self.permuted.iter_mut().zip(&self.order) {
            *to = column[from];
        }
        for k in 0..n {
            let row = &self.entries[k * n..(k + 1) * n];
            let known: f64 = row[..k].iter().zip(&self.permuted).map(|(l, y)| l * y).sum();
            self.permuted[k] -= known;
        }
        for k in (0..n).rev() {
            let row = &self.entries[k * n..(k + 1) * n];
            let known: f64 =
                row[k + 1..].iter().zip(&self.permuted[k + 1..]).map(|(u, x)| u * x).sum();
            self.permuted[k] = (self.permuted[k] - known) / row[k];
        }
        column.copy_from_slice(&self.permuted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_exchanged_and_the_solution_is_that_of_cramer() {
        let mut lu = Lu::new(3);
        for (i, row) in [[0.0, 2.0, 1.0], [4.0, 1.0, 0.0], [2.0, 0.0, 3.0]].iter().enumerate() {
            for (j, &entry) in row.iter().enumerate() {
                lu.set(i, j, entry);
            }
        }
        assert!(lu.factor());
        let mut x = [7.0, 6.0, 11.0];
        lu.solve(&mut x);
        for (found, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn a_singular_matrix_is_noticed() {
        let mut lu = Lu::new(2);
        lu.set(0, 1, 1.0);
        lu.set(1, 1, 2.0);
        assert!(!lu.factor());
    }
}
