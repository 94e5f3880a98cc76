//! `percussion grains` of scenes whose grains have shapes.

use std::{fs, path::Path};

use serde_json::json;

use crate::common::{Finished, percussion};

/// Bricks, clumps and balls that fall into a pipe, with pictures.
const BIN: &str = r#"title = "Bricks, clumps and balls in a bin"
duration = 0.2
friction = 0.5
steps.max_sweeps = 20
output = { pictures = 0.1, checkpoints = 0.02 }

[[grains]]
name = "bricks"
shape.box = { size = [2, 1, 0.5] }
diameter = 0.01
density = 2500

[[grains]]
name = "clumps"
shape.clump = { balls = [[0, 0, 0, 1], [1, 0, 0, 0.8]] }
sizes.uniform = [0.008, 0.01]
density = 2500

[[grains]]
name = "balls"
diameter = 0.01
density = 2500

[[walls]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 0, 1] }

[[walls]]
name = "pipe"
shape.cone = { from = [0, 0, 0], to = [0, 0, 1], radii = [0.03, 0.03] }

[[insert]]
grains = "bricks"
random.count = 20
region.cylinder = { from = [0, 0, 0.001], to = [0, 0, 0.25], radius = 0.029 }

[[insert]]
grains = "clumps"
random.count = 20
region.cylinder = { from = [0, 0, 0.001], to = [0, 0, 0.25], radius = 0.029 }

[[insert]]
grains = "balls"
stream.rate = 100
region.cylinder = { from = [0, 0, 0.26], to = [0, 0, 0.29], radius = 0.02 }

[statistics]
from = 0.1
every = 0.01
cells = { low = [-0.03, -0.03, 0], high = [0.03, 0.03, 0.05], counts = [1, 1, 2] }
planes = [{ name = "middle", point = [0, 0, 0.02], normal = [0, 0, -1] }]
"#;

fn run(folder: &Path, name: &str, more: &[&str]) -> Finished {
    let [file, out] = ["bin.toml", name].map(|name| folder.join(name));
    fs::write(&file, BIN).unwrap();
    let words = ["grains", file.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()];
    let run = percussion(&[&words[..], more].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    run
}

#[test]
fn a_scene_of_shapes_has_the_outputs_of_one_of_balls_and_is_resumed_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run(folder.path(), "whole", &[]);
    assert_eq!(whole.json()["grains"], json!(60));
    let read =
        |name: &str, file: &str| fs::read(folder.path().join(name).join(file)).unwrap_or_default();

    run(folder.path(), "parts", &["--duration", "0.053"]);
    run(folder.path(), "parts", &["--duration", "0.121", "--resume"]);
    let parts = run(folder.path(), "parts", &["--resume"]);
    assert_eq!(parts.json()["statistics"], whole.json()["statistics"]);
    for name in ["course.csv", "statistics.csv", "cells.csv", "grains.checkpoint"] {
        let [ours, theirs] = ["parts", "whole"].map(|run| read(run, name));
        assert!(!ours.is_empty() && ours == theirs, "{name} differs");
    }
    // Of so few steps the page plays all, however long the run was to be.
    run(folder.path(), "short", &["--duration", "0.025"]);
    run(folder.path(), "shorter", &["--duration", "0.011"]);
    run(folder.path(), "shorter", &["--duration", "0.025", "--resume"]);
    let [ours, theirs] = ["shorter", "short"].map(|run| read(run, "view.json"));
    assert!(!ours.is_empty() && ours == theirs, "view.json differs");

    // Six faces of each brick, and a point for each of two balls of a clump and for each ball.
    let name = whole.json()["steps"].as_u64().map(|steps| format!("grains-{steps:09}.vtk"));
    let picture = read("whole", &name.unwrap());
    let text = String::from_utf8_lossy(&picture);
    assert!(text.contains("VERTICES 60 120\n"), "20 clumps and 20 balls");
    assert!(text.contains("POLYGONS 120 600\n") && text.contains("POINTS 220 double\n"));
    let view: serde_json::Value = serde_json::from_slice(&read("whole", "view.json")).unwrap();
    let shapes = &view["motions"][0]["grains"]["shapes"];
    assert_eq!(shapes["solids"].as_array().map(Vec::len), Some(3));
    // The last ball comes in after the last frame.
    assert_eq!(shapes["kinds"].as_array().map(Vec::len), Some(59));
    let page = String::from_utf8(read("whole", "view.html")).unwrap();
    assert!(page.contains("makeFigures"), "the player draws them");
}

#[test]
fn a_scene_of_shapes_says_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bin.toml");
    fs::write(&file, BIN).unwrap();
    let check = percussion(&["grains", file.to_str().unwrap(), "--check", "--json"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    let check = check.json();
    assert_eq!([&check["grains"], &check["walls"]], [&json!(40), &json!(2)]);
    assert_eq!([&check["overlap"], &check["step_size"]], [&json!(0.0), &json!(2.5e-4)]);
    let mass = check["mass"].as_f64().unwrap();
    let brick = 2500.0 * std::f64::consts::PI / 6.0 * 1e-6;
    assert!(mass > 30.0 * brick && mass < 40.0 * brick, "{mass} kg");
    for field in ["memory", "seconds_per_second"] {
        let value = &check[field];
        let value = value.as_f64().or_else(|| value[1].as_f64()).unwrap();
        assert!(value > 0.0 && value.is_finite(), "{field} {value}");
    }
}

#[test]
fn mistakes_in_shapes_are_refused_with_file_line_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bin.toml");
    let name = file.to_str().unwrap();
    let cases = [
        ("size = [2, 1, 0.5]", "size = [2, 1, -0.5]", ["line 9", "shape.box.size[2]` is -0.5"]),
        ("[1, 0, 0, 0.8]", "[9, 0, 0, 0.8]", ["line 15", "hangs together"]),
        ("friction = 0.5", "friction = 0.5\nrestitution = 2", ["line 4", "`restitution` is 2.0"]),
        (
            "box = { size = [2, 1, 0.5] }",
            "polyhedron = { file = \"rock.stl\" }",
            ["line 9", "rock.stl"],
        ),
        (
            "box = { size = [2, 1, 0.5] }",
            "polyhedron = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }",
            ["line 9", "flat"],
        ),
    ];
    for (before, after, words) in cases {
        assert!(BIN.contains(before), "{before}");
        fs::write(&file, BIN.replacen(before, after, 1)).unwrap();
        percussion(&["grains", name, "--check"]).assert_refused(&[&[name], &words[..]].concat());
        percussion(&["grains", name]).assert_refused(&[&[name], &words[..]].concat());
    }
}
