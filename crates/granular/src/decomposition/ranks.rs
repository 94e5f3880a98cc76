//! The other ranks of a [`Subdomain`](super::Subdomain) as a [`Link`].

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::exchange::{Exchange, Message, ordered, value};
use crate::{
    correction::Shift,
    grains::{Grains, Motion, NEW},
    link::{Link, Meanwhile},
    partition::{Lane, Partition},
    settings::Error,
};

/// The other ranks, the grains that this one shares with them, and the messages of a sweep.
#[derive(Debug)]
pub(super) struct Ranks<E> {
    pub(super) partition: Partition,
    pub(super) exchange: E,
    /// Own grains with a ghost at another rank, and ghosts here of another rank, in an order that both ranks share.
    pub(super) lent: Vec<Lane>,
    pub(super) borrowed: Vec<Lane>,
    /// The same as messages, with places.
    lent_messages: Messages,
    borrowed_messages: Messages,
    /// All ghosts, sorted.
    pub(super) ghosts: Vec<u64>,
    /// Number of copies of shared grains by identity, sorted, and by place.
    pub(super) copies: Vec<[u64; 2]>,
    shared: Vec<Shared>,
    is_ghost: Vec<bool>,
    /// Whether grains may be far from the boxes of their ranks, because the boxes have changed.
    pub(super) scattered: bool,
}

/// A message to or from each rank of some lanes; their lengths are fixed until the next search.
#[derive(Debug, Default)]
struct Messages {
    places: Vec<Vec<u32>>,
    messages: Vec<Message>,
}

/// A grain with copies.
#[derive(Debug)]
struct Shared {
    place: u32,
    copies: f64,
    owned: bool,
    /// `1/m` and `r²/I` of the whole grain.
    yields: [f64; 2],
}

/// Words of a grain in a message.
const WORDS: usize = 19;

impl<E: Exchange> Ranks<E> {
    pub(super) fn new(partition: Partition, exchange: E) -> Self {
        Self {
            partition,
            exchange,
            lent: Vec::new(),
            borrowed: Vec::new(),
            lent_messages: Messages::default(),
            borrowed_messages: Messages::default(),
            ghosts: Vec::new(),
            copies: Vec::new(),
            shared: Vec::new(),
            is_ghost: Vec::new(),
            scattered: false,
        }
    }

    pub(super) fn is_ghost(&self, identity: u64) -> bool {
        self.ghosts.binary_search(&identity).is_ok()
    }

    /// Removes the ghosts, sends grains that have left to their owners, and receives those that have arrived. Returns the
    /// places at the last search by identity.
    pub(super) fn hand_over(
        &mut self,
        grains: &mut Grains,
        halo: f64,
    ) -> Result<Vec<(u64, u32)>, Error> {
        // Also for those that leave and return as copies.
        let all = grains.identities.iter().zip(&grains.previous);
        let mut old: Vec<(u64, u32)> =
            all.map(|(&identity, &previous)| (identity, previous)).collect();
        old.sort_unstable();
        let ghosts = std::mem::take(&mut self.ghosts);
        if !ghosts.is_empty() {
            let ghost: Vec<bool> =
                grains.identities.iter().map(|one| ghosts.binary_search(one).is_ok()).collect();
            grains.retain(|place| !ghost[place]);
        }
        let rank = self.exchange.rank();
        let owners: Vec<usize> =
            grains.positions.iter().map(|place| self.partition.owner(place)).collect();
        let mut others = self.partition.neighbors(rank, halo);
        let far = owners.iter().any(|owner| *owner != rank && others.binary_search(owner).is_err());
        if self.largest(if far || self.scattered { 1.0 } else { 0.0 })? > 0.0 {
            others = (0..self.exchange.size()).filter(|other| *other != rank).collect();
        }
        self.scattered = false;
        let mut outgoing = messages(&others);
        for (place, owner) in owners.iter().enumerate() {
            if let Ok(index) = others.binary_search(owner) {
                write(grains, place, 1, &mut outgoing[index].words);
            }
        }
        grains.retain(|place| owners[place] == rank);
        for message in self.swap(&outgoing)? {
            message.words.chunks_exact(WORDS).for_each(|words| _ = read(words, grains, &old));
        }
        Ok(old)
    }

