//! Masses, sizes and speeds of any magnitude are either refused in words or stepped to finite numbers.
//!
//! Symptom: a grain of 1e-309 kg was accepted and was NaN after one step, which returned `Ok`; so did grains of 1e-200 m.
//! Cause: inverse masses, and squares of impulses and lengths, overflowed or vanished. Expected: an error that names the
//! grain, the entry and the range, or the motion that the laws of mechanics ask for.

use std::sync::Arc;

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_dynamics::MassProperties;
use percussion_granular::{
    Error, Grain, Settings, Surface, Wall, World,
    bodies::{self, Ball, Bodies, Body, Boundary, Form},
};

fn floor() -> Wall {
    Wall::plane(Vector3::zeros(), Vector3::z(), 0.4)
}

fn good() -> Grain {
    Grain::at(Vector3::new(0.0, 0.0, 0.1), 0.1, 1.0)
}

fn assert_finite(world: &World) {
    for index in 0..world.grains().len() {
        let grain = world.grains().grain(index);
        let entries = [grain.position, grain.velocity, grain.angular_velocity];
        let finite = entries.iter().flatten().chain(&grain.orientation.coords);
        assert!(finite.into_iter().all(|entry| entry.is_finite()), "{grain:?}");
    }
}

#[test]
fn a_grain_of_1e_309_kg_is_refused_in_words() {
    let mut world = World::new(Settings::default(), vec![floor()]).expect("valid");
    let error = world.add(&Grain { mass: 1e-309, ..good() }).expect_err("1/m is infinite");
    assert_eq!(error.to_string(), "grain 0: mass is 1e-309, expected a number from 1e-75 to 1e75");
}

#[test]
fn every_entry_of_a_grain_has_a_range() {
    let mut world = World::new(Settings::default(), vec![floor()]).expect("valid");
    let turned = |w: f64| UnitQuaternion::new_unchecked(Quaternion::new(w, 0.0, 0.0, 0.0));
    let mut cases = Vec::new();
    for value in [f64::NAN, f64::INFINITY, 1e76, 1e150, 1e300, f64::MAX] {
        let vector = Vector3::new(0.0, value, 0.0);
        cases.push(("position", Grain { position: vector, ..good() }));
        cases.push(("velocity", Grain { velocity: -vector, ..good() }));
        cases.push(("angular_velocity", Grain { angular_velocity: vector, ..good() }));
    }
    for value in [f64::NAN, f64::INFINITY, -1.0, 0.0, 5e-324, 1e-309, 1e-150, 1e-76, 1e76, 1e150] {
        cases.push(("mass", Grain { mass: value, ..good() }));
        cases.push(("radius", Grain { radius: value, ..good() }));
    }
    for value in [f64::NAN, 0.0, 0.5, 1e200] {
        cases.push(("orientation", Grain { orientation: turned(value), ..good() }));
    }
    let spin = Vector3::repeat(1e70);
    cases.push(("surface", Grain { radius: 1e10, angular_velocity: spin, ..good() }));
    for (name, grain) in cases {
        let error = world.add(&grain).expect_err(name);
        assert!(matches!(error, Error::Grain { identity: 0, .. }), "{grain:?}: {error}");
        assert!(error.to_string().contains(name), "{name}: {error}");
    }
    world.add(&good()).expect("nothing of the refused ones stayed");
    assert_eq!(world.grains().len(), 1);
}

#[test]
fn walls_and_settings_have_ranges_too() {
    for value in [f64::NAN, f64::INFINITY, 1e76, 1e300] {
        let vector = Vector3::new(value, 0.0, 0.0);
        let walls = [
            floor().moving(vector),
            floor().turning(vector, Vector3::z()),
            floor().turning(Vector3::zeros(), vector),
            Wall::plane(vector, Vector3::z(), 0.4),
            Wall::fixed(
                Surface::Tube { point: Vector3::zeros(), axis: Vector3::z_axis(), radius: value },
                0.4,
            ),
        ];
        let boxed = Shape::Box { half_extents: Vector3::new(1.0, value, 1.0) };
        let solids = [boxed, Shape::Sphere { radius: value }]
            .map(|shape| Wall::solid(shape, nalgebra::Isometry3::identity(), 0.4));
        for wall in walls.into_iter().chain(solids) {
            let error = World::new(Settings::default(), vec![wall]).expect_err("out of range");
            assert!(matches!(error, Error::Wall { index: 0, .. }), "{error}");
        }
        let flat = Wall::solid(Shape::Disc { radius: 1.0 }, nalgebra::Isometry3::identity(), 0.4);
        let error = World::new(Settings::default(), vec![flat]).expect_err("of the plane");
        assert!(error.to_string().contains("dimension of the shape"), "{error}");
        let gravity = World::new(Settings { gravity: vector, ..Settings::default() }, vec![]);
        assert!(matches!(gravity, Err(Error::Setting { name: "gravity", .. })), "{gravity:?}");
    }
    for step_size in [f64::NAN, -1e-3, 0.0, 1e-309, 1e-76, 1e76] {
        let world = World::new(Settings { step_size, ..Settings::default() }, vec![]);
        assert!(matches!(world, Err(Error::Setting { name: "step_size", .. })), "{world:?}");
    }
}

