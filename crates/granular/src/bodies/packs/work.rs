//! What is done with all packs of a slab, eight contacts at a time: [`WarmStart`], [`Sweep`] and [`Certify`].
//!
//! The operations are those of [`Contact`](crate::bodies::contact::Contact) in the same order, so the results are the
//! same to the bit. Where it branches, both sides are computed and one is selected.

use nalgebra::Vector3;
use percussion_complementarity::friction::{Figures, Law, single};

use super::{
    Beside, Lanes, Motion, Pack, Work,
    judged::residuals,
    loaded::{Loaded, PAIR, WALL},
    slides::{self, Sliding},
};
use crate::{
    bodies::contact::{Contact, NO_BODY, slid},
    contact::{Account, larger},
    packs::{lanes::LANES, vectors::Vectors},
};

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
    pub(super) walls: (&'a mut [Pack], &'a [Beside], &'a Blocks),
    pub(super) pairs: (&'a mut [Pack], &'a [Beside], &'a Blocks),
    pub(super) law: Law,
    pub(super) motions: &'a mut [Motion],
    pub(super) backwards: bool,
}

/// The [prepared](super::Group::prepare_blocks) blocks of the contacts of all packs, or none.
type Blocks = [single::Contact];

impl Work for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> f64 {
        let Self { walls, pairs, law, motions, backwards } = self;
        let mut largest = L::all(simd, 0.0);
        let [wall_count, pair_count] = [walls.0.len(), pairs.0.len()];
        // Walls are first, or last backwards.
        for walls_now in [!backwards, backwards] {
            if walls_now {
                for k in 0..wall_count {
                    let at = if backwards { wall_count - 1 - k } else { k };
                    let pack = (&mut walls.0[at], &walls.1[at]);
                    let blocks = (walls.2, at);
                    largest = largest.larger(solve::<L, WALL>(simd, pack, blocks, law, motions));
                }
            } else {
                for k in 0..pair_count {
                    let at = if backwards { pair_count - 1 - k } else { k };
                    let pack = (&mut pairs.0[at], &pairs.1[at]);
                    let blocks = (pairs.2, at);
                    largest = largest.larger(solve::<L, PAIR>(simd, pack, blocks, law, motions));
                }
            }
        }
        largest.values().into_iter().fold(0.0, larger)
    }
}

/// Solves the contacts of a pack, and returns the squares of the changes as velocities (m/s)².
#[inline(always)]
fn solve<L: Lanes, const IS_WALL: bool>(
    simd: L::Simd,
    (pack, beside): (&mut Pack, &Beside),
    blocks: (&Blocks, usize),
    law: Law,
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
    let mut solved = Vectors::if_below(push, velocity.0[0], Vectors([zero, zero, zero]), sticking);
    if slides.is_any_positive() {
        let mut left = slides;
        if law == Law::Coulomb {
            let after = block_times(simd, (pack, beside), push, impulse);
            let Sliding { impulse, found } =
                slides::slide(simd, (pack, beside), after - velocity, impulse, slides);
            let found = zero.if_below(slides, found, zero);
            solved = Vectors::if_below(zero, found, impulse, solved);
            left = zero.if_below(found, zero, slides);
        }
        if left.is_any_positive() {
            let mut values = solved.values();
            let velocity = velocity.values();
            slide((pack, beside), blocks, law, (&left.values(), &velocity), &mut values);
            solved = Vectors::of(simd, &values);
        }
    }
    let change = solved - impulse;
    pack.impulse = solved.values();
    loaded.push::<IS_WALL>(simd, pack, change, motions);
    let inverse_mass = L::of(simd, pack.inverse_mass);
    change.dot(change) * inverse_mass * inverse_mass
}

/// The velocity from the impulse, whose normal part is `push`.
#[inline(always)]
fn block_times<L: Lanes>(
    simd: L::Simd,
    (pack, beside): (&Pack, &Beside),
    push: L,
    impulse: Vectors<L>,
) -> Vectors<L> {
    let [_, nt, no] = Vectors::of(simd, &pack.row).0;
    let [tt, to, oo] = Vectors::of(simd, &beside.rest).0;
    Vectors([push, Vectors([nt, tt, to]).dot(impulse), Vectors([no, to, oo]).dot(impulse)])
}

