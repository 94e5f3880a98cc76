//! One contact of a sphere, in closed form: [`Contact`] of two grains, [`WallContact`] of a grain and a wall.
//!
//! The line from the center of a sphere to the contact is parallel to the normal, so the block of the
//! Delassus operator is diagonal with equal tangential entries:
//!
//! ```math
//! W_{nn} = \tfrac1{m_1} + \tfrac1{m_2},\qquad W_{tt} = W_{nn} + \tfrac{r_1^2}{I_1} + \tfrac{r_2^2}{I_2}.
//! ```
//!
//! Normal and tangential parts are uncoupled; each is solved by itself, and the tangential part is projected
//! radially onto the cone. That impulse minimizes the kinetic energy, and its friction opposes the remaining
//! slip: for spheres Coulomb's law and that of maximum dissipation coincide. Impulses are stored as vectors
//! in the world, so that no tangents are needed.
//!
//! - **Cost** about 100 floating point operations per update; contacts are solved in [packs](crate::packs) of four. A sweep
//!   reads 64 bytes of a contact and 64 of each grain; a contact has 28 bytes more, 16 of them for the removal of overlaps.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", *Computational Mechanics* 62 (2018) 81–96, sections 3.1 and 3.2.

use nalgebra::Vector3;

use crate::{grains::Motion, materials::Approach};

/// The data of the contact law, for either kind of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Law {
    /// From body 2 to body 1.
    pub(crate) normal: Vector3<f64>,
    /// On body 1 (N·s).
    pub(crate) impulse: Vector3<f64>,
    /// At the beginning of the step (m).
    pub(crate) gap: f64,
    /// The normal velocity must be at least minus this (m/s).
    pub(crate) bias: f64,
    pub(crate) friction: f64,
    /// `1/W_nn` and `1/W_tt` (kg).
    pub(crate) mass: [f64; 2],
}

impl Law {
    /// The impulse that solves this contact, where `velocity` is the relative velocity with the current one.
    #[inline]
    fn solved(&self, velocity: &Vector3<f64>) -> Vector3<f64> {
        let n = &self.normal;
        let pull = self.mass[0] * (velocity.dot(n) + self.bias);
        let normal = self.impulse.dot(n) - pull;
        if normal <= 0.0 {
            return Vector3::zeros();
        }
        let stick = self.impulse - self.mass[1] * velocity;
        let mut tangent = stick - stick.dot(n) * n;
        let (limit, squared) = (self.friction * normal, tangent.norm_squared());
        if squared > limit * limit {
            tangent *= limit / squared.sqrt();
        }
        normal * n + tangent
    }

    /// `tr(W)/3`, which converts residuals of impulses to velocities.
    fn inverse_mass(&self) -> f64 {
        (1.0 / self.mass[0] + 2.0 / self.mass[1]) / 3.0
    }

    /// Replaces the impulse by the one that solves the contact, and returns the change.
    #[inline]
    pub(crate) fn update(&mut self, velocity: &Vector3<f64>) -> Vector3<f64> {
        let solved = self.solved(velocity);
        let change = solved - self.impulse;
        self.impulse = solved;
        change
    }

    /// Rotates an impulse of the last step to the current normal and projects it onto the cone.
    pub(crate) fn take_over(&mut self, impulse: &Vector3<f64>) {
        let normal = impulse.dot(&self.normal);
        self.impulse = Vector3::zeros();
        if normal > 0.0 {
            let mut tangent = impulse - normal * self.normal;
            let (limit, squared) = (self.friction * normal, tangent.norm_squared());
            if squared > limit * limit {
                tangent *= limit / squared.sqrt();
            }
            self.impulse = normal * self.normal + tangent;
        }
    }

    /// Lets the contact bounce with a restitution, where `free` is the relative velocity without contact impulses and
    /// `kick` the part of it that gravity gives in the step (m/s).
    pub(crate) fn bounce(
        &mut self,
        [free, kick]: [&Vector3<f64>; 2],
        (restitution, below): (f64, f64),
        step: f64,
    ) {
        let free = free.dot(&self.normal);
        let approach = Approach { gap: self.gap, before: free - kick.dot(&self.normal), free };
        self.bias = approach.bias(self.bias, restitution, below, step);
    }

