//! Every status and error, and agreement with enumeration.

#![expect(clippy::float_cmp, reason = "the function is exact there")]

use nalgebra::{dmatrix, dvector};
use proptest::prelude::*;

use super::*;
use crate::lcp::enumerate;

#[test]
fn bad_input_is_refused_and_leaves_the_start_alone() {
    let problem = Problem::new(dmatrix![1.0], dvector![-1.0]).unwrap();
    let refuse = |settings: Settings, start: DVector<f64>| {
        solve(&problem, &settings, &mut start.clone()).unwrap_err()
    };
    let error = refuse(Settings::default(), dvector![0.0, 0.0]);
    assert_eq!(error, Error::StartLength { expected: 1, found: 2 });
    let error = refuse(Settings::default(), dvector![f64::INFINITY]);
    assert_eq!(error, Error::StartEntry { row: 0, value: f64::INFINITY });
    let error = refuse(Settings { tolerance: -1.0, ..Settings::default() }, dvector![0.0]);
    assert_eq!(error, Error::Tolerance(-1.0));
}

#[test]
fn a_solution_is_kept_without_a_step() {
    let problem = Problem::new(dmatrix![2.0], dvector![-3.0]).unwrap();
    let mut z = dvector![1.5];
    let report = solve(&problem, &Settings::default(), &mut z).unwrap();
    assert_eq!((report.status, report.iterations, z), (Status::Solved, 0, dvector![1.5]));
}

/// `w = −1 − z` is never nonnegative with `z`; for `z ≥ 0` the residual `1 + z` is smallest at 0.
#[test]
fn an_unsolvable_problem_stalls_or_meets_the_limit() {
    let problem = Problem::new(dmatrix![-1.0], dvector![-1.0]).unwrap();
    let mut z = dvector![0.0];
    let report = solve(&problem, &Settings::default(), &mut z).unwrap();
    assert_eq!(report.status, Status::Stalled);
    assert_eq!((z[0], report.residual), (0.0, 1.0));
    let mut z = dvector![5.0];
    let settings = Settings { max_iterations: 1, ..Settings::default() };
    let report = solve(&problem, &settings, &mut z).unwrap();
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 1));
    assert!(report.residual < 6.0, "the best point seen is returned");
}

/// All of the segment from (1, 0) to (0, 1) solves it, and `M_αα` is singular there.
#[test]
fn a_point_of_a_continuum_is_found() {
    let problem = Problem::new(dmatrix![1.0, 1.0; 1.0, 1.0], dvector![-1.0, -1.0]).unwrap();
    let mut z = dvector![3.0, 5.0];
    let report = solve(&problem, &Settings::default(), &mut z).unwrap();
    assert_eq!(report.status, Status::Solved);
    assert!((z.sum() - 1.0).abs() <= 1e-10, "{z}");
}

prop_compose! {
    /// `M = AᵀA + S + I` with `S` skew: positive definite, not symmetric.
    fn problems()(n in 1_usize..7)
        (
            a in prop::collection::vec(-1.0..1.0, n * n),
            s in prop::collection::vec(-1.0..1.0, n * n),
            q in prop::collection::vec(-1.0..1.0, n),
        ) -> Problem
    {
        let n = q.len();
        let (a, s) = (DMatrix::from_vec(n, n, a), DMatrix::from_vec(n, n, s));
        let m = a.transpose() * &a + &s - s.transpose() + DMatrix::identity(n, n);
        Problem::new(m, DVector::from_vec(q)).unwrap()
    }
}

proptest! {
    #[test]
    fn every_start_reaches_the_one_solution(problem in problems(), start in -10.0..10.0) {
        let n = problem.dimension();
        let mut z = DVector::from_element(n, start);
        let report = solve(&problem, &Settings::default(), &mut z).unwrap();
        prop_assert_eq!(report.status, Status::Solved);
        let all = enumerate::solve(&problem, &enumerate::Settings::default()).unwrap();
        prop_assert_eq!(all.pieces.len(), 1);
        // A natural-map residual r is within (1 + ‖M‖) r / λ_min of the solution; ‖M‖ ≤ 1 + 3 n²/2.
        let bound = (2 + 2 * n * n) as f64 * report.residual + 1e-13;
        prop_assert!((z - &all.vertices[0].z).norm() <= bound * (n as f64).sqrt());
    }

    #[test]
    fn units_do_not_matter(problem in problems(), exponents in prop::collection::vec(-30_i32..30, 12)) {
        let n = problem.dimension();
        let unit = |i: usize| f64::from(exponents[i]).exp2();
        let scaled = Problem::new(
            DMatrix::from_fn(n, n, |i, j| unit(i) * problem.matrix()[(i, j)] * unit(6 + j)),
            DVector::from_fn(n, |i, _| unit(i) * problem.vector()[i]),
        ).unwrap();
        let mut z = DVector::zeros(n);
        let report = solve(&scaled, &Settings::default(), &mut z).unwrap();
        prop_assert_eq!(report.status, Status::Solved);
    }

    #[test]
    fn the_function_vanishes_exactly_on_complementary_pairs(a in 0.0..1e3) {
        prop_assert_eq!(fischer_burmeister(a, 0.0), 0.0);
        prop_assert_eq!(fischer_burmeister(0.0, a), 0.0);
        prop_assert!(fischer_burmeister(a + 1.0, 1e-9) < 0.0);
        prop_assert!(fischer_burmeister(-a - 1e-9, a) > 0.0);
    }
}
