//! The operator `W` that maps impulses to velocities: the trait [`Delassus`] and two implementations.

mod borrowed;
mod columns;

use nalgebra::{DMatrix, Matrix3, Vector3};

use self::columns::by_columns;
use super::ProblemError;
use crate::compensated::Sum;

/// A Delassus operator that is evaluated contact by contact.
///
/// Sweeps change one impulse at a time. An operator may store a function of all impulses in `memory`, which
/// [`begin`](Self::begin) fills and [`update`](Self::update) changes. Between these calls
/// [`velocity`](Self::velocity) returns `Σ_j W_ij p_j` of the impulses passed last.
///
/// [`BlockSparse`] stores the 3 × 3 blocks of coupled contacts, dense matrices included. [`MatrixFree`] stores
/// `J` and `M⁻¹ Jᵀ` and computes with the velocities of the bodies instead of `W`.
///
/// **Contacts in the plane** have one tangent. The constructors for them append a second tangent that is
/// uncoupled and has the compliance of the first: under either law its impulse is exactly zero.
///
/// # Source
///
/// Y. Saad, *Iterative Methods for Sparse Linear Systems*, 2nd ed., SIAM 2003, section 3.4 (compressed
/// rows, of blocks).
pub trait Delassus: Sync {
    /// Number of contacts.
    fn contact_count(&self) -> usize;

    /// The block `W_ii`.
    fn diagonal(&self, contact: usize) -> Matrix3<f64>;

    /// `Σ_j W_ij p_j` (m/s).
    fn velocity(&self, contact: usize, impulses: &[Vector3<f64>], memory: &[f64]) -> Vector3<f64>;

    /// Calls `visit` with every contact `j` that may have `W_ij ≠ 0`; a contact may be visited more than once.
    fn neighbors(&self, contact: usize, visit: &mut dyn FnMut(usize));

    /// Resizes `memory` and fills it from `impulses`.
    fn begin(&self, _impulses: &[Vector3<f64>], memory: &mut Vec<f64>) {
        memory.clear();
    }

    /// Updates `memory` after a change of one impulse.
    fn update(&self, _contact: usize, _change: &Vector3<f64>, _memory: &mut [f64]) {}

    /// Calls `visit` with row, column and block of every `W_ij` that may not be zero, each once.
    ///
    /// The provided method computes them column by column; an operator that stores its entries should override it.
    fn each_block(&self, visit: &mut dyn FnMut(usize, usize, &Matrix3<f64>)) {
        by_columns(self, visit);
    }

    /// `Σ_j W_ij p_j + u_i` for every contact (m/s), rounded only once where terms cancel.
    ///
    /// The check of large impulses uses this. The provided method computes the columns of `W` one by one, `3n`
    /// calls of [`begin`](Self::begin); an operator that stores its entries should override it with a
    /// [compensated sum](Sum).
    fn compensated_velocities(
        &self,
        impulses: &[Vector3<f64>],
        free_velocity: &[Vector3<f64>],
    ) -> Vec<Vector3<f64>> {
        let mut sums = start_sums(free_velocity);
        let mut unit = vec![Vector3::zeros(); impulses.len()];
        let (mut memory, mut seen) = (Vec::new(), vec![usize::MAX; impulses.len()]);
        for column in 0..3 * impulses.len() {
            let (contact, component) = (column / 3, column % 3);
            let impulse = impulses[contact][component];
            if impulse == 0.0 {
                continue;
            }
            unit[contact][component] = 1.0;
            self.begin(&unit, &mut memory);
            self.neighbors(contact, &mut |row| {
                if seen[row] != column {
                    seen[row] = column;
                    let entries = self.velocity(row, &unit, &memory);
                    for (sum, &entry) in sums[row].iter_mut().zip(&entries) {
                        sum.add_product(entry, impulse);
                    }
                }
            });
            unit[contact][component] = 0.0;
        }
        values(&sums)
    }
}

fn start_sums(free_velocity: &[Vector3<f64>]) -> Vec<[Sum; 3]> {
    free_velocity.iter().map(|free| [free.x, free.y, free.z].map(Sum::new)).collect()
}

fn values(sums: &[[Sum; 3]]) -> Vec<Vector3<f64>> {
    sums.iter().map(|sums| sums.map(|sum| sum.value()).into()).collect()
}

