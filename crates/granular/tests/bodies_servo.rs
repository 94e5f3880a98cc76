//! Walls that are driven by a force and press bodies of any shape, beside Newton's law.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Unit, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_granular::{
    Collection, Domain, Grain, Interaction, Materials, Servo, Settings, Wall,
    bodies::{Ball, Bodies, Body, Error, Form, Mold, Partner, Settings as BodySettings},
};

const VALID: &str = "valid bodies that move slowly";
const G: f64 = 9.81;
const STEP: f64 = 1e-3;

/// Contacts solved to rounding, without gravity and removal of overlaps.
fn space() -> BodySettings {
    BodySettings {
        step_size: STEP,
        gravity: Vector3::zeros(),
        correction: 0.0,
        max_sweeps: 20_000,
        tolerance: 1e-13,
        ..BodySettings::default()
    }
}

fn scene(settings: BodySettings, walls: Vec<Wall>, servo: Servo, bodies: &[Body]) -> Bodies {
    let mut scene = Bodies::new(settings, vec![]).expect(VALID);
    scene.set_walls(walls, 0.1).expect(VALID);
    scene.set_servos(vec![servo]).expect(VALID);
    for body in bodies {
        scene.add(body.clone()).expect(VALID);
    }
    scene
}

fn brick(mass: f64) -> Arc<Form> {
    Arc::new(Form::cuboid(Vector3::new(0.1, 0.08, 0.06), mass, 0.0).expect(VALID))
}

fn press(force: f64, mass: f64) -> Servo {
    Servo::new(0..1, -Vector3::z_axis(), force, mass, 0.3)
}

fn lid(height: f64, friction: f64) -> Wall {
    Wall::plane(Vector3::new(0.0, 0.0, height), -Vector3::z(), friction)
}

#[test]
fn a_servo_gains_speed_by_its_force_over_its_mass_up_to_its_largest_and_waits_while_absent() {
    let far = Body::at(&brick(1.0), Vector3::zeros());
    let wall = lid(5.0, 0.4);
    let mut scene =
        scene(space(), vec![Wall { absent: true, ..wall.clone() }], press(8.0, 2.0), &[far]);
    for _ in 0..20 {
        scene.step().expect(VALID);
    }
    assert!(scene.servos()[0].velocity == 0.0 && scene.walls()[0].velocity.norm() == 0.0);
    scene.set_wall(0, wall).expect(VALID);
    let mut way = 0.0;
    for step in 1..=200_u32 {
        scene.step().expect(VALID);
        let expected = (4.0 * STEP * f64::from(step)).min(0.3);
        way += expected * STEP;
        assert!((scene.servos()[0].velocity - expected).abs() < 1e-12);
        assert!((scene.walls()[0].velocity.z + expected).abs() < 1e-12);
    }
    let (gap, _) = scene.walls()[0].gap(&Vector3::zeros(), 0.0);
    assert!((gap - 5.0 + way).abs() < 1e-12, "{gap}");
}

/// A hammer of 3 kg without force, aslant to its way, meets a brick of 2 kg at rest beside its middle.
#[test]
fn a_servo_and_a_brick_collide_by_newtons_law_also_aslant_and_beside_its_middle() {
    for (e, aside, aslant) in
        [(0.0, 0.0, 0.0), (0.7, 0.0, 0.0), (0.7, 0.03, 0.0), (0.7, 0.03, 0.4), (1.0, -0.05, -0.7)]
    {
        let head = Shape::Sphere { radius: 0.1 };
        let hammer = Wall::solid(head, Isometry3::translation(-0.25, aside, 0.0), 0.0);
        let direction = Unit::new_normalize(Vector3::new(1.0, 0.0, aslant));
        let servo = Servo { velocity: 0.5, ..Servo::new(0..1, direction, 0.0, 3.0, 10.0) };
        let mut scene =
            scene(space(), vec![hammer], servo, &[Body::at(&brick(2.0), Vector3::zeros())]);
        let both = Interaction { restitution: e, ..Interaction::default() };
        scene.set_materials(Materials::uniform(both)).expect(VALID);
        let mut found = None;
        for _ in 0..400 {
            let report = scene.step().expect(VALID);
            let touch = scene.touches().find(|touch| touch.impulse.norm() > 0.0);
            if let Some(touch) = touch {
                found = Some((touch, report));
                break;
            }
        }
        let (touch, report) = found.expect("they meet");
        let (body, servo) = (&scene.bodies()[0], &scene.servos()[0]);
        let turn = touch.point.cross(&touch.normal);
        let yielding: Matrix3<f64> = body.form.inertia().try_inverse().expect(VALID);
        let along = touch.normal.dot(&direction);
        let block = 1.0 / 2.0 + turn.dot(&(yielding * turn)) + along * along / 3.0;
        let approach = -0.5 * along;
        let target = if e > 0.0 { -e * approach } else { -touch.gap.max(0.0) / STEP };
        let impulse = (target - approach) / block;
        assert!((touch.impulse.dot(&touch.normal) / impulse - 1.0).abs() < 1e-9, "{e} {aside}");
        assert!((body.velocity - impulse / 2.0 * touch.normal).norm() < 1e-10, "{e} {aside}");
        let speed = 0.5 - impulse * along / 3.0;
        assert!((servo.velocity - speed).abs() < 1e-10, "{e} {aside}: {}", servo.velocity);
        assert!((scene.walls()[0].velocity - speed * *direction).norm() < 1e-10);
        // The work of the wall is that of the impulse by its velocity at the end of the step.
        assert!((report.wall_work - impulse * along * speed).abs() < 1e-9, "{report:?}");
        assert!((report.wall_impulse - impulse * touch.normal).norm() < 1e-9, "{report:?}");
        let gained = body.kinetic_energy() + 1.5 * (speed * speed - 0.25);
        let loss = 0.5 * (1.0 - e * e) * approach * approach / block;
        assert!(e == 0.0 || (gained + loss).abs() < 1e-9, "{e}: {gained} J and {loss} J");
    }
}

