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
//! All ranks call the methods of [`Exchange`] in the same order, and two ranks name each other in the same calls of
//! [`Exchange::transfer`]. Messages are words of 64 bits that must arrive unchanged. A rank only sends messages to its
//! neighbors, whose boxes are near its own, and the receiver knows their lengths: the copies and thus the lengths of the
//! messages of all sweeps stay fixed from one search for pairs to the next. Only the search itself transfers lengths. Nothing
//! else is shared, and the physics does not depend on ranks.
//!
//! A sweep first solves the contacts of the slabs with shared grains and of those that come before them in the order of
//! sweeps; all others are solved while the messages are on their way. The order of any two contacts that share a grain is
//! that of a sweep without messages, and so are the bits.
//!
//! # Source
//!
//! T. Preclik, U. Rüde, "Ultrascale simulations of non-smooth granular dynamics", *Computational Particle
//! Mechanics* 2 (2015) 173–196, section 4 (ownership, ghosts, Gauss–Seidel inside and Jacobi across); R. Tonge,
//! F. Benevolenski, A. Voroshilov, "Mass splitting for jitter-free parallel rigid body simulation", *ACM Transactions on Graphics* 31
//! (2012) 105 (the weights).

mod balance;
mod exchange;
mod in_process;
mod ranks;

use self::ranks::Ranks;
pub use self::{
    exchange::{Exchange, Message},
    in_process::{InProcess, in_process},
};
use nalgebra::Vector3;

pub use crate::partition::{Lane, Partition};
use crate::{
    domain::{Balance, Domain, Share},
    grains::Grain,
    materials::Materials,
    periods::Periods,
    report::Report,
    servo::Servo,
    settings::{Error, Settings},
    wall::Wall,
    world::World,
};

/// The part of a world that one rank steps.
///
/// All ranks create it with the same settings, walls and partition, add the same grains in the same order,
/// and step equally often. A world that repeats itself is divided only along its other axes.
///
/// # Example
///
/// Two ranks in two threads; a ball of rank 0 hits one of rank 1, and both continue together.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{
///     Domain, Error, Grain, Settings,
///     decomposition::{Partition, Subdomain, in_process},
/// };
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

    /// The grains of this rank with their identities.
    pub fn grains(&self) -> impl Iterator<Item = (u64, Grain)> {
        let grains = self.world.grains();
        let all = grains.identities().iter().enumerate();
        all.filter(|(_, identity)| self.is_own(**identity))
            .map(|(place, &identity)| (identity, grains.grain(place)))
    }

    /// Number of copies of grains of other ranks.
    #[must_use]
    pub fn ghost_count(&self) -> usize {
        self.ranks.ghosts.len()
    }

    /// Moves the cuts so that all ranks have the same work, and transfers the grains to their new owners.
    fn divide_again(&mut self, work: &[f64]) -> Result<(), Error> {
        let Self { world, ranks } = self;
        let grains = world.grains();
        let all = grains.identities().iter().zip(grains.positions()).zip(work);
        let loads: Vec<_> = all
            .filter(|((identity, _), _)| !ranks.is_ghost(**identity))
            .map(|((_, place), work)| (*place, *work))
            .collect();
        let (counts, _) = ranks.partition.cuts();
        ranks.partition = balance::balanced(&mut ranks.exchange, counts, &loads)?;
        ranks.scattered = true;
        world.transfer(|grains| ranks.hand_over(grains, 0.0).map(|_| ()))
    }

    /// The largest work of a rank over the mean, and that of every grain of this rank and ghost.
    fn measure(&mut self) -> Result<(f64, Vec<f64>), Error> {
        let work = self.world.work();
        let identities = self.world.grains().identities().iter();
        let own = identities.zip(&work).filter(|(identity, _)| self.is_own(**identity));
        let own: f64 = own.map(|(_, work)| work).sum();
        let (mut sum, mut most) = ([own], [own]);
        Domain::sum(self, &mut sum)?;
        Domain::largest(self, &mut most)?;
        let mean = sum[0] / self.size() as f64;
        Ok((if mean > 0.0 { most[0] / mean } else { 1.0 }, work))
    }
}

/// Refuses cuts along an axis that repeats: a rank finds the images of its grains and ghosts among these alone.
fn check_uncut(partition: &Partition, periods: &Periods) -> Result<(), Error> {
    let (counts, _) = partition.cuts();
    let names = ["boxes along x", "boxes along y", "boxes along z"];
    for ((count, name), edge) in counts.into_iter().zip(names).zip(periods.edges) {
        if count > 1 && edge.is_some() {
            let (value, expected) = (count as f64, "1, because the world repeats itself along it");
            return Err(Error::Setting { name, value, expected });
        }
    }
    Ok(())
}

