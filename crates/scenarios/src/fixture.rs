//! The file of an experiment: [`Fixture`].
//!
//! # Format
//!
//! | field | value |
//! | --- | --- |
//! | `[experiment]` | `summary`, a paragraph on what happens and where it was published, and the parameters of the experiment |
//! | `[experiment.checks.<name>]` | a computation that gives `checked` figures, whose `check` is its name, see [`Check`] |
//! | `[experiment.play]` | where it is about an impact, the laws whose outcomes a page plays, see [`AnswersToPlay`] |
//! | `[[expected]]` | the figures it has to measure, see [`Expected`] |
//!
//! A fixture that is a [`Scenario`] has these two beside the fields of the scenario.

use std::collections::BTreeMap;

use percussion_impact::laws::Name;
use percussion_mechanism::{Expected, document, scenario::Scenario};
use percussion_record::Against;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};

use crate::error::Error;

/// What the file of an experiment says, with parameters of type `P`.
#[derive(Clone, Debug)]
pub(crate) struct Fixture<P> {
    /// A paragraph: what happens and where it was published.
    pub(crate) summary: String,
    /// What the experiment is run with.
    pub(crate) parameters: P,
    /// The figures it has to measure.
    pub(crate) expected: Vec<Expected>,
    /// What of an impact is played.
    pub(crate) play: Option<AnswersToPlay>,
    /// Where the checked figures come from, by their names.
    pub(crate) checks: BTreeMap<String, Check>,
}

/// Where checked figures come from: never from this library.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Check {
    /// They follow from the parameters on paper.
    ClosedForm {
        /// How.
        statement: String,
    },
    /// Another program computed them.
    Program {
        /// Which.
        program: String,
        /// With which settings.
        settings: String,
    },
    /// A paper says so.
    Paper {
        /// Which, and where in it.
        source: String,
    },
    /// They hold whatever the parameters are; figures of rows that are judged as invariants.
    Invariant {
        /// Why.
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

    /// A sentence for people.
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
    /// Laws, of which those are played that apply.
    pub(crate) laws: Vec<Name>,
    /// Samples by which a set of outcomes is known: enough for its outline.
    pub(crate) samples: u64,
}

/// Parameters of an experiment that has none.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParameters {}

/// A file with nothing but the experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    experiment: toml::Table,
    expected: Vec<Expected>,
}

/// The fixture of the experiment `id` from its `text`, which is no scenario.
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
    let parameters = serde_path_to_error::deserialize(toml::Value::Table(section));
    let parameters = parameters.map_err(|error| misread("", error))?;
    Ok(Fixture { summary: summary.trim().to_owned(), parameters, expected, play, checks })
}

/// What is wrong with the origin of the `expected` figures, if anything is.
fn unfounded(checks: &BTreeMap<String, Check>, expected: &[Expected]) -> Option<String> {
    let is_empty = |check: &&Check| check.texts().iter().any(|text| text.trim().is_empty());
    if checks.values().any(|check| is_empty(&check)) {
        return Some("expected texts that are not empty".to_owned());
    }
    expected.iter().find_map(|row| {
        let quantity = &row.quantity;
        let Some(name) = &row.check else {
            let why = || format!("`{quantity}` has a checked figure without a `check`");
            return row.checked.is_some().then(why);
        };
        match (checks.get(name), row.against) {
            (None, _) => Some(format!("`{quantity}` names the check `{name}`, which is not there")),
            _ if row.checked.is_none() => Some(format!("`{quantity}` has no checked figure")),
            (Some(Check::Invariant { .. }), Against::Invariant) => None,
            (Some(Check::Invariant { .. }), _) | (_, Against::Invariant) => {
                Some(format!("`{quantity}` and its check are not both invariants"))
            }
            _ => None,
        }
    })
}

/// The answers to play of the experiment `id` from its `text`, whatever its parameters.
pub(crate) fn answers_to_play(id: &str, text: &str) -> Result<Option<AnswersToPlay>, Error> {
    let mut document: toml::Table = document::parse(text, id)?;
    match document.remove("experiment") {
        Some(toml::Value::Table(section)) => Ok(filled::<IgnoredAny>(id, section, vec![])?.play),
        _ => Ok(None),
    }
}

impl<P> Fixture<P> {
    /// Where the checked figures come from, a sentence for each computation.
    pub(crate) fn origins(&self) -> impl Iterator<Item = String> {
        self.checks.values().map(Check::remark)
    }

    /// The checked figure of a quantity; NaN where there is none.
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
            ("'checked'\ncheck = 'guess'", "`guess`, which is not there"),
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
