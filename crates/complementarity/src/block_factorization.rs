//! LU factorization of sparse matrices of 3 × 3 blocks: [`BlockFactorization`].
//!
//! Contacts of towers, walls and piles are each coupled with a few others, so that elimination in a good
//! [order](order::minimum_degree) fills few blocks. The contacts of two bodies are coupled with the same others; such rows are
//! eliminated together in a dense matrix, a [front](pattern::Pattern). Rows are exchanged within the pivots of a front only. This is
//! stable for the matrices of contact solvers, whose diagonal a barrier or a proximal term lifts; solvers judge the residual of each
//! iterate, so that an inaccurate step costs a step and not the answer.
//!
//! # Source
//!
//! J. A. George, J. W. H. Liu, *Computer Solution of Large Sparse Positive Definite Systems*, Prentice-Hall 1981, chapter 5; I. S.
//! Duff, J. K. Reid, "The multifrontal solution of indefinite sparse symmetric linear equations", *ACM Transactions on Mathematical
//! Software* 9 (1983) 302–325.

mod front;
mod kernel;
mod order;
pub(crate) mod pattern;

use nalgebra::Matrix3;

use self::{
    front::{Dense, eliminate, solve_lower, solve_upper},
    kernel::subtract_three,
    pattern::{Front, Pattern},
};

/// A matrix with a symmetric pattern of blocks, and its factors in place of it.
pub(crate) struct BlockFactorization {
    pattern: Pattern,
    /// For each front the columns of its pivots, and then those of its boundary in the rows of the pivots.
    factors: Vec<f64>,
    /// The matrices of the boundaries after elimination; each waits here for its parent, which adds it.
    waiting: Vec<f64>,
    exchanges: Vec<usize>,
    /// A right side in the order of elimination, and its entries of a boundary.
    permuted: Vec<f64>,
    beside: Vec<f64>,
}

/// Where a block is stored.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    start: usize,
    stride: usize,
}

impl BlockFactorization {
    /// A matrix of zeros.
    pub(crate) fn new(pattern: Pattern) -> Self {
        let rows = 3 * pattern.row_count();
        Self {
            factors: vec![0.0; pattern.factor_size()],
            waiting: vec![0.0; pattern.waiting_size()],
            exchanges: vec![0; rows],
            permuted: vec![0.0; rows],
            beside: Vec::with_capacity(rows),
            pattern,
        }
    }

    /// The place of a block for [`set`](Self::set), if the pattern has it.
    pub(crate) fn slot(&self, row: usize, column: usize) -> Option<Slot> {
        let [row, column] = [row, column].map(|index| self.pattern.place_of(index));
        let front = self.pattern.front_of(row.min(column));
        let row = 3 * self.pattern.index_in(front, row)?;
        let column = 3 * self.pattern.index_in(front, column)?;
        let [pivots, later] = sizes(front);
        let rows = pivots + later;
        let (start, stride) = if column < pivots {
            (column * rows + row, rows)
        } else {
            (rows * pivots + (column - pivots) * pivots + row, pivots)
        };
        Some(Slot { start: front.factors + start, stride })
    }

    /// Sets all blocks to zero.
    pub(crate) fn clear(&mut self) {
        self.factors.fill(0.0);
    }

    /// Sets the block of this place.
    pub(crate) fn set(&mut self, slot: Slot, block: Matrix3<f64>) {
        for (column, entries) in block.data.0.iter().enumerate() {
            let start = slot.start + column * slot.stride;
            self.factors[start..start + 3].copy_from_slice(entries);
        }
    }

    /// Replaces the matrix by its factors; `false` if a pivot is singular.
    pub(crate) fn factorize(&mut self) -> bool {
        let Self { pattern, factors, waiting, exchanges, .. } = self;
        for front in pattern.fronts() {
            let [pivots, later] = sizes(front);
            let (panel, upper) = factors[front.factors..][..pivots * (pivots + 2 * later)]
                .split_at_mut(pivots * (pivots + later));
            let (children, rest) = waiting.split_at_mut(front.computed);
            let boundary = &mut rest[..later * later];
            boundary.fill(0.0);
            let exchanges = &mut exchanges[3 * front.pivots.start..3 * front.pivots.end];
            let sizes = [pivots, later];
            let mut dense = Dense { sizes, panel, upper, boundary, exchanges };
            for child in pattern.children(front) {
                dense.add(&children[child.kept..], pattern.in_parent(child));
            }
            if !eliminate(&mut dense) {
                return false;
            }
            waiting.copy_within(front.computed..front.computed + later * later, front.kept);
        }
        true
    }

    /// Replaces `right`, three entries a block, by the solution with the factors; `false` if it is not finite.
    pub(crate) fn solve_mut(&mut self, right: &mut [f64]) -> bool {
        let Self { pattern, factors, exchanges, permuted, beside, .. } = self;
        for (row, entries) in right.chunks_exact(3).enumerate() {
            permuted[3 * pattern.place_of(row)..][..3].copy_from_slice(entries);
        }
        for front in pattern.fronts() {
            let [pivots, later] = sizes(front);
            let range = 3 * front.pivots.start..3 * front.pivots.end;
            let known = &mut permuted[range.clone()];
            for (pivot, exchange) in exchanges[range].iter().enumerate() {
                known.swap(pivot, *exchange);
            }
            beside.clear();
            beside.extend_from_slice(known);
            beside.resize(pivots + later, 0.0);
            solve_lower(&factors[front.factors..], pivots + later, pivots, beside);
            let (found, changes) = beside.split_at(pivots);
            known.copy_from_slice(found);
            for (place, change) in pattern.boundary(front).iter().zip(changes.chunks_exact(3)) {
                for (entry, change) in permuted[3 * place..].iter_mut().zip(change) {
                    *entry += change;
                }
            }
        }
        for front in pattern.fronts().iter().rev() {
            let [pivots, later] = sizes(front);
            let rows = pivots + later;
            let (panel, upper) = factors[front.factors..].split_at(pivots * rows);
            let (before, after) = permuted.split_at_mut(3 * front.pivots.end);
            let rest = &mut before[3 * front.pivots.start..];
            let boundary = pattern.boundary(front).iter();
            for (place, columns) in boundary.zip(upper.chunks_exact(3 * pivots)) {
                let start = 3 * (place - front.pivots.end);
                let known = [0, 1, 2].map(|k| after[start + k]);
                subtract_three(rest, [0, 1, 2].map(|k| &columns[k * pivots..]), known);
            }
            solve_upper(panel, rows, rest);
        }
        for (row, entries) in right.chunks_exact_mut(3).enumerate() {
            entries.copy_from_slice(&permuted[3 * pattern.place_of(row)..][..3]);
        }
        right.iter().all(|entry| entry.is_finite())
    }
}

/// Rows of the pivots and of the boundary.
fn sizes(front: &Front) -> [usize; 2] {
    [3 * front.pivots.len(), 3 * front.boundary.len()]
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
