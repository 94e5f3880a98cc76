//! Impact files that are wrong, absurd or hostile: each gives an error message or a result.

use std::fmt::Write;

use crate::common::percussion_with_input;

const MASS: &str = r#""mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 0.4]]"#;
const VELOCITY: &str = r#""velocity": [1, -2, 0]"#;
const CONTACT: &str =
    r#"{"normal": [0, 1, 0], "tangents": [[1, 0, 1]], "friction": 0.5, "restitution": 0.5}"#;
const JOINTS: &str = r#""bilateral": [[0, 0, 1]]"#;

const PER_VELOCITY: &str = "one for each entry of `velocity`";

/// A ball that cannot rotate, on a floor.
fn good() -> String {
    format!("{{{MASS}, {VELOCITY}, \"contacts\": [{CONTACT}], {JOINTS}}}")
}

/// The valid problem with its only occurrence of `old` replaced.
fn with(old: &str, new: &str) -> String {
    let good = good();
    assert_eq!(good.matches(old).count(), 1, "{old}");
    good.replace(old, new)
}

fn mass(text: &str) -> String {
    with(MASS, &format!("\"mass_matrix\": {text}"))
}

fn velocity(text: &str) -> String {
    with(VELOCITY, &format!("\"velocity\": {text}"))
}

fn contacts(text: &str) -> String {
    with(&format!("[{CONTACT}]"), text)
}

fn normal(text: &str) -> String {
    with("\"normal\": [0, 1, 0]", &format!("\"normal\": {text}"))
}

fn tangents(text: &str) -> String {
    with("[[1, 0, 1]]", text)
}

fn friction(text: &str) -> String {
    with("\"friction\": 0.5", &format!("\"friction\": {text}"))
}

fn restitution(text: &str) -> String {
    with("\"restitution\": 0.5", &format!("\"restitution\": {text}"))
}

fn joints(text: &str) -> String {
    with(JOINTS, &format!("\"bilateral\": {text}"))
}

