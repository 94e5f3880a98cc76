//! `cargo xtask features`: the tests of every published crate without its features and with all of them.
//!
//! The tests of the workspace run with the features that all crates together ask for. A crate that is used alone
//! has fewer, or other ones.

use anyhow::ensure;
use serde_json::Value;

use crate::{
    shell::{self, cargo},
    tidy,
};

/// The selections beside the default one.
const SELECTIONS: [&str; 2] = ["--no-default-features", "--all-features"];

/// Tests each crate in each selection of features; a failure does not stop the others.
pub(crate) fn run() -> anyhow::Result<()> {
    let metadata = tidy::metadata()?;
    let mut failures: Vec<String> = Vec::new();
    for name in with_features(&metadata) {
        for selection in SELECTIONS {
            println!("── {name} {selection}");
            let mut test = cargo(["test", "--package", name, selection, "--no-fail-fast"]);
            let outcome = shell::run(test.env("INSTA_UPDATE", "no"));
            failures.extend(outcome.err().map(|error| error.to_string()));
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// The published crates that have features.
pub(crate) fn with_features(metadata: &Value) -> impl Iterator<Item = &str> {
    tidy::published(metadata).filter(|name| {
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let package = packages.into_iter().find(|package| package["name"] == *name);
        let features = package.and_then(|package| package["features"].as_object());
        features.is_some_and(|features| !features.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn crates_without_features_are_left_out() {
        let package =
            |name: &str, features| json!({"name": name, "publish": null, "features": features});
        let packages = [package("a", json!({"rayon": []})), package("b", json!({}))];
        let metadata = json!({"packages": packages});
        assert_eq!(with_features(&metadata).collect::<Vec<_>>(), ["a"]);
    }

    /// A name that cargo spells differently would leave all crates out.
    #[test]
    fn crates_of_this_workspace_have_features() {
        let metadata = tidy::metadata().unwrap();
        let names: Vec<&str> = with_features(&metadata).collect();
        for name in ["complementarity", "dynamics", "impact", "integrators", "granular"] {
            assert!(names.contains(&format!("percussion-{name}").as_str()), "{name}: {names:?}");
        }
    }
}
