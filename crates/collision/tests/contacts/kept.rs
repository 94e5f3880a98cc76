//! Searches that keep pairs and answers from position to position, compared with searches that begin anew.

use nalgebra::{Isometry3, Matrix3, Vector3};
use percussion_collision::{Collider, Scene, Shape};
use percussion_dynamics::{
    Body, ContactSearch, ContactSource, FreeBodies, Nearby, System, gap::PointContact,
    pose_coordinates,
};
use rand::RngExt;

use crate::common::{ChaCha8Rng, SeedableRng, pose, shapes};

/// Bodies of all shapes but half-spaces, one with two colliders, over a floor; on the last body a half-space if `tilts`.
fn scene(count: usize, tilts: bool) -> (FreeBodies, Scene) {
    let bodies = vec![Body::new(1.0, Matrix3::identity()); count];
    let system = FreeBodies::new(bodies, Vector3::zeros()).unwrap();
    let is_solid = |shape: &Shape| !matches!(shape, Shape::HalfSpace { .. });
    let solid: Vec<Shape> = shapes().into_iter().filter(is_solid).collect();
    let on_body = |body: usize, shape: Shape| Collider::on_body(body, shape).unwrap();
    let mut colliders: Vec<Collider> =
        (0..count).map(|body| on_body(body, solid[body % solid.len()].clone())).collect();
    let beside = Isometry3::translation(0.9, 0.0, 0.0);
    colliders.push(on_body(0, Shape::Sphere { radius: 0.2 }).with_pose(beside).unwrap());
    let floor = Shape::HalfSpace { normal: Vector3::z() };
    colliders.push(if tilts { on_body(count - 1, floor) } else { Collider::fixed(floor).unwrap() });
    let scene = Scene::new(colliders, &system).unwrap();
    (system, scene)
}

/// A search of many positions, and of each anew.
fn compare(count: usize, tilts: bool, steps: usize, way: impl Fn(usize) -> f64) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let (system, scene) = scene(count, tilts);
    let mut kept = scene.search();
    let size = 0.6 * f64::from(u32::try_from(count).unwrap()).cbrt();
    let mut q: Vec<f64> =
        (0..count).flat_map(|_| pose_coordinates(&pose(&mut rng, size))).collect();
    let (mut found, mut expected, mut changes) = (Vec::new(), Vec::<Nearby>::new(), 0);
    for step in 0..steps {
        let tangent: Vec<f64> = (0..6 * count)
            .map(|k| {
                // One body in five moves ten times as far, and some turn only.
                let fast = if (k / 6) % 5 == 0 { 10.0 } else { 1.0 };
                let turns = if (k / 6) % 3 == 1 && k % 6 < 3 { 0.0 } else { 1.0 };
                // In every other step, half of the bodies stay where they are.
                let stays = step % 2 == 1 && (k / 6 + step / 2) % 2 == 0;
                let moves = if stays { 0.0 } else { fast * turns };
                moves * way(step) * rng.random_range(-1.0..1.0)
            })
            .collect();
        let mut next = q.clone();
        system.retract(&q, &tangent, &mut next);
        q = next;
        let proximity = [0.0, 0.05, 0.0, 1e-6][step % 4];
        let reaches: Vec<f64> = match step % 3 {
            0 => Vec::new(),
            _ => (0..count).map(|_| rng.random_range(0.0..0.02)).collect(),
        };
        kept.find_within(&system, &q, proximity, &reaches, &mut found).unwrap();
        let before = expected.len();
        scene.search().find_within(&system, &q, proximity, &reaches, &mut expected).unwrap();
        assert_eq!(found, expected, "step {step}");
        changes += usize::from(expected.len() != before);
    }
    changes
}

#[test]
fn pairs_that_are_kept_give_the_bits_of_a_search_anew() {
    // A few colliders are compared one by one, many by a tree.
    for (count, steps) in [(6, 400), (45, 60)] {
        let slow = compare(count, false, steps, |_| 1e-3);
        let jumps = compare(count, false, steps, |step| if step % 7 == 0 { 0.3 } else { 1e-4 });
        let fast = compare(count, false, steps, |_| 0.05);
        assert!(slow.min(jumps).min(fast) > steps / 10, "{slow} {jumps} {fast}");
    }
    compare(6, true, 200, |_| 1e-2);
}

/// The gap and the points that a search knows.
fn known(search: &dyn ContactSearch, q: &[f64], near: &Nearby) -> Option<(f64, PointContact)> {
    let (gap, points) = (search.known_gap(q, &near.name), search.known_points(q, &near.name));
    assert_eq!(gap, points.map(|points| points.gap), "both are known or neither");
    Some((gap?, points?))
}

#[test]
fn a_contact_is_known_where_it_was_found_and_nowhere_else() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (system, scene) = scene(6, false);
    let mut search = scene.search();
    let mut compared = 0;
    let mut positions: Vec<(Vec<f64>, Vec<Nearby>)> = Vec::new();
    for _ in 0..300 {
        let q: Vec<f64> = (0..6).flat_map(|_| pose_coordinates(&pose(&mut rng, 0.9))).collect();
        let mut found = Vec::new();
        for near in positions.last().iter().flat_map(|(_, found)| found) {
            assert_eq!(known(&*search, &q, near), None);
        }
        search.find(&system, &q, 0.1, &mut found).unwrap();
        positions.push((q, found));
        // The last positions are kept, whatever was found since.
        for (q, found) in positions.iter().rev().take(4) {
            for near in found {
                let (gap, points) = known(&*search, q, near).unwrap();
                assert_eq!(gap.to_bits(), near.gap.to_bits());
                let function = scene.gap(&near.name).unwrap();
                let expected = function.point_contact(&system, q).unwrap();
                assert!((gap - expected.gap).abs() < 1e-12, "{near:?} {expected:?}");
                assert_eq!(points.bodies, expected.bodies);
                let turned = points.frame.normal - expected.frame.normal;
                assert!(turned.norm() < 1e-9, "{near:?} {points:?} {expected:?}");
                for (point, expected) in points.points.iter().zip(&expected.points) {
                    assert!((point - expected).norm() < 1e-9, "{near:?} {points:?} {expected:?}");
                }
                compared += 1;
            }
        }
        if let Some((q, found)) = positions.iter().rev().nth(4) {
            assert!(found.iter().all(|near| known(&*search, q, near).is_none()));
        }
    }
    assert!(compared > 2000, "{compared}");
}
