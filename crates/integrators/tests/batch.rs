//! The worlds of a batch move as each would alone, to the same bits, whatever the others do.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{
    Actuator, Contact, Error, Model, State,
    batch::{Advance, Batch, BatchError},
    schemes::{Choice, Name},
};

const STEPS: usize = 150;
const WORLDS: usize = 13;

/// A leg of two links with balls at their ends, on a sled that slides freely in space, with a servo in the knee.
fn leg() -> Model {
    let rod = MassProperties::solid_box(0.4, &Vector3::new(0.05, 0.05, 0.5)).unwrap();
    let rod = rod.translated(&Vector3::new(0.0, 0.0, -0.25));
    let sled =
        Link::new("sled", Joint::free()).with_mass(MassProperties::solid_sphere(1.0, 0.1).unwrap());
    let thigh = Link::new("thigh", Joint::revolute(Vector3::y())).on("sled").with_mass(rod);
    let knee = Isometry3::translation(0.0, 0.0, -0.5);
    let shank =
        Link::new("shank", Joint::revolute(Vector3::y())).on("thigh").at(knee).with_mass(rod);
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let system = Articulated::new(vec![sled, thigh, shank], gravity).unwrap();
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let foot = |body, at| SpherePlane::new(Sphere::on_body(body, at, 0.05), floor).unwrap();
    let end = Vector3::new(0.0, 0.0, -0.5);
    let contacts = vec![
        Contact::new(foot(0, Vector3::zeros()), 0.6),
        Contact::new(foot(1, end), 0.6).with_restitution(0.2),
        Contact::new(foot(2, end), 0.6).with_restitution(0.2),
    ];
    let servo = Actuator::servo((8, 7), 0.4, [20.0, 1.0]);
    Model::new(Box::new(system), contacts).unwrap().with_actuators(vec![servo]).unwrap()
}

fn start(world: usize) -> State {
    let angle = 0.1 * world as f64;
    let coordinates = vec![0.0, 0.0, 1.1, 1.0, 0.0, 0.0, 0.0, angle, -2.0 * angle];
    let speed = 0.3 * world as f64 - 1.0;
    State { time: 0.0, coordinates, velocity: vec![speed, 0.2, 0.0, 0.0, 0.0, speed, 0.0, 0.0] }
}

fn scheme(name: Name) -> Choice {
    name.stepping().unwrap().with_step_size(0.005)
}

fn batch(name: Name) -> Batch {
    Batch::new(&leg(), scheme(name), (0..WORLDS).map(start)).unwrap()
}

/// Sets another target for each world after the first third of the steps, and a force on the sled after the second.
fn run(batch: &mut Batch) -> Vec<State> {
    batch.advance(STEPS / 3);
    for (number, world) in batch.worlds().iter().enumerate() {
        world.controls().unwrap().set(0, 0.1 * number as f64).unwrap();
    }
    batch.advance(STEPS / 3);
    for (number, world) in batch.worlds().iter().enumerate() {
        let force = [number as f64, 0.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        world.force().unwrap().set(&force).unwrap();
    }
    let done = batch.advance(STEPS / 3);
    for (done, world) in done.iter().zip(batch.worlds()) {
        assert_eq!(done.steps == STEPS / 3, world.failure().is_none(), "{done:?}");
        assert_eq!(done.unsolved, 0, "{done:?}");
    }
    batch.worlds().iter().map(|world| world.state().clone()).collect()
}

/// The same motion of one world alone, as far as it goes.
fn alone(name: Name, number: usize) -> State {
    let (model, force) = leg().with_applied_force();
    let controls = model.controls().unwrap();
    let mut motion = scheme(name).begin(model, start(number)).unwrap();
    for step in 0..STEPS {
        if step == STEPS / 3 {
            controls.set(0, 0.1 * number as f64).unwrap();
        } else if step == 2 * (STEPS / 3) {
            force.set(&[number as f64, 0.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        }
        if motion.step().is_err() {
            break;
        }
    }
    motion.state().clone()
}

#[test]
fn worlds_move_as_each_would_alone() {
    for name in [Name::MoreauJean, Name::ImpulseVelocity, Name::StewartTrinkle] {
        let alone: Vec<_> = (0..WORLDS).map(|number| alone(name, number)).collect();
        assert!(alone.windows(2).all(|two| two[0] != two[1]), "each world has its own motion");
        assert_eq!(run(&mut batch(name)), alone, "{name}");
    }
}

#[cfg(feature = "rayon")]
#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&mut batch(Name::MoreauJean)))
    };
    let one = with(1);
    for threads in [2, 3, 20] {
        assert_eq!(with(threads), one, "{threads} threads");
    }
}

#[test]
fn a_world_that_fails_stays_where_it_was_and_can_be_restarted() {
    let mut batch = batch(Name::MoreauJean);
    // So large that its energy is not finite at the end of a step.
    let force = [1e200, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    batch.worlds()[4].force().unwrap().set(&force).unwrap();
    let done = batch.advance(3);
    for (number, (world, Advance { steps, .. })) in batch.worlds().iter().zip(done).enumerate() {
        if number == 4 {
            assert_eq!((steps, world.state()), (0, &start(4)));
            assert!(matches!(world.failure(), Some(Error::NotFinite { .. })));
        } else {
            assert_eq!((steps, world.failure()), (3, None));
        }
    }
    assert_eq!(batch.advance(2)[4].steps, 0, "it has ended");

    batch.restart(4, start(5)).unwrap();
    assert_eq!(batch.advance(5)[4].steps, 5);
    let mut fresh = self::batch(Name::MoreauJean);
    fresh.advance(5);
    assert_eq!(batch.worlds()[4].state(), fresh.worlds()[5].state(), "the force is gone");
}

#[test]
fn worlds_that_cannot_begin_are_named() {
    let bad = State { velocity: vec![f64::NAN; 8], ..start(1) };
    let states = [start(0), bad.clone()];
    let error = Batch::new(&leg(), scheme(Name::MoreauJean), states).unwrap_err();
    assert!(matches!(error, BatchError::Start { world: 1, .. }), "{error}");
    let mut batch = batch(Name::MoreauJean);
    assert!(matches!(batch.restart(2, bad), Err(BatchError::Start { world: 2, .. })));
    let error = batch.restart(WORLDS, start(0)).unwrap_err();
    assert_eq!(error, BatchError::World { world: WORLDS, count: WORLDS });
    assert_eq!(batch.advance(1)[2].steps, 1, "a refused restart leaves the world as it was");

    let none = Batch::new(&leg(), scheme(Name::MoreauJean), []).unwrap().advance(10);
    assert!(none.is_empty());
}
