//! Reduction against direct solves, redundant and contradicting constraints.

use nalgebra::{dmatrix, dvector};
use proptest::prelude::*;

use super::*;
use crate::lcp::enumerate;

/// Free velocity, constraint Jacobian `G` and contact Jacobian `J` of unit masses.
fn mechanical(g: &DMatrix<f64>, j: &DMatrix<f64>, velocity: &DVector<f64>) -> MixedProblem {
    MixedProblem::new(Blocks {
        free: g * g.transpose(),
        free_by_complementary: g * j.transpose(),
        complementary_by_free: j * g.transpose(),
        complementary: j * j.transpose(),
        free_vector: g * velocity,
        complementary_vector: j * velocity,
    })
    .unwrap()
}

/// The one solution `(x, z)`.
fn only_solution(problem: &MixedProblem) -> (DVector<f64>, DVector<f64>) {
    let elimination = problem.eliminate(&Settings::default()).unwrap();
    let set = enumerate::solve(&elimination.problem, &enumerate::Settings::default()).unwrap();
    assert_eq!(set.pieces.len(), 1, "{set:?}");
    let z = set.vertices[0].z.clone();
    (elimination.recover(&z), z)
}

#[test]
fn redundant_constraints_cause_the_same_velocity() {
    let (j, velocity) = (dmatrix![0.0, 1.0, 0.0; 0.6, 0.8, 0.0], dvector![1.0, -2.0, 3.0]);
    let once = dmatrix![1.0, 0.0, 1.0];
    let twice = dmatrix![1.0, 0.0, 1.0; 2.0, 0.0, 2.0];
    let after = |g: &DMatrix<f64>| {
        let problem = mechanical(g, &j, &velocity);
        let (x, z) = only_solution(&problem);
        assert!(problem.relative_residual(&x, &z) < 1e-14, "redundancy is no obstacle");
        &velocity + g.transpose() * x + j.transpose() * z
    };
    assert!((after(&once) - after(&twice)).amax() < 1e-14);
    let rank = |g| mechanical(g, &j, &velocity).eliminate(&Settings::default()).unwrap().rank;
    assert_eq!((rank(&once), rank(&twice)), (1, 1));
}

#[test]
fn constraints_at_rest_do_not_contradict_each_other_by_rounding() {
    let g = dmatrix![1.0, 0.0, 1.0; 2.0, 0.0, 2.0];
    let j = dmatrix![0.0, 1.0, 0.0];
    let mut blocks = mechanical(&g, &j, &dvector![0.0, -1.0, 0.0]).blocks().clone();
    blocks.free_vector = dvector![1e-17, 3e-17];
    assert!(MixedProblem::new(blocks).unwrap().eliminate(&Settings::default()).is_ok());
}

#[test]
fn contradictions_and_open_unknowns_are_named() {
    let g = dmatrix![1.0, 0.0; 1.0, 0.0];
    let blocks = mechanical(&g, &dmatrix![0.0, 1.0], &dvector![1.0, -1.0]).blocks().clone();
    let refuse =
        |blocks| MixedProblem::new(blocks).unwrap().eliminate(&Settings::default()).unwrap_err();
    let error = refuse(Blocks { free_vector: dvector![1.0, 3.0], ..blocks.clone() });
    let Error::Inconsistent { block: "a", excess, .. } = error else { panic!("{error}") };
    assert!((excess - 1.0 / 3.0).abs() < 1e-14, "{excess}");
    let error = refuse(Blocks { free_by_complementary: dmatrix![1.0; 0.0], ..blocks.clone() });
    assert!(matches!(error, Error::Inconsistent { block: "B", .. }), "{error}");
    let error = refuse(Blocks { complementary_by_free: dmatrix![1.0, 0.0], ..blocks });
    assert!(matches!(error, Error::Undetermined { row: 0, .. }), "{error}");
}

