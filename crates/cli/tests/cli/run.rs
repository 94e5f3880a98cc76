//! `percussion run`.

use std::path::Path;

use percussion_integrators::schemes::Name;

use crate::common::percussion;

const ROD: &str = "stewart-trinkle/rod-on-table";

const DROP: &str = r#"
name = "drop"
title = "A ball dropped on the floor"
source = "first year mechanics"
dimension = "space"
gravity = [0.0, 0.0, -10.0]
duration = 0.1
friction = 0.3

[[bodies]]
name = "ball"
mass = 2.0
shape.sphere.radius = 0.1
position = [0.0, 0.0, 1.0]

[[planes]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]

[integrator]
method = "stewart-trinkle"
step_size = 0.01
"#;

#[test]
fn a_built_in_scenario_runs_with_another_step_and_duration() {
    let arguments = ["run", ROD, "--step-size", "0.01", "--duration", "0.1", "--json"];
    let finished = percussion(&arguments);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    assert_eq!(document["status"], "completed");
    assert_eq!(document["scenario"], ROD);
    assert_eq!(document["integrator"], "stewart-trinkle");
    assert_eq!(document["steps"], 10);
    assert_eq!(document["files"].as_array().unwrap().len(), 0);
    // Free fall in steps: h² g (1 + … + 10) below the start.
    let height = document["end"]["coordinates"][1].as_f64().unwrap();
    assert!((height - (1.0 - 1e-4 * 9.81 * 55.0)).abs() < 1e-12, "{height}");
}

#[test]
fn a_scenario_file_runs_and_leaves_its_trajectory() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("drop.toml");
    std::fs::write(&file, DROP).unwrap();
    let out = directory.path().join("new").join("out");
    let finished =
        percussion(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");

    let document = finished.json();
    let files = document["files"].as_array().unwrap();
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), files.len());
    for file in files {
        assert!(Path::new(file.as_str().unwrap()).is_file(), "{file} is missing");
    }
    let table = std::fs::read_to_string(out.join("trajectory.csv")).unwrap();
    assert!(table.starts_with("time (s),ball x (m),"), "{table}");
    assert_eq!(table.lines().count(), 1 + 11);
    let steps = std::fs::read_to_string(out.join("steps.csv")).unwrap();
    assert_eq!(steps.lines().count(), 1 + 10);
}

#[test]
fn people_read_a_table() {
    let finished = percussion(&["run", ROD, "--step-size", "0.01", "--duration", "0.1"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for words in ["A spinning rod falls on a table", "time at the end", "deepest penetration"] {
        assert!(finished.stdout.contains(words), "{words:?} is missing in {}", finished.stdout);
    }
    assert_eq!(finished.stderr, "");
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    percussion(&["run", "no-such"]).assert_refused(&["`no-such`", ROD]);
}

#[test]
fn bad_scenarios_are_refused_with_file_and_field() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bad.toml");
    let name = path.to_str().unwrap();
    let cases: &[(&str, &str, &[&str])] = &[
        ("mass = 2.0", "mass = 0.0", &["bodies[0].mass", "expected"]),
        ("mass = 2.0", "mass = nan", &["bodies[0].mass", "NaN"]),
        ("friction = 0.3", "friction = -0.3", &["friction", "-0.3"]),
        ("friction = 0.3", "frictoin = 0.3", &["frictoin"]),
        ("step_size = 0.01", "step_size = 0.0", &["step_size"]),
        ("duration = 0.1", "duration = 1e300", &["duration"]),
        ("[0.0, 0.0, 1.0]\n\n[[planes", "[0.0, 0.0, 0.05]\n\n[[planes", &["0.05", "deep"]),
        ("step_size = 0.01\n", "step_size = ", &["TOML"]),
    ];
    for (good, bad, words) in cases {
        let text = DROP.replacen(good, bad, 1);
        assert_ne!(text, DROP, "{good:?} is not in the scenario");
        std::fs::write(&path, text).unwrap();
        percussion(&["run", name, "--json"]).assert_refused(&[&[name], *words].concat());
    }
    let directory = directory.path().to_str().unwrap();
    percussion(&["run", directory]).assert_refused(&[directory]);
}

#[test]
fn an_output_directory_that_cannot_be_made_is_refused_before_the_simulation() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let out = file.path().join("out");
    let arguments = ["run", ROD, "--out", out.to_str().unwrap()];
    percussion(&arguments).assert_refused(&["cannot write", "out"]);
}

