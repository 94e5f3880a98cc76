//! Tests that a command builds its mechanism only once.

use std::path::Path;

use super::common::percussion;

/// A scenario whose bodies are links of a tree, with a loop.
const FOUR_BAR: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../mechanism/fixtures/mechanisms/four-bar.toml");

/// A scenario with contacts at its start.
const BLOCK: &str = "maximum-dissipation/block-on-slope";

/// Number of mechanisms that a command logs as built, with `--out` if it has the option.
fn built(arguments: &[&str], out: Option<&Path>) -> usize {
    let out = out.map(|path| path.to_str().unwrap());
    let mut all = arguments.to_vec();
    all.extend(out.iter().flat_map(|directory| ["--out", directory]));
    all.push("-vv");
    let finished = percussion(&all);
    assert_eq!(finished.code, Some(0), "{arguments:?} {finished:?}");
    finished.stderr.matches("built a mechanism").count()
}

#[test]
fn every_command_builds_its_mechanism_once() {
    let directory = tempfile::tempdir().unwrap();
    let rod = "stewart-trinkle/rod-on-table";
    let short = ["--duration", "0.02", "--step-size", "0.002"];
    let run =
        |scenario, options: &[&'static str]| [&["run", scenario], options, &short[..]].concat();
    let commands = [
        run(rod, &[]),
        run(rod, &["--integrator", "event-driven"]),
        run(FOUR_BAR, &[]),
        run(FOUR_BAR, &["--integrator", "event-driven"]),
        vec!["run", "rocking-block", "--law", "poisson"],
        vec!["impact", "rocking-block", "--law", "poisson"],
        vec!["impact", "rocking-block", "--law", "compliant"],
        vec!["compare", "rocking-block", "--laws", "newton,poisson,compliant"],
        vec!["impact", BLOCK, "--law", "poisson"],
        vec!["compare", BLOCK, "--laws", "newton,poisson"],
    ];
    for (k, arguments) in commands.iter().enumerate() {
        let out = directory.path().join(k.to_string());
        assert_eq!(built(arguments, Some(&out)), 1, "{arguments:?}");
    }
    for scenario in [rod, FOUR_BAR] {
        assert_eq!(built(&["inspect", scenario], None), 1, "{scenario}");
    }
}
