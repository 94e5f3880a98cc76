//! Contacts of the grains of a slab in packs of four that share no grain and are solved at once: [`Packs`].
//!
//! One contact takes about 100 operations, each of which waits for the one before, and the next contact mostly shares a
//! grain with it. Four contacts without a common grain take as many instructions as one, on processors with vectors of
//! four numbers, and no branches.
//!
//! **The result is that of one contact after another, to the bit.** Contacts without a common grain can be exchanged, so
//! only the order of the contacts of each grain matters. Each contact therefore enters the first pack with room after
//! those that contain its two grains. All operations are those of [`Contact`], in the same order, and without fused
//! multiplications; they do not depend on the processor either.

#[cfg(target_arch = "x86_64")]
mod vectors;

use nalgebra::Vector3;

use crate::{
    contact::{Contact, Law, larger},
    grains::{Motion, narrow},
};

/// Number of contacts in a pack.
const LANES: usize = 4;

/// Contacts without a common grain. Behind the last contact the first is repeated, which writes the same again.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Pack {
    normal: [[f64; LANES]; 3],
    impulse: [[f64; LANES]; 3],
    bias: [f64; LANES],
    friction: [f64; LANES],
    mass: [[f64; LANES]; 2],
    grains: [[u32; LANES]; 2],
}

/// What the sweeps do not read of a contact.
#[derive(Clone, Copy, Debug)]
struct Listed {
    gap: f64,
    pair: u32,
    /// Number of the pack times [`LANES`], plus the lane.
    place: u32,
}

/// A list of contacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packs {
    packs: Vec<Pack>,
    list: Vec<Listed>,
    /// Number of contacts of each pack.
    filled: Vec<u8>,
    /// Of each pack itself if it has room, or a later pack, before which there is none with room.
    vacant: Vec<u32>,
    /// The first pack behind those with contacts of each grain.
    behind: Vec<u32>,
}

impl Packs {
    /// Number of contacts.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Deletes all contacts.
    pub(crate) fn clear(&mut self) {
        let Self { packs, list, filled, vacant, behind } = self;
        packs.clear();
        list.clear();
        filled.clear();
        vacant.clear();
        behind.clear();
    }

    /// Appends a contact.
    pub(crate) fn push(&mut self, contact: &Contact) {
        let [a, b] = contact.grains.map(|grain| grain as usize);
        let grains = a.max(b) + 1;
        if self.behind.len() < grains {
            self.behind.resize(grains, 0);
        }
        let number = self.first_vacant(self.behind[a].max(self.behind[b]));
        let at = number as usize;
        if at == self.packs.len() {
            self.packs.push(Pack::repeated(contact));
            self.filled.push(0);
            self.vacant.push(number);
        }
        let lane = usize::from(self.filled[at]);
        self.packs[at].set(lane, contact);
        self.filled[at] += 1;
        if lane + 1 == LANES {
            self.vacant[at] = number + 1;
        }
        (self.behind[a], self.behind[b]) = (number + 1, number + 1);
        let place = narrow(at * LANES + lane);
        self.list.push(Listed { gap: contact.law.gap, pair: contact.pair, place });
    }

    /// The first pack with room from `number` on, or a new one.
    fn first_vacant(&mut self, number: u32) -> u32 {
        let mut found = number;
        while let Some(&next) = self.vacant.get(found as usize)
            && next != found
        {
            found = next;
        }
        // Shortens the way for the next search.
        let mut at = number;
        while let Some(next) = self.vacant.get_mut(at as usize)
            && *next != found
        {
            at = std::mem::replace(next, found);
        }
        found
    }

    /// The contacts in the order in which they were appended, with their impulses.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Contact> + '_ {
        self.list.iter().map(|listed| listed.of(&self.packs))
    }

    /// Solves every contact in turn with the others fixed, from the first to the last, or backwards. Returns the square
    /// of the largest natural map before (m/s)².
    pub(crate) fn sweep(&mut self, motions: &mut [Motion], backwards: bool) -> f64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            return vectors::sweep(simd, &mut self.packs, motions, backwards);
        }
        self.sweep_singly(motions, backwards)
    }

    /// As [`sweep`](Self::sweep), on processors without vectors of four numbers.
    fn sweep_singly(&mut self, motions: &mut [Motion], backwards: bool) -> f64 {
        let Self { packs, list, .. } = self;
        let mut largest = 0.0;
        let solve = |listed: &Listed| {
            let mut contact = listed.of(packs);
            largest = larger(largest, contact.sweep(motions));
            let (number, lane) = listed.place();
            packs[number].set(lane, &contact);
        };
        if backwards {
            list.iter().rev().for_each(solve);
        } else {
            list.iter().for_each(solve);
        }
        largest
    }
}

impl Listed {
    /// The number of the pack, and the lane.
    fn place(&self) -> (usize, usize) {
        (self.place as usize / LANES, self.place as usize % LANES)
    }

    /// The whole contact.
    fn of(&self, packs: &[Pack]) -> Contact {
        let (number, lane) = self.place();
        packs[number].contact(lane, self.gap, self.pair)
    }
}

impl Pack {
    fn repeated(contact: &Contact) -> Self {
        let zeros = [0.0; LANES];
        let mut pack = Self {
            normal: [zeros; 3],
            impulse: [zeros; 3],
            bias: zeros,
            friction: zeros,
            mass: [zeros; 2],
            grains: [[0; LANES]; 2],
        };
        (0..LANES).for_each(|lane| pack.set(lane, contact));
        pack
    }

