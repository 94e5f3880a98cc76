//! Variational integration in a scene.

use nalgebra::{Isometry3, Vector2, Vector3};
use percussion_collision::{Collider, Scene, Shape};
use percussion_dynamics::{PlanarBodies, PlanarBody};
use percussion_impact::{newton::Newton, propagative::Propagative};
use percussion_integrators::{
    Model, Simulation, State,
    variational::{Settings, Variational},
};

use crate::blocks::{G, at, box_on, cuboids, ground};

const HALF: Vector2<f64> = Vector2::new(0.5, 0.1);

/// A rectangle of 2 kg on the ground, in front of a wall with its face at `x = 2`.
fn rectangle(friction: f64, restitution: f64) -> Model {
    let moment = 2.0 * (4.0 * HALF.norm_squared()) / 12.0;
    let bodies = vec![PlanarBody::new(2.0, moment)];
    let system = PlanarBodies::new(bodies, Vector2::new(0.0, -G)).unwrap();
    let coated = |collider: Collider| {
        collider.with_friction(friction).unwrap().with_restitution(restitution).unwrap()
    };
    let wall = Shape::Rectangle { half_extents: Vector2::new(0.5, 4.0) };
    let colliders = vec![
        coated(Collider::on_body(0, Shape::Rectangle { half_extents: HALF }).unwrap()),
        coated(Collider::fixed(Shape::HalfSpace { normal: Vector3::y() }).unwrap()),
        coated(Collider::fixed(wall).unwrap())
            .with_pose(Isometry3::translation(2.5, 3.9, 0.0))
            .unwrap(),
    ];
    let scene = Scene::new(colliders, &system).unwrap();
    Model::lagrangian(Box::new(system), vec![]).unwrap().with_contact_source(scene).unwrap()
}

/// `v²/(2 μ g) = 0.9 m`; friction is constant while it slides, for which the midpoint rule is exact but for the last step.
#[test]
fn a_rectangle_slides_to_rest() {
    let start =
        State { time: 0.0, coordinates: vec![0.0, 0.1, 0.0], velocity: vec![3.0, 0.0, 0.0] };
    let settings = Settings { step_size: 0.01, ..Settings::default() };
    let law = Box::new(Newton::default());
    let mut motion =
        Simulation::<Variational>::with_law(rectangle(0.5, 0.0), law, settings, start).unwrap();
    motion
        .run(1.0, |state, report| {
            assert!(!report.energy.is_breached() && report.penetration < 1e-9, "{report:?}");
            assert!((state.coordinates[1] - 0.1).abs() < 1e-9, "{state:?}");
        })
        .unwrap();
    let end = motion.state();
    assert!((end.coordinates[0] - 0.9).abs() < 1e-3, "{end:?}");
    assert!(end.velocity.iter().all(|v| v.abs() < 1e-9), "{end:?}");
    assert_eq!(motion.contacts().len(), 2);
}

/// Without loss and friction it bounces off the ground and the wall and keeps its energy.
#[test]
fn a_rectangle_thrown_against_a_wall_keeps_its_energy() {
    let start =
        State { time: 0.0, coordinates: vec![0.0, 1.0, 0.3], velocity: vec![4.0, 1.0, 2.0] };
    let settings = Settings { step_size: 0.002, ..Settings::default() };
    let law = Box::new(Propagative::default());
    let mut motion =
        Simulation::<Variational>::with_law(rectangle(0.0, 1.0), law, settings, start).unwrap();
    let system = motion.model().system();
    let energy = system.energy(&motion.state().coordinates, &motion.state().velocity);
    let (mut impacts, mut leftmost, mut off) = (0, 0.0_f64, 0.0_f64);
    motion
        .run(1.5, |state, report| {
            assert!(report.penetration < 1e-8, "{report:?}");
            impacts += report.impacts.len();
            leftmost = leftmost.min(state.velocity[0]);
            off = off.max((report.energy_after - energy).abs());
        })
        .unwrap();
    // The wall turned it round, the ground more than once.
    assert!(impacts >= 4 && leftmost < -1.0, "{impacts} {leftmost}");
    assert!(off < 1e-3 * energy, "{off} of {energy}");
}

/// A box of space falls flat, without rebound, and lies there: each corner carries a quarter.
#[test]
fn a_box_falls_flat_and_lies() {
    let half = Vector3::new(0.5, 0.4, 0.1);
    let system = cuboids(2.0, &[half]);
    let colliders = vec![box_on(0, half, 0.5), ground(Vector3::z(), 0.5)];
    let scene = Scene::new(colliders, &system).unwrap();
    let model = Model::free_bodies(system, vec![]).unwrap().with_contact_source(scene).unwrap();
    let start = at(&[Vector3::new(0.0, 0.0, 0.15)], vec![0.0; 6]);
    let settings = Settings { step_size: 0.01, ..Settings::default() };
    let law = Box::new(Newton::default());
    let mut motion = Simulation::<Variational>::with_law(model, law, settings, start).unwrap();
    let mut carried = 0.0;
    motion
        .run(0.5, |_, report| {
            assert!(!report.energy.is_breached() && report.penetration < 1e-9, "{report:?}");
            carried = report.contacts.iter().map(|contact| contact.impulse.x).sum();
        })
        .unwrap();
    assert!((carried - 2.0 * G * 0.01).abs() < 1e-9, "{carried}");
    assert!((motion.state().coordinates[2] - 0.1).abs() < 1e-9, "{:?}", motion.state());
}
