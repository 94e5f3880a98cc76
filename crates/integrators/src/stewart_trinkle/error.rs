//! Everything that can be wrong with a model, a start or a step.

use percussion_complementarity::lcp::{Status, lemke};
use percussion_dynamics::{SmoothVelocityError, contact_source};

use crate::model;

/// Why a model, a start or a step is refused.
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
    #[error("setting `{name}` is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// The end of a run is NaN or infinite.
    #[error("until is {value:?}, expected a finite number (s)")]
    Time {
        /// The end (s).
        value: f64,
    },
    /// A contact of the start penetrates deeper than accepted.
    #[error("contact {contact} penetrates by {depth:?} m, accepted are {accepted:?} m")]
    InitialPenetration {
        /// Offending contact.
        contact: usize,
        /// Depth of penetration (m), positive.
        depth: f64,
        /// [`Settings::penetration_tolerance`](super::Settings::penetration_tolerance).
        accepted: f64,
    },
    /// A constraint does not hold at the start.
    #[error(
        "constraint {constraint} is violated by {violation:?}, accepted are {accepted:?} (m or rad)"
    )]
    InitialConstraint {
        /// Offending constraint.
        constraint: usize,
        /// Largest `|φ_i(q)|` of its equations.
        violation: f64,
        /// [`Settings::penetration_tolerance`](super::Settings::penetration_tolerance).
        accepted: f64,
    },
    /// The mass matrix is not symmetric positive definite.
    #[error("mass matrix at time {time} is not symmetric positive definite")]
    MassMatrix {
        /// Time (s) of the state that it belongs to.
        time: f64,
    },
    /// The smooth forces of a step lead to no velocity.
    #[error("step from time {time}: {source}")]
    SmoothVelocity {
        /// Time at the start of the step (s).
        time: f64,
        /// What is wrong.
        source: SmoothVelocityError,
    },
    /// The system, a gap or a constraint returned a NaN or infinity.
    #[error("{quantity} is not finite in the step from time {time}")]
    NotFinite {
        /// What is not finite.
        quantity: &'static str,
        /// Time at the start of the step (s).
        time: f64,
    },
    /// A linear complementarity problem was not solved to its tolerance.
    #[error(
        "LCP of size {size} in the step from time {time} ended as {status:?} with relative residual \
         {relative_residual:?}"
    )]
    Unsolved {
        /// Time at the start of the step (s).
        time: f64,
        /// How the solver ended.
        status: Status,
        /// Relative natural-map residual of its best iterate.
        relative_residual: f64,
        /// Size of the problem.
        size: usize,
    },
    /// The outer iteration did not converge.
    #[error(
        "outer iteration of the step from time {time} reached its limit of {limit}, the last change \
         was {change:?}, the last violation {violation:?} (m or rad)"
    )]
    OuterIterationLimit {
        /// Time at the start of the step (s).
        time: f64,
        /// Limit reached.
        limit: usize,
        /// Last `‖h (v' − v̂)‖∞` (m, rad).
        change: f64,
        /// Deepest penetration or largest constraint error at the last iterate (m, rad).
        violation: f64,
    },
    /// The LCP solver refused its settings.
    #[error("LCP solver: {0}")]
    Lemke(#[from] lemke::Error),
    /// A run would take more steps than allowed.
    #[error("the run takes {required} steps, expected at most {limit}")]
    StepLimit {
        /// Steps that the run would take, rounded.
        required: f64,
        /// [`Settings::step_limit`](super::Settings::step_limit).
        limit: usize,
    },
}
