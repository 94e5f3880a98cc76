//! The errors of the import of models: [`Error`].

use std::{io, path::PathBuf};

use percussion_dynamics::{ArticulatedError, MassPropertiesError, constraint};

use super::{label, place};
use crate::xml::Element;

/// Reason why a model of MuJoCo cannot be converted to a system. Every variant names the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read, or is not UTF-8.
    #[error("cannot read {}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The text is not well-formed XML.
    #[error("{place}: {message}")]
    Xml {
        /// File and line.
        place: String,
        /// The message of the parser.
        message: String,
    },
    /// The outermost element is not a model.
    #[error("the outermost element is `{found}`, expected `mujoco`")]
    NotModel {
        /// Its name.
        found: String,
    },
    /// The path of a file leaves the folder of the model, or [`Settings::root`](super::Settings::root).
    #[error(
        "{place}: the file \"{file}\" of {element} is outside of `{}`, expected a file below it", root.display()
    )]
    Outside {
        /// File and line.
        place: String,
        /// The element.
        element: String,
        /// The path.
        file: String,
        /// The folder that it must not leave.
        root: PathBuf,
    },
    /// The path of a file is absolute or does not exist, or the file is included twice.
    #[error("{place}: the file \"{file}\" of {element} {reason}")]
    Address {
        /// File and line.
        place: String,
        /// The element.
        element: String,
        /// The path.
        file: String,
        /// The reason, and the expected path.
        reason: String,
    },
    /// An attribute has an invalid value.
    #[error("{place}: `{attribute}` of {element} is \"{value}\", expected {expected}")]
    Value {
        /// File and line.
        place: String,
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// Its text.
        value: String,
        /// The expected value.
        expected: String,
    },
    /// An attribute is missing.
    #[error("{place}: {element} has no attribute `{attribute}`, expected {expected}")]
    Missing {
        /// File and line.
        place: String,
        /// The element.
        element: String,
        /// The attribute.
        attribute: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// A name does not exist, or is used twice.
    #[error("{place}: {element} names `{name}`, expected {expected}")]
    Name {
        /// File and line.
        place: String,
        /// The element.
        element: String,
        /// The name.
        name: String,
        /// The expected value or range.
        expected: &'static str,
    },
    /// An element that defines bodies is not supported; without it the model would be different.
    #[error("{place}: {element}: {reason}")]
    Unsupported {
        /// File and line.
        place: String,
        /// The element.
        element: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// The mass or inertia of a body is physically impossible.
    #[error("{place}: {element}: {source}")]
    Inertia {
        /// File and line.
        place: String,
        /// The element.
        element: String,
        /// The reason.
        source: MassPropertiesError,
    },
    /// A constraint is invalid.
    #[error("{place}: {element}: {source}")]
    Constraint {
        /// File and line.
        place: String,
        /// The element.
        element: String,
        /// The reason.
        source: constraint::Error,
    },
    /// The bodies are not a valid system.
    #[error(transparent)]
    Articulated(#[from] ArticulatedError),
}

impl Error {
    pub(super) fn value(element: &Element, attribute: &str, expected: impl Into<String>) -> Self {
        Self::Value {
            place: place(element),
            element: label(element),
            attribute: attribute.to_owned(),
            value: short(element.attribute(attribute).unwrap_or_default()),
            expected: expected.into(),
        }
    }

    pub(super) fn name(element: &Element, name: &str, expected: &'static str) -> Self {
        let (place, element) = (place(element), label(element));
        Self::Name { place, element, name: short(name), expected }
    }

    pub(super) fn unsupported(element: &Element, reason: impl Into<String>) -> Self {
        Self::Unsupported { place: place(element), element: label(element), reason: reason.into() }
    }

    pub(super) fn missing(
        element: &Element,
        attribute: &'static str,
        expected: &'static str,
    ) -> Self {
        Self::Missing { place: place(element), element: label(element), attribute, expected }
    }

    pub(super) fn inertia(element: &Element, source: MassPropertiesError) -> Self {
        Self::Inertia { place: place(element), element: label(element), source }
    }
}

/// The beginning of a text from a file, for messages, which a damaged or hostile file must not make long.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
