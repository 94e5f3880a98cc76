//! Errors in a model, a start or a step of a stepping scheme.

use percussion_complementarity::{
    friction,
    lcp::{self, lemke},
};
use percussion_dynamics::{ContactSourceError, SmoothVelocityError};
use percussion_impact::Status;

use crate::model::{Feature, ModelError};

/// Reasons why a [`Simulation`](crate::Simulation) does not start, or does not take a step.
///
/// A refused step leaves the simulation unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model or the start is refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value:?}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Accepted values.
        expected: &'static str,
    },
    /// The model has a feature that the scheme does not support.
    #[error("the model has {feature}, expected none: this scheme has no rule for it")]
    NoRule {
        /// The feature.
        feature: Feature,
    },
    /// The system is neither Lagrangian nor made of free bodies, which [`Variational`](crate::variational::Variational)
    /// requires.
    #[error(
        "the model has a general system, expected one made by `Model::lagrangian` or `Model::free_bodies`"
    )]
    NotLagrangian,
    /// A Lagrangian system has quaternions, which [`Variational`](crate::variational::Variational) does not support.
    #[error(
        "system has {coordinates} coordinates and {velocities} velocities, expected as many of the one \
         as of the other, or free bodies"
    )]
    Quaternions {
        /// `n_q`.
        coordinates: usize,
        /// `n_v`.
        velocities: usize,
    },
    /// A contact of the start penetrates deeper than the settings accept.
    #[error("contact {contact} penetrates by {depth:?} m, expected at most {accepted:?} m")]
    InitialPenetration {
        /// Index of the contact.
        contact: usize,
        /// Depth of penetration (m), positive.
        depth: f64,
        /// Largest accepted depth (m).
        accepted: f64,
    },
    /// A constraint does not hold at the start.
    #[error(
        "constraint {constraint} is violated by {violation:?}, expected at most {accepted:?} (m or rad)"
    )]
    InitialConstraint {
        /// Index of the constraint.
        constraint: usize,
        /// Largest `|φ_i(q)|` of its equations.
        violation: f64,
        /// Largest accepted violation (m or rad).
        accepted: f64,
    },
    /// The end of a run is NaN or infinite.
    #[error("until is {value:?}, expected a finite number (s)")]
    Time {
        /// The end (s).
        value: f64,
    },
    /// A run would take more steps than allowed.
    #[error("the run takes {required} steps, expected at most {limit}")]
    StepLimit {
        /// Steps that the run would take, rounded.
        required: f64,
        /// The limit of the settings.
        limit: usize,
    },
    /// The contact source of the model failed.
    #[error("step from time {time}: {source}")]
    Contacts {
        /// Time at the start of the step, or of a piece of it (s).
        time: f64,
        /// The error of the source.
        source: ContactSourceError,
    },
    /// The mass matrix is not symmetric positive definite.
    #[error("mass matrix at time {time} is not symmetric positive definite")]
    MassMatrix {
        /// Time (s) of the state that it belongs to.
        time: f64,
    },
    /// The velocity of a step under smooth forces could not be computed.
    #[error("step from time {time}: {source}")]
    SmoothVelocity {
        /// Time at the start of the step (s).
        time: f64,
        /// Its cause.
        source: SmoothVelocityError,
    },
    /// The system, a gap, a force or a constraint returned a NaN or infinity.
    #[error("{quantity} is not finite in the step from time {time}")]
    NotFinite {
        /// Name of the quantity.
        quantity: &'static str,
        /// Time at the start of the step (s).
        time: f64,
    },
    /// The LCP solver refused its settings.
    #[error("LCP solver: {0}")]
    Lemke(#[from] lemke::Error),
    /// A linear complementarity problem was not solved to its tolerance.
    #[error(
        "LCP of size {size} in the step from time {time} ended as {status:?} with relative residual \
         {relative_residual:?}"
    )]
    UnsolvedLcp {
        /// Time at the start of the step (s).
        time: f64,
        /// How the solver ended.
        status: lcp::Status,
        /// Relative natural-map residual of its best iterate.
        relative_residual: f64,
        /// Size of the problem.
        size: usize,
    },
    /// The outer iteration of [`StewartTrinkle`](crate::stewart_trinkle::StewartTrinkle) did not converge.
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
    /// The solver of contact problems cannot solve the friction law, or one of its settings is out of range.
    #[error("contact solver: {0}")]
    Solver(#[from] friction::Error),
    /// The contact problem of a step contains a value that is not finite, or its mass matrix is not positive definite.
    #[error("contact problem of the step from time {time}: {source}")]
    Problem {
        /// Time at the start of the step (s).
        time: f64,
        /// Its cause.
        source: friction::ProblemError,
    },
    /// The problem of a step with friction in joints, or with cones that are not round, contains a value that is not finite, or its mass matrix is not
    /// positive definite.
    #[error("problem of the step from time {time}: {source}")]
    Blocks {
        /// Time at the start of the step (s).
        time: f64,
        /// Its cause.
        source: friction::mixed::Error,
    },
    /// A friction in a joint has directions of more than one axis, for which only
    /// [`StewartTrinkle`](crate::stewart_trinkle::StewartTrinkle) has a rule.
    #[error(
        "directions of joint friction {joint} are not along one axis, expected one axis and its negative: \
         this scheme has no rule for others"
    )]
    FrictionDirections {
        /// Index of the friction.
        joint: usize,
    },
    /// The friction law of contacts has no rule for problems with friction in joints or with cones that are not round.
    #[error(
        "setting `law` is {law}, expected coulomb for a model with friction in joints or cones that are not round"
    )]
    LawWithBlocks {
        /// The law.
        law: friction::Law,
    },
    /// The direction of a [cone](crate::Cone) is along the normal of its contact, so that the contact has no first tangent.
    #[error(
        "direction `along` of the friction of contact {contact} is along its normal at time {time}, expected a direction \
         that stays out of it"
    )]
    ConeDirection {
        /// Time at the start of the step (s).
        time: f64,
        /// Number of the contact.
        contact: usize,
    },
    /// The section of a [cone](crate::Cone) is no polygon of friction directions.
    #[error(
        "contact {contact} has the section {section}, expected a disc, an ellipse, or a polygon of at most {most} points \
         (setting `directions`)"
    )]
    ConeWithoutPolygon {
        /// Number of the contact.
        contact: usize,
        /// Name of the section.
        section: String,
        /// Number of directions of the scheme.
        most: usize,
    },
    /// The gap function of a contact with a [cone](crate::Cone) does not know the points that touch.
    #[error(
        "contact {contact} has a cone that is not round and no points that touch, expected a gap function with \
         `point_contact` (time {time})"
    )]
    ConeWithoutPoints {
        /// Time at the start of the step (s).
        time: f64,
        /// Number of the contact.
        contact: usize,
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
        status: friction::Status,
        /// Relative natural-map residual of its best iterate.
        relative_residual: f64,
    },
    /// The iteration of [`MoreauJean`](crate::moreau_jean::MoreauJean) for the smooth forces did not converge.
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
    /// Newton's method of [`Variational`](crate::variational::Variational) did not solve the discrete equations of motion.
    #[error(
        "Newton's method for {duration:?} s from time {time} reached its limit of {limit}: relative \
         residual {residual:?}, largest gap of a closed contact {gap:?} m"
    )]
    Newton {
        /// Time at the start of the piece of a step (s).
        time: f64,
        /// Its duration (s).
        duration: f64,
        /// Limit reached.
        limit: usize,
        /// Relative residual of the momentum balance.
        residual: f64,
        /// Violation of the closed contacts and of the constraints (m or rad).
        gap: f64,
    },
    /// The matrix of Newton's method is singular, because of dependent constraints or a singular mass matrix.
    #[error("matrix of Newton's method in the step from time {time} is singular")]
    Singular {
        /// Time (s).
        time: f64,
    },
    /// Forces of closed contacts could not be found.
    #[error(
        "complementarity problem of {contacts} closed contacts in the step from time {time} has no \
         solution with a residual below {residual:?}"
    )]
    ClosedContacts {
        /// Time (s).
        time: f64,
        /// Number of closed contacts.
        contacts: usize,
        /// Relative residual reached.
        residual: f64,
    },
    /// The time of an impact was not found.
    #[error("impact of contact {contact} after time {time} was not located: its gap is {gap:?} m")]
    Location {
        /// Contact.
        contact: usize,
        /// Time at the start of the search (s).
        time: f64,
        /// Gap at the last trial (m).
        gap: f64,
    },
    /// One step has more impacts than allowed.
    #[error("the step from time {time} has more than {limit} impacts")]
    ImpactLimit {
        /// Time at the start of the step (s).
        time: f64,
        /// The limit of the settings.
        limit: usize,
    },
    /// Contacts close repeatedly without an impact, and the step makes no progress.
    #[error("the step from time {time} has more than {limit} pieces that end without an impact")]
    Stalled {
        /// Time at the start of the step (s).
        time: f64,
        /// Maximum number of pieces without impact.
        limit: usize,
    },
    /// The impact law gave no answer to an impact whose certificate holds.
    #[error(
        "impact law at time {time} ended with the status {status:?}, expected an outcome whose certificate holds"
    )]
    ImpactUnresolved {
        /// Time of the impact (s).
        time: f64,
        /// How the law ended.
        status: Status,
    },
    /// The impact law refused the contacts of an impact.
    #[error("impact law at time {time}: {source}")]
    Law {
        /// Time of the impact (s).
        time: f64,
        /// The error of the law.
        source: percussion_impact::Error,
    },
    /// The problem of an impact could not be stated.
    #[error("impact at time {time}: {source}")]
    Impact {
        /// Time of the impact (s).
        time: f64,
        /// Its cause.
        source: percussion_impact::ProblemError,
    },
}
