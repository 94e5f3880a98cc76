//! Errors, with the place in the file.

use percussion_integrators::schemes::Name;
use percussion_mechanism::{Error, scenario::Scenario};

use crate::read;

const BOX: &str = r#"
name = "box"
title = "A box on a floor"
source = "a test"
dimension = "space"
gravity = [0.0, 0.0, -10.0]
duration = 0.1
friction = 0.3

[[bodies]]
name = "box"
mass = 2.0
shape.box.half_extents = [0.3, 0.2, 0.1]
position = [0.0, 0.0, 0.1]

[[planes]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]

[integrator]
method = "moreau-jean"
step_size = 0.01
"#;

const SHAPE: &str = "shape.box.half_extents = [0.3, 0.2, 0.1]";

fn built(from: &str, to: &str) -> Result<(), Error> {
    assert!(BOX.contains(from), "{from} is not in the file");
    Scenario::from_toml_str(&BOX.replace(from, to))?.build().map(|_| ())
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn what_is_wrong_is_named() {
    built("friction", "friction").unwrap();
    let body = "[[bodies]]\nname = \"box\"";
    let hull = |points: &str| format!("shape.hull.points = {points}");
    let tall = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    let flat = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]";
    let fixed = |what: &str| format!("[[fixed]]\nname = 'wall'\n{what}\n[[planes]]");
    let joint = |what: &str| format!("[[joints]]\nname = 'pin'\n{what}\n[[planes]]");
    let section =
        |what: &str| format!("[[contacts]]\nbetween = ['box', 'floor']\n{what}\n[[planes]]");
    let cases: [(&str, String, &str); 33] = [
        (
            SHAPE,
            "shape.box.half_extents = [0.3, 0.0, 0.1]".into(),
            "`bodies[0].shape.box.half_extents[1]` is 0.0",
        ),
        (
            SHAPE,
            "shape.box.half_extents = [0.3, nan, 0.1]".into(),
            "`bodies[0].shape.box.half_extents[1]` is NaN",
        ),
        (SHAPE, "shape.box.half_extents = [0.3, 0.1]".into(), "`bodies[0].shape"),
        (SHAPE, "shape.box.half_extents = [1e300, 1.0, 1.0]".into(), "half_extents[0]` is 1e300"),
        (
            SHAPE,
            "shape.rectangle.half_extents = [0.3, 0.1]".into(),
            "`bodies[0].shape` is \"rectangle\"",
        ),
        (
            SHAPE,
            "shape.capsule = { half_length = -1.0, radius = 0.1 }".into(),
            "`bodies[0].shape.capsule.half_length` is -1.0",
        ),
        (
            "[integrator]",
            "[experiment]\nfitted = [0.01, { least = nan }]\n[integrator]".into(),
            "`experiment.fitted[1].least` is NaN, expected a finite number",
        ),
        (SHAPE, "shape.cylinder = { half_height = 1.0 }".into(), "missing field `radius`"),
        (
            SHAPE,
            hull("[[0, 0, 0]]"),
            "`bodies[0].shape.hull`: convex hull of 1 points, expected at least 4",
        ),
        (SHAPE, hull(flat), "`bodies[0].shape.hull`: convex hull of 4 points is flat"),
        (
            SHAPE,
            hull(&tall.replace("1, 0, 0", "inf, 0, 0")),
            "`bodies[0].shape.hull`: point 1 of a convex hull has an entry inf",
        ),
        (SHAPE, hull(tall), "center of mass` is [0.25, 0.25, 0.25]"),
        (SHAPE, "shapes = []".into(), "`bodies[0].inertia` is \"missing\""),
        (
            SHAPE,
            format!("{SHAPE}\nshapes = [{{ shape.sphere.radius = 0.1 }}]"),
            "`bodies[0].shapes` is 1",
        ),
        (
            SHAPE,
            "shapes = [{ shape.sphere.radius = 0.1, friction = -1.0 }]".into(),
            "`bodies[0].shapes[0].friction` is -1.0",
        ),
        (
            SHAPE,
            "shapes = [{ shape.sphere.radius = 0.1, position = [1.0] }]".into(),
            "`bodies[0].shapes[0].position` has 1 entries",
        ),
        (
            "[[planes]]",
            fixed("shape.box.half_extents = [1, 1, 1]\nposition = [0, 0]"),
            "`fixed[0].position` has 2 entries",
        ),
        (
            "[[planes]]",
            fixed("shape.box.half_extents = [1, 1, 1]\nrestitution = 2"),
            "`fixed[0].restitution` is 2.0",
        ),
        (
            "[[planes]]",
            fixed("shape.sphere.radius = 0.1").replace("wall", "box"),
            "`fixed[0].name` is `box`",
        ),
        ("[[planes]]", fixed("shape.box.half_extents = [1, 1, 1]"), "contact `box–wall"),
        (
            "[[planes]]",
            "[[contacts]]\nbetween = ['box', 'moon']\n[[planes]]".into(),
            "`contacts[0].between[1]` names `moon`",
        ),
        ("normal", "tangent = [1, 0, 0]\nnormal".into(), "`planes[0].tangent`"),
        ("friction = 0.3", String::new(), "`friction` is \"missing\""),
        (
            "[[planes]]",
            joint("kind = 'revolute'\nbetween = ['world', 'moon']"),
            "`joints[0].between[1]` names `moon`",
        ),
        (
            "[[planes]]",
            joint("kind = 'revolute'\nbetween = ['world', 'box']\nanchor = [0, 0, 0]"),
            "`joints[0].axis` is \"missing\"",
        ),
        (
            "[[planes]]",
            joint("kind = 'fixed'\nbetween = ['world', 'box']\nspeed = 1"),
            "`joints[0].kind` is \"fixed\", expected a revolute",
        ),
        (
            "[[planes]]",
            section("section = { ellipse = [0.9, 0.1] }"),
            "`contacts[0].along` is \"missing\"",
        ),
        (
            "[[planes]]",
            section("section = { ellipse = [0.9, 0.1] }\nalong = [0, 0, 0]"),
            "`contacts[0].along` is [0.0, 0.0, 0.0], expected a nonzero",
        ),
        (
            "[[planes]]",
            section("along = [1, 0, 0]"),
            "`contacts[0].along` is Some([1.0, 0.0, 0.0])",
        ),
        (
            "[[planes]]",
            section("section = { rolling = [0.5, -0.1, 0] }"),
            "`contacts[0]`: `section.rolling[1]` is -0.1",
        ),
        (
            "[[planes]]",
            section("section = { spin = [0.5, 0.5, 0.1] }\nfriction = 0.2"),
            "`contacts[0].friction` is Some(0.2), expected no coefficient beside `section`",
        ),
        ("[[planes]]", section("section = { cone = 0.5 }"), "unknown variant `cone`"),
        (
            "[integrator]\nmethod = \"moreau-jean\"",
            section("section = { spin = [0.5, 0.5, 0.1] }")
                .replace("[[planes]]", "[integrator]\nmethod = \"event-driven\""),
            "`contacts[0].section` is \"spin\", expected a coefficient",
        ),
    ];
    for (from, to, expected) in cases {
        let error = built(from, &to).unwrap_err().to_string();
        assert!(error.contains(expected), "{to}\n  gave: {error}\n  expected: {expected}");
    }
    assert!(built(body, body).is_ok());
}

