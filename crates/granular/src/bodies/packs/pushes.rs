//! Pushes that remove the overlaps of the contacts of a pack: [`Pushes`].
//!
//! They are those of [`correction`](crate::correction), but for bodies that rotate.

use super::{
    Beside, Pack,
    loaded::{PAIR, WALL},
    motions::{Twists, Yieldings},
    work::vector,
};
use crate::{
    bodies::{contact::Motion, twist::Twist},
    packs::{
        lanes::{LANES, Lanes, Work, each},
        vectors::Vectors,
    },
};

/// The pushes of a [`Pack`].
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Pushes {
    normal: [[f64; LANES]; 3],
    /// Growth of the gap by a rotation of each body (m/rad), of the second with the other sign.
    turns: [[[f64; LANES]; 3]; 2],
    /// Displacement of each body along the normal, and its rotation, by a unit push.
    shares: [[f64; LANES]; 2],
    tilts: [[[f64; LANES]; 3]; 2],
    /// `1/W_nn` (kg).
    mass: [f64; LANES],
    /// Required growth of the gap, or minus its allowed reduction (m); minus infinity for a contact without push.
    target: [f64; LANES],
    /// `π` (kg·m, ≥ 0).
    push: [f64; LANES],
    bodies: [[u32; LANES]; 2],
}

/// Collects the pushes that remove the fraction `part` of the overlap after the motion, or keep the gap, of contacts whose
/// gap is then below `deepest` (m).
pub(super) struct Prepare<'a> {
    /// Those with walls and the others.
    pub(super) packs: [(&'a [Pack], &'a [Beside]); 2],
    pub(super) pushes: [&'a mut Vec<Pushes>; 2],
    pub(super) motions: &'a [Motion],
    pub(super) part: f64,
    pub(super) deepest: f64,
}

impl Work for Prepare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) {
        let Self { packs: [walls, pairs], pushes: [of_walls, of_pairs], .. } = self;
        of_walls.clear();
        of_pairs.clear();
        let limits = [L::all(simd, self.part), L::all(simd, self.deepest)];
        let motions = self.motions;
        for (pack, beside) in walls.0.iter().zip(walls.1) {
            if let Some(targets) = targets(simd, beside, limits) {
                of_walls.push(prepared::<L, WALL>(simd, pack, targets, motions));
            }
        }
        for (pack, beside) in pairs.0.iter().zip(pairs.1) {
            if let Some(targets) = targets(simd, beside, limits) {
                of_pairs.push(prepared::<L, PAIR>(simd, pack, targets, motions));
            }
        }
    }
}

/// The targets of the contacts of a pack, if one of them needs a push.
#[inline(always)]
fn targets<L: Lanes>(simd: L::Simd, beside: &Beside, [part, deepest]: [L; 2]) -> Option<L> {
    let (zero, gap) = (L::all(simd, 0.0), L::of(simd, beside.gap_after));
    let needs = gap.if_below(deepest, L::all(simd, 1.0), zero);
    let target = gap.if_below(zero, -part * gap, -gap);
    let target = gap.if_below(deepest, target, L::all(simd, f64::NEG_INFINITY));
    needs.is_any_positive().then_some(target)
}

#[inline(always)]
fn prepared<L: Lanes, const IS_WALL: bool>(
    simd: L::Simd,
    pack: &Pack,
    target: L,
    motions: &[Motion],
) -> Pushes {
    let normal = Vectors::<L>::of(simd, &pack.frame[0]);
    let (zero, one) = (L::all(simd, 0.0), L::all(simd, 1.0));
    let none = Vectors([zero, zero, zero]);
    let turn = Vectors::of(simd, &pack.arms[0]).cross(normal);
    let first = response(simd, turn, &pack.bodies[0], motions);
    let second = if IS_WALL {
        (none, zero, none)
    } else {
        let turn = none - Vectors::of(simd, &pack.arms[1]).cross(normal);
        response(simd, turn, &pack.bodies[1], motions)
    };
    Pushes {
        normal: pack.frame[0],
        turns: [first.0.values(), second.0.values()],
        shares: [first.1.values(), second.1.values()],
        tilts: [first.2.values(), second.2.values()],
        mass: (one / L::of(simd, pack.row[0])).values(),
        target: target.values(),
        push: [0.0; LANES],
        bodies: pack.bodies,
    }
}

/// The turn itself, and the displacement and rotation by a unit push.
#[inline(always)]
fn response<L: Lanes>(
    simd: L::Simd,
    turn: Vectors<L>,
    places: &[u32; LANES],
    motions: &[Motion],
) -> (Vectors<L>, L, Vectors<L>) {
    let yielding = Yieldings::gathered(simd, places, motions);
    (turn, yielding.inverse_mass, yielding.turn(turn))
}

/// Pushes the bodies of each overlap apart, one contact after another.
pub(super) struct Push<'a> {
    pub(super) walls: &'a mut [Pushes],
    pub(super) pairs: &'a mut [Pushes],
    pub(super) shifts: &'a mut [Twist],
}

impl Work for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) {
        let Self { walls, pairs, shifts } = self;
        for pushes in walls {
            pushes.sweep::<L, WALL>(simd, shifts);
        }
        for pushes in pairs {
            pushes.sweep::<L, PAIR>(simd, shifts);
        }
    }
}

impl Pushes {
    /// Lets contacts that were made with a second body that yields push the first alone.
    pub(super) fn fix_second(&mut self) {
        for lane in 0..LANES {
            let turned = vector(&self.turns[0], lane).dot(&vector(&self.tilts[0], lane));
            self.mass[lane] = 1.0 / (self.shares[0][lane] + turned);
        }
    }

    #[inline(always)]
    fn sweep<L: Lanes, const IS_WALL: bool>(&mut self, simd: L::Simd, shifts: &mut [Twist]) {
        let normal = Vectors::<L>::of(simd, &self.normal);
        let bodies = self.bodies;
        let first = Twists::<L>::gathered(simd, |lane| &shifts[bodies[0][lane] as usize]);
        let turned = Vectors::of(simd, &self.turns[0]).dot(first.angular);
        let mut grown = normal.dot(first.linear) + turned;
        // Of a wall the first again, which is not used.
        let second = if IS_WALL {
            first
        } else {
            Twists::gathered(simd, |lane| &shifts[bodies[1][lane] as usize])
        };
        if !IS_WALL {
            let turned = Vectors::of(simd, &self.turns[1]).dot(second.angular);
            grown = grown + (turned - normal.dot(second.linear));
        }
        let (zero, before) = (L::all(simd, 0.0), L::of(simd, self.push));
        let after = before + L::of(simd, self.mass) * (L::of(simd, self.target) - grown);
        let more = zero.if_below(after, after, zero) - before;
        self.push = (before + more).values();
        let linear = first.linear + normal * (more * L::of(simd, self.shares[0]));
        let angular = first.angular + Vectors::of(simd, &self.tilts[0]) * more;
        let twists = first.with(linear, angular).scattered(simd);
        each(|lane| shifts[bodies[0][lane] as usize] = twists[lane]);
        if !IS_WALL {
            let linear = second.linear - normal * (more * L::of(simd, self.shares[1]));
            let angular = second.angular + Vectors::of(simd, &self.tilts[1]) * more;
            let twists = second.with(linear, angular).scattered(simd);
            each(|lane| shifts[bodies[1][lane] as usize] = twists[lane]);
        }
    }
}
