//! `percussion run --ensemble`.

use crate::common::percussion;

/// A square of 1 kg falls flat from 5 cm.
const SQUARE: &str = r#"
name = "square"
title = "A square falls flat"
source = "first year mechanics"
dimension = "plane"
gravity = [0.0, -10.0]
duration = 0.12
friction = 1.0

[[bodies]]
name = "square"
mass = 1.0
shape.rectangle.half_extents = [0.1, 0.1]
position = [0.0, 0.15]

[[planes]]
name = "floor"
point = [0.0, 0.0]
normal = [0.0, 1.0]

[integrator]
method = "event-driven"
step_size = 0.01
"#;

fn square(directory: &tempfile::TempDir) -> String {
    let path = directory.path().join("square.toml");
    std::fs::write(&path, SQUARE).unwrap();
    path.to_str().unwrap().to_owned()
}

/// It lands after 0.1 s at 1 m/s.
#[test]
fn an_ensemble_has_shares_bands_files_and_a_page() {
    let directory = tempfile::tempdir().unwrap();
    let (file, out) = (square(&directory), directory.path().join("out"));
    let run = ["run", &file, "--ensemble", "24", "--seed", "3"];
    let finished = percussion(
        &[&run[..], &["--json", "--member", "5", "--out", out.to_str().unwrap()]].concat(),
    );
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    assert_eq!((&document["status"], &document["members"]), (&"completed".into(), &24.into()));
    assert_eq!((&document["seed"], &document["law"]), (&3.into(), &"set-valued-routh".into()));
    let [status] = &document["statuses"].as_array().unwrap()[..] else { panic!("{document}") };
    assert_eq!((&status["status"], &status["count"]), (&"end-reached".into(), &24.into()));
    for shares in ["endings", "sequences"] {
        let shares = document[shares].as_array().unwrap();
        assert_eq!(shares.iter().map(|share| share["count"].as_u64().unwrap()).sum::<u64>(), 24);
        let interval = &shares[0]["probability"];
        assert!(interval[0].as_f64().unwrap() < interval[1].as_f64().unwrap(), "{interval}");
    }
    let phases = document["sequences"][0]["phases"].as_array().unwrap();
    assert_eq!((&phases[0]["entry"], &phases[1]["entry"]), (&"smooth".into(), &"impact".into()));
    let height = &document["bands"][1];
    assert_eq!((&height["quantity"], &height["unit"]), (&"square y".into(), &"m".into()));
    let falling = &height["points"][5];
    let [time, least, greatest] =
        ["time", "least", "greatest"].map(|key| falling[key].as_f64().unwrap());
    assert!((least - (0.15 - 5.0 * time * time)).abs() < 1e-9, "{falling}");
    assert!((greatest - least).abs() < 1e-15, "{falling}");

    for name in ["bands.csv", "shares.csv", "members.csv", "view.html", "index.html"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let members = std::fs::read_to_string(out.join("members.csv")).unwrap();
    assert_eq!(members.lines().count(), 25, "{members}");
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(
        page.contains("Play member 5") && page.contains("sequence of impacts and modes"),
        "{page}"
    );

    let again = percussion(&[&run[..], &["--json"]].concat()).json();
    assert_eq!(again["bands"], document["bands"]);
    let other = ["run", &file, "--ensemble", "24", "--seed", "4", "--json"];
    assert_ne!(percussion(&other).json()["bands"], document["bands"]);
    let text = percussion(&run).stdout;
    assert!(text.contains("24 motions") && text.contains("end-reached"), "{text}");
}

#[test]
fn what_an_ensemble_does_not_support_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = square(&directory);
    let refused = |more: &[&str], words: &[&str]| {
        percussion(&[&["run", &file, "--ensemble", "4"], more].concat()).assert_refused(words);
    };
    refused(&["--law", "newton"], &["`newton`", "set-valued-routh"]);
    refused(&["--law", "all"], &["`--law all`", "set-valued-routh"]);
    refused(&["--integrator", "moreau-jean"], &["moreau-jean", "event-driven"]);
    refused(&["--samples", "9"], &["`samples`", "one sample each"]);
    refused(&["--member", "4"], &["`--member` is 4", "from 0 to 3"]);
    percussion(&["run", &file, "--ensemble", "0"]).assert_refused(&["--ensemble", "from 1"]);
    percussion(&["run", &file, "--ensemble", "5000000000"]).assert_refused(&["at most 4294967295"]);
    percussion(&["run", &file, "--member", "1"]).assert_refused(&["--ensemble"]);
    percussion(&["run", "rocking-block", "--ensemble", "2"])
        .assert_refused(&["`--ensemble`", "impact"]);
    let failed = percussion(&["run", &file, "--ensemble", "2", "--set", "draws=sobol"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stderr.contains("`draws` is `sobol`"), "{failed:?}");
}
