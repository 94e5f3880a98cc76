//! Walls that are driven by a force, beside Newton's law.

use nalgebra::{Isometry3, Unit, Vector3};
use percussion_collision::Shape;
use percussion_granular::{
    Domain, Error, Grain, Interaction, Materials, Partner, Servo, Settings, Wall, World,
    checkpoint::{Checkpoint, decode, encode},
    decomposition::{Partition, Subdomain, in_process},
};

const VALID: &str = "the scene is valid";
const G: f64 = 9.81;
const STEP: f64 = 1e-3;

fn exact() -> Settings {
    Settings { step_size: STEP, max_sweeps: 20_000, tolerance: 1e-13, ..Settings::default() }
}

fn space() -> Settings {
    Settings { gravity: Vector3::zeros(), ..exact() }
}

fn ball(place: Vector3<f64>) -> Grain {
    Grain::at(place, 0.1, 1.0)
}

fn steps(domain: &mut impl Domain, count: usize) {
    for _ in 0..count {
        domain.step().expect(VALID);
    }
}

fn press(force: f64, mass: f64) -> Servo {
    Servo::new(0..1, -Vector3::z_axis(), force, mass, 0.3)
}

/// The sum of the impulses of a wall on the grains of the last step over its length (N).
fn carried(world: &World, wall: usize) -> Vector3<f64> {
    let by = world.touches().filter(|touch| touch.partner == Partner::Wall(wall));
    by.map(|touch| touch.impulse).sum::<Vector3<f64>>() / world.settings().step_size
}

#[test]
fn a_servo_gains_speed_by_its_force_over_its_mass_up_to_its_largest() {
    let lid = Wall::plane(Vector3::new(0.0, 0.0, 5.0), -Vector3::z(), 0.4);
    let mut world = World::new(exact(), vec![lid]).expect(VALID);
    world.set_servos(vec![press(8.0, 2.0)]).expect(VALID);
    let mut way = 0.0;
    for step in 1..=200_u32 {
        world.step().expect(VALID);
        let expected = (4.0 * STEP * f64::from(step)).min(0.3);
        way += expected * STEP;
        assert!((world.servos()[0].velocity - expected).abs() < 1e-12);
        assert!((world.walls()[0].velocity.z + expected).abs() < 1e-12);
    }
    let (gap, _) = world.walls()[0].gap(&Vector3::zeros(), 0.0);
    assert!((gap - 5.0 + way).abs() < 1e-12, "{gap}");
}

/// A hammer of 3 kg without force meets a ball of 1 kg at rest.
#[test]
fn a_servo_and_a_ball_collide_by_newtons_law_also_aslant() {
    for (restitution, aside) in [(0.0, 0.0), (0.6, 0.0), (0.0, 0.12), (0.6, 0.12)] {
        let head = Shape::Sphere { radius: 0.1 };
        let hammer = Wall::solid(head, Isometry3::translation(-0.25, 0.0, 0.0), 0.0);
        let mut world = World::new(space(), vec![hammer]).expect(VALID);
        let both = Interaction { restitution, ..Interaction::default() };
        world.set_materials(Materials::uniform(both)).expect(VALID);
        let servo = Servo::new(0..1, Vector3::x_axis(), 0.0, 3.0, 10.0);
        world.set_servos(vec![Servo { velocity: 0.5, ..servo }]).expect(VALID);
        world.add(&ball(Vector3::new(0.0, aside, 0.0))).expect(VALID);
        let (mut normal, mut before) = (Vector3::x(), 0.0);
        for _ in 0..400 {
            world.step().expect(VALID);
            let touch = world.touches().find(|touch| touch.impulse.norm() > 0.0);
            if let Some(touch) = touch.filter(|_| before == 0.0) {
                (normal, before) = (touch.normal, touch.impulse.norm());
                if restitution > 0.0 {
                    break;
                }
            }
        }
        let [found, speed] =
            [world.grains().velocity(0), Vector3::new(world.servos()[0].velocity, 0.0, 0.0)];
        assert!((found.x + 3.0 * speed.x - 1.5).abs() < 1e-12, "momentum along the servo: {found}");
        assert!(normal.y > 0.5 || aside == 0.0, "aslant");
        if restitution > 0.0 {
            // W = 1/m + (d·n)²/M in the only step with an impulse.
            let impulse = 1.6 * 0.5 * normal.x / (1.0 + normal.x * normal.x / 3.0);
            assert!((found - impulse * normal).norm() < 1e-9, "{found} and {}", impulse * normal);
        } else {
            let apart = (found - speed).dot(&normal);
            assert!(aside > 0.0 || apart.abs() < 1e-9, "{apart}");
        }
    }
}

