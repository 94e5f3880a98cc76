//! Impacts at the start of scenarios, with velocities and impulses computed by hand.

use percussion_impact::{Law, Outcome, certificate::Certificate, newton::Newton};
use percussion_mechanism::{
    Error,
    impacts::{Impact, Kind},
    scenario::Scenario,
    view::ImpactStage,
};

use super::read;

/// A scenario in space over a floor, under gravity, which has no effect on an impact.
fn over_floor(bodies: &str) -> Scenario {
    let text = format!(
        r#"
        name = "over-floor"
        title = "Something strikes the floor"
        source = "a test"
        dimension = "space"
        gravity = [0.0, 0.0, -9.81]
        duration = 1.0
        friction = 0.5
        restitution = 0.5
        {bodies}

        [[planes]]
        name = "floor"
        point = [0.0, 0.0, 0.0]
        normal = [0.0, 0.0, 1.0]

        [integrator]
        method = "moreau-jean"
        step_size = 0.001
        "#
    );
    Scenario::from_toml_str(&text).unwrap()
}

/// A body of 2 kg with this shape, its center at this height, that falls at 3 m/s.
fn falling(shape: &str, height: f64) -> String {
    format!(
        "[[bodies]]\nname = 'body'\nmass = 2.0\nshape.{shape}\nposition = [0.0, 0.0, {height:?}]\n\
         velocity = [0.0, 0.0, -3.0]\n"
    )
}

fn impact(scenario: &Scenario) -> Impact {
    scenario.build().unwrap().impact().unwrap()
}

/// The outcome of Newton's law, which its certificate must accept.
fn by_newton(impact: &Impact) -> Outcome {
    let law = Newton::default();
    let outcome = law.resolve(&impact.problem).unwrap();
    let claims = law.claims(&impact.problem);
    let judged = Certificate::judge(&impact.problem, &outcome, &claims).unwrap();
    let status = judged.status;
    assert_eq!(status, percussion_impact::Status::Resolved, "{judged:?}");
    outcome
}

/// `v⁺ = e v` and `p = m (1 + e) v = 2 · 1.5 · 3`.
#[test]
fn a_ball_leaves_the_floor_with_its_restitution() {
    let impact = impact(&over_floor(&falling("sphere.radius = 0.1", 0.1)));
    assert_eq!(impact.contacts, ["body–floor"]);
    let names: Vec<_> = impact.velocities.iter().map(|label| label.name.as_str()).collect();
    assert_eq!(names, ["body x", "body y", "body z", "body turn x", "body turn y", "body turn z"]);
    let outcome = by_newton(&impact);
    assert!((outcome.velocity[2] - 1.5).abs() < 1e-12, "{}", outcome.velocity);
    assert!((outcome.impulses[0].normal - 9.0).abs() < 1e-12);
}

/// The same impulse, shared by four corners.
#[test]
fn a_box_strikes_with_four_corners_that_are_found() {
    let impact = impact(&over_floor(&falling("box.half_extents = [0.3, 0.2, 0.1]", 0.1)));
    assert_eq!(impact.contacts.len(), 4);
    assert!(impact.contacts.iter().all(|name| name.starts_with("body–floor (vertex ")));
    assert_eq!(impact.problem.contact_jacobian().nrows(), 12);
    let contacts = impact.problem.contacts();
    assert!(contacts.iter().all(|one| (one.friction - 0.5).abs() < 1e-15));
    let outcome = by_newton(&impact);
    assert!((outcome.velocity[2] - 1.5).abs() < 1e-12, "{}", outcome.velocity);
    let total: f64 = outcome.impulses.iter().map(|one| one.normal).sum();
    assert!((total - 9.0).abs() < 1e-12, "{total}");
    let stage = ImpactStage::new(&impact);
    let motion = stage.motion("newton", None, &outcome.velocity, &outcome.impulses);
    assert_eq!(motion.touches.iter().flatten().count(), 4);
    assert!(motion.poses.iter().all(|pose| pose.len() == 7));
}

