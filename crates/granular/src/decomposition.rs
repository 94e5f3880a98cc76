//! One world in several parts: [`Subdomain`], and the [`Exchange`] by which the parts communicate.
//!
//! Space is divided into boxes, one per rank. A rank owns the grains with their centers in its box and holds
//! copies, *ghosts*, of those grains of other ranks that its own can touch. Both are kept as long as the list
//! of pairs is valid; then all ranks together transfer the grains that have left their box and renew the
//! ghosts.
//!
//! A contact of two grains is solved by the owner of the one with the smaller identity, a contact with a wall
//! by the owner of the grain, so each contact is solved exactly once. Inside a subdomain the sweeps are those
//! of a [`World`]. Between subdomains the method is a weighted block Jacobi method: the mass of a grain with
//! `k` copies is divided among them, each sweep moves the copies with that mass, and after the sweep all take
//! the mean of their velocities,
//!
//! ```math
//! v \leftarrow \tfrac1k \sum_{c=1}^k \Bigl(v + \tfrac{k}{m}\, \Delta p_c\Bigr) = v + \tfrac1m \sum_c \Delta p_c,
//! ```
//!
//! so that momentum is conserved, the weight is `1/k` where necessary and 1 elsewhere, and the solutions are
//! those of one world.
//!
//! # Contract of an exchange
//!
//! All ranks call [`Exchange::exchange`] equally often, in the same order. Messages are words of 64 bits that
//! must arrive unchanged. Nothing else is shared, and the physics does not depend on ranks.
//!
//! # Source
//!
//! T. Preclik, U. Rüde, "Ultrascale simulations of non-smooth granular dynamics", *Computational Particle
//! Mechanics* 2 (2015) 173–196, section 4 (ownership, ghosts, Gauss–Seidel inside and Jacobi across); R. Tonge,
//! F. Benevolenski, A. Voroshilov, "Mass splitting for jitter-free parallel rigid body simulation", *ACM Transactions on Graphics* 31
//! (2012) 105 (the weights).

mod in_process;
mod partition;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

pub use self::{
    in_process::{InProcess, in_process},
    partition::Partition,
};
use crate::{
    grains::{Grain, Grains, Motion, NEW},
    link::Link,
    report::Report,
    settings::{Error, Settings},
    wall::Wall,
    world::World,
};

/// Communication between ranks; see the [module](self) for the contract.
pub trait Exchange {
    /// Number of this rank, below [`size`](Self::size).
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Sends `outgoing[r]` to every other rank `r` and replaces `incoming[r]` by the message from rank `r`.
    /// Both have an entry for every rank; those of this rank are not used.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`] if a rank no longer responds.
    fn exchange(&mut self, outgoing: &[Vec<u64>], incoming: &mut [Vec<u64>]) -> Result<(), Error>;
}

/// The part of a world that one rank steps.
///
/// All ranks create it with the same settings, walls and partition, add the same grains in the same order,
/// and step equally often.
///
/// # Example
///
/// Two ranks in two threads; a ball of rank 0 hits one of rank 1, and both continue together.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Error, Grain, Settings, decomposition::{Partition, Subdomain, in_process}};
///
/// let partition = Partition::new([vec![0.0], vec![], vec![]])?;
/// let settings = Settings { gravity: Vector3::zeros(), ..Settings::default() };
/// let run = |exchange| -> Result<f64, Error> {
///     let mut part = Subdomain::new(settings, vec![], partition.clone(), exchange)?;
///     for x in [-0.15, 0.15] {
///         let mut ball = Grain::at(Vector3::new(x, 0.0, 0.0), 0.1, 1.0);
///         ball.velocity.x = if x < 0.0 { 1.0 } else { 0.0 };
///         part.add(&ball)?;
///     }
///     for _ in 0..200 {
///         part.step()?;
///     }
///     Ok(part.grains().map(|(_, ball)| ball.velocity.x).sum())
/// };
/// let ranks = in_process(2);
/// let momenta: Vec<f64> = std::thread::scope(|scope| {
///     let threads: Vec<_> = ranks.into_iter().map(|rank| scope.spawn(|| run(rank))).collect();
///     threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Result<_, _>>()
/// })?;
/// assert!((momenta.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Subdomain<E> {
    world: World,
    ranks: Ranks<E>,
}

impl<E: Exchange> Subdomain<E> {
    /// Creates a subdomain without grains.
    ///
    /// # Errors
    ///
    /// Those of [`World::new`]; [`Error::Length`] if the partition does not have one box per rank.
    pub fn new(
        settings: Settings,
        walls: Vec<Wall>,
        partition: Partition,
        exchange: E,
    ) -> Result<Self, Error> {
        let (found, expected) = (partition.len(), exchange.size());
        if found != expected {
            return Err(Error::Length { name: "partition", found, expected });
        }
        let world = World::new(settings, walls)?;
        Ok(Self { world, ranks: Ranks::new(partition, exchange) })
    }

