//! Everything that can be wrong with a model or a start.

use percussion_dynamics::{gap, system::CoordinateError};

/// Why a model or a start is refused, or an integration could not go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Without contacts there is nothing compliant.
    #[error("a compliant model needs at least one contact, got none")]
    NoContacts,
    /// The surfaces of a contact do not fit the system.
    #[error("contact {contact}: {source}")]
    Gap {
        /// Offending contact.
        contact: usize,
        /// What is wrong with it.
        source: gap::Error,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value given.
        value: f64,
        /// What is accepted.
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
        /// End asked for (s).
        end: f64,
    },
    /// The solver of differential equations refused its problem.
    #[error("solver of differential equations: {reason}")]
    Solver {
        /// What it said.
        reason: String,
    },
}
