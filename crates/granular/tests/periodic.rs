//! Worlds that repeat themselves: nothing depends on where the faces are, momentum is kept, and shear is that of images
//! that move.

use nalgebra::Vector3;
use percussion_granular::{
    Domain, Error, Grain, Periods, Settings, Share, Wall, World,
    checkpoint::{self, Checkpoint},
    decomposition::{Partition, Subdomain, in_process},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALID: &str = "settings, walls, grains and steps are valid";

/// Velocity of both colliding balls, by which they pass through a face (m/s).
const RISE: Vector3<f64> = Vector3::new(0.0, 0.0, 0.9);

fn weightless() -> Settings {
    Settings { gravity: Vector3::zeros(), tolerance: 1e-12, ..Settings::default() }
}

fn cube(edge: f64) -> Periods {
    Periods::new(Vector3::zeros(), [Some(edge); 3])
}

/// Two balls of 0.1 m that graze each other at `at`, in a world that repeats itself or not.
fn graze(periods: Option<Periods>, at: Vector3<f64>, extra: Vector3<f64>) -> World {
    let mut world = match periods {
        Some(periods) => World::periodic(weightless(), vec![], periods),
        None => World::new(weightless(), vec![]),
    }
    .expect(VALID);
    let aside = Vector3::new(0.11, 0.05, 0.08);
    for side in [-1.0, 1.0] {
        let mut ball = Grain::at(at + side * aside, 0.1, 1.0);
        ball.velocity = -side * Vector3::new(0.6, 0.1, 0.4) + 0.5 * (1.0 + side) * extra + RISE;
        ball.angular_velocity = Vector3::new(1.0, 2.0, 3.0);
        world.add(&ball).expect(VALID);
    }
    for _ in 0..400 {
        world.step().expect(VALID);
    }
    world
}

/// Velocities and angular velocities in the order of the identities.
fn motions(world: &World) -> Vec<(Vector3<f64>, Vector3<f64>)> {
    let grains = world.grains();
    let mut all: Vec<_> = (0..grains.len()).collect();
    all.sort_by_key(|&k| grains.identities()[k]);
    all.into_iter().map(|k| (grains.velocity(k), grains.angular_velocity(k))).collect()
}

fn assert_same(one: &World, other: &World, jumps: [Vector3<f64>; 2], what: &str) {
    for (k, ((v, w), (v2, w2))) in motions(one).into_iter().zip(motions(other)).enumerate() {
        let apart = (v - v2 - jumps[k]).amax().max(0.1 * (w - w2).amax());
        assert!(apart < 1e-12, "{what}: grain {k} is off by {apart}");
    }
}

#[test]
fn a_collision_across_faces_edges_and_corners_is_that_in_the_middle() {
    let free = graze(None, Vector3::zeros(), Vector3::zeros());
    assert!(
        (motions(&free)[0].0 - Vector3::new(0.6, 0.1, 0.4) - RISE).norm() > 0.1,
        "they have collided"
    );
    for (x, y, z) in [(0.5, 0.5, 0.5), (0.0, 0.5, 0.5), (0.0, 0.0, 0.5), (1.0, 0.0, 1.0)] {
        let at = Vector3::new(x, y, z);
        let across = graze(Some(cube(1.0)), at, Vector3::zeros());
        assert_same(&across, &free, [Vector3::zeros(); 2], &format!("at {at}"));
        let place = across.grains().positions()[0];
        assert!(place.amin() > -0.2 && place.amax() < 1.2, "{place} has come in again");
    }
}

/// In the frame of the box the images above move by the shear, so that the upper ball of the free collision has it in
/// addition, and loses it when it is seen in the box.
#[test]
fn a_collision_with_a_sheared_image_is_that_with_a_moving_ball() {
    let shear = Vector3::new(-0.3, 0.0, 0.0);
    let free = graze(None, Vector3::zeros(), shear);
    let mut world = World::periodic(weightless(), vec![], cube(1.0).sheared(shear.x)).expect(VALID);
    for (side, z) in [(-1.0, 1.0), (1.0, 0.0)] {
        // The upper ball begins at the bottom of the box, as that whose image is above.
        let at = Vector3::new(0.7, 0.5, z) + side * Vector3::new(0.11, 0.05, 0.08);
        let mut ball = Grain::at(at, 0.1, 1.0);
        ball.velocity = -side * Vector3::new(0.6, 0.1, 0.4) + RISE;
        ball.angular_velocity = Vector3::new(1.0, 2.0, 3.0);
        world.add(&ball).expect(VALID);
    }
    for _ in 0..400 {
        world.step().expect(VALID);
    }
    let periods = world.periods().expect("it repeats itself");
    assert!((periods.offset.rem_euclid(1.0) - 0.88).abs() < 1e-12, "{}", periods.offset);
    // Each may have come in through the top or the bottom since.
    let heights = |world: &World| {
        let grains = world.grains();
        let mut all: Vec<_> = grains.identities().iter().zip(grains.positions()).collect();
        all.sort_by_key(|(identity, _)| **identity);
        [all[0].1.z, all[1].1.z]
    };
    let (here, free_here) = (heights(&world), heights(&free));
    let jumps = [0, 1].map(|k| -(free_here[k] + 1.0 - here[k]).round() * shear);
    assert_ne!(jumps, [Vector3::zeros(); 2], "a ball has come in through another face");
    assert_same(&world, &free, jumps, "sheared");
}

/// A dense box of unequal balls that fly about.
fn gas(periods: Periods, count: usize) -> World {
    let settings = Settings { max_sweeps: 20, ..weightless() };
    let mut world = World::periodic(settings, vec![], periods).expect(VALID);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for k in 0..count {
        let node = Vector3::new(k % 12, k / 12 % 12, k / 144).map(|n| n as f64);
        let mut ball = Grain::at(0.1 * node + Vector3::repeat(0.05), 0.045, 1.0);
        ball.velocity = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
        ball.radius = random.random_range(0.035..0.045);
        ball.mass = ball.radius.powi(3) * 1e4;
        world.add(&ball).expect(VALID);
    }
    world
}

#[test]
fn momentum_is_kept_and_no_energy_is_gained() {
    let mut world = gas(cube(1.2), 1728);
    let (start, mut energy) = (world.grains().momentum(), world.energy());
    let mut contacts = 0;
    for _ in 0..100 {
        contacts += world.step().expect(VALID).contacts;
        let now = world.energy();
        assert!(now <= energy * (1.0 + 1e-12), "{now} after {energy}");
        energy = now;
    }
    assert!(contacts > 1000, "{contacts} contacts");
    let size: f64 = (0..1728).map(|k| world.grains().mass(k)).sum();
    assert!((world.grains().momentum() - start).amax() < 1e-12 * size);
    assert!(world.overlap() < 0.01, "{}", world.overlap());
}

#[test]
fn a_sheared_box_keeps_its_bits_over_states_files_and_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect(VALID);
        let mut world = gas(cube(1.2).sheared(0.5), 1728);
        pool.install(|| (0..60).for_each(|_| _ = world.step().expect(VALID)));
        world
    };
    let (mut world, other) = (run(1), run(2));
    assert_eq!(world.state(), other.state());
    let bytes = checkpoint::encode(&Checkpoint { note: String::new(), state: world.state() });
    let read = checkpoint::decode(&bytes).expect("a whole file").state;
    assert_eq!(read, world.state());
    assert!(!read.image_pairs.is_empty(), "there are pairs across faces");
    let mut twin = World::from_state(read).expect("a valid state");
    for _ in 0..30 {
        assert_eq!(world.step().expect(VALID), twin.step().expect(VALID));
    }
    assert_eq!(world.state(), twin.state());
}

