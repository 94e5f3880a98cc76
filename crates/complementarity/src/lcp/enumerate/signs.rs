//! Bases that the signs of a row exclude without arithmetic.

use crate::lcp::Problem;

/// The signs of one row of `(M, q)`: bits of the columns with positive and with negative entries.
struct Row {
    positive: u32,
    negative: u32,
    vector: f64,
}

/// The signs of a scaled problem.
pub(super) struct Signs {
    rows: Vec<Row>,
    tolerance: f64,
}

impl Signs {
    pub(super) fn of(problem: &Problem, tolerance: f64) -> Self {
        let columns = |i: usize, holds: fn(f64) -> bool| {
            let row = problem.matrix().row(i);
            row.iter().enumerate().fold(0, |set, (j, &m)| set | u32::from(holds(m)) << j)
        };
        let row = |i| Row {
            positive: columns(i, |m| m > 0.0),
            negative: columns(i, |m| m < 0.0),
            vector: problem.vector()[i],
        };
        Self { rows: (0..problem.dimension()).map(row).collect(), tolerance }
    }

    /// Whether `alpha` has no solutions, or only solutions that also belong to a smaller basis.
    ///
    /// If row `i` has only entries of one sign in `α` and `q_i` has the same sign, `w_i = 0` (or `w_i ≥ 0` if the
    /// sign is negative) is impossible. With `q_i = 0` it forces `z_j = 0` for these entries, so the solutions also
    /// belong to the basis without them.
    pub(super) fn exclude(&self, alpha: u32) -> bool {
        self.rows.iter().enumerate().any(|(i, row)| {
            let (up, down, q) = (row.positive & alpha, row.negative & alpha, row.vector);
            let bound =
                |q: f64, entries: u32| q > self.tolerance || (q.abs() == 0.0 && entries != 0);
            (alpha >> i & 1 == 1 && down == 0 && bound(q, up)) || (up == 0 && bound(-q, down))
        })
    }
}