#[test]
fn negative_options_are_refused_as_numbers() {
    percussion(&["run", ROD, "--step-size", "-1"]).assert_refused(&["--step-size", "-1"]);
    percussion(&["run", ROD, "--duration", "-0.5"]).assert_refused(&["--duration", "-0.5"]);
    percussion(&["solve", "lcp", "-", "--tolerance", "-1"]).assert_refused(&["--tolerance", "-1"]);
    percussion(&["reproduce", "--seed", "-1"]).assert_refused(&["--seed", "-1"]);
}

const BALL: &str = "event-driven/bouncing-ball";

/// The ball of the built-in scenario rests after nine times its first fall of (2/9.81)^(1/2) s.
#[test]
fn a_scenario_moves_from_event_to_event() {
    let document = percussion(&["run", BALL, "--json"]).json();
    assert_eq!(document["status"], "completed");
    assert_eq!(document["integrator"], "event-driven");
    assert_eq!(document["law"], "poisson");
    assert_eq!(document["modes"][0], "sticking");
    assert_eq!(document["contacts"][0], "ball–floor");
    let events = document["events"].as_array().unwrap();
    let limit = events.iter().find_map(|event| event["kind"]["accumulation"]["limit"].as_f64());
    assert!((limit.unwrap() - 9.0 * (2.0_f64 / 9.81).sqrt()).abs() < 1e-8, "{limit:?}");
    assert!(document["energy"]["residual"].as_f64().unwrap().abs() < 1e-8, "{document}");
}

#[test]
fn any_scenario_and_law_can_be_event_driven_and_leave_files() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let more = ["--integrator", "event-driven", "--law", "plus", "--set", "e_min=0.5"];
    let common = ["run", ROD, "--out", out.to_str().unwrap(), "--json"];
    let finished = percussion(&[&common[..], &more[..]].concat());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    assert_eq!(document["law"], "plus");
    for file in document["files"].as_array().unwrap() {
        assert!(Path::new(file.as_str().unwrap()).is_file(), "{file} is missing");
    }
    let events = std::fs::read_to_string(out.join("events.csv")).unwrap();
    assert!(events.starts_with("time (s),event,contacts,energy lost (J)\n0.38"), "{events}");
    let text = percussion(&["run", BALL]).stdout;
    assert!(text.contains("Impacts accumulate at 4.06"), "{text}");
}

