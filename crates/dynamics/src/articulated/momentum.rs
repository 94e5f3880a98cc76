//! Momentum and energy of the whole system.
//!
//! The momentum of the links about their origin `O` is `Σ I_i V_i`, which is linear in the velocities: column `k` of
//! its matrix is `I_k^c S_k`, the momentum of everything that velocity `k` carries. About the center of mass `G` the
//! moment changes by `(O − G) × p`. The result is the **centroidal momentum**. Its linear part is the mass times the
//! velocity of `G`, and only external forces change it.
//!
//! # Source
//!
//! D. E. Orin, A. Goswami, S.-H. Lee, "Centroidal dynamics of a humanoid robot", *Autonomous Robots* 35
//! (2013) 161–176, equations 5 to 13.

use nalgebra::{DMatrix, Vector3};

use super::{
    geometry::{Geometry, Inertia, Spatial},
    tree::{Frame, Scratch, Tree, VelocityNode, write_column},
};

/// Momentum of a whole system about its center of mass, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CentroidalMomentum {
    /// Total mass (kg).
    pub mass: f64,
    /// Center of mass (m); NaN if the mass is zero.
    pub center: Vector3<f64>,
    /// Linear momentum (N·s).
    pub linear: Vector3<f64>,
    /// Angular momentum about the center of mass (N·m·s).
    pub angular: Vector3<f64>,
}

impl<G: Geometry> Tree<G> {
    /// Total mass and center of mass, after [`weigh`](Self::weigh).
    pub(super) fn center_of_mass(&self, scratch: &Scratch<G>) -> (f64, G::Linear) {
        debug_assert!(scratch.is_weighed(), "inertias of other coordinates");
        let mut mass = 0.0;
        let mut first = G::linear(&Vector3::zeros());
        for (inertia, frame) in scratch.inertias.iter().zip(&scratch.frames) {
            mass += inertia.mass;
            first = first + inertia.first + frame.origin * inertia.mass;
        }
        (mass, first * (1.0 / mass))
    }

    /// After [`weigh`](Self::weigh) and [`run`](Self::run).
    pub(super) fn centroidal_momentum(&self, scratch: &Scratch<G>) -> CentroidalMomentum {
        let (mass, center) = self.center_of_mass(scratch);
        let mut total = Spatial::<G>::zero();
        for (i, motion) in scratch.motions.iter().enumerate() {
            let momentum = scratch.inertias[i].momentum(motion);
            total += about(&momentum, scratch.frames[i].origin - center);
        }
        CentroidalMomentum {
            mass,
            center: G::linear_to_vector(center),
            linear: G::linear_to_vector(total.linear),
            angular: G::angular_to_vector(total.angular),
        }
    }

    /// Rows of the linear, then of the angular momentum, after [`place`](Self::place).
    pub(super) fn centroidal_matrix(&self, scratch: &mut Scratch<G>, matrix: &mut DMatrix<f64>) {
        self.compose(scratch);
        let (_, center) = self.center_of_mass(scratch);
        for (k, node) in self.velocities.iter().enumerate() {
            let momentum = scratch.composites[node.link].momentum(&scratch.columns[k]);
            let arm = scratch.frames[node.link].origin - center;
            write_column(matrix, k, &about(&momentum, arm));
        }
    }

    /// `½ Σ V · I V + ½ Σ a v²` with the armatures `a`, after [`weigh`](Self::weigh) and [`run`](Self::run) with the velocity `v`.
    #[inline(always)]
    pub(super) fn kinetic_energy(&self, scratch: &Scratch<G>, v: &[f64]) -> f64 {
        debug_assert!(scratch.is_weighed(), "inertias of other coordinates");
        self.energy_of(&scratch.motions, &scratch.inertias, v)
    }

    /// The [kinetic energy](Self::kinetic_energy) with any velocity `v`, to the same bits, after [`place`](Self::place). What
    /// [`run`](Self::run) has computed stays.
    #[inline(always)]
    pub(super) fn kinetic_energy_with(&self, scratch: &mut Scratch<G>, v: &[f64]) -> f64 {
        self.weigh(scratch);
        let Scratch { columns, accelerations: motions, inertias, .. } = scratch;
        for (i, branch) in self.branches.iter().enumerate() {
            let carrier = branch.parent.map_or_else(Spatial::zero, |parent| motions[parent]);
            motions[i] = carrier + branch.relative_motion(columns, v);
        }
        self.energy_of(motions, inertias, v)
    }

    #[inline(always)]
    fn energy_of(&self, motions: &[Spatial<G>], inertias: &[Inertia<G>], v: &[f64]) -> f64 {
        let of_link = |(motion, inertia): (&Spatial<G>, &Inertia<G>)| {
            0.5 * motion.dot(&inertia.momentum(motion))
        };
        let of_rotor = |(node, v): (&VelocityNode, &f64)| 0.5 * node.armature * v * v;
        motions.iter().zip(inertias).map(of_link).sum::<f64>()
            + self.velocities.iter().zip(v).map(of_rotor).sum::<f64>()
    }

    /// `−Σ m g · x`, after [`weigh`](Self::weigh).
    pub(super) fn gravity_energy(&self, scratch: &Scratch<G>) -> f64 {
        debug_assert!(scratch.is_weighed(), "inertias of other coordinates");
        let of_link = |(inertia, frame): (&Inertia<G>, &Frame<G>)| {
            -G::dot(self.gravity, inertia.first + frame.origin * inertia.mass)
        };
        scratch.inertias.iter().zip(&scratch.frames).map(of_link).sum()
    }
}

/// The momentum about a new point, with the old reference point at `arm` from it.
fn about<G: Geometry>(momentum: &Spatial<G>, arm: G::Linear) -> Spatial<G> {
    Spatial { angular: momentum.angular + G::moment(arm, momentum.linear), ..*momentum }
}
