//! Tests of invalid files, and of changes that have no effect.

use percussion_impact::{Law, anitescu_potra::AnitescuPotra};

use super::*;

/// A disc on the floor; tests replace parts of it.
const DISC: &str = r#"
name = "disc"
title = "A disc hits the floor"
source = "a test"

[[bodies]]
name = "disc"
mass = 2.0
inertia = 0.01
coordinates = [0.0, 0.1, 0.0]
velocity = [0.0, -1.0, 0.0]

[[planes]]
name = "floor"
point = [0.0, 0.0]
normal = [0.0, 1.0]

[[contacts]]
name = "rim"
disc = { body = "disc", radius = 0.1 }
on.plane = "floor"
friction = 0.3

[set_valued]
step = 0.5
"#;

fn refusal(from: &str, to: &str) -> String {
    assert!(DISC.contains(from), "{from} is not in the file");
    let read = ImpactScenario::from_toml_str(&DISC.replace(from, to));
    read.and_then(|scenario| scenario.build()).unwrap_err().to_string()
}

#[test]
fn mistakes_are_answered_with_their_place() {
    for (from, to, message) in [
        ("mass = 2.0", "mass = -2.0", "`bodies[0].mass` is -2.0"),
        ("mass = 2.0\n", "", "`bodies[0].inertia` is 0.01, expected 0 for a body without `mass`"),
        ("inertia = 0.01", "inertia = nan", "`bodies[0].inertia` is NaN"),
        ("[0.0, 0.1, 0.0]", "[0.0, 0.1]", "`bodies[0].coordinates` has 2 entries, expected 3"),
        ("[0.0, -1.0, 0.0]", "[0.0, inf, 0.0]", "`bodies[0].velocity[1]` is inf"),
        ("[0.0, 0.1, 0.0]", "[0.0, 0.2, 0.0]", "contact `rim` has a gap of 0.1 m"),
        ("normal = [0.0, 1.0]", "normal = [0.0, 0.0]", "`planes[0].normal` is [0.0, 0.0]"),
        ("on.plane = \"floor\"", "on.plane = \"roof\"", "names `roof`, expected one of floor"),
        ("on.plane = \"floor\"", "on.wall = \"floor\"", "`contacts[0].on`: unknown variant `wall`"),
        ("on.plane = \"floor\"", "on.disc = { body = \"disc\" }", "expected another body"),
        ("{ body = \"disc\",", "{ body = \"ball\",", "names `ball`, expected one of disc"),
        ("friction = 0.3", "friction = -0.3", "`contacts[0].friction` is -0.3"),
        ("friction = 0.3", "friction = inf", "`contacts[0].friction` is inf"),
        ("friction = 0.3", "friction = 0.3\nrestitution = 1.5", "`contacts[0].restitution` is 1.5"),
        ("friction = 0.3", "friction = 0.3\ntangent = [0.0, 0.0]", "`contacts[0].tangent`"),
        ("name = \"floor\"", "name = \"disc\"", "`planes[0].name` is `disc`"),
        ("step = 0.5", "step = 0.0", "`set_valued.step` is 0.0"),
        ("step = 0.5", "steps = 0", "`set_valued.steps` is 0"),
        ("step = 0.5", "samples = 0", "`set_valued.samples` is 0"),
        ("step = 0.5", "stride = 0.5", "unknown field `stride`"),
        ("mass = 2.0", "mass = 2.0\non = \"disc\"", "its own ancestor"),
        ("title = ", "heading = ", "unknown field `heading`"),
        (
            "mass = 2.0",
            "joint = \"free\"\nmass = 2.0",
            "`bodies[0].joint` is \"free\", expected a joint within the plane",
        ),
    ] {
        let found = refusal(from, to);
        assert!(found.contains(message), "{to}: {found}");
    }
}

#[test]
fn a_mechanism_that_cannot_move_in_a_direction_is_refused() {
    // A joint that carries nothing has no mass.
    let idle = "[[bodies]]\nname = \"idle\"\njoint = \"revolute\"\n\n[[planes]]";
    let found = refusal("[[planes]]", idle);
    assert!(found.contains("idle"), "{found}");
}

#[test]
fn the_order_of_bodies_and_the_tangent_given_do_not_matter_where_they_say_nothing() {
    let scenario = ImpactScenario::from_toml_str(&crate::compat("impacts/ramone.toml")).unwrap();
    let mut turned = scenario.clone();
    turned.bodies.reverse();
    let energy = |scenario: &ImpactScenario| {
        let problem = scenario.build().unwrap().problem;
        let outcome = AnitescuPotra::default().resolve(&problem).unwrap();
        let before = problem.kinetic_energy(problem.velocity());
        (before, problem.delassus().clone(), outcome.impulses[0].normal)
    };
    let (one, two) = (energy(&scenario), energy(&turned));
    assert!((one.0 - two.0).abs() < 1e-14 && (one.1 - two.1).amax() < 1e-12);

    let disc = ImpactScenario::from_toml_str(DISC).unwrap();
    let mut same = disc.clone();
    same.contacts[0].tangent = Some([3.0, 0.0]);
    let rows =
        |scenario: &ImpactScenario| scenario.build().unwrap().problem.contact_jacobian().clone();
    assert_eq!(rows(&disc), rows(&same));
}
