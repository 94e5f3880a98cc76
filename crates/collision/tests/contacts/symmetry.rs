//! Contacts do not depend on the position of the scene in the world, nor on the order of its colliders.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, Contact, Feature, Scene, Settings, Shape};
use percussion_dynamics::{System, pose_coordinates};

use crate::common::{
    ChaCha8Rng, EVERYTHING, SeedableRng, contacts, coordinates, planar_shapes, pose, scene, shapes,
    smallest_gap, two_bodies, vector,
};

/// The error of the gaps of polytopes and round shapes is rounding, that of cylinders a few times the tolerance of
/// Newton's method.
const EXACT: f64 = 1e-11;

fn moved_pose(system: &dyn System, q: &[f64], body: usize, by: &Isometry3<f64>) -> Isometry3<f64> {
    by * system.pose(q, body)
}

fn sorted_gaps(contacts: &[Contact]) -> Vec<f64> {
    let mut gaps: Vec<_> = contacts.iter().map(|contact| contact.gap).collect();
    gaps.sort_by(f64::total_cmp);
    gaps
}

#[test]
fn turning_and_moving_the_whole_scene_turns_and_moves_its_contacts() {
    let system = two_bodies(false);
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    for first in &shapes() {
        for second in &shapes() {
            if matches!((first, second), (Shape::HalfSpace { .. }, Shape::HalfSpace { .. })) {
                continue;
            }
            let scene = scene(&*system, [first, second], false);
            let mut same = 0;
            for _ in 0..20 {
                let q = coordinates(&mut rng, false, 1.0);
                let by = pose(&mut rng, 3.0);
                let q_moved: Vec<f64> = (0..2)
                    .flat_map(|body| pose_coordinates(&moved_pose(&*system, &q, body, &by)))
                    .collect();
                let before = contacts(&scene, &*system, &q, &EVERYTHING);
                let after = contacts(&scene, &*system, &q_moved, &EVERYTHING);
                let ids = |of: &[Contact]| of.iter().map(|c| c.id).collect::<Vec<_>>();
                assert_eq!(ids(&before), ids(&after));
                for (before, after) in before.iter().zip(&after) {
                    let normal = by.rotation * before.frame.normal;
                    let is_same = (before.gap - after.gap).abs() < EXACT
                        && (normal - after.frame.normal).norm() < 1e-9;
                    same += usize::from(is_same);
                    let cylinder = [first.name(), second.name()].contains(&"cylinder");
                    let deep = cylinder && before.id.features == [Feature::Whole; 2];
                    assert!(is_same || (deep && before.gap < 0.0), "{before:?} {after:?}");
                }
            }
            assert!(same > 0, "some contacts were compared");
        }
    }
}

#[test]
fn exchanging_the_colliders_turns_the_normals_around() {
    for planar in [false, true] {
        let system = two_bodies(planar);
        let shapes = if planar { planar_shapes() } else { shapes() };
        let mut rng = ChaCha8Rng::seed_from_u64(22);
        for first in &shapes {
            for second in &shapes {
                if matches!((first, second), (Shape::HalfSpace { .. }, Shape::HalfSpace { .. })) {
                    continue;
                }
                let scene = scene(&*system, [first, second], planar);
                let mut reversed: Vec<_> = scene.colliders().to_vec();
                reversed.reverse();
                let reversed = Scene::new(reversed, &*system).unwrap();
                for _ in 0..10 {
                    let q = coordinates(&mut rng, planar, 1.0);
                    let one = contacts(&scene, &*system, &q, &EVERYTHING);
                    let two = contacts(&reversed, &*system, &q, &EVERYTHING);
                    let (a, b) = (sorted_gaps(&one), sorted_gaps(&two));
                    // Iterations that start from the other side end at a different point within their tolerance.
                    let cylinder = [first.name(), second.name()].contains(&"cylinder");
                    let tolerance = if cylinder { 1e-6 } else { EXACT };
                    assert_eq!(a.len(), b.len(), "{one:?} {two:?}");
                    for (a, b) in a.iter().zip(&b) {
                        assert!((a - b).abs() < tolerance, "{one:?} {two:?}");
                    }
                    assert!(
                        one.iter().chain(&two).all(is_consistent),
                        "points and normals go together"
                    );
                }
            }
        }
    }
}

