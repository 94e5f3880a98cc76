//! Warnings about content that an import ignores, fills in or repairs: [`Warning`].

use std::{
    borrow::Cow,
    fmt::{self, Display, Formatter},
};

/// The subject of a [`Warning`].
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
    /// A value is missing, and a default is used.
    Default,
    /// A value is replaced by another one, on which the motion depends.
    Repair,
}

/// Content of a description that has no effect on the imported system, or that was filled in or repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The element, such as ``joint `knee` > limit``.
    pub element: String,
    /// Its line, from 1.
    pub line: usize,
    /// The subject: the part of the element that is concerned.
    pub subject: Subject,
    /// The reason, the default taken, or the repair.
    pub reason: Cow<'static, str>,
    /// The included file that contains it; `None` for the main file.
    pub file: Option<String>,
}

/// The reason why what only shows is ignored; one group has all of it.
pub(crate) const PICTURE: &str = "pictures have no effect on the motion";

/// Number of lines that a group of warnings names.
const LINES_NAMED: usize = 6;

impl Warning {
    /// Whether another warning has the same text for another element, or both are about pictures.
    fn is_like(&self, other: &Self) -> bool {
        if [self, other].iter().all(|one| one.reason == PICTURE) {
            return true;
        }
        let name = |subject: &Subject| match subject {
            Subject::Attribute { name, .. } => Some(name.clone()),
            _ => None,
        };
        self.kind() == other.kind()
            && name(&self.subject) == name(&other.subject)
            && std::mem::discriminant(&self.subject) == std::mem::discriminant(&other.subject)
            && without_numbers(&self.reason) == without_numbers(&other.reason)
    }

    /// The element without the names in it.
    fn kind(&self) -> String {
        self.element.split('`').step_by(2).collect()
    }

    /// Its position in the file.
    fn place(&self) -> String {
        match &self.file {
            Some(file) => format!("{file} line {}", self.line),
            None => format!("line {}", self.line),
        }
    }
}

/// A reason without the numbers and the names that differ between elements.
fn without_numbers(reason: &str) -> String {
    let words: String = reason.split('`').step_by(2).collect();
    words.chars().filter(|c| !(c.is_ascii_digit() || "+-.e".contains(*c))).collect()
}

/// The warnings as text. Warnings with the same text for different elements are combined: the first one with
/// its element, the number of further ones, and the lines of the first six of them.
///
/// # Example
///
/// ```
/// use percussion_mechanism::urdf::{self, summary};
///
/// let text = r#"<robot name="box">
/// <link name="one"><visual/></link>
/// <link name="two"><visual/></link>
/// <joint name="weld" type="fixed"><parent link="one"/><child link="two"/></joint>
/// </robot>"#;
/// let imported = urdf::read_str(text, &urdf::Settings::default())?;
/// assert_eq!(imported.warnings.len(), 2);
/// assert_eq!(
///     summary(&imported.warnings),
///     ["line 2: link `one` > visual is ignored: pictures have no effect on the motion (and 1 more: line 3)"],
/// );
/// # Ok::<(), urdf::Error>(())
/// ```
#[must_use]
pub fn summary(warnings: &[Warning]) -> Vec<String> {
    let mut groups: Vec<Vec<&Warning>> = Vec::new();
    for warning in warnings {
        match groups.iter_mut().find(|group| group[0].is_like(warning)) {
            Some(group) => group.push(warning),
            None => groups.push(vec![warning]),
        }
    }
    let words = |group: &Vec<&Warning>| {
        let (first, others) = (group[0], &group[1..]);
        if others.is_empty() {
            return first.to_string();
        }
        let places: Vec<String> = others.iter().take(LINES_NAMED).map(|one| one.place()).collect();
        let places = match first.file {
            None => format!("line {}", places.join(", ").replace("line ", "")),
            Some(_) => places.join(", "),
        };
        let more = if others.len() > LINES_NAMED { ", …" } else { "" };
        format!("{first} (and {} more: {places}{more})", others.len())
    };
    groups.iter().map(words).collect()
}

impl Display for Warning {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { element, subject, reason, .. } = self;
        write!(formatter, "{}: ", self.place())?;
        match subject {
            Subject::Element => write!(formatter, "{element} is ignored: {reason}"),
            Subject::Attribute { name, value } => {
                write!(formatter, "`{name}` = \"{value}\" of {element} is ignored: {reason}")
            }
            Subject::Text => write!(formatter, "text in {element} is ignored: {reason}"),
            Subject::Default | Subject::Repair => write!(formatter, "{element}: {reason}"),
        }
    }
}