/// A bed in a shaft with smooth sides and a lid, in several slabs.
fn bed<D: Domain>(domain: &mut D, [long, wide, high]: [u32; 3], servo: Servo) -> f64 {
    domain.set_servos(vec![servo]).expect(VALID);
    let mut mass = 0.0;
    for k in 0..long * wide * high {
        let node = Vector3::new(k % long, k / long % wide, k / (long * wide)).map(f64::from);
        // Rows that are moved by turns, so that the bed settles and is no lattice.
        let turn = 0.02 * f64::from(k * 7919 % 13) / 13.0;
        let place =
            Vector3::new(0.11, 0.11, 0.101) + 0.21 * node + Vector3::new(turn, 0.5 * turn, 0.0);
        let grain = Grain::at(place, 0.1 - 0.02 * f64::from(k * 31 % 7) / 7.0, 1.0);
        domain.add(&grain).expect(VALID);
        mass += grain.mass;
    }
    mass
}

fn shaft([long, wide, high]: [u32; 3]) -> Vec<Wall> {
    let far = Vector3::new(long, wide, high).map(|n| 0.21 * f64::from(n));
    let far = far + Vector3::new(0.03, 0.03, 0.0);
    let plane = |point, normal| Wall::plane(point, normal, 0.0);
    vec![
        Wall::plane(far, -Vector3::z(), 0.4),
        Wall::plane(Vector3::zeros(), Vector3::z(), 0.4),
        plane(Vector3::zeros(), Vector3::x()),
        plane(Vector3::zeros(), Vector3::y()),
        plane(far, -Vector3::x()),
        plane(far, -Vector3::y()),
    ]
}

#[test]
fn a_lid_at_rest_presses_with_its_force_for_any_mass_and_step() {
    let counts = [3, 3, 3];
    for (mass, step_size) in [(0.01, STEP), (1.0, STEP), (300.0, STEP), (1.0, 4e-3), (0.01, 4e-3)] {
        let settings =
            Settings { step_size, max_sweeps: 400, tolerance: 1e-4, ..Settings::default() };
        let mut world = World::new(settings, shaft(counts)).expect(VALID);
        let weight = G * bed(&mut world, counts, press(500.0, mass));
        steps(&mut world, 3000);
        let (mut lid, mut floor, count) = (0.0, 0.0, 200);
        let before = world.servos()[0].velocity;
        for _ in 0..count {
            world.step().expect(VALID);
            lid -= carried(&world, 0).z / f64::from(count);
            floor += carried(&world, 1).z / f64::from(count);
        }
        let servo = &world.servos()[0];
        // What the speed has changed is all that the mean force can miss.
        let missing = mass * (servo.velocity - before) / (f64::from(count) * step_size);
        assert!((lid - 500.0 + missing).abs() < 1e-9 * 500.0, "{mass}: {lid} N, {missing} N");
        assert!(missing.abs() < 0.5, "{mass}: at rest to 0.1 %: {missing} N");
        assert!((floor / (500.0 + weight) - 1.0).abs() < 0.005, "{mass}: {floor} N on the floor");
    }
}

fn wide() -> [u32; 3] {
    [60, 8, 4]
}

fn quick() -> Settings {
    Settings { max_sweeps: 10, ..Settings::default() }
}

/// The relative residual of a lid that lies on a ball is that of the speed which the lid would gain without it.
#[test]
fn residuals_are_relative_to_what_the_force_would_do() {
    let walls = shaft([1, 1, 1]);
    let settings = Settings { gravity: Vector3::zeros(), max_sweeps: 1, ..exact() };
    let mut world = World::new(settings, walls).expect(VALID);
    world.set_servos(vec![press(8.0, 2.0)]).expect(VALID);
    world.add(&ball(Vector3::new(0.12, 0.12, 0.11))).expect(VALID);
    let report = world.step().expect(VALID);
    assert!(report.residual > 0.0, "a single sweep moves ball and lid");
    // It touches the lid, and the lid gains 4 m/s² for a step.
    let scale = report.residual / report.relative_residual;
    assert!((scale / (4.0 * STEP) - 1.0).abs() < 1e-9, "{scale} m/s");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let state = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect(VALID);
        pool.install(|| {
            let mut world = World::new(quick(), shaft(wide())).expect(VALID);
            bed(&mut world, wide(), press(20_000.0, 50.0));
            steps(&mut world, 350);
            world.state()
        })
    };
    let one = state(1);
    assert!(one.slabs.len() > 2, "{} slabs", one.slabs.len());
    assert!(one.servos[0].velocity.abs() < 0.29, "it has met the bed");
    for threads in [2, 3] {
        assert!(state(threads) == one, "{threads} threads");
    }
}

