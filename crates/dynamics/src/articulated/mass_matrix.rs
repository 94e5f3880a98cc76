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

use nalgebra::DMatrix;

use super::{
    geometry::Geometry,
    tree::{Scratch, Tree, VelocityNode},
};

impl<G: Geometry> Tree<G> {
    /// Sums the inertias that each link carries, including its own.
    pub(super) fn compose(&self, scratch: &mut Scratch<G>) {
        if scratch.is_composed {
            return;
        }
        scratch.composites.copy_from_slice(&scratch.inertias);
        for (i, branch) in self.branches.iter().enumerate().rev() {
            if let Some(parent) = branch.parent {
                let carried = scratch.composites[i];
                scratch.composites[parent] += carried;
            }
        }
        scratch.is_composed = true;
    }

    /// Writes all entries of the mass matrix.
    pub(super) fn mass_matrix(&self, scratch: &mut Scratch<G>, mass_matrix: &mut DMatrix<f64>) {
        mass_matrix.fill(0.0);
        self.each_entry(scratch, |_, k, j, entry| {
            mass_matrix[(j, k)] = entry;
            mass_matrix[(k, j)] = entry;
        });
    }

    /// Calls `write(scratch factor, k, j, M_kj)` for every velocity `k` and every `j` that carries it.
    fn each_entry(
        &self,
        scratch: &mut Scratch<G>,
        mut write: impl FnMut(&mut [f64], usize, usize, f64),
    ) {
        self.compose(scratch);
        for (k, node) in self.velocities.iter().enumerate() {
            let force = scratch.composites[node.link].momentum(&scratch.columns[k]);
            let mut next = Some(k);
            while let Some(j) = next {
                let own = if j == k { node.armature } else { 0.0 };
                let entry = scratch.columns[j].dot(&force) + own;
                write(&mut scratch.factor, k, j, entry);
                next = self.velocities[j].parent;
            }
        }
    }

    /// The factors `L` (below the diagonal) and `D` (on it) of the mass matrix.
    pub(super) fn factor(&self, scratch: &mut Scratch<G>) {
        if scratch.is_factored {
            return;
        }
        let n = self.velocity_count();
        self.each_entry(scratch, |factor, k, j, entry| factor[n * k + j] = entry);
        let factor = &mut scratch.factor;
        for k in (0..n).rev() {
            let (above, row) = factor.split_at_mut(n * k);
            let pivot = row[k];
            let mut next = self.velocities[k].parent;
            while let Some(i) = next {
                let multiplier = row[i] / pivot;
                let mut inner = next;
                while let Some(j) = inner {
                    above[n * i + j] -= multiplier * row[j];
                    inner = self.velocities[j].parent;
                }
                row[i] = multiplier;
                next = self.velocities[i].parent;
            }
            scratch.inverse_roots[k] = 1.0 / pivot.sqrt();
        }
        scratch.is_factored = true;
    }

    /// The pivot of velocity `k` relative to the magnitudes of the terms whose sum is its entry of the mass matrix;
    /// at most one, and negative if the mass matrix is not positive definite.
    ///
    /// The entry itself is not a suitable reference: for a thin rod about its own axis it is the rounding of terms
    /// that cancel, and the pivot is not smaller than that.
    pub(super) fn relative_pivot(&self, scratch: &mut Scratch<G>, k: usize) -> f64 {
        self.factor(scratch);
        let VelocityNode { link, armature, .. } = self.velocities[k];
        let terms = scratch.composites[link].energy_terms(&scratch.columns[k]) + armature;
        scratch.factor[(self.velocity_count() + 1) * k] / terms
    }

    /// `columns ← M⁻¹ columns`, after [`factor`](Self::factor).
    pub(super) fn solve(&self, scratch: &Scratch<G>, columns: &mut [f64]) {
        let n = self.velocity_count();
        for column in columns.chunks_exact_mut(n.max(1)) {
            self.solve_transposed_factor(scratch, column);
            for (entry, root) in column.iter_mut().zip(&scratch.inverse_roots) {
                *entry *= root * root;
            }
            for k in 0..n {
                let row = &scratch.factor[n * k..n * (k + 1)];
                let mut next = self.velocities[k].parent;
                let mut entry = column[k];
                while let Some(j) = next {
                    entry -= row[j] * column[j];
                    next = self.velocities[j].parent;
                }
                column[k] = entry;
            }
        }
    }

    /// `columns ← D^(−1/2) L⁻ᵀ columns`, after [`factor`](Self::factor).
    pub(super) fn whiten(&self, scratch: &Scratch<G>, columns: &mut [f64]) {
        let n = self.velocity_count();
        for column in columns.chunks_exact_mut(n.max(1)) {
            self.solve_transposed_factor(scratch, column);
            for (entry, root) in column.iter_mut().zip(&scratch.inverse_roots) {
                *entry *= root;
            }
        }
    }

    /// `column ← L⁻ᵀ column`.
    fn solve_transposed_factor(&self, scratch: &Scratch<G>, column: &mut [f64]) {
        let n = self.velocity_count();
        for k in (0..n).rev() {
            let entry = column[k];
            // Contact rows are zero for every velocity that does not move the contact.
            if entry == 0.0 {
                continue;
            }
            let row = &scratch.factor[n * k..n * (k + 1)];
            let mut next = self.velocities[k].parent;
            while let Some(j) = next {
                column[j] -= row[j] * entry;
                next = self.velocities[j].parent;
            }
        }
    }
}
