//! Laws on the command line.

use anyhow::{Result, anyhow};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use percussion_impact::settings::Error;
use percussion_mechanism::{
    impacts::Impact,
    laws::{Choice, Name},
};

use crate::likeness::did_you_mean;

/// The names of laws with their summaries.
pub(crate) fn values() -> impl Iterator<Item = PossibleValue> {
    Name::ALL.into_iter().map(|name| PossibleValue::new(name.as_str()).help(name.summary()))
}

/// Reads the name of a law.
pub(crate) fn law() -> impl TypedValueParser<Value = Name> {
    PossibleValuesParser::new(values()).try_map(|name| name.parse::<Name>())
}

/// The law called `name` with the settings given; the impact may have its own defaults.
///
/// # Errors
///
/// The error names the setting that the law does not have, or the value of the setting and the expected one.
pub(crate) fn choose(
    name: Name,
    given: Vec<(String, String)>,
    impact: Option<&Impact>,
) -> Result<Choice> {
    Choice::new(name, given, impact).map_err(hinted)
}

/// The error with a setting of a similar name, if there is one.
pub(crate) fn hinted(error: Error) -> anyhow::Error {
    match &error {
        Error::Unknown { key, known, .. } => {
            let hint = did_you_mean(key, known.iter().map(String::as_str));
            anyhow!("{error}{hint}")
        }
        _ => error.into(),
    }
}
