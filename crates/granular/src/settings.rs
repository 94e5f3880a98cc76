//! [`Settings`] of the steps of a world, and the [`Error`]s.

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
    /// Removal of overlaps (default [`Correction::Position`] with `ε = 0.2` in 10 sweeps).
    pub correction: Correction,
    /// Maximum number of sweeps over the contacts in a step, ≥ 1; default 100, which a plane that pushes a
    /// jam requires.
    pub max_sweeps: usize,
    /// Relative residual at which a step ends its sweeps: it does when the [relative
    /// residual](crate::Report::relative_residual) is at most this, ≥ 0; default `1e-3`. With 0 every step
    /// makes `max_sweeps` sweeps.
    pub tolerance: f64,
    /// Additional distance, in units of the largest diameter, up to which pairs are listed, so that the list
    /// is valid for several steps; in `(0, 1]`, default 0.05. It changes the speed, and the results only
    /// through the order of contacts.
    pub skin: f64,
}

/// Method that removes overlaps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Correction {
    /// Moves grains apart after the velocities are computed, which does not change the kinetic energy.
    Position {
        /// Fraction `ε` of an overlap that a step removes, in `[0, 1]`.
        part: f64,
        /// Number of sweeps over the pairs that overlap or nearly do. 0 leaves overlaps unchanged. With 1 to
        /// 4, piles with low friction creep, because the sweeps stop before grains that were pushed up are
        /// supported.
        sweeps: usize,
    },
    /// Prescribes velocities: contacts separate at least at `ε |ξ|/δt`, as in Preclik, Eibl and Rüde.
    ///
    /// These velocities remain, so that contacts open again and piles do not come to rest.
    Velocity {
        /// Fraction `ε` of an overlap that a step removes, in `[0, 1]`.
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
    /// Shift of the normal velocity at a gap `ξ` (m/s).
    pub(crate) fn bias(&self, gap: f64) -> f64 {
        let part = if gap >= 0.0 { 1.0 } else { self.part_by_velocity() };
        part * gap / self.step_size
    }

    /// The fraction of an overlap that a step removes by velocities.
    pub(crate) fn part_by_velocity(&self) -> f64 {
        match self.correction {
            Correction::Velocity { part } => part,
            Correction::Position { .. } => 0.0,
        }
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

/// Reasons why a world, a grain or a step is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is out of range.
    #[error("setting `{name}` is {value:?}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value found.
        value: f64,
        /// Expected value.
        expected: &'static str,
    },
    /// A wall is invalid.
    #[error("wall {index}: {name} is {value:?}, expected {expected}")]
    Wall {
        /// Index of the wall.
        index: usize,
        /// Name of the entry.
        name: &'static str,
        /// Value found.
        value: f64,
        /// Expected value.
        expected: &'static str,
    },
    /// A grain is invalid.
    #[error("grain {identity}: {name} is {value:?}, expected {expected}")]
    Grain {
        /// Identity the grain has or would get.
        identity: u64,
        /// Name of the entry.
        name: &'static str,
        /// Value found.
        value: f64,
        /// Expected value.
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
    /// A step led to a velocity that is not finite or is out of range.
    #[error(
        "grain {identity}: {name} is {value:?} after the step, expected a number from -1e75 to 1e75; \
         this world cannot go on, continue from an earlier state"
    )]
    Diverged {
        /// Identity of the grain.
        identity: u64,
        /// Name of the velocity.
        name: &'static str,
        /// One of its components (m/s, or rad for a turn).
        value: f64,
    },
    /// An entry of a [`State`](crate::State) is out of range.
    #[error("{name} is {value:?}, expected {expected}")]
    Entry {
        /// Name of the entry.
        name: &'static str,
        /// Value found.
        value: f64,
        /// Expected value.
        expected: &'static str,
    },
    /// The maximum number of grains has been reached.
    #[error("there are {count} grains, expected fewer")]
    TooMany {
        /// Number of grains.
        count: usize,
    },
    /// Lists of a [`State`](crate::State) are inconsistent.
    #[error("{name} has {found} entries, expected {expected}")]
    Length {
        /// Name of the list.
        name: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A [`State`](crate::State) refers to a grain or wall that does not exist, or that is not where it is
    /// sorted.
    #[error("{name} names place {found}, expected one below {limit} in the order of slabs")]
    Place {
        /// Name of the list.
        name: &'static str,
        /// Place found.
        found: u32,
        /// Number of places.
        limit: usize,
    },
    /// A body of any shape would move by more than the radius of a ball around it, or turn by more than half a radian, within a
    /// step.
    #[error("grain {identity}: {name} is {value}, expected at most {limit}; take smaller steps")]
    TooFastBody {
        /// Identity of the body.
        identity: u64,
        /// Whether it moves (m/s) or turns (rad/s) too fast.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The largest value that the step allows.
        limit: f64,
    },
    /// The contacts of two bodies of any shape could not be found.
    #[error("grain {identity}: {source}")]
    Contacts {
        /// Identity of one of the bodies.
        identity: u64,
        /// The error of the search.
        source: percussion_collision::SceneError,
    },
    /// Another rank does not respond.
    #[error("rank {rank} cannot be reached, expected it to step along")]
    Unreachable {
        /// The rank.
        rank: usize,
    },
    /// A grain of another rank is refused; that rank reports the reason.
    #[error("a grain of another rank moves too fast, expected at most its radius per step")]
    TooFastElsewhere,
    /// A step led to a velocity of a grain of another rank that is out of range; that rank reports it.
    #[error(
        "a velocity of another rank is out of range after the step; this world cannot go on, continue from an earlier state"
    )]
    DivergedElsewhere,
}