/// `[item, item, …]`.
fn many(count: usize, item: &str) -> String {
    format!("[{}]", vec![item; count].join(","))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn wrong_files_are_refused_with_field_value_and_expectation() {
    let cases: Vec<(String, &[&str])> = vec![
        // Documents of another kind.
        (String::new(), &["it is empty", "expected an object"]),
        (" \n ".into(), &["it is empty"]),
        ("null".into(), &["null", "expected an object"]),
        ("true".into(), &["true", "expected an object"]),
        ("3".into(), &["3", "expected an object"]),
        ("\"text\"".into(), &["text", "expected an object"]),
        ("[]".into(), &["sequence, expected an object"]),
        ("[[[1]], [-1], [], []]".into(), &["sequence, expected an object"]),
        ("{}".into(), &["missing field `mass_matrix`"]),
        ("\0\u{1}".into(), &["expected value"]),
        (format!("\u{feff}{}", good()), &["expected value"]),
        (format!("// ball\n{}", good()), &["expected value"]),
        (good().replace('"', "'"), &["key must be a string"]),
        (good() + "{}", &["nothing after the closing brace"]),
        (good() + ",", &["nothing after the closing brace"]),
        (good()[..good().len() - 1].into(), &["EOF"]),
        // Nested garbage.
        ("{".repeat(200), &["key must be a string"]),
        ("[".repeat(100_000), &["expected an object"]),
        ("{\"contacts\":".repeat(300), &["`contacts`", "map, expected a sequence"]),
        (format!("{{\"mass_matrix\": {}", "[".repeat(100_000)), &["`mass_matrix[0][0]`"]),
        // Fields.
        (
            with(VELOCITY, &format!("{VELOCITY}, \"time\": 0")),
            &["unknown field `time`", "velocity"],
        ),
        (with(VELOCITY, &format!("{VELOCITY}, \"\": 0")), &["unknown field ``"]),
        (with(VELOCITY, &format!("{VELOCITY}, {VELOCITY}")), &["duplicate field `velocity`"]),
        (with(MASS, &format!("{MASS}, {MASS}")), &["duplicate field `mass_matrix`"]),
        (with(JOINTS, &format!("{JOINTS}, {JOINTS}")), &["duplicate field `bilateral`"]),
        (friction("0.5, \"friction\": 0.1"), &["`contacts[0]`", "duplicate field `friction`"]),
        (with("\"normal\"", "\"normals\""), &["`contacts[0].normals`", "unknown field"]),
        (with("\"tangents\"", "\"tangent\""), &["`contacts[0].tangent`", "`tangents`"]),
        (with("\"friction\"", "\"mu\""), &["unknown field `mu`", "`friction`"]),
        (with("\"restitution\"", "\"e\""), &["unknown field `e`", "`restitution`"]),
        (with(&format!("{VELOCITY}, "), ""), &["missing field `velocity`"]),
        (with(&format!("{MASS}, "), ""), &["missing field `mass_matrix`"]),
        (with(&format!("\"contacts\": [{CONTACT}], "), ""), &["missing field `contacts`"]),
        (with("\"normal\": [0, 1, 0], ", ""), &["`contacts[0]`", "missing field `normal`"]),
        // Velocities.
        (velocity("[]"), &["`mass_matrix` has 3", "expected 0", PER_VELOCITY]),
        (velocity("[1, -2]"), &["`mass_matrix` has 3", "expected 2", PER_VELOCITY]),
        (velocity("[1, -2, 0, 0]"), &["`mass_matrix` has 3", "expected 4"]),
        (velocity("1"), &["`velocity`", "`1`", "expected a sequence"]),
        (velocity("{\"0\": 1}"), &["`velocity`", "map"]),
        (velocity("null"), &["`velocity`", "null"]),
        (velocity("[1, null, 0]"), &["`velocity[1]`", "null", "expected a number"]),
        (velocity("[1, \"2\", 0]"), &["`velocity[1]`", "\"2\"", "expected a number"]),
        (velocity("[1, true, 0]"), &["`velocity[1]`", "true"]),
        (velocity("[1, [2], 0]"), &["`velocity[1]`", "sequence"]),
        (velocity("[1, NaN, 0]"), &["`velocity[1]`", "NaN"]),
        (velocity("[1, Infinity, 0]"), &["`velocity[1]`", "Infinity"]),
        (velocity("[1, -1e999, 0]"), &["`velocity[1]`", "-1e999", "out of range"]),
        (velocity("[1, 2, 1e99999999999999999999]"), &["`velocity[2]`", "out of range"]),
        (velocity("[01, 2, 0]"), &["`01`", "invalid number"]),
        (velocity("[1, .5, 0]"), &["`velocity[1]`", "`.5`"]),
        (velocity("[0x1, 2, 0]"), &["`0x1`"]),
        (velocity("[1, 2, 0,]"), &["trailing comma"]),
        // Masses.
        (mass("[]"), &["`mass_matrix` has 0", "expected 3", PER_VELOCITY]),
        (mass("[[]]"), &["`mass_matrix` has 1", "expected 3"]),
        (mass("[[1, 0, 0], [0, 1], [0, 0, 1]]"), &["`mass_matrix[1]` has 2", "expected 3"]),
        (mass("[1, 1, 1]"), &["`mass_matrix[0]`", "`1`", "expected a sequence"]),
        (mass("[[0, 0, 0], [0, 0, 0], [0, 0, 0]]"), &["mass_matrix[0][0] is 0", "positive"]),
        (mass("[[1, 0, 0], [0, 1, 0], [0, 0, -1]]"), &["mass_matrix[2][2] is -1", "positive"]),
        (mass("[[1, 0, 0], [0, 1e-400, 0], [0, 0, 1]]"), &["mass_matrix[1][1] is 0"]),
        (mass("[[1, 1, 0], [1, 1, 0], [0, 0, 1]]"), &["eigenvalue 0", "positive definite"]),
        (mass("[[1, 2, 0], [2, 1, 0], [0, 0, 1]]"), &["eigenvalue -1", "positive definite"]),
        (mass("[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]"), &["mass_matrix[1][0] is 0", "0.5"]),
        (mass("[[1, 0, 0], [0, 1e308, 1e308], [0, 1e308, 1]]"), &["positive definite"]),
        (mass("[[1e-320, 0, 0], [0, 1, 0], [0, 0, 1]]"), &["inverse mass", "inf", "finite"]),
        // Contacts.
        (contacts("{}"), &["`contacts`", "map"]),
        (contacts("null"), &["`contacts`", "null"]),
        (contacts("[1]"), &["`contacts[0]`", "`1`", "expected an object"]),
        (contacts("[[]]"), &["`contacts[0]`", "sequence, expected an object"]),
        (contacts("[[[0, 1, 0], [], 0.5, 0.5]]"), &["`contacts[0]`", "expected an object"]),
        (normal("[0, 1]"), &["`contacts[0].normal` has 2", "expected 3", PER_VELOCITY]),
        (normal("[]"), &["`contacts[0].normal` has 0", "expected 3"]),
        (normal("[0, NaN, 0]"), &["`contacts[0].normal[1]`", "NaN"]),
        (normal("\"up\""), &["`contacts[0].normal`", "up"]),
        (normal("[0, 1e300, 0]"), &["Delassus operator", "inf", "finite"]),
        (tangents("[[1, 0]]"), &["`contacts[0].tangents[0]` has 2", "expected 3"]),
        (tangents("[[1, 0, 1], []]"), &["`contacts[0].tangents[1]` has 0", "expected 3"]),
        (tangents("[1, 0, 1]"), &["`contacts[0].tangents[0]`", "expected a sequence"]),
        (tangents("[[1,0,0],[0,0,1],[0,1,0]]"), &["tangents has 3 rows", "0, 1 or 2"]),
        (friction("-0.1"), &["contacts[0].friction is -0.1", "at least 0"]),
        (friction("1e999"), &["`contacts[0].friction`", "1e999", "out of range"]),
        (friction("\"rough\""), &["`contacts[0].friction`", "rough", "expected a number"]),
        (friction("[0.5]"), &["`contacts[0].friction`", "sequence"]),
        (restitution("1.0000001"), &["contacts[0].restitution is 1.0000001", "[0, 1]"]),
        (restitution("-0.5"), &["contacts[0].restitution is -0.5", "[0, 1]"]),
        (restitution("null"), &["`contacts[0].restitution`", "null"]),
        // Joints.
        (joints("[[0, 0]]"), &["`bilateral[0]` has 2", "expected 3", PER_VELOCITY]),
        (joints("[[0, 0, 1], [1]]"), &["`bilateral[1]` has 1", "expected 3"]),
        (joints("[0, 0, 1]"), &["`bilateral[0]`", "expected a sequence"]),
        (joints("{}"), &["`bilateral`", "map"]),
        (joints("null"), &["`bilateral`", "null"]),
        (joints("[[0, 0, 1e309]]"), &["`bilateral[0][2]`", "1e309"]),
        (joints("[[0, 0, 1e300]]"), &["bilateral", "finite"]),
        // Sizes whose matrices would not fit in memory.
        (contacts(&many(4001, r#"{"normal": [0, 1, 0]}"#)), &["`contacts` has 4001", "4000"]),
        (joints(&many(4001, "[0,0,1]")), &["`bilateral` has 4001 rows", "4000"]),
        (velocity(&many(4001, "0")), &["`velocity` has 4001 entries", "4000"]),
        (contacts(&many(1300, CONTACT)), &["5200 unknowns", "at most 5000"]),
    ];
    let mut failures = String::new();
    for (text, words) in &cases {
        let finished =
            percussion_with_input(&["impact", "-", "--law", "poisson", "--json"], text.as_bytes());
        let start: String = text.chars().take(300).collect();
        let said = words.iter().all(|words| finished.stderr.contains(words));
        let quiet = finished.stdout.is_empty() && !finished.stderr.contains("panicked");
        if finished.code != Some(2) || !said || !quiet {
            let _ = writeln!(failures, "{start}\n  {words:?}\n  {finished:?}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(cases.len() >= 90, "{} cases are left", cases.len());
}

#[test]
fn absurd_problems_are_answered_by_every_law_or_refused_in_words() {
    let contact = CONTACT;
    let cases = [
        contacts("[]"),
        contacts(&format!("[{contact}, {contact}]")),
        contacts(&many(20, contact)),
        joints("[]"),
        joints("[[0, 0, 1], [0, 0, 2], [0, 0, -1e5]]"),
        joints("[[0, 0, 0]]"),
        joints("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"),
        joints("[[0, 0, 1e-300]]"),
        normal("[0, 0, 0]"),
        normal("[0, 1e-300, 0]"),
        normal("[0, 1e150, 0]"),
        tangents("[]"),
        tangents("[[0, 0, 0]]"),
        tangents("[[0, 1, 0]]"),
        tangents("[[1, 0, 1], [1, 0, 1]]"),
        tangents("[[1e-200, 0, 1e-200]]"),
        friction("0"),
        friction("-0.0"),
        friction("1e5"),
        friction("1e300"),
        friction("1e-300"),
        velocity("[0, 0, 0]"),
        velocity("[1, 2, 0]"),
        velocity("[1e300, -1e300, 0]"),
        velocity("[1e308, -1e308, 1e308]"),
        velocity("[1e-300, -1e-300, 0]"),
        velocity("[5e-324, -5e-324, 0]"),
        mass("[[1e300, 0, 0], [0, 1e300, 0], [0, 0, 1e300]]"),
        mass("[[1e-300, 0, 0], [0, 1e-300, 0], [0, 0, 1e-300]]"),
        mass("[[1e300, 0, 0], [0, 1, 0], [0, 0, 1e-300]]"),
    ];
    for text in cases {
        let finished =
            percussion_with_input(&["impact", "-", "--law", "all", "--json"], text.as_bytes());
        assert!(!finished.stderr.contains("panicked"), "{text}: {finished:?}");
        match finished.code {
            Some(0 | 1) => {
                let document = finished.json();
                for law in document["laws"].as_array().unwrap() {
                    assert!(law["status"].is_string() || law["error"].is_string(), "{text}: {law}");
                }
            }
            Some(2) => assert!(finished.stderr.contains("expected"), "{text}: {finished:?}"),
            _ => panic!("{text}: {finished:?}"),
        }
    }
}

/// Without contacts, and without an approaching contact, the velocity does not change.
#[test]
fn where_nothing_is_struck_every_law_leaves_the_velocity_alone() {
    for text in [contacts("[]"), velocity("[1, 2, 0]"), velocity("[0, 0, 0]")] {
        let finished =
            percussion_with_input(&["impact", "-", "--law", "all", "--json"], text.as_bytes());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let problem: serde_json::Value = serde_json::from_str(&text).unwrap();
        let before: Vec<_> =
            problem["velocity"].as_array().unwrap().iter().map(|value| value.as_f64()).collect();
        for law in finished.json()["laws"].as_array().unwrap() {
            if let Some(velocity) = law["velocity"].as_array() {
                let after: Vec<_> = velocity.iter().map(|value| value.as_f64()).collect();
                assert_eq!(after, before, "{law}");
            }
        }
    }
}
