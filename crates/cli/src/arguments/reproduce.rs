//! What can be typed after `percussion reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::whole;

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = REPRODUCE_HELP)]
pub(crate) struct Reproduce {
    /// Experiments, or the beginnings of their names such as `stewart-trinkle`; all by default.
    #[arg(value_name = "ID")]
    pub(crate) experiments: Vec<String>,
    /// Directory for the report, created where it is missing.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "target/reproduction")]
    pub(crate) out: PathBuf,
    /// Only what takes seconds.
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,
    /// With more and finer steps than by default.
    #[arg(long)]
    pub(crate) full: bool,
    /// Run with changed inputs instead, and tell for each judged row the smallest change that makes it fail.
    #[arg(long, conflicts_with = "full")]
    pub(crate) sensitivity: bool,
    /// Seed of everything random.
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
