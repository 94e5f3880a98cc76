//! `J̇ v` of every contact is the rate of its contact velocity, apart and deep inside.

use std::collections::BTreeMap;

use percussion_dynamics::{
    System,
    gap::{ContactRows, GapFunction},
};
use rand::RngExt;

use crate::{
    common::{EVERYTHING, SeedableRng, contacts, coordinates, moved},
    gradients::for_every_pair,
};

/// Step of central differences of fourth order. If the rates change over a length of 0.1, the error is some
/// `(STEP/0.1)⁴ · 100`, 1e-6, and the rounding is 1e-10.
const STEP: f64 = 1e-3;

/// Two quotients that differ by more than this (relative) indicate features that change, or points that move too
/// fast for differences.
const SMOOTH: f64 = 1e-4;

/// Largest error of differences that agree to [`SMOOTH`], relative to the size of the rates.
const EXACT: f64 = 1e-4;

fn quotient(
    gap: &dyn GapFunction,
    system: &dyn System,
    (q, v): (&[f64], &[f64]),
    step: f64,
) -> Vec<f64> {
    let mut rows = ContactRows::for_system(system);
    let mut at = |s: f64| -> Vec<f64> {
        gap.rows(system, &moved(system, q, v, s), &mut rows);
        (0..=rows.tangent_count())
            .map(|k| rows.row_mut(k).iter().zip(v).map(|(a, b)| a * b).sum())
            .collect()
    };
    let [one, minus_one, two, minus_two] = [1.0, -1.0, 2.0, -2.0].map(|side| at(side * step));
    (0..one.len())
        .map(|k| (8.0 * (one[k] - minus_one[k]) - (two[k] - minus_two[k])) / (12.0 * step))
        .collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let difference = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    difference.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

#[test]
fn biases_are_rates_of_contact_velocities_of_every_pair() {
    for_every_pair(|system, scene, [first, second], planar| {
        let mut rng = crate::common::ChaCha8Rng::seed_from_u64(21);
        // By sign of the gap: number of contacts, of those for which differences are valid, and of failures.
        let mut counts = BTreeMap::<bool, [usize; 3]>::new();
        let mut worst = String::new();
        for case in 0..120 {
            let q = coordinates(&mut rng, planar, [0.1, 0.3, 0.6, 2.0][case % 4]);
            let v: Vec<f64> =
                (0..system.velocity_count()).map(|_| rng.random_range(-1.0..1.0)).collect();
            for contact in contacts(scene, system, &q, &EVERYTHING) {
                let gap = scene.gap_function(&contact.id).unwrap();
                let mut bias = vec![f64::NAN; 1 + system.dimension().tangent_count()];
                gap.bias(system, &q, &v, &mut bias);
                let [coarse, fine] =
                    [STEP, 0.3 * STEP].map(|h| quotient(&gap, system, (&q, &v), h));
                let size = fine.iter().map(|c| c.abs()).fold(1.0, f64::max);
                let [all, judged, missed] = counts.entry(contact.is_overlapping()).or_default();
                *all += 1;
                if distance(&coarse, &fine) < SMOOTH * size {
                    *judged += 1;
                    if distance(&fine, &bias) >= EXACT * size || bias.iter().any(|b| b.is_nan()) {
                        *missed += 1;
                        worst = format!("{:?} {fine:?} {bias:?} {}", contact.id, contact.gap);
                    }
                }
            }
        }
        let pair = [first.name(), second.name()];
        for [all, judged, missed] in counts.values() {
            assert!(10 * judged >= 8 * all, "{pair:?}: {counts:?}");
            assert_eq!(*missed, 0, "{pair:?}: {counts:?} {worst}");
        }
    });
}
