//! `percussion design`.

use std::{fs, path::Path};

use crate::common::percussion;

/// A rod of 1 m on two feet, orthogonal with the second one sixth of its length from the middle.
const ROD: &str = r#"
name = "rod"
title = "Where a rod needs its second foot"
source = "center of percussion"
touch = ["end", "foot"]

[[variables]]
name = "d"
unit = "m"
start = 0.4
lower = 0.0

[[mechanism.bodies]]
name = "rod"
mass = 1.0
inertia = "= 1/12"
velocity = [0.0, -1.0, 0.0]

[[mechanism.planes]]
name = "floor"
point = [0.0, 0.0]
normal = [0.0, 1.0]

[[mechanism.contacts]]
name = "end"
disc = { body = "rod", center = [-0.5, 0.0] }
on.plane = "floor"
friction = 0.0

[[mechanism.contacts]]
name = "foot"
disc = { body = "rod", center = ["= d", 0.0] }
on.plane = "floor"
friction = 0.0
"#;

fn rod(text: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rod.toml");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (directory, path)
}

#[test]
fn a_design_is_found_and_its_impact_has_one_outcome() {
    let (directory, path) = rod(ROD);
    let out = directory.path().join("found");
    let found = percussion(&["design", &path, "--json", "--out", out.to_str().unwrap()]);
    assert_eq!(found.code, Some(0), "{found:?}");
    let document = found.json();
    assert_eq!(document["status"], "met");
    let d = document["variables"][0]["value"].as_f64().unwrap();
    assert!((d - 1.0 / 6.0).abs() < 1e-9, "{d}");
    assert_eq!(document["conditions"][0]["contacts"][1], "foot");
    assert_eq!(document["files"].as_array().unwrap().len(), 2);
    let impact = out.join("impact.toml");
    let answer = [
        "impact",
        impact.to_str().unwrap(),
        "--law",
        "propagative",
        "--set",
        "outcomes=all",
        "--json",
    ];
    let document = percussion(&answer).json();
    assert_eq!(document["statistics"]["outcomes"], 1);
    // Both ends leave at the speed with which they came.
    let velocity = document["velocities"][0][1].as_f64().unwrap();
    assert!((velocity - 1.0).abs() < 1e-9, "{velocity}");
    let lines = fs::read_to_string(out.join("path.csv")).unwrap();
    assert!(lines.starts_with("d (m),residual,distance"), "{lines}");
}

#[test]
fn the_text_tells_variables_gaps_and_products() {
    let (_directory, path) = rod(ROD);
    let found = percussion(&["design", &path]);
    assert_eq!(found.code, Some(0), "{found:?}");
    for part in ["status: met", "0.16667", "end, foot", "gap (m)"] {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
}

#[test]
fn a_design_that_cannot_be_met_is_unsolved_and_one_that_makes_no_sense_refused() {
    let (_directory, path) = rod(&ROD.replace("lower = 0.0", "lower = 0.3"));
    let found = percussion(&["design", &path, "--json"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert_eq!(found.json()["status"], "stationary");
    assert_eq!(found.json()["variables"][0]["bound"], true);
    let (_directory, path) = rod(&ROD.replace("= d", "= depth"));
    percussion(&["design", &path]).assert_refused(&["contacts[1].disc.center[0]", "`depth`"]);
    percussion(&["design", "rex"]).assert_refused(&["`rex`", "trex"]);
    assert!(!Path::new("rex").exists());
}