/// A ball of 1 kg carries a block of 2 kg, which a joint that closes a loop welds to it: 3 kg leave at 1.5 m/s, by
/// `3 · 4.5 = 13.5 N·s` at the floor, of which the joint transmits `2 · 4.5 = 9 N·s`.
#[test]
fn a_loop_hands_percussions_on() {
    let ball = falling("sphere.radius = 0.1", 0.1).replace("mass = 2.0", "mass = 1.0");
    let block = "[[bodies]]\nname = 'block'\nmass = 2.0\nshape.box.half_extents = [0.1, 0.1, 0.1]\n\
                 position = [0.0, 0.0, 0.5]\nvelocity = [0.0, 0.0, -3.0]\n";
    let weld = "[[joints]]\nname = 'weld'\nkind = 'fixed'\nbetween = ['body', 'block']\ncloses_loop = true\n";
    let impact = impact(&over_floor(&format!("{ball}{block}{weld}")));
    assert_eq!(impact.contacts, ["body–floor"]);
    assert_eq!(impact.problem.bilateral_jacobian().nrows(), 6);
    let outcome = by_newton(&impact);
    for index in [2, 8] {
        assert!((outcome.velocity[index] - 1.5).abs() < 1e-12, "{}", outcome.velocity);
    }
    assert!((outcome.impulses[0].normal - 13.5).abs() < 1e-12);
    assert!((outcome.bilateral_impulses.norm() - 9.0).abs() < 1e-12);
}

/// A disc of 2 kg and 0.1 m turns at 2 rad/s about a pin at 1 m, into the lower limit: `I ω` with
/// `I = m l² + ½ m r² = 2.01 kg·m²`.
#[test]
fn a_limit_of_a_joint_that_is_reached_is_a_contact() {
    let pendulum = r#"
        name = "pendulum"
        title = "A disc on a rod without mass meets its stop"
        source = "a test"
        dimension = "plane"
        gravity = [0.0, -10.0]
        duration = 0.5
        friction = 0.0

        [[bodies]]
        name = "ball"
        mass = 2.0
        shape.disc.radius = 0.1
        position = [0.0, -1.0]

        [[joints]]
        name = "pin"
        kind = "revolute"
        between = ["world", "ball"]
        anchor = [0.0, 0.0]
        speed = -2.0
        limits = [0.0, 1.0]

        [integrator]
        method = "moreau-jean"
        step_size = 0.001
    "#;
    let impact = impact(&Scenario::from_toml_str(pendulum).unwrap());
    assert_eq!(impact.contacts, ["pin (lower limit)"]);
    assert_eq!(
        (impact.velocities[0].name.as_str(), impact.velocities[0].unit),
        ("ball angle", "rad/s")
    );
    let outcome = by_newton(&impact);
    assert!(outcome.velocity[0].abs() < 1e-12, "{}", outcome.velocity);
    assert!((outcome.impulses[0].normal - 4.02).abs() < 1e-12);
}

#[test]
fn a_start_at_which_nothing_touches_is_refused() {
    let refused = |scenario: &Scenario| scenario.build().unwrap().impact().unwrap_err();
    for (scenario, nearest) in [
        (over_floor(&falling("sphere.radius = 0.1", 1.1)), "`body–floor` with a gap of 1.0"),
        (read("four-bar.toml"), "`coupler–stop"),
    ] {
        let error = refused(&scenario);
        assert!(matches!(error, Error::NothingTouches { .. }), "{error}");
        assert!(error.to_string().contains(nearest), "{error}");
    }
    let mut lonely = over_floor(&falling("sphere.radius = 0.1", 0.1));
    lonely.planes.clear();
    assert!(refused(&lonely).to_string().contains("nothing could"));
}

#[test]
fn a_file_that_is_both_or_neither_is_refused_by_the_names_of_both() {
    assert_eq!(Kind::of_toml_str("[integrator]").unwrap(), Kind::Scenario);
    assert_eq!(Kind::of_toml_str("[set_valued]").unwrap(), Kind::Impact);
    for text in ["mass = 1.0", "[integrator]\n[compliant]"] {
        let error = Kind::of_toml_str(text).unwrap_err().to_string();
        assert!(error.contains("an impact (") && error.contains("a scenario ("), "{error}");
    }
}
