//! Walls that are driven by a force and press grains with shapes.

use percussion_granular::{Domain, bodies::Partner};

use super::shapes::{make, run};

/// Pairs of balls, cubes and tetrahedra in a smooth pipe of 4 cm, and a piston of 0.1 kg that presses them with 20 N.
fn piston(piston: &str) -> String {
    format!(
        r#"title = "a piston on shapes"
duration = 1
friction = 0.5
steps.max_sweeps = 400
[[grains]]
name = "pairs"
shape.clump.balls = [[0, 0, 0, 1], [1, 0, 0, 1]]
diameter = 0.01
density = 2500
[[grains]]
name = "cubes"
shape.box.size = [1, 1, 1]
diameter = 0.01
density = 2500
[[walls]]
name = "floor"
shape.plane = {{ point = [0, 0, 0], normal = [0, 0, 1] }}
[[walls]]
name = "pipe"
friction = 0
shape.tube = {{ point = [0, 0, 0], axis = [0, 0, 1], radius = 0.02 }}
[[walls]]
name = "piston"
shape.plane = {{ point = [0, 0, 0.16], normal = [0, 0, -1] }}
{piston}
[[insert]]
grains = "pairs"
lattice.count = 14
region.cylinder = {{ from = [0, 0, 0], to = [0, 0, 0.08], radius = 0.02 }}
[[insert]]
grains = "cubes"
lattice.count = 14
region.cylinder = {{ from = [0, 0, 0.08], to = [0, 0, 0.16], radius = 0.02 }}
"#
    )
}

const SERVO: &str = "servo = { direction = [0, 0, -2], force = 20, mass = 0.1, speed = 0.3 }";

#[test]
fn a_piston_presses_a_column_of_shapes_with_its_force() {
    let mut run = run(&piston(SERVO));
    let step = run.world().settings().step_size;
    make(&mut run, 1);
    // 200 m/s² for a step.
    let velocity = run.world().walls()[2].velocity;
    assert!((velocity.z + 200.0 * step).abs() < 1e-12, "{velocity}");
    make(&mut run, 3999);
    let (mut lid, mut floor) = (0.0, 0.0);
    let before = run.parts().1.bodies().servos()[0].velocity;
    for _ in 0..400 {
        make(&mut run, 1);
        let bodies = run.parts().1.bodies();
        let by = |wall: usize| {
            let all = bodies.touches().filter(|touch| touch.partner == Partner::Boundary(wall));
            all.map(|touch| touch.impulse.z).sum::<f64>() / step / 400.0
        };
        lid -= by(2);
        floor += by(0);
    }
    let missing = 0.1 * (run.parts().1.bodies().servos()[0].velocity - before) / (400.0 * step);
    assert!((lid - 20.0 + missing).abs() < 1e-8, "{lid} N without {missing} N");
    assert!(missing.abs() < 0.02, "{missing} N");
    let grains = run.world().grains();
    let weight: f64 = 9.81 * (0..28).map(|index| grains.mass(index)).sum::<f64>();
    // The pipe is smooth and carries nothing.
    assert!((floor - 20.0 - weight).abs() < 0.1, "{floor} N of 20 N and {weight} N");
}

#[test]
fn a_piston_on_shapes_that_is_resumed_goes_on_with_the_same_bits() {
    let text = piston(&format!("angular_velocity = [0, 0, 2]\n{SERVO}"));
    let mut whole = run(&text);
    make(&mut whole, 1800);
    let share = whole.domain().share();
    make(&mut whole, 300);
    let mut resumed = run(&text);
    resumed.domain().restore(share).unwrap();
    resumed.check_walls().unwrap();
    make(&mut resumed, 300);
    assert!(resumed.domain().share() == whole.domain().share(), "the same bits");
    let speed = whole.world().servos()[0].velocity;
    assert!(speed.abs() < 0.29, "it has met the column: {speed} m/s");
}
