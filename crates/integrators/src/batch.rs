//! Many motions of one model side by side: [`Batch`].
//!
//! Learning, sampling and sensitivity studies move the same model from many starts, or with many controls. The worlds of a
//! [`Batch`] share the model and nothing else, so that each moves as it would alone: to the same bits, on any number of threads,
//! and whatever happens to the others.
//!
//! - **Parallel** with the feature `rayon`: [`advance`](Batch::advance) gives whole worlds to the threads of the current pool, and
//!   each makes all of its steps there. Calls of many steps cost less than calls of one.
//! - **Failures** end one world, which stays at the state before the step that failed until it is [restarted](Batch::restart).
//!
//! # Source
//!
//! None: it repeats [`Choice::begin`] and [`Any::step`].
//!
//! # Example
//!
//! Three blocks slide at 1, 2 and 3 m/s on a floor with `μ = 0.5`, and stop after `v²/(2 μ g)`: 10, 40 and 90 cm.
//!
//! ```
//! use nalgebra::{Vector2, Vector3};
//! use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
//! use percussion_dynamics::{PlanarBodies, PlanarBody};
//! use percussion_integrators::{Contact, Model, State, batch::Batch, schemes::Name};
//!
//! let block = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
//! let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
//! let foot = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5);
//! let model = Model::new(Box::new(block), vec![foot])?;
//!
//! let start = |v| State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![v, 0.0, 0.0] };
//! let scheme = Name::MoreauJean.stepping().ok_or("it takes steps")?.with_step_size(0.1);
//! let mut batch = Batch::new(&model, scheme, [1.0, 2.0, 3.0].map(start))?;
//! for done in batch.advance(10) {
//!     assert_eq!((done.steps, done.unsolved), (10, 0));
//! }
//! for (world, distance) in batch.worlds().iter().zip([0.1, 0.4, 0.9]) {
//!     assert!((world.state().coordinates[0] - distance).abs() < 1e-9);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use percussion_complementarity::friction::Status;
#[cfg(feature = "rayon")]
use rayon::prelude::*;

use crate::{
    error::Error,
    model::{AppliedForce, Controls, Model, State},
    report::StepReport,
    schemes::{Any, Choice, Name},
};

/// Many motions of one model by one scheme; see the [module](self).
#[derive(Debug)]
pub struct Batch {
    worlds: Vec<World>,
    model: Model,
    scheme: Choice,
}

/// One motion with an applied force and controls of its own, as in a [`Batch`].
#[derive(Debug)]
pub struct World {
    motion: Any,
    force: Option<AppliedForce>,
    controls: Option<Controls>,
    failure: Option<Error>,
}

/// What one world did in a call of [`advance`](Batch::advance).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advance {
    /// Number of steps made; fewer than asked for if a step failed, now or before.
    pub steps: usize,
    /// Number of them whose contact problem was not solved to its tolerance, which only
    /// [`Unsolved::Accept`](crate::Unsolved::Accept) allows.
    pub unsolved: usize,
    /// Largest relative residual of their contact problems.
    pub relative_residual: f64,
    /// Deepest penetration at the end of any (m, ≥ 0).
    pub penetration: f64,
    /// Whether none ended with more energy than the motion can have.
    pub kept_energy: bool,
}

impl Advance {
    /// Nothing done.
    pub const NONE: Self =
        Self { steps: 0, unsolved: 0, relative_residual: 0.0, penetration: 0.0, kept_energy: true };

    /// Adds up two calls, `self` and a `later` one.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        Self {
            steps: self.steps + later.steps,
            unsolved: self.unsolved + later.unsolved,
            relative_residual: self.relative_residual.max(later.relative_residual),
            penetration: self.penetration.max(later.penetration),
            kept_energy: self.kept_energy && later.kept_energy,
        }
    }
}

/// One step.
impl From<&StepReport> for Advance {
    fn from(report: &StepReport) -> Self {
        Self {
            steps: 1,
            unsolved: usize::from(report.status != Status::Solved),
            relative_residual: report.relative_residual,
            penetration: report.penetration,
            kept_energy: !report.energy.is_breached(),
        }
    }
}

