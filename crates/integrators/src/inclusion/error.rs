//! Errors in a model or a start.

use crate::model::{Feature, ModelError};

/// Reasons why no solution is built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model or the start is refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The system moves in space.
    #[error("the system moves in space, expected one in the plane")]
    Space,
    /// The model has no contacts.
    #[error("the model has no contacts, expected at least one")]
    NoContacts,
    /// The model has a feature that the inclusion does not support.
    #[error("the model has {feature}, expected none: the inclusion has no rule for it")]
    NoRule {
        /// The feature.
        feature: Feature,
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
    /// Bodies overlap at the start.
    #[error("contact {contact} overlaps by {depth} m at the start, expected at most {accepted} m")]
    Penetration {
        /// The contact.
        contact: usize,
        /// Depth (m); NaN if the gap is NaN.
        depth: f64,
        /// Largest accepted (m).
        accepted: f64,
    },
    /// The end is not after the start.
    #[error("end time is {end}, expected a finite number after the start at {start} (s)")]
    End {
        /// Time of the start (s).
        start: f64,
        /// Requested end (s).
        end: f64,
    },
    /// The system does not stay where it is.
    #[error("acceleration at rest is {acceleration}, expected at most {accepted} (m/s², rad/s²)")]
    NotAtRest {
        /// Largest entry of the acceleration under the forces of the closed contacts.
        acceleration: f64,
        /// Largest accepted.
        accepted: f64,
    },
    /// The solver of differential equations refused its problem.
    #[error("solver of differential equations: {reason}")]
    Solver {
        /// Its message.
        reason: String,
    },
}