/// PLUS with a work limit of 1 has no answer to any impact.
#[test]
fn impacts_without_an_answer_end_the_motion_unless_they_may_be_inelastic() {
    let common = ["run", ROD, "--integrator", "event-driven", "--law", "plus", "--json"];
    let without = percussion(&[&common[..], &["--set", "work_limit=1"]].concat());
    assert_eq!(without.code, Some(1), "{without:?}");
    let document = without.json();
    assert_eq!(document["ending"], "impact-unresolved");
    assert!(document["error"].as_str().unwrap().contains("--inelastic-fallback"), "{document}");
    assert!(document["error"].as_str().unwrap().contains(": limit; `--out`"), "{document}");
    // With a directory the impact is a file, which every law takes.
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let written = percussion(&[&common[..], &["--set", "work_limit=1", "--out", out]].concat());
    let file = directory.path().join("failing-impact.json");
    let file = file.to_str().unwrap();
    let document = written.json();
    assert!(document["error"].as_str().unwrap().contains(file), "{document}");
    let answer = percussion(&["impact", file, "--law", "plus", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(answer.json()["status"], "resolved", "{answer:?}");
    let more = ["--set", "work_limit=1", "--inelastic-fallback"];
    let with = percussion(&[&common[..], &more[..]].concat());
    assert_eq!(with.code, Some(0), "{with:?}");
    let document = with.json();
    let events = document["events"].as_array().unwrap();
    let cause = |cause: &serde_json::Value| cause == "impact-unresolved";
    let named = events.iter().filter(|event| cause(&event["kind"]["stretch"]["cause"])).count();
    assert!(named > 0, "{document}");
    percussion(&["run", ROD, "--inelastic-fallback"])
        .assert_refused(&["--inelastic-fallback", "--integrator event-driven"]);
    percussion(&["run", "rocking-block", "--inelastic-fallback"])
        .assert_refused(&["--inelastic-fallback", "rocking-block"]);
}

#[test]
fn laws_that_a_motion_cannot_have_are_refused() {
    percussion(&["run", ROD, "--law", "newton"]).assert_refused(&["--integrator event-driven"]);
    percussion(&["run", BALL, "--law", "all"]).assert_refused(&["one law"]);
    let all = ["run", BALL, "--law", "sequential", "--set", "outcomes=all"];
    percussion(&all).assert_refused(&["sequential", "one outcome for each impact"]);
    percussion(&["run", BALL, "--seed", "1"]).assert_refused(&["--law"]);
    let steps = ["run", "rocking-block", "--integrator", "event-driven"];
    percussion(&steps).assert_refused(&["--integrator", "rocking-block"]);
    percussion(&["run", BALL, "--law", "newton", "--set", "nothing=1"])
        .assert_refused(&["nothing"]);
}

/// A law without friction cannot resolve the first impact: so the motion fails there.
#[test]
fn a_law_that_does_not_apply_fails_the_motion() {
    let finished = percussion(&["run", BALL, "--law", "propagative", "--json"]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(finished.json()["error"].as_str().unwrap().contains("0.45"), "{finished:?}");
}

/// The ball lands after (2/9.81)^(1/2) s and rises with 0.8 of its speed. On parabolas the midpoint rule is exact,
/// although the landing is in the middle of a step, and no friction acts along the floor.
#[test]
fn the_variational_integrator_bounces_with_the_restitution_of_the_scenario() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let method = ["--integrator", "variational", "--step-size", "0.01"];
    let more = ["--duration", "1", "--out", out.to_str().unwrap(), "--json"];
    let finished = percussion(&[&["run", BALL], &method[..], &more[..]].concat());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    assert_eq!(document["integrator"], "variational");
    assert_eq!(document["impacts"], 1);
    let landing = (2.0_f64 / 9.81).sqrt();
    let (rising, speed) = (1.0 - landing, 0.8 * 9.81 * landing);
    let height = document["end"]["coordinates"][1].as_f64().unwrap();
    let expected = 0.1 + speed * rising - 0.5 * 9.81 * rising * rising;
    assert!((height - expected).abs() < 1e-10, "{height}, expected {expected}");
    let steps = std::fs::read_to_string(out.join("steps.csv")).unwrap();
    assert!(steps.starts_with("time (s),contacts,pieces,Newton iterations,impacts,"), "{steps}");
    assert!(percussion(&[&["run", BALL], &method[..]].concat()).stdout.contains("impacts"));
}

/// After (2/9.81)^(1/2) · 9 s the ball rests; friction then makes it roll at two thirds of its speed of 0.5 m/s.
#[test]
fn the_variational_integrator_comes_to_rest_and_rolls() {
    let method = ["--integrator", "variational", "--step-size", "0.01"];
    let document = percussion(&[&["run", BALL, "--json"], &method[..]].concat()).json();
    assert_eq!(document["status"], "completed", "{document}");
    let velocity = document["end"]["velocity"].as_array().unwrap();
    let velocity: Vec<f64> = velocity.iter().map(|v| v.as_f64().unwrap()).collect();
    assert!((velocity[0] - 1.0 / 3.0).abs() < 1e-8, "{velocity:?}");
    assert!(velocity[1].abs() < 1e-8, "{velocity:?}");
    assert!(document["deepest_penetration"].as_f64().unwrap() < 1e-9, "{document}");
}

#[test]
fn the_variational_integrator_moves_in_space() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drop.toml");
    let name = path.to_str().unwrap();
    std::fs::write(&path, DROP.replace("stewart-trinkle", "variational")).unwrap();
    let document = percussion(&["run", name, "--duration", "0.5", "--json"]).json();
    // Without restitution the ball rests on the floor after (2 · 0.9/10)^(1/2) s.
    let height = document["end"]["coordinates"][2].as_f64().unwrap();
    assert!((height - 0.1).abs() < 1e-9, "{document}");
}

#[test]
fn every_integrator_has_friction_in_joints() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drop.toml");
    let name = path.to_str().unwrap();
    let bearing = "[[joint_friction]]\nbody = \"ball\"\naxis = [1.0, 0.0, 0.0]\nbound = 1.0\n";
    std::fs::write(&path, format!("{DROP}\n{bearing}")).unwrap();
    for integrator in Name::ALL {
        let run = percussion(&["run", name, "--integrator", integrator.as_str()]);
        assert_eq!(run.code, Some(0), "{integrator}: {}", run.stderr);
    }
}

