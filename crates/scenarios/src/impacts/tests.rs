//! The embedded impacts against closed forms; files that are refused.

use nalgebra::{DMatrix, DVector, RowDVector, dmatrix, dvector, matrix};
use percussion_impact::{AnitescuPotra, Certificate, Law};

use super::*;

fn matrix_of(impact: &Impact) -> DMatrix<f64> {
    let n = impact.problem.dimension();
    let unit = |i| DVector::from_fn(n, |row, _| f64::from(u8::from(row == i)));
    let columns: Vec<_> = (0..n).map(|i| impact.problem.momentum(&unit(i))).collect();
    DMatrix::from_columns(&columns)
}

#[test]
fn the_embedded_impacts_are_valid_and_every_contact_has_a_row_for_each_velocity() {
    for name in NAMES {
        let text = ImpactScenario::named_text(name).unwrap();
        assert!(text.starts_with("# Source: "), "{name}");
        let impact = problem(name).unwrap();
        assert_eq!(impact.name, name);
        assert_eq!(impact.velocities.len(), impact.problem.dimension());
        assert_eq!(impact.contacts.len(), impact.problem.contacts().len());
        assert!(impact.velocities.iter().all(|label| !label.name.is_empty()), "{name}");
        let outcome = AnitescuPotra::default().resolve(&impact.problem).unwrap();
        let certificate = Certificate::check(&impact.problem, &outcome).unwrap();
        assert!(certificate.approach < 1e-9 && certificate.energy_change < 0.0, "{name}");
    }
}

#[test]
fn an_impact_survives_being_written_and_read() {
    for name in NAMES {
        let scenario = ImpactScenario::named(name).unwrap();
        let text = toml::to_string(&scenario).unwrap();
        // As text: a step that is not given is NaN, which does not equal itself.
        let again = ImpactScenario::from_toml_str(&text).unwrap();
        assert_eq!(toml::to_string(&again).unwrap(), text);
    }
}

/// `W = J M⁻¹ Jᵀ` by hand, with `1/m = 1` and `1/I = 2.4`: corners at `(∓½, −1)`.
#[test]
fn the_block_has_the_delassus_operator_found_by_hand() {
    let block = problem("rocking-block").unwrap();
    let rows = dmatrix![0.0, 1.0, -0.5; 1.0, 0.0, 1.0; 0.0, 1.0, 0.5; 1.0, 0.0, 1.0];
    assert_eq!(block.problem.contact_jacobian(), &rows);
    let expected = matrix![
        1.6, -1.2, 0.4, -1.2;
        -1.2, 3.4, 1.2, 3.4;
        0.4, 1.2, 1.6, 1.2;
        -1.2, 3.4, 1.2, 3.4];
    assert!((block.problem.delassus() - expected).amax() < 1e-15);
}

/// Lagrange: `T = Σ ½ m |hip + (l/2) e'(φ) φ̇|²` with `e'(φ) = (cos φ, sin φ)`.
#[test]
fn the_compass_gait_has_the_mass_matrix_of_the_textbook_and_stands_on_its_trailing_foot() {
    let walker = problem("compass-gait").unwrap();
    let (m, l, phi) = (1.0, 1.0, 78_f64.to_radians());
    let (c, s) = (0.5 * m * l * phi.cos(), 0.5 * m * l * phi.sin());
    let expected = dmatrix![
        2.0 * m, 0.0, c, c;
        0.0, 2.0 * m, -s, s;
        c, -s, 0.25 * m * l * l, 0.0;
        c, s, 0.0, 0.25 * m * l * l];
    assert!((matrix_of(&walker) - expected).amax() < 1e-15);
    let before = walker.problem.contact_velocity(walker.problem.velocity());
    // The feet are 2 l sin 78° apart, and the walker turns at 0.25 rad/s about the trailing one.
    let expected = dvector![-0.5 * phi.sin(), 0.0, 0.0, 0.0];
    assert!((before - expected).amax() < 1e-15);
    let names: Vec<_> = walker.velocities.iter().map(|label| label.name.as_str()).collect();
    assert_eq!(names, ["hip x", "hip y", "leading leg angle", "trailing leg angle"]);
}

#[test]
fn the_box_touches_floor_and_wall_with_two_corners_of_one_edge() {
    let leaning = problem("box-and-wall").unwrap();
    let (sin, cos) = 80_f64.to_radians().sin_cos();
    let (low, high) = (0.5 * (sin - cos), 0.5 * (sin + cos));
    // Corners relative to the center: (low, −high) on the floor, (high, low) on the wall.
    let expected = dmatrix![0.0, 1.0, low; 1.0, 0.0, high; -1.0, 0.0, low; 0.0, 1.0, high];
    assert!((leaning.problem.contact_jacobian() - expected).amax() < 1e-15);
    let before = leaning.problem.contact_velocity(leaning.problem.velocity());
    assert_eq!(before, dvector![0.0, 1.0, -1.0, 0.0]);
}

