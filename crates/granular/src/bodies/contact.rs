//! One contact of two bodies, or of a body and a boundary: [`Contact`].
//!
//! With the arms `a` from the centers of mass to the contact the block of the Delassus operator in the world is
//!
//! ```math
//! W = \sum_{k=1}^{2} \tfrac1{m_k}\, 1 - [a_k]_\times\, I_k^{-1}\, [a_k]_\times .
//! ```
//!
//! It couples normal and tangents. A contact that sticks changes its impulse by `−W⁻¹ u`, and one that opens has
//! none; `percussion_complementarity::friction::single` solves the others in closed form with either law. Both
//! impulses act at the midpoint between the two surfaces, so that angular momentum is conserved.
//!
//! A sweep reads the [`Contact`]s one after another; what it rarely needs is in [`Details`], so that more of them stay
//! in the cache.
//!
//! # Source
//!
//! T. Duff et al., "Building an orthonormal basis, revisited", *Journal of Computer Graphics Techniques* 6 (2017)
//! no. 1, 1–8 (tangents).

use nalgebra::{Matrix3, Vector3};
use percussion_collision::{Feature, Near};
use percussion_complementarity::friction::{
    Figures, Law,
    single::{self, coulomb, maximum_dissipation},
};

use crate::contact::{Account, larger};

/// The per-body state that the sweeps update, and the constants they need.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
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

/// The part of the [`Name`](super::memory::Name) of a contact that distinguishes it from others of the same pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Local {
    /// Parts of their forms.
    pub(super) parts: [u32; 2],
    pub(super) features: [Feature; 2],
}

/// In place of the second body of a contact with a boundary.
pub(super) const NO_BODY: u32 = u32::MAX;

/// The data of a contact that every sweep needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// Places of the bodies from the first of their slab; the second may be [`NO_BODY`].
    pub(super) bodies: [u32; 2],
    pub(super) friction: f64,
    /// Normal and tangents as rows.
    pub(super) frame: Matrix3<f64>,
    pub(super) arms: [Vector3<f64>; 2],
    /// In the frame: minus the velocity of the boundary, plus the approach that the gap allows (m/s).
    pub(super) offset: Vector3<f64>,
    /// First row of the block (kg⁻¹).
    pub(super) row: Vector3<f64>,
    /// Inverse of the block (kg), rows of its upper triangle; not a number if the block is nearly singular.
    pub(super) inverse: [f64; 6],
    /// `tr(W)/3` (kg⁻¹), which converts residuals of impulses to velocities.
    pub(super) inverse_mass: f64,
    /// Normal, tangent, tangent, on body 1 (N·s).
    pub(super) impulse: Vector3<f64>,
}

/// The data of a contact that are needed once a step, or where it slides.
#[derive(Clone, Debug)]
pub(super) struct Details {
    /// Number of the pair in the lists of its slab.
    pub(super) pair: u32,
    pub(super) local: Local,
    pub(super) block: single::Contact,
    pub(super) gap: f64,
    /// As of the last [`certify`](Contact::certify) (m).
    pub(super) gap_after: f64,
    /// The normal velocity must be at least minus this (m/s).
    bias: f64,
    /// Velocity of the boundary (m/s).
    drive: Vector3<f64>,
    pub(super) point: Vector3<f64>,
}

/// The two sides of the contacts of a pair; a boundary has no motion and is at the origin.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    /// Number of the pair in the lists of its slab.
    pub(super) pair: u32,
    pub(super) bodies: [u32; 2],
    pub(super) centers: [Vector3<f64>; 2],
    pub(super) motions: [Option<&'a Motion>; 2],
}

/// A block is nearly singular if its determinant is below this fraction of the cube of the mean of its diagonal
/// entries: its inverse may then lose six digits.
const SINGULAR: f64 = 1e-6;

