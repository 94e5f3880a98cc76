//! Contacts of the bodies of a slab in packs of eight that share no body and are solved at once: [`Packs`].
//!
//! As in the [packs of spheres](crate::packs) the result is that of one contact after another, to the bit. Only the sums
//! over contacts that a step reports are added up in the order of the packs.
//!
//! Contacts with boundaries have packs of their own, before all others. Contacts that slid in the last step have packs of
//! their own, too, behind the others of their kind: a pack with one contact that slides takes as long as one of which all do.

mod assemble;
mod bounce;
mod judged;
mod loaded;
mod motions;
mod pushes;
mod slides;
mod work;

use nalgebra::{Matrix3, Vector3};
use percussion_complementarity::friction::{Law, single};

pub(super) use self::bounce::Rebound;
use self::{
    assemble::Assemble,
    bounce::Struck,
    pushes::{Prepare, Push, Pushes},
    work::{Certify, Sweep, Swept, WarmStart},
};
use super::{
    contact::{Contact, Motion, NO_BODY},
    twist::Twist,
};
use crate::{
    contact::{Account, larger},
    packs::{
        lanes::{LANES, Lanes, Work},
        order::Order,
        processor::run,
    },
};

/// Contacts without a common body. Behind the last contact the first is repeated, which writes the same again.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Pack {
    /// Normal, tangent, tangent, on body 1 (N·s).
    impulse: [[f64; LANES]; 3],
    /// Normal and tangents.
    frame: [[[f64; LANES]; 3]; 3],
    /// From the centers of mass to the contact (m).
    arms: [[[f64; LANES]; 3]; 2],
    /// In the frame: minus the velocity of the boundary, plus the approach that the gap allows (m/s).
    offset: [[f64; LANES]; 3],
    /// First row of the block (kg⁻¹).
    row: [[f64; LANES]; 3],
    /// Inverse of the block (kg), rows of its upper triangle; not a number if the block is nearly singular.
    inverse: [[f64; LANES]; 6],
    /// `tr(W)/3` (kg⁻¹), which converts residuals of impulses to velocities.
    inverse_mass: [f64; LANES],
    friction: [f64; LANES],
    bodies: [[u32; LANES]; 2],
    /// Their places in the list of contacts.
    contacts: [u32; LANES],
}

/// What the sweeps do not read of a pack, or only of contacts that slide.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    gap: [f64; LANES],
    /// The normal velocity must be at least minus this (m/s).
    bias: [f64; LANES],
    /// The other entries of the upper triangle of the block (kg⁻¹).
    rest: [[f64; LANES]; 3],
    /// `1/W_nn` (kg); not a number for contacts that slide [singly](slides).
    yielding: [f64; LANES],
    /// As of the last [`certify`](Packs::certify) (m).
    gap_after: [f64; LANES],
}

/// Contacts with boundaries, or without.
#[derive(Clone, Debug, Default)]
struct Group {
    packs: Vec<Pack>,
    besides: Vec<Beside>,
    /// Of maximum dissipation, one for each lane. By Coulomb's law few are needed, which are made again each time.
    blocks: Vec<single::Contact>,
    pushes: Vec<Pushes>,
    /// Contacts that bounce in this step.
    struck: Vec<Struck>,
    order: Order,
}

/// Where a contact is: its group, its pack and its lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seat(u8, u32, u8);

/// The contacts of a slab.
#[derive(Clone, Debug, Default)]
pub(super) struct Packs {
    /// With walls that are [copies](super::slab) of servos, which are swept like pairs of bodies.
    servos: Group,
    walls: Group,
    pairs: Group,
}

impl Group {
    /// Packs stay for reuse until all contacts are known.
    fn clear(&mut self) {
        self.order.clear();
    }

    fn truncate(&mut self) {
        let count = self.order.filled().len();
        self.packs.truncate(count);
        self.besides.truncate(count);
    }

    /// Checks the block of every contact, and prepares those that sweeps by `law` need; an error has the number of a
    /// contact with a block that is not valid.
    fn prepare_blocks(&mut self, law: Law) -> Result<(), u32> {
        self.blocks.clear();
        let packs = self.packs.iter().zip(&self.besides);
        for ((pack, beside), &filled) in packs.zip(self.order.filled()) {
            for lane in 0..LANES {
                let lane = if lane < usize::from(filled) { lane } else { 0 };
                if law == Law::MaximumDissipation {
                    self.blocks.push(pack.block(beside, lane)?);
                } else if beside.yielding[lane].is_nan() {
                    pack.block(beside, lane)?;
                }
            }
        }
        Ok(())
    }