/// Two grains fall by a diameter and come to rest on one another, in units of mass, length and time.
fn pile(mass: f64, length: f64, time: f64) -> World {
    let default = Settings::default();
    let settings = Settings {
        step_size: default.step_size * time,
        gravity: default.gravity * (length / time / time),
        ..default
    };
    let mut world = World::new(settings, vec![floor()]).expect("valid");
    for height in [0.2, 0.4] {
        let mut grain = Grain::at(Vector3::z() * (height * length), 0.1 * length, mass);
        grain.velocity.x = 0.1 * length / time;
        world.add(&grain).expect("in range");
    }
    world
}

#[test]
fn the_motion_is_the_same_in_units_of_any_magnitude() {
    let reference = |steps: usize| {
        let mut world = pile(1.0, 1.0, 1.0);
        for _ in 0..steps {
            world.step().expect("slow grains");
        }
        world
    };
    let expected = reference(300);
    // Lengths, and their squares with impulses of the smallest mass, stay in the range of doubles.
    for (mass, length, time) in [
        (2.0_f64.powi(-200), 1.0, 1.0),
        (2.0_f64.powi(200), 1.0, 1.0),
        (1.0, 2.0_f64.powi(-200), 1.0),
        (1.0, 2.0_f64.powi(200), 1.0),
        (1.0, 1.0, 2.0_f64.powi(-100)),
        (1.0, 1.0, 2.0_f64.powi(100)),
        (2.0_f64.powi(-200), 2.0_f64.powi(-200), 2.0_f64.powi(-20)),
        (2.0_f64.powi(200), 2.0_f64.powi(200), 2.0_f64.powi(20)),
    ] {
        let mut world = pile(mass, length, time);
        for _ in 0..300 {
            world.step().unwrap_or_else(|error| panic!("{mass:e} {length:e} {time:e}: {error}"));
            assert_finite(&world);
        }
        // Units are powers of two, so that no digit changes.
        for index in 0..2 {
            let (ours, theirs) = (world.grains().grain(index), expected.grains().grain(index));
            assert_eq!(ours.position / length, theirs.position, "{mass:e} {length:e} {time:e}");
            assert_eq!(ours.velocity * (time / length), theirs.velocity);
            assert_eq!(ours.angular_velocity * time, theirs.angular_velocity);
        }
    }
}

