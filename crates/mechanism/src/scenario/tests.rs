//! Tests of reading and building scenarios, of invalid scenarios, and of invariances of the motion.

use super::*;
use crate::document::TEXT_LIMIT;

/// A ball over a floor; tests replace parts of it.
const DROP: &str = r#"
name = "drop"
title = "A ball dropped on the floor"
source = "a test"
dimension = "space"
gravity = [0.0, 0.0, -10.0]
duration = 0.1
friction = 0.3

[[bodies]]
name = "ball"
mass = 2.0
shape.sphere.radius = 0.1
position = [0.0, 0.0, 0.1]

[[planes]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]

[integrator]
method = "stewart-trinkle"
step_size = 0.01
"#;

/// The error after replacing one text of [`DROP`] by another.
fn spoiled(from: &str, to: &str) -> Error {
    assert!(DROP.contains(from), "{from} is not in the file");
    let read = Scenario::from_toml_str(&DROP.replace(from, to));
    read.and_then(|scenario| scenario.build()).unwrap_err()
}

fn place(error: Error) -> String {
    match error {
        Error::Value { path, .. }
        | Error::Count { path, .. }
        | Error::Format { path, .. }
        | Error::UnknownName { path, .. }
        | Error::DuplicateName { path, .. } => path,
        Error::AtLine { source, .. } => place(*source),
        other => format!("{other:?}"),
    }
}

#[test]
fn complaints_are_in_the_words_of_the_file() {
    let empty = Scenario::from_toml_str("").unwrap_err().to_string();
    assert!(empty.starts_with("`scenario`: missing field `name`"), "{empty}");
    let heavy = spoiled("mass = 2.0", "mass = 'heavy'").to_string();
    assert!(heavy.contains("string \"heavy\", expected a number"), "{heavy}");
    let deep = spoiled("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 0.05]").to_string();
    // The ball has a radius of 0.1 m: this is the length of the model.
    assert_eq!(deep, "contact `ball–floor` starts 0.05 m deep, expected at most 1.000e-10 m");
}

