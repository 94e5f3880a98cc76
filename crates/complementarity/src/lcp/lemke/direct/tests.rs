//! Tests of principal pivoting: its dictionary, its answers beside those of a path, and what it refuses.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::lcp::lemke::{Workspace, solve_with_covering_vector};

fn symmetric(random: &mut ChaCha8Rng) -> f64 {
    random.random_range(-1.0..1.0)
}

/// A definite problem of random units, symmetric or not.
fn definite(random: &mut ChaCha8Rng, n: usize) -> Problem {
    let factor = DMatrix::from_fn(n, n + 1, |_, _| symmetric(random));
    let skew = DMatrix::from_fn(n, n, |_, _| symmetric(random));
    let mut matrix = &factor * factor.transpose() + DMatrix::identity(n, n) * 1e-3;
    if random.random_bool(0.5) {
        matrix += &skew - skew.transpose();
    }
    let units = DVector::from_fn(n, |_, _| random.random_range(-6.0_f64..6.0).exp2());
    let diagonal = DMatrix::from_diagonal(&units);
    let vector = units.component_mul(&DVector::from_fn(n, |_, _| symmetric(random)));
    Problem::new(&diagonal * matrix * &diagonal, vector).unwrap()
}

fn run(problem: &Problem) -> Option<(Report, DVector<f64>)> {
    let mut z = DVector::from_element(problem.dimension(), f64::NAN);
    solve(problem, &Settings::default(), &mut z).map(|report| (report, z))
}

/// The path with a covering vector of ones.
fn followed(problem: &Problem) -> DVector<f64> {
    let n = problem.dimension();
    let (mut workspace, mut z) = (Workspace::new(n), DVector::zeros(n));
    let settings = Settings { restarts: 0, ..Settings::default() };
    let covering = DVector::from_element(n, 1.0);
    let report =
        solve_with_covering_vector(problem, &covering, &settings, &mut workspace, &mut z).unwrap();
    assert_eq!(report.status, Status::Solved);
    z
}

#[test]
fn answers_are_those_of_a_path() {
    let mut random = ChaCha8Rng::seed_from_u64(31);
    for case in 0..4000 {
        let n = 1 + case % 4;
        let problem = definite(&mut random, n);
        let (report, z) = run(&problem).expect("it is definite");
        assert_eq!(report.status, Status::Solved);
        assert!(report.iterations < 1 << n, "{report:?}");
        assert!(z.min() >= 0.0, "{z}");
        let relative = problem.relative_residual(&z);
        assert!(relative <= 1e-10 && report.relative_residual <= 1e-10, "{report:?} {relative}");
        assert!(report.residual <= 1e-10 * (1.0 + problem.vector().amax()), "{report:?}");
        let difference = problem.slack(&z) - problem.slack(&followed(&problem));
        let size = problem.vector().amax();
        assert!(difference.amax() <= 1e-9 * size, "{case}: {difference}");
    }
}

/// Beside a dense solve with the columns of the basis.
#[test]
fn the_dictionary_is_that_of_its_basis() {
    let mut random = ChaCha8Rng::seed_from_u64(32);
    for case in 0..400 {
        let problem = definite(&mut random, 4);
        let mut dictionary = Dictionary::<4>::new(&problem).unwrap();
        let matrix = DMatrix::from_fn(4, 4, |i, j| dictionary.columns[j][i]);
        let vector = DVector::from_column_slice(&dictionary.values);
        for k in [case % 4, (case / 4) % 4, (case / 16) % 4, 2, case % 3] {
            dictionary.exchange(k);
        }
        // w − M z = q as B x = q + N y, where B has the columns of what is basic and N minus the others.
        let entered = |k: usize| dictionary.has_entered[k];
        let unit = DMatrix::<f64>::identity(4, 4);
        let basis =
            DMatrix::from_fn(4, 4, |i, k| if entered(k) { -matrix[(i, k)] } else { unit[(i, k)] });
        let others =
            DMatrix::from_fn(4, 4, |i, k| if entered(k) { -unit[(i, k)] } else { matrix[(i, k)] });
        let inverse = basis.try_inverse().expect("a definite matrix has no singular basis");
        let (columns, values) = (&inverse * others, &inverse * vector);
        let size = 1.0 + inverse.amax() * matrix.amax();
        for i in 0..4 {
            assert!((dictionary.values[i] - values[i]).abs() <= 1e-10 * size, "{case}");
            for j in 0..4 {
                let difference = dictionary.columns[j][i] - columns[(i, j)];
                assert!(difference.abs() <= 1e-10 * size, "{case} {i} {j}: {difference}");
            }
        }
    }
}

