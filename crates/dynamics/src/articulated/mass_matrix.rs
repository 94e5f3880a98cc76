//! The mass matrix by the composite-rigid-body algorithm, and its sparse factors.
//!
//! If only velocity `k` changes, at unit rate, everything that it carries accelerates as one rigid body, with the
//! composite inertia `I_k^c` (the sum over the carried links) and the unit motion `S_k`. The required force is
//! transmitted unchanged through every joint on the path to the world. So, with `j` on that path,
//!
//! ```math
//! M_{jk} = M_{kj} = S_j \cdot I_k^c S_k ,
//! ```
//!
//! and `M_jk = 0` when neither velocity carries the other. The armature of a joint, the inertia that only its own motion
//! has, is added to `M_kk`. Elimination from the last velocity to the first keeps
//! these zeros, `M = Lᵀ D L` with unit lower triangular `L`, and takes `O(n d²)` operations for the depth `d`. The
//! pivots `D` are the articulated inertias of the joints, positive exactly when `M` is positive definite.
//!
//! # Source
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, section 6.2 (composite rigid
//! bodies) and section 6.5 (factorization that uses branches).

use std::ops::Range;

use nalgebra::DMatrix;

use super::{
    geometry::{Geometry, Spatial},
    tree::{LANES, Scratch, Tree, VelocityNode},
};
use crate::AddedMass;

impl<G: Geometry> Tree<G> {
    /// Sums the inertias that each link carries within its group, including its own.
    #[inline(always)]
    pub(super) fn compose(&self, scratch: &mut Scratch<G>) {
        self.weigh(scratch);
        let Scratch { composites, inertias, current, .. } = scratch;
        for (group, current) in self.groups.iter().zip(current) {
            if current.composites {
                continue;
            }
            let links = group.links.clone();
            composites[links.clone()].copy_from_slice(&inertias[links.clone()]);
            for i in links.clone().rev() {
                if let Some(parent) = self.branches[i].parent
                    && links.contains(&parent)
                {
                    let carried = composites[i];
                    composites[parent] += carried;
                }
            }
            current.composites = true;
        }
    }

    /// Writes all entries of the mass matrix.
    pub(super) fn mass_matrix(&self, scratch: &mut Scratch<G>, mass_matrix: &mut DMatrix<f64>) {
        mass_matrix.fill(0.0);
        self.compose(scratch);
        for k in 0..self.velocity_count() {
            let force = self.carried(scratch, k);
            for &j in self.way(k) {
                let entry = self.entry(scratch, (k, j), &force);
                mass_matrix[(j, k)] = entry;
                mass_matrix[(k, j)] = entry;
            }
        }
    }

    /// The momentum of what velocity `k` carries at unit rate, after [`compose`](Self::compose).
    #[inline(always)]
    fn carried(&self, scratch: &Scratch<G>, k: usize) -> Spatial<G> {
        scratch.composites[self.velocities[k].link].momentum(&scratch.columns[k])
    }

    /// `M_kj` of a velocity `j` on the way to `k`, with what that [carries](Self::carried).
    #[inline(always)]
    fn entry(&self, scratch: &Scratch<G>, (k, j): (usize, usize), carried: &Spatial<G>) -> f64 {
        let own = if j == k { self.velocities[k].armature } else { 0.0 };
        scratch.columns[j].dot(carried) + own
    }

    /// Whether what is added to the mass matrix has its size and keeps its zeros.
    fn keeps_zeros(&self, added: Option<&AddedMass>) -> bool {
        let Some(matrix) = added.map(AddedMass::matrix) else { return true };
        let n = self.velocity_count();
        let is_on_way = |k: usize, j: usize| self.way(k).contains(&j);
        let mut rows = matrix.as_slice().chunks_exact(n.max(1)).enumerate();
        matrix.shape() == (n, n)
            && rows.all(|(k, row)| {
                let mut entries = row[..k].iter().enumerate();
                entries.all(|(j, entry)| *entry == 0.0 || is_on_way(k, j))
            })
    }

    /// [`factor`](Self::factor), unless `added` does not [keep the zeros](Self::keeps_zeros): then `false`.
    #[inline(always)]
    pub(super) fn factor_sum(&self, scratch: &mut Scratch<G>, added: Option<&AddedMass>) -> bool {
        let is_known = scratch.added == number_of(added);
        let can = is_known || self.keeps_zeros(added);
        if can {
            self.factor(scratch, added);
        }
        can
    }

    /// The factors `L` (below the diagonal) and `D` (on it) of the sum of the mass matrix and what is `added`, which [keeps its
    /// zeros](Self::keeps_zeros), of the groups that are elsewhere than before.
    #[inline(always)]
    pub(super) fn factor(&self, scratch: &mut Scratch<G>, added: Option<&AddedMass>) {
        if scratch.added != number_of(added) {
            scratch.added = number_of(added);
            scratch.current.iter_mut().for_each(|current| current.factor = false);
        }
        if scratch.current.iter().all(|current| current.factor) {
            return;
        }
        self.compose(scratch);
        for (number, group) in self.groups.iter().enumerate() {
            if !scratch.current[number].factor {
                self.factor_group(scratch, group.velocities.clone(), added);
                scratch.current[number].factor = true;
            }
        }
    }

    /// The factors of the rows of a group.
    #[inline(always)]
    fn factor_group(
        &self,
        scratch: &mut Scratch<G>,
        velocities: Range<usize>,
        added: Option<&AddedMass>,
    ) {
        let n = self.velocity_count();
        let added = added.map(|added| added.matrix().as_slice());
        for k in velocities.clone() {
            let force = self.carried(scratch, k);
            for (at, &j) in self.row(k).zip(self.way(k)) {
                let more = added.map_or(0.0, |added| added[n * k + j]);
                scratch.factor[at] = self.entry(scratch, (k, j), &force) + more;
            }
        }
        for k in velocities.rev() {
            let own = self.row(k);
            let (above, row) = scratch.factor.split_at_mut(own.start);
            let row = &mut row[..own.len()];
            let pivot = row[own.len() - 1];
            // What comes before a velocity on the way is the way to it.
            for (before, &i) in self.way(k).iter().enumerate().rev().skip(1) {
                let multiplier = row[before] / pivot;
                let entries = above[self.row(i)].iter_mut().zip(&*row);
                entries.for_each(|(entry, other)| *entry -= multiplier * other);
                row[before] = multiplier;
            }
            scratch.inverse_roots[k] = 1.0 / pivot.sqrt();
        }
    }

    /// The pivot of velocity `k` relative to the magnitudes of the terms whose sum is its entry of the mass matrix;
    /// at most one, and negative if the mass matrix is not positive definite.
    ///
    /// The entry itself is not a suitable reference: for a thin rod about its own axis it is the rounding of terms
    /// that cancel, and the pivot is not smaller than that.
    pub(super) fn relative_pivot(&self, scratch: &mut Scratch<G>, k: usize) -> f64 {
        self.factor(scratch, None);
        let VelocityNode { link, armature, .. } = self.velocities[k];
        let terms = scratch.composites[link].energy_terms(&scratch.columns[k]) + armature;
        scratch.factor[self.row(k).end - 1] / terms
    }

    /// Divides the columns by what was factorized last, several at once, since the way along the tree costs more than the
    /// products on it. Columns of zeros, such as the tangents of a limit, stay.
    #[inline(always)]
    pub(super) fn divide(&self, scratch: &mut Scratch<G>, columns: &mut [f64], part: Part) {
        let n = self.velocity_count().max(1);
        let (mut chosen, mut count) = ([0; LANES], 0);
        for first in (0..columns.len()).step_by(n) {
            if columns[first..first + n].iter().all(|entry| *entry == 0.0) {
                continue;
            }
            chosen[count] = first;
            count += 1;
            if count == LANES {
                self.divide_some::<LANES>(scratch, columns, &chosen, part);
                count = 0;
            }
        }
        match &chosen[..count] {
            [] => {}
            [first] => self.divide_some::<1>(scratch, columns, &[*first], part),
            some => self.divide_some::<LANES>(scratch, columns, some, part),
        }
    }

    /// Divides up to `C` columns, which begin at the entries `firsts`.
    #[inline(always)]
    fn divide_some<const C: usize>(
        &self,
        scratch: &mut Scratch<G>,
        columns: &mut [f64],
        firsts: &[usize],
        part: Part,
    ) {
        let n = self.velocity_count();
        let Scratch { factor, inverse_roots, lanes, .. } = scratch;
        let (lanes, _) = lanes.as_chunks_mut::<C>();
        let lanes = &mut lanes[..n];
        if firsts.len() < C {
            lanes.fill([0.0; C]);
        }
        for (c, &first) in firsts.iter().enumerate() {
            let column = &columns[first..first + n];
            lanes.iter_mut().zip(column).for_each(|(lane, entry)| lane[c] = *entry);
        }
        self.solve_transposed_factor(factor, lanes);
        for (lane, root) in lanes.iter_mut().zip(&*inverse_roots) {
            let scale = if part == Part::Inverse { root * root } else { *root };
            lane.iter_mut().for_each(|entry| *entry *= scale);
        }
        if part == Part::Inverse {
            self.solve_factor(factor, lanes);
        }
        for (c, &first) in firsts.iter().enumerate() {
            let column = &mut columns[first..first + n];
            column.iter_mut().zip(&*lanes).for_each(|(entry, lane)| *entry = lane[c]);
        }
    }

    /// `lanes ← L⁻¹ lanes`, with a column in each lane.
    #[inline(always)]
    fn solve_factor<const C: usize>(&self, factor: &[f64], lanes: &mut [[f64; C]]) {
        for k in 0..lanes.len() {
            let mut entry = lanes[k];
            for (&j, scale) in self.before(factor, k).rev() {
                subtract(&mut entry, *scale, &lanes[j]);
            }
            lanes[k] = entry;
        }
    }

    /// `lanes ← L⁻ᵀ lanes`, with a column in each lane.
    #[inline(always)]
    fn solve_transposed_factor<const C: usize>(&self, factor: &[f64], lanes: &mut [[f64; C]]) {
        for k in (0..lanes.len()).rev() {
            let entry = lanes[k];
            // Contact rows are zero for every velocity that does not move the contact.
            if entry.iter().all(|entry| *entry == 0.0) {
                continue;
            }
            for (&j, scale) in self.before(factor, k) {
                subtract(&mut lanes[j], *scale, &entry);
            }
        }
    }

    /// The velocities on the way to `k` before it, each with its entry of the row of `k` in `factor`.
    #[inline(always)]
    fn before<'a>(
        &'a self,
        factor: &'a [f64],
        k: usize,
    ) -> impl DoubleEndedIterator<Item = (&'a usize, &'a f64)> + ExactSizeIterator {
        let all = self.row(k);
        let before = all.start..all.end - 1;
        self.way(k)[..before.len()].iter().zip(&factor[before])
    }
}

/// What columns are divided by, where `Lᵀ D L` was factorized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `Lᵀ D L`.
    Inverse,
    /// `Lᵀ D^(1/2)`.
    Whitening,
}

/// The number of what is added, or 0.
fn number_of(added: Option<&AddedMass>) -> u64 {
    added.map_or(0, AddedMass::number)
}

/// `lane ← lane − scale other`.
#[inline(always)]
fn subtract<const C: usize>(lane: &mut [f64; C], scale: f64, other: &[f64; C]) {
    lane.iter_mut().zip(other).for_each(|(entry, other)| *entry -= scale * other);
}
