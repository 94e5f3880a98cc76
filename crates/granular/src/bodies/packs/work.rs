//! What is done with all packs of a slab, four contacts at a time: [`Fastest`], [`WarmStart`] and [`Sweep`].
//!
//! The operations are those of [`Contact`](crate::bodies::contact::Contact) in the same order, so the results are the
//! same to the bit. Where it branches, both sides are computed and one is selected.

use nalgebra::Vector3;
use percussion_complementarity::friction::Law;

use super::{Lanes, Motion, Pack, Work, motions::Motions};
use crate::{
    bodies::contact::{Details, slid},
    contact::larger,
    packs::{lanes::LANES, vectors::Vectors},
};

/// Contacts with boundaries.
pub(super) const WALL: bool = true;
/// Contacts of two bodies.
pub(super) const PAIR: bool = false;

/// The law of the contacts of a pack in lanes.
struct Loaded<L> {
    frame: [Vectors<L>; 3],
    arms: [Vectors<L>; 2],
    first: Motions<L>,
    /// Of contacts with walls the first again, which is not used.
    second: Motions<L>,
}

impl<L: Lanes> Loaded<L> {
    #[inline(always)]
    fn of<const IS_WALL: bool>(simd: L::Simd, pack: &Pack, motions: &[Motion]) -> Self {
        let [normal, tangent, other] = &pack.frame;
        let first = Motions::gathered(simd, &pack.bodies[0], motions);
        Self {
            frame: [
                Vectors::of(simd, normal),
                Vectors::of(simd, tangent),
                Vectors::of(simd, other),
            ],
            arms: [Vectors::of(simd, &pack.arms[0]), Vectors::of(simd, &pack.arms[1])],
            first,
            second: if IS_WALL {
                first
            } else {
                Motions::gathered(simd, &pack.bodies[1], motions)
            },
        }
    }

    /// The velocity to which the law applies, in the frame.
    #[inline(always)]
    fn velocity<const IS_WALL: bool>(&self, simd: L::Simd, pack: &Pack) -> Vectors<L> {
        let mut relative = self.first.at(self.arms[0]);
        if !IS_WALL {
            relative = relative - self.second.at(self.arms[1]);
        }
        let [normal, tangent, other] = self.frame;
        let local = Vectors([normal.dot(relative), tangent.dot(relative), other.dot(relative)]);
        local + Vectors::of(simd, &pack.offset)
    }

    /// Applies impulses in the frames and writes the motions.
    #[inline(always)]
    fn push<const IS_WALL: bool>(
        &self,
        simd: L::Simd,
        pack: &Pack,
        impulse: Vectors<L>,
        motions: &mut [Motion],
    ) {
        let ([x, y, z], [normal, tangent, other]) = (impulse.0, self.frame);
        let impulse = normal * x + tangent * y + other * z;
        self.first.push(simd, self.arms[0], impulse, &pack.bodies[0], motions);
        if !IS_WALL {
            self.second.pull(simd, self.arms[1], impulse, &pack.bodies[1], motions);
        }
    }
}

/// The square of the largest velocity to which the law applies (m/s)².
pub(super) struct Fastest<'a> {
    pub(super) walls: &'a [Pack],
    pub(super) pairs: &'a [Pack],
    pub(super) motions: &'a [Motion],
}

impl Work for Fastest<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> f64 {
        let Self { walls, pairs, motions } = self;
        let mut largest = L::all(simd, 0.0);
        for pack in walls {
            let velocity =
                Loaded::<L>::of::<WALL>(simd, pack, motions).velocity::<WALL>(simd, pack);
            let square = velocity.dot(velocity);
            largest = largest.if_below(square, square, largest);
        }
        for pack in pairs {
            let velocity =
                Loaded::<L>::of::<PAIR>(simd, pack, motions).velocity::<PAIR>(simd, pack);
            let square = velocity.dot(velocity);
            largest = largest.if_below(square, square, largest);
        }
        let [a, b, c, d] = largest.values();
        a.max(b).max(c).max(d)
    }
}

/// Applies the impulses carried over.
pub(super) struct WarmStart<'a> {
    pub(super) walls: &'a [Pack],
    pub(super) pairs: &'a [Pack],
    pub(super) motions: &'a mut [Motion],
}

impl Work for WarmStart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) {
        let Self { walls, pairs, motions } = self;
        for pack in walls {
            let impulse = Vectors::of(simd, &pack.impulse);
            let loaded = Loaded::<L>::of::<WALL>(simd, pack, motions);
            loaded.push::<WALL>(simd, pack, impulse, motions);
        }
        for pack in pairs {
            let impulse = Vectors::of(simd, &pack.impulse);
            let loaded = Loaded::<L>::of::<PAIR>(simd, pack, motions);
            loaded.push::<PAIR>(simd, pack, impulse, motions);
        }
    }
}

/// Solves every contact in turn with the others fixed. The output is the square of the largest change as a velocity
/// (m/s)².
pub(super) struct Sweep<'a> {
    pub(super) walls: &'a mut [Pack],
    pub(super) pairs: &'a mut [Pack],
    pub(super) solve: Solve<'a>,
    pub(super) motions: &'a mut [Motion],
    pub(super) backwards: bool,
}