    /// Sends copies of grains near the border, and receives those of other ranks.
    fn copy(&mut self, grains: &mut Grains, halo: f64, old: &[(u64, u32)]) -> Result<(), Error> {
        let rank = self.exchange.rank();
        let others = self.partition.neighbors(rank, halo);
        let mut outgoing = messages(&others);
        let lane = |&rank: &usize| Lane { rank, identities: Vec::new() };
        self.lent = others.iter().map(lane).collect();
        self.borrowed = others.iter().map(lane).collect();
        self.copies.clear();
        let mut near = Vec::new();
        for place in 0..grains.len() {
            near.clear();
            self.partition.near(&grains.positions[place], halo, &mut near);
            near.retain(|other| *other != rank);
            let (identity, copies) = (grains.identities[place], near.len() as u64 + 1);
            for other in &near {
                if let Ok(index) = others.binary_search(other) {
                    write(grains, place, copies, &mut outgoing[index].words);
                    self.lent[index].identities.push(identity);
                }
            }
            if copies > 1 {
                self.copies.push([identity, copies]);
            }
        }
        let incoming = self.swap(&outgoing)?;
        for (message, lane) in incoming.iter().zip(&mut self.borrowed) {
            for words in message.words.chunks_exact(WORDS) {
                let (identity, copies) = read(words, grains, old);
                lane.identities.push(identity);
                self.copies.push([identity, copies]);
            }
        }
        self.lent.retain(|lane| !lane.identities.is_empty());
        self.borrowed.retain(|lane| !lane.identities.is_empty());
        self.copies.sort_unstable();
        self.list_ghosts();
        Ok(())
    }

    /// Lists the ghosts of all lanes.
    pub(super) fn list_ghosts(&mut self) {
        self.ghosts.clear();
        self.ghosts.extend(self.borrowed.iter().flat_map(|lane| &lane.identities));
        self.ghosts.sort_unstable();
    }

    /// Exchanges messages whose lengths the receivers do not know.
    fn swap(&mut self, outgoing: &[Message]) -> Result<Vec<Message>, Error> {
        let lengths: Vec<Message> = outgoing
            .iter()
            .map(|message| Message { rank: message.rank, words: vec![message.words.len() as u64] })
            .collect();
        let mut incoming = lengths.clone();
        self.exchange.transfer(&lengths, &mut incoming, &mut || ())?;
        for message in &mut incoming {
            let length = usize::try_from(message.words[0]).unwrap_or(usize::MAX);
            message.words.clear();
            message.words.resize(length, 0);
        }
        self.exchange.transfer(outgoing, &mut incoming, &mut || ())?;
        Ok(incoming)
    }

    /// Sets the copies of each shared grain to the mean of the values that `get` reads from them. `meanwhile` is called
    /// while the sums, and while the means are on their way.
    fn merge<T, const N: usize>(
        &mut self,
        items: &mut [T],
        meanwhile: Meanwhile<'_, T>,
        get: impl Fn(&T) -> [f64; N],
        set: impl Fn(&mut T, [f64; N]),
    ) -> Result<(), Error> {
        let Self { exchange, lent_messages: lent, borrowed_messages: borrowed, .. } = self;
        borrowed.fill(items, &get);
        lent.resize(N);
        exchange.transfer(&borrowed.messages, &mut lent.messages, &mut || meanwhile(0, items))?;
        for (message, places) in lent.messages.iter().zip(&lent.places) {
            for (words, &place) in message.words.chunks_exact(N).zip(places) {
                let item = &mut items[place as usize];
                let mut sum = get(item);
                sum.iter_mut().zip(words).for_each(|(sum, word)| *sum += f64::from_bits(*word));
                set(item, sum);
            }
        }
        for shared in self.shared.iter().filter(|shared| shared.owned) {
            let item = &mut items[shared.place as usize];
            let mean = get(item).map(|sum| sum / shared.copies);
            set(item, mean);
        }
        lent.fill(items, &get);
        exchange.transfer(&lent.messages, &mut borrowed.messages, &mut || meanwhile(1, items))?;
        for (message, places) in borrowed.messages.iter().zip(&borrowed.places) {
            for (words, &place) in message.words.chunks_exact(N).zip(places) {
                let mut mean = [0.0; N];
                mean.iter_mut().zip(words).for_each(|(mean, word)| *mean = f64::from_bits(*word));
                set(&mut items[place as usize], mean);
            }
        }
        Ok(())
    }
}

impl Messages {
    fn of(lanes: &[Lane], place: impl Fn(u64) -> u32) -> Self {
        let places = |lane: &Lane| lane.identities.iter().map(|&one| place(one)).collect();
        let message = |lane: &Lane| Message { rank: lane.rank, words: Vec::new() };
        Self {
            places: lanes.iter().map(places).collect(),
            messages: lanes.iter().map(message).collect(),
        }
    }

    /// Writes the values of all places.
    fn fill<T, const N: usize>(&mut self, items: &[T], get: &impl Fn(&T) -> [f64; N]) {
        for (message, places) in self.messages.iter_mut().zip(&self.places) {
            let values = places.iter().flat_map(|&place| get(&items[place as usize]));
            message.words.clear();
            message.words.extend(values.map(f64::to_bits));
        }
    }

    /// Makes room for `width` words of each place.
    fn resize(&mut self, width: usize) {
        for (message, places) in self.messages.iter_mut().zip(&self.places) {
            message.words.resize(width * places.len(), 0);
        }
    }
}

impl<E: Exchange> Link for Ranks<E> {
    fn largest(&mut self, number: f64) -> Result<f64, Error> {
        let mut words = [ordered(number)];
        self.exchange.largest(&mut words)?;
        Ok(value(words[0]))
    }

    fn sum(&mut self, values: &mut [f64]) -> Result<(), Error> {
        self.exchange.sum(values)
    }

