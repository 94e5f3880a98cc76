//! Resistance to rolling and spinning beside closed forms of single balls, and through states, threads, ranks and faces.

use nalgebra::Vector3;
use percussion_granular::{
    Domain, Grain, Interaction, Materials, Periods, Settings, Wall, World,
    checkpoint::{Checkpoint, decode, encode, restore_together, save},
    decomposition::{Partition, Subdomain, in_process},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALID: &str = "the scene is valid";
const G: f64 = 9.81;
const STEP: f64 = 1e-3;
const RADIUS: f64 = 0.1;
const ROLLING: f64 = 2e-3;
const SPINNING: f64 = 1e-3;

fn rough() -> Interaction {
    Interaction { friction: 0.5, rolling: ROLLING, spinning: SPINNING, ..Interaction::default() }
}

fn exact(gravity: Vector3<f64>) -> Settings {
    Settings {
        step_size: STEP,
        gravity,
        max_sweeps: 20_000,
        tolerance: 1e-14,
        ..Settings::default()
    }
}

fn floor() -> Wall {
    Wall::plane(Vector3::zeros(), Vector3::z(), 0.0)
}

fn world(settings: Settings, walls: Vec<Wall>, interaction: Interaction) -> World {
    let mut world = World::new(settings, walls).expect(VALID);
    world.set_materials(Materials::uniform(interaction)).expect(VALID);
    world
}

/// A ball of 3 kg on the floor under gravity that leans by an angle along `x`.
fn ball_on_floor(angle: f64, velocity: Vector3<f64>, angular_velocity: Vector3<f64>) -> World {
    let gravity = G * Vector3::new(angle.sin(), 0.0, -angle.cos());
    let mut world = world(exact(gravity), vec![floor()], rough());
    let ball = Grain::at(Vector3::new(0.0, 0.0, RADIUS), RADIUS, 3.0);
    world.add(&Grain { velocity, angular_velocity, ..ball }).expect(VALID);
    world
}

#[test]
fn a_rolling_ball_stops_by_five_sevenths_of_its_resistance_without_slip() {
    let speed = 0.31;
    let direction = Vector3::new(0.6, 0.8, 0.0);
    let mut world =
        ball_on_floor(0.0, speed * direction, speed / RADIUS * Vector3::z().cross(&direction));
    let brake = 5.0 / 7.0 * ROLLING * G / RADIUS;
    for step in 1..=2500_u32 {
        world.step().expect(VALID);
        let grains = world.grains();
        let expected = (speed - brake * STEP * f64::from(step)).max(0.0);
        let off = grains.velocity(0) - expected * direction;
        assert!(off.norm() < 1e-10, "step {step}: {off}");
        let slip = grains.velocity(0) - grains.angular_velocity(0).cross(&(RADIUS * Vector3::z()));
        assert!(slip.norm() < 1e-10, "step {step}: {slip}");
    }
    let way = world.grains().positions()[0].xy().norm();
    let expected = speed * speed / (2.0 * brake);
    assert!((way - expected).abs() < speed * STEP, "{way} and {expected} m");
}

#[test]
fn a_spinning_ball_slows_by_its_own_bound_and_does_not_roll() {
    let mut world = ball_on_floor(0.0, Vector3::zeros(), 5.0 * Vector3::z());
    let inertia = 0.4 * 3.0 * RADIUS * RADIUS;
    for step in 1..=2500_u32 {
        world.step().expect(VALID);
        let expected = (5.0 - SPINNING * 3.0 * G / inertia * STEP * f64::from(step)).max(0.0);
        let off = world.grains().angular_velocity(0) - expected * Vector3::z();
        assert!(off.norm() < 1e-9, "step {step}: {off}");
    }
    assert!(world.grains().velocity(0).norm() < 1e-10);
}

#[test]
fn a_ball_rests_on_a_slope_up_to_the_bound_and_rolls_beyond_it() {
    let edge = (ROLLING / RADIUS).atan();
    for factor in [0.5, 0.99, 1.01, 3.0] {
        let angle = factor * edge;
        let mut world = ball_on_floor(angle, Vector3::zeros(), Vector3::zeros());
        for _ in 0..1000 {
            world.step().expect(VALID);
        }
        let pull = G * angle.sin() - ROLLING / RADIUS * G * angle.cos();
        let expected = 5.0 / 7.0 * pull.max(0.0);
        let found = world.grains().velocity(0).x;
        assert!((found - expected).abs() < 1e-9, "{factor}: {found} and {expected} m/s");
    }
}

/// Balls of different size that meet head-on without friction, elastically, while each turns: many pairs, so that packs are full.
fn pairs<D: Domain>(domain: &mut D) {
    let interaction = Interaction { friction: 0.0, restitution: 1.0, ..rough() };
    domain.set_materials(Materials::uniform(interaction)).expect(VALID);
    for row in 0..40_u32 {
        for (x, radius, mass, speed, turn) in BALLS {
            let grain = Grain::at(Vector3::new(x, f64::from(row), 0.0), radius, mass);
            let velocity = Vector3::new(faster(row.into()) * speed, 0.0, 0.0);
            domain.add(&Grain { velocity, angular_velocity: turn.into(), ..grain }).expect(VALID);
        }
    }
    for _ in 0..30 {
        domain.step().expect(VALID);
    }
}

/// Place, radius, mass, velocity and angular velocity.
const BALLS: [(f64, f64, f64, f64, [f64; 3]); 2] =
    [(-0.11, 0.1, 1.0, 1.0, [3.0, 0.0, 4.0]), (0.21, 0.2, 2.0, -1.0, [-1.0, 0.0, 0.0])];

fn faster(row: u64) -> f64 {
    0.8 + 0.01 * row as f64
}

fn check_pair(identity: u64, angular_velocity: Vector3<f64>) {
    let (_, radius, mass, _, turn) = BALLS[usize::from(identity % 2 == 1)];
    // m_1 m_2/(m_1 + m_2) = 2/3 kg that turn round a speed of twice as much.
    let impulse = 2.0 / 3.0 * 2.0 * 2.0 * faster(identity / 2);
    let sign = if identity.is_multiple_of(2) { 1.0 } else { -1.0 };
    let moment = impulse * Vector3::new(SPINNING, 0.0, ROLLING);
    let expected = Vector3::from(turn) - sign * moment / (0.4 * mass * radius * radius);
    let off = angular_velocity - expected;
    assert!(off.norm() < 1e-10, "{identity}: {off}");
}

#[test]
fn two_balls_lose_turns_by_their_bounds_times_the_impulse() {
    let mut world = World::new(exact(Vector3::zeros()), vec![]).expect(VALID);
    pairs(&mut world);
    let grains = world.grains();
    for index in 0..grains.len() {
        check_pair(grains.identities()[index], grains.angular_velocity(index));
    }
}

#[test]
fn balls_of_two_ranks_lose_the_same_turns() {
    let meet = |exchange| {
        let partition = Partition::new([vec![0.0], vec![], vec![]]).expect(VALID);
        let settings = exact(Vector3::zeros());
        let mut part = Subdomain::new(settings, vec![], partition, exchange).expect(VALID);
        pairs(&mut part);
        part.grains().collect::<Vec<_>>()
    };
    let run = || {
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                in_process(2).into_iter().map(|rank| scope.spawn(move || meet(rank))).collect();
            threads.into_iter().map(|thread| thread.join().expect(VALID)).collect::<Vec<_>>()
        })
    };
    let found = run();
    for (identity, grain) in found.iter().flatten() {
        check_pair(*identity, grain.angular_velocity);
    }
    assert!(found.iter().all(|grains| grains.len() == 40), "each has one of every pair");
    assert_eq!(found, run(), "the same bits");
}

