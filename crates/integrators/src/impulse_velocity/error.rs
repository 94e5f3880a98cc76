//! Everything that can be wrong with a start or a step on the level of velocities.

use percussion_complementarity::friction::{ProblemError, Status, report};
use percussion_dynamics::{SmoothVelocityError, contact_source};

use crate::model;

/// Why a start or a step is refused.
///
/// A refused step leaves the integrator where it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model or the start is refused.
    #[error(transparent)]
    Model(#[from] model::Error),
    /// The contact source of the model found no answer.
    #[error("step from time {time}: {source}")]
    Contacts {
        /// Time at the start of the step (s).
        time: f64,
        /// What is wrong.
        source: contact_source::Error,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value:?}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
    /// The model has bounded friction in joints.
    #[error("the model has friction in joints, expected none: this scheme has no rule for it")]
    JointFriction,
    /// The solver cannot solve the friction law, or one of its settings is out of range.
    #[error("contact solver: {0}")]
    Solver(#[from] report::Error),
    /// The contacts of a step are no problem: something is not finite, or the mass matrix not positive definite.
    #[error("contact problem of the step from time {time}: {source}")]
    Problem {
        /// Time at the start of the step (s).
        time: f64,
        /// What is wrong.
        source: ProblemError,
    },
    /// The contact problem of a step was not solved to the tolerance.
    #[error(
        "contact problem of the step from time {time} ended as {status:?} with relative residual \
         {relative_residual:?}"
    )]
    Unsolved {
        /// Time at the start of the step (s).
        time: f64,
        /// How the solver ended.
        status: Status,
        /// Relative natural-map residual of its best iterate.
        relative_residual: f64,
    },
    /// The smooth forces of a step lead to no velocity.
    #[error("step from time {time}: {source}")]
    SmoothVelocity {
        /// Time at the start of the step (s).
        time: f64,
        /// What is wrong.
        source: SmoothVelocityError,
    },
    /// The iteration for the smooth forces did not converge.
    #[error(
        "iteration of the step from time {time} reached its limit of {limit}, the last change was \
         {change:?} (m or rad)"
    )]
    IterationLimit {
        /// Time at the start of the step (s).
        time: f64,
        /// Limit reached.
        limit: usize,
        /// Last change of a coordinate (m, rad).
        change: f64,
    },
    /// The system, a gap or a constraint returned a NaN or infinity.
    #[error("{quantity} is not finite in the step from time {time}")]
    NotFinite {
        /// What is not finite.
        quantity: &'static str,
        /// Time at the start of the step (s).
        time: f64,
    },
    /// The end of a run is not finite.
    #[error("until is {value:?}, expected a finite time")]
    Time {
        /// The time (s).
        value: f64,
    },
    /// A run would take more steps than allowed.
    #[error("the run takes {required} steps, expected at most {limit}")]
    StepLimit {
        /// Steps that the run would take.
        required: f64,
        /// The limit of the settings.
        limit: usize,
    },
}
