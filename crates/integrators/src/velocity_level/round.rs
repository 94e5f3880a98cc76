//! States the problem of a step with round cones and without blocks.

use nalgebra::{DMatrix, Matrix3, Vector3};
use percussion_complementarity::friction::{self, Reduction};
use percussion_dynamics::{BlockSparse, ContactSetError};

use super::VelocityLevel;

impl VelocityLevel {
    /// The blocks of `W` of contacts that are coupled.
    pub(super) fn sparse_blocks(
        &self,
    ) -> Result<Vec<(usize, usize, Matrix3<f64>)>, ContactSetError> {
        let mut sparse = BlockSparse::default();
        self.set.block_sparse_delassus(&mut sparse)?;
        let width = self.set.component_count();
        let mut blocks = Vec::with_capacity(sparse.block_count());
        for row in 0..self.set.len() {
            let entry = |entries: &[f64]| padded(width, |r, c| entries[width * r + c]);
            blocks
                .extend(sparse.blocks(row).map(|(column, entries)| (row, column, entry(entries))));
        }
        Ok(blocks)
    }

    /// The blocks of `W` with the constraints eliminated.
    pub(super) fn reduced_blocks(
        &self,
    ) -> Result<Vec<(usize, usize, Matrix3<f64>)>, ContactSetError> {
        let mut delassus = DMatrix::zeros(0, 0);
        self.set.delassus(&mut delassus)?;
        let (contacts, width) = (self.set.len(), self.set.component_count());
        let before = delassus.diagonal();
        let mut along = vec![0.0; delassus.nrows()];
        for held in self.bilateral.velocities().column_iter() {
            self.set.contact_velocity(held.as_slice(), &mut along)?;
            let columns = delassus.as_mut_slice().chunks_exact_mut(along.len().max(1));
            for (column, factor) in columns.zip(&along) {
                column.iter_mut().zip(&along).for_each(|(entry, along)| *entry -= factor * along);
            }
        }
        // The remainder after elimination of a row that the constraints hold is the rounding of sums of n_v
        // products.
        let rounding = 16.0 * self.column.nrows() as f64 * f64::EPSILON;
        for row in 0..delassus.nrows() {
            if delassus[(row, row)] <= rounding * before[row] {
                delassus.row_mut(row).fill(0.0);
                delassus.column_mut(row).fill(0.0);
            }
        }
        let mut blocks = Vec::new();
        for row in 0..contacts {
            for column in 0..contacts {
                let block = padded(width, |r, c| delassus[(width * row + r, width * column + c)]);
                blocks.push((row, column, block));
            }
        }
        Ok(blocks)
    }

    /// States the problem of these blocks and velocities.
    pub(super) fn state_problem(
        &mut self,
        blocks: Vec<(usize, usize, Matrix3<f64>)>,
        active: &[usize],
        velocities: &[Vector3<f64>],
    ) -> Result<(), friction::ProblemError> {
        let reduction = Reduction::new(blocks, velocities, self.set.friction())?;
        if let Some(reduction) = reduction {
            let Reduction { problem, contacts, .. } = reduction.with_law(self.law);
            self.contacts.extend(contacts.iter().map(|&slot| active[slot]));
            self.slots = contacts;
            self.problem = Some(problem);
        }
        Ok(())
    }
}

/// A block of `width` components with zeros up to three.
fn padded(width: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix3<f64> {
    Matrix3::from_fn(|r, c| if r < width && c < width { entry(r, c) } else { 0.0 })
}
