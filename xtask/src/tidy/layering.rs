//! Checks that a crate depends only on crates above it.

use serde_json::Value;

use super::{Finding, manifest, packages};

/// The crates from the top down.
const ORDER: [&str; 11] = [
    "percussion-complementarity",
    "percussion-dynamics",
    "percussion-collision",
    "percussion-impact",
    "percussion-integrators",
    "percussion-granular",
    "percussion-record",
    "percussion-mechanism",
    "percussion-scenarios",
    "percussion-report",
    "percussion-cli",
];

/// Crates that depend on none of ours, wherever they are in the order.
const ALONE: [&str; 3] = ["percussion-complementarity", "percussion-record", "xtask"];

/// Members below all crates, which may use any of them.
const BELOW: [&str; 3] = ["percussion-benches", "percussion-book", "percussion-fuzz"];

/// Members that depend on none of ours and are not published: the tests of any crate and members below all may use them.
const FOR_TESTS: [&str; 2] = ["percussion-snapshot", "percussion-verify"];

/// Dependencies of tests count too: a package whose tests need a crate below cannot be published
/// before that crate, nor that crate before it.
pub(super) fn check(metadata: &Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages(metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        let mut report = |message| findings.push(Finding::new(manifest(package), 1, message));
        if rank(name).is_none() {
            report(format!(
                "`{name}` has no place in the order of crates, expected one in xtask/src/tidy/layering.rs"
            ));
            continue;
        }
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let Some(on) = dependency["name"].as_str().filter(|on| rank(on).is_some()) else {
                continue;
            };
            if FOR_TESTS.contains(&on) && (dependency["kind"] == "dev" || BELOW.contains(&name)) {
                continue;
            }
            if FOR_TESTS.contains(&on) {
                report(format!("`{name}` depends on `{on}`, expected only its tests to do so"));
            } else if ALONE.contains(&name) || FOR_TESTS.contains(&name) {
                report(format!("`{name}` depends on `{on}`, expected none of our crates"));
            } else if rank(on) >= rank(name) {
                report(format!("`{name}` depends on `{on}`, expected only crates above it"));
            }
        }
    }
    findings
}

fn rank(name: &str) -> Option<usize> {
    ORDER.iter().position(|other| *other == name).or_else(|| {
        [&BELOW[..], &ALONE, &FOR_TESTS].concat().contains(&name).then_some(ORDER.len())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn messages(name: &str, dependencies: &[&str]) -> Vec<String> {
        let dependencies: Vec<_> = dependencies.iter().map(|name| json!({"name": name})).collect();
        let metadata = json!({"packages": [
            {"name": name, "manifest_path": "x/Cargo.toml", "dependencies": dependencies},
        ]});
        check(&metadata).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn depending_upwards_is_fine() {
        let above = ["percussion-dynamics", "percussion-complementarity", "nalgebra"];
        assert!(messages("percussion-integrators", &above).is_empty(), "all are above");
        assert!(messages("percussion-benches", &["percussion-cli"]).is_empty(), "below all");
    }

    #[test]
    fn depending_downwards_is_found() {
        assert_eq!(
            messages("percussion-dynamics", &["percussion-report"]),
            [
                "x/Cargo.toml:1: `percussion-dynamics` depends on `percussion-report`, expected only crates above it"
            ]
        );
    }

    #[test]
    fn some_crates_stand_alone() {
        for name in ALONE {
            assert_eq!(messages(name, &["percussion-dynamics"]).len(), 1, "{name}");
        }
    }

    #[test]
    fn crates_for_tests_are_for_tests_only() {
        let depending = |kind: &str| {
            let dependency = json!({"name": "percussion-snapshot", "kind": kind});
            let package = json!({
                "name": "percussion-complementarity",
                "manifest_path": "x/Cargo.toml",
                "dependencies": [dependency],
            });
            check(&json!({"packages": [package]})).len()
        };
        assert_eq!(depending("dev"), 0, "any tests may");
        assert_eq!(depending("normal"), 1, "no crate may");
        assert_eq!(messages("percussion-snapshot", &["percussion-dynamics"]).len(), 1, "alone");
    }

    #[test]
    fn a_new_crate_must_find_its_place() {
        assert_eq!(messages("percussion-novelty", &[]).len(), 1);
    }
}
