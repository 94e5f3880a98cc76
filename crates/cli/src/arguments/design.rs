//! The command line of `percussion design`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Arguments of `design`.
#[derive(Debug, Args)]
#[command(after_help = DESIGN_HELP)]
pub(crate) struct Design {
    /// Design file (TOML) with variables, a mechanism whose numbers depend on them, and the contacts that
    /// must touch; or the name of a built-in design.
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) design: String,
    /// Directory for the impact that was found (TOML) and the path of the search (CSV); by default no files
    /// are written.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const DESIGN_HELP: &str = "\
Examples:
  percussion design trex
  percussion design robot.toml --out found && percussion impact found/impact.toml --law propagative";
