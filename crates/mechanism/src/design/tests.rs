//! Tests of a design against its conditions, and of invalid files.

use percussion_impact::{design::Status, propagative};

use super::*;

const ROD: &str = r#"
    name = "rod"
    title = "Where a rod needs its second foot"
    source = "center of percussion"
    touch = ["end", "foot"]

    [[variables]]
    name = "d"
    start = 0.4
    upper = 0.5

    [[definitions]]
    name = "inertia"
    value = "1/12"

    [[mechanism.bodies]]
    name = "rod"
    mass = 1
    inertia = "= inertia"

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

#[test]
fn trex_lands_on_tail_and_right_foot_with_orthogonal_normals() {
    let design = Design::from_toml_str(&crate::compat("designs/trex.toml")).unwrap();
    let designed = design.solve().unwrap();
    let report = &designed.report;
    assert_eq!(report.status, Status::Met, "{:?}", report.path.last());
    assert!(report.gaps.iter().all(|gap| gap.abs() <= 1e-10));
    assert!(report.cosines[0].abs() <= 1e-7, "{:e}", report.cosines[0]);
    // The rounding error of the differences is 1e-16/1e-5 in meters, and their truncation error is as large.
    assert!(designed.normal_error <= 1e-9 && report.derivative_error <= 1e-6, "{designed:?}");
    assert!(designed.others[0].1 > 0.0, "the left foot is in the air");
    let impact = designed.impact.build().unwrap();
    assert!(propagative::pairs(&impact.problem)[0].cosine.abs() <= 1e-7);
    assert!(propagative::order_never_matters(&impact.problem, 1e-7));
    let named = |name: &str| {
        let index = design.variables.iter().position(|variable| variable.name == name).unwrap();
        report.variables[index]
    };
    assert!(named("r1") > named("r2"));
}

#[test]
fn another_angle_can_be_asked_for() {
    // 1 − 6 d over the norms √(1 + 3) and √(1 + 12 d²) is −½ for (1 − 6 d)² = 1 + 12 d², d = ½.
    let conditions = "touch = [\"end\", \"foot\"]\nconditions = [{ contacts = [\"end\", \"foot\"], reflections = 3 }]";
    let text = ROD.replace("touch = [\"end\", \"foot\"]", conditions);
    let designed = Design::from_toml_str(&text).unwrap().solve().unwrap();
    assert_eq!(designed.report.status, Status::Met);
    assert!((designed.report.variables[0] - 0.5).abs() <= 1e-9);
    let text = text.replace("reflections = 3", "cosine = -0.9");
    let designed = Design::from_toml_str(&text).unwrap().solve().unwrap();
    assert_eq!(
        designed.report.status,
        Status::Stationary,
        "the product is −½ at the end of the rod"
    );
    assert!((designed.report.variables[0] - 0.5).abs() <= 1e-6);
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_place() {
    for (old, new, hints) in [
        ("\"= d\"", "\"= e\"", ["mechanism.contacts[1].disc.center[0]", "`e` is unknown"]),
        ("\"1/12\"", "\"1/\"", ["definitions[0].value", "ends"]),
        ("\"1/12\"", "\"inertia\"", ["definitions[0].value", "`inertia` is unknown"]),
        ("\"1/12\"", "\"-1\"", ["bodies[0].inertia", "at least 0"]),
        ("\"= inertia\"", "\"inertia\"", ["mechanism.bodies[0].inertia", "expected one number"]),
        ("name = \"d\"", "name = \"pi\"", ["variables[0].name", "pi"]),
        ("name = \"inertia\"", "name = \"d\"", ["definitions[0].name", "not used before"]),
        ("[\"end\", \"foot\"]", "[\"end\", \"head\"]", ["touch[1]", "`head`"]),
        ("[\"end\", \"foot\"]", "[\"end\", \"end\"]", ["touch[1]", "not used before"]),
        ("upper = 0.5", "uper = 0.5", ["variables[0]", "uper"]),
        ("title = \"Where a rod needs its second foot\"", "title = \"\"", ["`title`", "nonempty"]),
        (
            "touch = [",
            "conditions = [{ contacts = [\"end\", \"foot\"] }]\ntouch = [",
            ["conditions[0].reflections", "either"],
        ),
        (
            "touch = [",
            "conditions = [{ contacts = [\"end\", \"foot\"], reflections = 1 }]\ntouch = [",
            ["conditions[0].reflections", "at least 2"],
        ),
    ] {
        assert!(ROD.contains(old), "{old}");
        let message = Design::from_toml_str(&ROD.replace(old, new)).unwrap_err().to_string();
        assert!(hints.iter().all(|hint| message.contains(hint)), "{message}, not {hints:?}");
    }
    let beyond = ROD.replace("upper = 0.5", "upper = 0.3");
    let message = Design::from_toml_str(&beyond).unwrap().solve().unwrap_err().to_string();
    assert!(message.contains("start") && message.contains("bounds"), "{message}");
}