/// The identity that defines the points, and normals out of half-spaces.
fn is_consistent(contact: &Contact) -> bool {
    let difference = contact.points[0] - contact.points[1] - contact.gap * contact.frame.normal;
    difference.norm() < 1e-12
}

#[test]
fn bodies_in_another_order_have_the_same_contacts() {
    let mut rng = ChaCha8Rng::seed_from_u64(23);
    let body = percussion_dynamics::Body::new(1.0, nalgebra::Matrix3::identity());
    let count = 12;
    let system = percussion_dynamics::FreeBodies::new(vec![body; count], Vector3::zeros()).unwrap();
    let all = shapes();
    let usable: Vec<_> = all.iter().filter(|s| !matches!(s, Shape::HalfSpace { .. })).collect();
    let poses: Vec<_> = (0..count).map(|_| pose(&mut rng, 1.2)).collect();
    let build = |order: &[usize]| {
        let mut colliders: Vec<_> = order
            .iter()
            .enumerate()
            .map(|(body, &k)| Collider::on_body(body, usable[k % usable.len()].clone()).unwrap())
            .collect();
        colliders.push(Collider::fixed(Shape::HalfSpace { normal: Vector3::z() }).unwrap());
        let q: Vec<f64> = order.iter().flat_map(|&k| pose_coordinates(&poses[k])).collect();
        (Scene::new(colliders, &system).unwrap(), q)
    };
    let ordered: Vec<usize> = (0..count).collect();
    let shuffled: Vec<usize> = (0..count).map(|k| (5 * k + 3) % count).collect();
    let [one, two] = [&ordered, &shuffled].map(|order| {
        let (scene, q) = build(order);
        contacts(&scene, &system, &q, &Settings { proximity: 0.3 })
    });
    assert!(one.len() > 30, "{} contacts are too few to compare", one.len());
    let (a, b) = (sorted_gaps(&one), sorted_gaps(&two));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() < 1e-6, "{a} and {b}");
    }
    assert!(one.is_sorted() && two.is_sorted(), "contacts are sorted by their names");
    // The same call gives the same bits.
    let (scene, q) = build(&ordered);
    assert_eq!(contacts(&scene, &system, &q, &Settings { proximity: 0.3 }), one);
}

#[test]
fn gaps_are_continuous_through_coincident_centers_and_axes() {
    let system = two_bodies(false);
    let pairs = [
        [Shape::Sphere { radius: 0.6 }, Shape::Sphere { radius: 0.3 }],
        [Shape::Sphere { radius: 0.6 }, Shape::Capsule { half_length: 0.6, radius: 0.25 }],
        [Shape::Sphere { radius: 0.2 }, Shape::Cylinder { half_height: 0.9, radius: 0.25 }],
        [
            Shape::Capsule { half_length: 0.6, radius: 0.25 },
            Shape::Capsule { half_length: 0.5, radius: 0.1 },
        ],
        [
            Shape::Box { half_extents: Vector3::new(0.5, 0.3, 0.7) },
            Shape::Box { half_extents: Vector3::new(0.5, 0.3, 0.7) },
        ],
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    for pair in &pairs {
        let colliders =
            [0, 1].map(|body| Collider::on_body(body, pair[body].clone()).unwrap()).to_vec();
        let scene = Scene::new(colliders, &*system).unwrap();
        let common = pose(&mut rng, 1.0);
        let tilt = UnitQuaternion::from_scaled_axis(vector(&mut rng, 1e-9));
        let gap = |offset: &Vector3<f64>| {
            let other = common * Isometry3::from_parts(Translation3::from(*offset), tilt);
            let q: Vec<f64> = [common, other].iter().flat_map(pose_coordinates).collect();
            let found = contacts(&scene, &*system, &q, &EVERYTHING);
            assert!(found.iter().all(|c| c.frame.normal.norm() > 0.99), "a normal is chosen");
            smallest_gap(&found)
        };
        let center = gap(&Vector3::zeros());
        for _ in 0..10 {
            let near = gap(&vector(&mut rng, 1e-8));
            assert!(
                (center - near).abs() < 1e-7,
                "{} {}: {center}, {near}",
                pair[0].name(),
                pair[1].name()
            );
        }
    }
}
