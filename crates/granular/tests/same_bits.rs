//! The result does not depend on the number of threads.

use nalgebra::Vector3;
use percussion_granular::{Error, Grain, Settings, Wall, World};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALID: &str = "settings, walls, grains and steps are valid";

/// 3000 balls fall into a trough, enough for several slabs; some leave and some come in on the way.
fn run() -> (World, Vec<f64>) {
    let wall = |normal: Vector3<f64>| Wall::plane(Vector3::zeros(), normal, 0.5);
    let walls = vec![wall(Vector3::z()), wall(Vector3::new(0.0, 1.0, 0.2))];
    let mut world =
        World::new(Settings { max_sweeps: 10, ..Settings::default() }, walls).expect(VALID);
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for k in 0..3000 {
        let node = Vector3::new(k % 30, k / 30 % 10, k / 300).map(f64::from);
        let shake = Vector3::from_fn(|_, _| random.random_range(0.0..0.01));
        let position = 0.105 * node + shake + Vector3::repeat(0.06);
        world.add(&Grain::at(position, random.random_range(0.04..0.05), 1.0)).expect(VALID);
    }
    let mut residuals = Vec::new();
    for step in 0..150 {
        if step % 50 == 20 {
            world.remove(|grain| grain.position.x > 3.0);
            world.add(&Grain::at(Vector3::new(0.5, 0.5, 2.0), 0.05, 1.0)).expect(VALID);
        }
        residuals.push(world.step().expect(VALID).residual);
    }
    (world, residuals)
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect(VALID)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (one, residuals) = pool(1).install(run);
    for threads in [2, 3] {
        let (other, others) = pool(threads).install(run);
        assert_eq!(one.grains(), other.grains(), "{threads} threads");
        assert_eq!(residuals, others, "{threads} threads");
    }
}

/// Threads that wait for work of one world must not hold up the other world.
#[test]
fn worlds_that_share_a_pool_do_not_wait_for_each_other() {
    let two = || rayon::join(run, run);
    let worlds =
        pool(3).install(|| rayon::join(|| rayon::join(two, two), || rayon::join(two, two)));
    let ((one, two), (three, four)) = worlds;
    for ((left, _), (right, _)) in [one, two, three, four] {
        assert_eq!(left.grains(), right.grains());
    }
}

/// 24 000 balls in a row of heaps, enough for the waves of two threads; sweeps end early or are all made.
fn long(threads: usize, tolerance: f64) -> (World, Vec<(usize, f64, f64)>) {
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.5);
    let settings = Settings { max_sweeps: 12, tolerance, ..Settings::default() };
    let mut world = World::new(settings, vec![floor]).expect(VALID);
    let mut random = ChaCha8Rng::seed_from_u64(8);
    for k in 0..24_000 {
        let node = Vector3::new(k / 6, k % 3, k / 3 % 2).map(f64::from);
        let shake = Vector3::from_fn(|_, _| random.random_range(0.0..0.01));
        let position = 0.095 * node + shake + Vector3::repeat(0.05);
        world.add(&Grain::at(position, random.random_range(0.04..0.05), 1.0)).expect(VALID);
    }
    let pool = pool(threads);
    let mut step = || {
        let report = pool.install(|| world.step().expect(VALID));
        (report.sweeps, report.residual, report.overlap)
    };
    let reports = (0..8).map(|_| step()).collect();
    (world, reports)
}

#[test]
fn waves_through_many_slabs_give_the_bits_of_one_phase_after_another() {
    for tolerance in [0.0, 0.3] {
        // With 64 threads the pieces are too small for waves.
        let (expected, reports) = long(64, tolerance);
        assert!(tolerance > 0.0 || reports.iter().all(|(sweeps, ..)| *sweeps == 12));
        for threads in [1, 2] {
            let (found, others) = long(threads, tolerance);
            assert_eq!(found.grains(), expected.grains(), "{threads} threads");
            assert_eq!(others, reports, "{threads} threads");
        }
    }
}

#[test]
fn a_world_continues_from_its_state_with_the_same_bits() {
    let (mut world, _) = pool(1).install(run);
    // With and without a search for pairs that is due.
    for leave in [false, true] {
        if leave {
            world.remove(|grain| grain.position.x > 2.9);
        }
        let mut twin = World::from_state(world.state()).unwrap();
        for _ in 0..30 {
            assert_eq!(world.step().unwrap(), twin.step().unwrap());
        }
        assert_eq!(world.state(), twin.state());
    }
}

#[test]
fn a_state_that_does_not_fit_together_is_refused() {
    let (world, _) = pool(1).install(run);
    let state = world.state();
    let refused = |change: &dyn Fn(&mut percussion_granular::State)| {
        let mut broken = state.clone();
        change(&mut broken);
        World::from_state(broken).unwrap_err()
    };
    let error = refused(&|state| state.radii.truncate(7));
    assert_eq!(error, Error::Length { name: "radii", found: 7, expected: state.radii.len() });
    let error = refused(&|state| state.pairs[0] = [5, 3]);
    assert!(matches!(error, Error::Place { name: "pairs", .. }), "{error}");
    let error = refused(&|state| state.wall_pairs[0][1] = 2);
    assert_eq!(error, Error::Place { name: "wall_pairs", found: 2, limit: 2 });
    let error = refused(&|state| state.positions[4][1] = f64::NAN);
    assert!(matches!(error, Error::Grain { name: "position", .. }), "{error}");
}

/// A thread of the pool that is blocked, as that which waits here for the other one, takes part in no step.
#[test]
fn a_step_does_not_wait_for_a_thread_that_is_blocked() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let pool = pool(3);
    pool.spawn(move || {
        let _ = receiver.recv();
    });
    let (world, _) = pool.install(run);
    assert!(world.grains().len() > 2000);
    sender.send(()).expect("the thread waits for this");
}