    /// Adds a grain if it belongs to this rank, and returns its identity, which is the same on all ranks.
    ///
    /// # Errors
    ///
    /// Those of [`World::add`].
    pub fn add(&mut self, grain: &Grain) -> Result<u64, Error> {
        let mine = self.ranks.partition.owner(&grain.position) == self.ranks.exchange.rank();
        if mine { self.world.add(grain) } else { self.world.skip(grain) }
    }

    /// Removes the grains of this rank for which `leaves` returns true, and returns their number. All ranks
    /// must call it between the same steps.
    pub fn remove(&mut self, mut leaves: impl FnMut(&Grain) -> bool) -> usize {
        let ghosts = &self.ranks.ghost_identities;
        let own = |identity: u64| ghosts.binary_search(&identity).is_err();
        self.world.remove_if(|identity, grain| own(identity) && leaves(grain))
    }

    /// The grains of this rank with their identities.
    pub fn grains(&self) -> impl Iterator<Item = (u64, Grain)> {
        let grains = self.world.grains();
        let ghosts = &self.ranks.ghost_identities;
        let all = grains.identities().iter().enumerate();
        all.filter(|(_, identity)| ghosts.binary_search(identity).is_err())
            .map(|(place, &identity)| (identity, grains.grain(place)))
    }

    /// Number of copies of grains of other ranks.
    #[must_use]
    pub fn ghost_count(&self) -> usize {
        self.ranks.ghost_identities.len()
    }

    /// Advances by one time step, together with all other ranks.
    ///
    /// Residual, status, sweeps and overlap in the report are those of all ranks; contacts, impulses and works are those of
    /// the contacts solved here.
    ///
    /// # Errors
    ///
    /// Those of [`World::step`], on all ranks; [`Error::Unreachable`]. After an error the subdomain must not
    /// be used any more.
    pub fn step(&mut self) -> Result<Report, Error> {
        self.world.step_with(&mut self.ranks)
    }
}

/// The other ranks as a [`Link`].
#[derive(Debug)]
struct Ranks<E> {
    partition: Partition,
    exchange: E,
    outgoing: Vec<Vec<u64>>,
    incoming: Vec<Vec<u64>>,
    /// Identities of own grains with a ghost at each rank, and of ghosts here from each rank, in an order
    /// that both ranks share.
    lent: Vec<Vec<u64>>,
    borrowed: Vec<Vec<u64>>,
    /// All ghosts, sorted.
    ghost_identities: Vec<u64>,
    /// The same by places.
    lent_places: Vec<Vec<u32>>,
    borrowed_places: Vec<Vec<u32>>,
    /// Number of copies of shared grains by identity, sorted, and by place.
    copies: Vec<(u64, u64)>,
    shared: Vec<Shared>,
    is_ghost: Vec<bool>,
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
const WORDS: usize = 18;

impl<E: Exchange> Ranks<E> {
    fn new(partition: Partition, exchange: E) -> Self {
        let empty = || vec![Vec::new(); exchange.size()];
        let places = || vec![Vec::new(); exchange.size()];
        Self {
            outgoing: empty(),
            incoming: empty(),
            lent: empty(),
            borrowed: empty(),
            ghost_identities: Vec::new(),
            lent_places: places(),
            borrowed_places: places(),
            copies: Vec::new(),
            shared: Vec::new(),
            is_ghost: Vec::new(),
            partition,
            exchange,
        }
    }

