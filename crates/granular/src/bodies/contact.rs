//! One contact of two bodies, or of a body and a boundary: [`Contact`].
//!
//! With the arms `a` from the centers of mass to the contact the block of the Delassus operator in the world is
//!
//! ```math
//! W = \sum_{k=1}^{2} \tfrac1{m_k}\, 1 - [a_k]_\times\, I_k^{-1}\, [a_k]_\times .
//! ```
//!
//! It couples normal and tangents, and `percussion_complementarity::friction::single` solves it in closed
//! form with either law. Both impulses act at the midpoint between the two surfaces, so that angular momentum
//! is conserved.

use nalgebra::{Matrix3, Vector3};
use percussion_collision::{self as collision, Feature};
use percussion_complementarity::friction::{
    Figures, Law,
    single::{self, coulomb, maximum_dissipation},
};

use crate::contact::{Account, larger};

/// The per-body state that the sweeps update, and the constants they need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    pub(super) velocity: Vector3<f64>,
    pub(super) spin: Vector3<f64>,
    pub(super) inverse_mass: f64,
    /// `I⁻¹` in the world.
    pub(super) yielding: Matrix3<f64>,
}

/// The partner of a body, by identity or index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum With {
    Body(u64),
    Boundary(u32),
}

/// The name of a contact, which is constant while its features touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// The smaller identity, if there are two.
    pub(super) body: u64,
    pub(super) with: With,
    /// Parts of their forms.
    pub(super) parts: [u32; 2],
    pub(super) features: [Feature; 2],
}

/// A contact of bodies, which are numbered from the first of their slab.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub(super) name: Name,
    pub(super) bodies: [Option<u32>; 2],
    /// Normal and tangents as rows.
    frame: Matrix3<f64>,
    arms: [Vector3<f64>; 2],
    /// Velocity of the boundary (m/s).
    drive: Vector3<f64>,
    block: single::Contact,
    /// `tr(W)/3` (kg⁻¹), which converts residuals of impulses to velocities.
    inverse_mass: f64,
    /// Normal, tangent, tangent, on body 1 (N·s).
    impulse: Vector3<f64>,
    pub(super) gap: f64,
    /// The normal velocity must be at least minus this (m/s).
    bias: f64,
    point: Vector3<f64>,
}

impl Contact {
    /// Builds the contact `found` of bodies with these centers and motions; for a boundary these are `None`
    /// and `drive` is its velocity at the contact. `None` if a number is not finite.
    pub(super) fn new(
        found: &collision::Contact,
        name: Name,
        bodies: [Option<u32>; 2],
        centers: [Vector3<f64>; 2],
        motions: [Option<&Motion>; 2],
        drive: impl Fn(&Vector3<f64>) -> Vector3<f64>,
        step: f64,
    ) -> Option<Self> {
        let point = 0.5 * (found.points[0] + found.points[1]);
        let arms = centers.map(|center| point - center);
        let percussion_dynamics::ContactFrame { normal, tangent_1, tangent_2 } = found.frame;
        let frame = Matrix3::from_columns(&[normal, tangent_1, tangent_2]).transpose();
        let mut block = Matrix3::zeros();
        for (motion, arm) in motions.into_iter().zip(&arms) {
            if let Some(Motion { inverse_mass, yielding, .. }) = motion {
                let turn = frame * arm.cross_matrix();
                block += Matrix3::from_diagonal_element(*inverse_mass)
                    + turn * yielding * turn.transpose();
            }
        }
        let inverse_mass = block.trace() / 3.0;
        Some(Self {
            name,
            bodies,
            frame,
            arms,
            drive: drive(&point),
            block: single::Contact::new(&block, found.friction).ok()?,
            inverse_mass,
            impulse: Vector3::zeros(),
            gap: found.gap,
            bias: found.gap.max(0.0) / step,
            point,
        })
    }

    pub(super) fn normal(&self) -> Vector3<f64> {
        self.frame.row(0).transpose()
    }

    pub(super) const fn point(&self) -> &Vector3<f64> {
        &self.point
    }

    pub(super) const fn friction(&self) -> f64 {
        self.block.friction()
    }

    /// The impulse on body 1 in the world (N·s).
    pub(super) fn world_impulse(&self) -> Vector3<f64> {
        self.frame.tr_mul(&self.impulse)
    }

    /// Converts an impulse of the last step to the current frame and projects it onto the cone.
    pub(super) fn take_over(&mut self, impulse: &Vector3<f64>) {
        let local = self.frame * impulse;
        if local.x > 0.0 {
            let (limit, length) = (self.friction() * local.x, local.yz().norm());
            let scale = if length > limit { limit / length } else { 1.0 };
            self.impulse = Vector3::new(local.x, scale * local.y, scale * local.z);
        }
    }

