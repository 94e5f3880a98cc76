//! Pushes that remove the overlaps of the contacts of a pack: [`Pushes`].
//!
//! They are those of [`correction`](crate::correction), but for bodies that rotate.

use nalgebra::Vector3;

use super::{
    Beside, Pack,
    loaded::{PAIR, WALL},
    motions::Motions,
};
use crate::{
    bodies::contact::Motion,
    packs::{
        lanes::{LANES, Lanes, Work},
        vectors::Vectors,
    },
};

/// Displacement of a body and its rotation: one cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(in crate::bodies) struct Shift {
    /// From the place at the end of the step (m).
    pub(in crate::bodies) by: Vector3<f64>,
    /// Rotation vector (rad).
    pub(in crate::bodies) tilt: Vector3<f64>,
    /// Not used, so that vectors are read and written whole.
    rest: [f64; 2],
}

impl Shift {
    pub(in crate::bodies) fn none() -> Self {
        Self { by: Vector3::zeros(), tilt: Vector3::zeros(), rest: [0.0; 2] }
    }
}

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
    let bodies = Motions::gathered(simd, places, motions);
    (turn, bodies.inverse_mass, bodies.turn(simd, turn, places, motions))
}

/// Pushes the bodies of each overlap apart, one contact after another.
pub(super) struct Push<'a> {
    pub(super) walls: &'a mut [Pushes],
    pub(super) pairs: &'a mut [Pushes],
    pub(super) shifts: &'a mut [Shift],
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
    #[inline(always)]
    fn sweep<L: Lanes, const IS_WALL: bool>(&mut self, simd: L::Simd, shifts: &mut [Shift]) {
        let normal = Vectors::<L>::of(simd, &self.normal);
        let first = Shifts::<L>::gathered(simd, &self.bodies[0], shifts);
        let mut grown = normal.dot(first.by) + Vectors::of(simd, &self.turns[0]).dot(first.tilt);
        // Of a wall the first again, which is not used.
        let second = if IS_WALL { first } else { Shifts::gathered(simd, &self.bodies[1], shifts) };
        if !IS_WALL {
            let turned = Vectors::of(simd, &self.turns[1]).dot(second.tilt);
            grown = grown + (turned - normal.dot(second.by));
        }
        let (zero, before) = (L::all(simd, 0.0), L::of(simd, self.push));
        let after = before + L::of(simd, self.mass) * (L::of(simd, self.target) - grown);
        let more = zero.if_below(after, after, zero) - before;
        self.push = (before + more).values();
        let by = first.by + normal * (more * L::of(simd, self.shares[0]));
        let tilt = first.tilt + Vectors::of(simd, &self.tilts[0]) * more;
        Shifts { by, tilt }.scatter(simd, &self.bodies[0], shifts);
        if !IS_WALL {
            let by = second.by - normal * (more * L::of(simd, self.shares[1]));
            let tilt = second.tilt + Vectors::of(simd, &self.tilts[1]) * more;
            Shifts { by, tilt }.scatter(simd, &self.bodies[1], shifts);
        }
    }
}

/// One shift for each contact.
#[derive(Clone, Copy)]
struct Shifts<L> {
    by: Vectors<L>,
    tilt: Vectors<L>,
}

#[inline(always)]
fn rows<L: Lanes>(simd: L::Simd, Shift { by, tilt, rest }: &Shift) -> [L; 2] {
    [L::of(simd, [by.x, by.y, by.z, tilt.x]), L::of(simd, [tilt.y, tilt.z, rest[0], rest[1]])]
}

#[inline(always)]
fn write<L: Lanes>([first, second]: [L; 2], shift: &mut Shift) {
    let (first, second) = (first.values(), second.values());
    (shift.by.x, shift.by.y, shift.by.z) = (first[0], first[1], first[2]);
    (shift.tilt.x, shift.tilt.y, shift.tilt.z) = (first[3], second[0], second[1]);
    (shift.rest[0], shift.rest[1]) = (second[2], second[3]);
}

impl<L: Lanes> Shifts<L> {
    /// Those of the bodies at these places.
    #[inline(always)]
    fn gathered(simd: L::Simd, places: &[u32; LANES], shifts: &[Shift]) -> Self {
        let [a, b, c, d] = *places;
        let [a, e] = rows(simd, &shifts[a as usize]);
        let [b, f] = rows(simd, &shifts[b as usize]);
        let [c, g] = rows(simd, &shifts[c as usize]);
        let [d, h] = rows(simd, &shifts[d as usize]);
        let [u, v, w, x] = L::transposed([a, b, c, d]);
        let [y, z, _, _] = L::transposed([e, f, g, h]);
        Self { by: Vectors([u, v, w]), tilt: Vectors([x, y, z]) }
    }

    /// Writes the shifts, whole, because vectors are written faster than their parts.
    #[inline(always)]
    fn scatter(&self, simd: L::Simd, places: &[u32; LANES], shifts: &mut [Shift]) {
        let ([u, v, w], [x, y, z]) = (self.by.0, self.tilt.0);
        let zero = L::all(simd, 0.0);
        let [a, b, c, d] = L::transposed([u, v, w, x]);
        let [e, f, g, h] = L::transposed([y, z, zero, zero]);
        write([a, e], &mut shifts[places[0] as usize]);
        write([b, f], &mut shifts[places[1] as usize]);
        write([c, g], &mut shifts[places[2] as usize]);
        write([d, h], &mut shifts[places[3] as usize]);
    }
}