    fn set(&mut self, lane: usize, Contact { law, grains, .. }: &Contact) {
        for axis in 0..3 {
            self.normal[axis][lane] = law.normal[axis];
            self.impulse[axis][lane] = law.impulse[axis];
        }
        (self.bias[lane], self.friction[lane]) = (law.bias, law.friction);
        [self.mass[0][lane], self.mass[1][lane]] = law.mass;
        [self.grains[0][lane], self.grains[1][lane]] = *grains;
    }

    fn contact(&self, lane: usize, gap: f64, pair: u32) -> Contact {
        let vector = |lanes: &[[f64; LANES]; 3]| Vector3::from(lanes.map(|lanes| lanes[lane]));
        let law = Law {
            normal: vector(&self.normal),
            impulse: vector(&self.impulse),
            gap,
            bias: self.bias[lane],
            friction: self.friction[lane],
            mass: self.mass.map(|lanes| lanes[lane]),
        };
        Contact { law, grains: self.grains.map(|places| places[lane]), pair }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn vector(random: &mut ChaCha8Rng) -> Vector3<f64> {
        Vector3::from_fn(|_, _| random.random_range(-1.0..1.0))
    }

    /// Grains with random motions, some of them at rest, and contacts of random pairs in the order of a slab.
    fn random_slab(seed: u64) -> (Vec<Contact>, Vec<Motion>) {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let count = random.random_range(2..40);
        let motions: Vec<Motion> = (0..count)
            .map(|_| {
                let speed = if random.random_bool(0.3) { 0.0 } else { 1.0 };
                Motion {
                    velocity: speed * vector(random),
                    spin: speed * vector(random),
                    inverse_mass: random.random_range(0.1..10.0),
                    spin_yield: random.random_range(0.1..20.0),
                }
            })
            .collect();
        // From a chain, in which each contact needs the one before, to a star and to many that share nothing.
        let reach = random.random_range(1..count as u32 + 1);
        let mut contacts = Vec::new();
        for a in 0..count as u32 {
            for b in a + 1..(a + 1 + reach).min(count as u32) {
                if !random.random_bool(0.4) {
                    continue;
                }
                let friction = [0.0, 0.3, 1e8][random.random_range(0..3)];
                let places = [a, b].map(|grain| &motions[grain as usize]);
                let mut contact = Contact::new(
                    vector(random).normalize(),
                    [random.random_range(-0.1..0.1), random.random_range(-0.5..0.5)],
                    friction,
                    places,
                    [a, b],
                    narrow(contacts.len()),
                );
                if random.random_bool(0.5) {
                    contact.law.take_over(&vector(random));
                }
                contacts.push(contact);
            }
        }
        (contacts, motions)
    }

    fn packed(contacts: &[Contact]) -> Packs {
        let mut packs = Packs::default();
        contacts.iter().for_each(|contact| packs.push(contact));
        packs
    }

    type Sweep = fn(&mut Packs, &mut [Motion], bool) -> f64;

    #[test]
    fn packs_give_the_bits_of_one_contact_after_another() {
        for seed in 0..500 {
            let (contacts, motions) = random_slab(seed);
            for sweep in [Packs::sweep as Sweep, Packs::sweep_singly] {
                let (mut singly, mut expected) = (contacts.clone(), motions.clone());
                let (mut packs, mut found) = (packed(&contacts), motions.clone());
                for contact in &singly {
                    contact.push(&contact.law.impulse, &mut expected);
                }
                for contact in packs.iter() {
                    contact.push(&contact.law.impulse, &mut found);
                }
                assert_eq!(found, expected, "{seed}");
                for count in 0..6 {
                    let solve = |contact: &mut Contact| contact.sweep(&mut expected);
                    let backwards = count % 2 == 1;
                    let changes: Vec<f64> = if backwards {
                        singly.iter_mut().rev().map(solve).collect()
                    } else {
                        singly.iter_mut().map(solve).collect()
                    };
                    let largest = changes.into_iter().fold(0.0, larger);
                    let change = sweep(&mut packs, &mut found, backwards);
                    assert_eq!(change.to_bits(), largest.to_bits(), "{seed}");
                    assert_eq!(found, expected, "{seed}");
                    assert!(packs.iter().eq(singly.iter().copied()), "{seed}");
                }
            }
        }
    }

    #[test]
    fn a_velocity_that_is_no_number_is_reported_and_stays_at_its_contact() {
        let (contacts, mut motions) = random_slab(3);
        motions[0].velocity.x = f64::NAN;
        let mut packs = packed(&contacts);
        let mut singly = packs.clone();
        let mut others = motions.clone();
        assert!(packs.sweep(&mut motions, false).is_nan());
        assert!(singly.sweep_singly(&mut others, false).is_nan());
        let good = |motions: &[Motion]| motions.iter().filter(|m| m.velocity.x.is_finite()).count();
        assert_eq!(good(&motions), good(&others));
    }

    #[test]
    fn most_packs_of_a_dense_slab_are_full() {
        // Rows of 20 grains, each of which touches the next one of its row and three of the next row.
        let motion = random_slab(0).1[0];
        let mut packs = Packs::default();
        for a in 0_u32..400 {
            let row = |place: u32| place / 20;
            let next = Some(a + 1).filter(|b| row(*b) == row(a));
            let beside = (a + 19..a + 22).filter(|b| row(*b) == row(a) + 1 && *b < 400);
            for b in next.into_iter().chain(beside) {
                packs.push(&Contact::new(Vector3::x(), [0.0; 2], 0.5, [&motion; 2], [a, b], 0));
            }
        }
        assert!(packs.packs.len() * LANES * 9 < packs.len() * 10, "{}", packs.packs.len());
    }
}