#[test]
fn a_hull_beside_its_center_is_moved_on_request() {
    let hull = "recenter = true\nshape.hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    let text = BOX
        .replace(SHAPE, hull)
        .replace("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 0.25]");
    let setup = Scenario::from_toml_str(&text).unwrap().build().unwrap();
    let scene = setup.mechanism.surfaces.unwrap();
    let pose = scene.scene().colliders()[0].pose();
    assert!((pose.translation.vector + nalgebra::Vector3::repeat(0.25)).norm() < 1e-15, "{pose}");
    // With an inertia the shape is used at its given position.
    let given = hull.replace("recenter = true", "inertia = 1.0");
    assert!(built(SHAPE, &given).is_ok());
}

#[test]
fn a_deep_start_is_refused_by_name() {
    let error = built("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 0.05]").unwrap_err();
    let Error::Penetration { contact, depth, .. } = &error else { panic!("{error}") };
    assert!(contact.starts_with("box–floor (vertex "), "{contact}");
    assert!((depth - 0.05).abs() < 1e-15, "{depth}");
}

#[test]
fn variational_integration_refuses_joints() {
    let mut scenario = read("four-bar.toml");
    scenario.integrator.method = Name::Variational;
    let refused = scenario.build().unwrap_err().to_string();
    assert!(refused.contains("`integrator.method` is \"variational\""), "{refused}");
}