    fn regroup(&mut self, grains: &mut Grains, halo: f64) -> Result<(), Error> {
        let old = self.hand_over(grains, halo)?;
        self.copy(grains, halo, &old)
    }

    fn settle(&mut self, grains: &Grains) {
        let mut places: Vec<(u64, u32)> = grains.identities.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let place = |identity: u64| {
            let found = places.binary_search_by_key(&identity, |(identity, _)| *identity);
            found.map_or(NEW, |index| places[index].1)
        };
        self.lent_messages = Messages::of(&self.lent, place);
        self.borrowed_messages = Messages::of(&self.borrowed, place);
        self.is_ghost.clear();
        self.is_ghost.resize(grains.len(), false);
        for &place in self.borrowed_messages.places.iter().flatten() {
            self.is_ghost[place as usize] = true;
        }
        self.shared.clear();
        for [identity, copies] in &self.copies {
            let place = place(*identity);
            let motion = &grains.motions[place as usize];
            let yields = [motion.inverse_mass, motion.spin_yield];
            let (owned, copies) = (!self.is_ghost[place as usize], *copies as f64);
            self.shared.push(Shared { place, copies, owned, yields });
        }
    }

    fn shared(&self) -> Option<impl Iterator<Item = u32>> {
        Some(self.shared.iter().map(|shared| shared.place))
    }

    fn owns(&self, place: u32) -> bool {
        !self.is_ghost[place as usize]
    }

    fn solves(&self, grains: &Grains, places: [u32; 2]) -> bool {
        let [a, b] = places.map(|place| grains.identities[place as usize]);
        self.owns(if a < b { places[0] } else { places[1] })
    }

    fn divide(&mut self, motions: &mut [Motion]) {
        for Shared { place, copies, yields, .. } in &self.shared {
            let motion = &mut motions[*place as usize];
            (motion.inverse_mass, motion.spin_yield) = (copies * yields[0], copies * yields[1]);
        }
    }

    fn unite(&mut self, motions: &mut [Motion]) {
        for Shared { place, yields, .. } in &self.shared {
            let motion = &mut motions[*place as usize];
            (motion.inverse_mass, motion.spin_yield) = (yields[0], yields[1]);
        }
    }

    fn merge_motions(
        &mut self,
        motions: &mut [Motion],
        meanwhile: Meanwhile<'_, Motion>,
    ) -> Result<(), Error> {
        let get = |motion: &Motion| {
            let (v, s) = (motion.velocity, motion.spin);
            [v.x, v.y, v.z, s.x, s.y, s.z]
        };
        let set = |motion: &mut Motion, [a, b, c, d, e, f]: [f64; 6]| {
            motion.velocity = Vector3::new(a, b, c);
            motion.spin = Vector3::new(d, e, f);
        };
        self.merge(motions, meanwhile, get, set)
    }

    fn merge_shifts(
        &mut self,
        shifts: &mut [Shift],
        meanwhile: Meanwhile<'_, Shift>,
    ) -> Result<(), Error> {
        let set = |shift: &mut Shift, mean: [f64; 3]| shift.by = mean.into();
        self.merge(shifts, meanwhile, |shift| shift.by.into(), set)
    }
}

/// An empty message to each rank.
fn messages(ranks: &[usize]) -> Vec<Message> {
    ranks.iter().map(|&rank| Message { rank, words: Vec::new() }).collect()
}

/// Appends a grain and its number of copies to a message.
fn write(grains: &Grains, place: usize, copies: u64, message: &mut Vec<u64>) {
    let motion = &grains.motions[place];
    message.extend([grains.identities[place], copies]);
    let numbers = grains.positions[place]
        .iter()
        .chain(grains.orientations[place].coords.iter())
        .chain(motion.velocity.iter())
        .chain(motion.spin.iter())
        .chain([&motion.inverse_mass, &motion.spin_yield, &grains.radii[place]]);
    message.extend(numbers.map(|number| number.to_bits()));
    message.push(grains.materials[place].into());
}

/// Adds the grain of a message; its identity and number of copies.
fn read(words: &[u64], grains: &mut Grains, old: &[(u64, u32)]) -> (u64, u64) {
    let number = |index: usize| f64::from_bits(words[2 + index]);
    let vector = |index: usize| Vector3::new(number(index), number(index + 1), number(index + 2));
    grains.positions.push(vector(0));
    let turn = Quaternion::new(number(6), number(3), number(4), number(5));
    grains.orientations.push(UnitQuaternion::new_unchecked(turn));
    grains.motions.push(Motion {
        velocity: vector(7),
        spin: vector(10),
        inverse_mass: number(13),
        spin_yield: number(14),
    });
    grains.radii.push(number(15));
    grains.identities.push(words[0]);
    // Written from one byte.
    grains.materials.push(words[18].to_le_bytes()[0]);
    let known = old.binary_search_by_key(&words[0], |(identity, _)| *identity);
    grains.previous.push(known.map_or(NEW, |index| old[index].1));
    (words[0], words[1])
}