#[test]
fn wrong_values_are_refused_with_their_place() {
    let cases = [
        ("mass = 2.0", "mass = nan", "bodies[0].mass"),
        ("mass = 2.0", "mass = 0.0", "bodies[0].mass"),
        ("mass = 2.0", "mass = -1", "bodies[0].mass"),
        ("mass = 2.0", "mass = 'heavy'", "bodies[0].mass"),
        ("mass = 2.0", "mass = 2.0\nmas = 2.0", "bodies[0].mas"),
        ("mass = 2.0", "", "bodies[0]"),
        ("mass = 2.0", "mass = 2.0\ninertia = [1, 2]", "bodies[0].inertia"),
        ("mass = 2.0", "mass = 2.0\ninertia = [1, 2, -2]", "bodies[0].inertia"),
        ("friction = 0.3", "friction = -0.1", "friction"),
        ("friction = 0.3", "friction = inf", "friction"),
        ("friction = 0.3", "", "friction"),
        ("duration = 0.1", "duration = 0", "duration"),
        ("step_size = 0.01", "step_size = 0.0", "integrator.step_size"),
        ("step_size = 0.01", "step_size = nan", "integrator.step_size"),
        ("step_size = 0.01", "step_size = 1e-12", "integrator.step_size"),
        ("step_size = 0.01", "step_size = 0.01\ndirections = 5", "integrator.directions"),
        ("step_size = 0.01", "step_size = 0.01\ntolerance = -1.0", "integrator.tolerance"),
        ("\"stewart-trinkle\"", "\"magic\"", "integrator.method"),
        ("shape.sphere.radius = 0.1", "shape.sphere.radius = 0", "bodies[0].shape.sphere.radius"),
        ("shape.sphere.radius = 0.1", "shape.disc.radius = 0.1", "bodies[0].shape"),
        ("shape.sphere.radius = 0.1", "shape.cube.side = 0.1", "bodies[0].shape"),
        ("shape.sphere.radius = 0.1", "", "bodies[0].inertia"),
        ("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.1]", "bodies[0].position"),
        ("position = [0.0, 0.0, 0.1]", "position = [0.0, nan, 0.1]", "bodies[0].position[1]"),
        ("[[planes]]", "angular_velocity = 3.0\n[[planes]]", "bodies[0].angular_velocity"),
        ("[[planes]]", "orientation = 3.0\n[[planes]]", "bodies[0].orientation"),
        (
            "[[planes]]",
            "orientation.quaternion = [1, 1, 0, 0]\n[[planes]]",
            "bodies[0].orientation.quaternion",
        ),
        (
            "[[planes]]",
            "orientation = { axis = [0, 0, 0], angle = 1 }\n[[planes]]",
            "bodies[0].orientation.axis",
        ),
        ("normal = [0.0, 0.0, 1.0]", "normal = [0, 0, 0]", "planes[0].normal"),
        ("name = \"floor\"", "name = \"ball\"", "planes[0].name"),
        (
            "[[planes]]",
            "[[contacts]]\nbetween = ['ball', 'roof']\n[[planes]]",
            "contacts[0].between[1]",
        ),
        (
            "[[planes]]",
            "[[contacts]]\nbetween = ['ball', 'ball']\n[[planes]]",
            "contacts[0].between",
        ),
        (
            "[[planes]]",
            "[[joint_friction]]\nbody = 'wheel'\nbound = 1\n[[planes]]",
            "joint_friction[0].body",
        ),
        (
            "[[planes]]",
            "[[joint_friction]]\nbody = 'ball'\nbound = 1\n[[planes]]",
            "joint_friction[0].axis",
        ),
        (
            "[[planes]]",
            "[[contacts]]\nbetween = ['ball', 'floor']\n[[contacts]]\nbetween = ['floor', 'ball']\n[[planes]]",
            "contacts[1].between",
        ),
        ("name = \"drop\"", "name = \" \"", "name"),
        (
            "[integrator]",
            "[[expected]]\nquantity = 'x'\nagainst = 'published'\n[integrator]",
            "expected[0].against",
        ),
    ];
    for (from, to, expected) in cases {
        assert_eq!(place(spoiled(from, to)), expected, "{to}");
    }
}

#[test]
fn messages_name_place_value_and_expectation() {
    let message = spoiled("mass = 2.0", "mass = -1").to_string();
    assert_eq!(
        message,
        "line 12: `bodies[0].mass` is -1.0, expected a positive finite number (kg)"
    );
    let message = spoiled("mass = 2.0", "mass = 2.0\nmas = 2.0").to_string();
    assert!(message.contains("unknown field `mas`") && message.contains("line 13"), "{message}");
}

#[test]
fn a_truncated_text_is_a_syntax_error() {
    let error = Scenario::from_toml_str(&DROP[..DROP.len() - 15]).unwrap_err();
    assert!(matches!(error, Error::Syntax { .. } | Error::Format { .. }), "{error}");
    let error = Scenario::from_toml_str("name = \"dr").unwrap_err();
    assert!(matches!(error, Error::Syntax { .. }), "{error}");
}

#[test]
fn a_text_that_is_too_long_is_refused_before_it_is_read() {
    let text = " ".repeat(TEXT_LIMIT + 1);
    assert!(matches!(Scenario::from_toml_str(&text), Err(Error::TooLarge { limit: TEXT_LIMIT })));
}

#[test]
fn a_missing_file_is_a_read_error() {
    let error = Scenario::from_path("no/such/file.toml").unwrap_err();
    assert!(matches!(error, Error::Read { .. }), "{error}");
}