impl Work for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> f64 {
        let Self { walls, pairs, solve, motions, backwards } = self;
        let mut largest = L::all(simd, 0.0);
        let [wall_count, pair_count] = [walls.len(), pairs.len()];
        // Walls are first, or last backwards.
        for walls_now in [!backwards, backwards] {
            if walls_now {
                for k in 0..wall_count {
                    let at = if backwards { wall_count - 1 - k } else { k };
                    let change = solve.pack::<L, WALL>(simd, &mut walls[at], motions);
                    largest = largest.larger(change);
                }
            } else {
                for k in 0..pair_count {
                    let at = if backwards { pair_count - 1 - k } else { k };
                    let change = solve.pack::<L, PAIR>(simd, &mut pairs[at], motions);
                    largest = largest.larger(change);
                }
            }
        }
        let [a, b, c, d] = largest.values();
        [b, c, d].into_iter().fold(a, larger)
    }
}

/// What a solve needs beside the pack.
#[derive(Clone, Copy)]
pub(super) struct Solve<'a> {
    pub(super) details: &'a [Details],
    pub(super) law: Law,
}

impl Solve<'_> {
    /// Solves the contacts of a pack, and returns the squares of the changes as velocities (m/s)².
    #[inline(always)]
    fn pack<L: Lanes, const IS_WALL: bool>(
        self,
        simd: L::Simd,
        pack: &mut Pack,
        motions: &mut [Motion],
    ) -> L {
        let loaded = Loaded::<L>::of::<IS_WALL>(simd, pack, motions);
        let velocity = loaded.velocity::<IS_WALL>(simd, pack);
        let impulse = Vectors::of(simd, &pack.impulse);
        let [zero, one] = [L::all(simd, 0.0), L::all(simd, 1.0)];
        let sticking = impulse - inverse_times(simd, pack, velocity);
        let limit = L::of(simd, pack.friction) * sticking.0[0];
        let (along, across) = (sticking.0[1], sticking.0[2]);
        let push = Vectors::of(simd, &pack.row).dot(impulse);
        // One where a contact neither sticks nor opens, also where a number is none.
        let slides = (along * along + across * across).if_at_most(limit * limit, zero, one);
        let slides = zero.if_at_most(sticking.0[0], slides, one);
        let slides = push.if_below(velocity.0[0], zero, slides);
        let mut solved =
            Vectors::if_below(push, velocity.0[0], Vectors([zero, zero, zero]), sticking);
        let slides = slides.values();
        if slides[0] + slides[1] + (slides[2] + slides[3]) > 0.0 {
            let mut values = solved.values();
            self.slide(pack, &slides, &velocity.values(), &mut values);
            solved = Vectors::of(simd, &values);
        }
        let change = solved - impulse;
        pack.impulse = solved.values();
        loaded.push::<IS_WALL>(simd, pack, change, motions);
        let inverse_mass = L::of(simd, pack.inverse_mass);
        change.dot(change) * inverse_mass * inverse_mass
    }

    /// Solves the contacts that slide.
    #[inline(never)]
    fn slide(
        self,
        pack: &Pack,
        slides: &[f64; LANES],
        velocity: &[[f64; LANES]; 3],
        solved: &mut [[f64; LANES]; 3],
    ) {
        for lane in 0..LANES {
            if slides[lane] == 0.0 {
                continue;
            }
            // Behind the last contact the first is repeated.
            if lane > 0 && pack.contacts[lane] == pack.contacts[0] {
                for axis in 0..3 {
                    solved[axis][lane] = solved[axis][0];
                }
                continue;
            }
            let block = &self.details[pack.contacts[lane] as usize].block;
            let impulse = vector(&pack.impulse, lane);
            let velocity = vector(velocity, lane);
            let is_singular = pack.inverse[0][lane].is_nan();
            let found = slid(block, self.law, is_singular, &impulse, &velocity);
            for axis in 0..3 {
                solved[axis][lane] = found[axis];
            }
        }
    }
}

/// The vector of a contact.
#[inline(always)]
pub(super) fn vector(lanes: &[[f64; LANES]; 3], lane: usize) -> Vector3<f64> {
    Vector3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane])
}

/// The impulse that changes the velocity by this.
#[inline(always)]
fn inverse_times<L: Lanes>(simd: L::Simd, pack: &Pack, velocity: Vectors<L>) -> Vectors<L> {
    let [x, y, z] = velocity.0;
    let [nn, nt, no, tt, to, oo] = &pack.inverse;
    let [nn, nt, no] = [L::of(simd, *nn), L::of(simd, *nt), L::of(simd, *no)];
    let [tt, to, oo] = [L::of(simd, *tt), L::of(simd, *to), L::of(simd, *oo)];
    Vectors([nn * x + nt * y + no * z, nt * x + tt * y + to * z, no * x + to * y + oo * z])
}
