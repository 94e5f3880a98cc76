//! The file of an experiment: [`Fixture`].
//!
//! # Format
//!
//! | field | value |
//! | --- | --- |
//! | `[experiment]` | `summary`, a paragraph on what happens and where it was published, and the parameters of the experiment |
//! | `[experiment.play]` | where it is about an impact, the laws whose outcomes a page plays, see [`AnswersToPlay`] |
//! | `[[expected]]` | the figures it has to measure, see [`Expected`] |
//!
//! A fixture that is a [`Scenario`] has these two beside the fields of the scenario.

use percussion_impact::laws::Name;
use percussion_mechanism::{Expected, document, scenario::Scenario};
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
    let parameters = serde_path_to_error::deserialize(toml::Value::Table(section));
    let parameters = parameters.map_err(|error| misread("", error))?;
    Ok(Fixture { summary: summary.trim().to_owned(), parameters, expected, play })
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
    /// The checked figure of a quantity; NaN where there is none.
    pub(crate) fn checked(&self, quantity: &str) -> f64 {
        let row = self.expected.iter().find(|row| row.quantity == quantity);
        row.and_then(|row| row.checked).unwrap_or(f64::NAN)
    }
}
