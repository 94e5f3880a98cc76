//! `percussion impact` and `percussion compare`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::common::{Finished, percussion, percussion_with_input};

/// A ball of 1 kg and 1 m slides at 1 m/s and falls at 2 m/s: sticking removes 2/7 of the sliding velocity.
const BALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ball.json");

/// A block that falls flat on its two corners.
pub(crate) const BLOCK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/rocking-block.json");

/// Two rods hang from a pivot and the tip strikes the floor.
const PENDULUM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/double-pendulum.json");

/// Two balls that meet head on, elastic.
const BILLIARD: &str = r#"{"mass_matrix": [[1, 0], [0, 1]], "velocity": [1, -1],
    "contacts": [{"normal": [-1, 1], "restitution": 1}]}"#;

/// A particle between a wall that requires a rebound and one behind it.
const WALLS: &str = r#"{"mass_matrix": [[1]], "velocity": [1],
    "contacts": [{"normal": [-1], "restitution": 1}, {"normal": [1]}]}"#;

/// A particle whose energy overflows.
const HUGE: &str = r#"{"mass_matrix": [[1]], "velocity": [-1.7e308],
    "contacts": [{"normal": [1], "restitution": 1}]}"#;

/// The same with the problem on standard input.
pub(crate) fn given(problem: &str, law: &str, more: &[&str]) -> Finished {
    percussion_with_input(&[&["impact", "-", "--law", law], more].concat(), problem.as_bytes())
}

pub(crate) fn impact(problem: &str, law: &str, more: &[&str]) -> Finished {
    percussion(&[&["impact", problem, "--law", law], more].concat())
}

pub(crate) fn answer(problem: &str, law: &str, more: &[&str]) -> Value {
    let finished = impact(problem, law, &[more, &["--json"]].concat());
    assert_eq!(finished.code, Some(0), "{law}: {finished:?}");
    finished.json()
}

pub(crate) fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[track_caller]
pub(crate) fn assert_close(value: &Value, expected: &[f64]) {
    let found = numbers(value);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    let distance = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(distance < 1e-12, "{found:?} is not {expected:?}");
}

#[test]
fn the_document_holds_velocity_percussions_certificate_and_trace() {
    let document = answer(BALL, "poisson", &[]);
    let expected = [
        "bilateral_impulses",
        "certificate",
        "impulses",
        "law",
        "restitution",
        "status",
        "trace",
        "velocity",
        "violations",
    ];
    assert_eq!(keys(&document), BTreeSet::from(expected));
    assert_eq!((&document["law"], &document["status"]), (&"poisson".into(), &"resolved".into()));
    assert_close(&document["velocity"], &[5.0 / 7.0, 1.0, -5.0 / 7.0]);
    assert_close(&json!([document["impulses"][0]["normal"]]), &[3.0]);
    assert_close(&document["impulses"][0]["tangent"], &[-2.0 / 7.0]);
    assert_eq!((&document["violations"], &document["restitution"]), (&json!([]), &"used".into()));
    let figures = [
        "adhesion",
        "approach",
        "bilateral_residual",
        "complementarity",
        "cone_violation",
        "energy_after",
        "energy_before",
        "energy_change",
        "momentum_residual",
    ];
    assert_eq!(keys(&document["certificate"]), BTreeSet::from(figures));
    assert_close(&json!([document["certificate"]["energy_before"]]), &[2.5]);
    let stages = document["trace"]["stages"].as_array().unwrap();
    assert_eq!(keys(&stages[0]), BTreeSet::from(["contact", "phase", "velocity"]));
    let phases: Vec<_> = stages.iter().map(|stage| &stage["phase"]).collect();
    assert_eq!(phases, ["compression", "expansion"]);
    assert_eq!(stages[0]["contact"], Value::Null);
}

#[test]
fn every_law_of_one_outcome_answers_the_ball() {
    for law in ["newton", "poisson", "sequential", "routh"] {
        assert_close(&answer(BALL, law, &[])["velocity"], &[5.0 / 7.0, 1.0, -5.0 / 7.0]);
    }
    let inelastic = answer(BALL, "anitescu-potra", &[]);
    assert_close(&inelastic["velocity"], &[5.0 / 7.0, 0.0, -5.0 / 7.0]);
}