    /// The gap (m) after `step` seconds with `velocity`.
    #[inline]
    fn end_gap(&self, velocity: &Vector3<f64>, step: f64) -> f64 {
        self.gap + step * velocity.dot(&self.normal)
    }

    /// Adds the contributions of `velocity` and the impulse to the account of the step.
    fn certify(&self, velocity: &Vector3<f64>, step: f64, account: &mut Account) {
        account.overlap = account.overlap.max(-self.end_gap(velocity, step));
        let wrong = (self.impulse - self.solved(velocity)).norm() * self.inverse_mass();
        account.residual = larger(account.residual, wrong);
        let normal = self.impulse.dot(&self.normal);
        if normal > 0.0 {
            account.closed += 1;
            account.work += self.impulse.dot(velocity);
            account.lifting += normal * (-self.bias).max(0.0);
        }
    }
}

/// The larger of two numbers, or NaN if one is.
#[inline]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b <= a || a.is_nan() { a } else { b }
}

/// Sums over the contacts of one slab at the end of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    /// Largest natural map (m/s).
    pub(crate) residual: f64,
    /// Number of contacts with an impulse.
    pub(crate) closed: usize,
    /// `Σ p·u` (J).
    pub(crate) work: f64,
    /// `Σ p_n ε |ξ|/δt` over overlaps (J).
    pub(crate) lifting: f64,
    /// Deepest overlap after the motion (m).
    pub(crate) overlap: f64,
    /// Sum of the impulses of walls on grains (N·s).
    pub(crate) wall_impulse: Vector3<f64>,
    /// Work of the walls on grains by their own motion (J).
    pub(crate) wall_work: f64,
}

impl Account {
    /// Adds the sums over other contacts of the slab.
    #[cfg(feature = "bodies")]
    pub(crate) fn add(&mut self, other: &Self) {
        self.residual = larger(self.residual, other.residual);
        self.closed += other.closed;
        self.work += other.work;
        self.lifting += other.lifting;
        self.overlap = self.overlap.max(other.overlap);
        self.wall_impulse += other.wall_impulse;
        self.wall_work += other.wall_work;
    }
}

/// A contact of two grains, which are numbered from the first of their slab.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contact {
    pub(crate) law: Law,
    pub(crate) grains: [u32; 2],
    /// The pair to which it belongs.
    pub(crate) pair: u32,
}

impl Contact {
    pub(crate) fn new(
        normal: Vector3<f64>,
        [gap, bias]: [f64; 2],
        friction: f64,
        motions: [&Motion; 2],
        grains: [u32; 2],
        pair: u32,
    ) -> Self {
        let rigid = motions[0].inverse_mass + motions[1].inverse_mass;
        let mass = [1.0 / rigid, 1.0 / (rigid + motions[0].spin_yield + motions[1].spin_yield)];
        Self {
            law: Law { normal, impulse: Vector3::zeros(), gap, bias, friction, mass },
            grains,
            pair,
        }
    }

    /// Velocity of the first grain's surface relative to the second's (m/s).
    #[inline]
    pub(crate) fn velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        let [a, b] = self.grains.map(|grain| &motions[grain as usize]);
        a.velocity - b.velocity - (a.spin + b.spin).cross(&self.law.normal)
    }

    #[inline]
    pub(crate) fn push(&self, impulse: &Vector3<f64>, motions: &mut [Motion]) {
        let turn = self.law.normal.cross(impulse);
        let a = &mut motions[self.grains[0] as usize];
        a.velocity += a.inverse_mass * impulse;
        a.spin -= a.spin_yield * turn;
        let b = &mut motions[self.grains[1] as usize];
        b.velocity -= b.inverse_mass * impulse;
        b.spin -= b.spin_yield * turn;
    }

    /// Solves the contact with all others fixed, and returns the square of its natural map before (m/s)².
    #[cfg(test)]
    pub(crate) fn sweep(&mut self, motions: &mut [Motion]) -> f64 {
        let velocity = self.velocity(motions);
        self.update(&velocity, motions)
    }

    #[inline]
    fn update(&mut self, velocity: &Vector3<f64>, motions: &mut [Motion]) -> f64 {
        let change = self.law.update(velocity);
        let squared = change.norm_squared();
        if squared > 0.0 {
            self.push(&change, motions);
        }
        let [a, b] = self.grains.map(|grain| motions[grain as usize].contact_yield());
        squared * (a + b) * (a + b)
    }

    /// The gap (m) after `step` seconds.
    #[cfg(test)]
    pub(crate) fn end_gap(&self, motions: &[Motion], step: f64) -> f64 {
        self.law.end_gap(&self.velocity(motions), step)
    }

    #[cfg(test)]
    pub(crate) fn certify(&self, motions: &[Motion], step: f64, account: &mut Account) {
        self.law.certify(&self.velocity(motions), step, account);
    }
}

