//! The file of an experiment: [`Fixture`].
//!
//! # Format
//!
//! | field | value |
//! | --- | --- |
//! | `[experiment]` | `summary`, a paragraph that describes the experiment and its publication, and the parameters of the experiment |
//! | `[experiment.checks.<name>]` | a computation that gives `checked` figures; the `check` of such a figure is this name, see [`Check`] |
//! | `[experiment.play]` | for an experiment with an impact, the laws whose outcomes a page plays, see [`AnswersToPlay`] |
//! | `[[expected]]` | the figures that the experiment must measure, see [`Expected`] |
//!
//! A fixture that is a [`Scenario`] has these entries in addition to the fields of the scenario.

use std::collections::BTreeMap;

use percussion_impact::laws::Name;
use percussion_mechanism::{Expected, document, scenario::Scenario};
use percussion_record::{Against, Difference};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};

use crate::error::Error;

/// Content of the file of an experiment, with parameters of type `P`.
#[derive(Clone, Debug)]
pub(crate) struct Fixture<P> {
    /// A paragraph that describes the experiment and its publication.
    pub(crate) summary: String,
    /// The parameters of the experiment.
    pub(crate) parameters: P,
    /// The figures that the experiment must measure.
    pub(crate) expected: Vec<Expected>,
    /// The outcomes of an impact that a page plays, if any.
    pub(crate) play: Option<AnswersToPlay>,
    /// The origins of the checked figures, by name.
    pub(crate) checks: BTreeMap<String, Check>,
}

/// Origin of checked figures, which is never this library.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Check {
    /// A closed form of the parameters.
    ClosedForm {
        /// The closed form, in words or symbols.
        statement: String,
    },
    /// A computation by another program.
    Program {
        /// The program.
        program: String,
        /// Its settings.
        settings: String,
    },
    /// A figure from a paper.
    Paper {
        /// The paper, and the place in it.
        source: String,
    },
    /// A property that holds for all parameters; for figures of rows that are judged as invariants.
    Invariant {
        /// The reason why it holds.
        statement: String,
    },
}

impl Check {
    /// Its texts, none of which may be empty.
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::ClosedForm { statement } | Self::Invariant { statement } => vec![statement],
            Self::Program { program, settings } => vec![program, settings],
            Self::Paper { source } => vec![source],
        }
    }

    /// A sentence for reports.
    fn remark(&self) -> String {
        match self {
            Self::ClosedForm { statement } => format!("Checked by a closed form: {statement}."),
            Self::Program { program, settings } => {
                format!("Checked by another program: {program}; {settings}.")
            }
            Self::Paper { source } => format!("Checked by a paper: {source}."),
            Self::Invariant { statement } => format!("Invariants: {statement}"),
        }
    }
}

/// The outcomes of an impact that a page plays.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswersToPlay {
    /// Name of the impact.
    pub(crate) impact: String,
    /// Laws; those that apply to the impact are played.
    pub(crate) laws: Vec<Name>,
    /// Number of samples of a set of outcomes; enough for its outline.
    pub(crate) samples: u64,
}

/// The parameters of an experiment without parameters.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParameters {}

/// A file that contains only the experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    experiment: toml::Table,
    expected: Vec<Expected>,
}

/// The fixture of the experiment `id` from its `text`, which is not a scenario.
pub(crate) fn read<P: DeserializeOwned>(id: &str, text: &str) -> Result<Fixture<P>, Error> {
    let Document { experiment, expected } = document::parse(text, id)?;
    Expected::check_all(&expected)?;
    filled(id, experiment, expected)
}

/// The scenario that is the fixture of the experiment `id`, and the rest of the fixture.
pub(crate) fn read_scenario<P: DeserializeOwned>(
    id: &str,
    text: &str,
) -> Result<(Scenario, Fixture<P>), Error> {
    let scenario = Scenario::from_toml_str(text)?;
    let fixture = filled(id, scenario.experiment.clone(), scenario.expected.clone())?;
    Ok((scenario, fixture))
}

