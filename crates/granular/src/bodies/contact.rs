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
//! Frames, blocks and impulses are in [packs](super::packs) of eight contacts, which the sweeps read.

use nalgebra::{Matrix3, Vector3};
use percussion_collision::{Feature, Near};
use percussion_complementarity::friction::{
    Law,
    single::{self, coulomb, maximum_dissipation},
};

use super::{products::times, twist::Twist};

/// The per-body state that the sweeps update, and the constants they need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    pub(super) twist: Twist,
    pub(super) yielding: Yielding,
}

/// How a body yields to impulses: inverse mass, the upper triangle of `I⁻¹` in the world by rows, and a number that is not
/// used, so that the cache line is read whole.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Yielding(pub(super) [f64; 8]);

impl Yielding {
    pub(super) fn new(inverse_mass: f64, inverse_inertia: &Matrix3<f64>) -> Self {
        let a = inverse_inertia;
        Self([inverse_mass, a.m11, a.m12, a.m13, a.m22, a.m23, a.m33, 0.0])
    }
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

/// A contact of two bodies, or of a body and a boundary.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    /// Places of the bodies from the first of their slab; the second may be [`NO_BODY`].
    pub(super) bodies: [u32; 2],
    /// Number of the pair in the lists of its slab.
    pub(super) pair: u32,
    pub(super) local: Local,
    pub(super) friction: f64,
    pub(super) gap: f64,
    /// From body 2 to body 1, of length one up to rounding.
    pub(super) normal: Vector3<f64>,
    pub(super) point: Vector3<f64>,
    /// Velocity of the boundary (m/s).
    pub(super) drive: Vector3<f64>,
    /// On body 1 in the world (N·s), at the end of the step.
    pub(super) impulse: Vector3<f64>,
}

impl Contact {
    /// The contact of the features `found` of a pair; `drive` gives the velocity of the boundary at a point (m/s).
    #[inline(always)]
    pub(super) fn new(
        found: &Near,
        local: Local,
        (pair, bodies): (u32, [u32; 2]),
        drive: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Self {
        let Near { friction, gap, normal, points, .. } = *found;
        Self::at(points, (gap, normal), friction, local, (pair, bodies), drive)
    }

    /// The contact of two surfaces at these points, with a gap (m) along a normal.
    #[inline(always)]
    pub(super) fn at(
        points: [Vector3<f64>; 2],
        (gap, normal): (f64, Vector3<f64>),
        friction: f64,
        local: Local,
        (pair, bodies): (u32, [u32; 2]),
        drive: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Self {
        // The midpoint between the two surfaces.
        let point = 0.5 * (points[0] + points[1]);
        let (drive, impulse) = (drive(&point), Vector3::zeros());
        Self { bodies, pair, local, friction, gap, normal, point, drive, impulse }
    }

    /// Whether an impulse of the last step is on the boundary of the friction cone, up to a thousandth.
    pub(super) fn slid(&self, impulse: &Vector3<f64>) -> bool {
        let along = self.normal.dot(impulse);
        let across = impulse.norm_squared() - along * along;
        let limit = 0.999 * self.friction * along;
        along > 0.0 && across >= limit * limit
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
    let b = times(block.block(), impulse) - velocity;
    match law {
        // A block without a usable inverse has not been asked whether it sticks.
        Law::Coulomb if is_singular => coulomb::solve_near(block, &b, impulse),
        Law::Coulomb => coulomb::slide_near(block, &b, impulse),
        Law::MaximumDissipation => maximum_dissipation::solve_near(block, &b, Some(impulse)),
    }
}
