//! Bounds leave out no face and no edge that counts.

use std::{f64::consts::TAU, sync::Arc};

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn direction(rng: &mut ChaCha8Rng) -> Vector3<f64> {
    let (z, angle): (f64, f64) = (rng.random_range(-1.0..1.0), rng.random_range(0.0..TAU));
    let radius = (1.0 - z * z).sqrt();
    Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
}

/// Boxes and prisms, some of them thin, and with the feature also hulls of up to 60 points.
fn hull(rng: &mut ChaCha8Rng) -> Arc<Hull> {
    let size = 10.0_f64.powf(rng.random_range(-2.0..0.5));
    Arc::new(match rng.random_range(0..4) {
        0 => Hull::cuboid(&Vector3::from_fn(|_, _| size * rng.random_range(0.01..1.0))),
        1 => {
            let corners = [(); 3].map(|()| size * direction(rng));
            Hull::prism(&corners, size * rng.random_range(1e-6..0.3)).unwrap()
        }
        #[cfg(feature = "hulls")]
        2 => {
            let flat = Vector3::new(1.0, 1.0, rng.random_range(0.01..1.0));
            let count = rng.random_range(4..60);
            let points: Vec<_> =
                (0..count).map(|_| size * direction(rng).component_mul(&flat)).collect();
            Hull::new(&points).unwrap()
        }
        _ => Hull::cuboid(&Vector3::repeat(size)),
    })
}

/// The same without bounds, and the number of edges compared.
fn by_all([a, b]: [&Placed<'_>; 2], hulls: [&Hull; 2]) -> f64 {
    let tie = TIE * (a.solid.size() + b.solid.size());
    let over = |a: &Placed<'_>, hull_a: &Hull, b: &Placed<'_>, hull_b: &Hull| {
        (0..hull_b.faces().len()).fold(f64::NEG_INFINITY, |best, k| {
            let (normal, offset) = b.face(k);
            let heights = (0..hull_a.vertices().len()).map(|v| normal.dot(&a.vertex(v)) - offset);
            let gap = heights.fold(f64::INFINITY, f64::min);
            if gap > best + tie { gap } else { best }
        })
    };
    let mut best = over(a, hulls[0], b, hulls[1]).max(over(b, hulls[1], a, hulls[0]));
    let a_to_b = b.pose.rotation.inverse() * a.pose.rotation;
    for (i, edge_a) in hulls[0].edges().iter().enumerate() {
        let arc_a = edge_a.faces.map(|face| a_to_b * hulls[0].faces()[face].normal);
        for (j, edge_b) in hulls[1].edges().iter().enumerate() {
            let arc_b = edge_b.faces.map(|face| -hulls[1].faces()[face].normal);
            if arcs_cross(&arc_a, &arc_a[1].cross(&arc_a[0]), &arc_b)
                && let Some(crossing) = edge_edge(a, i, b, j, PARALLEL)
                && crossing.witness.gap > best + tie
            {
                best = crossing.witness.gap;
            }
        }
    }
    best
}

#[test]
fn bounds_leave_out_nothing_that_counts() {
    let rng = &mut ChaCha8Rng::seed_from_u64(23);
    let (mut overlapping, mut by_edges) = (0, 0);
    for case in 0..3000 {
        let hulls = [hull(rng), hull(rng)];
        let solids = hulls.each_ref().map(|hull| Solid::Polytope(Arc::clone(hull)));
        let far = rng.random_range(0.0..1.5) * (solids[0].size() + solids[1].size());
        let poses = [0.0, far].map(|distance| {
            let turn = match rng.random_range(0..4) {
                // Parallel faces and edges.
                0 => UnitQuaternion::identity(),
                _ => UnitQuaternion::from_scaled_axis(direction(rng) * 3.0),
            };
            Isometry3::from_parts(Translation3::from(direction(rng) * distance), turn)
        });
        let placed = [0, 1].map(|k| Placed::new(&solids[k], poses[k]));
        let (pair, hulls) = ([&placed[0], &placed[1]], [&*hulls[0], &*hulls[1]]);

        let found = polytopes(pair, hulls, f64::INFINITY).gap;
        let expected = by_all(pair, hulls);
        let tie = TIE * (solids[0].size() + solids[1].size());
        assert!((found - expected).abs() <= 2.0 * tie, "{case}: {found} {expected}");
        overlapping += usize::from(found < 0.0);
        let reached = polytopes(pair, hulls, f64::NEG_INFINITY).gap;
        by_edges += usize::from(reached < found - tie);
    }
    assert!(overlapping > 500 && overlapping < 2500 && by_edges > 300, "{overlapping} {by_edges}");
}
