//! The command line of `percussion completions`.

use clap::Args;

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  percussion completions bash > ~/.local/share/bash-completion/completions/percussion
  percussion completions zsh > ~/.zfunc/_percussion
  percussion completions fish > ~/.config/fish/completions/percussion.fish";