/// The dictionary of one problem refines the answer of another with a slightly different vector, because it has the
/// inverse: to rounding.
#[test]
fn answers_are_refined_by_the_inverse_in_the_dictionary() {
    let mut random = ChaCha8Rng::seed_from_u64(33);
    let mut refined = 0;
    for case in 0..400 {
        let problem = definite(&mut random, 4);
        let mut dictionary = Dictionary::<4>::new(&problem).unwrap();
        dictionary.pivot_to_solution(usize::MAX).unwrap();
        for size in [1e-3, 1e-7] {
            let change = DVector::from_fn(4, |_, _| 1.0 + size * symmetric(&mut random));
            let vector = problem.vector().component_mul(&change);
            let near = Problem::new(problem.matrix().clone(), vector).unwrap();
            let mut other = Dictionary::<4>::new(&near).unwrap();
            other.pivot_to_solution(usize::MAX).unwrap();
            if other.has_entered != dictionary.has_entered {
                continue;
            }
            refined += 1;
            // With a tolerance that the unrefined answer misses, and with one that it meets.
            for tolerance in [1e-12, 1e-1] {
                let data = Data::sized::<4>(&near).unwrap();
                let of_other = Dictionary { problem: &near, data, ..dictionary };
                let (answer, residuals) = of_other.answer(tolerance).unwrap();
                assert!(residuals.relative <= 1e-12, "{case} {size}: {residuals:?}");
                let relative = near.relative_residual(&DVector::from_column_slice(&answer));
                assert!(relative <= 1e-12, "{case} {size}: {relative}");
            }
        }
    }
    assert!(refined > 600, "{refined}");
}

#[test]
fn matrices_that_are_not_definite_are_refused() {
    let refused = [
        dmatrix![0.0],
        dmatrix![-1.0],
        // Semidefinite; the second has a pivot of rounding.
        dmatrix![1.0, 1.0; 1.0, 1.0],
        dmatrix![1.0, 1.0; 1.0, 1.0 + 1e-12],
        // Murty's, a P-matrix.
        dmatrix![1.0, 2.0; 0.0, 1.0],
        dmatrix![1.0, 2.0; 2.0, 1.0],
        // A planar contact with friction.
        dmatrix![
            1.0, -1.0, 0.0, 1.0;
            -1.0, 1.0, 0.0, 1.0;
            0.0, 0.0, 1.0, 0.0;
            -1.0, -1.0, 0.5, 0.0
        ],
        DMatrix::identity(5, 5),
    ];
    for matrix in refused {
        let n = matrix.nrows();
        let problem = Problem::new(matrix, DVector::from_element(n, -1.0)).unwrap();
        assert!(run(&problem).is_none(), "{problem:?}");
    }
}

#[test]
fn refused_problems_leave_the_answer_as_it_is() {
    let mut z = dvector![7.0, 7.0];
    let problem = Problem::new(DMatrix::identity(2, 2), dvector![-1.0, -1.0]).unwrap();
    let limited = Settings { pivot_limit: 1, ..Settings::default() };
    assert_eq!(solve(&problem, &limited, &mut z), None);
    assert_eq!(z, dvector![7.0, 7.0]);
    let limited = Settings { pivot_limit: 2, ..Settings::default() };
    let report = solve(&problem, &limited, &mut z).unwrap();
    assert_eq!((report.iterations, z), (2, dvector![1.0, 1.0]));
}

/// Answers that overflow or underflow, and rows whose sums do.
#[test]
fn numbers_out_of_range_are_refused() {
    let cases = [
        (dmatrix![1e300], dvector![-1e-300]),
        (dmatrix![1e-300], dvector![-1e300]),
        (dmatrix![1e-300, 0.0; 0.0, 1.0], dvector![-1e300, -1.0]),
        (dmatrix![1e200, 0.0; 0.0, 1e-200], dvector![-1e-200, -1e200]),
    ];
    for (matrix, vector) in cases {
        let problem = Problem::new(matrix, vector).unwrap();
        if let Some((report, z)) = run(&problem) {
            assert!(problem.relative_residual(&z) <= 1e-9, "{report:?} {z}");
            assert!(z.iter().all(|z| z.is_finite()), "{z}");
        }
    }
    let problem = Problem::new(dmatrix![1e300], dvector![-1e-300]).unwrap();
    assert!(run(&problem).is_none(), "1e-600 is no double");
}

/// Units of powers of two change neither the pivots nor the digits.
#[test]
fn units_do_not_matter() {
    let mut random = ChaCha8Rng::seed_from_u64(34);
    for _ in 0..200 {
        let problem = definite(&mut random, 3);
        let factors = DVector::from_fn(3, |_, _| 2.0_f64.powi(random.random_range(-20..20)));
        let diagonal = DMatrix::from_diagonal(&factors);
        let matrix = &diagonal * problem.matrix() * &diagonal;
        let vector = problem.vector().component_mul(&factors) * 1024.0;
        let other = Problem::new(matrix, vector).unwrap();
        let ((report, z), (again, scaled)) = (run(&problem).unwrap(), run(&other).unwrap());
        assert_eq!(report.iterations, again.iterations);
        assert_eq!(z * 1024.0, scaled.component_mul(&factors));
    }
}
