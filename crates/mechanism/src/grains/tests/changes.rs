//! What a scene has only at some times: walls, gravity, removal.

use percussion_granular::World;

use super::*;

/// A grain that begins 1 cm above a thin shelf and one 10 cm above it; the shelf is there from 0.1 s to 0.3 s.
const SHELF: &str = "[[walls]]\nname = 'shelf'\nappears = 0.1\nvanishes = 0.3\n\
     shape.cone = { from = [0, 0, 1], to = [0, 0, 1], radii = [0, 1] }\n\
     [[insert]]\nlattice = { count = 1, shake = 0 }\nregion.box = { low = [0, 0, 1.01], high = [0.011, 0.011, 1.021] }\n\
     [[insert]]\nlattice = { count = 1, shake = 0 }\nregion.box = { low = [0, 0, 1.1], high = [0.011, 0.011, 1.111] }\n";

fn height(run: &Run, index: usize) -> f64 {
    run.world().grains().positions()[index].z
}

#[test]
fn a_wall_is_there_from_when_it_appears_until_it_vanishes() {
    let mut run = run_of(SHELF);
    let start = [0, 1].map(|index| height(&run, index));
    // Velocities first, positions with them: a step of 1 ms adds half of `g t h` to a fall of `t`.
    let fallen = |time: f64| 0.5 * 9.81 * time * (time + 1e-3);
    make_steps(&mut run, 300);
    assert!((height(&run, 0) - (start[0] - fallen(0.3))).abs() < 1e-12, "it passed before");
    let rest = height(&run, 1);
    assert!((rest - 1.005).abs() < 1e-5, "it lies on the shelf: {rest} m");
    make_steps(&mut run, 100);
    assert!((height(&run, 1) - (rest - fallen(0.1))).abs() < 1e-12, "it falls again");
}

#[test]
fn gravity_changes_and_grains_are_taken_out_once_at_their_time() {
    let text = "[[insert]]\nrandom.count = 30\nregion.box = { low = [0, 0, 2], high = [0.1, 0.1, 3] }\n\
         [[remove]]\nbehind = { point = [0, 0, 2.4], normal = [0, 0, 1] }\ntime = 0.1\n\
         [[changes]]\ntime = 0.2\ngravity = [3, 0, 0]\n[[changes]]\ntime = 0.3\ngravity = [0, -5, 0]\n";
    let mut run = run_of(text);
    make_steps(&mut run, 100);
    let below = run.world().grains().positions().iter().filter(|place| place.z < 2.4).count();
    assert!(below > 5 && run.world().grains().len() == 30, "{below} below, and none is taken out");
    make_steps(&mut run, 1);
    assert_eq!(run.world().grains().len(), 30 - below, "the removal of 0.1 s");
    make_steps(&mut run, 299);
    assert_eq!(run.world().grains().len(), 30 - below, "only once");
    for index in 0..30 - below {
        let off = run.world().grains().velocity(index) - Vector3::new(0.3, -0.5, -1.962);
        assert!(
            off.norm() < 1e-12,
            "0.2 s of the first, 0.1 s of the second, 0.1 s of the third: {off}"
        );
    }
}

#[test]
fn a_run_resumed_before_or_after_a_change_has_the_same_bits() {
    let text = format!("{SHELF}[[changes]]\ntime = 0.2\ngravity = [3, 0, -9]\n");
    for pause in [50, 100, 150, 200, 250, 300, 350] {
        let mut whole = run_of(&text);
        make_steps(&mut whole, pause);
        let state = World::from_state(whole.world().state()).unwrap();
        let mut resumed = run_of(&text).resume(state).unwrap();
        for run in [&mut whole, &mut resumed] {
            make_steps(run, 400 - pause);
        }
        assert!(whole.world().state() == resumed.world().state(), "after {pause} steps");
    }
}

#[test]
fn the_drum_of_lammps_is_filled_closed_and_turned() {
    let (_, text) = BUILT_IN.iter().find(|(name, _)| *name == "pour-drum").unwrap();
    let fewer = text.replace("count = 1200", "count = 120").replace("count = 700", "count = 70");
    let mut run = Run::new(Scene::from_toml_str(&fewer).unwrap(), here()).unwrap();
    assert_eq!(run.world().grains().len(), 400, "a tenth of the deck's");
    make_steps(&mut run, 1001);
    let kept = run.world().grains().len();
    // The layer at the top has fallen from 47.3 m and more, at 3.7 m/s at first: by 27.3 m in 2 s.
    assert_eq!(kept, 280, "all but those of the top layer are below 10 m");
    make_steps(&mut run, 1499);
    let world = run.world();
    assert_eq!(world.grains().len(), kept, "it is closed");
    assert!((world.walls()[0].angular_velocity.z - 0.1 * std::f64::consts::PI).abs() < 1e-15);
    let inside = |place: &Vector3<f64>| {
        (0.0..20.0).contains(&place.z) && (place.x - 15.0).hypot(place.y - 15.0) < 15.0
    };
    assert!(world.grains().positions().iter().all(inside));
    let mean = world.grains().positions().iter().map(|place| place.y).sum::<f64>() / kept as f64;
    assert!(mean < 3.0, "it lies on its side: {mean} m");
}

#[test]
fn gravity_beyond_its_range_is_refused_before_the_run() {
    let error = |gravity: &str| {
        let text = format!("{BIN}[[changes]]\ntime = 0.2\ngravity = {gravity}\n");
        format!("{:?}", Scene::from_toml_str(&text).unwrap_err())
    };
    for gravity in ["[0, 0, -1e300]", "[0, inf, 0]"] {
        assert!(error(gravity).contains("changes[0].gravity"), "{}", error(gravity));
    }
}
