//! Everything that can be wrong with a model, a start or a step.

use percussion_complementarity::lcp::{Status, lemke};
use percussion_dynamics::{constraint, gap, system::CoordinateError};

/// Why a model, a start or a step is refused.
///
/// A refused step leaves the integrator where it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The friction coefficient of a contact is negative or not finite.
    #[error("friction of contact {contact} is {value}, expected a finite number of at least 0")]
    Friction {
        /// Offending contact.
        contact: usize,
        /// Its friction coefficient.
        value: f64,
    },
    /// The surfaces of a contact do not fit the system.
    #[error("contact {contact}: {source}")]
    Gap {
        /// Offending contact.
        contact: usize,
        /// What is wrong with it.
        source: gap::Error,
    },
    /// A bilateral constraint does not fit the system.
    #[error("constraint {constraint}: {source}")]
    Constraint {
        /// Offending constraint.
        constraint: usize,
        /// What is wrong with it.
        source: constraint::Error,
    },
    /// The directions of a bounded friction have not one row per velocity, or there are none.
    #[error(
        "directions of joint friction {joint} are {rows} × {columns}, expected {expected} rows and \
         at least one column"
    )]
    DirectionShape {
        /// Offending bounded friction.
        joint: usize,
        /// Number of velocities of the system.
        expected: usize,
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
    },
    /// The directions of a bounded friction are not closed under negation (or not finite).
    #[error("joint friction {joint} has direction {column} but not its negative")]
    DirectionOpposite {
        /// Offending bounded friction.
        joint: usize,
        /// First column without its opposite.
        column: usize,
    },
    /// The bound of a bounded friction is negative or not finite.
    #[error("bound of joint friction {joint} is {value}, expected a finite number of at least 0")]
    Bound {
        /// Offending bounded friction.
        joint: usize,
        /// Its bound (N or N·m).
        value: f64,
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
    /// The coordinates of the start do not describe a position of the system.
    #[error(transparent)]
    Coordinates(#[from] CoordinateError),
    /// The velocity of the start has not one entry per velocity of the system.
    #[error("velocity has length {found}, expected {expected}")]
    VelocityLength {
        /// Number of velocities of the system.
        expected: usize,
        /// Length given.
        found: usize,
    },
    /// An entry of the velocity of the start is NaN or infinite.
    #[error("velocity[{index}] is {value}, expected a finite number")]
    Velocity {
        /// Index of the entry.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A time is NaN or infinite.
    #[error("{name} is {value}, expected a finite number (s)")]
    Time {
        /// Which time.
        name: &'static str,
        /// Its value.
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
