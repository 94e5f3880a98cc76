//! Inverse dynamics by the recursive Newton–Euler algorithm.
//!
//! The accelerations of the links, `A_i = A_p + c_i + Σ S_k v̇_k`, determine the force on each of them (the rate of
//! its momentum). The recursion from the leaves to the world gives the force through each joint:
//!
//! ```math
//! F_i = I_i (A_i - g) + V_i \times^* I_i V_i + \sum_{\text{children}} F_j, \qquad
//! \tau_k = S_k \cdot F_i .
//! ```
//!
//! The armature `a_k` of a joint adds `a_k v̇_k` to `τ_k`.
//! Gravity is treated as an acceleration of the world by `−g`. With `v̇ = 0` the result is the bias `h(q, v)`, the
//! Coriolis, gyroscopic and gravity forces in `M v̇ + h = τ`.
//!
//! # Source
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, section 5.3.

use super::{
    forward_kinematics::combine,
    geometry::{Geometry, Spatial},
    tree::{Scratch, Tree},
};

impl<G: Geometry> Tree<G> {
    /// `h(q, v)`, after [`run`](Self::run).
    pub(super) fn bias(&self, scratch: &mut Scratch<G>, forces: &mut [f64]) {
        scratch.accelerations.copy_from_slice(&scratch.biases);
        self.joint_forces(scratch, forces);
    }

    /// `M v̇ + h`, after [`run`](Self::run).
    pub(super) fn inverse_dynamics(
        &self,
        scratch: &mut Scratch<G>,
        acceleration: &[f64],
        forces: &mut [f64],
    ) {
        for (i, branch) in self.branches.iter().enumerate() {
            let carrier = branch.parent.map_or_else(Spatial::zero, |p| scratch.accelerations[p]);
            let velocities = branch.velocities.clone();
            let relative = combine(&scratch.columns[velocities.clone()], &acceleration[velocities]);
            scratch.accelerations[i] = carrier + scratch.drifts[i] + relative;
        }
        self.joint_forces(scratch, forces);
        for ((force, node), rate) in forces.iter_mut().zip(&self.velocities).zip(acceleration) {
            *force += node.armature * rate;
        }
    }

    /// The backward pass.
    fn joint_forces(&self, scratch: &mut Scratch<G>, forces: &mut [f64]) {
        self.weigh(scratch);
        let world = Spatial::translation(-self.gravity);
        for i in 0..self.branches.len() {
            let (inertia, motion) = (&scratch.inertias[i], &scratch.motions[i]);
            let acceleration = scratch.accelerations[i] + world;
            scratch.forces[i] =
                inertia.momentum(&acceleration) + motion.cross_force(&inertia.momentum(motion));
        }
        for (i, branch) in self.branches.iter().enumerate().rev() {
            let force = scratch.forces[i];
            let columns = &scratch.columns[branch.velocities.clone()];
            for (joint_force, column) in forces[branch.velocities.clone()].iter_mut().zip(columns) {
                *joint_force = column.dot(&force);
            }
            if let Some(parent) = branch.parent {
                scratch.forces[parent] += force;
            }
        }
    }
}