    /// Velocity of body 1 relative to body 2 or the boundary, in the frame (m/s).
    pub(super) fn velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        let at = |k: usize| {
            self.bodies[k].map_or_else(Vector3::zeros, |body| {
                let motion = &motions[body as usize];
                motion.velocity + motion.spin.cross(&self.arms[k])
            })
        };
        self.frame * (at(0) - at(1) - self.drive)
    }

    /// The relative velocity plus the shift that the gap allows, to which the law applies.
    pub(super) fn shifted_velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        self.velocity(motions) + Vector3::x() * self.bias
    }

    /// Applies `impulse`, in the frame.
    fn push(&self, impulse: &Vector3<f64>, motions: &mut [Motion]) {
        let impulse = self.frame.tr_mul(impulse);
        for ((body, arm), sign) in self.bodies.iter().zip(&self.arms).zip([1.0, -1.0]) {
            if let Some(body) = body {
                let motion = &mut motions[*body as usize];
                motion.velocity += sign * motion.inverse_mass * impulse;
                motion.spin += sign * (motion.yielding * arm.cross(&impulse));
            }
        }
    }

    pub(super) fn warm_start(&self, motions: &mut [Motion]) {
        self.push(&self.impulse, motions);
    }

    /// Solves the contact with all others fixed, and returns the square of the change as a velocity (m/s)².
    pub(super) fn sweep(&mut self, law: Law, motions: &mut [Motion]) -> f64 {
        let b = self.block.block() * self.impulse - self.shifted_velocity(motions);
        let solved = match law {
            Law::Coulomb => coulomb::solve_near(&self.block, &b, &self.impulse),
            Law::MaximumDissipation => {
                maximum_dissipation::solve_near(&self.block, &b, Some(&self.impulse))
            }
        };
        let change = solved - self.impulse;
        self.impulse = solved;
        if change != Vector3::zeros() {
            self.push(&change, motions);
        }
        change.norm_squared() * self.inverse_mass * self.inverse_mass
    }

    /// `percussion_complementarity::friction::Problem::contact_residual` (m/s).
    fn residual(&self, law: Law, velocity: &Vector3<f64>) -> f64 {
        Figures::of(law, &self.block, &self.impulse, velocity).largest()
    }

    /// Adds the contributions of velocities and impulse to the account of the step.
    pub(super) fn certify(&self, law: Law, motions: &[Motion], step: f64, account: &mut Account) {
        let velocity = self.velocity(motions);
        account.overlap = account.overlap.max(-(self.gap + step * velocity.x));
        let residual = self.residual(law, &self.shifted_velocity(motions));
        account.residual = larger(account.residual, residual);
        if self.impulse.x > 0.0 {
            account.closed += 1;
            account.work += self.impulse.dot(&velocity);
        }
        if self.bodies[1].is_none() {
            let impulse = self.world_impulse();
            account.wall_impulse += impulse;
            account.wall_work += impulse.dot(&self.drive);
        }
    }

    /// Sets up the push that removes the fraction `part` of the overlap after the motion, or keeps the gap.
    pub(super) fn prepare_push(&self, part: f64, motions: &[Motion], step: f64) -> Push {
        let normal = self.normal();
        let gap = self.gap + step * self.velocity(motions).x;
        let side = |k: usize| {
            let body = self.bodies[k]?;
            let (sign, motion) = ([1.0, -1.0][k], &motions[body as usize]);
            let turn = sign * self.arms[k].cross(&normal);
            let rows = [sign * normal, turn];
            let moves = [sign * motion.inverse_mass * normal, motion.yielding * turn];
            Some(Side { body, rows, moves })
        };
        let inverse_mass = self.block.block()[(0, 0)];
        let target = if gap < 0.0 { -part * gap } else { -gap };
        Push { sides: [side(0), side(1)], mass: 1.0 / inverse_mass, target, push: 0.0 }
    }
}

/// Displacement of a body and its rotation (m, rad).
pub(super) type Shift = [Vector3<f64>; 2];

/// A push that removes an overlap, as in [`correction`](crate::correction), but for bodies that rotate.
#[derive(Clone, Debug)]
pub(super) struct Push {
    sides: [Option<Side>; 2],
    /// `1/W_nn` (kg).
    mass: f64,
    /// Required growth of the gap, or minus its allowed reduction (m).
    target: f64,
    /// `π` (kg·m, ≥ 0).
    push: f64,
}

/// One body of a push: the rows of the gap and the motion of the body under a unit push.
#[derive(Clone, Debug)]
struct Side {
    body: u32,
    rows: Shift,
    moves: Shift,
}

impl Push {
    pub(super) fn sweep(&mut self, shifts: &mut [Shift]) {
        let mut grown = 0.0;
        for Side { body, rows, .. } in self.sides.iter().flatten() {
            let shift = &shifts[*body as usize];
            grown += rows[0].dot(&shift[0]) + rows[1].dot(&shift[1]);
        }
        let more = (self.push + self.mass * (self.target - grown)).max(0.0) - self.push;
        self.push += more;
        for Side { body, moves, .. } in self.sides.iter().flatten() {
            let shift = &mut shifts[*body as usize];
            shift[0] += more * moves[0];
            shift[1] += more * moves[1];
        }
    }
}
