//! Forward dynamics by the articulated-body algorithm.
//!
//! Consider a link with everything it carries, free at the joints beyond. The force that its parent must apply for
//! an acceleration `A` is `F = I^A A + p^A`. A leaf has its own inertia and `p^A = V ×* I V`. For one velocity `k`,
//! of unit motion `S` and force `τ`, the condition `S · F = τ` gives, for the acceleration `A'` on the side of the
//! parent,
//!
//! ```math
//! u = I^A S, \quad d = S \cdot u, \quad r = \tau - S \cdot p^A, \quad
//! \dot v_k = \frac{r - u \cdot A'}{d}, \quad
//! I^A \leftarrow I^A - \frac{u u^\mathsf{T}}{d}, \quad p^A \leftarrow p^A + \frac{r}{d} u ,
//! ```
//!
//! with the armature of the joint added to `d`,
//! and at the parent `I^A_p += I^A`, `p^A_p += p^A + I^A c`. The velocities of one joint are treated one after
//! another, as if massless links were between them: this is the block elimination of the joint carried out by
//! columns, and needs no small matrix inverse. The cost is `O(n)` operations. `d` is the pivot of the [mass
//! matrix](super::mass_matrix), so it is positive exactly when that matrix is positive definite.
//!
//! # Source
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, section 7.3.

use super::{
    geometry::{Geometry, Spatial},
    tree::{Pivot, Scratch, Tree},
};

impl<G: Geometry> Tree<G> {
    /// `v̇ = M⁻¹ (forces − h)`, after [`run`](Self::run).
    pub(super) fn forward_dynamics(
        &self,
        scratch: &mut Scratch<G>,
        forces: &[f64],
        acceleration: &mut [f64],
    ) {
        self.weigh(scratch);
        for i in 0..self.branches.len() {
            let (inertia, motion) = (&scratch.inertias[i], &scratch.motions[i]);
            scratch.tensors[i] = G::tensor(inertia);
            scratch.forces[i] = motion.cross_force(&inertia.momentum(motion));
        }
        for (i, branch) in self.branches.iter().enumerate().rev() {
            let (mut tensor, mut bias) = (scratch.tensors[i], scratch.forces[i]);
            for k in branch.velocities.clone().rev() {
                let column = &scratch.columns[k];
                let force = G::apply_tensor(&tensor, column);
                let inverse = 1.0 / (column.dot(&force) + self.velocities[k].armature);
                let rest = forces[k] - column.dot(&bias);
                scratch.pivots[k] = Pivot { force, inverse, rest };
                G::subtract_square(&mut tensor, &force, inverse);
                bias += force * (rest * inverse);
            }
            if let Some(parent) = branch.parent {
                bias += G::apply_tensor(&tensor, &scratch.drifts[i]);
                G::add_tensor(&mut scratch.tensors[parent], &tensor);
                scratch.forces[parent] += bias;
            }
        }
        let world = Spatial::translation(-self.gravity);
        for (i, branch) in self.branches.iter().enumerate() {
            let carrier = branch.parent.map_or(world, |parent| scratch.accelerations[parent]);
            let mut total = carrier + scratch.drifts[i];
            let pivots = &scratch.pivots[branch.velocities.clone()];
            let columns = &scratch.columns[branch.velocities.clone()];
            let rates = &mut acceleration[branch.velocities.clone()];
            for ((rate, column), pivot) in rates.iter_mut().zip(columns).zip(pivots) {
                *rate = (pivot.rest - pivot.force.dot(&total)) * pivot.inverse;
                total += *column * *rate;
            }
            scratch.accelerations[i] = total;
        }
    }
}
