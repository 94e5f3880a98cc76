//! The dictionary: every basic variable as an affine function of the nonbasic ones.
//!
//! ```math
//! x_B = b + A\, x_N
//! ```
//!
//! The variables are `w_0 … w_{n−1}`, `z_0 … z_{n−1}` and the artificial `z_0` of Lemke's method,
//! here called `t` and numbered `2n`. A pivot exchanges one basic with one nonbasic variable. Only
//! the nonbasic columns are stored, half of the textbook tableau; each row ends with its `b`.

use crate::lcp::Problem;

use super::scaling::Scaling;

/// Number of doubles a row is padded to: rows are then whole vector registers of every machine, and
/// the inner loop has no remainder, which matters for small problems.
const LANES: usize = 2;

/// Dictionary of the scaled problem, with the memory for its pivots.
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    /// Size of the problem.
    size: usize,
    /// Length of a padded row.
    stride: usize,
    /// Rows of `[A | b | padding]`; column `n` of `A` starts as that of `t`.
    rows: Vec<f64>,
    /// Variable of each row.
    basic: Vec<usize>,
    /// Variable of each column.
    nonbasic: Vec<usize>,
    /// For each variable its row when basic, or `size + 1 +` its column when nonbasic.
    place: Vec<usize>,
    /// The pivot row while a pivot goes on.
    pivot_row: Vec<f64>,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Row(usize),
    Column(usize),
}

impl Dictionary {
    /// Writes the dictionary of `w = q + M z + d t`, scaled, with all `w` basic.
    pub(super) fn load(&mut self, problem: &Problem, scaling: &Scaling, covering: &[f64]) {
        let n = problem.dimension();
        self.resize(n);
        for (i, row) in self.rows.chunks_exact_mut(self.stride).enumerate() {
            scaling.write_row(i, problem, row);
            row[n] = covering[i];
            row[n + 1] = scaling.vector(i, problem.vector()[i]);
            row[n + 2..].fill(0.0);
        }
        for i in 0..n {
            self.basic[i] = i;
            self.nonbasic[i] = n + i;
            self.place[i] = i;
            self.place[n + i] = n + 1 + i;
        }
        self.nonbasic[n] = 2 * n;
        self.place[2 * n] = n + 1 + n;
    }

    pub(super) fn resize(&mut self, n: usize) {
        if self.size == n {
            return;
        }
        self.size = n;
        self.stride = (n + 2).next_multiple_of(LANES);
        self.rows.resize(n * self.stride, 0.0);
        self.basic.resize(n, 0);
        self.nonbasic.resize(n + 1, 0);
        self.place.resize(2 * n + 1, 0);
        self.pivot_row.resize(self.stride, 0.0);
    }

    pub(super) const fn size(&self) -> usize {
        self.size
    }

    /// The artificial variable `t`.
    pub(super) const fn artificial(&self) -> usize {
        2 * self.size
    }

    pub(super) fn artificial_is_nonbasic(&self) -> bool {
        self.place[self.artificial()] > self.size
    }

    /// The other variable of a complementary pair.
    pub(super) const fn complement(&self, variable: usize) -> usize {
        if variable < self.size { variable + self.size } else { variable - self.size }
    }

    pub(super) fn basic(&self, row: usize) -> usize {
        self.basic[row]
    }

    pub(super) fn place(&self, variable: usize) -> Place {
        let place = self.place[variable];
        if place <= self.size { Place::Row(place) } else { Place::Column(place - self.size - 1) }
    }

    /// `A[row][column]`.
    pub(super) fn entry(&self, row: usize, column: usize) -> f64 {
        self.rows[row * self.stride + column]
    }

    /// `b[row]`, the value of the basic variable of `row`.
    pub(super) fn value(&self, row: usize) -> f64 {
        self.rows[row * self.stride + self.size + 1]
    }

    /// Entry `column` and `b` of every row, in order.
    pub(super) fn column_and_values(&self, column: usize) -> impl Iterator<Item = (f64, f64)> {
        let values = self.size + 1;
        self.rows.chunks_exact(self.stride).map(move |row| (row[column], row[values]))
    }

    /// Exchanges the basic variable of `row` with the nonbasic one of `column`; returns the former.
    pub(super) fn pivot(&mut self, row: usize, column: usize) -> usize {
        let stride = self.stride;
        let inverse = 1.0 / self.entry(row, column);
        let pivot_row = &mut self.pivot_row[..stride];
        let old = &mut self.rows[row * stride..(row + 1) * stride];
        for (new, old) in pivot_row.iter_mut().zip(old.iter()) {
            *new = -old * inverse;
        }
        pivot_row[column] = inverse;
        old.copy_from_slice(pivot_row);
        let (above, rest) = self.rows.split_at_mut(row * stride);
        let below = &mut rest[stride..];
        eliminate(above, pivot_row, column);
        eliminate(below, pivot_row, column);
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.place[entering] = row;
        self.place[leaving] = self.size + 1 + column;
        leaving
    }
}

/// Substitutes the pivot row for the variable of `column` in each of `rows`.
fn eliminate(rows: &mut [f64], pivot_row: &[f64], column: usize) {
    let (pivot_chunks, _) = pivot_row.as_chunks::<LANES>();
    for row in rows.chunks_exact_mut(pivot_row.len()) {
        let factor = row[column];
        if factor != 0.0 {
            row[column] = 0.0;
            let (chunks, _) = row.as_chunks_mut::<LANES>();
            for (chunk, pivot) in chunks.iter_mut().zip(pivot_chunks) {
                *chunk = std::array::from_fn(|k| chunk[k] + factor * pivot[k]);
            }
        }
    }
}
