//! The dictionary: every basic variable as an affine function of the nonbasic ones.
//!
//! ```math
//! x_B = b + A\, x_N
//! ```
//!
//! The variables are `w_1 … w_n`, `z_1 … z_n` and the artificial variable `t`, numbered from 0 to `2n`
//! in this order. A pivot exchanges one basic with one nonbasic variable. Only the nonbasic columns are stored, half
//! of the textbook tableau. Columns are contiguous, like those of the problem's matrix: a pivot adds multiples of
//! one column to the others, and the ratio test reads two of them.

use std::ops::Range;

use crate::lcp::{Problem, residual::quick::Data};

/// Columns are padded to a multiple of this number of doubles: two vector registers on every machine. The unrolled
/// inner loop then has no remainder, which matters for small problems.
const LANES: usize = 4;

/// Dictionary of the scaled problem, with the memory for pivots.
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    /// Size of the problem.
    size: usize,
    /// Length of a padded column.
    stride: usize,
    /// The columns of `A`, of which the last is initially that of `t`, then `b`.
    columns: Vec<f64>,
    /// Variable of each row.
    basic: Vec<usize>,
    /// Variable of each column.
    nonbasic: Vec<usize>,
    /// For each variable its row if basic, or `size + 1 +` its column if nonbasic.
    place: Vec<usize>,
    /// The entering column during a pivot.
    entering: Vec<f64>,
    /// The pivot for which only the values were updated.
    postponed: Option<(usize, usize)>,
}

/// The place of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Row(usize),
    Column(usize),
}

impl Dictionary {
    /// Writes the dictionary of `w = q + M z + d t`, scaled, with all `w` basic.
    pub(super) fn load(&mut self, problem: &Problem, covering: &[f64]) {
        let (n, data) = (problem.dimension(), Data::of(problem));
        self.resize(n);
        self.postponed = None;
        let (matrix, rest) = self.columns.split_at_mut(n * self.stride);
        let (artificial, values) = rest.split_at_mut(self.stride);
        for (j, column) in matrix.chunks_exact_mut(self.stride).enumerate() {
            data.write_column(j, column);
        }
        artificial[..n].copy_from_slice(covering);
        data.write_vector(values);
        for (i, variable) in self.basic.iter_mut().enumerate() {
            *variable = i;
        }
        for (j, variable) in self.nonbasic.iter_mut().enumerate() {
            *variable = n + j;
        }
        for (variable, place) in self.place.iter_mut().enumerate() {
            *place = if variable < n { variable } else { variable + 1 };
        }
    }

    pub(super) fn resize(&mut self, n: usize) {
        if self.size == n {
            return;
        }
        self.size = n;
        self.stride = n.next_multiple_of(LANES);
        // Cleared, so that the padding is zero.
        self.columns.clear();
        self.columns.resize((n + 2) * self.stride, 0.0);
        self.entering.clear();
        self.entering.resize(self.stride, 0.0);
        self.basic.resize(n, 0);
        self.nonbasic.resize(n + 1, 0);
        self.place.resize(2 * n + 1, 0);
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

    /// Column `index` of `A` (length `n`).
    pub(super) fn column(&self, index: usize) -> &[f64] {
        &self.columns[index * self.stride..][..self.size]
    }

    /// `b`, the values of the basic variables (length `n`).
    pub(super) fn values(&self) -> &[f64] {
        self.column(self.size + 1)
    }

    /// Exchanges the basic variable of `row` with the nonbasic one of `column`; returns the former.
    pub(super) fn pivot(&mut self, row: usize, column: usize) -> usize {
        self.eliminate(row, column, 0..self.size + 2);
        self.exchange(row, column)
    }

    /// Like [`pivot`](Self::pivot), for the end of a path: only the values of the dictionary are updated, which is
    /// all that an answer needs. [`complete`](Self::complete) updates the rest.
    pub(super) fn pivot_values(&mut self, row: usize, column: usize) {
        self.eliminate(row, column, self.size + 1..self.size + 2);
        self.exchange(row, column);
        self.postponed = Some((row, column));
    }

    /// Completes the update that [`pivot_values`](Self::pivot_values) began.
    pub(super) fn complete(&mut self) {
        if let Some((row, column)) = self.postponed.take() {
            self.eliminate(row, column, 0..self.size + 1);
        }
    }

    /// Substitutes the variable of `column`, solved for in `row`, in all rows of the columns `among`.
    fn eliminate(&mut self, row: usize, column: usize, among: Range<usize>) {
        let stride = self.stride;
        let pivot_column = &mut self.columns[column * stride..][..stride];
        self.entering.copy_from_slice(pivot_column);
        let inverse = 1.0 / self.entering[row];
        self.entering[row] = 0.0;
        if among.contains(&column) {
            // After adding a multiple of the entering column this is the column of the leaving variable.
            pivot_column.fill(0.0);
            pivot_column[row] = -1.0;
        }
        let columns = &mut self.columns[among.start * stride..among.end * stride];
        substitute(columns, row, &self.entering, inverse);
    }

    fn exchange(&mut self, row: usize, column: usize) -> usize {
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.place[entering] = row;
        self.place[leaving] = self.size + 1 + column;
        leaving
    }
}

/// Adds to each column the multiple of `entering` that belongs to its entry in `row`, and replaces
/// that entry by the factor.
fn substitute(columns: &mut [f64], row: usize, entering: &[f64], inverse: f64) {
    for column in columns.chunks_exact_mut(entering.len()) {
        if column[row] != 0.0 {
            let factor = -column[row] * inverse;
            add_multiple(column, factor, entering);
            column[row] = factor;
        }
    }
}

/// `column += factor · entering`, of equal lengths.
fn add_multiple(column: &mut [f64], factor: f64, entering: &[f64]) {
    for (entry, added) in column.iter_mut().zip(entering) {
        *entry += factor * added;
    }
}

#[cfg(test)]
mod tests;
