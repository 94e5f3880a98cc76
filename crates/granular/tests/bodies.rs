//! Clumps, boxes and other bodies obey the laws of mechanics and either law of friction.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Matrix3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, Shape};
use percussion_complementarity::friction::{Law, Problem};
use percussion_dynamics::MassProperties;
use percussion_granular::{
    Grain, Report, Wall, World,
    bodies::{Ball, Bodies, Body, Boundary, Error, Form, Partner, Settings, Touch},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const G: f64 = 9.81;
const VALID: &str = "valid bodies that move slowly";

fn floor(friction: f64) -> Boundary {
    Boundary::plane(Vector3::zeros(), Vector3::z(), friction).expect(VALID)
}

fn scene(settings: Settings, boundaries: Vec<Boundary>, bodies: &[Body]) -> Bodies {
    let mut scene = Bodies::new(settings, boundaries).expect(VALID);
    for body in bodies {
        scene.add(body.clone()).expect(VALID);
    }
    scene
}

fn brick(half_extents: [f64; 3], friction: f64) -> Arc<Form> {
    Arc::new(Form::cuboid(half_extents.into(), 2.0, friction).expect(VALID))
}

/// Two balls whose centers are on the `y` axis and overlap.
fn dumbbell(friction: f64) -> Arc<Form> {
    let ball = |y: f64| Ball { center: Vector3::new(0.0, y, 0.0), radius: 0.1 };
    Arc::new(Form::clump(&[ball(-0.07), ball(0.07)], 2000.0, friction).expect(VALID))
}

/// Clumps, boxes and capsules with random velocities between six planes.
fn agitated(settings: Settings, count: [u32; 3], friction: f64) -> Bodies {
    let capsule = Shape::Capsule { half_length: 0.05, radius: 0.04 };
    let capsule = Collider::on_body(0, capsule).expect(VALID).with_friction(friction).expect(VALID);
    // A solid capsule has its axis along x, and that of the shape is along z.
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let mass = MassProperties::capsule(1.5, 0.04, 0.1).expect(VALID).rotated(&turn);
    let balls = [[0.0, 0.0, 0.0, 0.07], [0.06, 0.0, 0.0, 0.05], [0.0, 0.05, 0.02, 0.06]];
    let balls = balls.map(|[x, y, z, radius]| Ball { center: Vector3::new(x, y, z), radius });
    let forms = [
        Arc::new(Form::clump(&balls, 1500.0, friction).expect(VALID)),
        brick([0.08, 0.06, 0.05], friction),
        Arc::new(Form::new(vec![capsule], &mass).expect(VALID)),
    ];
    let size = Vector3::from(count.map(|n| 0.25 * f64::from(n)));
    let planes = (0..3).flat_map(|axis| {
        let normal = Vector3::from_fn(|k, _| if k == axis { 1.0 } else { 0.0 });
        [(Vector3::zeros(), normal), (size, -normal)]
    });
    let planes =
        planes.map(|(point, normal)| Boundary::plane(point, normal, friction).expect(VALID));
    let mut bodies = Bodies::new(settings, planes.collect()).expect(VALID);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for k in 0..count.iter().product() {
        let node = Vector3::new(k % count[0], k / count[0] % count[1], k / count[0] / count[1]);
        let mut vector = |most: f64| Vector3::from_fn(|_, _| random.random_range(-most..most));
        let body = Body {
            position: 0.25 * (node.map(f64::from) + Vector3::repeat(0.5)),
            orientation: UnitQuaternion::from_scaled_axis(vector(3.0)),
            velocity: vector(2.0),
            angular_velocity: vector(10.0),
            ..Body::at(&forms[(k % 3) as usize], Vector3::zeros())
        };
        bodies.add(body).expect(VALID);
    }
    bodies
}

#[test]
fn a_clump_that_slides_ends_rolling() {
    let form = dumbbell(0.4);
    let mut clump = Body::at(&form, Vector3::new(0.0, 0.0, 0.1));
    clump.velocity.x = 3.0;
    let mut scene = scene(Settings::default(), vec![floor(0.4)], &[clump]);
    for _ in 0..400 {
        scene.step().unwrap();
    }
    // Friction P takes P/m off the speed and P r/I is the spin: v = 3 m/s / (1 + I/(m r²)).
    let speed = 3.0 / (1.0 + form.inertia()[(1, 1)] / (form.mass() * 0.01));
    let body = &scene.bodies()[0];
    assert!((body.velocity.x - speed).abs() < 1e-9, "{} {speed}", body.velocity);
    assert!((body.angular_velocity.y - 10.0 * speed).abs() < 1e-8, "{}", body.angular_velocity);
    assert!((body.position.z - 0.1).abs() < 1e-9);
}

#[test]
fn a_clump_that_tumbles_freely_keeps_energy_and_momenta() {
    let balls = [[0.0, 0.0, 0.0, 0.1], [0.1, 0.05, 0.0, 0.08], [0.0, 0.1, 0.1, 0.06]];
    let balls = balls.map(|[x, y, z, radius]| Ball { center: Vector3::new(x, y, z), radius });
    let form = Arc::new(Form::clump(&balls, 1000.0, 0.0).unwrap());
    let mut body = Body::at(&form, Vector3::zeros());
    body.angular_velocity = Vector3::new(5.0, 20.0, -3.0);
    body.velocity = Vector3::new(0.1, 0.0, 0.2);
    let settings = Settings { gravity: Vector3::zeros(), ..Settings::default() };
    let mut scene = scene(settings, vec![], &[body.clone()]);
    for _ in 0..1000 {
        scene.step().unwrap();
    }
    let after = &scene.bodies()[0];
    assert!((after.kinetic_energy() / body.kinetic_energy() - 1.0).abs() < 1e-12);
    let change = after.angular_momentum() - body.angular_momentum();
    assert!(change.norm() < 1e-12 * body.angular_momentum().norm(), "{change}");
}

#[test]
fn a_box_on_an_incline_stays_slides_or_tips() {
    let slope: f64 = 0.5;
    let gravity = G * Vector3::new(slope.sin(), 0.0, -slope.cos());
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        let settings =
            Settings { gravity, law, tolerance: 1e-12, max_sweeps: 20_000, ..Settings::default() };
        // Wide enough not to tip. tan 0.5 = 0.546. Maximum dissipation at each contact by itself leaves impulses that
        // are not quite opposite to the slip of the whole.
        let exact = if law == Law::Coulomb { 1e-9 } else { 1e-3 };
        for friction in [0.7, 0.3] {
            let body = Body::at(&brick([0.2, 0.2, 0.05], friction), Vector3::new(0.0, 0.0, 0.05));
            let mut scene = scene(settings, vec![floor(friction)], &[body]);
            for _ in 0..100 {
                scene.step().unwrap();
            }
            let expected = 0.1 * G * (slope.sin() - friction * slope.cos()).max(0.0);
            let velocity = scene.bodies()[0].velocity;
            assert!((velocity.x - expected).abs() < exact, "{law:?} {friction}: {velocity}");
        }
        // About the lower edge of a tall box: (I + m (a² + c²)) α = m g (c sin − a cos).
        let (a, c) = (0.1, 0.4);
        let form = brick([a, 0.2, c], 2.0);
        let mut scene = scene(settings, vec![floor(2.0)], &[Body::at(&form, Vector3::z() * c)]);
        scene.step().unwrap();
        let about = form.inertia()[(1, 1)] + form.mass() * (a * a + c * c);
        let turning = form.mass() * G * (c * slope.sin() - a * slope.cos()) / about;
        let spin = scene.bodies()[0].angular_velocity;
        assert!((spin - 1e-3 * turning * Vector3::y()).norm() < 1e-11, "{law:?}: {spin}");
    }
}

