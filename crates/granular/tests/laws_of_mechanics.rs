//! Single and two spheres against closed forms, and balances that hold in every step.

use nalgebra::Vector3;
use percussion_collision::Shape;
use percussion_granular::{Correction, Error, Grain, Settings, Status, Surface, Wall, World};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const G: f64 = 9.81;
const VALID: &str = "settings, walls and grains are valid";

fn floor(friction: f64) -> Wall {
    Wall::plane(Vector3::zeros(), Vector3::z(), friction)
}

fn world(settings: Settings, walls: Vec<Wall>, grains: &[Grain]) -> World {
    let mut world = World::new(settings, walls).expect(VALID);
    for grain in grains {
        world.add(grain).expect(VALID);
    }
    world
}

fn by_identity(world: &World, identity: u64) -> Grain {
    let place = world.grains().identities().iter().position(|i| *i == identity);
    let place = place.expect("the grain is there");
    world.grains().grain(place)
}

/// Balls thrown about in a closed box.
fn agitated(settings: Settings, count: usize) -> World {
    let (radius, edge) = (0.05, 1.0);
    let sides = (0..3).flat_map(|axis| {
        let mut normal = Vector3::zeros();
        normal[axis] = 1.0;
        [
            Wall::plane(Vector3::zeros(), normal, 0.3),
            Wall::plane(Vector3::repeat(edge), -normal, 0.3),
        ]
    });
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let grains: Vec<_> = (0..count)
        .map(|k| {
            let node = Vector3::new(k % 8, k / 8 % 8, k / 64).map(|i| 0.1 + 0.112 * i as f64);
            let mut grain = Grain::at(node, radius * random.random_range(0.8..1.0), 1.0);
            grain.velocity = Vector3::from_fn(|_, _| random.random_range(-2.0..2.0));
            grain.angular_velocity = Vector3::from_fn(|_, _| random.random_range(-20.0..20.0));
            grain
        })
        .collect();
    world(settings, sides.collect(), &grains)
}

#[test]
fn a_ball_falls_along_the_parabola_of_the_scheme_and_stops_at_the_floor() {
    let settings = Settings::default();
    let h = settings.step_size;
    let mut world = world(settings, vec![floor(0.3)], &[Grain::at(Vector3::z(), 0.1, 2.0)]);
    for n in 1..=427_u32 {
        world.step().unwrap();
        // x_n = x_0 − g h² n (n + 1)/2, the sum of the velocities.
        let n = f64::from(n);
        let height = 1.0 - G * h * h * n * (n + 1.0) / 2.0;
        assert!((world.grains().positions()[0].z - height).abs() < 1e-13, "step {n}");
    }
    // √(2 · 0.9/g) = 0.4284 s: the next step closes the gap exactly and stops the ball.
    let report = world.step().unwrap();
    assert_eq!(report.status, Status::Solved);
    assert!((world.grains().positions()[0].z - 0.1).abs() < 1e-15, "it touches");
    // It arrived with the velocity that closed the gap, which goes in the step after.
    world.step().unwrap();
    for _ in 0..100 {
        let report = world.step().unwrap();
        assert!(report.overlap < 1e-15, "it stays");
        // A gap of the size of rounding, divided by the step, is a velocity.
        let rounding = 2.0 * f64::EPSILON / h;
        assert!((report.wall_impulse.z - 2.0 * G * h).abs() <= rounding, "weight times step");
    }
}

