//! The normal row of every contact is the gradient of its gap, apart, touching and deep inside.

use std::collections::BTreeMap;

use percussion_collision::{Contact, Scene, Shape};
use percussion_dynamics::{
    System,
    gap::{ContactRows, GapFunction},
};
use rand::RngExt;

use crate::common::{
    ChaCha8Rng, EVERYTHING, SeedableRng, contacts, coordinates, direction, moved, planar_shapes,
    scene, shapes, smallest_gap, two_bodies,
};

/// Step of central differences: their error is some 1e-12 of curvature and `eps / STEP` of rounding,
/// 1e-9 for lengths and arms of a few meters.
const STEP: f64 = 1e-6;

/// Ten times that error.
const EXACT: f64 = 1e-8;

/// Runs `test` on every pair of shapes of space and of the plane, except a half-space with itself.
pub(crate) fn for_every_pair(mut test: impl FnMut(&dyn System, &Scene, [&Shape; 2], bool)) {
    for planar in [false, true] {
        let shapes = if planar { planar_shapes() } else { shapes() };
        let system = two_bodies(planar);
        for (i, first) in shapes.iter().enumerate() {
            for (j, second) in shapes.iter().enumerate() {
                if !(i == j && matches!(first, Shape::HalfSpace { .. })) {
                    let scene = scene(&*system, [first, second], planar);
                    test(&*system, &scene, [first, second], planar);
                }
            }
        }
    }
}

/// Difference of the normal row from the difference quotient of the gap along a random velocity.
fn error(
    system: &dyn System,
    scene: &Scene,
    q: &[f64],
    contact: &Contact,
    rng: &mut ChaCha8Rng,
) -> f64 {
    let v: Vec<f64> = (0..system.velocity_count()).map(|_| rng.random_range(-1.0..1.0)).collect();
    let gap = scene.gap_function(&contact.id).unwrap();
    let mut rows = ContactRows::for_system(system);
    let value = gap.rows(system, q, &mut rows);
    assert!((value - contact.gap).abs() < 1e-15, "{:?}: {value}, {}", contact.id, contact.gap);
    let mut of_contact = ContactRows::for_system(system);
    contact.rows(system, q, &mut of_contact);
    assert_eq!(rows, of_contact, "the gap function has the rows of the contact");
    let at = |s: f64| gap.gap(system, &moved(system, q, &v, s));
    let quotient = (at(STEP) - at(-STEP)) / (2.0 * STEP);
    let row: f64 = rows.normal().iter().zip(&v).map(|(a, b)| a * b).sum();
    (quotient - row).abs()
}

#[test]
fn normal_rows_are_gradients_at_random_poses_of_every_pair() {
    for_every_pair(|system, scene, [first, second], planar| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        // Number of contacts by sign of the gap, and number of failures.
        let mut counts = BTreeMap::<bool, [usize; 2]>::new();
        for case in 0..120 {
            let q = coordinates(&mut rng, planar, [0.1, 0.3, 0.6, 2.0][case % 4]);
            for contact in contacts(scene, system, &q, &EVERYTHING) {
                let error = error(system, scene, &q, &contact, &mut rng);
                let [all, missed] = counts.entry(contact.is_overlapping()).or_default();
                *all += 1;
                *missed += usize::from(error > EXACT);
            }
        }
        let [apart, inside] =
            [false, true].map(|sign| counts.get(&sign).copied().unwrap_or_default());
        let pair = [first.name(), second.name()];
        assert!(apart[0] >= 5 && inside[0] >= 5, "{pair:?}: {counts:?} should hold both signs");
        assert_eq!(apart[1], 0, "{pair:?}: {counts:?}");
        assert_eq!(inside[1], 0, "{pair:?}: {counts:?}");
    });
}

#[test]
fn normal_rows_are_gradients_where_bodies_just_touch() {
    for_every_pair(|system, scene, [first, second], planar| {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut touching = 0;
        for _ in 0..40 {
            let q = touching_coordinates(system, scene, planar, &mut rng);
            for contact in contacts(scene, system, &q, &EVERYTHING) {
                if contact.gap.abs() < 1e-9 {
                    touching += 1;
                    let error = error(system, scene, &q, &contact, &mut rng);
                    assert!(
                        error < EXACT,
                        "{} {}: {error:e}, {contact:?}",
                        first.name(),
                        second.name()
                    );
                }
            }
        }
        assert!(touching >= 30, "{} {}: only {touching} touch", first.name(), second.name());
    });
}

/// Moves body 0 from afar along a straight line until the smallest gap closes, or to its start if that is not inside
/// body 1.
fn touching_coordinates(
    system: &dyn System,
    scene: &Scene,
    planar: bool,
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let start = coordinates(rng, planar, 0.1);
    let mut away = direction(rng);
    if planar {
        away.z = 0.0;
    }
    let at = |distance: f64| {
        let mut q = start.clone();
        for k in 0..if planar { 2 } else { 3 } {
            q[k] += distance * away[k];
        }
        q
    };
    let gap = |distance: f64| smallest_gap(&contacts(scene, system, &at(distance), &EVERYTHING));
    // One of the two directions leads out of a half-space.
    let far = 20.0;
    let (mut inside, mut apart) = (0.0, if gap(far) > 0.0 { far } else { -far });
    for _ in 0..60 {
        let middle = 0.5 * (inside + apart);
        *(if gap(middle) > 0.0 { &mut apart } else { &mut inside }) = middle;
    }
    at(apart)
}
