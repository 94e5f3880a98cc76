//! Errors in a model, a start or a law.

use crate::model::{Feature, ModelError};

/// Reasons why a model or a start is refused, or an integration could not continue.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model or the start is refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model has a feature that event-driven motion does not support.
    #[error("the model has {feature}, expected none: this scheme has no rule for it")]
    NoRule {
        /// The feature.
        feature: Feature,
    },
    /// The friction of a joint acts in more than one axis.
    #[error(
        "directions of joint friction {joint} are not along one axis, expected one axis and its negative"
    )]
    FrictionDirections {
        /// Number of the friction.
        joint: usize,
    },
    /// The contact source of the model failed.
    #[error("at {time} s: {source}")]
    Contacts {
        /// Time reached (s).
        time: f64,
        /// The error of the source.
        source: percussion_dynamics::ContactSourceError,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value:?}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value given.
        value: f64,
        /// Accepted values.
        expected: &'static str,
    },
    /// Two surfaces overlap at the start.
    #[error(
        "contact {contact} overlaps by {depth:e} m at the start, expected at most {accepted:e} m"
    )]
    Penetration {
        /// Index of the contact.
        contact: usize,
        /// Depth (m).
        depth: f64,
        /// Largest depth accepted (m).
        accepted: f64,
    },
    /// The start violates a bilateral constraint.
    #[error(
        "bilateral equation {row} is broken by {value:e} at the start, expected at most {accepted:e}"
    )]
    Broken {
        /// Index of the equation.
        row: usize,
        /// Violation (m or rad).
        value: f64,
        /// Largest accepted value.
        accepted: f64,
    },
    /// The end is not after the start.
    #[error("end time is {end:?}, expected a finite number after the start at {start:?} (s)")]
    End {
        /// Time of the start (s).
        start: f64,
        /// Requested end (s).
        end: f64,
    },
    /// The impact law does not apply to an impact, or its settings are wrong.
    #[error("impact at {time} s: {source}")]
    Law {
        /// Time of the impact (s).
        time: f64,
        /// The error of the law.
        source: percussion_impact::Error,
    },
    /// The problem of an impact cannot be stated.
    #[error("impact at {time} s: {source}")]
    Impact {
        /// Time of the impact (s).
        time: f64,
        /// Its cause.
        source: percussion_impact::ProblemError,
    },
    /// The solver of differential equations refused its problem.
    #[error("solver of differential equations: {reason}")]
    Solver {
        /// Its message.
        reason: String,
    },
}
