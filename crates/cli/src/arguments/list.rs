//! The command line of `percussion list`.

use clap::Args;
use percussion_mechanism::laws::Name;

use crate::laws::law;

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(after_help = LIST_HELP)]
pub(crate) struct List {
    /// Law whose settings are shown.
    #[arg(value_parser = law(), hide_possible_values = true)]
    pub(crate) law: Option<Name>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const LIST_HELP: &str = "\
Examples:
  percussion list
  percussion list set-valued-routh";
