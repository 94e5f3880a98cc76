//! Two boxes in closed form and by the code for all polytopes.

use std::{f64::consts::FRAC_PI_4, sync::Arc};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_dynamics::Dimension;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    side::{EDGES, corner},
    *,
};
use crate::{feature::Feature, hull::Hull, pairs::manifold::faceted, solid::Solid};

/// Accuracy of the general code where it iterates: the direction between points that are `1e-6` of the sizes apart
/// is known to `1e-10`.
const ITERATED: f64 = 1e-9;

fn cuboid(half: [f64; 3]) -> Solid {
    Solid::Polytope(Arc::new(Hull::cuboid(&half.into())))
}

/// The contacts by the closed form, if it decides, and by the general code.
fn both(solids: [&Solid; 2], poses: [Isometry3<f64>; 2], margin: f64) -> [Option<Vec<Active>>; 2] {
    let [a, b] = [0, 1].map(|k: usize| Placed::new(solids[k], poses[k]));
    let half = solids.map(|solid| match solid {
        Solid::Polytope(hull) => hull.half_extents.unwrap(),
        _ => unreachable!("boxes are polytopes"),
    });
    let (mut closed, mut general) = (Vec::new(), Vec::new());
    let decided = manifold([&a, &b], half.each_ref(), margin, &mut closed);
    faceted(&a, &b, Dimension::Space, margin, &mut general).unwrap();
    closed.sort_unstable_by_key(|(features, _)| *features);
    general.sort_unstable_by_key(|(features, _)| *features);
    [decided.map(|_| closed), Some(general)]
}

/// Panics unless both lists have the same contacts.
fn assert_equal(closed: &[Active], general: &[Active], slack: f64, case: &str) {
    let names = |list: &[Active]| list.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    assert_eq!(names(closed), names(general), "{case}: {closed:?}\n{general:?}");
    for ((features, found), (_, expected)) in closed.iter().zip(general) {
        let away = (found.points[0] - expected.points[0])
            .norm()
            .max((found.points[1] - expected.points[1]).norm());
        let turned = (found.normal - expected.normal).norm();
        let gap = (found.gap - expected.gap).abs();
        assert!(
            away <= slack && turned <= slack && gap <= slack,
            "{case} {features:?}: {found:?} {expected:?}"
        );
    }
}

fn vector(random: &mut ChaCha8Rng, size: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.random_range(-size..size))
}

#[test]
fn the_tables_are_those_of_hulls() {
    let hull = Hull::cuboid(&Vector3::new(1.0, 2.0, 3.0));
    for (index, edge) in hull.edges().iter().enumerate() {
        let (axis, base) = EDGES[index];
        assert_eq!(edge.vertices, [base, base + (1 << axis)]);
        assert_eq!(side::edge_at(axis, base), index);
        for face in 0..6 {
            let listed = side::EDGES_OF_FACES[face].contains(&index);
            assert_eq!(listed, edge.faces.contains(&face), "{index} {face}");
        }
    }
    for (index, vertex) in hull.vertices().iter().enumerate() {
        assert_eq!(corner(index).component_mul(&Vector3::new(1.0, 2.0, 3.0)), *vertex);
    }
    assert!(side::EDGES_OF_FACES.iter().all(|edges| edges.is_sorted()), "in the order of hulls");
    for (index, face) in hull.faces().iter().enumerate() {
        assert_eq!(Side::outward(index), face.normal);
    }
}

#[test]
fn random_boxes_have_the_contacts_of_the_general_code() {
    let solids = [[0.1, 0.075, 0.05], [0.1, 0.1, 0.1], [0.02, 0.3, 0.07]].map(cuboid);
    let random = &mut ChaCha8Rng::seed_from_u64(11);
    let (mut undecided, mut kinds) = (0, [0_usize; 4]);
    for case in 0..40_000 {
        let pair = [0, 0].map(|_| &solids[random.random_range(0..solids.len())]);
        let poses = [0, 1].map(|_: usize| {
            let place = Translation3::from(vector(random, 0.1));
            Isometry3::from_parts(place, UnitQuaternion::from_scaled_axis(vector(random, 3.0)))
        });
        // Moved apart or together until the gap is a small fraction of the sizes, mostly.
        let mut poses = poses;
        let placed = |poses: &[Isometry3<f64>; 2]| -> f64 {
            let [a, b] = [0, 1].map(|k: usize| Placed::new(pair[k], poses[k]));
            super::super::whole_within(&a, &b, Dimension::Space, f64::INFINITY).unwrap().gap
        };
        let direction = vector(random, 1.0).normalize();
        for _ in 0..40 {
            let gap = placed(&poses);
            if gap.abs() < 2e-3 {
                break;
            }
            poses[0].translation.vector += if gap < 0.0 { -gap } else { -0.5 * gap } * direction;
        }
        let margin = [0.0, 1e-4, 1e-3, 2e-2][random.random_range(0..4)];
        let [closed, general] = both(pair, poses, margin);
        let general = general.unwrap();
        let Some(closed) = closed else {
            undecided += 1;
            continue;
        };
        for (features, _) in &closed {
            kinds[match features {
                [Feature::Vertex(_), _] => 0,
                [_, Feature::Vertex(_)] => 1,
                [Feature::Edge(_), _] => 2,
                _ => 3,
            }] += 1;
        }
        assert_equal(&closed, &general, ITERATED, &format!("case {case}"));
    }
    assert!(undecided <= 4, "{undecided} of 40000 pairs were left to the general code");
    assert!(kinds.iter().all(|count| *count > 300), "all kinds of contacts occur: {kinds:?}");
}