fn filled<P: DeserializeOwned>(
    id: &str,
    mut section: toml::Table,
    expected: Vec<Expected>,
) -> Result<Fixture<P>, Error> {
    let refused = |field: &str, message: String| {
        let path = format!("{id}: experiment{field}");
        Error::from(percussion_mechanism::Error::Format { path, message })
    };
    let Some(toml::Value::String(summary)) = section.remove("summary") else {
        return Err(refused(".summary", "expected a text".to_owned()));
    };
    let misread = |prefix: &str, error: serde_path_to_error::Error<toml::de::Error>| {
        let place = error.path().to_string();
        let field = if place == "." { prefix.to_owned() } else { format!("{prefix}.{place}") };
        refused(&field, error.inner().to_string())
    };
    let play = section.remove("play").map(serde_path_to_error::deserialize).transpose();
    let play = play.map_err(|error| misread(".play", error))?;
    let checks = section.remove("checks").map(serde_path_to_error::deserialize).transpose();
    let checks: Option<BTreeMap<String, Check>> =
        checks.map_err(|error| misread(".checks", error))?;
    let checks = checks.unwrap_or_default();
    unfounded(&checks, &expected).map_or(Ok(()), |message| Err(refused(".checks", message)))?;
    unexplained(&expected).map_or(Ok(()), |message| Err(refused("", message)))?;
    let parameters = serde_path_to_error::deserialize(toml::Value::Table(section));
    let parameters = parameters.map_err(|error| misread("", error))?;
    Ok(Fixture { summary: summary.trim().to_owned(), parameters, expected, play, checks })
}

/// Describes a missing or wrong origin of the `expected` figures, if there is one.
fn unfounded(checks: &BTreeMap<String, Check>, expected: &[Expected]) -> Option<String> {
    let is_empty = |check: &&Check| check.texts().iter().any(|text| text.trim().is_empty());
    if checks.values().any(|check| is_empty(&check)) {
        return Some("expected nonempty texts".to_owned());
    }
    expected.iter().find_map(|row| {
        let quantity = &row.quantity;
        let Some(name) = &row.check else {
            let why = || format!("`{quantity}` has a checked figure without a `check`");
            return row.checked.is_some().then(why);
        };
        match (checks.get(name), row.against) {
            (None, _) => {
                Some(format!("`{quantity}` names the check `{name}`, which does not exist"))
            }
            _ if row.checked.is_none() => Some(format!("`{quantity}` has no checked figure")),
            (Some(Check::Invariant { .. }), Against::Invariant) => None,
            (Some(Check::Invariant { .. }), _) | (_, Against::Invariant) => {
                Some(format!("`{quantity}` and its check are not both invariants"))
            }
            _ => None,
        }
    })
}

/// Describes the first row whose published figure neither judges it nor has a `difference` that says why not.
///
/// It also judges a row that is compared with a checked figure which rounds to it.
fn unexplained(expected: &[Expected]) -> Option<String> {
    let is_judged = |quantity: &String| {
        let row = expected.iter().find(|row| row.quantity == *quantity);
        row.is_some_and(|row| row.against != Against::Nothing)
    };
    expected.iter().find_map(|row| {
        let quantity = &row.quantity;
        let rounds = |checked: f64| row.row("", checked).is_as_published();
        let judges = match row.against {
            Against::Published => true,
            Against::Checked => row.checked.is_some_and(rounds),
            Against::Invariant | Against::Nothing => false,
        };
        match (&row.difference, row.published.is_some() && !judges) {
            (None, false) => None,
            (Some(_), false) => Some(format!(
                "`{quantity}` has a `difference`, but no published figure that does not judge it"
            )),
            (None, true) => Some(format!(
                "the published figure of `{quantity}` needs a `difference`: it does not judge the row, and no checked \
                 figure rounds to it"
            )),
            (Some(_), true) if row.note.is_none() => {
                Some(format!("the difference of `{quantity}` needs a `note`"))
            }
            (Some(Difference::ShownBy(rows)), true)
                if rows.is_empty() || rows.contains(quantity) || !rows.iter().all(is_judged) =>
            {
                Some(format!("the difference of `{quantity}` is not shown by other, judged rows"))
            }
            (Some(_), true) => None,
        }
    })
}

/// The answers to play of the experiment `id` from its `text`, for any type of its parameters.
pub(crate) fn answers_to_play(id: &str, text: &str) -> Result<Option<AnswersToPlay>, Error> {
    let mut document: toml::Table = document::parse(text, id)?;
    match document.remove("experiment") {
        Some(toml::Value::Table(section)) => Ok(filled::<IgnoredAny>(id, section, vec![])?.play),
        _ => Ok(None),
    }
}

impl<P> Fixture<P> {
    /// The origins of the checked figures, one sentence for each computation.
    pub(crate) fn origins(&self) -> impl Iterator<Item = String> {
        self.checks.values().map(Check::remark)
    }

