//! A world, or the part of one that a rank steps: [`Domain`].

#[cfg(feature = "bodies")]
use std::sync::Arc;

use nalgebra::Vector3;

#[cfg(feature = "bodies")]
use crate::bodies::Mold;
use crate::{
    grains::Grain,
    materials::Materials,
    partition::{Lane, Partition},
    periods::Periods,
    report::Report,
    servo::Servo,
    settings::{Error, Settings},
    state::State,
    touch::{Force, Partner},
    wall::Wall,
    world::World,
};

/// The operations on a [`World`], or on the [`Subdomain`](crate::decomposition::Subdomain) of one rank, that scenes and
/// the programs that run them need.
///
/// All ranks call the methods with `&mut self` in the same order. If one rank fails, all ranks return an error; where only
/// one rank knows the reason, the others say so. Exceptions are invalid grains and files that cannot be read, which
/// may fail on one rank alone.
///
/// # Example
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Domain, Error, Grain, Settings, World};
///
/// fn fall(domain: &mut impl Domain) -> Result<f64, Error> {
///     domain.add(&Grain::at(Vector3::zeros(), 0.1, 1.0))?;
///     (0..100).try_for_each(|_| domain.step().map(|_| ()))?;
///     let mut energy = [domain.own_kinetic_energy()];
///     domain.sum(&mut energy)?;
///     Ok(energy[0])
/// }
/// let mut world = World::new(Settings::default(), vec![])?;
/// assert!((fall(&mut world)? - 0.5 * 0.981 * 0.981).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
pub trait Domain {
    /// The grains and walls here, which of a part include copies of grains of other ranks.
    fn world(&self) -> &World;

    /// Number of this rank, below [`size`](Self::size).
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Whether this rank owns the grain with this identity; false for a copy of another rank's grain.
    fn is_own(&self, identity: u64) -> bool;

    /// Adds a grain to the rank that it belongs to, and returns its identity, which is the same on all ranks.
    ///
    /// # Errors
    ///
    /// Those of [`World::add`].
    fn add(&mut self, grain: &Grain) -> Result<u64, Error>;