#[test]
fn a_pressing_world_goes_on_from_its_checkpoint_with_the_same_bits() {
    let mut whole = World::new(quick(), shaft([4, 4, 4])).expect(VALID);
    bed(&mut whole, [4, 4, 4], press(500.0, 5.0));
    steps(&mut whole, 137);
    let file = encode(&Checkpoint { note: String::new(), state: whole.state() });
    let mut resumed = World::from_state(decode(&file).expect(VALID).state).expect(VALID);
    for world in [&mut whole, &mut resumed] {
        steps(world, 200);
    }
    assert!(whole.state() == resumed.state(), "the same bits");
}

#[test]
fn ranks_press_as_one_world_does_and_agree_on_the_speed() {
    let counts = [9, 3, 3];
    let fall = |exchange| {
        let partition = Partition::new([vec![0.7, 1.4], vec![], vec![]]).expect(VALID);
        let settings = Settings { max_sweeps: 200, tolerance: 1e-4, ..Settings::default() };
        let mut part = Subdomain::new(settings, shaft(counts), partition, exchange).expect(VALID);
        bed(&mut part, counts, press(1000.0, 5.0));
        let mut course = Vec::new();
        for _ in 0..800 {
            part.step().expect(VALID);
            let mut force = [carried(part.world(), 0).z];
            part.sum(&mut force).expect(VALID);
            course.push((part.world().servos()[0].velocity.to_bits(), force[0].to_bits()));
        }
        course
    };
    let run = || {
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                in_process(3).into_iter().map(|rank| scope.spawn(move || fall(rank))).collect();
            threads.into_iter().map(|thread| thread.join().expect(VALID)).collect::<Vec<_>>()
        })
    };
    let courses = run();
    assert!(courses.iter().all(|course| *course == courses[0]), "all ranks agree");
    assert!(courses == run(), "the same bits");
    let last = courses[0].iter().rev().take(100).map(|(_, force)| f64::from_bits(*force));
    let mean = -last.sum::<f64>() / 100.0;
    assert!((mean / 1000.0 - 1.0).abs() < 0.005, "{mean} N");
}

#[test]
fn an_absent_lid_waits() {
    let lid = Wall::plane(Vector3::new(0.0, 0.0, 5.0), -Vector3::z(), 0.4);
    let mut world = World::new(exact(), vec![Wall { absent: true, ..lid.clone() }]).expect(VALID);
    world.set_servos(vec![press(8.0, 2.0)]).expect(VALID);
    steps(&mut world, 20);
    assert!(world.servos()[0].velocity == 0.0 && world.walls()[0].velocity.norm() == 0.0);
    world.set_wall(0, lid).expect(VALID);
    steps(&mut world, 20);
    assert!((world.servos()[0].velocity - 4.0 * 20.0 * STEP).abs() < 1e-12);
}

#[test]
fn wrong_servos_are_refused_by_name() {
    let mut world = World::new(exact(), shaft([1, 1, 1])).expect(VALID);
    let mut refused = |servos: Vec<Servo>, word: &str| {
        let error = world.set_servos(servos).unwrap_err();
        assert!(matches!(error, Error::Wall { .. }) && error.to_string().contains(word), "{error}");
    };
    refused(vec![press(f64::NAN, 1.0)], "force of the servo is NaN");
    refused(vec![press(1.0, 0.0)], "mass of the servo is 0");
    refused(
        vec![Servo { largest_speed: -1.0, ..press(1.0, 1.0) }],
        "largest speed of the servo is -1",
    );
    refused(vec![Servo { velocity: f64::INFINITY, ..press(1.0, 1.0) }], "velocity of the servo");
    refused(vec![Servo { walls: 5..9, ..press(1.0, 1.0) }], "walls that exist");
    refused(vec![Servo { walls: 2..2, ..press(1.0, 1.0) }], "at least one");
    refused(vec![press(1.0, 1.0), press(2.0, 1.0)], "without another servo");
    let long = Unit::new_unchecked(Vector3::new(0.0, 0.0, 2.0));
    refused(vec![Servo { direction: long, ..press(1.0, 1.0) }], "norm of the direction is 2");
}