/// A smooth lid on four balls of a clump and a brick gives all of them one speed.
#[test]
fn a_lid_and_what_it_pushes_move_as_one() {
    let settings = space();
    let mut bodies = Vec::new();
    for (k, mass) in [(0.0, 1.0), (1.0, 2.5)] {
        bodies.push(Body::at(&brick(mass), Vector3::new(k, 0.0, -0.06)));
    }
    let mut scene = scene(settings, vec![lid(0.0, 0.0)], press(8.0, 0.5), &bodies);
    for _ in 0..10 {
        scene.step().expect(VALID);
    }
    // 8 N on 4 kg for ten steps.
    for body in scene.bodies() {
        assert!((body.velocity.z + 2.0 * 0.01).abs() < 1e-11, "{}", body.velocity);
    }
    assert!((scene.servos()[0].velocity - 0.02).abs() < 1e-11);
}

#[test]
fn overlaps_under_a_light_lid_are_removed_as_under_a_heavy_one() {
    let mut depths = Vec::new();
    for mass in [1e-6, 1e6] {
        let settings = BodySettings { correction: 0.2, ..space() };
        let body = Body::at(&brick(1.0), Vector3::new(0.0, 0.0, -0.06 + 1e-3));
        let mut scene = scene(settings, vec![lid(0.0, 0.0)], press(0.0, mass), &[body]);
        scene.step().expect(VALID);
        depths.push(scene.overlap().expect(VALID));
    }
    // A fifth of 1 mm in the first step.
    assert!(depths.iter().all(|depth| (depth - 0.8e-3).abs() < 1e-9), "{depths:?}");
}

/// Boxes, pairs of balls and balls in a shaft with smooth sides and a lid.
fn bed([long, wide, high]: [u32; 3], settings: Settings, servo: Servo) -> (Collection, f64) {
    let far =
        Vector3::new(long, wide, high).map(|n| 0.25 * f64::from(n)) + Vector3::new(0.02, 0.02, 0.0);
    let plane = |point, normal| Wall::plane(point, normal, 0.0);
    let walls = vec![
        Wall::plane(far, -Vector3::z(), 0.4),
        Wall::plane(Vector3::zeros(), Vector3::z(), 0.4),
        plane(Vector3::zeros(), Vector3::x()),
        plane(Vector3::zeros(), Vector3::y()),
        plane(far, -Vector3::x()),
        plane(far, -Vector3::y()),
    ];
    let ball = |x: f64| Ball { center: Vector3::new(x, 0.0, 0.0), radius: 0.5 };
    let molds = [
        Mold::solid(Shape::Box { half_extents: Vector3::new(0.5, 0.4, 0.3) }),
        Mold::clump(&[ball(-0.25), ball(0.25)]),
        Mold::clump(&[ball(0.0)]),
    ];
    let molds = molds.map(|mold| Arc::new(mold.expect(VALID))).to_vec();
    let mut domain = Collection::new(settings, walls, molds, 0.1).expect(VALID);
    domain.set_servos(vec![servo]).expect(VALID);
    let mut mass = 0.0;
    for k in 0..long * wide * high {
        let node = Vector3::new(k % long, k / long % wide, k / (long * wide)).map(f64::from);
        let turn = node.map(|x| (1.7 * x + f64::from(k)).sin());
        let grain = Grain {
            orientation: UnitQuaternion::from_scaled_axis(turn),
            ..Grain::at(0.25 * (node + Vector3::repeat(0.53)), 0.085, 1.0)
        };
        domain.add_shaped(&grain, (k % 3) as usize).expect(VALID);
        mass += grain.mass;
    }
    (domain, mass)
}