/// A matrix of 3 × 3 blocks stored by rows.
///
/// # Example
///
/// Two contacts that share a body of 2 kg and push it from opposite sides.
///
/// ```
/// use nalgebra::{Matrix3, vector};
/// use percussion_complementarity::friction::{BlockSparse, Delassus};
///
/// let half = Matrix3::from_diagonal_element(0.5);
/// let blocks = [(0, 0, half), (0, 1, -half), (1, 0, -half), (1, 1, half)];
/// let delassus = BlockSparse::from_blocks(2, &blocks)?;
/// let impulses = [vector![4.0, 0.0, 0.0], vector![1.0, 0.0, 0.0]];
/// assert_eq!(delassus.velocity(0, &impulses, &[]), vector![1.5, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BlockSparse {
    /// The start of each row, and the end of the last.
    starts: Vec<usize>,
    columns: Vec<usize>,
    blocks: Vec<Matrix3<f64>>,
    /// The position of the diagonal block of each row.
    diagonal: Vec<usize>,
}

impl BlockSparse {
    /// Creates the operator from `(row, column, block)` in any order; both triangles and all diagonal blocks
    /// must be given.
    ///
    /// # Errors
    ///
    /// [`ProblemError::BlockPosition`], [`ProblemError::DuplicateBlock`] and [`ProblemError::MissingDiagonal`].
    pub fn from_blocks(
        contacts: usize,
        blocks: &[(usize, usize, Matrix3<f64>)],
    ) -> Result<Self, ProblemError> {
        if !blocks.is_sorted_by_key(|block| (block.0, block.1)) {
            let mut sorted = blocks.to_vec();
            sorted.sort_by_key(|block| (block.0, block.1));
            return Self::from_blocks(contacts, &sorted);
        }
        let mut sparse = Self {
            starts: vec![0; contacts + 1],
            columns: Vec::with_capacity(blocks.len()),
            blocks: Vec::with_capacity(blocks.len()),
            diagonal: vec![usize::MAX; contacts],
        };
        let mut last = None;
        for &(row, column, block) in blocks {
            if row >= contacts || column >= contacts {
                return Err(ProblemError::BlockPosition { row, column, contacts });
            }
            if last.replace((row, column)) == Some((row, column)) {
                return Err(ProblemError::DuplicateBlock { row, column });
            }
            if row == column {
                sparse.diagonal[row] = sparse.blocks.len();
            }
            sparse.starts[row + 1] = sparse.blocks.len() + 1;
            sparse.columns.push(column);
            sparse.blocks.push(block);
        }
        if let Some(contact) = sparse.diagonal.iter().position(|place| *place == usize::MAX) {
            return Err(ProblemError::MissingDiagonal { contact });
        }
        Ok(sparse)
    }

    /// Creates the operator from a dense `3n × 3n` matrix; off-diagonal blocks of zeros are left out.
    ///
    /// # Errors
    ///
    /// [`ProblemError::MatrixShape`].
    pub fn from_dense(matrix: &DMatrix<f64>) -> Result<Self, ProblemError> {
        Self::split(matrix, 3, |matrix, row, column| matrix.fixed_view::<3, 3>(row, column).into())
    }

    /// Creates the operator from a dense `2n × 2n` matrix of contacts in the plane (normal, tangent).
    ///
    /// # Errors
    ///
    /// [`ProblemError::MatrixShape`].
    pub fn from_planar(matrix: &DMatrix<f64>) -> Result<Self, ProblemError> {
        Self::split(matrix, 2, |matrix, row, column| {
            let mut block = Matrix3::zeros();
            block.fixed_view_mut::<2, 2>(0, 0).copy_from(&matrix.fixed_view::<2, 2>(row, column));
            if row == column {
                block[(2, 2)] = block[(1, 1)];
            }
            block
        })
    }

    fn split(
        matrix: &DMatrix<f64>,
        components: usize,
        block: impl Fn(&DMatrix<f64>, usize, usize) -> Matrix3<f64>,
    ) -> Result<Self, ProblemError> {
        let (rows, columns) = matrix.shape();
        if rows != columns || rows % components != 0 {
            return Err(ProblemError::MatrixShape { rows, columns, components });
        }
        let contacts = rows / components;
        let mut blocks = Vec::new();
        for row in 0..contacts {
            for column in 0..contacts {
                let block = block(matrix, components * row, components * column);
                if row == column || block.iter().any(|&entry| entry != 0.0) {
                    blocks.push((row, column, block));
                }
            }
        }
        Self::from_blocks(contacts, &blocks)
    }