#[test]
fn penetration_is_accepted_up_to_the_stated_depth() {
    let error = spoiled("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 0.09]");
    assert!(
        matches!(&error, Error::Penetration { contact, depth, .. }
            if contact == "ball–floor" && (depth - 0.01).abs() < 1e-15),
        "{error}"
    );
    let shallow = DROP
        .replace("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 0.09]")
        .replace("duration", "accepted_penetration = 0.02\nduration");
    Scenario::from_toml_str(&shallow).unwrap().build().unwrap();
}

#[test]
fn a_contact_of_a_body_without_shape_is_refused_by_name() {
    let point = "name = 'point'\nmass = 1.0\ninertia = [1, 1, 1]\nposition = [5.0, 0.0, 5.0]\n";
    let listed = "[[contacts]]\nbetween = ['ball', 'point']\n";
    let error = spoiled("[[planes]]", &format!("[[bodies]]\n{point}{listed}[[planes]]"));
    let names = |error: &Error| matches!(error, Error::NoGap { first, second } if first == "ball" && second == "point");
    assert!(names(&error), "{error}");
}

/// The rod lies along `x` at the height of the center of the ball, and its axis is 3 m away from it.
#[test]
fn a_rod_touches_balls_and_other_rods() {
    let rod = |name: &str, y: f64| {
        format!(
            "[[bodies]]\nname = '{name}'\nmass = 1.0\nshape.rod = {{ length = 1.0, radius = 0.25 }}\n\
             position = [0.0, {y:?}, 0.5]\n"
        )
    };
    let text = DROP
        .replace("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 0.5]")
        .replace("[[planes]]", &format!("{}{}[[planes]]", rod("one", 3.0), rod("two", 4.0)));
    let setup = Scenario::from_toml_str(&text).unwrap().build().unwrap();
    let gap = |name: &str| {
        let index = setup.mechanism.contact(name).unwrap();
        setup.mechanism.model.contacts()[index]
            .gap
            .gap(setup.mechanism.model.system(), &setup.mechanism.state.coordinates)
    };
    assert!((gap("ball–one") - (3.0 - 0.25 - 0.1)).abs() < 1e-14, "{}", gap("ball–one"));
    assert!((gap("one–two") - 0.5).abs() < 1e-14, "{}", gap("one–two"));
}

#[test]
fn an_impossible_inertia_tensor_is_refused() {
    let tensor = "mass = 2.0\ninertia = [[1, 0, 0], [0, 1, 2], [0, 2, 1]]";
    assert!(matches!(spoiled("mass = 2.0", tensor), Error::Bodies(_)));
}

#[test]
fn inertia_follows_from_the_shape() {
    let scenario = Scenario::from_toml_str(DROP).unwrap();
    let setup = scenario.build().unwrap();
    // ½ I ω² with I = (2/5) 2 kg (0.1 m)² = 0.008 kg·m² and ω = 10 rad/s.
    let energy = setup
        .mechanism
        .model
        .system()
        .kinetic_energy(&setup.mechanism.state.coordinates, &[0., 0., 0., 0., 10., 0.]);
    assert!((energy - 0.4).abs() < 1e-15);
}

#[test]
fn steps_reach_the_duration() {
    let mut scenario = Scenario::from_toml_str(DROP).unwrap();
    assert_eq!(scenario.step_count(), 10);
    scenario.duration = 0.101;
    assert_eq!(scenario.step_count(), 11);
    let setup = scenario.build().unwrap();
    let trajectory = setup.simulate(&mut |_| ()).unwrap();
    assert_eq!(trajectory.samples.len(), 12);
    let table = trajectory.table(&setup);
    assert_eq!(table.columns.len(), table.rows[0].len());
}

#[test]
fn a_bearing_brakes_a_spinning_ball() {
    let bearing = "angular_velocity = [0, 0, 1]\n[[joint_friction]]\nbody = 'ball'\n\
                   axis = [0, 0, 5]\nbound = 0.008\n[[planes]]";
    let scenario = Scenario::from_toml_str(&DROP.replace("[[planes]]", bearing)).unwrap();
    // The torque of 0.008 N·m slows the inertia of 0.008 kg·m² by 1 rad/s² for 0.1 s.
    for method in [Name::StewartTrinkle, Name::ImpulseVelocity, Name::MoreauJean] {
        let mut scenario = scenario.clone();
        scenario.integrator.method = method;
        let end = scenario.simulate(&mut |_| ()).unwrap().end().velocity[5];
        assert!((end - 0.9).abs() < 1e-12, "{method}: {end}");
    }
}