/// The sum of the impulses of a wall on the bodies of the last step over its length (N).
fn carried(bodies: &Bodies, wall: usize) -> Vector3<f64> {
    let by = bodies.touches().filter(|touch| touch.partner == Partner::Boundary(wall));
    by.map(|touch| touch.impulse).sum::<Vector3<f64>>() / bodies.settings().step_size
}

#[test]
fn a_lid_at_rest_presses_with_its_force_for_any_mass() {
    for mass in [0.01, 1.0, 10.0] {
        let settings =
            Settings { step_size: STEP, max_sweeps: 400, tolerance: 1e-4, ..Settings::default() };
        let (mut domain, weight) = bed([3, 3, 3], settings, press(500.0, mass));
        let weight = weight * G;
        for _ in 0..2500 {
            domain.step().expect(VALID);
        }
        let (mut lid, mut floor, count) = (0.0, 0.0, 200);
        let before = domain.bodies().servos()[0].velocity;
        for _ in 0..count {
            domain.step().expect(VALID);
            lid -= carried(domain.bodies(), 0).z / f64::from(count);
            floor += carried(domain.bodies(), 1).z / f64::from(count);
        }
        let servo = &domain.bodies().servos()[0];
        // What the speed has changed is all that the mean force can miss.
        let missing = mass * (servo.velocity - before) / (f64::from(count) * STEP);
        assert!((lid - 500.0 + missing).abs() < 1e-9 * 500.0, "{mass}: {lid} N, {missing} N");
        assert!(missing.abs() < 0.5, "{mass}: at rest to 0.1 %: {missing} N");
        assert!((floor / (500.0 + weight) - 1.0).abs() < 0.005, "{mass}: {floor} N on the floor");
        assert_eq!(domain.world().servos()[0], *servo, "what is seen");
        assert_eq!(domain.world().walls(), domain.bodies().walls(), "what is seen");
    }
}

fn quick() -> Settings {
    Settings { max_sweeps: 10, ..Settings::default() }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (counts, servo) = ([30, 8, 3], Servo { largest_speed: 2.0, ..press(20_000.0, 50.0) });
    let share = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect(VALID);
        pool.install(|| {
            let (mut domain, _) = bed(counts, quick(), servo.clone());
            for _ in 0..350 {
                domain.step().expect(VALID);
            }
            domain.share()
        })
    };
    let one = share(1);
    let bodies = one.state.bodies.as_ref().expect(VALID);
    assert!(bodies.slabs.len() > 2, "{} slabs", bodies.slabs.len());
    assert!(one.state.servos[0].velocity.abs() < 1.9, "it has met the bed");
    for threads in [2, 3] {
        assert!(share(threads) == one, "{threads} threads");
    }
}

#[cfg(feature = "checkpoints")]
#[test]
fn a_pressing_collection_goes_on_from_its_checkpoint_with_the_same_bits() {
    use percussion_granular::{
        Share,
        checkpoint::{Checkpoint, decode, encode},
    };
    let make = || bed([4, 4, 3], quick(), press(500.0, 5.0)).0;
    let mut whole = make();
    for _ in 0..237 {
        whole.step().expect(VALID);
    }
    let share = whole.share();
    let file = encode(&Checkpoint { note: String::new(), state: share.state.clone() });
    let mut resumed = make();
    let state = decode(&file).expect(VALID).state;
    resumed.restore(Share { state, ..share.clone() }).expect(VALID);
    assert!(resumed.share() == share);
    for domain in [&mut whole, &mut resumed] {
        for _ in 0..200 {
            domain.step().expect(VALID);
        }
    }
    assert!(whole.share() == resumed.share(), "the same bits");
    let mut damaged = share;
    damaged.state.servos[0].mass = -1.0;
    let before = whole.share();
    let message = whole.restore(damaged).unwrap_err().to_string();
    assert!(message.contains("mass of the servo is -1"), "{message}");
    assert!(whole.share() == before, "it is untouched");
}

#[test]
fn wrong_servos_are_refused_by_name_and_change_nothing() {
    let mut scene = Bodies::new(space(), vec![]).expect(VALID);
    scene.set_walls(vec![lid(1.0, 0.0)], 0.1).expect(VALID);
    let mut refused = |servos: Vec<Servo>, word: &str| {
        let error = scene.set_servos(servos).unwrap_err();
        assert!(matches!(error, Error::Setting(_)) && error.to_string().contains(word), "{error}");
        assert!(scene.servos().is_empty());
    };
    refused(vec![press(f64::NAN, 1.0)], "force of the servo is NaN");
    refused(vec![press(1.0, 0.0)], "mass of the servo is 0");
    refused(vec![Servo { walls: 0..2, ..press(1.0, 1.0) }], "walls that exist");
    refused(vec![press(1.0, 1.0), press(2.0, 1.0)], "without another servo");
    scene.set_servos(vec![press(1.0, 1.0)]).expect(VALID);
    let message = scene.set_walls(vec![], 0.1).unwrap_err().to_string();
    assert!(message.contains("walls that exist"), "{message}");
}
