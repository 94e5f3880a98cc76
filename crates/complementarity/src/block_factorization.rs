//! LU factorization of sparse matrices of 3 × 3 blocks: [`BlockFactorization`].
//!
//! Contacts of towers, walls and piles are each coupled with a few others, so that elimination in a good
//! [order](pattern::Pattern) fills few blocks. Rows are exchanged within the blocks of the diagonal only. This is stable for the
//! matrices of contact solvers, whose diagonal a barrier or a proximal term lifts; solvers judge the residual of each iterate, so
//! that an inaccurate step costs a step and not the answer.
//!
//! # Source
//!
//! J. A. George, J. W. H. Liu, *Computer Solution of Large Sparse Positive Definite Systems*, Prentice-Hall 1981, chapter 5.

pub(crate) mod pattern;

use nalgebra::{Matrix3, Vector3};

use self::pattern::Pattern;

/// A matrix with a symmetric pattern of blocks, and its factors in place of it.
pub(crate) struct BlockFactorization {
    pattern: Pattern,
    /// The blocks of the diagonal by order of elimination, which once factorized are the inverse pivots. Then for each block of the
    /// pattern that of the row, and after all of these that of the column, that is eliminated.
    entries: Vec<Matrix3<f64>>,
    permuted: Vec<Vector3<f64>>,
}

/// The blocks of the diagonal, of rows and of columns.
struct Parts<'a> {
    pattern: &'a Pattern,
    pivots: &'a mut [Matrix3<f64>],
    upper: &'a mut [Matrix3<f64>],
    lower: &'a mut [Matrix3<f64>],
    permuted: &'a mut [Vector3<f64>],
}

impl BlockFactorization {
    /// A matrix of zeros.
    pub(crate) fn new(pattern: Pattern) -> Self {
        let (rows, blocks) = (pattern.row_count(), pattern.block_count());
        let entries = vec![Matrix3::zeros(); rows + 2 * blocks];
        Self { pattern, entries, permuted: vec![Vector3::zeros(); rows] }
    }

    /// The number of a block for [`set`](Self::set), if the pattern has it.
    pub(crate) fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let [first, second] = [row, column].map(|index| self.pattern.place_of(index));
        if first == second {
            return Some(first);
        }
        let block = self.pattern.block_at(first.min(second), first.max(second))?;
        let half = if first < second { 0 } else { self.pattern.block_count() };
        Some(self.pattern.row_count() + half + block)
    }

    /// Sets all blocks to zero.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(Matrix3::zeros());
    }

    /// Sets the block of this number.
    pub(crate) fn set(&mut self, slot: usize, block: Matrix3<f64>) {
        self.entries[slot] = block;
    }

    fn parts(&mut self) -> Parts<'_> {
        let (rows, blocks) = (self.pattern.row_count(), self.pattern.block_count());
        let (pivots, rest) = self.entries.split_at_mut(rows);
        let (upper, lower) = rest.split_at_mut(blocks);
        Parts { pattern: &self.pattern, pivots, upper, lower, permuted: &mut self.permuted }
    }

    /// Replaces the matrix by its factors; `false` if a pivot is singular.
    pub(crate) fn factorize(&mut self) -> bool {
        let Parts { pattern, pivots, upper, lower, .. } = self.parts();
        for row in 0..pivots.len() {
            let Some(inverse) = pivots[row].try_inverse() else { return false };
            if !inverse.iter().all(|entry| entry.is_finite()) {
                return false;
            }
            pivots[row] = inverse;
            let blocks = pattern.blocks(row);
            for block in &mut lower[blocks.clone()] {
                *block = product(block, &inverse);
            }
            for first in blocks.clone() {
                let (left, right) = (lower[first], upper[first]);
                let target = pattern.later(first);
                pivots[target] -= product(&left, &right);
                let mut place = pattern.blocks(target).start;
                for second in first + 1..blocks.end {
                    let (beside, below) = (upper[second], lower[second]);
                    while pattern.later(place) < pattern.later(second) {
                        place += 1;
                    }
                    upper[place] -= product(&left, &beside);
                    lower[place] -= product(&below, &right);
                }
            }
        }
        true
    }

    /// Replaces `right`, three entries a block, by the solution with the factors; `false` if it is not finite.
    pub(crate) fn solve_mut(&mut self, right: &mut [f64]) -> bool {
        let Parts { pattern, pivots, upper, lower, permuted } = self.parts();
        for (row, entries) in right.chunks_exact(3).enumerate() {
            permuted[pattern.place_of(row)].copy_from_slice(entries);
        }
        for row in 0..pivots.len() {
            let known = permuted[row];
            for at in pattern.blocks(row) {
                permuted[pattern.later(at)] -= lower[at] * known;
            }
        }
        for row in (0..pivots.len()).rev() {
            let mut rest = permuted[row];
            for at in pattern.blocks(row) {
                rest -= upper[at] * permuted[pattern.later(at)];
            }
            permuted[row] = pivots[row] * rest;
        }
        for (row, entries) in right.chunks_exact_mut(3).enumerate() {
            entries.copy_from_slice(permuted[pattern.place_of(row)].as_slice());
        }
        right.iter().all(|entry| entry.is_finite())
    }
}

/// `A B`. That of nalgebra is a call for each column.
#[inline(always)]
pub(crate) fn product(a: &Matrix3<f64>, b: &Matrix3<f64>) -> Matrix3<f64> {
    let mut c = Matrix3::zeros();
    let (entries, a, b) = (&mut c.data.0, &a.data.0, &b.data.0);
    for column in 0..3 {
        let [x, y, z] = b[column];
        for row in 0..3 {
            entries[column][row] = a[0][row] * x + a[1][row] * y + a[2][row] * z;
        }
    }
    c
}

#[cfg(test)]
mod tests;