    /// Sweeps contacts of two bodies.
    fn sweep(&mut self, law: Law, motions: &mut [Motion], backwards: bool) -> f64 {
        let walls = (&mut [][..], &[][..], &[][..]);
        let pairs = (&mut *self.packs, &*self.besides, &*self.blocks);
        run(Sweep { walls, pairs, law, motions, backwards })
    }

    fn swept(&mut self) -> Swept<'_> {
        let Self { packs, besides, blocks, order, .. } = self;
        Swept { packs, besides, blocks, filled: order.filled() }
    }
}

impl Pack {
    fn block(&self, beside: &Beside, lane: usize) -> Result<single::Contact, u32> {
        let [nn, nt, no] = [self.row[0][lane], self.row[1][lane], self.row[2][lane]];
        let [tt, to, oo] = [beside.rest[0][lane], beside.rest[1][lane], beside.rest[2][lane]];
        let block = Matrix3::new(nn, nt, no, nt, tt, to, no, to, oo);
        single::Contact::new(&block, self.friction[lane]).map_err(|_| self.contacts[lane])
    }
}

impl Packs {
    /// Deletes all contacts.
    pub(super) fn clear(&mut self) {
        self.servos.clear();
        self.walls.clear();
        self.pairs.clear();
    }

    /// Lets no contact from here on enter a pack that exists.
    pub(super) fn close(&mut self) {
        self.servos.order.close();
        self.walls.order.close();
        self.pairs.order.close();
    }

    /// Appends the contact with this number, its arms and the place of the servo of its wall, and an impulse of the last step
    /// in the world. It is complete after [`assemble`](Self::assemble).
    pub(super) fn push(
        &mut self,
        contact: &Contact,
        number: u32,
        (arms, servo): ([Vector3<f64>; 2], Option<u32>),
        impulse: &Vector3<f64>,
    ) {
        let [first, second] = contact.bodies;
        let (group, second, bodies) = match servo {
            Some(servo) => (&mut self.servos, servo, [first, servo]),
            None if second == NO_BODY => (&mut self.walls, second, [first, first]),
            None => (&mut self.pairs, second, contact.bodies),
        };
        let [at, lane] = group.order.enter(bodies);
        if at == group.packs.len() {
            group.packs.push(Pack::default());
            group.besides.push(Beside::default());
        }
        // The first contact of a pack enters all lanes.
        let lanes = if lane == 0 { 0..LANES } else { lane..lane + 1 };
        let (pack, beside) = (&mut group.packs[at], &mut group.besides[at]);
        for lane in lanes {
            for axis in 0..3 {
                pack.frame[0][axis][lane] = contact.normal[axis];
                pack.arms[0][axis][lane] = arms[0][axis];
                pack.arms[1][axis][lane] = arms[1][axis];
                pack.offset[axis][lane] = contact.drive[axis];
                pack.impulse[axis][lane] = impulse[axis];
            }
            pack.friction[lane] = contact.friction;
            (pack.bodies[0][lane], pack.bodies[1][lane]) = (first, second);
            pack.contacts[lane] = number;
            beside.gap[lane] = contact.gap;
        }
    }

    /// Completes the contacts that were appended, for sweeps by `law`; `motions` begin with those of the slab, here and below, and are those
    /// without contact impulses. Returns the square of the largest velocity to which the law applies (m/s)², or the
    /// number of a contact that has a number that is not finite.
    pub(super) fn assemble(&mut self, motions: &[Motion], law: Law, step: f64) -> Result<f64, u32> {
        let Self { servos, walls, pairs } = self;
        servos.truncate();
        walls.truncate();
        pairs.truncate();
        let mut largest = run(Assemble {
            walls: (&mut walls.packs, &mut walls.besides),
            pairs: (&mut pairs.packs, &mut pairs.besides),
            motions,
            step,
        });
        if !servos.packs.is_empty() {
            let pairs = (&mut *servos.packs, &mut *servos.besides);
            largest =
                largest.max(run(Assemble { walls: (&mut [], &mut []), pairs, motions, step }));
        }
        servos.prepare_blocks(law)?;
        walls.prepare_blocks(law)?;
        pairs.prepare_blocks(law)?;
        Ok(largest)
    }