#[test]
fn malformed_blocks_and_settings_are_refused() {
    let good = mechanical(&dmatrix![1.0, 1.0], &dmatrix![1.0, 0.0], &dvector![1.0, 1.0]);
    let blocks = good.blocks().clone();
    let error = MixedProblem::new(Blocks { free: dmatrix![1.0, 2.0], ..blocks.clone() });
    assert_eq!(error.unwrap_err(), Error::Shape { block: "A", expected: (1, 1), found: (1, 2) });
    let error =
        MixedProblem::new(Blocks { free_vector: dvector![f64::INFINITY], ..blocks.clone() });
    assert_eq!(error.unwrap_err().to_string(), "a[0][0] is inf, expected a finite number");
    let empty = Blocks { complementary: DMatrix::zeros(0, 0), ..blocks.clone() };
    assert_eq!(MixedProblem::new(empty).unwrap_err(), Error::Reduced(ProblemError::Empty));
    let huge = Blocks {
        free_by_complementary: dmatrix![1e200],
        complementary_by_free: dmatrix![1e200],
        ..blocks
    };
    let error = MixedProblem::new(huge).unwrap().eliminate(&Settings::default()).unwrap_err();
    assert!(matches!(error, Error::Reduced(ProblemError::MatrixEntry { .. })), "{error}");
    let error = good.eliminate(&Settings { rank_tolerance: 0.0, ..Settings::default() });
    assert_eq!(error.unwrap_err(), Error::Setting { name: "rank_tolerance", value: 0.0 });
}

#[test]
fn without_free_unknowns_the_problem_is_itself() {
    let blocks = Blocks {
        free: DMatrix::zeros(0, 0),
        free_by_complementary: DMatrix::zeros(0, 1),
        complementary_by_free: DMatrix::zeros(1, 0),
        complementary: dmatrix![2.0],
        free_vector: DVector::zeros(0),
        complementary_vector: dvector![-1.0],
    };
    let problem = MixedProblem::new(blocks).unwrap();
    let elimination = problem.eliminate(&Settings::default()).unwrap();
    assert_eq!(elimination.problem.matrix(), &dmatrix![2.0]);
    assert_eq!(elimination.recover(&dvector![0.5]).len(), 0);
    assert!(problem.natural_map_residual(&DVector::zeros(0), &dvector![0.5]).abs() < 1e-15);
    let nan = problem.natural_map_residual(&DVector::zeros(0), &dvector![f64::NAN]);
    assert!(nan.is_infinite(), "{nan}");
}

proptest! {
    /// `S = ‖g‖² c cᵀ` has rank one, whatever the proportions `c` of the equal constraints are.
    #[test]
    fn constraints_in_any_proportion_do_not_contradict_each_other(
        c in prop::collection::vec(0.1..1.0, 2..8), velocity in prop::collection::vec(-1.0..1.0, 3),
    ) {
        let g = DVector::from_vec(c) * dmatrix![1.0, -2.0, 0.5];
        let velocity = DVector::from_vec(velocity);
        let problem = mechanical(&g, &dmatrix![0.0, 0.0, 1.0], &velocity);
        let elimination = problem.eliminate(&Settings::default()).unwrap();
        prop_assert_eq!(elimination.rank, 1);
        let after = &velocity + g.transpose() * elimination.recover(&dvector![0.0]);
        prop_assert!((g * after).amax() < 1e-13);
    }

    /// For a regular `A` the equations are solved directly by elimination with pivoting.
    #[test]
    fn the_reduction_agrees_with_a_direct_solve(
        entries in prop::collection::vec(-1.0..1.0, 2 * 5 + 3 * 5 + 5),
    ) {
        let g = DMatrix::from_column_slice(2, 5, &entries[..10]);
        let j = DMatrix::from_column_slice(3, 5, &entries[10..25]);
        let velocity = DVector::from_column_slice(&entries[25..]);
        let mut blocks = mechanical(&g, &j, &velocity).blocks().clone();
        blocks.free += DMatrix::identity(2, 2);
        blocks.complementary += DMatrix::identity(3, 3);
        let problem = MixedProblem::new(blocks.clone()).unwrap();
        let (x, z) = only_solution(&problem);
        prop_assert!(problem.natural_map_residual(&x, &z) < 1e-12);
        let right = -(&blocks.free_by_complementary * &z + &blocks.free_vector);
        let direct = blocks.free.lu().solve(&right).unwrap();
        prop_assert!((x - direct).amax() < 1e-12);
    }
}
