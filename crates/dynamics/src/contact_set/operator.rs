//! The Delassus operator of a [`ContactSet`], dense and block-sparse.

use std::{array, mem, ops::Range};

use nalgebra::{DMatrix, Matrix3};

use super::{BlockSparse, Columns, ContactSet, ContactSetError, Part, reshape};
use crate::{
    AddedMass,
    articulated::Kinematics,
    system::{Dimension, System},
};

/// One block of `W`, by rows.
type Block<const C: usize> = [[f64; C]; C];

impl ContactSet {
    /// Divides the rows of all contacts by the mass matrix at `coordinates`, with one factorization: `D^(−1/2) L⁻ᵀ Jᵀ` if the
    /// system [whitens](System::whiten), otherwise `M⁻¹ Jᵀ`.
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Length`].
    pub fn divide_by_mass(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
    ) -> Result<(), ContactSetError> {
        self.divide_by_sum(system, coordinates, None)
    }

    /// Divides the rows of all contacts by the sum of the mass matrix at `coordinates` and a matrix as in
    /// [`System::apply_inverse_sum`], as [`divide_by_mass`](Self::divide_by_mass) does for the former.
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Length`].
    pub fn divide_by_sum(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        added: Option<&AddedMass>,
    ) -> Result<(), ContactSetError> {
        self.check_coordinates(coordinates)?;
        self.fill_columns();
        self.state = if system.whiten(coordinates, added, &mut self.columns) {
            Columns::Whitened
        } else {
            match added {
                Some(added) => system.apply_inverse_sum(coordinates, added, &mut self.columns),
                None => system.apply_inverse_mass(coordinates, &mut self.columns),
            }
            Columns::Divided
        };
        self.find_runs();
        Ok(())
    }

    /// Computes `D^(−1/2) L⁻ᵀ Jᵀ` for all contacts, with the factors `M = Lᵀ D L` at the position of
    /// `kinematics`, as [`divide_by_mass`](Self::divide_by_mass) does for a system that whitens.
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Kinematics`].
    pub fn whiten(&mut self, kinematics: &mut Kinematics) -> Result<(), ContactSetError> {
        self.fill_columns();
        kinematics.whiten(&mut self.columns)?;
        self.state = Columns::Whitened;
        self.find_runs();
        Ok(())
    }

    /// Resizes `delassus` and writes the dense Delassus operator `W` to it (kg⁻¹).
    ///
    /// # Errors
    ///
    /// [`ContactSetError::NoMass`].
    pub fn delassus(&self, delassus: &mut DMatrix<f64>) -> Result<(), ContactSetError> {
        match self.dimension {
            Dimension::Plane => self.dense::<2>(delassus),
            Dimension::Space => self.dense::<3>(delassus),
        }
    }

    /// Resizes `delassus` and writes the Delassus operator `W` (kg⁻¹) to it, with the blocks of contacts that share
    /// a tree.
    ///
    /// # Errors
    ///
    /// [`ContactSetError::NoMass`].
    pub fn block_sparse_delassus(&self, delassus: &mut BlockSparse) -> Result<(), ContactSetError> {
        match self.dimension {
            Dimension::Plane => self.sparse::<2>(delassus),
            Dimension::Space => self.sparse::<3>(delassus),
        }
    }

    /// The blocks `W_ii` of all contacts (kg⁻¹), with zeros up to three components.
    ///
    /// # Errors
    ///
    /// [`ContactSetError::NoMass`].
    pub fn diagonal_blocks(&self) -> Result<Vec<Matrix3<f64>>, ContactSetError> {
        match self.dimension {
            Dimension::Plane => self.diagonal::<2>(),
            Dimension::Space => self.diagonal::<3>(),
        }
    }

    fn diagonal<const C: usize>(&self) -> Result<Vec<Matrix3<f64>>, ContactSetError> {
        self.check_mass()?;
        let mut blocks = vec![Matrix3::zeros(); self.len()];
        // The first of the members from a part on is the part itself.
        self.each_block::<C>(1, |contact, _, block| {
            for (r, row) in block.iter().enumerate() {
                for (s, entry) in row.iter().enumerate() {
                    blocks[contact][(r, s)] += entry;
                }
            }
        });
        Ok(blocks)
    }

    /// Stacks the rows of all parts, transposed, into the columns of their slots.
    fn fill_columns(&mut self) {
        self.state = Columns::Nothing;
        self.index_members();
        let rows = self.component_count();
        let busiest = self.counts.iter().copied().max().unwrap_or(0);
        reshape(&mut self.columns, self.velocity_count, rows * busiest);
        let columns = self.columns.as_mut_slice();
        if self.trees.len() == 1 && columns.len() == self.rows.len() {
            // Nothing to stack.
            columns.copy_from_slice(&self.rows);
            return;
        }
        columns.fill(0.0);
        for part in &self.parts {
            let velocities = &self.trees[part.tree];
            for k in 0..rows {
                let start = self.velocity_count * (rows * part.slot + k) + velocities.start;
                let row = &self.rows[part.start + k * velocities.len()..][..velocities.len()];
                columns[start..start + row.len()].copy_from_slice(row);
            }
        }
    }

    /// Sorts the parts by tree, and within a tree by slot, which is the order of the contacts.
    fn index_members(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        self.starts.extend(self.counts.iter().map(|count| {
            end += count;
            end
        }));
        self.members.resize(end, 0);
        for (index, part) in self.parts.iter().enumerate() {
            self.members[self.starts[part.tree] + part.slot] = index;
        }
    }

    /// The parts of a tree, starting with a slot.
    fn members(&self, tree: usize, first: usize) -> &[usize] {
        &self.members[self.starts[tree] + first..self.starts[tree + 1]]
    }

    fn dense<const C: usize>(&self, delassus: &mut DMatrix<f64>) -> Result<(), ContactSetError> {
        self.check_mass()?;
        let size = self.size();
        reshape(delassus, size, size);
        let entries = delassus.as_mut_slice();
        entries.fill(0.0);
        self.each_block::<C>(usize::MAX, |a, b, block| add_block(entries, size, a, b, block));
        for j in 1..size {
            let (before, column) = entries.split_at_mut(size * j);
            for (i, entry) in column[..j].iter().enumerate() {
                before[size * i + j] = *entry;
            }
        }
        Ok(())
    }

    fn sparse<const C: usize>(&self, delassus: &mut BlockSparse) -> Result<(), ContactSetError> {
        self.check_mass()?;
        delassus.clear(C);
        let mut parts = self.parts.iter().peekable();
        for contact in 0..self.len() {
            delassus.start_row(contact);
            while let Some(part) = parts.next_if(|part| part.contact == contact) {
                let others = self.members(part.tree, 0).iter();
                delassus.extend_row(others.map(|&other| self.parts[other].contact));
            }
            delassus.finish_row();
        }
        delassus.fill_zeros();
        self.each_block::<C>(usize::MAX, |a, b, block| {
            delassus.add(a, b, block);
            if a != b {
                delassus.add(b, a, &transpose(block));
            }
        });
        Ok(())
    }

    /// Calls `use_block(a, b, block)` with the contribution of each tree to each block `W_ab`, `a ≤ b`, for up to `most` contacts `b`
    /// of the tree.
    fn each_block<const C: usize>(
        &self,
        most: usize,
        mut use_block: impl FnMut(usize, usize, &Block<C>),
    ) {
        let mut first_run = 0;
        for (part, &(end_run, has_tangents)) in self.parts.iter().zip(&self.run_ends) {
            let runs = &self.runs[first_run..end_run];
            first_run = end_run;
            let left: [&[f64]; C] = array::from_fn(|r| self.left_row(part, r));
            for &number in self.members(part.tree, part.slot).iter().take(most) {
                let other = &self.parts[number];
                let right: [&[f64]; C] = array::from_fn(|r| self.column(other, r));
                // Limits have no tangents: one product in place of nine.
                let mut block = match (has_tangents, self.run_ends[number].1) {
                    (true, true) => products::<C, C, C>(left, right, runs),
                    (true, false) => products::<C, C, 1>(left, right, runs),
                    (false, true) => products::<C, 1, C>(left, right, runs),
                    (false, false) => products::<C, 1, 1>(left, right, runs),
                };
                if part.contact == other.contact {
                    // The two triangles of `J M⁻¹ Jᵀ` differ by rounding.
                    block = array::from_fn(|r| array::from_fn(|s| block[r.min(s)][r.max(s)]));
                }
                use_block(part.contact, other.contact, &block);
            }
        }
    }

    fn check_mass(&self) -> Result<(), ContactSetError> {
        if self.state == Columns::Nothing { Err(ContactSetError::NoMass) } else { Ok(()) }
    }

    /// Finds the runs of velocities where a left row of a part is not zero. In a tree with many branches these are
    /// little more than the velocities that move the contact. Also finds the parts with tangents.
    fn find_runs(&mut self) {
        let mut runs = mem::take(&mut self.runs);
        runs.clear();
        self.run_ends.clear();
        for part in &self.parts {
            // Normal, tangent 1 and the last tangent.
            let rows = [0, 1, self.component_count() - 1].map(|r| self.left_row(part, r));
            let width = self.trees[part.tree].len();
            let mut begin = None;
            for k in 0..width {
                if rows.iter().any(|row| row[k] != 0.0) {
                    begin = begin.or(Some(k));
                } else {
                    runs.extend(begin.take().map(|begin| begin..k));
                }
            }
            runs.extend(begin.map(|begin| begin..width));
            let has_tangents = rows[1..].iter().any(|row| row.iter().any(|entry| *entry != 0.0));
            self.run_ends.push((runs.len(), has_tangents));
        }
        self.runs = runs;
    }

    /// Row `r` of the left factor of a part: of `J`, or of the transpose of `Z`.
    #[inline]
    fn left_row(&self, part: &Part, r: usize) -> &[f64] {
        let width = self.trees[part.tree].len();
        match self.state {
            Columns::Whitened => self.column(part, r),
            _ => &self.rows[part.start + r * width..][..width],
        }
    }

    /// Column `r` of a part of `Z`.
    #[inline]
    fn column(&self, part: &Part, r: usize) -> &[f64] {
        let velocities = &self.trees[part.tree];
        let column = self.component_count() * part.slot + r;
        let first = self.velocity_count * column + velocities.start;
        &self.columns.as_slice()[first..first + velocities.len()]
    }
}

/// The products of the first `A` left rows with the first `B` right ones over the runs, in a block with zeros for the other rows.
#[inline]
fn products<const C: usize, const A: usize, const B: usize>(
    left: [&[f64]; C],
    right: [&[f64]; C],
    runs: &[Range<usize>],
) -> Block<C> {
    let mut sums = [[0.0; B]; A];
    for run in runs {
        // Slices of equal length avoid a bounds check for every factor.
        let (start, length) = (run.start, run.len());
        let left: [&[f64]; A] = array::from_fn(|r| &left[r][start..][..length]);
        let right: [&[f64]; B] = array::from_fn(|s| &right[s][start..][..length]);
        for k in 0..length {
            for (row, left) in sums.iter_mut().zip(left) {
                for (entry, right) in row.iter_mut().zip(right) {
                    *entry += left[k] * right[k];
                }
            }
        }
    }
    array::from_fn(|r| {
        array::from_fn(|s| sums.get(r).and_then(|row| row.get(s)).copied().unwrap_or(0.0))
    })
}

/// Adds to block `(a, b)` of a matrix with `size` rows, stored by columns.
#[inline]
fn add_block<const C: usize>(
    entries: &mut [f64],
    size: usize,
    a: usize,
    b: usize,
    block: &Block<C>,
) {
    for s in 0..C {
        let start = size * (C * b + s) + C * a;
        for (entry, row) in entries[start..start + C].iter_mut().zip(block) {
            *entry += row[s];
        }
    }
}

fn transpose<const C: usize>(block: &Block<C>) -> Block<C> {
    array::from_fn(|r| array::from_fn(|s| block[s][r]))
}
