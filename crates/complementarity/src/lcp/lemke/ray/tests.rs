//! Tests of rays against their definition.
#![expect(clippy::float_cmp, reason = "these numbers are exact")]

use nalgebra::{DMatrix, dmatrix};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::lcp::{
    Status,
    lemke::{Settings, solve_with_covering_vector},
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