impl Contact {
    /// Builds the contact of the features `found`; `drive` is the velocity of the boundary there (m/s). `None` if a
    /// number is not finite.
    pub(super) fn new(
        found: &Near,
        local: Local,
        sides: &Sides<'_>,
        drive: &Vector3<f64>,
        step: f64,
    ) -> Option<(Self, Details)> {
        let Sides { pair, bodies, centers, motions } = *sides;
        let point = middle(found);
        let arms = [point - centers[0], point - centers[1]];
        let (frame, friction) = (frame(&found.normal), found.friction);
        let mut block = Matrix3::zeros();
        for (motion, arm) in motions.into_iter().zip(&arms) {
            if let Some(motion) = motion {
                add_body(&mut block, &frame, arm, motion);
            }
        }
        let block = single::Contact::new(&block, friction).ok()?;
        let (bias, inverse_mass) = (found.gap.max(0.0) / step, block.inverse_mass());
        let contact = Self {
            bodies,
            friction,
            frame,
            arms,
            offset: Vector3::x() * bias - frame * drive,
            row: block.block().row(0).transpose(),
            inverse: inverse(block.block(), inverse_mass),
            inverse_mass,
            impulse: Vector3::zeros(),
        };
        let (gap, drive) = (found.gap, *drive);
        let details =
            Details { pair, local, block, gap, gap_after: gap, bias, drive, point };
        Some((contact, details))
    }

    pub(super) fn normal(&self) -> Vector3<f64> {
        self.frame.row(0).transpose()
    }

    pub(super) const fn friction(&self) -> f64 {
        self.friction
    }

    /// The impulse on body 1 in the world (N·s).
    #[inline]
    pub(super) fn world_impulse(&self) -> Vector3<f64> {
        self.frame.tr_mul(&self.impulse)
    }

    /// Converts an impulse of the last step to the current frame and projects it onto the cone.
    pub(super) fn take_over(&mut self, impulse: &Vector3<f64>) {
        let local = self.frame * impulse;
        if local.x > 0.0 {
            let (limit, length) = (self.friction * local.x, local.yz().norm());
            let scale = if length > limit { limit / length } else { 1.0 };
            self.impulse = Vector3::new(local.x, scale * local.y, scale * local.z);
        }
    }

    /// The velocity of body 1 relative to body 2 or the boundary plus the shift that the gap allows, to which the law
    /// applies, in the frame (m/s).
    #[inline(always)]
    pub(super) fn shifted_velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        let Motion { velocity, spin, .. } = &motions[self.bodies[0] as usize];
        let mut relative = velocity + spin.cross(&self.arms[0]);
        if self.bodies[1] != NO_BODY {
            let Motion { velocity, spin, .. } = &motions[self.bodies[1] as usize];
            relative -= velocity + spin.cross(&self.arms[1]);
        }
        self.frame * relative + self.offset
    }

    /// Adds the contributions of velocities and impulse to the account of the step.
    pub(super) fn certify(
        &self,
        details: &mut Details,
        law: Law,
        motions: &[Motion],
        step: f64,
        account: &mut Account,
    ) {
        let shifted = self.shifted_velocity(motions);
        let velocity = shifted - Vector3::x() * details.bias;
        details.gap_after = details.gap + step * velocity.x;
        account.overlap = account.overlap.max(-details.gap_after);
        // `percussion_complementarity::friction::Problem::contact_residual` (m/s).
        let residual = Figures::of(law, &details.block, &self.impulse, &shifted).largest();
        account.residual = larger(account.residual, residual);
        if self.impulse.x > 0.0 {
            account.closed += 1;
            account.work += self.impulse.dot(&velocity);
        }
        if self.bodies[1] == NO_BODY {
            let impulse = self.world_impulse();
            account.wall_impulse += impulse;
            account.wall_work += impulse.dot(&details.drive);
        }
    }
}

/// The impulse of a contact that is closed and does not stick, or whose block is nearly singular: it may then have no
/// inverse.
pub(super) fn slid(
    block: &single::Contact,
    law: Law,
    is_singular: bool,
    impulse: &Vector3<f64>,
    velocity: &Vector3<f64>,
) -> Vector3<f64> {
    let b = block.block() * impulse - velocity;
    match law {
        // A block without a usable inverse has not been asked whether it sticks.
        Law::Coulomb if is_singular => coulomb::solve_near(block, &b, impulse),
        Law::Coulomb => coulomb::slide_near(block, &b, impulse),
        Law::MaximumDissipation => maximum_dissipation::solve_near(block, &b, Some(impulse)),
    }
}

