//! Arguments for laws of impact and their settings, shared by several commands.

use clap::{
    Args, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use percussion_mechanism::laws::Name;

use super::{count, whole};
use crate::laws::values;

/// Settings of one law, or of several.
#[derive(Clone, Debug, Args)]
pub(crate) struct LawSettings {
    /// Setting of the law; LAW.KEY=VALUE if there are several laws. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Number of samples, for laws that draw them; short for --set samples=N.
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub(crate) samples: Option<u64>,
    /// Seed, for laws that draw samples; short for --set seed=N.
    #[arg(long, value_name = "N", value_parser = whole, allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,
    /// Status that also counts as success, with exit code 0 instead of 1.
    #[arg(long, value_name = "STATUS", value_enum)]
    pub(crate) allow: Vec<Allowed>,
}

/// Statuses other than `resolved` and `completed` that may count as success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allowed {
    /// All other conditions hold, but the energy has grown, which the law or the scheme does not exclude.
    EnergyGained,
}

/// One law or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    One(Name),
    All,
}

pub(super) fn law_or_all() -> impl TypedValueParser<Value = Which> {
    let all = PossibleValue::new("all").help("Compare all laws");
    PossibleValuesParser::new(values().chain([all]))
        .map(|name| name.parse().map_or(Which::All, Which::One))
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected a key and a value as in `tolerance=1e-9`".to_owned()),
    }
}
