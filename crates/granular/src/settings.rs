//! How a world is stepped: [`Settings`], and why something is refused: [`Error`].

use nalgebra::Vector3;

use crate::range;

/// Settings of a [`World`](crate::World).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time step `δt` (s), from `1e-75` to `1e75`; default 1 ms.
    pub step_size: f64,
    /// Gravitational acceleration (m/s²), default `(0, 0, −9.81)`.
    pub gravity: Vector3<f64>,
    /// Coefficient of friction between grains, ≥ 0; default 0.4.
    pub friction: f64,
    /// How overlaps are taken back (default [`Correction::Position`] with `ε = 0.2` in 10 sweeps).
    pub correction: Correction,
    /// Largest number of sweeps over the contacts in a step, ≥ 1; default 100: a plane that pushes a jam needs them.
    pub max_sweeps: usize,
    /// A step ends its sweeps when the [relative residual](crate::Report::relative_residual) is at most this, ≥ 0;
    /// default `1e-3`. With 0 every step makes `max_sweeps` sweeps.
    pub tolerance: f64,
    /// Extra distance, in largest diameters, up to which pairs are listed, so that the list lasts for some
    /// steps; in `(0, 1]`, default 0.05. Changes speed, and results by the order of contacts only.
    pub skin: f64,
}

/// How overlaps are taken back.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Correction {
    /// By moving grains apart after the velocities are found, which does not change the kinetic energy.
    Position {
        /// Part `ε` of an overlap that a step takes back, in `[0, 1]`.
        part: f64,
        /// Sweeps over the pairs that overlap or nearly do; 0 leaves overlaps as they are, 1 to 4 let piles of little
        /// friction creep, because what is pushed up is not yet carried when it stops.
        sweeps: usize,
    },
    /// By velocities: contacts are left with at least `ε |ξ|/δt`, as by Preclik, Eibl and Rüde.
    ///
    /// Those velocities stay, so that contacts open again and piles do not come to rest.
    Velocity {
        /// Part `ε` of an overlap that a step takes back, in `[0, 1]`.
        part: f64,
    },
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_size: 1e-3,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            friction: 0.4,
            correction: Correction::Position { part: 0.2, sweeps: 10 },
            max_sweeps: 100,
            tolerance: 1e-3,
            skin: 0.05,
        }
    }
}

impl Settings {
    /// What the normal velocity is shifted by at a gap `ξ` (m/s).
    pub(crate) fn bias(&self, gap: f64) -> f64 {
        let part = match self.correction {
            _ if gap >= 0.0 => 1.0,
            Correction::Velocity { part } => part,
            Correction::Position { .. } => 0.0,
        };
        part * gap / self.step_size
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let fault = |name, value, expected| Err(Error::Setting { name, value, expected });
        let finite = |value: f64| value.is_finite();
        if !range::is_positive(self.step_size) {
            return fault("step_size", self.step_size, range::POSITIVE);
        }
        if let Some(value) = range::unbounded(self.gravity.as_slice()) {
            return fault("gravity", value, range::BOUNDED);
        }
        if !(finite(self.friction) && self.friction >= 0.0) {
            return fault("friction", self.friction, "a finite number ≥ 0");
        }
        let (Correction::Position { part, .. } | Correction::Velocity { part }) = self.correction;
        if !(0.0..=1.0).contains(&part) {
            return fault("correction.part", part, "a number in [0, 1]");
        }
        if self.max_sweeps == 0 {
            return fault("max_sweeps", 0.0, "≥ 1");
        }
        if !(finite(self.tolerance) && self.tolerance >= 0.0) {
            return fault("tolerance", self.tolerance, "a finite number ≥ 0");
        }
        if !(self.skin > 0.0 && self.skin <= 1.0) {
            return fault("skin", self.skin, "a number in (0, 1]");
        }
        Ok(())
    }
}

/// Why a world, a grain or a step is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is out of its range.
    #[error("setting `{name}` is {value:?}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value found.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A wall is not usable.
    #[error("wall {index}: {name} is {value:?}, expected {expected}")]
    Wall {
        /// Index of the wall.
        index: usize,
        /// Name of the entry.
        name: &'static str,
        /// Value found.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A grain is not usable.
    #[error("grain {identity}: {name} is {value:?}, expected {expected}")]
    Grain {
        /// Identity the grain has or would get.
        identity: u64,
        /// Name of the entry.
        name: &'static str,
        /// Value found.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A grain would move by more than its radius within a step and could pass through others.
    #[error(
        "grain {identity} moves with {speed:?} m/s, expected at most its radius per step, {limit:?} m/s"
    )]
    TooFast {
        /// Identity of the grain.
        identity: u64,
        /// Its speed (m/s).
        speed: f64,
        /// Radius over time step (m/s).
        limit: f64,
    },
    /// A step led to a velocity that is not finite or beyond all bounds.
    #[error(
        "grain {identity}: {name} is {value:?} after the step, expected a number from -1e75 to 1e75; \
         this world cannot go on, continue from an earlier state"
    )]
    Diverged {
        /// Identity of the grain.
        identity: u64,
        /// Which velocity.
        name: &'static str,
        /// One of its components (m/s, or rad for a turn).
        value: f64,
    },
    /// An entry of a [`State`](crate::State) is out of its range.
    #[error("{name} is {value:?}, expected {expected}")]
    Entry {
        /// Name of the entry.
        name: &'static str,
        /// Value found.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// There are as many grains as there can be.
    #[error("there are {count} grains, expected fewer")]
    TooMany {
        /// Number of grains.
        count: usize,
    },
    /// Lists of a [`State`](crate::State) do not fit together.
    #[error("{name} has {found} entries, expected {expected}")]
    Length {
        /// Name of the list.
        name: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A [`State`](crate::State) refers to a grain or wall that is not there, or not where it is sorted.
    #[error("{name} names place {found}, expected one below {limit} in the order of slabs")]
    Place {
        /// Name of the list.
        name: &'static str,
        /// Place found.
        found: u32,
        /// Number of places.
        limit: usize,
    },
    /// Another rank does not answer.
    #[error("rank {rank} cannot be reached, expected it to step along")]
    Unreachable {
        /// The rank.
        rank: usize,
    },
    /// A grain of another rank is refused; that rank says why.
    #[error("a grain of another rank moves too fast, expected at most its radius per step")]
    TooFastElsewhere,
}