/// Newton's restitution with friction may gain energy, in the θ-method as in a single impact.
const ROD_THAT_GAINS: &str = r#"
name = "rod"
title = "A rod that lands with friction and restitution"
source = "first year mechanics"
dimension = "space"
gravity = [0.0, 0.0, -10.0]
duration = 2.0
friction = 1.0
restitution = 1.0

[[bodies]]
name = "rod"
mass = 2.0
shape.rod = { length = 1.0, radius = 0.1 }
position = [0.0, 0.0, 1.0]
orientation = { axis = [0.0, 1.0, 0.0], angle = 0.4 }
velocity = [-1.0, 0.0, 0.0]
angular_velocity = [0.0, 2.0, 1.0]

[[planes]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]

[integrator]
method = "moreau-jean"
step_size = 0.005
"#;

#[test]
fn a_motion_with_energy_from_nowhere_is_not_completed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("rod.toml");
    std::fs::write(&file, ROD_THAT_GAINS).unwrap();
    let file = file.to_str().unwrap();
    let finished = percussion(&["run", file, "--json"]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let document = finished.json();
    assert_eq!(document["status"], "energy-gained");
    let [gained, allowed] =
        ["gained", "allowed"].map(|key| document["energy"][key].as_f64().unwrap());
    assert!(gained > allowed && allowed > 0.0, "{document}");

    let text = percussion(&["run", file]);
    assert_eq!(text.code, Some(1), "{text:?}");
    assert!(text.stdout.contains("Status: energy-gained"), "{}", text.stdout);
    assert!(text.stderr.contains("J more than") && text.stderr.contains("--allow energy-gained"));
    let allowed = percussion(&["run", file, "--allow", "energy-gained"]);
    assert_eq!(allowed.code, Some(0), "{allowed:?}");
    let inelastic = percussion(&["run", file, "--integrator", "impulse-velocity", "--json"]);
    assert_eq!(inelastic.code, Some(0), "{inelastic:?}");
    assert_eq!(inelastic.json()["status"], "completed");
}

