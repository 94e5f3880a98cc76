//! Resistance to rolling of the contacts of packs, eight at a time: [`Turns`], with the operations of
//! [`Turn`](crate::rolling::Turn) in the same order.

use super::{
    Friction, Pack,
    lanes::{LANES, Lanes, Work},
    vectors::{Both, Vectors},
    work::{largest, solve},
};
use crate::{contact::Account, grains::Motion, rolling::Turn};

/// The moments of a pack, as those of a [`Turn`] each.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Turns {
    pub(super) moment: [[f64; LANES]; 3],
    inverse_radii: [[f64; LANES]; 2],
    bounds: [[f64; LANES]; 2],
}

impl Turns {
    /// Enters the moment of a contact.
    pub(super) fn put(&mut self, lane: usize, turn: &Turn) {
        for axis in 0..3 {
            self.moment[axis][lane] = turn.moment[axis];
        }
        for k in 0..2 {
            self.inverse_radii[k][lane] = turn.inverse_radii[k];
            self.bounds[k][lane] = turn.bounds[k];
        }
    }
}

/// The moments of a pack with what they act on.
struct Rolling<L: Lanes> {
    simd: L::Simd,
    both: Both<L>,
    normal: Vectors<L>,
    moment: Vectors<L>,
    inverse_radii: [L; 2],
    bounds: [L; 2],
    /// Impulses along the normals (N·s).
    along: L,
    yields: L,
    shares: [L; 2],
}

impl<L: Lanes> Rolling<L> {
    #[inline(always)]
    fn of(simd: L::Simd, pack: &Pack, turns: &Turns, motions: &[Motion]) -> Self {
        let both = Both::<L>::gathered(simd, &pack.grains, motions);
        let normal = Vectors::<L>::of(simd, &pack.normal);
        let [i, j] = turns.inverse_radii.map(|each| L::of(simd, each));
        let shares = [both.first.spin_yield * i, both.second.spin_yield * j];
        Self {
            simd,
            normal,
            moment: Vectors::of(simd, &turns.moment),
            inverse_radii: [i, j],
            bounds: turns.bounds.map(|each| L::of(simd, each)),
            along: Vectors::of(simd, &pack.impulse).dot(normal),
            yields: shares[0] * i + shares[1] * j,
            shares,
            both,
        }
    }

    #[inline(always)]
    fn velocity(&self) -> Vectors<L> {
        self.both.first.spin * self.inverse_radii[0] - self.both.second.spin * self.inverse_radii[1]
    }

    /// The moments that solve the contacts.
    #[inline(always)]
    fn solved(&self) -> Vectors<L> {
        let moment = self.moment - self.velocity() / self.yields;
        let [rolling, spinning] = [self.bounds[0] * self.along, self.bounds[1] * self.along];
        let spin = moment.dot(self.normal);
        let roll = moment - self.normal * spin;
        let squared = roll.dot(roll);
        let one = L::all(self.simd, 1.0);
        let shorter = (rolling * rolling).if_below(squared, rolling / squared.sqrt(), one);
        let least = L::all(self.simd, 0.0) - spinning;
        let spin = spin.if_below(least, least, spinning.if_below(spin, spinning, spin));
        roll * shorter + self.normal * spin
    }

    /// The squares of changes of the moments as velocities (m/s)².
    #[inline(always)]
    fn natural(&self, change: Vectors<L>) -> L {
        let spin = change.dot(self.normal);
        let across = change - self.normal * spin;
        let roll = across.dot(across);
        let [rolling, spinning] = self.bounds;
        (roll * rolling * rolling + spin * spin * spinning * spinning) * self.yields * self.yields
    }

    /// Applies moments.
    #[inline(always)]
    fn turn(&mut self, change: Vectors<L>, pack: &Pack, motions: &mut [Motion]) {
        let Both { first, second } = &mut self.both;
        first.spin = first.spin + change * self.shares[0];
        second.spin = second.spin - change * self.shares[1];
        self.both.scatter(&pack.grains, motions);
    }
}

/// As [`Sweep`](super::work::Sweep), with the moment of each contact after its impulse.
pub(super) struct SweepTurns<'a> {
    pub(super) packs: &'a mut [Pack],
    pub(super) turns: &'a mut [Turns],
    pub(super) friction: &'a Friction,
    pub(super) motions: &'a mut [Motion],
    pub(super) backwards: bool,
}

impl Work for SweepTurns<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> f64 {
        let Self { packs, turns, friction, motions, backwards } = self;
        let mut change = L::all(simd, 0.0);
        let count = packs.len();
        for done in 0..count {
            let at = if backwards { count - 1 - done } else { done };
            let (pack, turns) = (&mut packs[at], &mut turns[at]);
            change = change.larger(solve::<L>(simd, pack, friction.of(simd, at), motions));
            let mut rolling = Rolling::<L>::of(simd, pack, turns, motions);
            let solved = rolling.solved();
            let turned = solved - rolling.moment;
            turns.moment = solved.values();
            rolling.turn(turned, pack, motions);
            change = change.larger(rolling.natural(turned));
        }
        largest(change)
    }
}

/// Applies the moments carried over.
pub(super) struct WarmTurns<'a> {
    pub(super) packs: &'a [Pack],
    pub(super) turns: &'a [Turns],
    pub(super) motions: &'a mut [Motion],
}

impl Work for WarmTurns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) {
        for (pack, turns) in self.packs.iter().zip(self.turns) {
            let mut rolling = Rolling::<L>::of(simd, pack, turns, self.motions);
            rolling.turn(rolling.moment, pack, self.motions);
        }
    }
}

/// Residual and work of the moments.
pub(super) struct CertifyTurns<'a> {
    pub(super) packs: &'a [Pack],
    pub(super) turns: &'a [Turns],
    pub(super) filled: &'a [u8],
    pub(super) motions: &'a [Motion],
}

impl Work for CertifyTurns<'_> {
    type Output = Account;

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> Account {
        let (mut residual, mut work) = (L::all(simd, 0.0), 0.0);
        for ((pack, turns), filled) in self.packs.iter().zip(self.turns).zip(self.filled) {
            let rolling = Rolling::<L>::of(simd, pack, turns, self.motions);
            residual = residual.larger(rolling.natural(rolling.moment - rolling.solved()));
            let works = rolling.moment.dot(rolling.velocity()).values();
            work += works[..usize::from(*filled)].iter().sum::<f64>();
        }
        Account { residual: largest(residual).sqrt(), work, ..Account::default() }
    }
}
