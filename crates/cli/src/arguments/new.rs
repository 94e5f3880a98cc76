//! The command line of `percussion new`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// Arguments of `new`.
#[derive(Debug, Args)]
#[command(after_help = NEW_HELP)]
pub(crate) struct New {
    /// Kind of the start.
    #[arg(value_name = "KIND")]
    pub(crate) kind: Kind,
    /// File to write, which must not exist; by default the kind with its usual extension, such as `scenario.toml`.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
}

/// What `new` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A motion of bodies, for `percussion run`.
    Scenario,
    /// An impact, for `percussion compare` and `percussion impact`.
    Impact,
    /// A scene of many grains, for `percussion grains`.
    Scene,
    /// A law of impact, a program in Rust.
    Law,
}

const NEW_HELP: &str = "\
Examples:
  percussion new scenario throw.toml && percussion run throw.toml --out throw && percussion view throw
  percussion new impact landing.toml && percussion compare landing.toml";
