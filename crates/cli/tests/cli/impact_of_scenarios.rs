//! `impact` and `compare` of scenarios: the impact at their start.

use super::common::{percussion, written};

/// A ball of 2 kg that strikes the floor at 3 m/s with `e = 1/2`.
const BALL: &str = r#"
name = "ball"
title = "A ball strikes the floor"
source = "a test"
dimension = "space"
gravity = [0.0, 0.0, -9.81]
duration = 0.1
friction = 0.3
restitution = 0.5

[[bodies]]
name = "ball"
mass = 2.0
shape.sphere.radius = 0.1
position = [0.0, 0.0, 0.1]
velocity = [0.0, 0.0, -3.0]

[[planes]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]

[integrator]
method = "moreau-jean"
step_size = 0.001
"#;

#[test]
fn a_scenario_is_an_impact_where_it_starts() {
    let directory = tempfile::tempdir().unwrap();
    let file = written(directory.path(), "ball.toml", BALL);
    let finished = percussion(&["impact", &file, "--law", "newton", "--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    assert!((document["velocity"][2].as_f64().unwrap() - 1.5).abs() < 1e-12, "{document}");
    // m (1 + e) v = 2 · 1.5 · 3 N·s.
    assert!((document["impulses"][0]["normal"].as_f64().unwrap() - 9.0).abs() < 1e-12);

    let text = percussion(&["impact", &file, "--law", "newton"]).stdout;
    assert!(text.contains("ball–floor") && text.contains("ball z (m/s)"), "{text}");

    let built_in =
        percussion(&["impact", "maximum-dissipation/block-on-slope", "--law", "poisson"]);
    assert_eq!(built_in.code, Some(0), "{built_in:?}");
}

#[test]
fn laws_stand_side_by_side_and_what_needs_a_file_of_its_own_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = written(directory.path(), "ball.toml", BALL);
    let out = directory.path().join("out");
    let laws = ["--laws", "newton,poisson,compliant", "--json", "--out", out.to_str().unwrap()];
    let finished = percussion(&[&["compare", &file][..], &laws].concat());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    for law in [0, 1] {
        let up = document["laws"][law]["velocity"][2].as_f64().unwrap();
        assert!((up - 1.5).abs() < 1e-12, "{document}");
    }
    let refused = document["laws"][2]["error"].as_str().unwrap();
    assert!(refused.contains("the contacts of `ball` cannot be compliant"), "{refused}");
    assert!(out.join("view.html").is_file());
    // As a motion it needs schemes, which have their own laws.
    let motion = percussion(&["run", &file, "--law", "newton"]);
    motion.assert_refused(&["--integrator event-driven"]);
}

#[test]
fn files_that_touch_nowhere_or_are_of_no_kind_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let above = BALL.replace("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 1.1]");
    let file = written(directory.path(), "above.toml", &above);
    let above = percussion(&["impact", &file, "--law", "newton"]);
    above.assert_refused(&["above.toml", "nothing touches", "`ball–floor`"]);
    let file = written(directory.path(), "neither.toml", "mass = 2.0\n");
    let neither = percussion(&["impact", &file, "--law", "newton"]);
    neither.assert_refused(&["neither.toml", "an impact (", "a scenario ("]);
}