/// A world that cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The scheme refuses the model, its settings, or the start.
    #[error("world {world}: {source}")]
    Start {
        /// Number of the world.
        world: usize,
        /// Why.
        source: Error,
    },
    /// There is no world of this number.
    #[error("there is no world {world}, expected a number below {count}")]
    World {
        /// The number.
        world: usize,
        /// Number of worlds.
        count: usize,
    },
}

impl Batch {
    /// Begins one world for each of the states.
    ///
    /// Each world has [controls](Model::controls) and an [applied force](Model::with_applied_force) of its own, unless the scheme
    /// takes none.
    ///
    /// # Errors
    ///
    /// [`BatchError::Start`] for the first world that cannot begin.
    pub fn new(
        model: &Model,
        scheme: Choice,
        states: impl IntoIterator<Item = State>,
    ) -> Result<Self, BatchError> {
        let begin = |(world, state)| {
            World::begin(model, scheme, state).map_err(|source| BatchError::Start { world, source })
        };
        let worlds = states.into_iter().enumerate().map(begin).collect::<Result<_, _>>()?;
        Ok(Self { worlds, model: model.clone(), scheme })
    }

    /// The worlds, in the order of their states.
    #[must_use]
    pub fn worlds(&self) -> &[World] {
        &self.worlds
    }

    /// The scheme with its settings.
    #[must_use]
    pub const fn scheme(&self) -> Choice {
        self.scheme
    }

    /// Begins the motion of one world anew, with no force and no controls set.
    ///
    /// # Errors
    ///
    /// [`BatchError`]; the world is then unchanged.
    pub fn restart(&mut self, world: usize, state: State) -> Result<(), BatchError> {
        let count = self.worlds.len();
        let place = self.worlds.get_mut(world).ok_or(BatchError::World { world, count })?;
        *place = World::begin(&self.model, self.scheme, state)
            .map_err(|source| BatchError::Start { world, source })?;
        Ok(())
    }

    /// Makes this number of steps in every world that has not failed, and returns what each did.
    pub fn advance(&mut self, steps: usize) -> Vec<Advance> {
        // One world at a time, so that no thread is left with many while others have none.
        #[cfg(feature = "rayon")]
        let worlds = self.worlds.par_iter_mut().with_max_len(1);
        #[cfg(not(feature = "rayon"))]
        let worlds = self.worlds.iter_mut();
        worlds.map(|world| world.advance(steps)).collect()
    }
}

impl World {
    /// Begins a motion of `model` by `scheme` at `state`. Other worlds of the model have other controls.
    ///
    /// # Errors
    ///
    /// As [`Choice::begin`].
    pub fn begin(model: &Model, scheme: Choice, state: State) -> Result<Self, Error> {
        // Clones of a model share their controls.
        let model = match model.actuators() {
            [] => model.clone(),
            all => model.clone().with_actuators(all.to_vec())?,
        };
        let (model, force) = if scheme.name() == Name::Variational {
            (model, None)
        } else {
            let (model, force) = model.with_applied_force();
            (model, Some(force))
        };
        let controls = model.controls();
        let motion = scheme.begin(model, state)?;
        Ok(Self { motion, force, controls, failure: None })
    }

    fn advance(&mut self, steps: usize) -> Advance {
        let mut done = Advance::NONE;
        while self.failure.is_none() && done.steps < steps {
            match self.step() {
                Ok(report) => done = done.then(Advance::from(&report)),
                Err(error) => self.failure = Some(error),
            }
        }
        done
    }

    /// Makes one step. If it fails, the state is unchanged and the world can be stepped again.
    ///
    /// # Errors
    ///
    /// As [`Any::step`].
    pub fn step(&mut self) -> Result<StepReport, Error> {
        self.motion.step()
    }

    /// Its motion.
    #[must_use]
    pub const fn motion(&self) -> &Any {
        &self.motion
    }

    /// Its state.
    #[must_use]
    pub fn state(&self) -> &State {
        self.motion.state()
    }

    /// Its applied force; `None` if the scheme takes none.
    #[must_use]
    pub const fn force(&self) -> Option<&AppliedForce> {
        self.force.as_ref()
    }

    /// The controls of its actuators; `None` if it has none.
    #[must_use]
    pub const fn controls(&self) -> Option<&Controls> {
        self.controls.as_ref()
    }

    /// Why it makes no more steps in its batch, if a step failed there.
    #[must_use]
    pub const fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }
}
