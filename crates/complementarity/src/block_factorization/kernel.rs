//! Products of parts of dense matrices: [`subtract_beside`] and [`subtract_below`].
//!
//! Matrices are stored by columns. All numbers of rows and columns are multiples of three, as the matrices consist of blocks of 3 × 3.
//! With the feature `faer` its products serve larger matrices.

use std::ops::Range;

#[cfg(feature = "faer")]
use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};

/// Number of products of numbers from which those of faer are faster.
#[cfg(feature = "faer")]
const LARGE: usize = 40_000;

/// Rows of a tile of which the sums stay in registers.
const TILE: usize = 6;

/// A matrix from some entry on, with this distance of columns.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) entries: &'a [f64],
    pub(super) stride: usize,
}

/// Columns of this length.
pub(super) struct Columns<'a> {
    pub(super) entries: &'a mut [f64],
    pub(super) length: usize,
}

impl Columns<'_> {
    const fn count(&self) -> usize {
        self.entries.len() / self.length
    }
}

/// `C - A B`, where `right` holds the columns of `B`.
pub(super) fn subtract_beside(left: Part<'_>, right: &[f64], columns: Columns<'_>) {
    let depth = right.len() / columns.count();
    #[cfg(feature = "faer")]
    if columns.entries.len() * depth >= LARGE {
        let (length, count) = (columns.length, columns.count());
        matmul(
            MatMut::from_column_major_slice_mut(columns.entries, length, count),
            Accum::Add,
            view(left, length, depth),
            MatRef::from_column_major_slice(right, depth, count),
            -1.0,
            Par::Seq,
        );
        return;
    }
    let targets = columns.entries.chunks_exact_mut(3 * columns.length);
    for (targets, known) in targets.zip(right.chunks_exact(3 * depth)) {
        let known = [0, 1, 2].map(|column| &known[column * depth..][..depth]);
        subtract_product(three(targets, columns.length), known, left);
    }
}

/// `C - A B` for the rows of each column from the end of a range to `end`, where those of the range are of `B`.
pub(super) fn subtract_below(
    left: Part<'_>,
    range: Range<usize>,
    columns: Columns<'_>,
    end: usize,
) {
    #[cfg(feature = "faer")]
    if (end - range.end) * range.len() * columns.count() >= LARGE {
        let (length, count) = (columns.length, columns.count());
        let all = MatMut::from_column_major_slice_mut(columns.entries, length, count);
        let (known, rest) = all.split_at_row_mut(range.end);
        matmul(
            rest.subrows_mut(0, end - range.end),
            Accum::Add,
            view(left, end - range.end, range.len()),
            known.as_ref().subrows(range.start, range.len()),
            -1.0,
            Par::Seq,
        );
        return;
    }
    for targets in columns.entries.chunks_exact_mut(3 * columns.length) {
        let [first, second, third] = three(targets, columns.length)
            .map(|column| column[range.start..end].split_at_mut(range.len()));
        subtract_product([first.1, second.1, third.1], [first.0, second.0, third.0], left);
    }
}

#[cfg(feature = "faer")]
fn view(part: Part<'_>, rows: usize, columns: usize) -> MatRef<'_, f64> {
    let length = (columns - 1) * part.stride + rows;
    MatRef::from_column_major_slice_with_stride(&part.entries[..length], rows, columns, part.stride)
}

/// Three columns of this length.
pub(super) fn three(columns: &mut [f64], length: usize) -> [&mut [f64]; 3] {
    let (first, rest) = columns.split_at_mut(length);
    let (second, third) = rest.split_at_mut(length);
    [first, second, third]
}

/// Subtracts a product from three columns.
#[inline]
pub(super) fn subtract_product(mut columns: [&mut [f64]; 3], known: [&[f64]; 3], left: Part<'_>) {
    let (length, mut row) = (columns[0].len(), 0);
    while row + TILE <= length {
        subtract_tile::<TILE>(&mut columns, known, left, row);
        row += TILE;
    }
    if row < length {
        subtract_tile::<3>(&mut columns, known, left, row);
    }
}

/// [`subtract_product`] for so many rows from this one on.
#[inline(always)]
fn subtract_tile<const ROWS: usize>(
    columns: &mut [&mut [f64]; 3],
    [first, second, third]: [&[f64]; 3],
    left: Part<'_>,
    row: usize,
) {
    let mut sums = [[0.0; ROWS]; 3];
    let known = first.iter().zip(second).zip(third);
    for (((a, b), c), entries) in known.zip(left.entries[row..].chunks(left.stride)) {
        let Some(entries) = entries.first_chunk::<ROWS>() else { return };
        for (sums, known) in sums.iter_mut().zip([a, b, c]) {
            for (sum, entry) in sums.iter_mut().zip(entries) {
                *sum += entry * known;
            }
        }
    }
    for (column, sums) in columns.iter_mut().zip(&sums) {
        for (entry, sum) in column[row..row + ROWS].iter_mut().zip(sums) {
            *entry -= sum;
        }
    }
}

/// `y - a_0 x_0 - a_1 x_1 - a_2 x_2`; the `x` may be longer.
#[inline]
pub(super) fn subtract_three(y: &mut [f64], x: [&[f64]; 3], a: [f64; 3]) {
    let mut from = x.map(|x| x[..y.len()].chunks_exact(3));
    for y in y.chunks_exact_mut(3) {
        for (x, a) in from.iter_mut().zip(a) {
            let Some(x) = x.next() else { return };
            y[0] -= a * x[0];
            y[1] -= a * x[1];
            y[2] -= a * x[2];
        }
    }
}