/// A contact of a grain, numbered from the first of its slab, and a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WallContact {
    pub(crate) law: Law,
    /// Velocity of the surface of the wall (m/s).
    pub(crate) drive: Vector3<f64>,
    pub(crate) grain: u32,
    /// The pair to which it belongs.
    pub(crate) pair: u32,
}

impl WallContact {
    pub(crate) fn new(
        normal: Vector3<f64>,
        [gap, bias]: [f64; 2],
        friction: f64,
        drive: Vector3<f64>,
        motion: &Motion,
        grain: u32,
        pair: u32,
    ) -> Self {
        let mass = [1.0 / motion.inverse_mass, 1.0 / (motion.inverse_mass + motion.spin_yield)];
        let law = Law { normal, impulse: Vector3::zeros(), gap, bias, friction, mass };
        Self { law, drive, grain, pair }
    }

    /// Velocity of the grain's surface relative to the wall's (m/s).
    #[inline]
    pub(crate) fn velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        let a = &motions[self.grain as usize];
        a.velocity - self.drive - a.spin.cross(&self.law.normal)
    }

    #[inline]
    pub(crate) fn push(&self, impulse: &Vector3<f64>, motions: &mut [Motion]) {
        let a = &mut motions[self.grain as usize];
        a.velocity += a.inverse_mass * impulse;
        a.spin -= a.spin_yield * self.law.normal.cross(impulse);
    }

    /// As for [`Contact`].
    #[inline]
    pub(crate) fn sweep(&mut self, motions: &mut [Motion]) -> f64 {
        let change = self.law.update(&self.velocity(motions));
        let squared = change.norm_squared();
        if squared > 0.0 {
            self.push(&change, motions);
        }
        let inverse_mass = motions[self.grain as usize].contact_yield();
        squared * inverse_mass * inverse_mass
    }

    /// The gap (m) after `step` seconds.
    #[inline]
    pub(crate) fn end_gap(&self, motions: &[Motion], step: f64) -> f64 {
        self.law.end_gap(&self.velocity(motions), step)
    }

    pub(crate) fn certify(&self, motions: &[Motion], step: f64, account: &mut Account) {
        self.law.certify(&self.velocity(motions), step, account);
        account.wall_impulse += self.law.impulse;
        account.wall_work += self.law.impulse.dot(&self.drive);
    }
}

/// A contact of two grains, numbered from the first of all, with the second at one of its images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ImageContact {
    pub(crate) contact: Contact,
    /// Velocity of the image relative to the grain (m/s).
    pub(crate) drive: Vector3<f64>,
}

impl ImageContact {
    /// Velocity of the first grain's surface relative to that of the image (m/s).
    #[inline]
    pub(crate) fn velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        self.contact.velocity(motions) - self.drive
    }

    /// As for [`Contact`].
    #[inline]
    pub(crate) fn sweep(&mut self, motions: &mut [Motion]) -> f64 {
        let velocity = self.velocity(motions);
        self.contact.update(&velocity, motions)
    }

    /// The gap (m) after `step` seconds.
    #[inline]
    pub(crate) fn end_gap(&self, motions: &[Motion], step: f64) -> f64 {
        self.contact.law.end_gap(&self.velocity(motions), step)
    }

    pub(crate) fn certify(&self, motions: &[Motion], step: f64, account: &mut Account) {
        self.contact.law.certify(&self.velocity(motions), step, account);
    }
}
