//! The Delassus operator of a [`ContactSet`], dense and block-sparse.

use std::array;

use nalgebra::DMatrix;

use super::{BlockSparse, Columns, ContactSet, Error, Part, reshape};
use crate::{
    articulated::Kinematics,
    system::{Dimension, System},
};

/// One block of `W`, by rows.
type Block<const C: usize> = [[f64; C]; C];

impl ContactSet {
    /// Computes `M⁻¹ Jᵀ` for all contacts, with one factorization of the mass matrix at `coordinates`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`].
    pub fn divide_by_mass(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
    ) -> Result<(), Error> {
        self.check_coordinates(coordinates)?;
        self.fill_columns();
        system.apply_inverse_mass(coordinates, &mut self.columns);
        self.state = Columns::Divided;
        Ok(())
    }

    /// Computes `D^(−1/2) L⁻ᵀ Jᵀ` for all contacts, with the factors `M = Lᵀ D L` at the position of
    /// `kinematics`: half the work of [`divide_by_mass`](Self::divide_by_mass).
    ///
    /// # Errors
    ///
    /// [`Error::Kinematics`].
    pub fn whiten(&mut self, kinematics: &mut Kinematics) -> Result<(), Error> {
        self.fill_columns();
        kinematics.whiten(&mut self.columns)?;
        self.state = Columns::Whitened;
        Ok(())
    }

    /// Writes the dense Delassus operator `W` (kg⁻¹) and sizes it.
    ///
    /// # Errors
    ///
    /// [`Error::NoMass`].
    pub fn delassus(&self, delassus: &mut DMatrix<f64>) -> Result<(), Error> {
        match self.dimension {
            Dimension::Plane => self.dense::<2>(delassus),
            Dimension::Space => self.dense::<3>(delassus),
        }
    }

    /// Writes the Delassus operator `W` (kg⁻¹) by blocks, those of contacts that share a tree, and sizes
    /// it.
    ///
    /// # Errors
    ///
    /// [`Error::NoMass`].
    pub fn block_sparse_delassus(&self, delassus: &mut BlockSparse) -> Result<(), Error> {
        match self.dimension {
            Dimension::Plane => self.sparse::<2>(delassus),
            Dimension::Space => self.sparse::<3>(delassus),
        }
    }

    /// Stacks the rows of all parts, transposed, into the columns of their slots.
    fn fill_columns(&mut self) {
        self.state = Columns::Nothing;
        self.index_members();
        let rows = self.component_count();
        let busiest = self.counts.iter().copied().max().unwrap_or(0);
        reshape(&mut self.columns, self.velocity_count, rows * busiest);
        self.columns.fill(0.0);
        for part in &self.parts {
            let velocities = self.trees[part.tree].clone();
            let rows_of_part = self.rows[part.start..].chunks_exact(velocities.len());
            for (k, row) in rows_of_part.take(rows).enumerate() {
                let start = self.velocity_count * (rows * part.slot + k) + velocities.start;
                self.columns.as_mut_slice()[start..start + row.len()].copy_from_slice(row);
            }
        }
    }

    /// Lists the parts by tree, those of one tree by slot and so by contact.
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

    /// The parts of a tree from a slot on.
    fn members(&self, tree: usize, first: usize) -> impl Iterator<Item = &Part> {
        let members = &self.members[self.starts[tree] + first..self.starts[tree + 1]];
        members.iter().map(|&index| &self.parts[index])
    }

    fn dense<const C: usize>(&self, delassus: &mut DMatrix<f64>) -> Result<(), Error> {
        self.check_mass()?;
        reshape(delassus, self.size(), self.size());
        delassus.fill(0.0);
        self.each_block::<C>(|a, b, block| {
            for (r, row) in block.iter().enumerate() {
                for (s, value) in row.iter().enumerate() {
                    delassus[(C * a + r, C * b + s)] += value;
                    if a != b {
                        delassus[(C * b + s, C * a + r)] += value;
                    }
                }
            }
        });
        Ok(())
    }

    fn sparse<const C: usize>(&self, delassus: &mut BlockSparse) -> Result<(), Error> {
        self.check_mass()?;
        delassus.clear(C);
        let mut parts = self.parts.iter().peekable();
        for contact in 0..self.len() {
            delassus.start_row(contact);
            while let Some(part) = parts.next_if(|part| part.contact == contact) {
                delassus.extend_row(self.members(part.tree, 0).map(|other| other.contact));
            }
            delassus.finish_row();
        }
        delassus.fill_zeros();
        self.each_block::<C>(|a, b, block| {
            delassus.add(a, b, block);
            if a != b {
                delassus.add(b, a, &transpose(block));
            }
        });
        Ok(())
    }

    /// Calls `use_block(a, b, block)` with the contribution of each tree to each block `W_ab`, `a ≤ b`.
    fn each_block<const C: usize>(&self, mut use_block: impl FnMut(usize, usize, &Block<C>)) {
        for a in &self.parts {
            for b in self.members(a.tree, a.slot) {
                use_block(a.contact, b.contact, &self.block(a, b));
            }
        }
    }

    fn check_mass(&self) -> Result<(), Error> {
        if self.state == Columns::Nothing { Err(Error::NoMass) } else { Ok(()) }
    }

    /// The contribution of their common tree to the block of two parts.
    fn block<const C: usize>(&self, a: &Part, b: &Part) -> Block<C> {
        let width = self.trees[a.tree].len();
        let right: [&[f64]; C] = self.columns_of(b, width);
        let left: [&[f64]; C] = match self.state {
            Columns::Whitened => self.columns_of(a, width),
            _ => array::from_fn(|r| &self.rows[a.start + r * width..][..width]),
        };
        let mut block = [[0.0; C]; C];
        for k in 0..width {
            for (row, left) in block.iter_mut().zip(left) {
                for (entry, right) in row.iter_mut().zip(right) {
                    *entry += left[k] * right[k];
                }
            }
        }
        if a.contact == b.contact {
            // The two triangles of `J M⁻¹ Jᵀ` differ by rounding.
            block = array::from_fn(|r| array::from_fn(|s| block[r.min(s)][r.max(s)]));
        }
        block
    }

    fn columns_of<const C: usize>(&self, part: &Part, width: usize) -> [&[f64]; C] {
        let first = self.trees[part.tree].start + self.velocity_count * C * part.slot;
        let columns = self.columns.as_slice();
        array::from_fn(|r| &columns[first + self.velocity_count * r..][..width])
    }
}

fn transpose<const C: usize>(block: &Block<C>) -> Block<C> {
    array::from_fn(|r| array::from_fn(|s| block[s][r]))
}