/// The bounce of two balls through the collision, with coarse steps.
fn bounce() -> Scenario {
    let scenario =
        Scenario::from_toml_str(&crate::compat("scenarios/two-balls-bounce.toml")).unwrap();
    Scenario { duration: 0.65, ..scenario.with_step_size(0.005) }
}

/// Velocities of the two balls at the end.
fn end_velocities(scenario: &Scenario) -> [Vec<f64>; 2] {
    let end = scenario.simulate(&mut |_| ()).unwrap().end().velocity.clone();
    [end[..6].to_vec(), end[6..].to_vec()]
}

fn assert_close(a: &[f64], b: &[f64]) {
    // Positions are found to 1e-10 in each of the steps, velocities to 1e-10/h = 2e-8; the collision
    // amplifies differences by about v/r = 10.
    let difference = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(difference < 1e-6, "{a:?} and {b:?} differ by {difference}");
}

#[test]
fn the_order_of_bodies_does_not_matter() {
    let original = bounce();
    let mut reordered = original.clone();
    reordered.bodies.reverse();
    let ([a, b], [c, d]) = (end_velocities(&original), end_velocities(&reordered));
    assert_close(&a, &d);
    assert_close(&b, &c);
}

#[test]
fn the_order_of_contacts_does_not_matter() {
    let original = bounce();
    let mut reordered = original.clone();
    let pair = |a: &str, b: &str| Contact {
        between: [a.to_owned(), b.to_owned()],
        friction: None,
        restitution: None,
        section: None,
        along: None,
    };
    reordered.contacts =
        Some(vec![pair("ball 2", "ball 1"), pair("table", "ball 2"), pair("ball 1", "table")]);
    let ([a, b], [c, d]) = (end_velocities(&original), end_velocities(&reordered));
    assert_close(&a, &c);
    assert_close(&b, &d);
}

#[test]
fn a_turn_about_the_normal_of_the_table_turns_the_motion() {
    let original = bounce();
    let mut turned = original.clone();
    let (sin, cos) = 0.7_f64.sin_cos();
    let turn = |v: &[f64]| vec![cos * v[0] - sin * v[1], sin * v[0] + cos * v[1], v[2]];
    for body in &mut turned.bodies {
        body.position = turn(&body.position);
        body.velocity = body.velocity.as_deref().map(turn);
    }
    // The polygon of friction directions turns with the tangent.
    turned.planes[0].tangent = Some(turn(&[1.0, 0.0, 0.0]));
    let (originals, turneds) = (end_velocities(&original), end_velocities(&turned));
    for (original, turned) in originals.iter().zip(&turneds) {
        let expected = [turn(&original[..3]), turn(&original[3..])].concat();
        assert_close(&expected, turned);
    }
}

/// 60 balls and 1830 contacts, a million steps: 24 GB of samples.
#[test]
fn a_motion_too_large_for_memory_is_refused_before_its_first_step() {
    let mut text = DROP.replace("duration = 0.1", "duration = 10000.0");
    for i in 1..60 {
        text += &format!(
            "[[bodies]]\nname = \"{i}\"\nmass = 1.0\nshape.sphere.radius = 0.1\n\
             position = [{i}.0, 0.0, 0.1]\n"
        );
    }
    let scenario = Scenario::from_toml_str(&text).unwrap();
    let refused = scenario.simulate(&mut |_| ()).map(|trajectory| trajectory.reports.len());
    assert!(matches!(refused, Err(Error::Motion { steps: 1_000_000, .. })), "{refused:?}");
}