#[test]
fn masses_of_all_magnitudes_in_one_pile_stay_finite_or_are_named() {
    let magnitudes = [1e-75, 1e-40, 1e-10, 1.0, 1e10, 1e40, 1e75];
    for low in magnitudes {
        for high in magnitudes {
            for speed in [0.0, 1e-150, 1e-20, 1.0] {
                let mut world = World::new(Settings::default(), vec![floor()]).expect("valid");
                for (k, mass) in (0_u8..).zip([low, high, low]) {
                    let place = Vector3::new(0.0, 0.05, 0.1 + 0.19 * f64::from(k));
                    let mut grain = Grain { mass, position: place, ..good() };
                    grain.velocity = Vector3::new(speed, 0.0, -speed);
                    world.add(&grain).expect("in range");
                }
                for _ in 0..20 {
                    match world.step() {
                        Ok(_) => assert_finite(&world),
                        Err(error) => {
                            let named = matches!(error, Error::TooFast { .. });
                            assert!(named, "{low:e} {high:e} {speed:e}: {error}");
                            break;
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_step_that_leaves_all_bounds_names_the_grain() {
    // The floor turns about an axis far away, so that its surface rises with 1e90 m/s under the grain.
    let floor = floor().turning(Vector3::new(1e30, 0.0, 0.0), Vector3::y() * 1e60);
    let mut world = World::new(Settings::default(), vec![floor]).expect("valid");
    world.add(&good()).expect("valid");
    let error = world.step().expect_err("no grain can follow");
    assert!(matches!(error, Error::Diverged { identity: 0, .. }), "{error}");
    assert!(error.to_string().contains("grain 0: velocity"), "{error}");
}

#[test]
fn states_whose_counters_or_times_make_no_sense_are_refused() {
    let mut world = World::new(Settings::default(), vec![floor()]).expect("valid");
    world.add(&good()).expect("valid");
    let refused = |change: &dyn Fn(&mut percussion_granular::State)| {
        let mut state = world.state();
        change(&mut state);
        World::from_state(state).expect_err("out of range").to_string()
    };
    for (name, text) in [
        ("time", refused(&|state| state.time = f64::NAN)),
        ("skin", refused(&|state| state.skin[1] = f64::INFINITY)),
        ("steps", refused(&|state| state.steps = u64::MAX)),
        ("next_identity", refused(&|state| state.next_identity = u64::MAX)),
        ("orientation", refused(&|state| state.orientations[0] = [0.0; 4])),
        ("mass", refused(&|state| state.yields[0][0] = f64::INFINITY)),
        ("yields", refused(&|state| state.yields[0][1] = 1e200)),
    ] {
        assert!(text.contains(name), "{name}: {text}");
    }
}

#[test]
fn forms_of_impossible_magnitude_are_refused_in_words() {
    for radius in [f64::NAN, -1.0, 0.0, 1e-309, 1e-200, 1e-76, 1e76, 1e200, f64::INFINITY] {
        assert!(Form::ball(radius, 1000.0, 0.5).is_err(), "a ball of {radius} m");
        assert!(Form::cuboid(Vector3::repeat(radius), 1.0, 0.5).is_err(), "a cube of {radius} m");
        let ball = Ball { center: Vector3::zeros(), radius };
        let error = Form::clump(&[ball], 1000.0, 0.5).expect_err("a clump");
        assert!(matches!(error, bodies::Error::Ball { index: 0, name: "radius", .. }), "{error}");
    }
    let error = Form::cuboid(Vector3::repeat(0.1), 1e-309, 0.5).expect_err("1/m is infinite");
    assert!(error.to_string().contains("1e-309") || error.to_string().contains("e-3"), "{error}");
    let error = Form::cuboid(Vector3::repeat(0.1), 1e-100, 0.5).expect_err("squares vanish");
    assert!(error.to_string().contains("mass is 1e-100, expected"), "{error}");
    // A thin rod turns about its own axis without inertia; so does a nearly thin one, to rounding.
    for about_axis in [0.0, 1e-17, 1e-15] {
        let inertia = Matrix3::from_diagonal(&Vector3::new(about_axis, 1.0, 1.0));
        let mass = MassProperties::new(1.0, Vector3::zeros(), inertia).expect("a body");
        let shape = Shape::Sphere { radius: 0.1 };
        let part = percussion_collision::Collider::on_body(0, shape).expect("a ball");
        let error = Form::new(vec![part], &mass).expect_err("its inverse would be arbitrary");
        assert!(matches!(error, bodies::Error::Moment { .. }), "{error}");
    }
}

#[test]
fn bodies_of_any_accepted_magnitude_stay_finite() {
    // Shapes have a range of their own, from 1e-12 to 1e12 m.
    for size in [1e-11, 1e-6, 1.0, 1e6, 1e11] {
        for mass in [1e-70, 1e-20, 1.0, 1e20, 1e70] {
            // Gravity moves them by their size in a second.
            let settings = bodies::Settings {
                gravity: Vector3::new(0.0, 0.0, -size),
                step_size: 0.1,
                ..bodies::Settings::default()
            };
            let floor = Boundary::plane(Vector3::zeros(), Vector3::z(), 0.5).expect("valid");
            let mut world = Bodies::new(settings, vec![floor]).expect("valid");
            let half = Vector3::new(0.3, 0.2, 0.1) * size;
            let form = Form::cuboid(half, mass, 0.5);
            let form = Arc::new(form.unwrap_or_else(|error| panic!("{size:e} {mass:e}: {error}")));
            for height in [0.1, 0.32] {
                world.add(Body::at(&form, Vector3::z() * (height * size))).expect("valid");
            }
            for _ in 0..30 {
                match world.step() {
                    Ok(_) => {}
                    // Detection of contacts has a range of its own.
                    Err(bodies::Error::Contacts { .. }) => break,
                    Err(error) => panic!("{size:e} {mass:e}: {error}"),
                }
                for body in world.bodies() {
                    let entries = [body.position, body.velocity, body.angular_velocity];
                    let finite = entries.iter().flatten().chain(&body.orientation.coords);
                    assert!(finite.into_iter().all(|entry| entry.is_finite()), "{body:?}");
                }
            }
        }
    }
}
