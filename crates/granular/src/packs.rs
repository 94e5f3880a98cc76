//! Contacts of the grains of a slab in packs of eight that share no grain and are solved at once: [`Packs`].
//!
//! One contact takes about 100 operations, each of which waits for the one before, and the next contact mostly shares a
//! grain with it. Eight contacts without a common grain take no more time than one on processors with vectors of eight
//! numbers, and no branches.
//!
//! **The result is that of one contact after another, to the bit.** Contacts without a common grain can be exchanged, so
//! only the order of the contacts of each grain matters. Each contact therefore enters the first pack with room after
//! those that contain its two grains. All operations are those of
//! [`Contact`](crate::contact::Contact), in the same order, and without fused
//! multiplications; they do not depend on the processor either. Only the sums over contacts that a step reports are added
//! up in the order of the packs.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod lanes;
pub(crate) mod order;
pub(crate) mod processor;
mod turns;
pub(crate) mod vectors;
mod work;

use std::{array, iter};

use nalgebra::Vector3;

use self::{
    lanes::{LANES, Lanes},
    order::Order,
    processor::run,
    turns::{CertifyTurns, SweepTurns, Turns, WarmTurns},
    work::{Assemble, Bounce, Certify, Move, Sweep, WarmStart},
};
use crate::{
    contact::{Account, Contact, larger},
    correction::Shift,
    grains::Motion,
    materials::{Interaction, Materials},
    rolling::Turn,
    settings::{Correction, Settings},
};

/// Contacts without a common grain. Behind the last contact the first is repeated, which writes the same again.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Pack {
    grains: [[u32; LANES]; 2],
    normal: [[f64; LANES]; 3],
    bias: [f64; LANES],
    impulse: [[f64; LANES]; 3],
}

/// What the sweeps do not read of a pack.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    gap: [f64; LANES],
    /// The pairs to which the contacts belong.
    pairs: [u32; LANES],
}

/// The removal of the overlaps of a pack.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Room {
    /// Required separation, or minus the allowed approach (m).
    target: [f64; LANES],
    /// Separation so far (m, ≥ 0).
    distance: [f64; LANES],
}

/// Coefficients of friction.
#[derive(Clone, Debug, Default)]
struct Friction {
    /// That of all contacts, if `each` is empty.
    all: f64,
    /// Those of each pack.
    each: Vec<[f64; LANES]>,
}

impl Friction {
    /// Those of the contacts of pack `at`.
    #[inline(always)]
    fn of<L: Lanes>(&self, simd: L::Simd, at: usize) -> L {
        match self.each.get(at) {
            None => L::all(simd, self.all),
            Some(each) => L::of(simd, *each),
        }
    }
}

/// How the grains of a slab touch.
#[derive(Clone, Copy, Debug)]
struct Table<'a> {
    materials: &'a Materials,
    /// The materials of the grains, from the first of the slab on.
    own: &'a [u8],
}

impl Table<'_> {
    /// An entry for each contact of a pack.
    fn of(&self, pack: &Pack, entry: impl Fn(&Interaction) -> f64) -> [f64; LANES] {
        let [first, second] = pack.grains.map(|grains| grains.map(|at| self.own[at as usize]));
        array::from_fn(|lane| entry(self.materials.between(first[lane], second[lane])))
    }
}

/// Two grains that can touch within the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Numbered from the first of the slab.
    pub(crate) grains: [u32; 2],
    /// The number of the pair.
    pub(crate) pair: u32,
    /// From the second center to the first (m).
    pub(crate) apart: Vector3<f64>,
    /// The sum of radii (m).
    pub(crate) touching: f64,
    /// The last impulse on the first grain (N·s).
    pub(crate) impulse: Vector3<f64>,
}

/// A contact after its last sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    /// Numbered from the first of the slab.
    pub(crate) grains: [u32; 2],
    /// The number of the pair.
    pub(crate) pair: u32,
    /// From the second grain to the first.
    pub(crate) normal: Vector3<f64>,
    /// At the beginning of the step (m).
    pub(crate) gap: f64,
    /// On the first grain (N·s).
    pub(crate) impulse: Vector3<f64>,
}

/// The contacts of a slab.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packs {
    packs: Vec<Pack>,
    besides: Vec<Beside>,
    /// As of the last [`certify`](Self::certify).
    rooms: Vec<Room>,
    friction: Friction,
    /// One for each pack, or none.
    turns: Vec<Turns>,
    order: Order,
}

impl Packs {
    /// Number of contacts.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// Deletes all contacts.
    pub(crate) fn clear(&mut self) {
        let Self { packs, besides, rooms: _, friction: _, turns, order } = self;
        packs.clear();
        turns.clear();
        besides.clear();
        order.clear();
    }

    /// Allocates for so many contacts, because growing leaves holes in memory.
    pub(crate) fn reserve(&mut self, count: usize) {
        let count = count.div_ceil(LANES);
        self.packs.reserve(count);
        self.besides.reserve(count);
        self.order.reserve(count);
    }

    /// Appends the contact of a [`Near`] pair. It is complete after [`assemble`](Self::assemble).
    #[inline(always)]
    pub(crate) fn push(&mut self, near: &Near) {
        let [at, lane] = self.order.enter(near.grains);
        if at == self.packs.len() {
            self.packs.push(Pack::default());
            self.besides.push(Beside::default());
        }
        // The first contact of a pack enters all lanes.
        let lanes = if lane == 0 { 0..LANES } else { lane..lane + 1 };
        let (pack, beside) = (&mut self.packs[at], &mut self.besides[at]);
        for lane in lanes {
            for axis in 0..3 {
                pack.normal[axis][lane] = near.apart[axis];
                pack.impulse[axis][lane] = near.impulse[axis];
            }
            [pack.grains[0][lane], pack.grains[1][lane]] = near.grains;
            (beside.gap[lane], beside.pairs[lane]) = (near.touching, near.pair);
        }
    }

