//! Everything that can be wrong with a model, a start or a step.

use percussion_impact::{ProblemError, law, outcome};

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
        /// Time at the start of the step or piece (s).
        time: f64,
        /// What is wrong.
        source: percussion_dynamics::contact_source::Error,
    },
    /// A system with quaternions that is not a set of free bodies.
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
    /// A bilateral constraint restricts velocities and not positions.
    #[error(
        "constraint {constraint} has {holonomic} equations for positions among {rows}, expected all"
    )]
    NonHolonomic {
        /// Offending constraint.
        constraint: usize,
        /// Its number of holonomic equations.
        holonomic: usize,
        /// Its number of equations.
        rows: usize,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value:?}, expected {expected}")]
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
    /// A contact of the start penetrates deeper than contacts that touch may.
    #[error("contact {contact} penetrates by {depth:?} m, accepted are {accepted:?} m")]
    InitialPenetration {
        /// Offending contact.
        contact: usize,
        /// Depth of penetration (m), positive.
        depth: f64,
        /// [`Settings::touching`](super::Settings::touching).
        accepted: f64,
    },
    /// A constraint does not hold at the start.
    #[error(
        "constraint equation {equation} is violated by {violation:?}, accepted are {accepted:?} (m or \
         rad)"
    )]
    InitialConstraint {
        /// Offending equation.
        equation: usize,
        /// `|φ_i(q)|`.
        violation: f64,
        /// [`Settings::touching`](super::Settings::touching).
        accepted: f64,
    },
    /// Newton's method did not solve the discrete equations of motion.
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
    /// The matrix of Newton's method is singular: dependent constraints, or a mass matrix that is.
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
    /// The system, a gap, a force or a constraint returned a NaN or infinity.
    #[error("{quantity} is not finite in the step from time {time}")]
    NotFinite {
        /// What is not finite.
        quantity: &'static str,
        /// Time at the start of the step (s).
        time: f64,
    },
    /// The moment of an impact was not found.
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
        /// [`Settings::impact_limit`](super::Settings::impact_limit).
        limit: usize,
    },
    /// Contacts close again and again without an impact, and the step does not get on.
    #[error("the step from time {time} has more than {limit} pieces that end without an impact")]
    Stalled {
        /// Time at the start of the step (s).
        time: f64,
        /// Pieces without impact, at most.
        limit: usize,
    },
    /// The impact law has no answer to an impact whose certificate holds.
    #[error(
        "impact law at time {time} ended with the status {status:?}, expected an outcome whose certificate holds"
    )]
    ImpactUnresolved {
        /// Time of the impact (s).
        time: f64,
        /// How the law ended.
        status: outcome::Status,
    },
    /// The impact law refused the contacts of an impact.
    #[error("impact law at time {time}: {source}")]
    Law {
        /// Time of the impact (s).
        time: f64,
        /// What is wrong.
        source: law::Error,
    },
    /// An impact could not be stated.
    #[error("impact at time {time}: {source}")]
    Impact {
        /// Time of the impact (s).
        time: f64,
        /// What is wrong.
        source: ProblemError,
    },
    /// A run would take more steps than allowed.
    #[error("the run takes {required} steps, expected at most {limit}")]
    StepLimit {
        /// Steps that the run would take, rounded.
        required: f64,
        /// [`Settings::step_limit`](super::Settings::step_limit).
        limit: usize,
    },
}
