//! Elimination of the pivots of a dense matrix: [`eliminate`].
//!
//! ```math
//! \begin{pmatrix} A_{11} & A_{12} \\ A_{21} & A_{22} \end{pmatrix}
//! = \begin{pmatrix} P L & 0 \\ L_{21} & I \end{pmatrix}
//!   \begin{pmatrix} U & U_{12} \\ 0 & A_{22} - L_{21} U_{12} \end{pmatrix}
//! ```
//!
//! # Source
//!
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, 4th ed., Johns Hopkins 2013, sections 3.2 and 3.4.

use std::ops::Range;

use super::kernel::{
    Columns, Part, subtract_below, subtract_beside, subtract_product, subtract_three, three,
};

/// Columns that are eliminated before others are changed.
const WIDTH: usize = 12;

/// A dense matrix by columns.
pub(super) struct Dense<'a> {
    /// Rows of the pivots, and of the boundary.
    pub(super) sizes: [usize; 2],
    /// `A_11` above `A_21`, then `L` and `U` above `L_21`.
    pub(super) panel: &'a mut [f64],
    /// `A_12`, then `U_12`.
    pub(super) upper: &'a mut [f64],
    /// `A_22`, then what is left of it.
    pub(super) boundary: &'a mut [f64],
    /// The row with which each pivot was exchanged.
    pub(super) exchanges: &'a mut [usize],
}

/// Eliminates the pivots, with exchanges of their rows; `false` if these are singular.
pub(super) fn eliminate(dense: &mut Dense<'_>) -> bool {
    let [pivots, later] = dense.sizes;
    let rows = pivots + later;
    for first in (0..pivots).step_by(WIDTH) {
        let last = pivots.min(first + WIDTH);
        for block in (first..last).step_by(3) {
            if !(block..block + 3).all(|pivot| dense.eliminate_column(pivot, block + 3)) {
                return false;
            }
            let (done, others) = dense.panel.split_at_mut((block + 3) * rows);
            let entries = &mut others[..(last - block - 3) * rows];
            solve_columns(done, rows, block..block + 3, Columns { entries, length: rows }, rows);
        }
        if last < pivots {
            let (done, entries) = dense.panel.split_at_mut(last * rows);
            solve_and_subtract(done, rows, first..last, Columns { entries, length: rows }, rows);
        }
    }
    if later > 0 {
        for first in (0..pivots).step_by(WIDTH) {
            let last = pivots.min(first + WIDTH);
            let columns = Columns { entries: dense.upper, length: pivots };
            solve_and_subtract(dense.panel, rows, first..last, columns, pivots);
        }
        let left = Part { entries: &dense.panel[pivots..], stride: rows };
        let columns = Columns { entries: dense.boundary, length: later };
        subtract_beside(left, dense.upper, columns);
    }
    true
}

/// Solves with columns of `L` and subtracts their products from the rows that follow, up to the row `end`.
fn solve_and_subtract(
    lower: &[f64],
    rows: usize,
    pivots: Range<usize>,
    columns: Columns<'_>,
    end: usize,
) {
    let Columns { entries, length } = columns;
    let last = pivots.end;
    solve_columns(lower, rows, pivots.clone(), Columns { entries: &mut *entries, length }, last);
    if last < end {
        let left = Part { entries: &lower[pivots.start * rows + last..], stride: rows };
        subtract_below(left, pivots, Columns { entries, length }, end);
    }
}

