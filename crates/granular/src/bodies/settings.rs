//! [`Settings`] of the steps of bodies, and the [`Error`]s.

use nalgebra::Vector3;
use percussion_collision::{ColliderError, SceneError};
use percussion_complementarity::friction::Law;
use percussion_dynamics::MassPropertiesError;

use crate::{Correction, Settings as Grains};

/// Settings of [`Bodies`](super::Bodies).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time step `δt` (s), positive; default 1 ms.
    pub step_size: f64,
    /// Gravitational acceleration (m/s²), default `(0, 0, −9.81)`.
    pub gravity: Vector3<f64>,
    /// Friction law, default [`Law::Coulomb`]. The laws differ where the normal and the tangents of a contact
    /// are coupled, which is the case for all shapes except spheres.
    pub law: Law,
    /// Fraction `ε` of an overlap that a step removes by moving bodies, in `[0, 1]`; default 0.2.
    pub correction: f64,
    /// Number of sweeps of this correction, over the contacts that overlap or nearly do; default 10. Too few
    /// of them make [piles creep](crate::Correction::Position).
    pub correction_sweeps: usize,
    /// Maximum number of sweeps over the contacts in a step, ≥ 1; default 100.
    pub max_sweeps: usize,
    /// Relative residual at which a step ends its sweeps: it does when the [relative
    /// residual](crate::Report::relative_residual) is at most this, ≥ 0; default `1e-3`. With 0 every step
    /// makes `max_sweeps` sweeps.
    pub tolerance: f64,
    /// Additional distance, in units of the largest diameter, up to which pairs are listed, so that the list
    /// is valid for several steps; in `(0, 1]`, default 0.05.
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

/// Reasons why bodies, their forms or a step are refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is invalid.
    #[error(transparent)]
    Setting(#[from] crate::Error),
    /// Mass, center of mass or inertia is impossible for a body.
    #[error(transparent)]
    Mass(#[from] MassPropertiesError),
    /// A body without inertia about some axis, such as a thin rod.
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
    /// Mass or size of a form is out of range.
    #[error("{name} is {value:?}, expected {expected}")]
    Form {
        /// Name of the entry.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Expected value.
        expected: &'static str,
    },
    /// A ball of a clump is invalid.
    #[error("ball {index}: {name} is {value:?}, expected {expected}")]
    Ball {
        /// Index of the ball.
        index: usize,
        /// Name of the entry.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Expected value.
        expected: &'static str,
    },
    /// The form has no parts.
    #[error("a form needs at least one part, got none")]
    NoParts,
    /// A part is unbounded or a shape of the plane.
    #[error("part {index} is a {name}, expected a bounded shape of space")]
    Part {
        /// Index of the part.
        index: usize,
        /// Name of the shape.
        name: &'static str,
    },
    /// A part or boundary is invalid.
    #[error("collider {index}: {source}")]
    Collider {
        /// Index of the part or boundary.
        index: usize,
        /// The error of the collider.
        source: ColliderError,
    },
    /// An entry of a boundary is out of range, or there is no such boundary.
    #[error("boundary {index}: {name} is {value}, expected {expected}")]
    Boundary {
        /// Index of the boundary.
        index: usize,
        /// Name of the entry.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Expected value.
        expected: &'static str,
    },
    /// An entry of a body is out of range.
    #[error("body {identity}: {name} is {value:?}, expected {expected}")]
    Body {
        /// Identity of the body.
        identity: u64,
        /// Name of the entry.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Expected value.
        expected: &'static str,
    },
    /// A step led to a velocity that is not finite or is out of range. The step was not made.
    #[error(
        "body {identity}: {name} is {value:?} after the step, expected a number from -1e75 to 1e75"
    )]
    Diverged {
        /// Identity of the body.
        identity: u64,
        /// Name of the velocity or displacement.
        name: &'static str,
        /// One of its components (m/s, rad/s, m or rad).
        value: f64,
    },
    /// There are more bodies than supported.
    #[error("{count} bodies, expected fewer than 2²⁹")]
    TooMany {
        /// Number of bodies.
        count: usize,
    },
    /// A body would move by more than the radius of a ball around it, or rotate by more than half a radian,
    /// in a step.
    #[error("body {identity}: {name} is {value}, expected at most {limit}; take smaller steps")]
    TooFast {
        /// Identity of the body.
        identity: u64,
        /// Whether it moves (m/s) or turns (rad/s) too fast.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The maximum value that the step allows.
        limit: f64,
    },
    /// The contacts of two bodies could not be found.
    #[error("body {identity}: {source}")]
    Contacts {
        /// Identity of one of the bodies.
        identity: u64,
        /// The error of the search.
        source: SceneError,
    },
}
