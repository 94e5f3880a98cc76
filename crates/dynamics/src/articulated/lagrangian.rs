//! Momentum and its rate for a tree, with their exact derivatives, by recursion.
//!
//! Let `S_k` be the unit motion of velocity `k`, `V_k` the motion of the link or joint that carries it, `H_k` the
//! momentum of the links that velocity `k` carries and `I_k^c` their composite inertia. The momentum of the
//! coordinate is `p_k = S_k · H_k`. During a motion with constant velocities `S_k` changes at the rate
//! `D_k = V_k × S_k`. Comparison of `ṗ_k = D_k · H_k + S_k · Ḣ_k` with Lagrange's equation leaves for the kinetic
//! energy `K`
//!
//! ```math
//! \frac{\partial K}{\partial q_k} = D_k \cdot H_k .
//! ```
//!
//! When only `q_k` changes, at unit rate, everything that velocity `k` carries is displaced like a rigid body by
//! `S_k`. A carried unit motion changes by `S_k × S_j`, and the momentum of a carried link by `S_k ×* h + I D_k`.
//! The second term arises because the part of its velocity that comes from before `k` is not displaced. In scalar
//! products of motions and forces that are both displaced, the displacement cancels. With `F_k = I_k^c S_k` and
//! `G_k = S_k ×* H_k + I_k^c D_k` this gives, for every `j` that carries `k` (or is `k`),
//!
//! ```math
//! M_{jk} = S_j \cdot F_k, \quad
//! \frac{\partial p_j}{\partial q_k} = S_j \cdot G_k, \quad
//! \frac{\partial p_k}{\partial q_j} = D_j \cdot F_k, \quad
//! \frac{\partial^2 K}{\partial q_j \partial q_k} = D_j \cdot G_k, \quad
//! \frac{\partial^2 V}{\partial q_j \partial q_k} = (S_j \times g) \cdot F_k
//! ```
//!
//! for the potential `V` of gravity `g`; all other entries are zero. Each of the five costs as much as the mass
//! matrix.
//!
//! # Source
//!
//! E. R. Johnson, T. D. Murphey, "Scalable variational integrators for constrained mechanical systems in generalized
//! coordinates", *IEEE Transactions on Robotics* 25 (2009) 1249–1261 (the quantities that an integrator needs, and
//! their recursive computation on a tree). The formulas are derived above; the notation is that of R. Featherstone, *Rigid
//! Body Dynamics Algorithms*, Springer 2008, chapter 2.

use super::{
    Articulated,
    geometry::{Geometry, Spatial},
    tree::{Scratch, Tree},
};
use crate::{
    lagrangian::{Derivatives, Lagrangian},
    system::System,
};

impl<G: Geometry> Tree<G> {
    /// `p`, and `ṗ` of inertia and gravity, after [`run`](Self::run) with the velocity `v`.
    pub(super) fn momentum(
        &self,
        scratch: &mut Scratch<G>,
        v: &[f64],
        momentum: &mut [f64],
        rate: &mut [f64],
    ) {
        self.carry(scratch, v);
        let gravity = Spatial::translation(self.gravity);
        for (k, node) in self.velocities.iter().enumerate() {
            let (column, carried) = (&scratch.columns[k], &scratch.forces[node.link]);
            let weight = scratch.composites[node.link].momentum(&gravity);
            momentum[k] = column.dot(carried) + node.armature * v[k];
            rate[k] = scratch.column_rates[k].dot(carried) + column.dot(&weight);
        }
    }

    /// The derivatives of these, after [`run`](Self::run) with the velocity `v`.
    pub(super) fn momentum_derivatives(
        &self,
        scratch: &mut Scratch<G>,
        v: &[f64],
        derivatives: &mut Derivatives,
    ) {
        self.carry(scratch, v);
        derivatives.clear();
        let Derivatives {
            momentum_by_velocity: mass,
            momentum_by_coordinates: mixed,
            rate_by_velocity,
            rate_by_coordinates: hessian,
        } = derivatives;
        let gravity = Spatial::translation(self.gravity);
        for (k, node) in self.velocities.iter().enumerate() {
            let composite = &scratch.composites[node.link];
            let (column, column_rate) = (&scratch.columns[k], &scratch.column_rates[k]);
            let unit_momentum = composite.momentum(column);
            let change =
                column.cross_force(&scratch.forces[node.link]) + composite.momentum(column_rate);
            let mut next = Some(k);
            while let Some(j) = next {
                let (carrier, carrier_rate) = (&scratch.columns[j], &scratch.column_rates[j]);
                let weight = carrier.cross_motion(&gravity).dot(&unit_momentum);
                let own = if j == k { node.armature } else { 0.0 };
                mass[(j, k)] = carrier.dot(&unit_momentum) + own;
                mass[(k, j)] = mass[(j, k)];
                mixed[(j, k)] = carrier.dot(&change);
                mixed[(k, j)] = carrier_rate.dot(&unit_momentum);
                hessian[(j, k)] = carrier_rate.dot(&change) - weight;
                hessian[(k, j)] = hessian[(j, k)];
                next = self.velocities[j].parent;
            }
        }
        rate_by_velocity.tr_copy_from(mixed);
    }

    /// The momentum of the links that each link carries, including itself, and the rates `D` of the unit motions.
    fn carry(&self, scratch: &mut Scratch<G>, v: &[f64]) {
        self.compose(scratch);
        for (i, branch) in self.branches.iter().enumerate() {
            scratch.forces[i] = scratch.inertias[i].momentum(&scratch.motions[i]);
            let mut before = branch.parent.map_or_else(Spatial::zero, |p| scratch.motions[p]);
            for k in branch.velocities.clone() {
                scratch.column_rates[k] = before.cross_motion(&scratch.columns[k]);
                before += scratch.columns[k] * v[k];
            }
        }
        for (i, branch) in self.branches.iter().enumerate().rev() {
            if let Some(parent) = branch.parent {
                let carried = scratch.forces[i];
                scratch.forces[parent] += carried;
            }
        }
    }
}

/// For trees without quaternions; for other trees `p` and `ṗ` are meaningless.
impl Lagrangian for Articulated {
    fn momentum(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        _time: f64,
        momentum: &mut [f64],
        rate: &mut [f64],
    ) {
        debug_assert_eq!(self.coordinate_count(), self.velocity_count(), "quaternions");
        self.at(coordinates).momentum(velocity, momentum, rate);
        self.joint_forces.add(coordinates, velocity, rate);
    }

    fn momentum_derivatives(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        _time: f64,
        derivatives: &mut Derivatives,
    ) {
        debug_assert_eq!(self.coordinate_count(), self.velocity_count(), "quaternions");
        self.at(coordinates).momentum_derivatives(velocity, derivatives);
        self.joint_forces.add_derivatives(derivatives);
    }

    /// True if no joint has a damper.
    fn is_conservative(&self) -> bool {
        self.joint_forces.is_conservative()
    }
}