#[test]
fn a_pusher_carries_a_box_and_a_turntable_turns_it() {
    let settings = Settings { tolerance: 1e-12, max_sweeps: 20_000, ..Settings::default() };
    let wall = Shape::Box { half_extents: Vector3::repeat(0.4) };
    let wall = Boundary::fixed(Collider::fixed(wall).unwrap());
    let mut wall = wall.moving(Vector3::new(1.5, 0.0, 0.0), Vector3::zeros());
    wall.pose.translation.vector = Vector3::new(-0.6, 0.0, 0.3);
    let body = Body::at(&brick([0.1, 0.1, 0.1], 0.0), Vector3::new(0.0, 0.0, 0.1));
    let mut pushed = scene(settings, vec![floor(0.0), wall], &[body]);
    let mut work = 0.0;
    for _ in 0..300 {
        work += pushed.step().unwrap().wall_work;
    }
    assert!((pushed.bodies()[0].velocity - Vector3::x() * 1.5).norm() < 1e-9);
    assert!((work - 2.0 * 2.25).abs() < 1e-9, "m v², of which half is lost: {work}");

    let table = floor(0.8).moving(Vector3::zeros(), Vector3::z() * 2.0);
    let body = Body::at(&brick([0.1, 0.1, 0.1], 0.8), Vector3::new(0.0, 0.0, 0.1));
    let mut turned = scene(settings, vec![table], &[body]);
    for _ in 0..300 {
        turned.step().unwrap();
    }
    let spin = turned.bodies()[0].angular_velocity;
    assert!((spin - Vector3::z() * 2.0).norm() < 1e-9, "{spin}");
}