fn energy(world: &World) -> f64 {
    world.energy() + 0.5 * STEP * world.settings().gravity.dot(&world.grains().momentum())
}

/// Turning grains of three sizes that fall into a bowl whose floor turns.
fn heap<D: Domain>(domain: &mut D, [long, wide, high]: [u32; 3]) {
    domain
        .set_materials(Materials::uniform(Interaction { restitution: 0.2, ..rough() }))
        .expect(VALID);
    let random = &mut ChaCha8Rng::seed_from_u64(5);
    for k in 0..long * wide * high {
        let node = Vector3::new(k % long, k / long % wide, k / (long * wide)).map(f64::from);
        let shake = Vector3::from_fn(|_, _| random.random_range(0.0..0.01));
        let radius = 0.1 - 0.01 * f64::from(k % 3);
        let angular_velocity = Vector3::from_fn(|_, _| random.random_range(-9.0..9.0));
        let grain = Grain::at(0.22 * node.add_scalar(0.5) + shake, radius, 1.0);
        domain.add(&Grain { angular_velocity, ..grain }).expect(VALID);
    }
}

fn bowl([long, wide, _]: [u32; 3]) -> Vec<Wall> {
    let far = 0.22 * Vector3::new(f64::from(long), f64::from(wide), 0.0).add_scalar(0.3);
    let turning = floor().turning(Vector3::new(0.5, 0.5, 0.0), 0.5 * Vector3::z());
    let side = |point, normal| Wall::plane(point, normal, 0.0);
    vec![
        turning,
        side(Vector3::zeros(), Vector3::x()),
        side(Vector3::zeros(), Vector3::y()),
        side(far, -Vector3::x()),
        side(far, -Vector3::y()),
    ]
}

