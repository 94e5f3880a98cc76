//! What an import leaves out, fills in or repairs: [`Warning`].

use std::{
    borrow::Cow,
    fmt::{self, Display, Formatter},
};

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
    /// What is given is taken for something else, which the motion depends on.
    Repair,
}

/// Something in a description that has no effect on the imported system, that was filled in, or that was repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The element, such as ``joint `knee` > limit``.
    pub element: String,
    /// Its line, from 1.
    pub line: usize,
    /// What about it.
    pub subject: Subject,
    /// The reason, the default taken, or the repair.
    pub reason: Cow<'static, str>,
    /// The included file that it stands in; none for the file read.
    pub file: Option<String>,
}

/// How many lines a group of warnings names.
const LINES_NAMED: usize = 6;

impl Warning {
    /// Whether another warning says the same of another element.
    fn is_like(&self, other: &Self) -> bool {
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

    /// Where it stands.
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

/// The warnings in words, those that say the same of different elements together: each first one with its element, how many
/// more there are, and the lines of the first six of them.
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
