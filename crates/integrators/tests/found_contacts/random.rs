//! Random bodies thrown among a floor, a wall and each other.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, Scene, Shape};
use percussion_dynamics::{Body, FreeBodies, MassProperties};
use percussion_impact::anitescu_potra::AnitescuPotra;
use percussion_integrators::{Contacts, Model, State, event_driven};
use proptest::prelude::*;

use crate::{
    blocks::{G, ground},
    schemes::{ALL, Scheme, Seen, try_run},
};

/// A body about its center of mass.
#[derive(Clone, Debug)]
struct Thrown {
    shape: Shape,
    properties: MassProperties,
    turned: [f64; 3],
    velocity: [f64; 6],
}

fn thrown() -> impl Strategy<Value = Thrown> {
    let size = 0.05..0.3_f64;
    let shape = (0..4, [size.clone(), size.clone(), size]).prop_map(|(kind, [a, b, c])| {
        let half_extents = Vector3::new(a, b, c);
        let cuboid = MassProperties::solid_box(1.0, &(2.0 * half_extents)).unwrap();
        match kind {
            0 => (Shape::Box { half_extents }, cuboid),
            1 => {
                let sphere = MassProperties::solid_sphere(1.0, a).unwrap();
                (Shape::Sphere { radius: a }, sphere)
            }
            2 => {
                let capsule = MassProperties::capsule(1.0, a, 2.0 * b).unwrap();
                let upright = UnitQuaternion::rotation_between(&Vector3::x(), &Vector3::z());
                let along = capsule.inertia()[(0, 0)] < capsule.inertia()[(2, 2)];
                let capsule = if along { capsule.rotated(&upright.unwrap()) } else { capsule };
                (Shape::Capsule { half_length: b, radius: a }, capsule)
            }
            // Any body may have the surface of a hull.
            _ => {
                let corner = |x: f64, y: f64, z: f64| Vector3::new(a * x, b * y, c * z);
                let corners = [
                    corner(1.0, 1.0, -1.0),
                    corner(-1.0, 1.0, -1.0),
                    corner(0.0, -1.0, -1.0),
                    corner(0.0, 0.0, 1.0),
                ];
                (Shape::hull(&corners).unwrap(), cuboid)
            }
        }
    });
    let turned = [-3.0..3.0_f64, -3.0..3.0, -3.0..3.0];
    let [v, w] = [-4.0..4.0_f64, -10.0..10.0];
    let velocity = [v.clone(), v.clone(), v, w.clone(), w.clone(), w];
    (shape, turned, velocity).prop_map(|((shape, properties), turned, velocity)| Thrown {
        shape,
        properties,
        turned,
        velocity,
    })
}

fn scene(bodies: &[Thrown], friction: f64) -> (Model, State) {
    let of = |body: &Thrown| Body::from_mass_properties(&body.properties);
    let gravity = Vector3::new(0.0, 0.0, -G);
    let system = FreeBodies::new(bodies.iter().map(of).collect(), gravity).unwrap();
    let rough = |collider: Collider| collider.with_friction(friction).unwrap();
    let wall = Shape::Box { half_extents: Vector3::new(0.1, 2.0, 2.0) };
    let mut colliders = vec![
        ground(Vector3::z(), friction),
        rough(Collider::fixed(wall).unwrap())
            .with_pose(Isometry3::translation(1.1, 0.0, 2.0))
            .unwrap(),
    ];
    let (mut coordinates, mut velocity) = (Vec::new(), Vec::new());
    for (index, body) in bodies.iter().enumerate() {
        colliders.push(rough(Collider::on_body(index, body.shape.clone()).unwrap()));
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from(body.turned));
        // They start apart: no body reaches farther than 0.6 m.
        coordinates.extend([0.3, 0.0, 0.7 + 1.3 * index as f64, turn.w, turn.i, turn.j, turn.k]);
        velocity.extend(body.velocity);
    }
    let scene = Scene::new(colliders, &system).unwrap();
    let model = Model::new(Box::new(system), vec![]).unwrap().with_contact_source(scene).unwrap();
    (model, State { time: 0.0, coordinates, velocity })
}

fn motion(scheme: Scheme, bodies: &[Thrown], friction: f64) -> (Vec<Seen>, Result<(), String>) {
    let (model, start) = scene(bodies, friction);
    let mut seen = Vec::new();
    let observer = |one: &Seen, contacts: &Contacts| {
        assert!(contacts.len() < 1000, "features near all have a number: {}", contacts.len());
        seen.push(one.clone());
    };
    let end = try_run(scheme, model, start, (0.002, 0.6), observer);
    (seen, end)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// No motion gains energy, nothing goes through the floor, impulses do not pull, and the same start has the same end.
    #[test]
    fn bodies_thrown_lose_energy_and_stay_above_the_floor(
        bodies in prop::collection::vec(thrown(), 1..4),
        friction in prop_oneof![Just(0.0), 0.0..1.0_f64],
    ) {
        for scheme in ALL {
            let (seen, end) = motion(scheme, &bodies, friction);
            for one in &seen {
                prop_assert!(!one.gained, "{scheme:?} {one:?}");
                // Two bodies that meet at up to 25 m/s, with spin and fall.
                prop_assert!(one.penetration < 0.05, "{scheme:?} {one:?}");
                prop_assert!(one.contacts.iter().all(|(_, impulse)| *impulse >= -1e-12));
                let lowest = one.state.coordinates.chunks(7).map(|q| q[2]).fold(9.0, f64::min);
                prop_assert!(lowest > 0.0, "{scheme:?} {one:?}");
            }
            // A step may be refused by name; it must not be lost in silence.
            if let Err(reason) = &end {
                prop_assert!(!reason.is_empty() && !reason.contains("NaN"), "{scheme:?} {reason}");
            }
            let (again, _) = motion(scheme, &bodies, friction);
            prop_assert_eq!(seen.last().map(|one| &one.state), again.last().map(|one| &one.state));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Event-driven motion of the same scenes: what ends in order has accounted for its energy, and did not overlap.
    #[test]
    fn bodies_thrown_from_event_to_event_account_for_their_energy(
        bodies in prop::collection::vec(thrown(), 1..3),
        friction in prop_oneof![Just(0.0), 0.0..1.0_f64],
    ) {
        let (model, start) = scene(&bodies, friction);
        let law = AnitescuPotra::default();
        let settings = event_driven::Settings { work_limit: 300_000, ..Default::default() };
        let report =
            event_driven::integrate(&model, &law, &settings, &start, 0.6, &mut |_| ()).unwrap();

        let wrong = [event_driven::Status::EnergyGained, event_driven::Status::Overlap];
        prop_assert!(!wrong.contains(&report.status), "{report:?}");
        if report.status == event_driven::Status::EndReached {
            prop_assert!(report.energy.residual().abs() < 1e-6, "{report:?}");
            prop_assert!(report.drift.penetration < 1e-8, "{report:?}");
        }
    }
}