#[test]
fn a_ball_on_an_incline_rolls_or_slides_by_the_friction() {
    let angle = 0.5_f64;
    let gravity = G * Vector3::new(angle.sin(), 0.0, -angle.cos());
    for (friction, acceleration, turning) in [
        // Rolling: 5/7 g sin α, needs μ ≥ 2/7 tan α = 0.156.
        (0.2, G * angle.sin() * 5.0 / 7.0, G * angle.sin() * 5.0 / 7.0 / 0.1),
        // Sliding: g (sin α − μ cos α), turned by 5/2 μ g cos α / r.
        (0.1, G * (angle.sin() - 0.1 * angle.cos()), 2.5 * 0.1 * G * angle.cos() / 0.1),
    ] {
        let settings = Settings { gravity, ..Settings::default() };
        let ball = Grain::at(Vector3::new(0.0, 0.0, 0.1), 0.1, 3.0);
        let mut world = world(settings, vec![floor(friction)], &[ball]);
        for _ in 0..1000 {
            world.step().unwrap();
        }
        assert!((world.grains().velocity(0).x - acceleration).abs() < 1e-11, "{friction}");
        assert!((world.grains().angular_velocity(0).y - turning).abs() < 1e-10, "{friction}");
    }
}

#[test]
fn two_balls_that_meet_off_center_share_the_normal_momentum_and_stick_or_slip() {
    for friction in [0.05, 10.0] {
        let settings = Settings { gravity: Vector3::zeros(), friction, ..Settings::default() };
        let (m1, m2, r) = (1.0, 3.0, 0.1);
        let normal = Vector3::new(0.6, 0.8, 0.0);
        let mut first = Grain::at(2.0 * r * normal, r, m1);
        let second = Grain::at(Vector3::zeros(), r, m2);
        first.velocity = Vector3::new(-2.0, -1.0, 0.0);
        let mut world = world(settings, vec![], &[first, second]);
        world.step().unwrap();
        // The block of the contact: W_nn = 1/m1 + 1/m2, W_tt = 7/2 W_nn.
        let yielding = 1.0 / m1 + 1.0 / m2;
        let approach = first.velocity.dot(&normal);
        let slip = first.velocity - approach * normal;
        let push = -approach / yielding;
        let stick = slip.norm() / (3.5 * yielding);
        let impulse = push * normal - slip.normalize() * stick.min(friction * push);
        let [a, b] = [by_identity(&world, 0), by_identity(&world, 1)];
        assert!((a.velocity - first.velocity - impulse / m1).norm() < 1e-15, "{friction}");
        assert!((b.velocity + impulse / m2).norm() < 1e-15, "{friction}");
        let turn = |m: f64| -normal.cross(&impulse) * r / (0.4 * m * r * r);
        assert!((a.angular_velocity - turn(m1)).norm() < 1e-14, "{friction}");
        assert!((b.angular_velocity - turn(m2)).norm() < 1e-14, "{friction}");
    }
}

#[test]
fn a_box_pushes_a_ball_with_its_own_velocity() {
    let pose = nalgebra::Isometry3::translation(-0.5, 0.0, 0.1);
    let shape = Shape::Box { half_extents: Vector3::repeat(0.4) };
    let pusher = Wall::solid(shape, pose, 0.0).moving(Vector3::new(1.5, 0.0, 0.0));
    let ball = Grain::at(Vector3::new(0.1, 0.0, 0.1), 0.1, 1.0);
    let mut world = world(Settings::default(), vec![floor(0.0), pusher], &[ball]);
    let mut work = 0.0;
    for _ in 0..300 {
        work += world.step().unwrap().wall_work;
    }
    // It meets the ball after 0.1 m and ends 0.35 m from where it began.
    assert!((world.grains().velocity(0).x - 1.5).abs() < 1e-12, "as fast as the pusher");
    assert!((world.grains().positions()[0].x - 0.45).abs() < 1e-12, "and before it");
    // An inelastic blow of m v, half of whose work m v² is lost.
    assert!((work - 2.25).abs() < 1e-12, "work is {work}");
}

