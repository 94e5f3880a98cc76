//! Walls that are driven by a force.

use percussion_granular::{Partner, World};

use super::*;

/// Forty grains in a pipe of 4 cm, and a piston of 0.1 kg that presses them with 20 N.
const PISTON: &str = "[[walls]]\nname = 'pipe'\nfriction = 0\n\
     shape.cone = { from = [0, 0, 0], to = [0, 0, 1], radii = [0.02, 0.02] }\n\
     [[walls]]\nname = 'piston'\nshape.plane = { point = [0, 0, 0.12], normal = [0, 0, -1] }\n\
     servo = { direction = [0, 0, -2], force = 20, mass = 0.1, speed = 0.3 }\n\
     [[insert]]\nlattice.count = 40\nregion.cylinder = { from = [0, 0, 0], to = [0, 0, 0.12], radius = 0.02 }\n";

fn force(world: &World, wall: usize) -> f64 {
    let by = world.touches().filter(|touch| touch.partner == Partner::Wall(wall));
    by.map(|touch| touch.impulse.z).sum::<f64>() / world.settings().step_size
}

#[test]
fn a_piston_presses_a_column_with_its_force() {
    let mut run = run_of(PISTON);
    make_steps(&mut run, 1);
    // 200 m/s² for a step.
    assert!((run.world().walls()[2].velocity.z + 0.2).abs() < 1e-12);
    make_steps(&mut run, 9);
    assert!((run.world().walls()[2].velocity.z + 0.3).abs() < 1e-12, "its largest speed");
    make_steps(&mut run, 1000);
    let (mut lid, mut floor) = (0.0, 0.0);
    for _ in 0..100 {
        run.step().unwrap();
        lid -= force(run.world(), 2) / 100.0;
        floor += force(run.world(), 0) / 100.0;
    }
    let grains = run.world().grains();
    let weight: f64 = 9.81 * (0..40).map(|index| grains.mass(index)).sum::<f64>();
    assert!((lid - 20.0).abs() < 0.02, "{lid} N");
    // The pipe is smooth and carries nothing.
    assert!((floor - 20.0 - weight).abs() < 0.1, "{floor} N of 20 N and {weight} N");
}

#[test]
fn a_piston_that_is_resumed_goes_on_with_the_same_bits() {
    let mut whole = run_of(PISTON);
    make_steps(&mut whole, 150);
    let state = World::from_state(whole.world().state()).unwrap();
    let mut resumed = run_of(PISTON).resume(state).unwrap();
    for run in [&mut whole, &mut resumed] {
        make_steps(run, 150);
    }
    assert!(whole.world().state() == resumed.world().state(), "the same bits");
}

#[test]
fn a_larger_scene_has_a_piston_of_the_same_pressure_per_weight() {
    let scene = Scene::from_toml_str(&format!("{BIN}{PISTON}")).unwrap().scaled(2.0).unwrap();
    let servo = scene.walls[2].servo.unwrap();
    let found = [servo.force, servo.mass, servo.speed];
    let off = found.iter().zip([160.0, 0.8, 0.3]).map(|(found, expected)| (found - expected).abs());
    assert!(off.fold(0.0, f64::max) < 1e-12, "{servo:?}");
}
