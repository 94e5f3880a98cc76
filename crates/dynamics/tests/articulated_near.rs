//! Forces and energies near a place, and sums of other sizes than that of the mass matrix, on random trees.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::{AddedMass, Near, System};
use proptest::prelude::*;

mod articulated_support;
use articulated_support::{Case, cases, planar_trees, trees};

/// Another size than that of the mass matrix is no sum.
fn sums_of_other_sizes_are_not_finite(case: &Case) -> Result<(), TestCaseError> {
    let n = case.system.velocity_count();
    for (rows, columns) in [(n + 1, n + 1), (n + 1, n), (n, n + 2), (n.saturating_sub(1), n)] {
        let added = AddedMass::new(DMatrix::identity(rows, columns));
        let mut solved = DMatrix::from_element(n, 2, 1.0);
        if (rows, columns) == (n, n) {
            continue;
        }
        prop_assert!(!case.system.whiten(&case.q, Some(&added), &mut solved));
        case.system.apply_inverse_sum(&case.q, &added, &mut solved);
        prop_assert!(solved.iter().all(|entry| entry.is_nan()), "{rows} × {columns}: {solved}");
    }
    Ok(())
}

/// Near a place, energies are those of the coordinates to second order and forces to first, with those of joints where they are.
fn what_is_near_a_place_is_that_of_the_coordinates(case: &Case) -> Result<(), TestCaseError> {
    let Case { system, q, v, w, .. } = case;
    let way = |size: f64| -> Vec<f64> { w.iter().map(|w| size * w).collect() };
    let forces = |near: Near<'_>, at: &[f64]| {
        let mut forces = vec![0.0; v.len()];
        system.inverse_dynamics_near(near, at, v, w, 0.0, &mut forces);
        DVector::from_vec(forces)
    };
    let missed = |size: f64| {
        let mut at = q.clone();
        // A turn by zero may change a quaternion by rounding.
        if size != 0.0 {
            system.retract(q, &way(size), &mut at);
        }
        let [kinetic, potential] = system.energies_near(q, &at, v);
        let near = forces(Near { coordinates: q, velocity: v }, &at);
        let there = forces(Near { coordinates: &at, velocity: v }, &at);
        [
            (kinetic - system.kinetic_energy(&at, v)).abs(),
            (potential - system.potential_energy(&at)).abs(),
            (near - &there).amax() / (1.0 + there.amax()),
        ]
    };
    // The largest of several, as one may vanish by chance.
    let coarse = [1e-3, -1e-3, 2e-3].map(missed);
    let coarse: [f64; 3] =
        std::array::from_fn(|k| coarse.iter().map(|of| of[k]).fold(0.0, f64::max));
    let fine = missed(1e-6);
    let size = 1.0 + system.kinetic_energy(q, v) + system.potential_energy(q).abs();
    for (k, order) in [(0, 1e-3), (1, 1e-6), (2, 1e-3)] {
        let most = 10.0 * order * coarse[k] + 1e-12 * size;
        prop_assert!(fine[k] <= most, "{k}: {fine:?} {coarse:?}");
    }
    let same = missed(0.0);
    prop_assert!(same.iter().all(|missed| *missed == 0.0), "what is there is not near: {same:?}");
    // Bodies are at the place, with forces of joints where those are.
    let of_bodies = |at: &[f64]| {
        let mut kinematics = system.kinematics();
        kinematics.update(at, v).unwrap();
        let mut forces = vec![0.0; v.len()];
        kinematics.inverse_dynamics(w, &mut forces).unwrap();
        DVector::from_vec(forces)
    };
    let mut at = q.clone();
    system.retract(q, &way(1e-2), &mut at);
    let [near, there] = [&q[..], &at].map(|of| forces(Near { coordinates: of, velocity: v }, &at));
    let expected = of_bodies(q) + (&there - of_bodies(&at));
    let missed = (&near - &expected).amax();
    prop_assert!(missed <= 1e-12 * (1.0 + near.amax() + there.amax()), "{near} {expected}");
    Ok(())
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn both_hold_in_space(case in trees()) {
        sums_of_other_sizes_are_not_finite(&case)?;
        what_is_near_a_place_is_that_of_the_coordinates(&case)?;
    }

    #[test]
    fn both_hold_in_the_plane((case, _) in planar_trees()) {
        sums_of_other_sizes_are_not_finite(&case)?;
        what_is_near_a_place_is_that_of_the_coordinates(&case)?;
    }
}
