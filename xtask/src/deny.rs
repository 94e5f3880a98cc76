//! `cargo xtask deny`: licenses, versions and sources of all packages, by `cargo deny`.

use crate::shell::{self, NotChecked, Refusal, cargo};

const INSTALL: &str = "cargo install cargo-deny --locked";

/// Runs `cargo deny`, which must be installed.
pub(crate) fn run() -> anyhow::Result<()> {
    if !is_installed() {
        return Err(Refusal::missing("cargo-deny", INSTALL).into());
    }
    shell::run(&mut cargo(["deny", "check", "bans", "licenses", "sources"]))
}

/// Runs it if it is installed; otherwise `tidy` has checked the same rules for this platform.
pub(crate) fn run_if_installed() -> anyhow::Result<()> {
    if is_installed() {
        return run();
    }
    Err(NotChecked(format!(
        "cargo-deny is not installed: tidy has checked licenses, versions and sources of the packages \
         of this platform; for all platforms: {INSTALL}"
    ))
    .into())
}

fn is_installed() -> bool {
    shell::succeeds(&mut cargo(["deny", "--version"]))
}
