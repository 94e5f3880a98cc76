//! What an import leaves out or fills in: [`Warning`].

use std::fmt::{self, Display, Formatter};

/// What a [`Warning`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The whole element with everything in it is ignored.
    Element,
    /// An attribute of the element is ignored.
    Attribute {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
    /// Text in the element is ignored.
    Text,
    /// Something is not given, and a default stands for it.
    Default,
}

/// Something in a robot description that has no effect on the imported system, or that was filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The element, such as ``joint `knee` > limit``.
    pub element: String,
    /// Its line, from 1.
    pub line: usize,
    /// What about it.
    pub subject: Subject,
    /// The reason, or the default taken.
    pub reason: &'static str,
}

impl Display for Warning {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { element, line, subject, reason } = self;
        write!(formatter, "line {line}: ")?;
        match subject {
            Subject::Element => write!(formatter, "{element} is ignored: {reason}"),
            Subject::Attribute { name, value } => {
                write!(formatter, "`{name}` = \"{value}\" of {element} is ignored: {reason}")
            }
            Subject::Text => write!(formatter, "text in {element} is ignored: {reason}"),
            Subject::Default => write!(formatter, "{element}: {reason}"),
        }
    }
}
