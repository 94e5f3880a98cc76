//! The command line of `percussion reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{TimeLimit, whole};

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = REPRODUCE_HELP)]
pub(crate) struct Reproduce {
    /// Experiments, or the first parts of their names, such as `stewart-trinkle`; by default all.
    #[arg(value_name = "ID")]
    pub(crate) experiments: Vec<String>,
    /// Directory for the report; created if it does not exist.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "target/reproduction")]
    pub(crate) out: PathBuf,
    /// Run reduced versions, which take seconds.
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,
    /// Run with more and finer steps than by default.
    #[arg(long)]
    pub(crate) full: bool,
    /// Run with changed inputs and with faults instead, and report for each judged row the smallest change that makes it fail.
    #[arg(long, conflicts_with_all = ["full", "seconds"])]
    pub(crate) sensitivity: bool,
    #[command(flatten)]
    pub(crate) time_limit: TimeLimit,
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", value_parser = whole, allow_hyphen_values = true, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const REPRODUCE_HELP: &str = "\
Examples:
  percussion reproduce --quick
  percussion reproduce stewart-trinkle --out report
  percussion reproduce plus/tabletop --sensitivity";
