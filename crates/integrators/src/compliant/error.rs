//! Errors in a model or a start.

use percussion_dynamics::{CoordinateError, gap};

/// Reasons why a model or a start is refused, or an integration could not continue.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model has no contacts, so nothing is compliant.
    #[error("a compliant model needs at least one contact, got none")]
    NoContacts,
    /// The surfaces of a contact do not match the system.
    #[error("contact {contact}: {source}")]
    Gap {
        /// Index of the contact.
        contact: usize,
        /// The error of its gap function.
        source: gap::Error,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value given.
        value: f64,
        /// Accepted values.
        expected: &'static str,
    },
    /// The coordinates of the start do not describe a position.
    #[error("start: {0}")]
    Coordinates(#[from] CoordinateError),
    /// A list of the start has the wrong length.
    #[error("{field} of the start has length {found}, expected {expected}")]
    Length {
        /// Name of the list.
        field: &'static str,
        /// Length expected.
        expected: usize,
        /// Length given.
        found: usize,
    },
    /// A number of the start is NaN or infinite.
    #[error("{field} of the start has an entry {value}, expected finite numbers")]
    NotFinite {
        /// Name of the list.
        field: &'static str,
        /// First such entry.
        value: f64,
    },
    /// The end is not after the start.
    #[error("end time is {end}, expected a finite number after the start at {start} (s)")]
    End {
        /// Time of the start (s).
        start: f64,
        /// Requested end (s).
        end: f64,
    },
    /// The solver of differential equations refused its problem.
    #[error("solver of differential equations: {reason}")]
    Solver {
        /// Its message.
        reason: String,
    },
}
