//! Tests of the sweeps: certificates, orders, threads and bad settings.
#![expect(clippy::float_cmp, reason = "these numbers are exact")]

use nalgebra::{DMatrix, Vector3};

use super::*;
use crate::friction::{
    BlockSparse, MatrixFree,
    problem::tests::{random_bodies, random_problem},
};

fn solved(problem: &Problem, settings: &Settings) -> Vec<Vector3<f64>> {
    let mut impulses = vec![Vector3::zeros(); problem.contact_count()];
    let report = solve(problem, settings, &mut impulses).unwrap();
    assert_eq!(report.status, Status::Solved, "{settings:?} {report:?}");
    assert!(problem.relative_residual(&impulses) <= settings.tolerance, "{report:?}");
    impulses
}

/// Few contacts on many bodies: `W` is positive definite and the solution unique for small friction.
fn unique() -> Problem {
    random_problem(7, 12, 8, 0.1)
}

fn orderings() -> [Ordering; 4] {
    [Ordering::Given, Ordering::Symmetric, Ordering::Colored, Ordering::Partitioned(3)]
}

#[test]
fn every_order_and_law_meets_its_certificate() {
    for law in Law::all() {
        for ordering in orderings() {
            // With three ranges on the same bodies the relaxation must be about one third.
            let jacobi = if ordering == Ordering::Partitioned(3) { 0.3 } else { 0.8 };
            for (memory, relaxation) in [(0, jacobi), (5, 1.0)] {
                let settings = Settings { ordering, memory, relaxation, ..Settings::default() };
                solved(&unique().with_law(law), &settings);
                // Redundant contacts: 24 contacts share 3 bodies.
                solved(&random_problem(5, 3, 24, 0.4).with_law(law), &settings);
            }
        }
    }
}

#[test]
fn the_order_of_the_contacts_does_not_matter_where_the_solution_is_unique() {
    let problem = unique();
    let n = problem.contact_count();
    let settings = Settings { tolerance: 1e-12, ..Settings::default() };
    let expected = solved(&problem, &settings);
    let turned: Vec<usize> = (0..n).map(|i| (5 * i + 3) % n).collect();
    let dense = problem.dense();
    let shuffled = DMatrix::from_fn(3 * n, 3 * n, |r, c| {
        dense[(3 * turned[r / 3] + r % 3, 3 * turned[c / 3] + c % 3)]
    });
    let free: Vec<f64> =
        turned.iter().flat_map(|&i| &problem.free_velocity()[i]).copied().collect();
    let shuffled = Problem::from_dense(&shuffled, &free, &vec![0.1; n]).unwrap();
    for (position, impulse) in solved(&shuffled, &settings).iter().enumerate() {
        // A residual of 1e-12 m/s, amplified by less than the condition of W.
        assert!((impulse - expected[turned[position]]).norm() < 1e-9, "{position}");
    }
    for ordering in orderings() {
        let settings = Settings { ordering, ..settings };
        for (impulse, expected) in solved(&problem, &settings).iter().zip(&expected) {
            assert!((impulse - expected).norm() < 1e-9, "{ordering:?}");
        }
    }
}

/// Spheres in a row: the tangents have equal compliance and are uncoupled, so both laws are the same.
#[test]
fn both_laws_agree_where_blocks_are_isotropic() {
    let n = 6;
    let blocks: Vec<_> = (0..n)
        .flat_map(|i| [(i, i, 2.0), (i, (i + 1) % n, -0.4), ((i + 1) % n, i, -0.4)])
        .map(|(r, c, scale)| {
            (r, c, scale * nalgebra::Matrix3::from_diagonal(&[1.0, 3.5, 3.5].into()))
        })
        .collect();
    let free = (0..n).map(|i| Vector3::new(-1.0, 3.0 - i as f64, 1.0)).collect();
    let delassus = BlockSparse::from_blocks(n, &blocks).unwrap();
    let problem = Problem::from_sparse(delassus, free, &vec![0.3; n]).unwrap();
    let tight = Settings { tolerance: 1e-12, ..Settings::default() };
    let coulomb = solved(&problem, &tight);
    let other = solved(&problem.with_law(Law::MaximumDissipation), &tight);
    for (left, right) in coulomb.iter().zip(&other) {
        assert!((left - right).norm() < 1e-11, "{left} {right}");
    }
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let problem = random_problem(11, 60, 90, 0.5);
    for ordering in [Ordering::Colored, Ordering::Partitioned(4)] {
        let settings =
            Settings { ordering, relaxation: 0.9, max_sweeps: 40, ..Settings::default() };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut impulses = vec![Vector3::zeros(); problem.contact_count()];
            pool.install(|| solve(&problem, &settings, &mut impulses)).unwrap();
            impulses
        };
        let one = run(1);
        assert!(one.iter().any(|p| p.x > 0.0), "something is in contact");
        assert_eq!(one, run(2));
        assert_eq!(one, run(4));
    }
}