fn quick() -> Settings {
    Settings { max_sweeps: 12, ..Settings::default() }
}

#[test]
fn moments_only_take_energy_and_the_balance_of_a_step_counts_them() {
    let settings = Settings { tolerance: 1e-10, max_sweeps: 4000, ..Settings::default() };
    let mut walls = bowl([4, 4, 3]);
    walls[0] = floor();
    let mut world = World::new(settings, walls).expect(VALID);
    heap(&mut world, [4, 4, 3]);
    world.set_materials(Materials::uniform(rough())).expect(VALID);
    let start = energy(&world);
    for step in 0..300 {
        let before = (energy(&world), world.energy());
        let velocities: Vec<_> =
            (0..48).map(|k| (world.grains().identities()[k], world.grains().grain(k))).collect();
        let report = world.step().expect(VALID);
        let lifted = before.0 + report.lifting;
        assert!(energy(&world) <= lifted + 1e-9 * start, "step {step}");
        let mut changes = 0.0;
        for k in 0..48 {
            let now = world.grains().grain(k);
            let (_, then) = velocities
                .iter()
                .find(|(id, _)| *id == world.grains().identities()[k])
                .expect(VALID);
            let turn = 0.4
                * now.radius
                * now.radius
                * (now.angular_velocity - then.angular_velocity).norm_squared();
            changes += 0.5 * now.mass * ((now.velocity - then.velocity).norm_squared() + turn);
        }
        let found = world.energy() - before.1;
        let expected = report.contact_work + report.lifting - changes;
        assert!((found - expected).abs() < 1e-10 * start, "step {step}: {found} and {expected} J");
    }
}

#[test]
fn a_heap_that_resists_rolling_has_the_same_bits_on_any_threads_and_from_its_checkpoint() {
    let size = [60, 8, 4];
    let run = |threads: usize, pause: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect(VALID);
        pool.install(|| {
            let mut world = World::new(quick(), bowl(size)).expect(VALID);
            heap(&mut world, size);
            for step in 0..150 {
                if pause == Some(step) {
                    let file = encode(&Checkpoint { note: String::new(), state: world.state() });
                    world = World::from_state(decode(&file).expect(VALID).state).expect(VALID);
                }
                world.step().expect(VALID);
            }
            world.state()
        })
    };
    let one = run(1, None);
    assert!(one.slabs.len() > 2, "{}", one.slabs.len());
    assert!(one.moments.iter().any(|moment| moment[0] != 0.0) && one.wall_moments.len() > 100);
    assert!(run(2, None) == one, "two threads");
    assert!(run(1, Some(111)) == one, "from a checkpoint");
}