    /// The stored blocks of `row` with their columns, ascending. Panics if there is no such contact.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Matrix3<f64>)> {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().copied().zip(&self.blocks[range])
    }

    /// The block at `row` and `column`, if it is stored.
    #[must_use]
    pub fn block(&self, row: usize, column: usize) -> Option<&Matrix3<f64>> {
        let range = *self.starts.get(row)?..*self.starts.get(row + 1)?;
        let columns = &self.columns[range.clone()];
        // A full row has each column in its place.
        let is_full = columns.get(column) == Some(&column);
        let position = if is_full { column } else { columns.binary_search(&column).ok()? };
        Some(&self.blocks[range.start + position])
    }

    /// The symmetric part `(W + Wᵀ)/2`, and the largest difference of an entry and its mirror image as a fraction of
    /// `√(W_rr W_cc)`, which is dimensionless; entries without a positive diagonal do not count.
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::{DMatrix, Matrix3};
    /// use percussion_complementarity::friction::BlockSparse;
    ///
    /// let mut matrix = DMatrix::identity(3, 3);
    /// matrix[(0, 2)] = 0.25;
    /// let (symmetric, asymmetry) = BlockSparse::from_dense(&matrix)?.symmetric_part();
    /// assert_eq!(asymmetry, 0.25);
    /// assert_eq!(symmetric.block(0, 0).map(|block| (block[(0, 2)], block[(2, 0)])), Some((0.125, 0.125)));
    /// # Ok::<(), percussion_complementarity::friction::ProblemError>(())
    /// ```
    #[must_use]
    pub fn symmetric_part(&self) -> (Self, f64) {
        let contacts = self.diagonal.len();
        let mut blocks = Vec::with_capacity(self.blocks.len());
        let mut largest = 0.0_f64;
        for row in 0..contacts {
            for (column, block) in self.row(row) {
                let stored = self.block(column, row);
                let mirror = stored.map_or_else(Matrix3::zeros, Matrix3::transpose);
                let scale =
                    |contact: usize| self.blocks[self.diagonal[contact]].diagonal().map(f64::sqrt);
                let sizes = scale(row) * scale(column).transpose();
                let asymmetry = (block - mirror).component_div(&sizes).amax();
                largest = largest.max(asymmetry);
                let mean = 0.5 * (block + mirror);
                blocks.push((row, column, mean));
                if stored.is_none() {
                    blocks.push((column, row, mean.transpose()));
                }
            }
        }
        let symmetric = Self::from_blocks(contacts, &blocks);
        (symmetric.unwrap_or_else(|_| self.clone()), largest)
    }

    /// Number of stored blocks.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }
}

impl Delassus for BlockSparse {
    fn contact_count(&self) -> usize {
        self.diagonal.len()
    }

    fn diagonal(&self, contact: usize) -> Matrix3<f64> {
        self.blocks[self.diagonal[contact]]
    }

    #[inline]
    fn velocity(&self, contact: usize, impulses: &[Vector3<f64>], _memory: &[f64]) -> Vector3<f64> {
        let mut sum = [0.0; 3];
        let range = self.starts[contact]..self.starts[contact + 1];
        for (&column, block) in self.columns[range.clone()].iter().zip(&self.blocks[range]) {
            let p = &impulses[column];
            let [c0, c1, c2] = block.data.0;
            for k in 0..3 {
                sum[k] += c0[k] * p.x + c1[k] * p.y + c2[k] * p.z;
            }
        }
        sum.into()
    }

    fn neighbors(&self, contact: usize, visit: &mut dyn FnMut(usize)) {
        self.row(contact).for_each(|(column, _)| visit(column));
    }

    fn each_block(&self, visit: &mut dyn FnMut(usize, usize, &Matrix3<f64>)) {
        for row in 0..self.diagonal.len() {
            self.row(row).for_each(|(column, block)| visit(row, column, block));
        }
    }

    fn compensated_velocities(
        &self,
        impulses: &[Vector3<f64>],
        free_velocity: &[Vector3<f64>],
    ) -> Vec<Vector3<f64>> {
        let mut sums = start_sums(free_velocity);
        for (contact, sums) in sums.iter_mut().enumerate() {
            for (column, block) in self.row(contact) {
                for k in (0..3).filter(|&k| impulses[column][k] != 0.0) {
                    for (row, sum) in sums.iter_mut().enumerate() {
                        sum.add_product(block[(row, k)], impulses[column][k]);
                    }
                }
            }
        }
        values(&sums)
    }
}

/// `W = J M⁻¹ Jᵀ` without forming it: for each contact, the columns of `J` and `J M⁻¹` that are not zero.
///
/// A product for all contacts costs `O(nnz(J))`; a block-sparse operator costs the number of pairs of contacts
/// that share a body. This operator is therefore cheaper when many contacts act on one body.
///
/// # Example
///
/// ```
/// use nalgebra::{dmatrix, vector};
/// use percussion_complementarity::friction::{Delassus, MatrixFree};
///
/// // A point mass of 2 kg on the floor.
/// let jacobian = dmatrix![0.0, 0.0, 1.0; 1.0, 0.0, 0.0; 0.0, 1.0, 0.0];
/// let inverse_mass = 0.5 * nalgebra::DMatrix::identity(3, 3);
/// let delassus = MatrixFree::new(&jacobian, &inverse_mass)?;
/// let mut velocities = Vec::new();
/// delassus.begin(&[vector![4.0, 1.0, 0.0]], &mut velocities);
/// assert_eq!(velocities, [0.5, 0.0, 2.0]);
/// assert_eq!(delassus.velocity(0, &[], &velocities), vector![2.0, 0.5, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixFree {
    velocities: usize,
    /// The start of each contact's entries, and the end of the last.
    starts: Vec<usize>,
    entries: Vec<Entry>,
    /// For every velocity, the contacts that it moves.
    moved: Vec<Vec<usize>>,
}