    /// Adds a grain with a shape: the number of one of the [`molds`](Self::molds), of which a domain of balls has none and to
    /// which the number then means nothing. The radius is that of the ball of equal volume.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    fn add_shaped(&mut self, grain: &Grain, mold: usize) -> Result<u64, Error> {
        let _ = mold;
        self.add(grain)
    }

    /// The shapes of grains; none where all are balls.
    #[cfg(feature = "bodies")]
    fn molds(&self) -> &[Arc<Mold>] {
        &[]
    }

    /// Number of the mold of the grain at place `index`.
    fn mold_of(&self, index: usize) -> usize {
        let _ = index;
        0
    }

    /// Radius of a ball about its center that contains the grain at place `index` (m).
    fn bounding_radius(&self, index: usize) -> f64 {
        self.world().grains().radii()[index]
    }

    /// Calls `see` with the contacts of the last step that carry an impulse, in the order of the sweeps; there are none after
    /// grains, walls or settings were changed.
    fn each_force(&self, see: &mut dyn FnMut(&Force)) {
        self.world().each_force(see);
    }

    /// The deepest overlap at the current positions (m, ≥ 0).
    fn overlap(&self) -> f64 {
        self.world().overlap()
    }

    /// Removes the grains of this rank for which `leaves` returns true, and returns their number.
    fn remove(&mut self, leaves: &mut dyn FnMut(&Grain) -> bool) -> usize;

    /// [`World::set_wall`].
    ///
    /// # Errors
    ///
    /// Those of [`World::set_wall`].
    fn set_wall(&mut self, index: usize, wall: Wall) -> Result<(), Error>;

    /// [`World::drive_wall`].
    ///
    /// # Errors
    ///
    /// Those of [`World::drive_wall`].
    fn drive_wall(
        &mut self,
        index: usize,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<(), Error>;

    /// [`World::set_materials`].
    ///
    /// # Errors
    ///
    /// Those of [`World::set_materials`].
    fn set_materials(&mut self, materials: Materials) -> Result<(), Error>;

    /// [`World::set_servos`].
    ///
    /// # Errors
    ///
    /// Those of [`World::set_servos`].
    fn set_servos(&mut self, servos: Vec<Servo>) -> Result<(), Error>;

    /// [`World::set_settings`].
    ///
    /// # Errors
    ///
    /// Those of [`World::set_settings`].
    fn set_settings(&mut self, settings: Settings) -> Result<(), Error>;

    /// [`World::set_periods`].
    ///
    /// # Errors
    ///
    /// Those of [`World::set_periods`]; [`Error::Setting`] if space is divided along an axis that repeats.
    fn set_periods(&mut self, periods: Periods) -> Result<(), Error>;

    /// Advances by one time step, together with all other ranks.
    ///
    /// Residual, status, sweeps and overlap in the report are those of all ranks; contacts, impulses and works are those of
    /// the contacts solved here.
    ///
    /// # Errors
    ///
    /// Those of [`World::step`], on all ranks; [`Error::Unreachable`].
    fn step(&mut self) -> Result<Report, Error>;

    /// Measures how evenly the work is divided among the ranks, and divides it anew if the imbalance is above `limit`.
    /// Grains do not move, but may be on other ranks afterwards.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`], here and below.
    fn balance(&mut self, limit: f64) -> Result<Balance, Error>;

    /// Replaces each value by its sum over all ranks, in an order that depends on their number alone.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    fn sum(&mut self, values: &mut [f64]) -> Result<(), Error>;

    /// Replaces each value by the largest of all ranks, NaN if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    fn largest(&mut self, values: &mut [f64]) -> Result<(), Error>;

    /// Returns the messages of all ranks in their order on rank 0, and nothing on the others.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    fn gather(&mut self, words: Vec<u64>) -> Result<Vec<Vec<u64>>, Error>;

    /// Replaces `words` by those of rank 0.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    fn broadcast(&mut self, words: &mut Vec<u64>) -> Result<(), Error>;

    /// The boxes of all ranks.
    fn partition(&self) -> Partition;

    /// All data of this rank that determine the future.
    fn share(&self) -> Share;

    /// Continues from the shares of all ranks, each with its own; the partition must have as many boxes as there are ranks.
    ///
    /// # Errors
    ///
    /// Those of [`World::from_state`]; [`Error::Length`] for another number of boxes; [`Error::Grain`] for a shared grain
    /// that is not there.
    fn restore(&mut self, share: Share) -> Result<(), Error>;

    /// Number of grains of this rank.
    fn own_count(&self) -> usize {
        let identities = self.world().grains().identities();
        identities.iter().filter(|identity| self.is_own(**identity)).count()
    }

    /// Kinetic energy of the grains of this rank (J).
    fn own_kinetic_energy(&self) -> f64 {
        let grains = self.world().grains();
        let all = grains.identities.iter().zip(&grains.motions);
        all.filter(|(identity, _)| self.is_own(**identity)).map(|(_, m)| m.kinetic_energy()).sum()
    }

    /// `Σ m x` of the grains of this rank (kg·m).
    fn own_first_moment(&self) -> Vector3<f64> {
        let grains = self.world().grains();
        let all = grains.identities.iter().zip(grains.positions.iter().zip(&grains.motions));
        all.filter(|(identity, _)| self.is_own(**identity))
            .map(|(_, (x, motion))| x / motion.inverse_mass)
            .sum()
    }
}

/// How evenly the work is divided among ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// The largest work of a rank over the mean, ≥ 1, before anything was moved; work is the number of grains and pairs.
    pub imbalance: f64,
    /// Whether grains may have moved to other ranks.
    pub moved: bool,
}