#[test]
fn contacts_of_one_color_have_no_block_in_common() {
    let problem = random_problem(13, 20, 50, 0.5);
    let colors = color(problem.delassus());
    assert_eq!(colors.iter().map(Vec::len).sum::<usize>(), 50);
    for color in &colors {
        for &one in color {
            for &other in color {
                assert!(one == other || problem.delassus().block(one, other).is_none());
            }
        }
    }
}

#[test]
fn matrix_free_sweeps_find_the_same_impulses() {
    let (jacobian, inverse_mass) = random_bodies(7, 12, 8);
    let stored = unique();
    let free = MatrixFree::new(&jacobian, &inverse_mass).unwrap();
    let free = Problem::new(free, stored.free_velocity().to_vec(), &[0.1; 8]).unwrap();
    let settings = Settings { tolerance: 1e-12, ..Settings::default() };
    let expected = solved(&stored, &settings);
    for ordering in orderings() {
        let mut impulses = vec![Vector3::zeros(); 8];
        let settings = Settings { ordering, ..settings };
        let report = solve(&free, &settings, &mut impulses).unwrap();
        assert_eq!(report.status, Status::Solved, "{ordering:?}");
        for (impulse, expected) in impulses.iter().zip(&expected) {
            assert!((impulse - expected).norm() < 1e-9, "{ordering:?}");
        }
    }
}

#[test]
fn a_good_start_saves_all_sweeps_and_a_limit_keeps_the_best() {
    let problem = random_problem(5, 3, 24, 0.4);
    let mut impulses = solved(&problem, &Settings::default());
    let report = solve(&problem, &Settings::default(), &mut impulses).unwrap();
    assert_eq!((report.status, report.iterations), (Status::Solved, 0));
    let mut impulses = vec![Vector3::zeros(); 24];
    let settings = Settings { max_sweeps: 3, ..Settings::default() };
    let report = solve(&problem, &settings, &mut impulses).unwrap();
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 3));
    assert_eq!(report.residual, problem.natural_map_residual(&impulses));
}

#[test]
fn bad_settings_are_refused_and_leave_the_start_alone() {
    let problem = unique();
    let good = Settings::default();
    let start = vec![Vector3::new(1.0, 2.0, 3.0); 8];
    for (settings, name) in [
        (Settings { tolerance: f64::NAN, ..good }, "tolerance"),
        (Settings { relaxation: 1.5, ..good }, "relaxation"),
        (Settings { check_every: 0, ..good }, "check_every"),
        (Settings { memory: 17, ..good }, "memory"),
        (Settings { ordering: Ordering::Partitioned(0), ..good }, "partitions"),
    ] {
        let mut impulses = start.clone();
        let error = solve(&problem, &settings, &mut impulses).unwrap_err();
        assert!(matches!(error, Error::Setting { name: found, .. } if found == name), "{error}");
        assert_eq!(impulses, start);
    }
    let error = solve(&problem, &good, &mut [Vector3::zeros()]).unwrap_err();
    assert_eq!(error, Error::StartLength { expected: 8, found: 1 });
    let mut start = start;
    start[3].y = f64::INFINITY;
    let error = solve(&problem, &good, &mut start).unwrap_err();
    assert_eq!(error, Error::StartEntry { contact: 3, value: f64::INFINITY });
}