#[test]
fn laws_of_several_outcomes_list_velocities_statistics_and_outcomes() {
    let document = answer(BLOCK, "sequential", &["--set", "outcomes=all"]);
    let expected = ["law", "outcomes", "statistics", "status", "velocities"];
    assert_eq!(keys(&document), BTreeSet::from(expected));
    assert_eq!(document["statistics"], json!({"outcomes": 2, "resolved": 2, "complete": true}));
    // Left corner first and right corner first are mirror images.
    let [left, right] = [0, 1].map(|index| numbers(&document["velocities"][index]));
    let mirrored = [-right[0], right[1], -right[2]];
    assert_close(&document["velocities"][0], &mirrored);
    assert_eq!(left, numbers(&document["outcomes"][0]["velocity"]));

    let document = answer("compass-gait", "anitescu-potra", &["--set", "solutions=all"]);
    assert_eq!(document["statistics"], json!({"outcomes": 3, "resolved": 3, "complete": true}));
    let isolated: Vec<_> =
        document["outcomes"].as_array().unwrap().iter().map(|one| &one["isolated"]).collect();
    assert!(isolated.iter().all(|flag| flag.is_boolean()), "{isolated:?}");
}

#[test]
fn settings_reach_the_laws() {
    let sideways =
        |law: &str, setting: &str| numbers(&answer(PENDULUM, law, &["--set", setting])["velocity"]);
    let [kinetic, kinematic, energetic] = ["kinetic", "kinematic", "energetic"]
        .map(|kind| sideways("routh", &format!("restitution={kind}")));
    assert!(kinetic != kinematic && kinematic != energetic && kinetic != energetic, "all agree");
    assert_eq!(sideways("sequential", "inner=routh"), kinetic);
    let inner = ["--set", "inner=routh", "--set", "inner.restitution=energetic"];
    assert_eq!(numbers(&answer(PENDULUM, "sequential", &inner)["velocity"]), energetic);
    // The orders begin with another corner.
    let first =
        |order| answer(BLOCK, "sequential", &["--set", order])["trace"]["stages"][0].clone();
    assert_eq!(first("order=1,0")["contact"], 1);
    assert_eq!(first("order=index")["contact"], 0);
    let finished = impact(BLOCK, "sequential", &["--set", "limit=1", "--json"]);
    assert_eq!((finished.code, &finished.json()["status"]), (Some(1), &"limit".into()));
}

/// Newton's law turns 50 % more energy out of this impact than went in. Symptom: the exit code was 0, and the status resolved.
#[test]
fn energy_that_grew_is_a_status_and_success_only_where_allowed() {
    let document = impact(PENDULUM, "newton", &["--json"]);
    assert_eq!((document.code, &document.json()["status"]), (Some(1), &"energy-gained".into()));
    assert_eq!(document.json()["violations"], json!(["energy_change"]));
    let text = impact(PENDULUM, "newton", &[]);
    assert!(
        ["energy-gained", "VIOLATED", "gains "].iter().all(|words| text.stdout.contains(words)),
        "{}",
        text.stdout
    );
    let allowed = impact(PENDULUM, "newton", &["--allow", "energy-gained"]);
    assert_eq!((allowed.code, allowed.stdout), (Some(0), text.stdout));
}

/// Symptom: a law that ignores restitution returned `resolved` without saying so.
#[test]
fn restitution_that_a_law_ignores_or_replaces_is_told() {
    for (law, expected) in [
        ("anitescu-potra", "ignored"),
        ("set-valued-routh", "used"),
        ("propagative", "replaced"),
        ("newton", "used"),
    ] {
        let settings: &[&str] =
            if law == "set-valued-routh" { &["--set", "step=0.5"] } else { &[] };
        let document = given(BILLIARD, law, &[settings, &["--json"]].concat()).json();
        assert_eq!(document["restitution"], expected, "{law}");
        let text = given(BILLIARD, law, settings).stdout;
        let line = text.lines().find(|line| line.starts_with(law)).unwrap_or_default();
        assert_eq!(line.contains("restitution"), expected != "used", "{line}");
    }
}