    /// The checked figure of a quantity; NaN if there is none.
    pub(crate) fn checked(&self, quantity: &str) -> f64 {
        let row = self.expected.iter().find(|row| row.quantity == quantity);
        row.and_then(|row| row.checked).unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[experiment]\nsummary = 'Nothing happens.'\n";
    const CHECKS: &str = "[experiment.checks.fall]\nkind = 'closed-form'\nstatement = 'g t²/2'\n\
        [experiment.checks.kept]\nkind = 'invariant'\nstatement = 'No force, no change.'\n";

    fn refusal(checks: &str, row: &str) -> Option<String> {
        let text = format!("{HEAD}{checks}[[expected]]\nquantity = 'way'\n{row}\n");
        read::<NoParameters>("test", &text).err().map(|error| error.to_string())
    }

    #[test]
    fn a_checked_figure_names_where_it_comes_from() {
        let row = "checked = 1.0\ntolerance = 0.1\nagainst = ";
        assert_eq!(refusal(CHECKS, &format!("{row}'checked'\ncheck = 'fall'")), None);
        assert_eq!(refusal(CHECKS, &format!("{row}'invariant'\ncheck = 'kept'")), None);
        for (field, message) in [
            ("'checked'", "without a `check`"),
            ("'checked'\ncheck = 'guess'", "`guess`, which does not exist"),
            ("'checked'\ncheck = 'kept'", "not both invariants"),
            ("'invariant'\ncheck = 'fall'", "not both invariants"),
        ] {
            let refusal = refusal(CHECKS, &format!("{row}{field}")).unwrap();
            assert!(refusal.contains(message), "{refusal}");
        }
        let shown = refusal(CHECKS, "against = 'nothing'\ncheck = 'fall'").unwrap();
        assert!(shown.contains("no checked figure"), "{shown}");
    }

    #[test]
    fn a_published_figure_judges_its_row_or_its_difference_is_explained() {
        let checked = "tolerance = 1e-9\nagainst = 'checked'\ncheck = 'fall'\nchecked =";
        let shown = "published = 0.12\nagainst = 'nothing'";
        for (row, is_read) in [
            ("published = 0.12\ntolerance = 0.1\nagainst = 'published'", true),
            (shown, false),
            (&format!("{shown}\nnote = 'Of another size.'"), false),
            (&format!("{shown}\ndifference = 'open'"), false),
            (&format!("{shown}\ndifference = 'open'\nnote = 'Tried: other sizes.'"), true),
            (&format!("{shown}\ndifference = 'input'\nnote = 'Of another size.'"), true),
            (&format!("published = 0.12\n{checked} 0.1249"), true),
            (&format!("published = 0.12\n{checked} 0.1251"), false),
            (&format!("published = -5.8\n{checked} -5.832"), true),
            (&format!("published = 9.04\n{checked} 8.86"), false),
            (&format!("published = 9.04\n{checked} 8.86\ndifference = 'open'\nnote = 'A.'"), true),
            ("against = 'nothing'\ndifference = 'open'\nnote = 'Of nothing.'", false),
        ] {
            let refusal = refusal(CHECKS, row);
            assert_eq!(refusal.is_none(), is_read, "{row}: {refusal:?}");
            assert!(refusal.is_none_or(|text| text.contains("difference")), "{row}");
        }
    }

    /// A cause is shown by other rows, which are judged.
    #[test]
    fn a_cause_is_shown_by_judged_rows() {
        let row = |by: &str| {
            format!(
                "published = 0.12\nagainst = 'nothing'\nnote = 'It slips.'\ndifference = {{ shown-by = [{by}] }}\n\
                 [[expected]]\nquantity = 'slip'\ntolerance = 0.1\nchecked = 1.0\ncheck = 'fall'\n\
                 against = 'checked'\n[[expected]]\nquantity = 'rest'\nagainst = 'nothing'"
            )
        };
        assert_eq!(refusal(CHECKS, &row("'slip'")), None);
        for by in ["", "'rest'", "'way'", "'nobody'", "'slip', 'rest'"] {
            let refusal = refusal(CHECKS, &row(by)).unwrap();
            assert!(refusal.contains("other, judged rows"), "{by}: {refusal}");
        }
    }

    #[test]
    fn a_check_says_everything() {
        let row = "checked = 1.0\ntolerance = 0.1\nagainst = 'checked'\ncheck = 'fall'";
        for check in [
            "kind = 'closed-form'\nstatement = ' '",
            "kind = 'program'\nprogram = 'a'",
            "kind = 'guess'",
        ] {
            let refusal = refusal(&format!("[experiment.checks.fall]\n{check}\n"), row).unwrap();
            assert!(refusal.contains("experiment.checks"), "{refusal}");
        }
    }
}
