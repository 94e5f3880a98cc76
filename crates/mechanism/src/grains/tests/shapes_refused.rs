//! Shapes that cannot be, and scenes that cannot have shapes, are refused with line, field and value.

use super::{shapes::scene, *};

/// Each text is refused with its words.
fn assert_refused(cases: &[(String, &str)]) {
    let mut strange = String::new();
    for (text, words) in cases {
        let error = Scene::from_toml_str(text).map(|_| text.clone()).unwrap_err().to_string();
        if !error.contains(words) {
            strange += &format!("{error}\nexpected {words}\n");
        }
    }
    assert!(strange.is_empty(), "{strange}");
}

const TETRAHEDRON: &str = "shape.polyhedron.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";

fn brick(shape: &str) -> String {
    scene(shape, "")
}

#[test]
fn clumps_that_cannot_be() {
    let balls = |list: &str| brick(&format!("shape.clump.balls = {list}"));
    let many = (0..65).map(|k| format!("[0, 0, {k}, 1]")).collect::<Vec<_>>().join(", ");
    assert_refused(&[
        (balls("[]"), "line 9: `grains[0].shape.clump.balls` has 0 entries"),
        (balls(&format!("[{many}]")), "line 9: `grains[0].shape.clump.balls` has 65 entries"),
        (balls("[[0, 0, 0, -1]]"), "line 9: `grains[0].shape.clump.balls[0][3]` is -1.0"),
        (balls("[[0, 0, 0, nan]]"), "`grains[0].shape.clump.balls[0][3]` is NaN"),
        (balls("[[0, 0, inf, 1]]"), "`grains[0].shape.clump.balls[0][2]` is inf"),
        (
            balls("[[0, 0, 0, 1], [3, 0, 0, 1]]"),
            "line 9: `grains[0].shape.clump.balls[1]` is [3.0, 0.0, 0.0, 1.0], expected a ball that hangs together",
        ),
        (
            balls("[[0, 0, 0, 1e300]]"),
            "line 9: `grains[0].shape.clump.balls`: ball 0: radius is 1e300",
        ),
        (
            balls("[[0, 0, 0, 1e50]]"),
            "line 9: `grains[0].shape.clump.balls`: collider 0: radius of a sphere is 1e50",
        ),
    ]);
}

#[test]
fn polyhedra_that_cannot_be() {
    let points = |list: &str| brick(&format!("shape.polyhedron.points = {list}"));
    assert_refused(&[
        (points("[[0, 0, 0], [1, 0, 0], [0, 1, 0]]"), "hull of 3 points, expected at least 4"),
        (
            points("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 3, 0]]"),
            "line 9: `grains[0].shape.polyhedron.points`: convex hull of 5 points is flat",
        ),
        (points("[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]"), "hull of 4 points is flat"),
        (points("[[0, 0, nan], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"), "points[0][2]` is NaN"),
        (points("[[0, 0, 1e300], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"), "entry 1e300"),
        (brick("shape.box.size = [1, 0, 1]"), "line 9: `grains[0].shape.box.size[1]` is 0.0"),
        (brick("shape.box.size = [1, 1, 1e300]"), "line 9: `grains[0].shape.box.size`: "),
        (brick("shape.box.size = [1, 1, 1]\ndiameter = 1e-300"), "line 10: `grains[0].diameter`"),
        (brick("shape.box.size = [1, 1, 1]\ndiameter = 1e80"), "line 10: `grains[0].diameter`"),
        (
            brick("shape.polyhedron = { }"),
            "`grains[0].shape.polyhedron` has 0 entries, expected either",
        ),
        (
            brick("shape.polyhedron = { points = [[0, 0, 0]], scale = -1 }"),
            "line 9: `grains[0].shape.polyhedron.scale` is -1.0",
        ),
        (brick("shape.box = { size = [1, 1, 1], angle = 2 }"), "unexpected keys in table: angle"),
        (brick("shape.torus = { radius = 1 }"), "unknown variant `torus`"),
    ]);
}

#[test]
fn what_shapes_cannot_do() {
    let good = brick(TETRAHEDRON);
    assert!(Scene::from_toml_str(&good).is_ok());
    let with = |line: &str| good.replace("friction = 0.5", &format!("friction = 0.5\n{line}"));
    assert_refused(&[
        (with("restitution = 1.5"), "line 4: `restitution` is 1.5, expected a number from 0 to 1"),
        (with("restitution = nan"), "line 4: `restitution` is NaN, expected a number from 0 to 1"),
        (
            with("rolling_friction = 1e-4"),
            "line 4: `rolling_friction`: 0.0001 between `grains` and `grains`, expected 0: `grains` have flat faces",
        ),
        (
            with("periodic.x = [0, 100]"),
            "line 4: `periodic.x` is [0.0, 100.0], expected none where grains have a shape",
        ),
        (
            good.clone()
                + "[[materials]]\nbetween = [\"grains\", \"floor\"]\nspinning_friction = 0.1\n",
            "line 15: `materials[0].spinning_friction`: 0.1 between `grains` and `floor`, expected 0",
        ),
        (
            good.clone() + "servo = { direction = [0, 0, 1], force = 3, mass = -1, speed = 1 }\n",
            "line 13: `walls[0].servo.mass` is -1.0, expected a positive finite mass (kg)",
        ),
        (
            good.replace("max_sweeps = 5000", "inelastic_below = -0.1"),
            "line 5: `steps.inelastic_below` is -0.1",
        ),
        (
            good.clone() + "[[materials]]\nbetween = [\"grains\", \"floor\"]\nrestitution = -0.1\n",
            "line 15: `materials[0].restitution` is -0.1",
        ),
        (
            scene("diameter = 0.01", "")
                + "[[insert]]\nlattice.count = 1\nangle = 1\n\
                   region.box = { low = [0, 0, 0], high = [1, 1, 1] }\n",
            "`insert[0]` is \"grains\", expected no `axis` and `angle`",
        ),
        (
            good.clone()
                + "[[insert]]\nlattice.count = 1\naxis = [0, 0, 0]\n\
                   region.box = { low = [0, 0, 0], high = [9, 9, 9] }\n",
            "line 15: `insert[0].axis` is [0.0, 0.0, 0.0], expected a nonzero vector",
        ),
    ]);
    let error = Run::new(Scene::from_toml_str(&good).unwrap(), here()).unwrap_err().to_string();
    assert!(error.starts_with("line 9: `grains[0].shape` is \"grains\""), "{error}");
}