    /// Completes the contacts that were appended; `motions` begin with those of the slab, here and below, and are those
    /// without contact impulses. Returns the deepest overlap (m, ≥ 0) and the square of the largest free velocity of a
    /// contact (m/s)². Materials are those of the grains, from the first of the slab on.
    pub(crate) fn assemble(
        &mut self,
        motions: &[Motion],
        settings: &Settings,
        (materials, own): (&Materials, &[u8]),
    ) -> [f64; 2] {
        let Self { packs, besides, friction, .. } = self;
        friction.all = materials.only_friction().unwrap_or(settings.friction);
        friction.each.clear();
        let table = Table { materials, own };
        if !materials.is_empty() && materials.only_friction().is_none() {
            friction.each.extend(packs.iter().map(|pack| table.of(pack, |pair| pair.friction)));
        }
        let (friction, step) = (&*friction, settings.step_size);
        let part = settings.part_by_velocity();
        let figures = run(Assemble { packs, besides, friction, part, step, motions });
        if materials.bounce() {
            run(Bounce { packs, besides, table, step, motions });
        }
        figures
    }

    /// Adds the moments of contacts that resist rolling; those of the last step are numbered as pairs.
    pub(crate) fn resist(
        &mut self,
        (materials, own): (&Materials, &[u8]),
        radii: &[f64],
        moments: &[Vector3<f64>],
        motions: &[Motion],
    ) {
        let Self { packs, besides, turns, .. } = self;
        turns.resize(packs.len(), Turns::default());
        for ((pack, beside), turns) in packs.iter().zip(besides).zip(turns) {
            for lane in 0..LANES {
                let Packed { grains, pair, normal, gap, impulse, .. } = pack.contact(lane, beside);
                let [a, b] = grains.map(|grain| grain as usize);
                let interaction = materials.between(own[a], own[b]);
                let places = [&motions[a], &motions[b]];
                let mut contact = Contact::new(normal, [gap, 0.0], 0.0, places, grains, pair);
                contact.law.impulse = impulse;
                let inverse_radii = [1.0 / radii[a], 1.0 / radii[b]];
                let law = &contact.law;
                turns.put(
                    lane,
                    &Turn::new(&moments[pair as usize], inverse_radii, interaction, law),
                );
            }
        }
    }

    /// The contacts in the order of the sweeps, with their impulses.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Packed> + '_ {
        let all = self.packs.iter().zip(&self.besides).zip(self.order.filled());
        all.flat_map(|((pack, beside), filled)| {
            (0..usize::from(*filled)).map(|lane| pack.contact(lane, beside))
        })
    }

    /// The moments of the contacts in the same order (N·m·s), zero without any.
    pub(crate) fn moments(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        let all = self.turns.iter().map(|turns| turns.moment);
        let all = all.chain(iter::repeat([[0.0; LANES]; 3])).zip(self.order.filled());
        all.flat_map(|(moment, filled)| {
            (0..usize::from(*filled)).map(move |lane| vector(&moment, lane))
        })
    }

    /// Applies the impulses carried over.
    pub(crate) fn warm_start(&self, motions: &mut [Motion]) {
        run(WarmStart { packs: &self.packs, motions });
        if !self.turns.is_empty() {
            run(WarmTurns { packs: &self.packs, turns: &self.turns, motions });
        }
    }

    /// Solves every contact in turn with the others fixed, from the first to the last, or backwards. Returns the square
    /// of the largest natural map before (m/s)².
    pub(crate) fn sweep(&mut self, motions: &mut [Motion], backwards: bool) -> f64 {
        let Self { packs, friction, turns, .. } = self;
        if !turns.is_empty() {
            return run(SweepTurns { packs, turns, friction, motions, backwards });
        }
        run(Sweep { packs, friction, motions, backwards })
    }

    /// Evaluates the impulses with the motions after them, and prepares [`shift`](Self::shift).
    pub(crate) fn certify(&mut self, motions: &[Motion], settings: &Settings) -> Account {
        let Self { packs, besides, rooms, friction, turns, order } = self;
        let part = match settings.correction {
            Correction::Position { part, .. } => {
                rooms.resize(packs.len(), Room::default());
                part
            }
            Correction::Velocity { .. } => 0.0,
        };
        let (friction, filled, step) = (&*friction, order.filled(), settings.step_size);
        let mut account =
            run(Certify { packs, besides, filled, friction, motions, step, rooms, part });
        if !turns.is_empty() {
            let Account { residual, work, .. } =
                run(CertifyTurns { packs, turns, filled, motions });
            account.residual = larger(account.residual, residual);
            account.work += work;
        }
        account
    }

    /// Moves the grains of every contact apart in turn with the others fixed.
    pub(crate) fn shift(&mut self, shifts: &mut [Shift]) {
        run(Move { packs: &self.packs, rooms: &mut self.rooms, shifts });
    }
}

/// The vector of a contact.
#[inline]
fn vector([x, y, z]: &[[f64; LANES]; 3], lane: usize) -> Vector3<f64> {
    Vector3::new(x[lane], y[lane], z[lane])
}

impl Pack {
    #[inline]
    fn contact(&self, lane: usize, beside: &Beside) -> Packed {
        Packed {
            grains: [self.grains[0][lane], self.grains[1][lane]],
            pair: beside.pairs[lane],
            normal: vector(&self.normal, lane),
            gap: beside.gap[lane],
            impulse: vector(&self.impulse, lane),
        }
    }
}

#[cfg(test)]
mod tests;
