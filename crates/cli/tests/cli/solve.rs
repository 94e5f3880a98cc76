//! `percussion solve lcp`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::common::{percussion, percussion_with_input};

/// Solution `z = (0, 2)`, `w = (1, 0)`, the only one.
const GOOD: &str = r#"{"matrix": [[2, 1], [1, 2]], "vector": [-1, -4]}"#;

/// No `z ≥ 0` makes `w = −z − 1` nonnegative.
const INFEASIBLE: &str = r#"{"matrix": [[-1]], "vector": [-1]}"#;

fn solve(problem: &str, more: &[&str]) -> crate::common::Finished {
    percussion_with_input(&[&["solve", "lcp", "-"], more].concat(), problem.as_bytes())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn every_solver_finds_the_solution() {
    for solver in ["lemke", "projected-gauss-seidel", "fischer-burmeister"] {
        let finished = solve(GOOD, &["--solver", solver, "--json"]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let answer = finished.json();
        assert_eq!(keys(&answer), BTreeSet::from(["iterations", "residual", "status", "w", "z"]));
        assert_eq!(answer["status"], "solved");
        assert!(answer["iterations"].is_u64(), "{answer}");
        // The default tolerance is 1e-10 relative to the largest |q_i| = 4, and the inverse of M
        // amplifies by at most 1.
        assert!(answer["residual"].as_f64().unwrap() <= 4e-10, "{answer}");
        for (name, expected) in [("z", [0.0, 2.0]), ("w", [1.0, 0.0])] {
            let found = numbers(&answer[name]);
            let distance = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            assert!(distance.fold(0.0, f64::max) <= 1e-9, "{name} = {found:?}");
        }
    }
}

/// Symptom: contacts of 50 picograms were solved with `w = (1.75, 0)` or `(1.33, 0.67)`. Expected: `(1, 0)` by every solver.
#[test]
fn light_bodies_are_judged_by_velocities() {
    let light = r#"{"matrix": [[2e10, 1e10], [1e10, 2e10]], "vector": [-1, -4]}"#;
    for solver in ["lemke", "projected-gauss-seidel", "fischer-burmeister"] {
        let finished = solve(light, &["--solver", solver, "--json"]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let w = numbers(&finished.json()["w"]);
        assert!((w[0] - 1.0).abs() < 1e-9 && w[1].abs() < 1e-9, "{solver}: {w:?}");
    }
}

#[test]
fn the_enumeration_lists_solutions_and_the_pieces_they_span() {
    let finished = solve(GOOD, &["--solver", "enumerate", "--json"]);
    assert_eq!(finished.code, Some(0));
    let expected = json!({
        "status": "solved",
        "solutions": [{"z": [0.0, 2.0], "w": [1.0, 0.0]}],
        "rays": [],
        "pieces": [{"solutions": [0], "rays": []}],
    });
    assert_eq!(finished.json(), expected);

    let finished = solve(INFEASIBLE, &["--solver", "enumerate", "--json"]);
    assert_eq!(finished.code, Some(1));
    assert_eq!(finished.json()["status"], "no-solution");
}

#[test]
fn a_ray_is_reported_with_its_certificate() {
    let finished = solve(INFEASIBLE, &["--json"]);
    assert_eq!(finished.code, Some(1));
    let answer = finished.json();
    assert_eq!(answer["status"], "ray");
    let expected = ["artificial", "artificial_rate", "covering", "direction", "violation", "z"];
    assert_eq!(keys(&answer["ray"]), BTreeSet::from(expected));
    assert!(answer["ray"]["violation"].as_f64().unwrap() <= 1e-8, "{answer}");

    let text = solve(INFEASIBLE, &[]);
    assert_eq!(text.code, Some(1));
    assert!(text.stdout.starts_with("ray after"), "{}", text.stdout);
}

#[test]
fn people_read_a_table() {
    let finished = solve(GOOD, &[]);
    assert_eq!(finished.code, Some(0));
    insta::assert_snapshot!(finished.stdout, @r"
    solved after 1 iteration, residual 0

    i  z  w
    ─  ─  ─
    0  0  1
    1  2  0
    ");
}

#[test]
fn a_solver_says_which_setting_or_entry_it_cannot_work_with() {
    let finished = solve(INFEASIBLE, &["--solver", "projected-gauss-seidel"]);
    finished.assert_refused(&["matrix[0][0]", "-1", "positive"]);
    let finished = solve(GOOD, &["--solver", "enumerate", "--tolerance", "2"]);
    finished.assert_refused(&["tolerance", "2"]);
}

#[test]
fn bad_files_are_refused_with_path_field_value_and_expectation() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("problem.json");
    let name = path.to_str().unwrap();
    let cases: &[(&[u8], &[&str])] = &[
        (
            br#"{"matrix": [[1, 2], [3]], "vector": [1, 2]}"#,
            &["`matrix[1]` has 1 entries, expected 2"],
        ),
        (br#"{"matrix": [[1, 2]], "vector": [1]}"#, &["`matrix[0]` has 2 entries, expected 1"]),
        (br#"{"matrix": [[1]], "vector": [1, 2]}"#, &["vector", "length 2", "expected 1"]),
        (br#"{"matrix": [], "vector": []}"#, &["matrix is empty"]),
        (br#"{"matrix": [[1]], "vector": ["x"]}"#, &["`vector[0]`", "\"x\"", "expected a number"]),
        (
            br#"{"matrix": [[1e999]], "vector": [1]}"#,
            &["`matrix[0][0]`", "`1e999`", "out of range"],
        ),
        (br#"{"matrix": [[NaN]], "vector": [1]}"#, &["`matrix[0][0]`", "NaN"]),
        (br#"{"matrix": [[null]], "vector": [1]}"#, &["`matrix[0][0]`", "null"]),
        (br#"{"matrix": [[1]], "vector": [1], "q": [1]}"#, &["unknown field `q`", "`vector`"]),
        (br#"{"matrix": [[1]]}"#, &["missing field `vector`"]),
        (br#"{"matrix": [[1]], "vector": [1]"#, &["EOF", "line 1"]),
        (br#"{"matrix": [[1]], "vector": [1]}}"#, &["trailing characters"]),
        (b"", &["it is empty", "expected an object"]),
        (b"\x00\xff\xfe binary", &["expected value"]),
    ];
    for (bytes, words) in cases {
        std::fs::write(&path, bytes).unwrap();
        let finished = percussion(&["solve", "lcp", name, "--json"]);
        finished.assert_refused(&[&[name], *words].concat());
    }
}

#[test]
fn missing_files_and_directories_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let name = directory.path().to_str().unwrap();
    percussion(&["solve", "lcp", name]).assert_refused(&[name, "directory", "JSON file"]);
    let missing = directory.path().join("missing.json");
    percussion(&["solve", "lcp", missing.to_str().unwrap()]).assert_refused(&["missing.json"]);
}