/// A world that is restored by two ranks keeps the moments of its contacts, each once.
#[test]
fn two_ranks_take_over_the_moments_of_a_world() {
    let size = [12, 4, 3];
    let mut whole = World::new(quick(), bowl(size)).expect(VALID);
    heap(&mut whole, size);
    for _ in 0..400 {
        whole.step().expect(VALID);
    }
    let state = whole.state();
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("heap");
    save(&path, &Checkpoint { note: String::new(), state: state.clone() }).expect(VALID);
    let restore = |exchange| {
        let partition = Partition::new([vec![1.3], vec![], vec![]]).expect(VALID);
        let mut part =
            Subdomain::new(quick(), bowl(size), partition.clone(), exchange).expect(VALID);
        let share = restore_together(&path, &partition, &mut part).expect(VALID).share;
        let moments = [share.state.moments.clone(), share.state.wall_moments.clone()];
        part.restore(share).expect(VALID);
        part.step().expect(VALID);
        moments
    };
    let found = std::thread::scope(|scope| {
        let restore = &restore;
        let threads: Vec<_> =
            in_process(2).into_iter().map(|rank| scope.spawn(move || restore(rank))).collect();
        threads.into_iter().map(|thread| thread.join().expect(VALID)).collect::<Vec<_>>()
    });
    for (k, all) in [state.moments, state.wall_moments].iter().enumerate() {
        // The sign of a moment is that of the first grain of its pair.
        let sizes = |list: &[[f64; 3]]| {
            let mut sizes: Vec<u64> = list
                .iter()
                .map(|moment| Vector3::from(*moment).abs().sum().to_bits())
                .filter(|bits| *bits != 0)
                .collect();
            sizes.sort_unstable();
            sizes
        };
        let both = [&found[0][k][..], &found[1][k][..]].concat();
        assert!(sizes(all).len() > 20, "{}", sizes(all).len());
        assert_eq!(sizes(&both), sizes(all));
    }
}

#[test]
fn balls_that_meet_across_a_face_lose_their_turns_too() {
    let interaction = Interaction { friction: 0.0, restitution: 1.0, ..rough() };
    let periods = Periods::new(Vector3::zeros(), [Some(1.0), None, None]);
    let mut world = World::periodic(exact(Vector3::zeros()), vec![], periods).expect(VALID);
    world.set_materials(Materials::uniform(interaction)).expect(VALID);
    for (x, speed, turn) in [(0.11, -1.0, 4.0), (0.89, 1.0, -1.0)] {
        let grain = Grain::at(Vector3::new(x, 0.0, 0.0), RADIUS, 1.0);
        let velocity = Vector3::new(speed, 0.0, 0.0);
        let angular_velocity = Vector3::new(2.0 * turn, 0.0, turn);
        world.add(&Grain { velocity, angular_velocity, ..grain }).expect(VALID);
    }
    for _ in 0..30 {
        world.step().expect(VALID);
    }
    for index in 0..2 {
        let turn = if world.grains().identities()[index] == 0 { 1.0 } else { -1.0 };
        let before = if turn > 0.0 { 4.0 } else { -1.0 };
        // 2 N·s on a moment of inertia of 0.004 kg m².
        let expected = Vector3::new(
            2.0 * before - turn * 2.0 * SPINNING / 0.004,
            0.0,
            before - turn * 2.0 * ROLLING / 0.004,
        );
        let off = world.grains().angular_velocity(index) - expected;
        assert!(off.norm() < 1e-10, "{off}");
    }
}

#[test]
fn wrong_lengths_are_refused_by_name() {
    let mut world = World::new(quick(), vec![]).expect(VALID);
    for (wrong, words) in [
        (Interaction { rolling: -1.0, ..rough() }, ["rolling", "-1"]),
        (Interaction { spinning: f64::NAN, ..rough() }, ["spinning", "NaN"]),
    ] {
        let message = world.set_materials(Materials::uniform(wrong)).unwrap_err().to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}
