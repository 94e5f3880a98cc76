//! The command line of `percussion list`.

use clap::Args;

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(after_help = LIST_HELP)]
pub(crate) struct List {
    /// Law whose settings are shown, or another name, whose title and commands are shown.
    pub(crate) name: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const LIST_HELP: &str = "\
Examples:
  percussion list
  percussion list set-valued-routh
  percussion list rocking-block";
