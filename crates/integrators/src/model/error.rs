//! Errors in a model or a start, for any scheme.

use super::ConeError;
use percussion_dynamics::{ContactSourceError, CoordinateError, constraint, gap};

/// Reasons why a model or a start is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The friction coefficient of a contact is negative or not finite.
    #[error("friction of contact {contact} is {value:?}, expected a finite number of at least 0")]
    Friction {
        /// Index of the contact.
        contact: usize,
        /// Its friction coefficient.
        value: f64,
    },
    /// The restitution of a contact is outside `[0, 1]`.
    #[error("restitution of contact {contact} is {value:?}, expected a number in [0, 1]")]
    Restitution {
        /// Index of the contact.
        contact: usize,
        /// Its coefficient of restitution.
        value: f64,
    },
    /// The surfaces of a contact do not match the system.
    #[error("contact {contact}: {source}")]
    Gap {
        /// Index of the contact.
        contact: usize,
        /// The error of its gap function.
        source: gap::Error,
    },
    /// The friction cone of a contact is refused.
    #[error("cone of contact {contact}: {source}")]
    Cone {
        /// Index of the contact.
        contact: usize,
        /// The reason.
        source: ConeError,
    },
    /// The surfaces of a contact source do not match the system.
    #[error(transparent)]
    ContactSource(#[from] ContactSourceError),
    /// A bilateral constraint does not match the system.
    #[error("constraint {constraint}: {source}")]
    Constraint {
        /// Index of the constraint.
        constraint: usize,
        /// Its error.
        source: constraint::Error,
    },
    /// The directions of a bounded friction do not have one row per velocity, or there are none.
    #[error(
        "directions of joint friction {joint} are {rows} × {columns}, expected {expected} rows and \
         at least one column"
    )]
    DirectionShape {
        /// Index of the bounded friction.
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
        /// Index of the bounded friction.
        joint: usize,
        /// First column without its opposite.
        column: usize,
    },
    /// The bound of a bounded friction is negative or not finite.
    #[error("bound of joint friction {joint} is {value:?}, expected a finite number of at least 0")]
    Bound {
        /// Index of the bounded friction.
        joint: usize,
        /// Its bound (N or N·m).
        value: f64,
    },
    /// An actuator has an index or a number that does not fit.
    #[error("{field} of actuator {actuator} is {value:?}, expected {expected}")]
    Actuator {
        /// Number of the actuator.
        actuator: usize,
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// The coordinates of the start do not describe a position of the system.
    #[error("start: {0}")]
    Coordinates(#[from] CoordinateError),
    /// The velocity of the start does not have one entry per velocity of the system.
    #[error("velocity of the start has length {found}, expected {expected}")]
    VelocityLength {
        /// Number of velocities of the system.
        expected: usize,
        /// Length given.
        found: usize,
    },
    /// An entry of the velocity of the start is NaN or infinite.
    #[error("velocity[{index}] of the start is {value:?}, expected a finite number")]
    Velocity {
        /// Index of the entry.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The mass matrix at the start is not symmetric positive definite.
    #[error("mass matrix at the start is not symmetric positive definite")]
    MassMatrix,
    /// The time of the start is NaN or infinite.
    #[error("time of the start is {value:?}, expected a finite number (s)")]
    Time {
        /// Its value (s).
        value: f64,
    },
}