/// A ball that falls on each solid lies on it, at the height of its top.
#[test]
fn a_ball_comes_to_rest_on_solids_of_every_shape() {
    let corners = [[1.0, 1.0, 0.3], [-1.0, 1.0, 0.3], [-1.0, -1.0, 0.3], [1.0, -1.0, 0.3]];
    let hull = [&corners[..], &[[0.0, 0.0, -1.0]]].concat();
    let hull: Vec<_> = hull.into_iter().map(Vector3::from).collect();
    for shape in [
        Shape::Box { half_extents: Vector3::new(1.0, 1.0, 0.3) },
        Shape::HalfSpace { normal: Vector3::z() },
        Shape::Sphere { radius: 0.3 },
        Shape::Cylinder { half_height: 0.3, radius: 0.5 },
        Shape::Capsule { half_length: 0.2, radius: 0.1 },
        Shape::Rod { length: 1.0, radius: 0.3 },
        Shape::hull(&hull).unwrap(),
    ] {
        let top = if matches!(shape, Shape::HalfSpace { .. }) { 0.0 } else { 0.3 };
        let pose = nalgebra::Isometry3::translation(0.0, 0.0, -1.0);
        let wall = Wall::solid(shape, pose, 0.5);
        let (gap, normal) = wall.gap(&Vector3::new(0.0, 0.0, top - 0.5), 0.1);
        assert!((gap - 0.4).abs() < 1e-14 && (normal - Vector3::z()).norm() < 1e-14, "{wall:?}");
        let ball = Grain::at(Vector3::new(0.0, 0.0, top - 0.85), 0.1, 1.0);
        let mut world = world(Settings::default(), vec![wall], &[ball]);
        for _ in 0..400 {
            world.step().unwrap();
        }
        let height = world.grains().positions()[0].z;
        assert!((height - (top - 0.9)).abs() < 1e-9, "{height} on {:?}", world.walls()[0]);
    }
}

#[test]
fn a_turning_drum_carries_a_rough_ball_until_it_rolls() {
    let (drum, radius, spin) = (1.0, 0.1, 2.0);
    let surface = Surface::Tube { point: Vector3::zeros(), axis: Vector3::y_axis(), radius: drum };
    let wall = Wall::fixed(surface, 5.0).turning(Vector3::zeros(), Vector3::new(0.0, spin, 0.0));
    let ball = Grain::at(Vector3::new(0.0, 0.0, radius - drum), radius, 1.0);
    let mut world = world(Settings::default(), vec![wall.clone()], &[ball]);
    for step in 0..40 {
        let (_, normal) = wall.gap(&world.grains().positions()[0], radius);
        let report = world.step().unwrap();
        assert_eq!(report.status, Status::Solved);
        let (velocity, turn) = (world.grains().velocity(0), world.grains().angular_velocity(0));
        let slip = velocity - turn.cross(&(radius * normal));
        let drive = wall.surface_velocity(&(-drum * normal));
        let speed = (slip - slip.dot(&normal) * normal).norm();
        // Friction speeds the slip up by 7/2 μ g: it lasts for 2 m/s / (3.5 · 5 · 9.81 m/s²) = 12 ms.
        assert!(step < 12 || (speed - drive.norm()).abs() < 1e-12, "step {step}: {speed}");
        assert!(speed < spin * drum + 1e-12, "never faster than the drum");
    }
}

#[test]
fn momentum_changes_by_gravity_and_walls_alone() {
    let settings = Settings { tolerance: 0.0, max_sweeps: 5, ..Settings::default() };
    let mut world = agitated(settings, 300);
    let mass: f64 = (0..300).map(|i| world.grains().mass(i)).sum();
    for _ in 0..200 {
        let before = world.grains().momentum();
        let report = world.step().unwrap();
        let change = world.grains().momentum() - before;
        let given = mass * settings.step_size * settings.gravity + report.wall_impulse;
        let scale: f64 = (0..300).map(|i| world.grains().velocity(i).norm()).sum();
        assert!((change - given).norm() <= 1e-12 * scale, "{change} is not {given}");
    }
}