/// Solves the contacts that slide and are left to this.
#[inline(never)]
fn slide(
    (pack, beside): (&Pack, &Beside),
    (blocks, at): (&Blocks, usize),
    law: Law,
    (left, velocity): (&[f64; LANES], &[[f64; LANES]; 3]),
    solved: &mut [[f64; LANES]; 3],
) {
    for lane in 0..LANES {
        if left[lane] == 0.0 {
            continue;
        }
        let found = if lane > 0 && pack.contacts[lane] == pack.contacts[0] {
            // Behind the last contact the first is repeated.
            vector(solved, 0)
        } else {
            let (impulse, velocity) = (vector(&pack.impulse, lane), vector(velocity, lane));
            let is_singular = pack.inverse[0][lane].is_nan();
            let made;
            let block = match blocks.get(at * LANES + lane) {
                Some(block) => block,
                None => {
                    made = pack.block(beside, lane);
                    // Blocks were checked.
                    let Ok(block) = &made else { continue };
                    block
                }
            };
            slid(block, law, is_singular, &impulse, &velocity)
        };
        for axis in 0..3 {
            solved[axis][lane] = found[axis];
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

/// Evaluates the impulses with the motions after them, and stores them in the contacts.
pub(super) struct Certify<'a> {
    pub(super) walls: Swept<'a>,
    pub(super) pairs: Swept<'a>,
    pub(super) contacts: &'a mut [Contact],
    pub(super) motions: &'a [Motion],
    pub(super) law: Law,
    pub(super) step: f64,
}

/// Packs after the sweeps.
pub(super) struct Swept<'a> {
    pub(super) packs: &'a [Pack],
    pub(super) besides: &'a mut [Beside],
    pub(super) blocks: &'a Blocks,
    /// Numbers of contacts.
    pub(super) filled: &'a [u8],
}

impl Work for Certify<'_> {
    type Output = Account;

    #[inline(always)]
    fn run<L: Lanes>(mut self, simd: L::Simd) -> Account {
        let mut account = Account::default();
        for at in 0..self.walls.packs.len() {
            let Swept { packs, besides, .. } = &mut self.walls;
            let (pack, beside) = (&packs[at], &mut besides[at]);
            let after = After::of::<L, WALL>(simd, pack, beside, self.motions, self.step);
            after.account(&self.walls, at, self.law, self.contacts, &mut account);
        }
        for at in 0..self.pairs.packs.len() {
            let Swept { packs, besides, .. } = &mut self.pairs;
            let (pack, beside) = (&packs[at], &mut besides[at]);
            let after = After::of::<L, PAIR>(simd, pack, beside, self.motions, self.step);
            after.account(&self.pairs, at, self.law, self.contacts, &mut account);
        }
        account
    }
}

/// The velocities to which the law applies after the sweeps, the impulses in the world, and the
/// [residuals](residuals) by Coulomb's law.
struct After {
    velocity: [[f64; LANES]; 3],
    impulse: [[f64; LANES]; 3],
    residuals: [f64; LANES],
}

impl After {
    /// Of a pack, whose gaps after the step are stored.
    #[inline(always)]
    fn of<L: Lanes, const IS_WALL: bool>(
        simd: L::Simd,
        pack: &Pack,
        beside: &mut Beside,
        motions: &[Motion],
        step: f64,
    ) -> Self {
        let loaded = Loaded::<L>::of::<IS_WALL>(simd, pack, motions);
        let velocity = loaded.velocity::<IS_WALL>(simd, pack);
        let relative = velocity.0[0] - L::of(simd, beside.bias);
        let gap = L::of(simd, beside.gap) + L::all(simd, step) * relative;
        beside.gap_after = gap.values();
        let local = Vectors::of(simd, &pack.impulse);
        let [friction, inverse_mass] =
            [&pack.friction, &pack.inverse_mass].map(|x| L::of(simd, *x));
        let residuals = residuals(simd, friction, inverse_mass, local, velocity).values();
        let impulse = loaded.world(local).values();
        Self { velocity: velocity.values(), impulse, residuals }
    }

    /// Adds the contributions of the pack `at`.
    #[inline(never)]
    fn account(
        &self,
        swept: &Swept<'_>,
        at: usize,
        law: Law,
        contacts: &mut [Contact],
        account: &mut Account,
    ) {
        let (pack, beside) = (&swept.packs[at], &swept.besides[at]);
        for lane in 0..usize::from(swept.filled[at]) {
            let (impulse, shifted) = (vector(&pack.impulse, lane), vector(&self.velocity, lane));
            account.overlap = account.overlap.max(-beside.gap_after[lane]);
            // `percussion_complementarity::friction::Problem::contact_residual` (m/s).
            let residual = match swept.blocks.get(at * LANES + lane) {
                Some(block) => Figures::of(law, block, &impulse, &shifted).largest(),
                None if self.residuals[lane].is_nan() => {
                    let (friction, inverse_mass) = (pack.friction[lane], pack.inverse_mass[lane]);
                    Figures::of_coulomb(friction, inverse_mass, &impulse, &shifted).largest()
                }
                None => self.residuals[lane],
            };
            account.residual = larger(account.residual, residual);
            if impulse.x > 0.0 {
                account.closed += 1;
                let velocity = Vector3::new(shifted.x - beside.bias[lane], shifted.y, shifted.z);
                account.work += impulse.dot(&velocity);
            }
            let contact = &mut contacts[pack.contacts[lane] as usize];
            contact.impulse = vector(&self.impulse, lane);
            if contact.bodies[1] == NO_BODY {
                account.wall_impulse += contact.impulse;
                account.wall_work += contact.impulse.dot(&contact.drive);
            }
        }
    }
}
