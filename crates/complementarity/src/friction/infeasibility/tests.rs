//! Tests of proofs of infeasibility.
#![expect(clippy::float_cmp, reason = "these numbers are exact")]

use nalgebra::{DMatrix, Matrix3, vector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::friction::{Law, Method, Status, problem::tests::random_problem};

/// A body of 1 kg between two walls, along the normals only; `coupling` is 1 for rigid walls.
fn squeezed(coupling: f64, free: [f64; 2], friction: f64) -> Problem {
    let mut delassus = DMatrix::identity(6, 6);
    for component in [0, 1] {
        delassus[(component, 3 + component)] = -coupling;
        delassus[(3 + component, component)] = -coupling;
    }
    let free = [free[0], 0.3, 0.1, free[1], -0.3, 0.1];
    Problem::from_dense(&delassus, &free, &[friction; 2]).unwrap()
}

/// Symptom: impulses of `10¹⁵ N·s` and 1 m/s of approach were accepted. Cause: tolerances grew with the impulses.
/// Expected: a body that must leave one wall at 1 m/s approaches the other for any impulses.
#[test]
fn a_body_between_walls_cannot_leave_one_of_them() {
    for friction in [0.0, 0.5, 1e8] {
        let problem = squeezed(1.0, [-2.0, 1.0], friction);
        let proof = Infeasibility::find(&problem).unwrap();
        assert!((proof.weights[0] - 1.0).abs() + (proof.weights[1] - 1.0).abs() < 1e-15);
        assert!((proof.approach - 1.0).abs() < 1e-15 && proof.reach.is_infinite(), "{proof:?}");
        for method in Method::all() {
            for law in [Law::Coulomb, Law::MaximumDissipation] {
                if !method.laws().contains(&law) {
                    continue;
                }
                let problem = problem.clone().with_law(law);
                let report = method.with_tolerance(1e-8).solve(&problem).unwrap().report;
                assert_eq!(report.status, Status::Infeasible, "{} {law:?}", method.name());
            }
        }
    }
}

#[test]
fn what_has_a_solution_has_no_proof() {
    for free in [[-1.0, 1.0], [-1.0, 2.0], [0.5, 0.5], [0.0, 0.0]] {
        assert_eq!(Infeasibility::find(&squeezed(1.0, free, 0.5)), None, "{free:?}");
    }
    // With a deviation of a thousandth in the coupling, large impulses solve the problem.
    assert_eq!(Infeasibility::find(&squeezed(0.999, [-2.0, 1.0], 0.0)), None);
    for seed in 0..20 {
        let problem = random_problem(seed, 3, 8, 0.4);
        assert_eq!(Infeasibility::find(&problem), None, "{seed}");
    }
    let problem = squeezed(1.0, [-2.0, 1.0], 0.0);
    assert!(Infeasibility::of(&problem, &[3.0, 3.0]).is_some());
    for wrong in [&[1.0, 0.9][..], &[-1.0, -1.0], &[0.0, 0.0], &[1.0], &[f64::NAN, 1.0]] {
        assert_eq!(Infeasibility::of(&problem, wrong), None, "{wrong:?}");
    }
}

/// With an indefinite `W` every impulse may even increase the weighted approach: `g = (1 − c)(1, 1)`.
#[test]
fn an_indefinite_operator_is_refuted_without_rounding() {
    let problem = squeezed(1.002, [-1.0, 0.5], 0.0);
    let proof = Infeasibility::of(&problem, &[1.0, 1.0]).unwrap();
    assert!(proof.reach.is_infinite() && proof.approach == 0.5, "{proof:?}");
    // With the opposite sign impulses reduce the approach.
    assert_eq!(Infeasibility::of(&squeezed(0.998, [-1.0, 0.5], 0.0), &[1.0, 1.0]), None);
}

/// Plates of any mass between pins: one below, on the line between two above, and others that do not matter. Entries
/// of `W` are rounded, so nothing cancels exactly. The plate falls on all of the upper pins and must leave the lower
/// one at half that speed.
#[test]
fn rounded_operators_are_refuted_within_rounding() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for case in 0..50 {
        let mass = 10_f64.powf(random.random_range(-3.0..3.0));
        let weight = vector![1.0, 1.0, 1.0].map(|_| mass * random.random_range(0.1..1.0));
        let mut arms = [0; 6].map(|_| {
            vector![random.random_range(-1.0..1.0), random.random_range(-1.0..1.0), 0.0_f64]
        });
        let part: f64 = random.random_range(0.1..0.9);
        arms[1] = part * arms[0] + (1.0 - part) * arms[2];
        let mut jacobian = DMatrix::zeros(18, 6);
        let mut free = vec![0.0; 18];
        for (contact, arm) in arms.iter().enumerate() {
            let sign = if contact == 1 { -1.0 } else { 1.0 };
            let frame = Matrix3::new(0.0, 0.0, sign, 1.0, 0.0, 0.0, 0.0, sign, 0.0);
            jacobian.view_mut((3 * contact, 0), (3, 3)).copy_from(&frame);
            jacobian.view_mut((3 * contact, 3), (3, 3)).copy_from(&(-frame * arm.cross_matrix()));
            free[3 * contact] = if contact == 1 { 0.5 } else { -1.0 };
        }
        let inverse = DMatrix::from_fn(6, 6, |i, j| match (i == j, i < 3) {
            (true, true) => 1.0 / mass,
            (true, false) => 1.0 / weight[i - 3],
            _ => 0.0,
        });
        let delassus = &jacobian * inverse * jacobian.transpose();
        let problem = Problem::from_dense(&delassus, &free, &[0.3; 6]).unwrap();
        let proof = Infeasibility::find(&problem);
        let proof = proof.unwrap_or_else(|| panic!("case {case}: {problem:?}"));
        assert!(proof.weights[1] >= 1.0, "what is below carries all: {proof:?}");
        assert!(proof.approach > 0.0 && proof.reach > 1e12, "{proof:?}");
        let report = Method::default().solve(&problem).unwrap().report;
        assert_eq!(report.status, Status::Infeasible);
    }
}

/// Contacts of a mountain and of a grain, with normals of which 0.81 of the energy are the same, need no proof that they can part.
#[test]
fn contacts_of_far_masses_are_no_proof() {
    let root = 1e14;
    let coupled = |c: f64| {
        let mut delassus = DMatrix::identity(6, 6);
        delassus.view_mut((3, 3), (3, 3)).fill_with_identity();
        delassus.view_mut((3, 3), (3, 3)).scale_mut(root * root);
        (delassus[(0, 3)], delassus[(3, 0)]) = (-c * root, -c * root);
        Problem::from_dense(&delassus, &[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[0.0; 2]).unwrap()
    };
    // The second contact parts the first, at 2e-15 of the velocity that its own impulse stands for.
    assert_eq!(Infeasibility::of(&coupled(0.9), &[1.0, 1.0 / (0.9 * root)]), None);
    assert_eq!(Infeasibility::find(&coupled(0.9)), None);
    assert!(Infeasibility::of(&coupled(1.0), &[1.0, 1.0 / root]).is_some());
}
