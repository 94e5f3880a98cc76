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
    tree::{Group, Scratch, Tree},
};

impl<G: Geometry> Tree<G> {
    /// `h(q, v)`, after [`run`](Self::run).
    #[inline(always)]
    pub(super) fn bias(&self, scratch: &mut Scratch<G>, forces: &mut [f64]) {
        self.weigh(scratch);
        scratch.accelerations.copy_from_slice(&scratch.biases);
        self.groups.iter().for_each(|group| self.joint_forces(scratch, group, forces));
    }

    /// `M v̇ + h`, after [`run`](Self::run). Groups that rest and stay at rest keep theirs.
    #[inline(always)]
    pub(super) fn inverse_dynamics(
        &self,
        scratch: &mut Scratch<G>,
        acceleration: &[f64],
        forces: &mut [f64],
    ) {
        self.weigh(scratch);
        for (number, group) in self.groups.iter().enumerate() {
            let own = group.velocities.clone();
            let stays = acceleration[own.clone()].iter().all(|rate| rate.to_bits() == 0);
            let rests = stays && scratch.current[number].rests;
            if rests && scratch.current[number].weights {
                forces[own.clone()].copy_from_slice(&scratch.weights[own]);
                continue;
            }
            self.accelerate(scratch, group, acceleration);
            self.joint_forces(scratch, group, forces);
            let nodes = &self.velocities[own.clone()];
            let rates = nodes.iter().zip(&acceleration[own.clone()]);
            for (force, (node, rate)) in forces[own.clone()].iter_mut().zip(rates) {
                *force += node.armature * rate;
            }
            if rests {
                scratch.weights[own.clone()].copy_from_slice(&forces[own]);
                scratch.current[number].weights = true;
            }
        }
    }

    /// Accelerations of the links of a group.
    #[inline(always)]
    fn accelerate(&self, scratch: &mut Scratch<G>, group: &Group, acceleration: &[f64]) {
        for i in group.links.clone() {
            let branch = &self.branches[i];
            let carrier = branch.parent.map_or_else(Spatial::zero, |p| scratch.accelerations[p]);
            let velocities = branch.velocities.clone();
            let relative = combine(&scratch.columns[velocities.clone()], &acceleration[velocities]);
            scratch.accelerations[i] = carrier + scratch.drifts[i] + relative;
        }
    }

    /// The backward pass of a group, with its accelerations and inertias.
    #[inline(always)]
    fn joint_forces(&self, scratch: &mut Scratch<G>, group: &Group, forces: &mut [f64]) {
        let world = Spatial::translation(-self.gravity);
        for i in group.links.clone() {
            let (inertia, motion) = (&scratch.inertias[i], &scratch.motions[i]);
            let acceleration = scratch.accelerations[i] + world;
            scratch.forces[i] =
                inertia.momentum(&acceleration) + motion.cross_force(&inertia.momentum(motion));
        }
        for i in group.links.clone().rev() {
            let branch = &self.branches[i];
            let force = scratch.forces[i];
            let columns = &scratch.columns[branch.velocities.clone()];
            for (joint_force, column) in forces[branch.velocities.clone()].iter_mut().zip(columns) {
                *joint_force = column.dot(&force);
            }
            // What is carried by another group moves by itself, and that group cannot move.
            if let Some(parent) = branch.parent.filter(|parent| group.links.contains(parent)) {
                scratch.forces[parent] += force;
            }
        }
    }
}
