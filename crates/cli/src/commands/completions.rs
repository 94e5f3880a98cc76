//! `percussion completions`.

use anyhow::Result;
use clap::CommandFactory;

use crate::{
    arguments::{Arguments, Completions},
    output::{Verdict, print},
};

/// Prints the completion script for a shell.
pub(super) fn execute(arguments: &Completions) -> Result<Verdict> {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "percussion", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Verdict::Met)
}
