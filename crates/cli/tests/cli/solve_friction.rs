//! `percussion solve friction`.

use std::{collections::BTreeSet, fs};

use serde_json::json;

use crate::common::{percussion, percussion_with_input};

/// A block of 2 kg that slides at 3 m/s and is pressed to the floor with 4 N·s: friction takes 2 N·s.
const BLOCK: &str = include_str!("../../examples/sliding-block.json");

/// The block in Siconos's format.
const BLOCK_DAT: &str = "3 1  0 3 3 3 3  0.5 0 0 0 0.5 0 0 0 0.5  -2 3 0  0.5";

#[test]
fn every_solver_slows_the_block() {
    for (law, solver) in [
        ("coulomb", "combined"),
        ("coulomb", "block-gauss-seidel"),
        ("coulomb", "interior-point"),
        ("coulomb", "alternating-directions"),
        ("coulomb", "projected-gradient"),
        ("maximum-dissipation", "combined"),
        ("maximum-dissipation", "block-gauss-seidel"),
    ] {
        let arguments = ["solve", "friction", "-", "--law", law, "--solver", solver, "--json"];
        let finished = percussion_with_input(&arguments, BLOCK.as_bytes());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let answer = finished.json();
        assert_eq!(answer["status"], "solved");
        assert!(answer["residual"].as_f64().unwrap() <= 1e-8, "{answer}");
        for (name, expected) in [("impulses", [4.0, -2.0, 0.0]), ("velocities", [0.0, 2.0, 0.0])] {
            // The residual is within 1e-8 of some m/s, impulses weigh 2 kg, and the natural map may be
            // a few times flatter than the velocities.
            let list = answer[name].as_array().unwrap();
            let distance = list.iter().zip(expected).map(|(a, b)| (a.as_f64().unwrap() - b).abs());
            assert!(distance.fold(0.0, f64::max) <= 1e-6, "{solver}: {name} = {list:?}");
        }
    }
}

#[test]
fn contacts_in_the_plane_have_two_entries() {
    let text = r#"{"delassus": {"dense": [[0.5, 0], [0, 0.5]]}, "free_velocity": [-2, 3], "friction": [0.5]}"#;
    let finished = percussion_with_input(&["solve", "friction", "-", "--json"], text.as_bytes());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let answer = finished.json();
    assert_eq!(answer["impulses"], json!([4.0, -2.0]));
    assert_eq!(answer["velocities"], json!([0.0, 2.0]));
    let finished = percussion_with_input(&["solve", "friction", "-"], text.as_bytes());
    assert!(finished.stdout.contains("u_t") && !finished.stdout.contains("u_o"), "{finished:?}");
}

#[test]
fn a_file_brings_its_solver_and_its_start_unless_others_are_asked_for() {
    let field = r#""friction": [0.5], "start": [4, -2, 0],
        "method": {"block-gauss-seidel": {"law": "maximum-dissipation", "max_sweeps": 0}}"#;
    let text = BLOCK.replace(r#""friction": [0.5]"#, field);
    let replayed = percussion_with_input(&["solve", "friction", "-", "--json"], text.as_bytes());
    let answer = replayed.json();
    assert_eq!((&answer["status"], &answer["sweeps"]), (&json!("solved"), &json!(0)));
    assert_eq!(answer["impulses"], json!([4.0, -2.0, 0.0]));
    let wrong = text.replace("[4, -2, 0]", "[4, 0, 0]");
    let failed = percussion_with_input(&["solve", "friction", "-", "--json"], wrong.as_bytes());
    assert_eq!((failed.code, &failed.json()["status"]), (Some(1), &json!("iteration-limit")));
    let arguments = ["solve", "friction", "-", "--law", "coulomb", "--json"];
    assert_eq!(percussion_with_input(&arguments, wrong.as_bytes()).code, Some(0));
}

/// Symptom: a frictionless contact that separates at 1 m/s was solved with an impulse of −1, exit code 0. Expected: no impulse.
#[test]
fn contacts_without_friction_do_not_pull() {
    let text = r#"{"delassus": {"dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "free_velocity": [1, 0, 0], "friction": [0]}"#;
    for solver in [
        "combined",
        "block-gauss-seidel",
        "interior-point",
        "alternating-directions",
        "projected-gradient",
    ] {
        let arguments = ["solve", "friction", "-", "--solver", solver, "--json"];
        let finished = percussion_with_input(&arguments, text.as_bytes());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let answer = finished.json();
        assert_eq!(answer["status"], "solved", "{solver}");
        for entry in answer["impulses"].as_array().unwrap() {
            assert!(entry.as_f64().unwrap().abs() <= 1e-7, "{solver}: {answer}");
        }
        assert!(answer["figures"]["adhesion"].as_f64().unwrap() <= 1e-8, "{answer}");
    }
}

/// A body of 1 kg between two walls, which must separate from one of them: no impulses keep it from approaching the other.
#[test]
fn a_problem_without_solution_is_proved_to_be_one() {
    let text = r#"{"delassus": {"dense": [[1, 0, -1, 0], [0, 1, 0, 1], [-1, 0, 1, 0], [0, 1, 0, 1]]},
        "free_velocity": [-2, 0, 1, 0], "friction": [0, 0.5]}"#;
    let finished = percussion_with_input(&["solve", "friction", "-", "--json"], text.as_bytes());
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let answer = finished.json();
    assert_eq!(answer["status"], "infeasible");
    let proof = json!({"weights": [1.0, 1.0], "approach": 1.0, "reach": null});
    assert_eq!(answer["infeasibility"], proof);
    assert!(answer["figures"]["approach"].as_f64().unwrap() >= 0.4, "{answer}");
    let finished = percussion_with_input(&["solve", "friction", "-"], text.as_bytes());
    assert_eq!(finished.code, Some(1), "{finished:?}");
    for words in ["infeasible after", "There is no solution", "approach at 1 m/s", "weight"] {
        assert!(finished.stdout.contains(words), "{words} is missing in {}", finished.stdout);
    }
}

