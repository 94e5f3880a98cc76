//! `cargo xtask reproduce [ID…]`: the published experiments, with acceptance.

use std::path::PathBuf;

use crate::shell::{self, cargo};

const COMMAND: [&str; 6] = ["run", "--release", "--package", "percussion-cli", "--", "reproduce"];

/// Runs the experiments `ids`, or all, into `target/reproduction/`.
pub(crate) fn run(ids: &[&str]) -> anyhow::Result<()> {
    let out = shell::target().join("reproduction");
    shell::run(cargo(COMMAND).args(ids).arg("--out").arg(out))
}

/// Runs all experiments in their quick form, as `ci` does, with the program that the tests have built.
pub(crate) fn quick() -> anyhow::Result<()> {
    let mut command = shell::tested("percussion")?;
    shell::run(command.args(["reproduce", "--quick", "--out"]).arg(quick_results()))
}

/// Folder of the results of [`quick`].
pub(crate) fn quick_results() -> PathBuf {
    shell::target().join("reproduction-quick")
}
