//! `cargo xtask semver [--accept]`: whether the public items still serve those who use them.
//!
//! cargo-semver-checks compares the public items of every published crate with those of the baseline, a commit
//! whose hash is in `xtask/semver-baseline`. An item that is missing or that can no longer be used as before is
//! a failure; a new item is none. `--accept` makes the current commit the baseline, which is right before a
//! release or together with an entry in the changelog that says what breaks.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, bail};

use crate::{
    shell::{self, Refusal, cargo},
    tidy,
};

const INSTALL: &str = "cargo install cargo-semver-checks --locked";

/// The file of the baseline, from the root of the workspace.
const BASELINE: &str = "xtask/semver-baseline";

/// Compares with the baseline.
pub(crate) fn run() -> anyhow::Result<()> {
    if !shell::succeeds(&mut cargo(["semver-checks", "--version"])) {
        return Err(Refusal::missing("cargo-semver-checks", INSTALL).into());
    }
    let baseline = baseline()?;
    if !shell::succeeds(&mut git(&["cat-file", "-e", &format!("{baseline}^{{commit}}")])) {
        bail!("the baseline {baseline} is not in this clone; `git fetch --unshallow` fetches it");
    }
    let metadata = tidy::metadata()?;
    let mut check = cargo(["semver-checks", "--baseline-rev", &baseline]);
    // The version stays the same between releases; changes that only add are allowed.
    check.args(["--release-type", "minor"]);
    for name in tidy::published(&metadata) {
        check.args(["--package", name]);
    }
    shell::run(&mut check)
}

/// Makes the current commit the baseline.
pub(crate) fn accept() -> anyhow::Result<()> {
    let output = git(&["rev-parse", "HEAD"]).output().context("starting git")?;
    let text = String::from_utf8(output.stdout).context("reading what git printed")?;
    let hash = hash(&text)?;
    fs::write(path(), format!("{hash}\n")).with_context(|| format!("writing {BASELINE}"))?;
    println!("{BASELINE}: {hash}");
    Ok(())
}

fn baseline() -> anyhow::Result<String> {
    let text = fs::read_to_string(path()).with_context(|| format!("reading {BASELINE}"))?;
    hash(&text).map(str::to_owned)
}

fn path() -> PathBuf {
    shell::root().join(BASELINE)
}

fn git(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(shell::root());
    git
}

/// The hash of a commit in `text`.
fn hash(text: &str) -> anyhow::Result<&str> {
    let hash = text.trim();
    if hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(hash);
    }
    bail!("{BASELINE}: `{hash}`, expected the 40 digits of a commit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_is_a_commit() {
        assert!(baseline().is_ok(), "{:?}", baseline());
        for wrong in ["", "main", "0123456789", "g123456789012345678901234567890123456789"] {
            assert!(hash(wrong).is_err(), "{wrong}");
        }
    }
}