#[test]
fn balls_move_as_the_grains_of_a_world() {
    let settings = Settings { tolerance: 1e-11, max_sweeps: 20_000, ..Settings::default() };
    let form = Arc::new(Form::ball(0.1, 1000.0, 0.4).unwrap());
    let grains = percussion_granular::Settings {
        friction: 0.4,
        tolerance: settings.tolerance,
        max_sweeps: settings.max_sweeps,
        ..percussion_granular::Settings::default()
    };
    let wall = Wall::plane(Vector3::zeros(), Vector3::z(), 0.4);
    let mut world = World::new(grains, vec![wall]).unwrap();
    let mut scene = Bodies::new(settings, vec![floor(0.4)]).unwrap();
    // A tetrahedron of touching balls: where there is a gap the arms differ by half of it.
    let (across, above) = (0.03_f64.sqrt(), 0.2 * (2.0_f64 / 3.0).sqrt());
    let balls =
        [[0.0, 0.0, 0.1], [0.2, 0.0, 0.1], [0.1, across, 0.1], [0.1, across / 3.0, 0.1 + above]];
    for (k, position) in (0..4).zip(balls) {
        let mut grain = Grain::at(position.into(), 0.1, form.mass());
        grain.velocity = Vector3::new(0.3 - 0.1 * f64::from(k), 0.1 * f64::from(k), -0.2);
        grain.angular_velocity = Vector3::new(1.0, -2.0 * f64::from(k), 0.5);
        world.add(&grain).unwrap();
        let mut body = Body::at(&form, grain.position);
        (body.velocity, body.angular_velocity) = (grain.velocity, grain.angular_velocity);
        scene.add(body).unwrap();
    }
    world.step().unwrap();
    scene.step().unwrap();
    for identity in 0..4_u64 {
        let place = world.grains().identities().iter().position(|i| *i == identity).unwrap();
        let (grain, body) = (world.grains().grain(place), scene.body(identity).unwrap());
        assert!((grain.velocity - body.velocity).norm() < 1e-9, "{grain:?} {body:?}");
        let spins = [grain.angular_velocity, body.angular_velocity];
        assert!((spins[0] - spins[1]).norm() < 1e-8, "{grain:?} {body:?}");
        assert!((grain.position - body.position).norm() < 1e-9, "{grain:?} {body:?}");
    }
}

#[test]
fn momentum_changes_by_gravity_and_boundaries_alone() {
    let settings = Settings { tolerance: 0.0, max_sweeps: 5, ..Settings::default() };
    let mut scene = agitated(settings, [4, 4, 4], 0.4);
    let momentum = |scene: &Bodies| scene.bodies().iter().map(Body::momentum).sum::<Vector3<_>>();
    let mass: f64 = scene.bodies().iter().map(|body| body.form.mass()).sum();
    for _ in 0..100 {
        let before = momentum(&scene);
        let report = scene.step().unwrap();
        let given = mass * settings.step_size * settings.gravity + report.wall_impulse;
        let change = momentum(&scene) - before;
        let scale: f64 = scene.bodies().iter().map(|body| body.momentum().norm()).sum();
        assert!((change - given).norm() <= 1e-12 * scale, "{change} is not {given}");
    }
}

#[test]
fn angular_momentum_changes_by_gravity_and_boundaries_alone() {
    let settings =
        Settings { tolerance: 0.0, max_sweeps: 5, correction_sweeps: 0, ..Settings::default() };
    let mut scene = agitated(settings, [4, 4, 4], 0.4);
    let total = |scene: &Bodies| -> Vector3<f64> {
        scene.bodies().iter().map(Body::angular_momentum).sum()
    };
    for _ in 0..100 {
        let kick = settings.step_size * settings.gravity;
        let weight = |body: &Body| body.position.cross(&(body.form.mass() * kick));
        let (before, mut given): (_, Vector3<f64>) =
            (total(&scene), scene.bodies().iter().map(weight).sum());
        scene.step().unwrap();
        for touch in scene.touches() {
            if matches!(touch.partner, Partner::Boundary(_)) {
                given += touch.point.cross(&touch.impulse);
            }
        }
        let change = total(&scene) - before;
        let scale: f64 = scene.bodies().iter().map(|body| body.angular_momentum().norm()).sum();
        assert!((change - given).norm() <= 1e-12 * scale, "{change} is not {given}");
    }
}

