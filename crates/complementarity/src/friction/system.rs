//! Linear systems of all contacts: [`System`].

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::{
    Delassus, Problem,
    blocks::{Blocks, blocks_of},
};
use crate::{
    block_factorization::{BlockFactorization, Slot, pattern::Pattern, product},
    factorization::Factorization,
};

/// Maximum number of products of blocks in a factorization, about a second.
const LONGEST: usize = 100_000_000;

/// The matrix `G` of contacts in coordinates of a method, and the factors of a matrix with the same blocks.
///
/// Where few blocks are filled the factors are sparse. Others are dense.
pub(super) struct System {
    /// The blocks of `G` by rows, and the first one of each row and the end.
    blocks: Blocks,
    starts: Vec<usize>,
    factors: Factors,
}

enum Factors {
    Dense(Option<Factorization>),
    /// With the place of each block.
    Sparse(Box<BlockFactorization>, Vec<Slot>),
}

impl System {
    /// The matrix of the blocks `S_i W_ij S_j`, with diagonal `S_i` from `scale`, and with ones on the diagonal where that is
    /// zero.
    pub(super) fn new<D: Delassus>(
        problem: &Problem<D>,
        scale: impl Fn(usize) -> Vector3<f64>,
    ) -> Self {
        let n = problem.contact_count();
        let mut blocks = blocks_of(problem.delassus());
        for (row, column, block) in &mut blocks {
            let scales = scale(*row) * scale(*column).transpose();
            block.component_mul_assign(&scales);
            if row == column {
                for k in (0..3).filter(|k| scales[(*k, *k)] == 0.0) {
                    block[(k, k)] = 1.0;
                }
            }
        }
        let factors = match pattern(problem) {
            Some(pattern) => {
                let factors = BlockFactorization::new(pattern);
                let slots = blocks.iter().filter_map(|block| factors.slot(block.0, block.1));
                let slots = slots.collect();
                Factors::Sparse(Box::new(factors), slots)
            }
            None => Factors::Dense(None),
        };
        let starts = (0..=n).map(|row| blocks.partition_point(|block| block.0 < row)).collect();
        Self { blocks, starts, factors }
    }

    const fn contact_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// `Σ_j G_ij x_j`.
    pub(super) fn product(&self, x: &[Vector3<f64>], contact: usize) -> Vector3<f64> {
        let blocks = &self.blocks[self.starts[contact]..self.starts[contact + 1]];
        blocks.iter().map(|(_, column, block)| block * x[*column]).sum()
    }

    /// Factorizes the matrix with the blocks `L_i G_ij + δ_ij B_i`, where `terms` gives `L_i`, or `None` for `I`, and `B_i`; `false`
    /// if it is singular.
    pub(super) fn factorize(
        &mut self,
        terms: impl Fn(usize) -> (Option<Matrix3<f64>>, Matrix3<f64>),
    ) -> bool {
        let n = self.contact_count();
        let Self { blocks, starts, factors } = self;
        let each = |set: &mut dyn FnMut(usize, Matrix3<f64>)| {
            for row in 0..n {
                let (left, added) = terms(row);
                let range = starts[row]..starts[row + 1];
                for (at, (_, column, block)) in range.clone().zip(&blocks[range]) {
                    let block = left.as_ref().map_or(*block, |left| product(left, block));
                    set(at, if row == *column { block + added } else { block });
                }
            }
        };
        match factors {
            Factors::Dense(factors) => {
                let mut matrix = DMatrix::zeros(3 * n, 3 * n);
                each(&mut |at, block| {
                    let (row, column, _) = blocks[at];
                    matrix.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(&block);
                });
                *factors = Some(Factorization::new(matrix));
                true
            }
            Factors::Sparse(factors, slots) => {
                factors.clear();
                each(&mut |at, block| factors.set(slots[at], block));
                factors.factorize()
            }
        }
    }

    /// Replaces `right` by the solution with the last factors; `false` if there are none or it is not finite.
    pub(super) fn solve_mut(&mut self, right: &mut DVector<f64>) -> bool {
        match &mut self.factors {
            Factors::Dense(factors) => {
                factors.as_mut().is_some_and(|factors| factors.solve_mut(right))
            }
            Factors::Sparse(factors, _) => factors.solve_mut(right.as_mut_slice()),
        }
    }
}

/// The pattern of a factorization that takes less time than that of a dense matrix, which has `n³/3` products of blocks and
/// works faster with each.
pub(super) fn pattern<D: Delassus>(problem: &Problem<D>) -> Option<Pattern> {
    let n = problem.contact_count();
    let mut neighbors = vec![Vec::new(); n];
    for row in 0..n {
        problem.delassus().neighbors(row, &mut |column| {
            neighbors[row].push(column);
            neighbors[column].push(row);
        });
    }
    // Of a matrix that is nearly full even the search for an order takes long.
    let blocks: usize = neighbors.iter().map(Vec::len).sum();
    let limit = (n * n).saturating_mul(n) / 12;
    (blocks <= n * n).then(|| Pattern::new(neighbors, limit.min(LONGEST)))?
}