/// Adds `1/m − [a]× I⁻¹ [a]×` of a body, in the frame.
#[inline(always)]
fn add_body(block: &mut Matrix3<f64>, frame: &Matrix3<f64>, arm: &Vector3<f64>, motion: &Motion) {
    let axes = [0, 1, 2].map(|row| frame.row(row).transpose());
    let turns = [arm.cross(&axes[0]), arm.cross(&axes[1]), arm.cross(&axes[2])];
    for (i, turn) in turns.iter().enumerate() {
        let spin = motion.yielding * turn;
        block[(i, i)] += motion.inverse_mass;
        for (j, other) in turns.iter().enumerate().skip(i) {
            let entry = spin.dot(other);
            block[(i, j)] += entry;
            if j > i {
                block[(j, i)] += entry;
            }
        }
    }
}

/// The midpoint between the two surfaces.
pub(super) fn middle(found: &Near) -> Vector3<f64> {
    0.5 * (found.points[0] + found.points[1])
}

/// Normal and tangents as rows.
fn frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let n = normal.normalize();
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    Matrix3::new(
        n.x,
        n.y,
        n.z,
        1.0 + sign * n.x * n.x * a,
        sign * b,
        -sign * n.x,
        b,
        sign + n.y * n.y * a,
        -n.y,
    )
}

/// The upper triangle of the inverse of a symmetric block with this mean diagonal entry.
fn inverse(block: &Matrix3<f64>, mean: f64) -> [f64; 6] {
    let scale = 1.0 / mean;
    let entry = |i, j| block[(i, j)] * scale;
    let [nn, nt, no] = [entry(0, 0), entry(0, 1), entry(0, 2)];
    let [tt, to, oo] = [entry(1, 1), entry(1, 2), entry(2, 2)];
    let minors = [tt * oo - to * to, no * to - nt * oo, nt * to - no * tt];
    let determinant = nn * minors[0] + nt * minors[1] + no * minors[2];
    let factor = if determinant > SINGULAR { scale / determinant } else { f64::NAN };
    [minors[0], minors[1], minors[2], nn * oo - no * no, nt * no - nn * to, nn * tt - nt * nt]
        .map(|minor| minor * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_orthonormal_and_right_handed_for_every_normal() {
        let mut normals = vec![Vector3::z(), -Vector3::z(), Vector3::x(), -Vector3::y()];
        normals.push(Vector3::new(1e-9, 1e-9, -1.0));
        normals.extend((0..50).map(|k| {
            let k = f64::from(k);
            Vector3::new(k.sin(), (1.7 * k).cos(), (2.3 * k).sin() - 0.5)
        }));
        for normal in normals {
            let frame = frame(&normal);
            let error = (frame * frame.transpose() - Matrix3::identity()).amax();
            assert!(error < 4.0 * f64::EPSILON, "{normal}: {error:e}");
            assert!((frame.determinant() - 1.0).abs() < 8.0 * f64::EPSILON, "{normal}");
            assert!((frame.row(0).transpose() - normal.normalize()).amax() < f64::EPSILON);
        }
    }

    #[test]
    fn blocks_are_inverted_unless_they_are_nearly_singular() {
        let block = Matrix3::new(4.0, 1.0, -0.5, 1.0, 3.0, 0.2, -0.5, 0.2, 2.0);
        for size in [1e-200, 1.0, 1e200] {
            let [nn, nt, no, tt, to, oo] = inverse(&(block * size), 3.0 * size);
            let found = Matrix3::new(nn, nt, no, nt, tt, to, no, to, oo);
            let error = (found * size * block - Matrix3::identity()).amax();
            assert!(error < 1e-14, "{size:e}: {error:e}");
        }
        let singular = Matrix3::new(1.0, 1.0, 0.0, 1.0, 1.0 + 1e-8, 0.0, 0.0, 0.0, 1.0);
        assert!(inverse(&singular, 1.0).iter().all(|entry| entry.is_nan()));
    }
}