impl<E: Exchange> Domain for Subdomain<E> {
    fn world(&self) -> &World {
        &self.world
    }

    fn rank(&self) -> usize {
        self.ranks.exchange.rank()
    }

    fn size(&self) -> usize {
        self.ranks.exchange.size()
    }

    fn is_own(&self, identity: u64) -> bool {
        !self.ranks.is_ghost(identity)
    }

    fn add(&mut self, grain: &Grain) -> Result<u64, Error> {
        let mine = self.ranks.partition.owner(&grain.position) == self.rank();
        if mine { self.world.add(grain) } else { self.world.skip(grain) }
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&Grain) -> bool) -> usize {
        let Self { world, ranks } = self;
        world.remove_if(|identity, grain| !ranks.is_ghost(identity) && leaves(grain))
    }

    fn set_wall(&mut self, index: usize, wall: Wall) -> Result<(), Error> {
        self.world.set_wall(index, wall)
    }

    fn drive_wall(
        &mut self,
        index: usize,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<(), Error> {
        self.world.drive_wall(index, velocity, angular_velocity)
    }

    fn set_materials(&mut self, materials: Materials) -> Result<(), Error> {
        self.world.set_materials(materials)
    }

    fn set_servos(&mut self, servos: Vec<Servo>) -> Result<(), Error> {
        self.world.set_servos(servos)
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), Error> {
        self.world.set_settings(settings)
    }

    fn set_periods(&mut self, periods: Periods) -> Result<(), Error> {
        check_uncut(&self.ranks.partition, &periods)?;
        self.world.set_periods(periods)
    }

    /// After an error the subdomain must not be used any more.
    fn step(&mut self) -> Result<Report, Error> {
        self.world.step_with(&mut self.ranks)
    }

    fn balance(&mut self, limit: f64) -> Result<Balance, Error> {
        let (imbalance, work) = self.measure()?;
        if imbalance <= limit || self.size() == 1 {
            return Ok(Balance { imbalance, moved: false });
        }
        self.divide_again(&work)?;
        Ok(Balance { imbalance, moved: true })
    }

    fn sum(&mut self, values: &mut [f64]) -> Result<(), Error> {
        self.ranks.exchange.sum(values)
    }

    fn largest(&mut self, values: &mut [f64]) -> Result<(), Error> {
        let mut words: Vec<u64> = values.iter().map(|value| exchange::ordered(*value)).collect();
        self.ranks.exchange.largest(&mut words)?;
        values.iter_mut().zip(words).for_each(|(value, word)| *value = exchange::value(word));
        Ok(())
    }

    fn gather(&mut self, words: Vec<u64>) -> Result<Vec<Vec<u64>>, Error> {
        self.ranks.exchange.gather(words)
    }

    fn broadcast(&mut self, words: &mut Vec<u64>) -> Result<(), Error> {
        self.ranks.exchange.broadcast(words)
    }

    fn partition(&self) -> Partition {
        self.ranks.partition.clone()
    }

    fn share(&self) -> Share {
        let Ranks { partition, lent, borrowed, copies, .. } = &self.ranks;
        let (lent, borrowed, copies) = (lent.clone(), borrowed.clone(), copies.clone());
        Share { state: self.world.state(), partition: partition.clone(), lent, borrowed, copies }
    }

    fn restore(&mut self, share: Share) -> Result<(), Error> {
        let Share { state, partition, lent, borrowed, copies } = share;
        let (found, expected) = (partition.len(), self.size());
        if found != expected {
            return Err(Error::Length { name: "partition", found, expected });
        }
        state.periods.map_or(Ok(()), |periods| check_uncut(&partition, &periods))?;
        let world = World::from_state(state)?;
        let mut known = world.grains().identities().to_vec();
        known.sort_unstable();
        let shared = lent.iter().chain(&borrowed).flat_map(|lane| &lane.identities);
        let missing = shared.chain(copies.iter().map(|[identity, _]| identity));
        // Grains that were removed since the search are still listed.
        let is_missing = |identity: &&u64| known.binary_search(identity).is_err();
        let missing = missing.copied().find(|identity| is_missing(&identity));
        let is_current = world.is_current();
        let ranks = &mut self.ranks;
        (ranks.partition, ranks.lent, ranks.borrowed, ranks.copies) =
            (partition, lent, borrowed, copies);
        ranks.list_ghosts();
        // A rank that begins to step where others search would wait for ever.
        self.world = world;
        match missing {
            Some(identity) if is_current => Err(Error::Grain {
                identity,
                name: "place",
                value: f64::NAN,
                expected: "a grain of the state, because it is shared",
            }),
            _ => {
                if is_current {
                    self.world.relink(&mut self.ranks);
                }
                Ok(())
            }
        }
    }
}
