//! Snapshots in the source of a test: short texts, of which a changed one fails its test as any assertion does.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::Context;
use serde_json::Value;

use crate::{
    shell::{self, cargo},
    tidy::{self, files},
};

/// Runs the tests that have them.
pub(super) fn check(metadata: &Value) -> anyhow::Result<()> {
    let (mut packages, mut tests) = (BTreeSet::new(), BTreeSet::new());
    for (name, folder) in tidy::members(metadata).filter(|(name, _)| *name != "xtask") {
        for path in files::with_extension(&PathBuf::from(folder), "rs")? {
            let found = tests_in(&std::fs::read_to_string(&path)?);
            if !found.is_empty() {
                packages.insert(name.to_owned());
                tests.extend(found);
            }
        }
    }
    if tests.is_empty() {
        return Ok(());
    }
    let mut command = cargo(["test", "--quiet", "--no-fail-fast", "--lib", "--bins", "--tests"]);
    for name in &packages {
        command.args(["--package", name]);
    }
    command.arg("--").args(&tests).env("INSTA_UPDATE", "no");
    shell::run(&mut command)
        .context("texts in the source of tests are changed by hand, or by `cargo insta review`")
}

/// Names of the functions of a source file in which a text is compared.
fn tests_in(source: &str) -> BTreeSet<String> {
    let mut inside = None;
    let mut found = BTreeSet::new();
    for line in source.lines().map(str::trim_start) {
        if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')) {
            inside = Some(name);
        }
        if line.starts_with("insta::assert_snapshot!(") {
            found.extend(inside.map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_by_the_function_around_the_comparison() {
        let compare = format!("    insta::{}(text, @\"a\");", "assert_snapshot!");
        let source =
            format!("fn helper() {{}}\nfn prints_a() {{\n{compare}\n}}\nfn other() {{}}\n");
        assert_eq!(tests_in(&source).into_iter().collect::<Vec<_>>(), ["prints_a"]);
        assert!(tests_in("fn other() {}").is_empty(), "no comparison");
    }
}