/// Poses of the second box on the first, whose upper face is at 0.05 m, at this height over it.
fn degenerate(height: f64) -> Vec<(&'static str, Isometry3<f64>)> {
    let turned = |axis: Vector3<f64>| UnitQuaternion::from_scaled_axis(axis);
    let at = |x: f64, y: f64, z: f64, turn: Vector3<f64>| {
        Isometry3::from_parts(Translation3::new(x, y, z + height), turned(turn))
    };
    let zero = Vector3::zeros();
    let overhanging = Isometry3::from_parts(
        Translation3::new(0.0, 0.0, 0.05 + 0.125 * FRAC_PI_4.sin() + height),
        turned(Vector3::z() * (2.0 * FRAC_PI_4)) * turned(Vector3::x() * FRAC_PI_4),
    );
    let tilted = 0.1 * (FRAC_PI_4.sin() + 0.5 * FRAC_PI_4.cos());
    vec![
        ("aligned", at(0.0, 0.0, 0.1, zero)),
        ("shifted", at(0.03, -0.02, 0.1, zero)),
        ("flush at one side", at(0.0, 0.02, 0.1, zero)),
        ("beside an edge", at(0.2, 0.0, 0.1, zero)),
        ("corner on corner", at(0.2, 0.15, 0.1, zero)),
        ("turned by a right angle", at(0.0, 0.0, 0.1, Vector3::z() * (2.0 * FRAC_PI_4))),
        ("turned by 45 degrees", at(0.0, 0.0, 0.1, Vector3::z() * FRAC_PI_4)),
        ("turned by 0.05", at(0.01, 0.0, 0.1, Vector3::z() * 0.05)),
        ("turned by 1e-7", at(0.01, 0.0, 0.1, Vector3::z() * 1e-7)),
        ("tilted by 1e-7", at(0.01, 0.0, 0.1, Vector3::y() * 1e-7)),
        ("on an edge", at(0.0, 0.0, 0.05 + tilted, Vector3::y() * FRAC_PI_4)),
        ("across an edge", at(0.1, 0.0, 0.05 + tilted, Vector3::y() * FRAC_PI_4)),
        ("on an edge that overhangs", overhanging),
        ("the same", at(0.0, 0.0, 0.0, zero)),
        ("inside", at(0.01, 0.02, 0.0, Vector3::new(0.3, 0.0, 0.0))),
    ]
}

#[test]
fn degenerate_boxes_have_the_contacts_of_the_general_code() {
    let solid = cuboid([0.1, 0.075, 0.05]);
    let frames = [
        Isometry3::identity(),
        Isometry3::new(Vector3::new(3.0, -2.0, 1.0), Vector3::new(0.4, -1.1, 0.7)),
    ];
    let mut decided = 0;
    for height in [-1e-3, -1e-9, 0.0, 1e-9, 1e-4] {
        for (name, pose) in degenerate(height) {
            for frame in frames {
                for swapped in [false, true] {
                    let poses = [frame, frame * pose];
                    let poses = if swapped { [poses[1], poses[0]] } else { poses };
                    let case = format!("{name} at {height:e}, swapped: {swapped}");
                    let [closed, general] = both([&solid, &solid], poses, 2e-3);
                    let general = general.unwrap();
                    if let Some(closed) = closed {
                        decided += 1;
                        assert_equal(&closed, &general, ITERATED, &case);
                    }
                }
            }
        }
    }
    // Apart, a face or an edge that is parallel to a face may cross it without a corner over either: the boxes that
    // are turned by 45 or 90 degrees, and the edge that overhangs.
    assert_eq!(decided, 300 - 12);
}