    /// Lists where each of `count` contacts is, by its number.
    pub(super) fn list_seats(&self, seats: &mut Vec<Seat>, count: usize) {
        seats.clear();
        seats.resize(count, Seat::default());
        for (number, group) in (0..).zip([&self.servos, &self.walls, &self.pairs]) {
            for ((at, pack), filled) in (0..).zip(&group.packs).zip(group.order.filled()) {
                for lane in 0..*filled {
                    let contact = pack.contacts[usize::from(lane)];
                    seats[contact as usize] = Seat(number, at, lane);
                }
            }
        }
    }

    /// The impulse along the normal of the contact there (N·s).
    #[inline]
    pub(super) fn push_at(&self, Seat(group, at, lane): Seat) -> f64 {
        let group = [&self.servos, &self.walls, &self.pairs][usize::from(group)];
        group.packs[at as usize].impulse[0][usize::from(lane)]
    }

    /// Applies the impulses carried over.
    pub(super) fn warm_start(&self, motions: &mut [Motion]) {
        let Self { servos, walls, pairs } = self;
        if !servos.packs.is_empty() {
            run(WarmStart { walls: &[], pairs: &servos.packs, motions: &mut *motions });
        }
        run(WarmStart { walls: &walls.packs, pairs: &pairs.packs, motions });
    }

    /// Solves every contact in turn with the others fixed, from the first to the last, or backwards. Returns the square
    /// of the largest change as a velocity (m/s)².
    pub(super) fn sweep(&mut self, law: Law, motions: &mut [Motion], backwards: bool) -> f64 {
        let Self { servos, walls, pairs } = self;
        let mut first = 0.0;
        if !servos.packs.is_empty() && !backwards {
            first = servos.sweep(law, motions, backwards);
        }
        let walls = (&mut *walls.packs, &*walls.besides, &*walls.blocks);
        let pairs = (&mut *pairs.packs, &*pairs.besides, &*pairs.blocks);
        let mut change = run(Sweep { walls, pairs, law, motions: &mut *motions, backwards });
        if !servos.packs.is_empty() {
            let last = if backwards { servos.sweep(law, motions, backwards) } else { first };
            change = larger(change, last);
        }
        change
    }

    /// Evaluates the impulses with the motions after them, and stores them in the contacts.
    pub(super) fn certify(
        &mut self,
        contacts: &mut [Contact],
        motions: &[Motion],
        law: Law,
        step: f64,
    ) -> Account {
        let Self { servos, walls, pairs } = self;
        let (walls, pairs) = (walls.swept(), pairs.swept());
        let mut account =
            run(Certify { walls, pairs, contacts: &mut *contacts, motions, law, step });
        if !servos.packs.is_empty() {
            let (mut none, pairs) = (Group::default(), servos.swept());
            let walls = none.swept();
            account.add(&run(Certify { walls, pairs, contacts, motions, law, step }));
        }
        account
    }

    /// Collects the pushes that remove the fraction `part` of overlaps, and those of contacts that may overlap by up to
    /// `deepest` (m) as a result. The gaps after the motion are those of the last [`certify`](Self::certify).
    pub(super) fn prepare_pushes(&mut self, motions: &[Motion], [part, deepest]: [f64; 2]) {
        let Self { servos, walls, pairs } = self;
        let packs = [(&*walls.packs, &*walls.besides), (&*pairs.packs, &*pairs.besides)];
        let pushes = [&mut walls.pushes, &mut pairs.pushes];
        run(Prepare { packs, pushes, motions, part, deepest });
        servos.pushes.clear();
        if !servos.packs.is_empty() {
            let packs = [(&*servos.packs, &*servos.besides), (&[][..], &[][..])];
            let pushes = [&mut servos.pushes, &mut Vec::new()];
            run(Prepare { packs, pushes, motions, part, deepest });
            servos.pushes.iter_mut().for_each(Pushes::fix_second);
        }
    }

    /// Pushes the bodies of each overlap apart, one contact after another. `shifts` begin with those of the slab.
    pub(super) fn push_apart(&mut self, shifts: &mut [Twist]) {
        let Self { servos, walls, pairs } = self;
        if !servos.pushes.is_empty() {
            run(Push { walls: &mut servos.pushes, pairs: &mut [], shifts: &mut *shifts });
        }
        run(Push { walls: &mut walls.pushes, pairs: &mut pairs.pushes, shifts });
    }
}

#[cfg(test)]
mod tests;