impl Dense<'_> {
    /// Adds what a child leaves, whose blocks have these indices, ascending.
    pub(super) fn add(&mut self, child: &[f64], indices: &[usize]) {
        let [pivots, later] = self.sizes;
        let own = indices.partition_point(|index| 3 * index < pivots);
        let columns = indices.iter().flat_map(|index| [3 * index, 3 * index + 1, 3 * index + 2]);
        for (column, entries) in columns.zip(child.chunks_exact((3 * indices.len()).max(1))) {
            if column < pivots {
                let rows = pivots + later;
                add_blocks(&mut self.panel[column * rows..][..rows], entries, indices, 0);
                continue;
            }
            let (upper, rest) = entries.split_at(3 * own);
            let column = column - pivots;
            add_blocks(&mut self.upper[column * pivots..][..pivots], upper, &indices[..own], 0);
            let target = &mut self.boundary[column * later..][..later];
            add_blocks(target, rest, &indices[own..], pivots);
        }
    }

    /// Eliminates a column of the panel from those before `last`; `false` if its pivot is zero or not finite.
    fn eliminate_column(&mut self, pivot: usize, last: usize) -> bool {
        let [pivots, later] = self.sizes;
        let rows = pivots + later;
        let (start, mut largest, mut chosen) = (pivot * rows, 0.0, pivot);
        for (row, entry) in self.panel[start..start + pivots].iter().enumerate().skip(pivot) {
            if entry.abs() > largest {
                (largest, chosen) = (entry.abs(), row);
            }
        }
        self.exchanges[pivot] = chosen;
        if chosen != pivot {
            self.panel.chunks_exact_mut(rows).for_each(|column| column.swap(pivot, chosen));
            self.upper.chunks_exact_mut(pivots).for_each(|column| column.swap(pivot, chosen));
        }
        let inverse = 1.0 / self.panel[start + pivot];
        let is_regular = inverse.is_finite() && inverse.abs() > 0.0;
        if !is_regular {
            return false;
        }
        let (done, others) = self.panel.split_at_mut(start + rows);
        let factors = &mut done[start + pivot + 1..];
        factors.iter_mut().for_each(|entry| *entry *= inverse);
        for column in others[..(last - pivot - 1) * rows].chunks_exact_mut(rows) {
            let (known, rest) = column.split_at_mut(pivot + 1);
            let known = known[pivot];
            for (entry, factor) in rest.iter_mut().zip(&*factors) {
                *entry -= factor * known;
            }
        }
        true
    }
}

/// Solves with some columns of `L`, three at a time, in a matrix with so many `rows`, and subtracts the products of each three from
/// the rows that follow, up to the row `end`.
fn solve_columns(
    lower: &[f64],
    rows: usize,
    pivots: Range<usize>,
    columns: Columns<'_>,
    end: usize,
) {
    for first in pivots.step_by(3) {
        let factors = [0, 1, 2].map(|column| &lower[(first + column) * rows + first..]);
        let [beside, below, third] = [factors[0][1], factors[0][2], factors[1][2]];
        let left = Part { entries: &factors[0][3..], stride: rows };
        for columns in columns.entries.chunks_exact_mut(3 * columns.length) {
            let length = columns.len() / 3;
            let [one, two, last] = three(columns, length).map(|column| {
                let (known, rest) = column[first..end].split_at_mut(3);
                known[1] -= beside * known[0];
                known[2] -= below * known[0] + third * known[1];
                (known, rest)
            });
            subtract_product([one.1, two.1, last.1], [one.0, two.0, last.0], left);
        }
    }
}

/// Solves with `L` in a matrix with so many `rows` for the first entries, and subtracts their products from those that follow.
pub(super) fn solve_lower(lower: &[f64], rows: usize, pivots: usize, right: &mut [f64]) {
    for first in (0..pivots).step_by(3) {
        let (known, rest) = right[first..].split_at_mut(3);
        let factors = [0, 1, 2].map(|column| &lower[(first + column) * rows + first..]);
        known[1] -= factors[0][1] * known[0];
        known[2] -= factors[0][2] * known[0] + factors[1][2] * known[1];
        let known = [known[0], known[1], known[2]];
        subtract_three(rest, factors.map(|column| &column[3..]), known);
    }
}

/// Solves with `U` in a matrix with so many `rows`.
pub(super) fn solve_upper(upper: &[f64], rows: usize, right: &mut [f64]) {
    for first in (0..right.len()).step_by(3).rev() {
        let columns = [0, 1, 2].map(|column| &upper[(first + column) * rows..]);
        let (rest, known) = right[..first + 3].split_at_mut(first);
        let third = known[2] / columns[2][first + 2];
        let second = (known[1] - columns[2][first + 1] * third) / columns[1][first + 1];
        let sum = columns[1][first] * second + columns[2][first] * third;
        let found = [(known[0] - sum) / columns[0][first], second, third];
        known.copy_from_slice(&found);
        subtract_three(rest, columns, found);
    }
}

/// Adds blocks of three rows of a column at their indices, from the row `first` on.
fn add_blocks(column: &mut [f64], blocks: &[f64], indices: &[usize], first: usize) {
    for (block, index) in blocks.chunks_exact(3).zip(indices) {
        let start = 3 * index - first;
        for (entry, change) in column[start..start + 3].iter_mut().zip(block) {
            *entry += change;
        }
    }
}