/// The coupling of one velocity and one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    velocity: usize,
    /// Column of `J`.
    jacobian: Vector3<f64>,
    /// Column of `J M⁻¹`.
    response: Vector3<f64>,
}

impl MatrixFree {
    /// Creates the operator from the contact Jacobian `J` (`3n × n_v`) and the symmetric inverse mass matrix
    /// (`n_v × n_v`).
    ///
    /// # Errors
    ///
    /// [`ProblemError::JacobianShape`] and [`ProblemError::JacobianEntry`].
    pub fn new(jacobian: &DMatrix<f64>, inverse_mass: &DMatrix<f64>) -> Result<Self, ProblemError> {
        let (rows, velocities) = jacobian.shape();
        if rows % 3 != 0 || inverse_mass.shape() != (velocities, velocities) {
            return Err(ProblemError::JacobianShape {
                jacobian: jacobian.shape(),
                inverse_mass: inverse_mass.shape(),
            });
        }
        let response = jacobian * inverse_mass;
        let mut free = Self {
            velocities,
            starts: vec![0],
            entries: Vec::new(),
            moved: vec![Vec::new(); velocities],
        };
        for contact in 0..rows / 3 {
            for velocity in 0..velocities {
                let column = |matrix: &DMatrix<f64>| -> Vector3<f64> {
                    matrix.fixed_view::<3, 1>(3 * contact, velocity).into()
                };
                let entry =
                    Entry { velocity, jacobian: column(jacobian), response: column(&response) };
                for (k, &value) in entry.jacobian.iter().chain(&entry.response).enumerate() {
                    if !value.is_finite() {
                        let row = 3 * contact + k % 3;
                        return Err(ProblemError::JacobianEntry { row, column: velocity, value });
                    }
                }
                if entry.jacobian != Vector3::zeros() || entry.response != Vector3::zeros() {
                    free.entries.push(entry);
                    free.moved[velocity].push(contact);
                }
            }
            free.starts.push(free.entries.len());
        }
        Ok(free)
    }

    fn row(&self, contact: usize) -> &[Entry] {
        &self.entries[self.starts[contact]..self.starts[contact + 1]]
    }
}

impl Delassus for MatrixFree {
    fn contact_count(&self) -> usize {
        self.starts.len() - 1
    }

    fn diagonal(&self, contact: usize) -> Matrix3<f64> {
        self.row(contact).iter().map(|entry| entry.jacobian * entry.response.transpose()).sum()
    }

    fn velocity(&self, contact: usize, _impulses: &[Vector3<f64>], memory: &[f64]) -> Vector3<f64> {
        self.row(contact).iter().map(|entry| entry.jacobian * memory[entry.velocity]).sum()
    }

    fn neighbors(&self, contact: usize, visit: &mut dyn FnMut(usize)) {
        for entry in self.row(contact) {
            self.moved[entry.velocity].iter().copied().for_each(&mut *visit);
        }
    }

    fn begin(&self, impulses: &[Vector3<f64>], memory: &mut Vec<f64>) {
        memory.clear();
        memory.resize(self.velocities, 0.0);
        for (contact, impulse) in impulses.iter().enumerate() {
            self.update(contact, impulse, memory);
        }
    }

    fn update(&self, contact: usize, change: &Vector3<f64>, memory: &mut [f64]) {
        for entry in self.row(contact) {
            memory[entry.velocity] += entry.response.dot(change);
        }
    }

    /// The velocities of the bodies are kept as unrounded sums between the two factors of `W`.
    fn compensated_velocities(
        &self,
        impulses: &[Vector3<f64>],
        free_velocity: &[Vector3<f64>],
    ) -> Vec<Vector3<f64>> {
        let mut moved = vec![Sum::default(); self.velocities];
        for (contact, impulse) in impulses.iter().enumerate() {
            for entry in self.row(contact) {
                for (&response, &impulse) in entry.response.iter().zip(impulse) {
                    moved[entry.velocity].add_product(response, impulse);
                }
            }
        }
        let mut sums = start_sums(free_velocity);
        for (contact, sums) in sums.iter_mut().enumerate() {
            for entry in self.row(contact) {
                for (sum, &factor) in sums.iter_mut().zip(&entry.jacobian) {
                    sum.add_scaled(&moved[entry.velocity], factor);
                }
            }
        }
        values(&sums)
    }
}
