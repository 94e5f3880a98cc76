//! No direction has a larger separation than the one found.

use std::{f64::consts::TAU, sync::Arc};

use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::hull::Hull;

fn solids(rng: &mut ChaCha8Rng) -> Vec<Solid> {
    let mut length = || rng.random_range(0.05..1.0);
    let mut solids = vec![
        Solid::Cylinder { half_height: length(), radius: length() },
        Solid::Cylinder { half_height: 0.1 * length(), radius: length() },
        Solid::Cylinder { half_height: length(), radius: 0.1 * length() },
        Solid::Capsule { half: Vector3::z() * length(), radius: length() },
    ];
    solids.push(Solid::Polytope(Arc::new(Hull::cuboid(&Vector3::from_fn(|_, _| length())))));
    #[cfg(not(feature = "hulls"))]
    solids.push(Solid::Polytope(Arc::new(Hull::cuboid(&direction(rng).map(|x| 0.1 + x.abs())))));
    #[cfg(feature = "hulls")]
    {
        let points: Vec<_> = (0..12).map(|_| direction(rng)).collect();
        solids.push(Solid::Polytope(Arc::new(Hull::new(&points).unwrap())));
    }
    solids
}

fn direction(rng: &mut ChaCha8Rng) -> Vector3<f64> {
    let (z, angle): (f64, f64) = (rng.random_range(-1.0..1.0), rng.random_range(0.0..TAU));
    let radius = (1.0 - z * z).sqrt();
    Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
}

fn pose(rng: &mut ChaCha8Rng, distance: f64) -> Isometry3<f64> {
    let shift = direction(rng) * rng.random_range(0.0..distance);
    let turn = UnitQuaternion::from_scaled_axis(direction(rng) * rng.random_range(0.0..3.0));
    Isometry3::from_parts(Translation3::from(shift), turn)
}

/// The largest separation of `count` evenly distributed directions, with the best ones refined by an ascent.
fn sampled(a: &Placed<'_>, b: &Placed<'_>, count: usize, rng: &mut ChaCha8Rng) -> f64 {
    let gap = |n: &Vector3<f64>| separation(a, b, n).0;
    let mut best: Vec<(f64, Vector3<f64>)> = (0..count)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f64 / count as f64;
            let (sin, cos) = (i as f64 * 2.399_963_229_728_653).sin_cos();
            let radius = (1.0 - z * z).sqrt();
            let n = Vector3::new(radius * cos, radius * sin, z);
            (gap(&n), n)
        })
        .collect();
    best.sort_by(|x, y| y.0.total_cmp(&x.0));
    best.truncate(5);
    for (value, n) in &mut best {
        let mut reach = 0.1;
        while reach > 1e-7 {
            let turn = Rotation3::from_scaled_axis(direction(rng) * reach);
            let other = (turn * *n).normalize();
            if gap(&other) > *value {
                (*value, *n) = (gap(&other), other);
            } else {
                reach *= 0.9;
            }
        }
    }
    best.iter().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max)
}

/// Checks `rounds` random poses of every pair against `count` directions and returns the number of
/// overlapping ones.
fn check(seed: u64, rounds: usize, count: usize) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut overlapping = 0;
    for _ in 0..rounds {
        let solids = solids(&mut rng);
        for first in &solids {
            for second in &solids {
                let both = [first, second];
                if both.iter().all(|s| matches!(s, Solid::Capsule { .. })) {
                    continue;
                }
                let [a, b] = both.map(|solid| Placed::new(solid, pose(&mut rng, 0.6)));
                let found = largest_separation(&a, &b).unwrap();
                let tolerance = 1e-11 * (first.size() + second.size());
                let (attained, _) = separation(&a, &b, &found.normal);
                assert!((attained - found.gap).abs() < tolerance, "{found:?}");
                // The separation of disjoint cores may be larger in the direction of a vertex.
                let rounding = first.rounding() + second.rounding();
                if found.gap + rounding < 0.0 {
                    overlapping += 1;
                    let sampled = sampled(&a, &b, count, &mut rng);
                    assert!(sampled <= found.gap + tolerance, "{sampled} {found:?} {a:?} {b:?}");
                }
            }
        }
    }
    overlapping
}

#[test]
fn no_direction_separates_overlapping_solids_more_than_the_one_found() {
    let overlapping = check(1, 12, 300);
    assert!(overlapping > 250, "{overlapping}");
}

#[test]
fn points_of_the_largest_separation_lie_on_both_surfaces() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let cylinder = Solid::Cylinder { half_height: 0.5, radius: 0.4 };
    let mut overlapping = 0;
    for _ in 0..300 {
        let [a, b] = [(); 2].map(|()| Placed::new(&cylinder, pose(&mut rng, 0.5)));
        let found = largest_separation(&a, &b).unwrap();
        if found.gap >= 0.0 {
            continue;
        }
        overlapping += 1;
        for (placed, point) in [(&a, found.points[0]), (&b, found.points[1])] {
            let (distance, _) = placed.signed_distance(&point);
            assert!(distance.abs() < 1e-12, "{distance:e} {found:?}");
        }
    }
    assert!(overlapping > 200, "{overlapping}");
}

#[test]
fn coaxial_cylinders_part_along_the_axis_or_the_x_axis_of_the_first() {
    let long = Solid::Cylinder { half_height: 2.0, radius: 0.3 };
    let placed = |shift: f64| Placed::new(&long, Isometry3::translation(0.0, 0.0, shift));
    // 0.6 m sideways, or 4 m − shift along the axis.
    let sideways = largest_separation(&placed(0.1), &placed(0.0)).unwrap();
    assert_eq!((sideways.gap, sideways.normal), (-0.6, Vector3::x()));
    let along = largest_separation(&placed(3.5), &placed(0.0)).unwrap();
    assert_eq!((along.gap, along.normal), (-0.5, Vector3::z()));
}

#[test]
fn crossed_cylinders_part_along_the_common_perpendicular() {
    // Axes along z and y, 0.3 m apart along x: 0.2 + 0.25 − 0.3 deep.
    let [thin, thick] = [0.2, 0.25].map(|radius| Solid::Cylinder { half_height: 3.0, radius });
    let upright = Placed::new(&thin, Isometry3::translation(0.3, 0.0, 0.1));
    let lying = Placed::new(&thick, Isometry3::rotation(Vector3::x() * (TAU / 4.0)));
    let found = largest_separation(&upright, &lying).unwrap();
    assert!((found.gap + 0.15).abs() < 1e-15 && (found.normal - Vector3::x()).norm() < 1e-15);
}
