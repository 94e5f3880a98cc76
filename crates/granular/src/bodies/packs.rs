//! Contacts of the bodies of a slab in packs of four that share no body and are solved at once: [`Packs`].
//!
//! As in the [packs of spheres](crate::packs) the result is that of one contact after another, to the bit, and all
//! operations are those of [`Contact`] in the same order. Contacts that slide are solved singly. Those with boundaries
//! have packs of their own; they precede all others.

mod motions;
mod pushes;
mod work;

pub(super) use self::pushes::Shift;
use self::{
    pushes::{Prepare, Push, Pushes},
    work::{Fastest, Solve, Sweep, WarmStart, vector},
};
use super::contact::{Contact, Details, Motion, NO_BODY};
use crate::packs::{
    lanes::{LANES, Lanes, Work},
    order::Order,
    processor::run,
};

use percussion_complementarity::friction::Law;

/// Contacts without a common body. Behind the last contact the first is repeated, which writes the same again.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Pack {
    impulse: [[f64; LANES]; 3],
    /// Normal and tangents.
    frame: [[[f64; LANES]; 3]; 3],
    arms: [[[f64; LANES]; 3]; 2],
    offset: [[f64; LANES]; 3],
    row: [[f64; LANES]; 3],
    inverse: [[f64; LANES]; 6],
    inverse_mass: [f64; LANES],
    friction: [f64; LANES],
    bodies: [[u32; LANES]; 2],
    /// Their places in the list of contacts.
    contacts: [u32; LANES],
}

/// Contacts with boundaries, or without.
#[derive(Clone, Debug, Default)]
struct Group {
    packs: Vec<Pack>,
    order: Order,
    pushes: Vec<Pushes>,
}

/// The contacts of a slab.
#[derive(Clone, Debug, Default)]
pub(super) struct Packs {
    walls: Group,
    pairs: Group,
}

impl Group {
    fn clear(&mut self) {
        self.packs.clear();
        self.order.clear();
    }

    fn push(&mut self, contact: &Contact, number: u32) {
        let [first, second] = contact.bodies;
        let bodies = if second == NO_BODY { [first, first] } else { contact.bodies };
        let [at, lane] = self.order.enter(bodies);
        if at == self.packs.len() {
            self.packs.push(Pack::default());
        }
        // The first contact of a pack enters all lanes.
        let lanes = if lane == 0 { 0..LANES } else { lane..lane + 1 };
        let pack = &mut self.packs[at];
        lanes.for_each(|lane| pack.enter(contact, number, lane));
    }

    fn store(&self, contacts: &mut [Contact]) {
        for pack in &self.packs {
            for (lane, &number) in pack.contacts.iter().enumerate() {
                contacts[number as usize].impulse = vector(&pack.impulse, lane);
            }
        }
    }
}

impl Pack {
    #[inline(always)]
    fn enter(&mut self, contact: &Contact, number: u32, lane: usize) {
        for i in 0..3 {
            self.impulse[i][lane] = contact.impulse[i];
            self.offset[i][lane] = contact.offset[i];
            self.row[i][lane] = contact.row[i];
            for j in 0..3 {
                self.frame[i][j][lane] = contact.frame[(i, j)];
            }
            for side in 0..2 {
                self.arms[side][i][lane] = contact.arms[side][i];
            }
        }
        for k in 0..6 {
            self.inverse[k][lane] = contact.inverse[k];
        }
        self.inverse_mass[lane] = contact.inverse_mass;
        self.friction[lane] = contact.friction;
        (self.bodies[0][lane], self.bodies[1][lane]) = (contact.bodies[0], contact.bodies[1]);
        self.contacts[lane] = number;
    }
}

impl Packs {
    /// Takes these contacts instead of those before.
    pub(super) fn fill(&mut self, contacts: &[Contact]) {
        self.walls.clear();
        self.pairs.clear();
        for (number, contact) in (0..).zip(contacts) {
            let is_wall = contact.bodies[1] == NO_BODY;
            let group = if is_wall { &mut self.walls } else { &mut self.pairs };
            group.push(contact, number);
        }
    }

    /// Copies the impulses to the contacts.
    pub(super) fn store(&self, contacts: &mut [Contact]) {
        self.walls.store(contacts);
        self.pairs.store(contacts);
    }

    /// The square of the largest velocity to which the law applies (m/s)². `motions` begin with those of the slab, here
    /// and below.
    pub(super) fn fastest(&self, motions: &[Motion]) -> f64 {
        run(Fastest { walls: &self.walls.packs, pairs: &self.pairs.packs, motions })
    }

    /// Applies the impulses carried over.
    pub(super) fn warm_start(&self, motions: &mut [Motion]) {
        run(WarmStart { walls: &self.walls.packs, pairs: &self.pairs.packs, motions });
    }

    /// Solves every contact in turn with the others fixed, from the first to the last, or backwards. Returns the square
    /// of the largest change as a velocity (m/s)².
    pub(super) fn sweep(
        &mut self,
        details: &[Details],
        law: Law,
        motions: &mut [Motion],
        backwards: bool,
    ) -> f64 {
        let solve = Solve { details, law };
        let Self { walls, pairs } = self;
        let (walls, pairs) = (&mut *walls.packs, &mut *pairs.packs);
        run(Sweep { walls, pairs, solve, motions, backwards })
    }

    /// Collects the pushes that remove the fraction `part` of overlaps, and those of contacts that may overlap by up to
    /// `deepest` (m) as a result. The gaps after the motion are known.
    pub(super) fn prepare_pushes(
        &mut self,
        details: &[Details],
        motions: &[Motion],
        [part, deepest]: [f64; 2],
    ) {
        let Self { walls, pairs } = self;
        let packs = [&*walls.packs, &*pairs.packs];
        let pushes = [&mut walls.pushes, &mut pairs.pushes];
        run(Prepare { packs, pushes, details, motions, part, deepest });
    }

    /// Pushes the bodies of each overlap apart, one contact after another. `shifts` begin with those of the slab.
    pub(super) fn push(&mut self, shifts: &mut [Shift]) {
        let Self { walls, pairs } = self;
        run(Push { walls: &mut walls.pushes, pairs: &mut pairs.pushes, shifts });
    }
}
