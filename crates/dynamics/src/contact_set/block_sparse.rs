//! A symmetric matrix of small blocks, stored by rows: [`BlockSparse`].
//!
//! Row `i` of blocks has the columns `columns[starts[i]..starts[i + 1]]`, ascending, each with a dense block stored
//! by rows. Both triangles and all diagonal blocks are stored.
//!
//! # Source
//!
//! Y. Saad, *Iterative Methods for Sparse Linear Systems*, 2nd ed., SIAM 2003, section 3.4 (compressed
//! rows, of blocks).

use nalgebra::DMatrix;

use super::{ContactSetError, check_length, reshape};

/// A Delassus operator that stores the blocks of coupled contacts only.
///
/// It is filled and resized by [`ContactSet::block_sparse_delassus`](super::ContactSet::block_sparse_delassus),
/// which reuses its memory.
///
/// # Example
///
/// Two balls of 2 kg on the floor are not coupled: each contact has its diagonal block only, with `1/m` along the
/// normal and `7/(2 m)` along the tangents.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::{Body, ContactFrame, ContactSet, FreeBodies, MassProperties};
/// use percussion_dynamics::{BlockSparse, Contact};
///
/// let ball = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.5)?);
/// let system = FreeBodies::new(vec![ball.clone(), ball], Vector3::zeros())?;
/// let coordinates = [
///     0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, //
///     3.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0,
/// ];
/// let up = ContactFrame::from_normal(&Vector3::z(), &Vector3::x())?;
/// let mut contacts = ContactSet::for_system(&system);
/// for (ball, x) in [(0, 0.0), (1, 3.0)] {
///     let point = Vector3::new(x, 0.0, 0.0);
///     contacts.push(&system, &coordinates, &Contact::new([Some(ball), None], [point; 2], up))?;
/// }
///
/// let mut delassus = BlockSparse::default();
/// contacts.divide_by_mass(&system, &coordinates)?;
/// contacts.block_sparse_delassus(&mut delassus)?;
/// assert_eq!(delassus.columns(1), [1]);
/// assert_eq!(delassus.block(1, 0), None);
/// let block = delassus.block(1, 1).unwrap_or_default();
/// assert!((block[0] - 0.5).abs() < 1e-15 && (block[4] - 1.75).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockSparse {
    component_count: usize,
    /// The start of each row, and the end of the last.
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl BlockSparse {
    /// Number of contacts, which is also the number of block rows.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of rows of one block: 2 in the plane, 3 in space.
    #[must_use]
    pub fn component_count(&self) -> usize {
        self.component_count
    }

    /// Number of stored blocks.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.columns.len()
    }

    /// The contacts with which contact `row` has a block, ascending, including itself. Panics if there is no such
    /// contact.
    #[must_use]
    pub fn columns(&self, row: usize) -> &[usize] {
        &self.columns[self.starts[row]..self.starts[row + 1]]
    }

    /// The stored blocks of contact `row` with their columns, ascending; entries by rows (kg⁻¹). Panics if
    /// there is no such contact.
    pub fn blocks(&self, row: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let area = self.component_count * self.component_count;
        let values = &self.values[area * self.starts[row]..area * self.starts[row + 1]];
        // An empty matrix has no rows and so no chunks of length zero.
        self.columns(row).iter().copied().zip(values.chunks_exact(area.max(1)))
    }

    /// The entries of a block by rows (kg⁻¹), or `None` if it is zero or there is no such contact.
    #[must_use]
    pub fn block(&self, row: usize, column: usize) -> Option<&[f64]> {
        let area = self.component_count * self.component_count;
        let position = self.position(row, column)?;
        Some(&self.values[area * position..area * (position + 1)])
    }

    /// Writes `u = W p`, the change of the contact velocity (m/s) caused by the impulses `p` (N·s).
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Length`].
    pub fn multiply(&self, impulse: &[f64], velocity: &mut [f64]) -> Result<(), ContactSetError> {
        let n = self.component_count;
        check_length("impulse", impulse.len(), n * self.contact_count())?;
        check_length("velocity", velocity.len(), n * self.contact_count())?;
        for (row, velocity) in velocity.chunks_exact_mut(n.max(1)).enumerate() {
            velocity.fill(0.0);
            for (column, block) in self.blocks(row) {
                let impulse = &impulse[n * column..n * (column + 1)];
                for (sum, entries) in velocity.iter_mut().zip(block.chunks_exact(n)) {
                    *sum += super::dot(entries, impulse);
                }
            }
        }
        Ok(())
    }

    /// Resizes `matrix` and writes the whole operator to it (kg⁻¹).
    pub fn to_dense(&self, matrix: &mut DMatrix<f64>) {
        let n = self.component_count;
        let size = n * self.contact_count();
        reshape(matrix, size, size);
        matrix.fill(0.0);
        for row in 0..self.contact_count() {
            for (column, block) in self.blocks(row) {
                for (k, value) in block.iter().enumerate() {
                    matrix[(n * row + k / n, n * column + k % n)] = *value;
                }
            }
        }
    }

    /// The position of a block in the storage.
    fn position(&self, row: usize, column: usize) -> Option<usize> {
        let range = *self.starts.get(row)?..*self.starts.get(row + 1)?;
        let (start, columns) = (range.start, &self.columns[range]);
        // A full row has each column in its place.
        let is_full = columns.get(column) == Some(&column);
        let place = if is_full { column } else { columns.binary_search(&column).ok()? };
        Some(start + place)
    }

    /// Removes all rows; blocks will be `component_count` wide.
    pub(super) fn clear(&mut self, component_count: usize) {
        self.component_count = component_count;
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.values.clear();
    }

    /// Starts the next row with its diagonal block.
    pub(super) fn start_row(&mut self, diagonal: usize) {
        self.columns.push(diagonal);
    }

    /// Adds columns to the current row, in any order and with repetitions.
    pub(super) fn extend_row(&mut self, columns: impl Iterator<Item = usize>) {
        self.columns.extend(columns);
    }

    /// Sorts the columns of the row and removes duplicates.
    pub(super) fn finish_row(&mut self) {
        let start = self.starts.last().copied().unwrap_or(0);
        self.columns[start..].sort_unstable();
        let mut end = start;
        for k in start..self.columns.len() {
            if end == start || self.columns[end - 1] != self.columns[k] {
                self.columns[end] = self.columns[k];
                end += 1;
            }
        }
        self.columns.truncate(end);
        self.starts.push(end);
    }

    /// Sets all blocks to zero, after the last row.
    pub(super) fn fill_zeros(&mut self) {
        self.values.clear();
        self.values.resize(self.columns.len() * self.component_count * self.component_count, 0.0);
    }

    /// Adds to a block of the pattern.
    pub(super) fn add<const C: usize>(&mut self, row: usize, column: usize, block: &[[f64; C]; C]) {
        let Some(position) = self.position(row, column) else {
            debug_assert!(false, "block ({row}, {column}) belongs to the pattern");
            return;
        };
        let values = &mut self.values[C * C * position..C * C * (position + 1)];
        for (value, added) in values.iter_mut().zip(block.as_flattened()) {
            *value += added;
        }
    }

    /// The addresses of the memory of this matrix.
    #[cfg(test)]
    pub(super) fn place(&self) -> [*const u8; 3] {
        [self.starts.as_ptr().cast(), self.columns.as_ptr().cast(), self.values.as_ptr().cast()]
    }
}
