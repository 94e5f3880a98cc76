//! Tests of rays against their definition.
#![expect(clippy::float_cmp, reason = "these numbers are exact")]

use nalgebra::{DMatrix, dmatrix};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::lcp::{
    Status, enumerate,
    lemke::{Settings, solve, solve_with_covering_vector},
};

/// The violation as it is documented, term by term.
fn stated(ray: &Ray, problem: &Problem) -> f64 {
    let n = problem.dimension();
    let mut violation = 0.0_f64;
    for i in 0..n {
        let row: Vec<f64> = (0..n).map(|j| problem.matrix()[(i, j)]).collect();
        let products = |z: &DVector<f64>| row.iter().zip(z).map(|(m, z)| m * z).collect::<Vec<_>>();
        let mut start = products(&ray.z);
        start.extend([problem.vector()[i], ray.covering[i] * ray.artificial]);
        let mut rate = products(&ray.direction);
        rate.push(ray.covering[i] * ray.artificial_rate);
        for terms in [start, rate] {
            let size: f64 = terms.iter().map(|term| term.abs()).sum();
            if size == 0.0 {
                continue;
            }
            let share = terms.iter().sum::<f64>() / size;
            let zero = ray.z[i] > 0.0 || ray.direction[i] > 0.0;
            violation = violation.max(if zero { share.abs() } else { -share });
        }
    }
    violation
}

#[test]
fn the_violation_is_the_one_stated() {
    let mut random = ChaCha8Rng::seed_from_u64(81);
    for _ in 0..300 {
        let n = random.random_range(1..5);
        let mut number = |zero: f64, low: f64| {
            if random.random_bool(zero) { 0.0 } else { random.random_range(low..2.0) }
        };
        let matrix = DMatrix::from_fn(n, n, |_, _| number(0.3, -2.0));
        let vector = DVector::from_fn(n, |_, _| number(0.3, -2.0));
        let mut vectors = || DVector::from_fn(n, |_, _| number(0.5, 0.0));
        let (z, direction) = (vectors(), vectors());
        let covering = DVector::from_fn(n, |_, _| number(0.0, 0.1));
        let (artificial, artificial_rate) = (number(0.3, 0.0), number(0.3, 0.0));
        let problem = Problem::new(matrix, vector).unwrap();
        let ray = Ray { z, artificial, direction, artificial_rate, covering };
        let (found, expected) = (ray.violation(&problem), stated(&ray, &problem));
        assert!((found - expected).abs() <= 1e-14, "{found} {expected} {ray:?}");
    }
}

/// Rays in units far from one: the largest rate is 1, the covering vector is the caller's up to a factor, and what `z`
/// and `t` are at the start satisfies the definition.
#[test]
fn a_ray_has_the_largest_rate_one_in_any_units() {
    let game = dmatrix![
        0.0, 0.0, 10.0, 20.0;
        0.0, 0.0, 30.0, 15.0;
        10.0, 20.0, 0.0, 0.0;
        30.0, 15.0, 0.0, 0.0
    ];
    for (matrix, size) in [(game.clone(), 1.0), (game * 4096.0, 1e-3), (dmatrix![-3.0], 1e5)] {
        let n = matrix.nrows();
        let problem = Problem::new(matrix, DVector::from_element(n, -size)).unwrap();
        let covering = DVector::from_fn(n, |i, _| 2.0 + i as f64);
        let settings = Settings { restarts: 0, ..Settings::default() };
        let (mut workspace, mut z) = (Workspace::new(n), DVector::zeros(n));
        let report =
            solve_with_covering_vector(&problem, &covering, &settings, &mut workspace, &mut z);
        assert_eq!(report.unwrap().status, Status::Ray);
        let ray = workspace.ray().unwrap();
        assert_eq!(ray.direction.amax().max(ray.artificial_rate), 1.0, "{ray:?}");
        let shares = ray.covering.component_div(&covering);
        assert!((&shares / shares[0]).add_scalar(-1.0).amax() <= 1e-15, "{ray:?}");
        assert!(ray.violation(&problem) <= 1e-15, "{ray:?}");
        assert!(ray.artificial > 0.0 && stated(ray, &problem) <= 1e-15, "{ray:?}");
    }
}

/// Contacts in a row between two walls that close at 1 m/s, and the same with the walls apart.
#[test]
fn a_proof_of_infeasibility_ends_the_search() {
    let chain = dmatrix![1.0, -1.0, 0.0; -1.0, 3.0, -2.0; 0.0, -2.0, 2.0];
    let problem = Problem::new(chain, DVector::from_vec(vec![-0.7, 0.2, -0.5])).unwrap();
    let run = |restarts: usize| {
        let (mut workspace, mut z) = (Workspace::default(), DVector::zeros(3));
        let settings = Settings { restarts, ..Settings::default() };
        let report = solve(&problem, &settings, &mut workspace, &mut z).unwrap();
        (report, workspace.ray().cloned())
    };
    let (report, ray) = run(4);
    assert_eq!((report.status, report.iterations), (Status::Ray, run(0).0.iterations));
    let ray = ray.unwrap();
    assert!(ray.proves_infeasibility(&problem));
    let apart = Problem::new(problem.matrix().clone(), DVector::from_vec(vec![-0.7, 1.2, -0.5]));
    assert!(!ray.proves_infeasibility(&apart.unwrap()), "z = (0, 1, 1) holds them apart");
    let moving = Ray { artificial_rate: 0.1, ..ray };
    assert!(!moving.proves_infeasibility(&problem));
}

/// Directions of any kind, judged by the enumeration of all solutions.
#[test]
fn no_problem_that_has_a_solution_is_proven_infeasible() {
    let mut random = ChaCha8Rng::seed_from_u64(82);
    let (mut proven, mut open) = (0, 0);
    for _ in 0..4000 {
        let n = random.random_range(1..4);
        let mut entry = || f64::from(random.random_range(-2..3_i32));
        let problem = Problem::new(
            DMatrix::from_fn(n, n, |_, _| entry()),
            DVector::from_fn(n, |_, _| entry()),
        );
        let problem = problem.unwrap();
        let direction = DVector::from_fn(n, |_, _| entry().abs());
        let zeros = DVector::zeros(n);
        let ray = Ray {
            z: zeros.clone(),
            artificial: 0.0,
            direction,
            artificial_rate: 0.0,
            covering: zeros.add_scalar(1.0),
        };
        if ray.proves_infeasibility(&problem) {
            proven += 1;
            let all = enumerate::solve(&problem, &enumerate::Settings::default()).unwrap();
            assert!(all.has_none(), "{problem:?} {ray:?}");
        } else {
            open += 1;
        }
    }
    assert!(proven > 100 && open > 1000, "{proven} {open}");
}