/// A particle between a wall that requires a rebound and one behind it. Symptom: maximum dissipation answered 9.5e15 N·s and 1 m/s
/// of approach, called it resolved, and the exit code was 0.
#[test]
fn an_impact_without_an_answer_is_infeasible_with_a_proof() {
    for law in ["newton", "maximum-dissipation"] {
        let document = given(WALLS, law, &["--json"]);
        assert_eq!((document.code, &document.json()["status"]), (Some(1), &"infeasible".into()));
        assert_close(&document.json()["infeasibility"], &[0.5, 0.5]);
        let text = given(WALLS, law, &[]).stdout;
        assert!(text.contains("no impulse changes"), "{text}");
    }
}

/// Symptom: velocities of `null` and the status resolved.
#[test]
fn velocities_that_overflow_are_refused() {
    let text = given(HUGE, "newton", &["--json"]);
    assert_ne!(text.code, Some(0));
    assert!(text.stderr.contains("expected a finite number"), "{}", text.stderr);
}

/// Tables without the momentum residual, which is rounding error and depends on the machine.
pub(crate) fn tables(problem: &str, law: &str, more: &[&str]) -> String {
    let text = impact(problem, law, more).stdout;
    let lines = text.lines().filter(|line| !line.starts_with("momentum residual"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn people_read_tables() {
    insta::assert_snapshot!(tables(BALL, "poisson", &[]), @r"
    poisson: resolved

    velocity  before     after    change
    ────────  ──────  ────────  ────────
    v0             1   0.71429  −0.28571
    v1            −2         1         3
    v2             0  −0.71429  −0.71429

    contact  Λ normal  tangential  u− normal  tangential  u+ normal  tangential
    ───────  ────────  ──────────  ─────────  ──────────  ─────────  ──────────  ─────────
    0               3    −0.28571         −2           1          1           0  separates
    Λ impulse (N·s), u contact velocity (m/s), before (−) and after (+)

    certificate              value  unit  verdict
    ──────────────────  ──────────  ────  ────────────  ─────────────────────────────
    approach                     0  m/s   holds
    adhesion                     0  N·s   holds
    cone violation               0  N·s   holds
    complementarity              3  J     not required  contacts that pushed separate
    bilateral residual           0  m/s   holds
    energy before              2.5  J
    energy after           0.85714  J
    energy change          −1.6429  J     holds         loses 65.714 %

    stage  what happens  contact  velocity at its end
    ─────  ────────────  ───────  ────────────────────
        0  compression   all      0.71429, 0, −0.71429
        1  expansion     all      0.71429, 1, −0.71429
    ");
    insta::assert_snapshot!(tables(BLOCK, "sequential", &["--set", "inner=newton"]), @r"
    sequential: resolved

    velocity    before      after     change
    ────────  ────────  ─────────  ─────────
    v0               0   0.093018   0.093018
    v1        −0.44294   0.046509    0.48945
    v2               0  −0.093018  −0.093018

    contact  Λ normal  tangential  u− normal  tangential  u+ normal  tangential
    ───────  ────────  ──────────  ─────────  ──────────  ─────────  ──────────  ─────────
    0          0.3765     0.13288   −0.44294           0   0.093018           0  separates
    1         0.11295   −0.039865   −0.44294           0          0           0  sticks
    Λ impulse (N·s), u contact velocity (m/s), before (−) and after (+)

    certificate              value  unit  verdict
    ──────────────────  ──────────  ────  ────────────  ─────────────────────────────
    approach                     0  m/s   holds
    adhesion                     0  N·s   holds
    cone violation               0  N·s   holds
    complementarity       0.035022  J     not required  contacts that pushed separate
    bilateral residual           0  m/s   holds
    energy before           0.0981  J
    energy after         0.0072103  J
    energy change         −0.09089  J     holds         loses 92.65 %

    stage  what happens  contact  velocity at its end
    ─────  ────────────  ───────  ─────────────────────────────
        0  impact        0        0.13288, −0.066442, −0.13288
        1  impact        1        0.093018, 0.046509, −0.093018
    ");
}

#[test]
fn laws_stand_side_by_side_and_those_that_do_not_apply_say_why() {
    let finished = percussion(&["compare", "rocking-block", "--laws", "poisson,sequential,routh"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    insta::assert_snapshot!(finished.stdout, @r"
    A block falls flat on the ground (rocking-block)

    law                status    energy (J)  change (J)  certificate
    ─────────────────  ────────  ──────────  ──────────  ───────────
    before the impact                0.0981
    poisson            resolved           0     −0.0981  holds
    sequential         resolved   0.0072104    −0.09089  holds

    velocity           block x (m/s)  block y (m/s)  block angle (rad/s)
    ─────────────────  ─────────────  ─────────────  ───────────────────
    before the impact              0       −0.44294                    0
    poisson                        0              0                    0
    sequential              0.093018       0.046509            −0.093018

    impulse (N·s)  left corner normal  left corner tangential  right corner normal
    ─────────────  ──────────────────  ──────────────────────  ───────────────────
    poisson                   0.22147                       0              0.22147
    sequential                 0.3765                 0.13288              0.11295

    impulse (N·s)  right corner tangential
    ─────────────  ───────────────────────
    poisson                              0
    sequential                   −0.039865
    The rows of the contacts depend on one another: other impulses cause the same velocities.

    routh does not apply: problem has 2 contacts, expected at most 1; the law `sequential` takes more, one after another
    ");

    let document = answer(BLOCK, "all", &["--set", "sequential.outcomes=all"]);
    let laws = document["laws"].as_array().unwrap();
    let routh = laws.iter().find(|entry| entry["law"] == "routh").unwrap();
    assert_eq!(keys(routh), BTreeSet::from(["error", "law"]));
    let sequential = laws.iter().find(|entry| entry["law"] == "sequential").unwrap();
    assert_eq!(sequential["statistics"]["outcomes"], 2);

    // If no law applies, there is no result.
    percussion(&["compare", BLOCK, "--laws", "routh"]).assert_refused(&["routh", "2 contacts"]);
    // The exit code shows that one is not resolved.
    let finished = percussion(&["compare", BLOCK, "--set", "sequential.limit=1"]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
}

/// The simulated row of balls passes on the same velocity as the law, except for what the contacts share during the impact.
#[test]
fn compliant_contacts_stand_beside_the_laws_where_there_is_geometry() {
    let arguments = ["compare", "ball-row", "--laws", "plus,compliant", "--json"];
    let finished = percussion(&arguments);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    let last = |law: usize| document["laws"][law]["velocity"][12].as_f64().unwrap();
    assert!((last(0) + 2.0).abs() < 1e-12 && (last(1) + 1.977_555).abs() < 1e-3, "{document}");
    assert!(document["laws"][1]["certificate"]["energy_change"].as_f64().unwrap().abs() < 1e-5);

    let arguments = ["impact", "rocking-block", "--law", "compliant", "--set", "depth=1e-7"];
    let text = percussion(&arguments);
    assert_eq!(text.code, Some(0), "{text:?}");
    impact(BLOCK, "compliant", &[]).assert_refused(&["matrices", "geometry"]);
    impact("ball-row", "compliant", &["--set", "depth=-1"]).assert_refused(&["compliant.depth"]);
}

#[test]
fn plus_resolves_the_single_impacts_of_a_sequence() {
    let document = answer(BALL, "sequential", &["--set", "inner=plus"]);
    assert_close(&document["velocity"], &[5.0 / 7.0, 1.0, -5.0 / 7.0]);
}

#[test]
fn impacts_come_from_json_toml_standard_input_and_by_name() {
    let text = std::fs::read(BALL).unwrap();
    let piped = percussion_with_input(&["impact", "-", "--law", "poisson", "--json"], &text);
    assert_eq!(piped.json(), answer(BALL, "poisson", &[]));

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rod.toml");
    let rod = r#"
        name = "rod"
        title = "A rod falls on one end"
        source = "first year mechanics"

        [[bodies]]
        name = "rod"
        mass = 1.0
        inertia = 0.083333333333333333
        velocity = [0.0, -1.0, 0.0]

        [[planes]]
        name = "floor"
        point = [0.0, 0.0]
        normal = [0.0, 1.0]

        [[contacts]]
        name = "left end"
        disc = { body = "rod", center = [-0.5, 0.0] }
        on.plane = "floor"
        friction = 0.3
    "#;
    std::fs::write(&path, rod).unwrap();
    let document = answer(path.to_str().unwrap(), "routh", &[]);
    assert_close(&json!([document["impulses"][0]["normal"]]), &[0.25]);
    let text = impact(path.to_str().unwrap(), "routh", &[]);
    for words in ["A rod falls on one end (rod)", "left end", "rod y (m/s)"] {
        assert!(text.stdout.contains(words), "{words:?} is missing in {}", text.stdout);
    }
    std::fs::write(&path, rod.replace("mass = 1.0", "mass = -1.0")).unwrap();
    impact(path.to_str().unwrap(), "routh", &[]).assert_refused(&["rod.toml", "mass", "-1"]);

    let known = "rocking-block";
    impact("no-such", "newton", &[]).assert_refused(&["`no-such`", "neither a file", known]);
    impact("no-such.toml", "newton", &[]).assert_refused(&["no-such.toml"]);
    impact(env!("CARGO_MANIFEST_DIR"), "newton", &[]).assert_refused(&["directory"]);
}

#[test]
fn settings_that_a_law_does_not_have_are_refused_with_those_it_has() {
    let refused = |law: &str, settings: &[&str], words: &[&str]| {
        let settings: Vec<_> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        impact(BALL, law, &settings).assert_refused(words);
    };
    refused("newton", &["lemke.tolerence=1"], &["did you mean `lemke.tolerance`", "directions"]);
    refused("newton", &["toleranse=1"], &["did you mean `lemke.tolerance`"]);
    refused("newton", &["color=red"], &["no setting `color`", "lemke.pivot_limit"]);
    refused("newton", &["directions=5"], &["`directions` is 5", "even number"]);
    refused("newton", &["directions=many"], &["`directions` is `many`", "even number"]);
    refused("newton", &["directions=-8"], &["`directions` is `-8`"]);
    refused("newton", &["lemke.tolerance=nan"], &["`lemke.tolerance` is `nan`"]);
    refused("newton", &["lemke.tolerance=-1"], &["tolerance", "-1"]);
    refused("newton", &["lemke.pivot_limit=0"], &["pivot_limit", "0"]);
    refused("newton", &["directions=8", "directions=8"], &["`directions` is given twice"]);
    refused("newton", &["directions"], &["expected a key and a value"]);
    refused("newton", &["=8"], &["expected a key and a value"]);
    refused("routh", &["restitution=elastic"], &["`elastic`", "kinetic, kinematic or energetic"]);
    refused("routh", &["tolerance=1"], &["`tolerance` is 1", "[1e-14, 1e-3]"]);
    refused("routh", &["step_limit=0"], &["step_limit", "0"]);
    refused("sequential", &["inner=sequential"], &["`inner` is `sequential`", "newton"]);
    refused("sequential", &["inner=newton", "inner.colour=1"], &["`inner.colour`"]);
    refused("sequential", &["inner=anitescu-potra", "inner.solutions=all"], &["one"]);
    refused("sequential", &["order=1,0"], &["[1, 0]", "1 contacts"]);
    refused("sequential", &["order=a,b"], &["`order` is `a,b`", "1,0,2"]);
    refused("sequential", &["limit=1e3"], &["`limit` is `1e3`"]);
    refused("sequential", &["tolerance=0"], &["`tolerance` is 0"]);
    refused("anitescu-potra", &["solutions=some"], &["`some`", "one or all"]);
    let all = &["solutions=all", "enumeration.max_dimension=2"];
    refused("anitescu-potra", all, &["4 unknowns", "at most 2"]);
    refused("all", &["directions=16"], &["`newton.directions=16`", "LAW.KEY=VALUE"]);
    refused("all", &["newton.direction=16"], &["did you mean `directions`"]);
    refused("all", &["oldton.directions=16"], &["belongs to none of the laws"]);
}

/// Three balls in a row, the outer ones arriving at 2 and 1 m/s: every order reverses the velocities.
/// With `R = 1/2` the common 1/3 m/s is mixed in by half. A contact with friction is an error.
#[test]
fn propagative_follows_any_order_or_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cradle.json");
    let cradle = json!({
        "mass_matrix": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        "velocity": [2.0, 0.0, -1.0],
        "contacts": [{"normal": [-1.0, 1.0, 0.0]}, {"normal": [0.0, -1.0, 1.0]}],
    });
    std::fs::write(&path, cradle.to_string()).unwrap();
    let path = path.to_str().unwrap();
    for order in ["argmin", "argmax", "fixed", "random", "1,0"] {
        let order = format!("order={order}");
        let document = answer(path, "propagative", &["--set", &order, "--seed", "3"]);
        assert_close(&document["velocity"], &[-1.0, 0.0, 2.0]);
    }
    let half = answer(path, "propagative", &["--set", "restitution=0.5"]);
    assert_close(&half["velocity"], &[-1.0 / 3.0, 1.0 / 6.0, 7.0 / 6.0]);
    let all = answer(path, "propagative", &["--set", "outcomes=all"]);
    let statistics = json!({"outcomes": 1, "resolved": 1, "complete": true, "indeterminacy": 0.0});
    assert_eq!(all["statistics"], statistics);
    assert_eq!(all["outcomes"][0]["sequences"], json!([[0, 1, 0], [1, 0, 1]]));
    let text = impact("billiards", "propagative", &["--set", "outcomes=all"]);
    assert!(text.stdout.contains("indeterminacy ξ: 0.559"), "{}", text.stdout);
    assert!(text.stdout.contains("  0 1\n") && text.stdout.contains("  1 0\n"));
    impact(path, "propagative", &["--set", "order=first"]).assert_refused(&["`first`", "argmin"]);
    impact(path, "propagative", &["--set", "restitution=2"]).assert_refused(&["restitution", "2"]);
    impact(BALL, "propagative", &[]).assert_refused(&["contacts[0].friction", "0.5"]);
}

/// Restitution of the contact is 1/2; with `e_min` the coefficient at 2 m/s is `e_min`.
#[test]
fn plus_takes_the_restitution_of_contacts_or_its_own() {
    let velocity = |more: &[&str]| numbers(&answer(BALL, "plus", more)["velocity"])[1];
    assert!((velocity(&[]) - 1.0).abs() < 1e-12);
    assert!((velocity(&["--set", "e_min=0.25"]) - 0.5).abs() < 1e-12);
    impact(BALL, "plus", &["--set", "e_min=2"]).assert_refused(&["e_min", "2"]);
    impact(BALL, "plus", &["--set", "theta_max=0"]).assert_refused(&["theta_max", "0"]);
    impact(BALL, "plus", &["--set", "theta=1"]).assert_refused(&["did you mean `theta_max`"]);
}

#[test]
fn the_settings_of_a_law_are_listed() {
    let text = percussion(&["list", "sequential"]);
    assert_eq!(text.code, Some(0));
    for words in ["inner", "inner.lemke.tolerance", "1e-9", "outcomes", "one or all"] {
        assert!(text.stdout.contains(words), "{words:?} is missing in {}", text.stdout);
    }
    let document = percussion(&["list", "routh", "--json"]).json();
    assert_eq!(document["name"], "routh");
    let setting = &document["settings"][0];
    assert_eq!(keys(setting), BTreeSet::from(["default", "expected", "key"]));
    percussion(&["list", "ruth"]).assert_refused(&["ruth"]);
}

#[test]
fn impacts_run_by_name_and_are_listed() {
    let run = percussion(&["run", "rocking-block", "--law", "poisson", "--json"]);
    assert_eq!(run.json(), answer("rocking-block", "poisson", &[]));
    let all = percussion(&["run", "compass-gait", "--samples", "64"]);
    assert_eq!(all.code, Some(0), "{all:?}");
    assert!(all.stdout.contains("set-valued-routh, lowest"), "{}", all.stdout);
    percussion(&["run", "stewart-trinkle/four-balls", "--seed", "1"]).assert_refused(&["--law"]);
    percussion(&["run", "rocking-block", "--law", "newton", "--step-size", "1"])
        .assert_refused(&["--step-size"]);
    assert!(percussion(&["list"]).stdout.contains("rocking-block"), "impacts are listed");
}