/// The biped of the examples lands at 1 m/s: the feet carry the impulse that stops 18 kg and then its weight, until the legs slide apart.
#[test]
fn a_robot_with_a_scenario_file_lands_on_its_feet() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/downstream/biped-touchdown");
    let directory = tempfile::tempdir().unwrap();
    let (file, out) = (root.join("biped.toml"), directory.path().join("out"));
    for method in ["stewart-trinkle", "impulse-velocity", "moreau-jean"] {
        let finished = percussion(&[
            "run",
            file.to_str().unwrap(),
            "--integrator",
            method,
            "--duration",
            "0.02",
            "--out",
            out.to_str().unwrap(),
            "--json",
        ]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let document = finished.json();
        let contacts = document["contacts"].as_array().unwrap();
        let names: Vec<_> = contacts.iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert!(names[0].starts_with("leading leg–ground (vertex "), "{names:?}");
        assert!(names.iter().any(|name| name.starts_with("trailing leg–ground (")), "{names:?}");
        let table = std::fs::read_to_string(out.join("contacts.csv")).unwrap();
        assert!(table.lines().count() > 4, "{table}");
        assert!(std::fs::read_to_string(out.join("view.json")).unwrap().contains("polygon"));
    }
    let finished = percussion(&["inspect", file.to_str().unwrap(), "--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(finished.json()["touching"]["features"].as_array().unwrap().len(), 4);
    let robot = root.join("biped.urdf");
    let arguments =
        ["run", robot.to_str().unwrap(), "--gravity", "0,-9.81,0", "--duration", "0.05"];
    let finished = percussion(&arguments);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stdout.contains("leg–floor (vertex "), "{finished:?}");
}

#[test]
fn robots_that_cannot_run_are_refused_by_name() {
    percussion(&["run", "nowhere.urdf"]).assert_refused(&["nowhere.urdf", "URDF"]);
    percussion(&["run", ROD, "--friction", "0.5"]).assert_refused(&["--friction", "robots", ROD]);
}

/// Every scheme by name says what it made of the restitution of the ball, in text and in JSON.
#[test]
fn no_scheme_passes_over_restitution_in_silence() {
    let directory = tempfile::tempdir().unwrap();
    let bouncing = DROP
        .replace("friction = 0.3", "friction = 0.0\nrestitution = 0.5")
        .replace("position = [0.0, 0.0, 1.0]", "position = [0.0, 0.0, 0.11]");
    let file = directory.path().join("drop.toml");
    std::fs::write(&file, bouncing).unwrap();
    for scheme in Name::ALL {
        let arguments = ["run", file.to_str().unwrap(), "--integrator", scheme.as_str()];
        let expected = match scheme.as_str() {
            "stewart-trinkle" | "impulse-velocity" => "ignored",
            _ => "used",
        };
        let document = percussion(&[&arguments[..], &["--json"]].concat()).json();
        assert_eq!(document["restitution"], expected, "{scheme}");
        let text = percussion(&arguments).stdout;
        assert_eq!(text.contains("restitution ignored"), expected == "ignored", "{text}");
    }
    // The law of an event-driven motion says it for its impacts.
    let arguments = ["run", file.to_str().unwrap(), "--integrator", "event-driven"];
    let arguments = [&arguments[..], &["--law", "anitescu-potra"]].concat();
    assert_eq!(
        percussion(&[&arguments[..], &["--json"]].concat()).json()["restitution"],
        "ignored"
    );
    assert!(percussion(&arguments).stdout.contains("restitution ignored"));
}

#[test]
fn an_impact_file_runs_without_a_law_and_is_no_scenario() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("balls.toml");
    let file = file.to_str().unwrap();
    assert_eq!(percussion(&["new", "impact", file]).code, Some(0));
    let all = percussion(&["run", file]);
    assert!(all.stdout.contains("newton") && all.stdout.contains("plus"), "{all:?}");
    for option in [&["--duration", "3"][..], &["--integrator", "moreau-jean"]] {
        percussion(&[&["run", file], option].concat())
            .assert_refused(&[option[0], "is an impact, expected a scenario"]);
    }
    percussion(&["inspect", file])
        .assert_refused(&["is an impact, expected a scenario", "percussion compare"]);
}
