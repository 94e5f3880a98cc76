//! The scenes do what their names say.

use percussion_granular::{Report, Settings, World, scenes};

const VALID: &str = "a valid scene with slow grains";

fn run(world: &mut World, seconds: f64, mut watch: impl FnMut(&World, &Report)) {
    let end = world.time() + seconds;
    while world.time() < end {
        let report = world.step().expect(VALID);
        watch(world, &report);
    }
}

#[test]
fn a_column_settles_and_rests_on_the_floor_with_its_weight() {
    let mut world = scenes::column(0.01, 6, 8).expect(VALID);
    let mass: f64 = (0..world.grains().len()).map(|i| world.grains().mass(i)).sum();
    let weight = mass * 9.81 * world.settings().step_size;
    let mut deepest: f64 = 0.0;
    run(&mut world, 0.6, |_, report| deepest = deepest.max(report.overlap));
    assert!(deepest <= 1e-2 * 0.01, "{deepest} m while it falls together");
    assert!(world.overlap() <= 1e-3 * 0.01, "{} m at rest", world.overlap());
    let (mut push, mut steps) = (0.0, 0.0);
    run(&mut world, 0.1, |_, report| {
        push += report.wall_impulse.z;
        steps += 1.0;
    });
    assert!((push / steps / weight - 1.0).abs() < 1e-2, "{} of the weight", push / steps / weight);
}

/// Taking back overlaps must not let it creep: two sweeps for that would let it sink by a diameter every few seconds.
#[test]
fn a_column_of_little_friction_comes_to_rest() {
    let diameter = 0.1;
    let mut world = scenes::column(diameter, 5, 25).expect(VALID);
    let settings =
        Settings { friction: 0.1, step_size: 1e-3, max_sweeps: 10, ..Settings::default() };
    world.set_settings(settings).expect(VALID);
    let height = |world: &World| {
        let grains = world.grains().positions();
        grains.iter().map(|x| x.z).sum::<f64>() / grains.len() as f64
    };
    run(&mut world, 2.0, |_, _| {});
    let before = height(&world);
    let mut deepest: f64 = 0.0;
    run(&mut world, 1.0, |_, report| deepest = deepest.max(report.overlap));
    assert!(deepest <= 1e-3 * diameter, "{deepest} m");
    assert!(before - height(&world) <= 1e-2 * diameter, "from {before} m to {} m", height(&world));
}

#[test]
fn a_dam_breaks_along_the_trough() {
    let mut world = scenes::dam_break(0.01, [8, 4, 10]).expect(VALID);
    let start = world.energy();
    run(&mut world, 0.5, |_, _| {});
    let front = world.grains().positions().iter().map(|x| x.x).fold(0.0, f64::max);
    assert!(front > 0.13, "from 0.084 m to {front} m");
    assert!(world.energy() < 0.6 * start, "it has fallen");
    assert!(world.grains().positions().iter().all(|x| x.z > 0.0049), "none below the floor");
}

#[test]
fn a_drum_lifts_its_grains_on_the_rising_side() {
    let mut world = scenes::drum(0.01, 0.08, 4, 2.0).expect(VALID);
    let count = world.grains().len();
    let mut work = 0.0;
    run(&mut world, 1.5, |_, report| work += report.wall_work);
    // Its lowest point moves toward −x.
    let mean = world.grains().first_moment().x;
    assert!(mean < 0.0, "the heap leans to the rising side");
    assert!(work > 0.0, "the drum does work");
    assert_eq!(world.grains().len(), count);
    let farthest = world.grains().positions().iter().map(|x| x.xz().norm()).fold(0.0, f64::max);
    assert!(farthest < 0.08 - 0.0049, "all inside");
}

#[test]
fn a_hopper_runs_empty_through_its_slot_unless_that_is_too_narrow() {
    let leave = |outlet: f64| {
        let mut world = scenes::hopper(0.01, outlet, [10, 4, 6]).expect(VALID);
        let (count, mut left) = (world.grains().len(), 0);
        for _ in 0..20 {
            run(&mut world, 0.1, |_, _| {});
            left += world.remove(|grain| grain.position.z < -0.05);
        }
        assert_eq!(world.grains().len() + left, count, "none is lost on the way");
        left
    };
    assert!(leave(0.05) > 200, "most of 240 leave");
    assert_eq!(leave(0.009), 0);
}

#[test]
fn the_test_666_never_gains_energy_and_never_overlaps() {
    let mut world = scenes::six_by_six_by_six().expect(VALID);
    let (start, diameter) = (world.energy(), 0.2);
    for step in 0..10_000 {
        let before = world.energy();
        let report = world.step().expect(VALID);
        let gain = world.energy() - before;
        assert!(gain <= report.lifting.max(0.0) + 1e-15 * start, "step {step} gains {gain} J");
        assert!(report.overlap <= 1e-3 * diameter, "step {step}: {} m", report.overlap);
    }
    assert!(world.overlap() <= 1e-5 * diameter, "{} m at the end", world.overlap());
}
