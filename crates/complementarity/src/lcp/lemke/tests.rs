//! Tests of Lemke's method: worked cases, the hard classics, every status and every error.

use approx::assert_relative_eq;
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use proptest::prelude::*;

mod parts;

use super::{Error, Ray, Settings, Workspace, solve, solve_with_covering_vector};
use crate::lcp::{Problem, Report, Status};

fn run(problem: &Problem, settings: &Settings) -> (Report, DVector<f64>, Workspace) {
    let mut workspace = Workspace::new(problem.dimension());
    let mut z = DVector::zeros(problem.dimension());
    let report = solve(problem, settings, &mut workspace, &mut z).unwrap();
    (report, z, workspace)
}

fn problem(matrix: DMatrix<f64>, vector: DVector<f64>) -> Problem {
    Problem::new(matrix, vector).unwrap()
}

/// Upper triangular with 1 on the diagonal and 2 above, `q_i = 2^(i+1) − 2^(n+1)`: Murty's worst case.
fn murty(n: i32) -> Problem {
    let size = usize::try_from(n).unwrap();
    let matrix = DMatrix::from_fn(size, size, |i, j| f64::from(u8::from(i <= j) + u8::from(i < j)));
    let vector =
        DVector::from_iterator(size, (0..n).map(|i| 2_f64.powi(i + 1) - 2_f64.powi(n + 1)));
    problem(matrix, vector)
}

#[test]
fn nothing_to_do_costs_no_pivot() {
    let (report, z, _) = run(&problem(dmatrix![1.0], dvector![0.0]), &Settings::default());
    assert_eq!((report.status, report.iterations), (Status::Solved, 0));
    assert_relative_eq!(z[0], 0.0);
}

/// By hand: `z = (1, 1)` makes `w = 0`.
#[test]
fn two_holding_contacts_share_the_load() {
    let (report, z, _) =
        run(&problem(dmatrix![2.0, 1.0; 1.0, 2.0], dvector![-3.0, -3.0]), &Settings::default());
    assert_eq!(report.status, Status::Solved);
    assert_relative_eq!(z, dvector![1.0, 1.0], epsilon = 1e-14);
}

#[test]
fn any_number_of_restarts_may_be_allowed() {
    let settings =
        Settings { restarts: usize::MAX, pivot_limit: usize::MAX, ..Settings::default() };
    let (report, _, _) = run(&problem(dmatrix![1.0], dvector![-1.0]), &settings);
    assert_eq!(report.status, Status::Solved);
}

/// K. G. Murty, *Linear Complementarity, Linear and Nonlinear Programming* (1988), chapter 6: the
/// path visits all complementary bases, `2ⁿ` pivots, before `z = (0, …, 0, 2ⁿ)`.
#[test]
fn the_exponential_path_of_murty_is_followed_to_its_end() {
    for n in 2..=10 {
        let (report, z, _) = run(&murty(n), &Settings { restarts: 0, ..Settings::default() });
        assert_eq!((report.status, report.iterations), (Status::Solved, 1 << n));
        assert_relative_eq!(z[z.len() - 1], 2_f64.powi(n));
        assert_relative_eq!(z.sum(), 2_f64.powi(n));
    }
}

#[test]
fn the_pivot_limit_is_a_status_and_the_best_answer_comes_with_its_residual() {
    let settings = Settings { pivot_limit: 100, restarts: 0, ..Settings::default() };
    let problem = murty(10);
    let (report, z, _) = run(&problem, &settings);
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 100));
    assert_relative_eq!(report.residual, problem.natural_map_residual(&z));
    assert!(report.relative_residual > settings.tolerance, "the limit came first");
}

/// Cottle, Pang & Stone (1992), example 4.4.23: a bimatrix game, which has a solution but blocks the
/// path of every covering vector at once.
#[test]
fn a_bimatrix_game_ends_on_a_verified_ray() {
    let game = problem(
        dmatrix![
            0.0, 0.0, 10.0, 20.0;
            0.0, 0.0, 30.0, 15.0;
            10.0, 20.0, 0.0, 0.0;
            30.0, 15.0, 0.0, 0.0
        ],
        DVector::from_element(4, -1.0),
    );
    let (report, _, workspace) = run(&game, &Settings::default());
    assert_eq!(report.status, Status::Ray);
    let ray = workspace.ray().expect("the status says so");
    assert!(ray.violation(&game) <= 1e-15, "an exact ray in small integers");
    let wrong = Ray { direction: -&ray.direction, ..ray.clone() };
    assert!(wrong.violation(&game).is_infinite(), "a ray pointing backwards is not a ray");
    let elsewhere = Ray { z: DVector::from_element(4, 1.0), ..ray.clone() };
    assert!(elsewhere.violation(&game) > 0.1, "w is not zero where z is positive");
}