#[test]
fn a_closed_box_never_gains_energy_but_by_taking_back_overlaps() {
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        let settings = Settings { law, tolerance: 1e-8, max_sweeps: 2000, ..Settings::default() };
        let mut scene = agitated(settings, [3, 3, 3], 0.4);
        for step in 0..150 {
            let before = scene.energy();
            let report = scene.step().unwrap();
            let gain = scene.energy() - before;
            // Velocities wrong by the residual do work of its size times the impulses: 60 kg at up to 4 m/s.
            let slack = report.residual * 60.0 * 4.0 + 1e-13 * before.abs();
            assert!(
                gain <= report.lifting + slack,
                "{law:?}, step {step} gains {gain}: {report:?}"
            );
        }
    }
}

/// The contact problem of the step from `before` to `after`, and the impulses found.
fn problem(before: &Bodies, after: &Bodies) -> (Problem, Vec<Vector3<f64>>) {
    let touches: Vec<Touch> = after.touches().collect();
    let count = after.bodies().len();
    let body = |place: usize| before.body(after.identities()[place]).expect("nothing came or went");
    let settings = before.settings();
    let mut inverse_mass = DMatrix::zeros(6 * count, 6 * count);
    let mut velocity = DVector::zeros(6 * count);
    for place in 0..count {
        let Body { form, orientation, velocity: v, angular_velocity, .. } = body(place);
        let axes = orientation.to_rotation_matrix().into_inner();
        let yielding = (axes * form.inertia() * axes.transpose()).try_inverse().expect(VALID);
        let mass = Matrix3::from_diagonal_element(1.0 / form.mass());
        inverse_mass.fixed_view_mut::<3, 3>(6 * place, 6 * place).copy_from(&mass);
        inverse_mass.fixed_view_mut::<3, 3>(6 * place + 3, 6 * place + 3).copy_from(&yielding);
        let free = v + settings.step_size * settings.gravity;
        velocity.fixed_rows_mut::<3>(6 * place).copy_from(&free);
        velocity.fixed_rows_mut::<3>(6 * place + 3).copy_from(angular_velocity);
    }
    let mut jacobian = DMatrix::zeros(3 * touches.len(), 6 * count);
    let (mut bias, mut impulses, mut friction) = (Vec::new(), Vec::new(), Vec::new());
    for (contact, touch) in touches.iter().enumerate() {
        let mut aside = Vector3::zeros();
        aside[touch.normal.iamin()] = 1.0;
        let tangent = touch.normal.cross(&aside).normalize();
        let rows = [touch.normal, tangent, touch.normal.cross(&tangent)];
        let mut enter = |place: usize, sign: f64| {
            let arm = touch.point - body(place).position;
            for (k, row) in rows.iter().enumerate() {
                let mut entries = jacobian.view_mut((3 * contact + k, 6 * place), (1, 6));
                let turn = arm.cross(row);
                entries.copy_from_slice(
                    &[row.x, row.y, row.z, turn.x, turn.y, turn.z].map(|entry| sign * entry),
                );
            }
        };
        enter(touch.body, 1.0);
        if let Partner::Body(other) = touch.partner {
            enter(other, -1.0);
        }
        bias.extend([touch.gap.max(0.0) / settings.step_size, 0.0, 0.0]);
        friction.push(touch.friction);
        impulses.push(Vector3::from(rows.map(|row| row.dot(&touch.impulse))));
    }
    let free = &jacobian * velocity + DVector::from_vec(bias);
    let delassus = &jacobian * inverse_mass * jacobian.transpose();
    let delassus = 0.5 * (&delassus + delassus.transpose());
    (Problem::from_dense(&delassus, free.as_slice(), &friction).expect(VALID), impulses)
}

/// A heap that has fallen together, and one more step of it.
fn judged(settings: Settings) -> (Report, Problem, Vec<Vector3<f64>>) {
    let mut scene = agitated(Settings { law: settings.law, ..Settings::default() }, [2, 2, 3], 0.4);
    for _ in 0..250 {
        scene.step().expect(VALID);
    }
    scene.set_settings(settings).expect(VALID);
    let before = scene.clone();
    let report = scene.step().expect(VALID);
    let (problem, impulses) = problem(&before, &scene);
    (report, problem, impulses)
}