/// A tower of balls whose feet stand on the floor left and right of a face carries its weight.
#[test]
fn impulses_across_a_face_are_handed_over_when_pairs_are_searched() {
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.5);
    let settings = Settings { tolerance: 1e-9, ..Settings::default() };
    let periods = Periods::new(Vector3::zeros(), [Some(1.0), None, None]);
    let mut world = World::periodic(settings, vec![floor], periods).expect(VALID);
    for (x, z) in [(0.9, 0.1), (0.1, 0.1), (0.0, 0.1 + 0.2 * 0.75_f64.sqrt())] {
        world.add(&Grain::at(Vector3::new(x, 0.0, z), 0.1, 1.0)).expect(VALID);
    }
    let mut sweeps = 0;
    for _ in 0..300 {
        sweeps = world.step().expect(VALID).sweeps;
    }
    assert!(world.grains().kinetic_energy() < 1e-12);
    assert!(world.touches().count() >= 4, "two feet, and the top on both");
    // Contacts that begin from their impulses are solved at once, also after a search.
    let state = percussion_granular::State { current: false, ..world.state() };
    let mut twin = World::from_state(state).expect("a valid state");
    assert!(twin.step().expect(VALID).sweeps <= sweeps + 2);
}

#[test]
fn wrong_boxes_are_refused() {
    let refused = |periods: Periods| {
        World::periodic(Settings::default(), vec![], periods).unwrap_err().to_string()
    };
    let open = Periods::new(Vector3::zeros(), [Some(1.0), None, None]);
    assert!(refused(open.sheared(1.0)).contains("periods.shear"));
    assert!(refused(cube(-1.0)).contains("`periods.edges` is -1.0, expected"));
    assert!(refused(Periods { offset: f64::NAN, ..cube(1.0) }).contains("`periods` is NaN"));

    let mut world = World::periodic(Settings::default(), vec![], cube(0.5)).expect(VALID);
    world.add(&Grain::at(Vector3::zeros(), 0.15, 1.0)).expect(VALID);
    let before = world.state();
    let error = world.step().unwrap_err().to_string();
    assert_eq!(world.state(), before, "the world is unchanged");
    assert!(error.contains("`periods.edges` is 0.5, expected more than twice"), "{error}");

    let mut state = gas(cube(1.2), 100).state();
    (state.image_pairs, state.image_nodes) = (vec![[0, 1]], vec![[1, 0, 0]]);
    assert!(matches!(World::from_state(state.clone()), Err(Error::Length { .. })));
    state.image_impulses = vec![[0.0; 3]];
    assert!(matches!(World::from_state(state), Err(Error::Place { .. })));
    let partition = Partition::new([vec![0.6], vec![], vec![]]).expect(VALID);
    let rank = in_process(2).remove(0);
    let mut part =
        Subdomain::new(Settings::default(), vec![], partition.clone(), rank).expect(VALID);
    let share = Share { partition, ..Share::alone(gas(cube(1.2), 100).state()) };
    let error = part.restore(share).unwrap_err().to_string();
    assert!(error.contains("`boxes along x` is 2"), "{error}");
}
