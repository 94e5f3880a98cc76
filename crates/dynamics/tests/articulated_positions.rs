//! What is computed once for a position is that of this position, whatever was asked for before.

mod articulated_support;

use articulated_support::{Case, cases, moved, planar_trees, trees};
use nalgebra::{DMatrix, Vector3};
use percussion_dynamics::{Articulated, Lagrangian, System};
use proptest::prelude::*;

/// One of the quantities that need inertias, with the bits of all its numbers.
fn quantity(system: &Articulated, which: usize, q: &[f64], v: &[f64]) -> Vec<u64> {
    let n = v.len();
    let mut matrix = DMatrix::from_fn(n, n, |i, j| 1.0 / (1 + i + 2 * j) as f64);
    let (mut forces, mut rate) = (vec![0.0; n], vec![0.0; n]);
    let mut energy = 0.0;
    match which {
        0 => system.mass_matrix(q, &mut matrix),
        1 => system.apply_inverse_mass(q, &mut matrix),
        2 => system.smooth_forces(q, v, 0.0, &mut forces),
        3 => system.inverse_dynamics(q, v, v, 0.0, &mut forces),
        4 => energy = system.kinetic_energy(q, v),
        5 => energy = system.potential_energy(q),
        // Trees with quaternions have no such momentum.
        6 if q.len() > n => {}
        6 => Lagrangian::momentum(system, q, v, 0.0, &mut forces, &mut rate),
        _ => _ = system.whiten(q, None, &mut matrix),
    }
    matrix
        .iter()
        .chain(&forces)
        .chain(&rate)
        .chain([&energy])
        .map(|entry| entry.to_bits())
        .collect()
}

/// Rows of three directions of a point of the last body.
fn rows(system: &Articulated, q: &[f64], at_once: bool) -> Vec<u64> {
    let n = system.velocity_count();
    let (body, point) = (system.body_count() - 1, Vector3::new(0.3, -0.2, 0.7));
    let directions = [Vector3::new(0.6, 0.8, 0.0), Vector3::y(), Vector3::new(0.1, 0.2, -0.9)];
    let mut rows = vec![0.25; 3 * n];
    if at_once {
        system.add_point_rows(q, body, &point, &directions, -1.0, &mut rows);
    } else {
        for (direction, row) in directions.iter().zip(rows.chunks_mut(n.max(1))) {
            system.add_point_row(q, body, &point, direction, -1.0, row);
        }
    }
    rows.iter().map(|entry| entry.to_bits()).collect()
}

fn check(Case { system, q, v, .. }: &Case) {
    for which in 0..8 {
        let positions: Vec<Vec<f64>> =
            (0..5).map(|k| moved(system, q, v, 0.1 * f64::from(k))).collect();
        let anew: Vec<_> =
            positions.iter().map(|q| quantity(&system.clone(), which, q, v)).collect();
        // Positions come back, with and without a look at the poses, the rows or the energy first.
        for k in [0, 1, 0, 2, 3, 2, 4, 0, 1] {
            let q = &positions[k];
            match k % 3 {
                0 => system.poses(q, &mut Vec::new()),
                1 => drop(rows(system, q, true)),
                _ => _ = system.kinetic_energy(q, v),
            }
            assert_eq!(quantity(system, which, q, v), anew[k], "quantity {which} at {k}");
        }
    }
    assert_eq!(rows(system, q, true), rows(system, q, false), "rows at once and one by one");
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn a_position_has_the_same_bits_whatever_came_before(case in trees()) {
        check(&case);
    }

    #[test]
    fn so_has_one_in_the_plane((case, _) in planar_trees()) {
        check(&case);
    }
}
