//! Checks that every package comes from crates.io or is a member of the workspace, and that other workspaces use the same versions.
//!
//! The same rule as `cargo deny check sources`, without an outside tool.

use std::{collections::BTreeSet, path::Path};

use super::Finding;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// `lock` is the text of `Cargo.lock`, which names the source of every package except the members.
pub(super) fn check(lock: &str) -> Vec<Finding> {
    let sources = lock.lines().enumerate().filter_map(|(index, line)| {
        let source = line.strip_prefix("source = \"")?.strip_suffix('"')?;
        (source != CRATES_IO).then(|| {
            let message = format!("a package comes from `{source}`, expected crates.io");
            Finding::new("Cargo.lock", index + 1, message)
        })
    });
    sources.collect()
}

/// Packages of the lock file at `path`, of a separate workspace, must have the versions in `lock` if `lock`
/// contains the package, because other versions could give other results.
pub(super) fn check_versions(path: &Path, text: &str, lock: &str) -> Vec<Finding> {
    let ours: BTreeSet<_> = versions(lock).map(|(_, name, version)| (name, version)).collect();
    let is_other = |name: &str, version: &str| {
        ours.iter().any(|(known, _)| *known == name) && !ours.contains(&(name, version))
    };
    let others = versions(text).filter(|(_, name, version)| is_other(name, version));
    let finding = |(line, name, version): (usize, &str, &str)| {
        let message = format!("`{name}` has the version {version}, expected one of `Cargo.lock`");
        Finding::new(path, line, message)
    };
    others.map(finding).collect()
}

/// The packages of a lock file: the line of the version, from 1, the name and the version.
fn versions(lock: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let value = |line: &'_ str, key: &str| -> Option<(usize, usize)> {
        let start = line.strip_prefix(key)?.strip_prefix(" = \"")?;
        Some((line.len() - start.len(), line.len() - 1))
    };
    let pairs = lock.lines().zip(lock.lines().skip(1)).enumerate();
    pairs.filter_map(move |(index, (first, second))| {
        let (name, version) = (value(first, "name")?, value(second, "version")?);
        Some((index + 2, first.get(name.0..name.1)?, second.get(version.0..version.1)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_registries_and_repositories_are_found() {
        let lock = format!(
            "[[package]]\nname = \"a\"\nsource = \"{CRATES_IO}\"\n\
             [[package]]\nname = \"b\"\nsource = \"git+https://example.org/b#1\"\n\
             [[package]]\nname = \"member\"\n"
        );
        let findings: Vec<String> = check(&lock).iter().map(ToString::to_string).collect();
        let expected =
            "Cargo.lock:6: a package comes from `git+https://example.org/b#1`, expected crates.io";
        assert_eq!(findings, [expected]);
    }

    #[test]
    fn other_versions_of_the_same_packages_are_found() {
        let lock = "name = \"a\"\nversion = \"1.0.0\"\nname = \"a\"\nversion = \"2.0.0\"\n";
        let text = "name = \"b\"\nversion = \"9.0.0\"\nname = \"a\"\nversion = \"2.0.1\"\n";
        let findings = check_versions(Path::new("python/Cargo.lock"), text, lock);
        let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            findings,
            ["python/Cargo.lock:4: `a` has the version 2.0.1, expected one of `Cargo.lock`"]
        );
        assert!(check_versions(Path::new("python/Cargo.lock"), lock, lock).is_empty());
    }
}