/// All data of a rank that determine the future.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The grains and walls here, with the copies of grains of other ranks.
    pub state: State,
    /// The boxes of all ranks.
    pub partition: Partition,
    /// Grains of this rank that others have copies of.
    pub lent: Vec<Lane>,
    /// Copies here.
    pub borrowed: Vec<Lane>,
    /// Identities of both and the number of their copies, sorted.
    pub copies: Vec<[u64; 2]>,
}

impl Share {
    /// That of the only rank.
    #[must_use]
    pub fn alone(state: State) -> Self {
        let (lent, borrowed, copies) = (Vec::new(), Vec::new(), Vec::new());
        Self { state, partition: Partition::whole(), lent, borrowed, copies }
    }
}

impl World {
    /// [`Domain::each_force`].
    pub(crate) fn each_force(&self, see: &mut dyn FnMut(&Force)) {
        let (radii, step) = (self.grains().radii(), self.settings().step_size);
        for touch in self.touches().filter(|touch| touch.impulse.dot(&touch.normal) > 0.0) {
            let (branch, wall) = match touch.partner {
                Partner::Grain(other) => (radii[touch.grain] + radii[other] + touch.gap, None),
                Partner::Wall(wall) => (radii[touch.grain] + touch.gap, Some(wall)),
            };
            let (force, normal) = (touch.impulse / step, touch.normal);
            see(&Force { force, normal, branch: branch * normal, wall });
        }
    }
}

/// What is the same for every [`Domain`] that is not divided among ranks.
macro_rules! only_rank {
    () => {
        fn rank(&self) -> usize {
            0
        }

        fn size(&self) -> usize {
            1
        }

        fn is_own(&self, _: u64) -> bool {
            true
        }

        fn balance(&mut self, _: f64) -> Result<$crate::domain::Balance, $crate::settings::Error> {
            Ok($crate::domain::Balance { imbalance: 1.0, moved: false })
        }

        fn sum(&mut self, _: &mut [f64]) -> Result<(), $crate::settings::Error> {
            Ok(())
        }

        fn largest(&mut self, _: &mut [f64]) -> Result<(), $crate::settings::Error> {
            Ok(())
        }

        fn gather(&mut self, words: Vec<u64>) -> Result<Vec<Vec<u64>>, $crate::settings::Error> {
            Ok(vec![words])
        }

        fn broadcast(&mut self, _: &mut Vec<u64>) -> Result<(), $crate::settings::Error> {
            Ok(())
        }

        fn partition(&self) -> $crate::partition::Partition {
            $crate::partition::Partition::whole()
        }
    };
}

#[cfg(feature = "bodies")]
pub(crate) use only_rank;

impl Domain for World {
    only_rank!();

    fn world(&self) -> &World {
        self
    }

    fn add(&mut self, grain: &Grain) -> Result<u64, Error> {
        Self::add(self, grain)
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&Grain) -> bool) -> usize {
        Self::remove(self, leaves)
    }

    fn set_wall(&mut self, index: usize, wall: Wall) -> Result<(), Error> {
        Self::set_wall(self, index, wall)
    }

    fn drive_wall(
        &mut self,
        index: usize,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<(), Error> {
        Self::drive_wall(self, index, velocity, angular_velocity)
    }

    fn set_materials(&mut self, materials: Materials) -> Result<(), Error> {
        Self::set_materials(self, materials)
    }

    fn set_servos(&mut self, servos: Vec<Servo>) -> Result<(), Error> {
        Self::set_servos(self, servos)
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), Error> {
        Self::set_settings(self, settings)
    }

    fn set_periods(&mut self, periods: Periods) -> Result<(), Error> {
        Self::set_periods(self, periods)
    }

    fn step(&mut self) -> Result<Report, Error> {
        Self::step(self)
    }

    fn share(&self) -> Share {
        Share::alone(self.state())
    }

    fn restore(&mut self, share: Share) -> Result<(), Error> {
        let found = share.partition.len();
        if found != 1 {
            return Err(Error::Length { name: "partition", found, expected: 1 });
        }
        *self = Self::from_state(share.state)?;
        Ok(())
    }
}