/// Positions of the five centers of mass and of the two feet of the biped, and its five angles.
fn ramone_points(q: &[f64]) -> ([[f64; 2]; 5], [[f64; 2]; 2], [f64; 5]) {
    let along = |[x, y]: [f64; 2], angle: f64, length: f64| {
        [x + length * angle.sin(), y - length * angle.cos()]
    };
    let trunk = [q[0], q[1]];
    let hip = along(trunk, q[2], 0.137675);
    let (mut centers, mut feet, mut angles) = ([trunk; 5], [trunk; 2], [q[2]; 5]);
    for leg in 0..2 {
        let thigh = q[2] + q[3 + 2 * leg];
        let shank = thigh + q[4 + 2 * leg];
        let knee = along(hip, thigh, 0.2);
        centers[1 + 2 * leg] = along(hip, thigh, 0.019399);
        centers[2 + 2 * leg] = along(knee, shank, 0.2385 - 0.073265);
        feet[leg] = along(knee, shank, 0.2385);
        (angles[1 + 2 * leg], angles[2 + 2 * leg]) = (thigh, shank);
    }
    (centers, feet, angles)
}

#[test]
fn ramone_has_the_matrices_of_its_kinematics_and_both_feet_on_the_ground() {
    let robot = problem("ramone").unwrap();
    let degrees = f64::to_radians;
    // Height of the hip over the foot, and from it the trailing shank.
    let leg = 0.2 * degrees(-54.0).cos() + 0.2385 * degrees(-56.0).cos();
    let shank = ((leg - 0.2 * degrees(86.0).cos()) / 0.2385).asin() - degrees(90.0);
    let height = leg + 0.137675 * degrees(16.0).cos() + 0.02815;
    let q = [
        0.0,
        height,
        degrees(16.0),
        degrees(-70.0),
        degrees(-2.0),
        degrees(70.0),
        shank - degrees(86.0),
    ];
    let given = ImpactScenario::named("ramone").unwrap();
    let given = given.bodies.iter().flat_map(|body| body.coordinates.clone().unwrap_or_default());
    // The arc sine, near 1 and steep by 9, of a sum of three terms: some ten roundings.
    for (given, expected) in given.zip(q) {
        assert!((given - expected).abs() < 1e-14, "{given} against {expected}");
    }

    // Central differences: the truncation is of the size 1e-10/6, rounding of 1e-16/1e-5.
    let step = 1e-5;
    let slope = |value: &dyn Fn(&[f64]) -> f64| {
        RowDVector::from_fn(7, |_, i| {
            let at = |shift: f64| {
                let mut q = q;
                q[i] += shift;
                value(&q)
            };
            (at(step) - at(-step)) / (2.0 * step)
        })
    };
    let masses = [7.9026, 0.7887, 0.510, 0.7887, 0.510];
    let moments = [0.08, 0.00221, 0.00652, 0.00221, 0.00652];
    let mut mass = DMatrix::zeros(7, 7);
    for body in 0..5 {
        let x = slope(&|q| ramone_points(q).0[body][0]);
        let y = slope(&|q| ramone_points(q).0[body][1]);
        let angle = slope(&|q| ramone_points(q).2[body]);
        mass += masses[body] * (x.tr_mul(&x) + y.tr_mul(&y)) + moments[body] * angle.tr_mul(&angle);
    }
    assert!((matrix_of(&robot) - mass).amax() < 1e-8);

    for foot in 0..2 {
        let normal = slope(&|q| ramone_points(q).1[foot][1]);
        // The point of the disc that touches is a radius below its center.
        let x = slope(&|q| ramone_points(q).1[foot][0]);
        let tangent = x + 0.02815 * slope(&|q| ramone_points(q).2[2 + 2 * foot]);
        let rows = robot.problem.contact_jacobian().rows(2 * foot, 2);
        assert!((rows.row(0) - normal).amax() < 1e-9 && (rows.row(1) - tangent).amax() < 1e-9);
    }
    let before = robot.problem.contact_velocity(robot.problem.velocity());
    assert!(before.rows(2, 2).amax() < 1e-15, "the trailing foot is at rest");
    assert!(before[0] < -0.5, "the leading foot arrives at {} m/s", before[0]);
}

#[test]
fn the_disks_touch_under_60_degrees_and_the_published_tangents_are_oblique() {
    let stack = problem("disk-stack").unwrap();
    let (half, height) = (0.5, 0.75_f64.sqrt());
    // Normal and tangent of top–left; turning either disk moves the point along the tangent.
    let expected = dmatrix![
        half, height, 0.0, -half, -height, 0.0, 0.0, 0.0, 0.0;
        height, -half, 1.0, -height, half, 1.0, 0.0, 0.0, 0.0];
    let rows = stack.problem.contact_jacobian().rows(4, 2).into_owned();
    assert!((rows - expected).amax() < 1e-15);
    assert_eq!(matrix_of(&stack).diagonal(), dvector![5.0, 5.0, 2.5, 5.0, 5.0, 2.5, 5.0, 5.0, 2.5]);

    let oblique = problem("disk-stack-oblique").unwrap();
    let rows = oblique.problem.contact_jacobian();
    for (contact, cosine) in [(2, height), (3, -height), (4, 0.0)] {
        let normal = rows.fixed_view::<1, 2>(2 * contact, if contact == 4 { 3 } else { 0 });
        let tangent = rows.fixed_view::<1, 2>(2 * contact + 1, if contact == 4 { 3 } else { 0 });
        let found = normal.dot(&tangent);
        assert!((found.abs() - cosine.abs()).abs() < 1e-15, "contact {contact}: {found}");
    }

    let light = problem("disk-stack-1-kg").unwrap();
    assert!((matrix_of(&stack) - 5.0 * matrix_of(&light)).amax() < 1e-15);
}

/// A disc on the floor, to be spoiled.
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
        ("mass = 2.0\n", "", "`bodies[0].inertia` is 0.01, expected 0 for a body without mass"),
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
    let scenario = ImpactScenario::named("ramone").unwrap();
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