#[test]
fn a_closed_box_never_gains_energy_but_by_taking_back_overlaps() {
    for correction in
        [Correction::Position { part: 0.2, sweeps: 2 }, Correction::Velocity { part: 0.0 }]
    {
        let settings =
            Settings { correction, tolerance: 1e-8, max_sweeps: 1000, ..Settings::default() };
        let mut world = agitated(settings, 200);
        let (start, mut total) = (world.grains().kinetic_energy(), 0.0);
        for step in 0..300 {
            let before = world.energy();
            let report = world.step().unwrap();
            let gain = world.energy() - before;
            // An impulse that is wrong by r/w, velocities wrong by r: both do work of the size of r times the
            // impulses in play, which are at most about the mass of 200 kg times speeds of up to 4 m/s.
            let slack = report.residual * 200.0 * 4.0 + 1e-13 * before.abs();
            assert!(gain <= report.lifting + slack, "step {step} gains {gain}");
            assert!(report.relative_residual < 1e-5, "step {step}: {report:?}");
            total += report.lifting.max(0.0);
        }
        assert!(total < 1e-9 * start, "{total} J of lifting");
    }
}

#[test]
fn the_energy_that_a_step_takes_is_accounted_for() {
    let mut world = agitated(Settings { max_sweeps: 3, ..Settings::default() }, 200);
    for _ in 0..200 {
        let before = (world.energy(), state(&world));
        let report = world.step().unwrap();
        let after = state(&world);
        // ½ ‖v' − v‖² in the metric of mass.
        let square: f64 = before
            .1
            .iter()
            .zip(&after)
            .map(|(a, b)| {
                let inertia = 0.4 * a.mass * a.radius * a.radius;
                0.5 * a.mass * (b.velocity - a.velocity).norm_squared()
                    + 0.5 * inertia * (b.angular_velocity - a.angular_velocity).norm_squared()
            })
            .sum();
        let expected = report.contact_work + report.wall_work + report.lifting - square;
        let change = world.energy() - before.0;
        assert!((change - expected).abs() < 1e-11 * before.0.abs(), "{change} is not {expected}");
    }
}

/// All grains by identity.
fn state(world: &World) -> Vec<Grain> {
    (0..world.grains().len() as u64).map(|identity| by_identity(world, identity)).collect()
}

#[test]
fn bad_input_is_refused_with_its_name() {
    let message = |error: Error| error.to_string();
    let bad = Settings { step_size: -1.0, ..Settings::default() };
    assert_eq!(
        message(World::new(bad, vec![]).unwrap_err()),
        "setting `step_size` is -1.0, expected a number from 1e-75 to 1e75"
    );
    assert_eq!(
        message(World::new(Settings::default(), vec![floor(-0.5)]).unwrap_err()),
        "wall 0: friction is -0.5, expected a finite number ≥ 0"
    );
    let mut world = world(Settings::default(), vec![], &[]);
    assert_eq!(
        message(world.add(&Grain::at(Vector3::zeros(), f64::NAN, 1.0)).unwrap_err()),
        "grain 0: radius is NaN, expected a number from 1e-75 to 1e75"
    );
    let mut ball = Grain::at(Vector3::zeros(), 0.001, 1.0);
    ball.velocity.x = 5.0;
    world.add(&ball).unwrap();
    assert!(matches!(world.step(), Err(Error::TooFast { identity: 0, .. })), "5 radii a step");
    assert_eq!(world.grains().velocity(0), ball.velocity, "nothing has moved");
}

#[test]
fn coincident_and_far_away_grains_do_no_harm() {
    let far = Grain::at(Vector3::new(1e9, -1e12, 3.0), 0.1, 1.0);
    let one = Grain::at(Vector3::new(0.0, 0.0, 0.1), 0.1, 1.0);
    let mut world = world(Settings::default(), vec![floor(0.4)], &[one, one, far]);
    for _ in 0..100 {
        world.step().unwrap();
    }
    assert!(world.overlap() < 1e-3, "coincident balls have come apart");
    assert_eq!(world.remove(|grain| grain.position.x > 1.0), 1);
    world.step().unwrap();
    assert_eq!(world.grains().len(), 2);
}
