//! `cargo xtask snapshot [--accept]`: the tests that compare with a stored snapshot.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::bail;

use crate::{
    shell::{self, Refusal, cargo},
    tidy::{self, files},
};

/// Runs the tests of the crates that own snapshots; differences are shown and nothing is written.
pub(crate) fn check() -> anyhow::Result<()> {
    let mut command = cargo(["test", "--no-fail-fast"]);
    for name in owners()? {
        command.args(["--package", &name]);
    }
    shell::run(command.env("INSTA_UPDATE", "no"))?;
    none_pending()
}

/// Takes what changed, in files and in the source of the tests.
pub(crate) fn accept() -> anyhow::Result<()> {
    if !shell::succeeds(&mut cargo(["insta", "--version"])) {
        let install = "cargo install cargo-insta --locked";
        return Err(Refusal::missing("cargo-insta, which edits inline snapshots,", install).into());
    }
    shell::run(&mut cargo(["insta", "test", "--workspace", "--accept"]))
}

/// Fails when an earlier run left a changed snapshot behind that nobody accepted or rejected.
pub(crate) fn none_pending() -> anyhow::Result<()> {
    let pending: Vec<_> =
        files::all(&shell::root())?.into_iter().filter(|path| is_pending(path)).collect();
    if pending.is_empty() {
        return Ok(());
    }
    for path in &pending {
        eprintln!("{}: snapshot waits for a decision", path.display());
    }
    bail!(
        "{} pending snapshots; accept with `cargo xtask snapshot --accept` or delete them",
        pending.len()
    );
}

fn is_pending(path: &std::path::Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".snap.new") || name.ends_with(".pending-snap")
}

/// Packages with a call of `insta` in their sources.
fn owners() -> anyhow::Result<BTreeSet<String>> {
    let metadata = tidy::metadata()?;
    let mut owners = BTreeSet::new();
    for (name, folder) in tidy::members(&metadata) {
        for path in files::with_extension(&PathBuf::from(folder), "rs")? {
            if name != "xtask" && std::fs::read_to_string(&path)?.contains("insta::assert_") {
                owners.insert(name.to_string());
            }
        }
    }
    Ok(owners)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn pending_snapshots_are_known_by_their_names() {
        assert!(is_pending(Path::new("tests/snapshots/a.snap.new")), "a file snapshot");
        assert!(is_pending(Path::new("src/.lemke.rs.pending-snap")), "an inline snapshot");
        assert!(!is_pending(Path::new("tests/snapshots/a.snap")), "an accepted snapshot");
    }
}
