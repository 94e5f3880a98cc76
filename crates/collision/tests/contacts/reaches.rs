//! Searches in which each body has a reach of its own.

use std::collections::BTreeSet;

use nalgebra::{Isometry3, Matrix3, Vector3};
use percussion_collision::{Collider, Pair, Scene, Settings, Shape, Workspace};
use percussion_dynamics::{Body, ContactName, ContactSource, FreeBodies, pose_coordinates};
use rand::RngExt;

use crate::common::{ChaCha8Rng, SeedableRng, pose, shapes};

/// Bodies of all shapes but half-spaces, one of two colliders, over a floor that is the last collider.
fn scene(count: usize) -> (FreeBodies, Vec<Collider>) {
    let bodies = vec![Body::new(1.0, Matrix3::identity()); count];
    let system = FreeBodies::new(bodies, Vector3::zeros()).unwrap();
    let solid: Vec<Shape> =
        shapes().into_iter().filter(|shape| !matches!(shape, Shape::HalfSpace { .. })).collect();
    let mut colliders: Vec<Collider> = (0..count)
        .map(|body| Collider::on_body(body, solid[body % solid.len()].clone()).unwrap())
        .collect();
    let beside = Isometry3::translation(0.9, 0.0, 0.0);
    let second = Collider::on_body(0, Shape::Sphere { radius: 0.2 }).unwrap();
    colliders.push(second.with_pose(beside).unwrap());
    colliders.push(Collider::fixed(Shape::HalfSpace { normal: Vector3::z() }).unwrap());
    (system, colliders)
}

#[test]
fn a_pair_is_found_within_the_proximity_and_both_reaches() {
    let mut rng = ChaCha8Rng::seed_from_u64(23);
    // A few colliders are compared one by one, many by a tree.
    for (count, rounds) in [(6, 40), (45, 4)] {
        let (system, colliders) = scene(count);
        let whole = Scene::new(colliders.clone(), &system).unwrap();
        let mut search = whole.search();
        let (mut found, mut workspace) = (Vec::new(), Workspace::default());
        let mut most = 0;
        for _ in 0..rounds {
            let size = 0.6 * f64::from(u32::try_from(count).unwrap()).cbrt();
            let q: Vec<f64> =
                (0..count).flat_map(|_| pose_coordinates(&pose(&mut rng, size))).collect();
            let reaches: Vec<f64> =
                (0..count).map(|_| f64::max(0.0, rng.random_range(-0.2..0.3))).collect();
            let proximity = [0.0, 0.05][rng.random_range(0..2)];
            search.find_within(&system, &q, proximity, &reaches, &mut found).unwrap();
            let names: BTreeSet<ContactName> = found.iter().map(|nearby| nearby.name).collect();
            assert_eq!(names.len(), found.len(), "each once");
            let mut expected = BTreeSet::new();
            let reach = |k: usize| colliders[k].body().map_or(0.0, |body| reaches[body]);
            for first in 0..colliders.len() {
                for second in first + 1..colliders.len() {
                    let pair = Pair { colliders: [first, second], friction: 0.0, restitution: 0.0 };
                    let alone = whole.clone().with_pairs(&[pair]).unwrap();
                    let settings = Settings { proximity: proximity + reach(first) + reach(second) };
                    let contacts = alone.contacts(&system, &q, &settings, &mut workspace).unwrap();
                    expected.extend(contacts.iter().map(|contact| contact.id.name()));
                }
            }
            assert_eq!(names, expected);
            most = most.max(names.len());
        }
        assert!(most > count, "{most} contacts of {count} bodies");
    }
}

#[test]
fn reaches_that_are_no_lengths_or_too_many_are_refused() {
    let (system, colliders) = scene(2);
    let mut search = Scene::new(colliders, &system).unwrap().search();
    let q: Vec<f64> = (0..2).flat_map(|_| pose_coordinates(&Isometry3::identity())).collect();
    let mut refusal = |reaches: &[f64]| {
        search.find_within(&system, &q, 0.0, reaches, &mut Vec::new()).unwrap_err().to_string()
    };
    for (reach, named) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (-0.1, "-0.1")] {
        let refused = refusal(&[0.0, reach]);
        assert!(refused.contains(&format!("is {named}, expected a finite number")), "{refused}");
    }
    let refused = refusal(&[0.1; 3]);
    assert!(refused.contains("number of reaches is 3, expected 2"), "{refused}");
}

#[test]
fn the_source_names_the_bodies_of_a_contact() {
    let (system, colliders) = scene(3);
    let whole = Scene::new(colliders, &system).unwrap();
    let name = |surfaces| ContactName { surfaces, features: [0, 0] };
    assert_eq!(whole.bodies(&name([1, 4])), Some([Some(1), None]));
    assert_eq!(whole.bodies(&name([3, 2])), Some([Some(0), Some(2)]));
    assert_eq!(whole.bodies(&name([0, 9])), None);
}