#[test]
fn people_read_a_table() {
    let finished = percussion_with_input(&["solve", "friction", "-"], BLOCK.as_bytes());
    assert_eq!(finished.code, Some(0));
    insta::assert_snapshot!(finished.stdout, @r"
    solved after 2 sweeps, relative residual 0

    contact  p_n  p_t  p_o  u_n  u_t  u_o
    ───────  ───  ───  ───  ───  ───  ───
          0    4   −2    0    0    2    0
    ");
}

#[test]
fn a_directory_becomes_a_table_in_which_refused_files_say_why() {
    let directory = tempfile::tempdir().unwrap();
    let name = directory.path().to_str().unwrap();
    percussion(&["solve", "friction", name]).assert_refused(&[name, "*.json", "*.dat"]);

    fs::write(directory.path().join("b.json"), BLOCK).unwrap();
    fs::write(directory.path().join("a.dat"), BLOCK_DAT).unwrap();
    fs::write(directory.path().join("notes.txt"), "not a problem").unwrap();
    let finished = percussion(&["solve", "friction", name, "--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let lines = finished.json();
    let files: Vec<_> = lines.as_array().unwrap().iter().map(|line| &line["file"]).collect();
    assert_eq!(files, ["a.dat", "b.json"]);
    for line in lines.as_array().unwrap() {
        let keys: BTreeSet<_> = line.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = ["contacts", "file", "residual", "seconds", "status", "sweeps"];
        assert_eq!(keys, BTreeSet::from(expected));
        assert_eq!((&line["contacts"], &line["status"]), (&json!(1), &json!("solved")));
    }

    fs::write(directory.path().join("c.dat"), &BLOCK_DAT[..30]).unwrap();
    let finished = percussion(&["solve", "friction", name]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    for word in
        ["status", "residual", "sweeps", "time (ms)", "a.dat", "b.json", "refused:", "c.dat"]
    {
        assert!(finished.stdout.contains(word), "{word} is missing in {}", finished.stdout);
    }
}

#[test]
fn bad_files_and_settings_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("problem.dat");
    let name = path.to_str().unwrap();
    percussion(&["solve", "friction", name]).assert_refused(&[name]);
    fs::write(&path, "3\n1\n0 3 3\n3 3\n1 0 zero").unwrap();
    percussion(&["solve", "friction", name]).assert_refused(&[name, "line 5", "`zero`"]);
    let arguments =
        ["solve", "friction", "-", "--law", "maximum-dissipation", "--solver", "interior-point"];
    let finished = percussion_with_input(&arguments, BLOCK.as_bytes());
    finished.assert_refused(&[
        "interior-point",
        "maximum-dissipation is solved by combined and block-gauss-seidel",
    ]);
}

/// Normal and tangent are coupled, so that the two laws differ.
#[test]
fn the_law_of_a_file_is_that_of_its_problem() {
    let text = r#"{"delassus": {"dense": [[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]]}, "free_velocity": [-1, 2, 1],
        "friction": [0.5]}"#;
    let stated = text.replace(r#""friction""#, r#""law": "maximum-dissipation", "friction""#);
    let solve = |text: &str, arguments: &[&str]| {
        let arguments = [&["solve", "friction", "-", "--json"], arguments].concat();
        let finished = percussion_with_input(&arguments, text.as_bytes());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.json()
    };
    let [coulomb, other] =
        ["coulomb", "maximum-dissipation"].map(|law| solve(text, &["--law", law]));
    assert_ne!(coulomb["impulses"], other["impulses"]);
    assert_eq!(solve(text, &[]), coulomb);
    assert_eq!(solve(&stated, &[]), other);
    assert_eq!(solve(&stated, &["--tolerance", "1e-8"]), other);
    assert_eq!(solve(&stated, &["--law", "coulomb"]), coulomb);
    let arguments = ["solve", "friction", "-", "--solver", "projected-gradient"];
    let finished = percussion_with_input(&arguments, stated.as_bytes());
    finished.assert_refused(&["projected-gradient", "`law` is maximum-dissipation"]);
}

/// Two carts of 2 kg at 3 m/s, joined: dry friction takes 1 N·s of 12.
const CARTS: &str = include_str!("../../examples/joined-carts.json");

#[test]
fn blocks_are_solved_by_the_solvers_that_take_them() {
    for solver in ["combined", "block-gauss-seidel", "alternating-directions"] {
        let arguments = ["solve", "friction", "-", "--solver", solver, "--json"];
        let finished = percussion_with_input(&arguments, CARTS.as_bytes());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let answer = finished.json();
        for (name, expected) in [("impulses", [0.5, -1.0, 0.0]), ("velocities", [0.0, 2.75, 2.75])]
        {
            let list = answer[name].as_array().unwrap();
            let distance = list.iter().zip(expected).map(|(a, b)| (a.as_f64().unwrap() - b).abs());
            assert!(distance.fold(0.0, f64::max) <= 1e-6, "{solver}: {name} = {list:?}");
        }
        assert!(answer["figures"]["bilateral"].is_number(), "{answer}");
    }
    let table = percussion_with_input(&["solve", "friction", "-"], CARTS.as_bytes()).stdout;
    assert!(table.contains("interval") && table.contains("2.75"), "{table}");
    for (arguments, name) in [
        (["--solver", "interior-point"], "interior-point does not support blocks"),
        (["--law", "maximum-dissipation"], "`--law` is maximum-dissipation"),
    ] {
        let arguments = [["solve", "friction"], ["-", "--json"], arguments].concat();
        let finished = percussion_with_input(&arguments, CARTS.as_bytes());
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(finished.stderr.contains(name), "{finished:?}");
    }
}

#[test]
fn wrong_blocks_are_refused_and_contradictions_proved() {
    for (from, to, text) in [
        ("\"bound\": 1", "\"bound\": -1", "`bound` is -1"),
        ("\"bound\": 1", "\"section\": {\"disc\": 1}", "`section` is given"),
        ("\"interval\"", "\"spring\"", "unknown variant `spring`"),
        (
            "\"bilateral\", \"rows\": 1",
            "\"bilateral\", \"rows\": 2",
            "`delassus.dense` has 3 entries, expected 4",
        ),
        ("[0, 3, 3]", "[0, 3, 3], \"friction\": [0.5]", "`friction` is given"),
    ] {
        let text_of = CARTS.replacen(from, to, 1);
        let finished = percussion_with_input(&["solve", "friction", "-"], text_of.as_bytes());
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(finished.stderr.contains(text), "{finished:?}");
    }
    let welds = r#"{"delassus": {"dense": [[1, 1], [1, 1]]}, "free_velocity": [1, 2],
        "blocks": [{"kind": "bilateral", "rows": 2}]}"#;
    let finished = percussion_with_input(&["solve", "friction", "-", "--json"], welds.as_bytes());
    assert_eq!((finished.code, &finished.json()["status"]), (Some(1), &json!("infeasible")));
    assert!(finished.json()["infeasibility"]["weights"].is_array());
}
