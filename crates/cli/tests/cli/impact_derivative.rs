//! `percussion impact --derivative`.

use serde_json::Value;

use crate::{
    common::percussion,
    impact::{answer, given, impact},
};

/// A ball of 1 kg and 1 m slides at 1 m/s and falls at 2 m/s on a floor with `μ = 0.05` and `e = 1/2`.
const BALL: &str = r#"{"mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 0.4]], "velocity": [1, -2, 0],
    "contacts": [{"normal": [0, 1, 0], "tangents": [[1, 0, 1]], "friction": 0.05, "restitution": 0.5}]}"#;

/// It slides afterwards, with 3 N·s of normal impulse, until `μ` has grown by `(1 − 0.15 · 7/2)/(3 · 7/2)`.
#[test]
fn laws_that_agree_have_one_derivative() {
    let constant = ["--set", "v_capture=0", "--set", "v_plastic=0"];
    let cases: [(&str, &[&str]); 5] = [
        ("newton", &[]),
        ("poisson", &[]),
        ("maximum-dissipation", &[]),
        ("sequential", &["--set", "outcomes=one"]),
        ("plus", &constant),
    ];
    for (law, more) in cases {
        let found = given(BALL, law, &[more, &["--derivative", "--json"]].concat());
        assert_eq!(found.code, Some(0), "{law}: {}", found.stderr);
        let document: Value = serde_json::from_str(&found.stdout).unwrap();
        let derivative = &document["derivative"];
        assert_eq!(derivative["state"], "regular", "{law}");
        let columns = derivative["columns"].as_array().unwrap();
        assert_eq!(columns.len(), 5);
        let friction = columns.iter().find(|column| column["of"] == "friction").unwrap();
        let changes = friction["velocity"].as_array().unwrap();
        for (change, expected) in changes.iter().zip([-3.0, 0.0, -7.5]) {
            assert!((change.as_f64().unwrap() - expected).abs() < 1e-12, "{law}: {change}");
        }
        let reach = friction["reach"].as_f64().unwrap();
        assert!((reach - 0.475 / 10.5).abs() < 1e-12, "{law}: {reach}");
    }
    let text = given(BALL, "newton", &["--derivative"]).stdout;
    assert!(
        text.contains("derivative: regular, holds for changes of all contact velocities below")
    );
    assert!(text.contains("friction of 0        −3     0    −7.5     0.045238"), "{text}");
}

#[test]
fn what_has_no_derivative_is_said() {
    let all = percussion(&["impact", "rocking-block", "--derivative"]);
    assert_eq!(all.code, Some(2));
    assert!(all.stderr.contains("`--derivative` is given, but no law"), "{}", all.stderr);
    let compliant = impact("rocking-block", "compliant", &["--derivative"]);
    assert!(compliant.stderr.contains("`--derivative` is given with `--law compliant`"));
    // Both corners strike alike, which is an edge for what distinguishes them.
    let block = answer("rocking-block", "sequential", &["--derivative"]);
    assert_eq!(block["derivative"]["state"], "edge");
    let columns = block["derivative"]["columns"].as_array().unwrap();
    let missing = columns.iter().filter(|column| column["error"].is_string()).count();
    assert!(missing > 0 && missing < columns.len(), "{columns:?}");
    let set = impact("rocking-block", "set-valued-routh", &["--derivative", "--samples", "64"]);
    assert!(set.stdout.contains("derivative of the first sample: "), "{}", set.stdout);
    let wrong = impact("rocking-block", "sequential", &["--set", "outcomes=all", "--derivative"]);
    assert!(wrong.stderr.contains("setting `outcomes` is `all`, expected one"), "{}", wrong.stderr);
}