#[test]
fn the_residual_is_that_of_the_stated_problem() {
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        let settings = Settings { law, tolerance: 0.0, max_sweeps: 5, ..Settings::default() };
        let (report, problem, impulses) = judged(settings);
        assert!(problem.contact_count() > 15, "{}", problem.contact_count());
        let expected = problem.by_law(law).natural_map_residual(&impulses);
        let difference = report.residual - expected;
        assert!(difference.abs() < 1e-11, "{law:?}: {} {expected}", report.residual);
    }
}

#[test]
fn the_impulses_solve_the_stated_problem() {
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        let settings =
            Settings { law, tolerance: 1e-9, max_sweeps: 100_000, ..Settings::default() };
        let (report, problem, impulses) = judged(settings);
        assert!(report.relative_residual <= 1e-9, "{law:?}: {report:?}");
        let residual = problem.by_law(law).relative_residual(&impulses);
        assert!(residual < 2e-9, "{law:?}: {residual}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize| {
        let settings = Settings { max_sweeps: 5, ..Settings::default() };
        let mut scene = agitated(settings, [36, 6, 7], 0.4);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect(VALID);
        let reports: Vec<Report> =
            (0..12).map(|_| pool.install(|| scene.step().expect(VALID))).collect();
        (scene, reports)
    };
    let (one, reports) = run(1);
    for threads in [2, 3] {
        let (other, others) = run(threads);
        assert_eq!(one.bodies(), other.bodies(), "{threads} threads");
        assert_eq!(reports, others, "{threads} threads");
    }
}

#[test]
fn a_stack_of_boxes_stands() {
    let form = brick([0.1, 0.1, 0.1], 0.5);
    let bodies: Vec<Body> = (0..5)
        .map(|k| {
            Body::at(&form, Vector3::new(0.01 * f64::from(k % 2), 0.0, 0.1 + 0.2 * f64::from(k)))
        })
        .collect();
    let mut scene = scene(Settings::default(), vec![floor(0.5)], &bodies);
    for _ in 0..500 {
        scene.step().unwrap();
    }
    assert!(scene.overlap().unwrap() < 1e-3 * 0.2, "{}", scene.overlap().unwrap());
    for (identity, body) in (0..5_u64).zip(&bodies) {
        let moved = scene.body(identity).unwrap().position - body.position;
        assert!(moved.norm() < 1e-3, "body {identity} by {moved}");
    }
}

#[test]
fn bad_input_is_refused_with_its_name() {
    let message = |error: Error| error.to_string();
    assert_eq!(
        message(Form::clump(&[], 1.0, 0.0).unwrap_err()),
        "a form needs at least one part, got none"
    );
    let half_space = Collider::fixed(Shape::HalfSpace { normal: Vector3::z() }).unwrap();
    let mass = MassProperties::solid_sphere(1.0, 1.0).unwrap();
    let error = Form::new(vec![half_space], &mass).unwrap_err();
    assert_eq!(message(error), "part 0 is a half-space, expected a bounded shape of space");
    let ball = Collider::on_body(0, Shape::Sphere { radius: 0.1 }).unwrap();
    let error = Form::new(vec![ball], &MassProperties::thin_rod(1.0, 1.0).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Moment { .. }), "{error}");
    let bad = Settings { max_sweeps: 0, ..Settings::default() };
    assert_eq!(
        message(Bodies::new(bad, vec![]).unwrap_err()),
        "setting `max_sweeps` is 0.0, expected ≥ 1"
    );
    let mut scene = Bodies::new(Settings::default(), vec![]).unwrap();
    let mut body = Body::at(&brick([0.1; 3], 0.0), Vector3::zeros());
    body.position.x = f64::NAN;
    assert_eq!(
        message(scene.add(body.clone()).unwrap_err()),
        "body 0: position is NaN, expected a number from -1e75 to 1e75"
    );
    body.position.x = 0.0;
    body.angular_velocity.z = 600.0;
    scene.add(body.clone()).unwrap();
    let error = scene.step().unwrap_err();
    assert!(matches!(error, Error::TooFast { name: "angular speed", .. }), "{error}");
    assert_eq!(scene.bodies()[0], body, "nothing has moved");
}