/// Skew-symmetric except for one entry, with zeros in `q`: `z = (1, 0, 0)` makes `w = 0` by hand.
#[test]
fn a_degenerate_problem_with_an_isolated_solution_is_solved() {
    let matrix = dmatrix![0.0, -1.0, -1.0; 1.0, 0.0, 0.0; -1.0, 0.0, 0.0];
    let (report, z, _) = run(&problem(matrix, dvector![0.0, -1.0, 1.0]), &Settings::default());
    assert_eq!(report.status, Status::Solved);
    assert_relative_eq!(z, dvector![1.0, 0.0, 0.0], epsilon = 1e-14);
}

/// `M = −1`, `q = −1` has no solution at all.
#[test]
fn an_unsolvable_problem_ends_on_a_ray() {
    let unsolvable = problem(dmatrix![-1.0], dvector![-1.0]);
    let (report, z, workspace) = run(&unsolvable, &Settings::default());
    assert_eq!(report.status, Status::Ray);
    assert_relative_eq!(unsolvable.natural_map_residual(&z), report.residual);
    assert!(workspace.ray().expect("the status says so").violation(&unsolvable) <= 1e-15, "exact");
}

/// A contact problem with `μ = 10¹¹`. It has a solution; a ray that ignores the second row, whose
/// `w` falls at half the rate of the others, must not be certified because an entry elsewhere is huge.
#[test]
fn a_huge_entry_does_not_certify_a_false_ray() {
    let matrix = dmatrix![
        1.0, -1.0, 0.5, 1.0;
        -1.0, 1.0, -0.5, 1.0;
        0.5, -0.5, 1.0, 0.0;
        -1.0, -1.0, 1e11, 0.0
    ];
    let sticky = problem(matrix, dvector![0.3, -0.3, -1.0, 0.0]);
    let (report, _, workspace) = run(&sticky, &Settings::default());
    assert!(workspace.ray().is_none(), "{report:?}: the problem is solvable");
    let false_ray = Ray {
        z: dvector![0.0, 0.0, 1.0, 0.0],
        artificial: 0.8,
        direction: dvector![0.0, 0.0, 1.0, 0.0],
        artificial_rate: 0.0,
        covering: DVector::from_element(4, 1.0),
    };
    assert!(false_ray.violation(&sticky) > 0.1, "the second row falls");
}

/// Tiny and huge units of `q` change neither the path nor the relative residual.
#[test]
fn the_unit_of_q_may_be_anything() {
    let matrix = dmatrix![2.0, 1.0; 1.0, 2.0];
    for exponent in [-1000, -600, -1, 0, 1, 600, 1000] {
        let unit = 2_f64.powi(exponent);
        let scaled = problem(matrix.clone(), dvector![-3.0, -3.0] * unit);
        // A path, and principal pivots.
        for (restarts, pivots) in [(0, 3), (4, 2)] {
            let (report, z, _) = run(&scaled, &Settings { restarts, ..Settings::default() });
            assert_eq!((report.status, report.iterations), (Status::Solved, pivots));
            assert_relative_eq!(z / unit, dvector![1.0, 1.0], epsilon = 1e-14);
        }
    }
}

#[test]
fn the_ray_of_an_earlier_solve_is_forgotten() {
    let mut workspace = Workspace::new(1);
    let mut z = DVector::zeros(1);
    let settings = Settings::default();
    solve(&problem(dmatrix![-1.0], dvector![-1.0]), &settings, &mut workspace, &mut z).unwrap();
    assert!(workspace.ray().is_some(), "unsolvable");
    solve(&problem(dmatrix![1.0], dvector![-1.0]), &settings, &mut workspace, &mut z).unwrap();
    assert!(workspace.ray().is_none(), "solved");
}

#[test]
fn one_workspace_serves_problems_of_every_size() {
    let mut workspace = Workspace::new(3);
    for n in [5, 2, 9, 1] {
        let size = usize::try_from(n).unwrap();
        let mut z = DVector::zeros(size);
        let report = solve(&murty(n), &Settings::default(), &mut workspace, &mut z).unwrap();
        assert_eq!(report.status, Status::Solved);
    }
}

/// Two solutions, `z = (1, 0)` and `(0, 1)`: the covering vector determines which one is reached.
#[test]
fn the_covering_vector_chooses_among_solutions() {
    let two = problem(dmatrix![1.0, 2.0; 2.0, 1.0], dvector![-1.0, -1.0]);
    let settings = Settings { restarts: 0, ..Settings::default() };
    for (covering, expected) in
        [(dvector![1.0, 2.0], dvector![1.0, 0.0]), (dvector![2.0, 1.0], dvector![0.0, 1.0])]
    {
        let (mut workspace, mut z) = (Workspace::new(2), DVector::zeros(2));
        let report =
            solve_with_covering_vector(&two, &covering, &settings, &mut workspace, &mut z).unwrap();
        assert_eq!(report.status, Status::Solved);
        assert_relative_eq!(z, expected, epsilon = 1e-14);
    }
}