    fn swap(&mut self) -> Result<(), Error> {
        let rank = self.exchange.rank();
        self.outgoing[rank].clear();
        self.exchange.exchange(&self.outgoing, &mut self.incoming)?;
        self.incoming[rank].clear();
        self.outgoing.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    /// Sends grains that have left, and receives those that have arrived.
    fn hand_over(&mut self, grains: &mut Grains, old: &[(u64, u32)]) -> Result<(), Error> {
        let rank = self.exchange.rank();
        let mut stays = vec![true; grains.len()];
        for (place, stay) in stays.iter_mut().enumerate() {
            let owner = self.partition.owner(&grains.positions[place]);
            if owner != rank {
                *stay = false;
                write(grains, place, 1, &mut self.outgoing[owner]);
            }
        }
        grains.retain(|place| stays[place]);
        self.swap()?;
        for message in &self.incoming {
            message.chunks_exact(WORDS).for_each(|words| _ = read(words, grains, old));
        }
        Ok(())
    }

    /// Sends copies of grains near the border, and receives those of other ranks.
    fn copy(&mut self, grains: &mut Grains, halo: f64, old: &[(u64, u32)]) -> Result<(), Error> {
        let rank = self.exchange.rank();
        self.lent.iter_mut().chain(&mut self.borrowed).for_each(Vec::clear);
        self.copies.clear();
        self.ghost_identities.clear();
        let mut near = Vec::new();
        for place in 0..grains.len() {
            near.clear();
            self.partition.near(&grains.positions[place], halo, &mut near);
            near.retain(|other| *other != rank);
            let (identity, copies) = (grains.identities[place], near.len() as u64 + 1);
            for &other in &near {
                write(grains, place, copies, &mut self.outgoing[other]);
                self.lent[other].push(identity);
            }
            if copies > 1 {
                self.copies.push((identity, copies));
            }
        }
        self.swap()?;
        for (message, borrowed) in self.incoming.iter().zip(&mut self.borrowed) {
            for words in message.chunks_exact(WORDS) {
                let (identity, copies) = read(words, grains, old);
                borrowed.push(identity);
                self.copies.push((identity, copies));
            }
        }
        self.ghost_identities.extend(self.borrowed.iter().flatten());
        self.ghost_identities.sort_unstable();
        self.copies.sort_unstable();
        Ok(())
    }

    /// Sets the copies of each shared grain to the mean of the values that `get` reads from them.
    fn merge<T, const N: usize>(
        &mut self,
        items: &mut [T],
        get: impl Fn(&T) -> [f64; N],
        set: impl Fn(&mut T, [f64; N]),
    ) -> Result<(), Error> {
        for (rank, places) in self.borrowed_places.iter().enumerate() {
            let values = places.iter().flat_map(|&place| get(&items[place as usize]));
            self.outgoing[rank].extend(values.map(f64::to_bits));
        }
        self.swap()?;
        for (message, places) in self.incoming.iter().zip(&self.lent_places) {
            for (words, &place) in message.chunks_exact(N).zip(places) {
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
        for (rank, places) in self.lent_places.iter().enumerate() {
            let values = places.iter().flat_map(|&place| get(&items[place as usize]));
            self.outgoing[rank].extend(values.map(f64::to_bits));
        }
        self.swap()?;
        for (message, places) in self.incoming.iter().zip(&self.borrowed_places) {
            for (words, &place) in message.chunks_exact(N).zip(places) {
                let mut mean = [0.0; N];
                mean.iter_mut().zip(words).for_each(|(mean, word)| *mean = f64::from_bits(*word));
                set(&mut items[place as usize], mean);
            }
        }
        Ok(())
    }
}

impl<E: Exchange> Link for Ranks<E> {
    fn largest(&mut self, value: f64) -> Result<f64, Error> {
        self.outgoing.iter_mut().for_each(|message| message.push(value.to_bits()));
        self.swap()?;
        let others = self.incoming.iter().flatten().map(|word| f64::from_bits(*word));
        Ok(others.fold(value, crate::contact::larger))
    }

    fn regroup(&mut self, grains: &mut Grains, halo: f64) -> Result<(), Error> {
        // Position of each grain at the last search, also for those that leave and return as copies.
        let all = grains.identities.iter().zip(&grains.previous);
        let mut old: Vec<(u64, u32)> =
            all.map(|(&identity, &previous)| (identity, previous)).collect();
        old.sort_unstable();
        let ghosts = std::mem::take(&mut self.ghost_identities);
        let ghost: Vec<bool> = grains
            .identities
            .iter()
            .map(|identity| ghosts.binary_search(identity).is_ok())
            .collect();
        grains.retain(|place| !ghost[place]);
        self.hand_over(grains, &old)?;
        self.copy(grains, halo, &old)
    }

    fn settle(&mut self, grains: &Grains) {
        let mut places: Vec<(u64, u32)> = grains.identities.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let place = |identity: &u64| {
            let found = places.binary_search_by_key(identity, |(identity, _)| *identity);
            found.map_or(NEW, |index| places[index].1)
        };
        let locate = |identities: &[Vec<u64>], places: &mut [Vec<u32>]| {
            for (identities, places) in identities.iter().zip(places) {
                places.clear();
                places.extend(identities.iter().map(place));
            }
        };
        locate(&self.lent, &mut self.lent_places);
        locate(&self.borrowed, &mut self.borrowed_places);
        self.is_ghost.clear();
        self.is_ghost.resize(grains.len(), false);
        for &place in self.borrowed_places.iter().flatten() {
            self.is_ghost[place as usize] = true;
        }
        self.shared.clear();
        for (identity, copies) in &self.copies {
            let place = place(identity);
            let motion = &grains.motions[place as usize];
            let yields = [motion.inverse_mass, motion.spin_yield];
            let (owned, copies) = (!self.is_ghost[place as usize], *copies as f64);
            self.shared.push(Shared { place, copies, owned, yields });
        }
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

    fn merge_motions(&mut self, motions: &mut [Motion]) -> Result<(), Error> {
        let get = |motion: &Motion| {
            let (v, s) = (motion.velocity, motion.spin);
            [v.x, v.y, v.z, s.x, s.y, s.z]
        };
        let set = |motion: &mut Motion, [a, b, c, d, e, f]: [f64; 6]| {
            motion.velocity = Vector3::new(a, b, c);
            motion.spin = Vector3::new(d, e, f);
        };
        self.merge(motions, get, set)
    }

    fn merge_shifts(&mut self, shifts: &mut [Vector3<f64>]) -> Result<(), Error> {
        self.merge(shifts, |shift| (*shift).into(), |shift, mean| *shift = mean.into())
    }
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
    let known = old.binary_search_by_key(&words[0], |(identity, _)| *identity);
    grains.previous.push(known.map_or(NEW, |index| old[index].1));
    (words[0], words[1])
}
