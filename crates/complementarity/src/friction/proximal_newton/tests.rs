//! Tests of the proximal points against Coulomb's law itself.

use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// Cubes of these masses on top of each other, which touch at four corners each, fall with 0.1 m/s and are pushed sideways with up to
/// `push` m/s each.
fn tower(masses: &[f64], friction: f64, push: f64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (levels, n) = (masses.len(), 4 * masses.len());
    let mut jacobian = DMatrix::zeros(3 * n, 6 * levels);
    // Rows normal z, tangents x and y.
    let frame = Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);
    for row in 0..n {
        let (level, corner) = (row / 4, row % 4);
        let [x, y] = [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]][corner];
        let bodies = [(Some(level), -0.5, 1.0), (level.checked_sub(1), 0.5, -1.0)];
        for (body, z, sign) in bodies {
            let Some(body) = body else { continue };
            let arm = Vector3::new(x, y, z).cross_matrix();
            let mut block = |at: usize, entries: &Matrix3<f64>| {
                jacobian.view_mut((3 * row, 6 * body + at), (3, 3)).copy_from(&(sign * entries));
            };
            block(0, &frame);
            block(3, &(-frame * arm));
        }
    }
    let inverse = DVector::from_fn(6 * levels, |row, _| {
        if row % 6 < 3 { 1.0 / masses[row / 6] } else { 6.0 / masses[row / 6] }
    });
    let velocity = DVector::from_fn(6 * levels, |row, _| match row % 6 {
        2 => -0.1,
        0 | 1 => push * random.random_range(-1.0..=1.0),
        _ => 0.0,
    });
    let delassus = &jacobian * DMatrix::from_diagonal(&inverse) * jacobian.transpose();
    let free = &jacobian * velocity;
    Problem::from_dense(&delassus, free.as_slice(), &vec![friction; n]).unwrap()
}

/// The largest violation of Coulomb's law, as a velocity relative to the free one, without the code of the solver.
fn violation(problem: &Problem, impulses: &[Vector3<f64>]) -> f64 {
    let w = problem.dense();
    let flat = DVector::from_iterator(3 * impulses.len(), impulses.iter().flatten().copied());
    let free = problem.free_velocity().iter().flatten().copied();
    let velocity = &w * &flat + DVector::from_iterator(flat.len(), free);
    let scale = problem.free_velocity().iter().map(|free| free.norm()).fold(0.0, f64::max);
    let mut worst = 0.0_f64;
    for (i, p) in impulses.iter().enumerate() {
        let inverse_mass = (0..3).map(|k| w[(3 * i + k, 3 * i + k)]).sum::<f64>() / 3.0;
        let u = Vector3::from_fn(|k, _| velocity[3 * i + k]);
        let friction = problem.contacts()[i].friction();
        let [bound, pull, slip] = [friction * p.x, p.yz().norm(), u.yz().norm()];
        worst = worst.max(-u.x).max(inverse_mass * (-p.x).max(pull - bound));
        worst = worst.max(u.x.min(inverse_mass * p.x));
        // A contact that slips has its impulse opposite, at the bound.
        // An impulse within the tolerance of zero is not judged by its direction.
        let lacking = (u.yz() * bound + slip * p.yz()).norm() / bound.max(1e-300);
        worst = worst.max(lacking.min(slip).min(inverse_mass * bound));
    }
    worst / scale
}

#[test]
fn towers_of_any_masses_and_friction_satisfy_the_law() {
    let heavy: Vec<f64> = (0..12).map(|k| if k % 3 == 0 { 1e4 } else { 1.0 }).collect();
    for masses in [&[1.0][..], &[1.0; 8], &heavy] {
        for friction in [0.0, 0.3, 1.0] {
            for push in [0.0, 0.3] {
                let problem = tower(masses, friction, push);
                let mut impulses = vec![Vector3::zeros(); problem.contact_count()];
                let settings = Settings { tolerance: 1e-9, ..Settings::default() };
                let report = solve(&problem, &settings, &mut impulses).unwrap();
                let name = format!("{} {friction} {push} {report:?}", masses.len());
                assert_eq!(report.status, Status::Solved, "{name}");
                let violation = violation(&problem, &impulses);
                assert!(violation < 1e-7, "{name}: {violation:e}");
            }
        }
    }
}

/// The four corners of a block can only share its weight.
#[test]
fn a_block_at_rest_is_carried_and_a_start_that_solves_stays() {
    let problem = tower(&[2.0], 0.5, 0.0);
    let mut impulses = [Vector3::zeros(); 4];
    let report = solve(&problem, &Settings::default(), &mut impulses).unwrap();
    assert_eq!(report.status, Status::Solved);
    let sum: Vector3<f64> = impulses.iter().sum();
    assert!((sum - Vector3::new(0.2, 0.0, 0.0)).norm() < 1e-9, "{sum}");
    let before = impulses;
    let again = solve(&problem, &Settings::default(), &mut impulses).unwrap();
    assert_eq!((again.iterations, impulses), (0, before));
}

/// Units of mass and velocity far from one.
#[test]
fn units_change_the_answer_by_their_factors() {
    let problem = tower(&[1.0; 4], 0.4, 0.2);
    let solved = |problem: &Problem| {
        let mut impulses = vec![Vector3::zeros(); problem.contact_count()];
        let report = solve(problem, &Settings::default(), &mut impulses).unwrap();
        assert_eq!(report.status, Status::Solved);
        (impulses, report.iterations)
    };
    let (impulses, steps) = solved(&problem);
    let free: Vec<_> = problem.free_velocity().iter().flatten().map(|u| u * 0.125).collect();
    let other = Problem::from_dense(&(problem.dense() * 1024.0), &free, &[0.4; 16]).unwrap();
    let (others, as_many) = solved(&other);
    assert_eq!(steps, as_many);
    for (p, other) in impulses.iter().zip(&others) {
        assert!((p - other * 8192.0).norm() < 1e-9, "{p} {other}");
    }
}

/// A body between two walls that approach has no answer.
#[test]
fn without_an_answer_it_ends() {
    let mut delassus = DMatrix::identity(6, 6);
    (delassus[(0, 3)], delassus[(3, 0)]) = (-1.0, -1.0);
    let free = [-1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
    let problem = Problem::from_dense(&delassus, &free, &[0.5, 0.0]).unwrap();
    let mut impulses = [Vector3::zeros(); 2];
    let report = solve(&problem, &Settings::default(), &mut impulses).unwrap();
    assert_ne!(report.status, Status::Solved);
    assert!(impulses.iter().flatten().all(|p| p.is_finite()));
}