#[test]
fn wrong_arguments_are_refused_and_leave_z_alone() {
    let two = problem(DMatrix::identity(2, 2), dvector![-1.0, -1.0]);
    let mut workspace = Workspace::new(2);
    let good = Settings::default();
    let mut short = dvector![7.0];
    let length = Error::AnswerLength { expected: 2, found: 1 };
    assert_eq!(solve(&two, &good, &mut workspace, &mut short), Err(length));
    assert_eq!(short, dvector![7.0]);

    let mut z = dvector![7.0, 7.0];
    let limit = Settings { pivot_limit: 0, ..good };
    assert_eq!(solve(&two, &limit, &mut workspace, &mut z), Err(Error::PivotLimit));
    let negative = Settings { tolerance: -1.0, ..good };
    assert_eq!(solve(&two, &negative, &mut workspace, &mut z), Err(Error::Tolerance(-1.0)));
    let nan = Settings { tolerance: f64::NAN, ..good };
    assert!(
        matches!(solve(&two, &nan, &mut workspace, &mut z), Err(Error::Tolerance(_))),
        "NaN is not a tolerance"
    );
    let mut cover = |d| solve_with_covering_vector(&two, &d, &good, &mut workspace, &mut z);
    assert_eq!(cover(dvector![1.0]), Err(Error::CoveringLength { expected: 2, found: 1 }));
    assert_eq!(cover(dvector![1.0, 0.0]), Err(Error::CoveringEntry { row: 1, value: 0.0 }));
    assert_eq!(z, dvector![7.0, 7.0]);
}

prop_compose! {
    /// `M = AᵀA + S` with `S` skew: positive semidefinite, singular when `A` is wide.
    fn monotone_problems()(n in 1_usize..9, rank in 1_usize..9)
        (
            a in prop::collection::vec(-1.0..1.0, n * rank),
            s in prop::collection::vec(-1.0..1.0, n * n),
            // Only values for which the problem is feasible: q = M x0 + w0 with x0, w0 ≥ 0.
            start in prop::collection::vec(0.0..1.0, n),
            slack in prop::collection::vec(0.0..1.0, n),
            rank in Just(rank),
        ) -> Problem
    {
        let n = start.len();
        let a = DMatrix::from_vec(rank, n, a);
        let s = DMatrix::from_vec(n, n, s);
        let matrix = a.transpose() * &a + &s - s.transpose();
        let vector = DVector::from_vec(slack) - &matrix * DVector::from_vec(start);
        Problem::new(matrix, vector).unwrap()
    }
}

proptest! {
    /// Positive semidefinite matrices are copositive-plus, so feasible problems must be solved by
    /// the first path.
    #[test]
    fn feasible_monotone_problems_are_solved(problem in monotone_problems()) {
        let (report, z, _) = run(&problem, &Settings { restarts: 0, ..Settings::default() });
        prop_assert_eq!(report.status, Status::Solved);
        prop_assert!(z.min() >= 0.0);
        prop_assert!(problem.relative_residual(&z) <= Settings::default().tolerance);
    }

    /// Changing the units of `q` and `z` by powers of two changes only the exponents.
    #[test]
    fn units_do_not_matter(problem in monotone_problems(), exponents in prop::collection::vec(-12..12, 9)) {
        let scale = DVector::from_iterator(
            problem.dimension(),
            exponents.iter().take(problem.dimension()).map(|&e| 2_f64.powi(e)),
        );
        let diagonal = DMatrix::from_diagonal(&scale);
        // Rows without a diagonal have no unit of their own, which only 1-row problems can show here.
        prop_assume!(problem.matrix().diagonal().min() > 0.0);
        let scaled = Problem::new(
            &diagonal * problem.matrix() * &diagonal,
            problem.vector().component_mul(&scale) * 64.0,
        ).unwrap();
        let (report, z, _) = run(&problem, &Settings::default());
        let (scaled_report, scaled_z, _) = run(&scaled, &Settings::default());
        prop_assert_eq!(report.iterations, scaled_report.iterations);
        prop_assert!((scaled_z / 64.0 - z.component_div(&scale)).amax() <= 1e-9 * (1.0 + z.amax() * 4096.0));
    }
}

/// Symptom: a row that approaches at `2·10⁻⁶⁷` was ignored next to one of 1. Cause: the ratio test takes it for
/// zero. Expected: each row has its own unknown, which can compensate it without constraint.
#[test]
fn rows_that_approach_by_next_to_nothing_are_stopped_too() {
    let (report, z, _) =
        run(&problem(DMatrix::identity(2, 2), dvector![-2e-67, -1.0]), &Settings::default());
    assert_eq!(report.status, Status::Solved);
    assert_relative_eq!(z[0], 2e-67, epsilon = 1e-80);
    assert_relative_eq!(z[1], 1.0);
}
