//! How bodies are stepped: [`Settings`], and why something is refused: [`Error`].

use nalgebra::Vector3;
use percussion_collision::{collider, scene};
use percussion_complementarity::friction::Law;
use percussion_dynamics::inertia;

use crate::{Correction, Settings as Grains};

/// Settings of [`Bodies`](super::Bodies).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time step `δt` (s), positive; default 1 ms.
    pub step_size: f64,
    /// Gravitational acceleration (m/s²), default `(0, 0, −9.81)`.
    pub gravity: Vector3<f64>,
    /// Friction law, default [`Law::Coulomb`]. Where the normal and the tangents of a contact are coupled, as they are for
    /// all but spheres, the laws differ.
    pub law: Law,
    /// Part `ε` of an overlap that a step takes back by moving bodies, in `[0, 1]`; default 0.2.
    pub correction: f64,
    /// Sweeps over the contacts that overlap or nearly do for that; default 10, and fewer make
    /// [piles creep](crate::Correction::Position).
    pub correction_sweeps: usize,
    /// Largest number of sweeps over the contacts in a step, ≥ 1; default 100.
    pub max_sweeps: usize,
    /// A step ends its sweeps when the [relative residual](crate::Report::relative_residual) is at most this, ≥ 0;
    /// default `1e-3`. With 0 every step makes `max_sweeps` sweeps.
    pub tolerance: f64,
    /// Extra distance, in largest diameters, up to which pairs are listed, so that the list lasts for some
    /// steps; in `(0, 1]`, default 0.05.
    pub skin: f64,
}

impl Default for Settings {
    fn default() -> Self {
        let Grains { step_size, gravity, max_sweeps, tolerance, skin, .. } = Grains::default();
        let (correction, correction_sweeps) = (0.2, 10);
        let law = Law::default();
        Self { step_size, gravity, law, correction, correction_sweeps, max_sweeps, tolerance, skin }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let Self { step_size, gravity, max_sweeps, tolerance, skin, .. } = *self;
        let correction =
            Correction::Position { part: self.correction, sweeps: self.correction_sweeps };
        let grains =
            Grains { step_size, gravity, max_sweeps, tolerance, skin, correction, friction: 0.0 };
        Ok(grains.check()?)
    }
}

/// Why bodies, what they are made of or a step are refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is not usable.
    #[error(transparent)]
    Setting(#[from] crate::Error),
    /// Mass, center or inertia are not those of a body.
    #[error(transparent)]
    Mass(#[from] inertia::Error),
    /// A body that turns without inertia about some axis, such as a thin rod.
    #[error(
        "principal moments are from {value:?} to {largest:?}, expected numbers from 1e-225 to 1e225 (kg·m²), \
         the smallest at least 4e-15 of the largest"
    )]
    Moment {
        /// The smallest principal moment (kg·m²).
        value: f64,
        /// The largest principal moment (kg·m²).
        largest: f64,
    },
    /// Mass or size of a form is out of its range.
    #[error("{name} is {value:?}, expected {expected}")]
    Form {
        /// Name of the entry.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A ball of a clump is not usable.
    #[error("ball {index}: {name} is {value:?}, expected {expected}")]
    Ball {
        /// Index of the ball.
        index: usize,
        /// Name of the entry.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A form without parts.
    #[error("a form needs at least one part, got none")]
    NoParts,
    /// A part is endless or a shape of the plane.
    #[error("part {index} is a {name}, expected a bounded shape of space")]
    Part {
        /// Index of the part.
        index: usize,
        /// Name of the shape.
        name: &'static str,
    },
    /// A part or boundary is not usable.
    #[error("collider {index}: {source}")]
    Collider {
        /// Index of the part or boundary.
        index: usize,
        /// What is wrong with it.
        source: collider::Error,
    },
    /// An entry of a boundary is out of its range, or there is no such boundary.
    #[error("boundary {index}: {name} is {value}, expected {expected}")]
    Boundary {
        /// Index of the boundary.
        index: usize,
        /// Name of the entry.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// An entry of a body is out of its range.
    #[error("body {identity}: {name} is {value:?}, expected {expected}")]
    Body {
        /// Identity of the body.
        identity: u64,
        /// Name of the entry.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A step led to a velocity that is not finite or beyond all bounds. The step was not made.
    #[error(
        "body {identity}: {name} is {value:?} after the step, expected a number from -1e75 to 1e75"
    )]
    Diverged {
        /// Identity of the body.
        identity: u64,
        /// Which velocity, or displacement.
        name: &'static str,
        /// One of its components (m/s, rad/s, m or rad).
        value: f64,
    },
    /// There are more bodies than places.
    #[error("{count} bodies, expected fewer than 2²⁹")]
    TooMany {
        /// Number of bodies.
        count: usize,
    },
    /// A body would move by more than the radius of a ball around it, or turn by more than half a radian, in a step.
    #[error("body {identity}: {name} is {value}, expected at most {limit}; take smaller steps")]
    TooFast {
        /// Identity of the body.
        identity: u64,
        /// Whether it moves (m/s) or turns (rad/s) too fast.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The largest value that the step allows.
        limit: f64,
    },
    /// The contacts of two bodies could not be found.
    #[error("body {identity}: {source}")]
    Contacts {
        /// Identity of one of the bodies.
        identity: u64,
        /// What went wrong.
        source: scene::Error,
    },
}
