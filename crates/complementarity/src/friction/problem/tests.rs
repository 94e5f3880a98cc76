//! Tests of the validated problem and of its residuals.
#![expect(clippy::float_cmp, reason = "these numbers are exact")]

use nalgebra::{DMatrix, Matrix3, dmatrix, vector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::friction::{MatrixFree, single};

/// `bodies` free bodies of unequal masses and `contacts` contacts between them: Jacobian and inverse mass.
pub(crate) fn random_bodies(
    seed: u64,
    bodies: usize,
    contacts: usize,
) -> (DMatrix<f64>, DMatrix<f64>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut jacobian = DMatrix::zeros(3 * contacts, 6 * bodies);
    for contact in 0..contacts {
        let first = random.random_range(0..bodies);
        let second = (first + random.random_range(0..bodies)) % bodies;
        for (body, sign) in [(first, 1.0), (second, -1.0)] {
            if body == first && sign < 0.0 {
                continue;
            }
            let frame = nalgebra::Rotation3::from_euler_angles(
                random.random_range(-3.0..3.0),
                random.random_range(-3.0..3.0),
                random.random_range(-3.0..3.0),
            );
            let arm = Vector3::<f64>::from_fn(|_, _| random.random_range(-1.0..1.0));
            let rows = frame.matrix() * sign;
            jacobian.view_mut((3 * contact, 6 * body), (3, 3)).copy_from(&rows);
            jacobian
                .view_mut((3 * contact, 6 * body + 3), (3, 3))
                .copy_from(&(-rows * arm.cross_matrix()));
        }
    }
    let inverse_mass = DMatrix::from_diagonal(&nalgebra::DVector::from_fn(6 * bodies, |row, _| {
        if row % 6 < 3 { 1.0 / (1.0 + (row / 6) as f64) } else { 2.5 / (1.0 + (row / 6) as f64) }
    }));
    (jacobian, inverse_mass)
}

/// The problem of [`random_bodies`] that approach with random velocities.
pub(crate) fn random_problem(seed: u64, bodies: usize, contacts: usize, friction: f64) -> Problem {
    let (jacobian, inverse_mass) = random_bodies(seed, bodies, contacts);
    let mut random = ChaCha8Rng::seed_from_u64(seed + 1000);
    let velocity = nalgebra::DVector::from_fn(6 * bodies, |_, _| random.random_range(-1.0..1.0));
    let delassus = &jacobian * inverse_mass * jacobian.transpose();
    let free = &jacobian * velocity;
    Problem::from_dense(&delassus, free.as_slice(), &vec![friction; contacts]).unwrap()
}

fn refusal(delassus: &DMatrix<f64>, free_velocity: &[f64], friction: &[f64]) -> ProblemError {
    Problem::from_dense(delassus, free_velocity, friction).unwrap_err()
}

#[test]
fn wrong_input_is_refused_by_row_and_column() {
    let good = DMatrix::identity(6, 6);
    let with = |row: usize, column: usize, value: f64| {
        let mut matrix = good.clone();
        matrix[(row, column)] = value;
        refusal(&matrix, &[0.0; 6], &[1.0; 2])
    };
    assert!(matches!(with(1, 5, f64::NAN), ProblemError::Entry { row: 1, column: 5, .. }));
    assert_eq!(
        with(1, 5, 0.1),
        ProblemError::Unsymmetric { row: 1, column: 5, value: 0.1, other: 0.0 }
    );
    let of_three = |value: f64| {
        let mut matrix = DMatrix::identity(9, 9);
        matrix[(1, 8)] = value;
        refusal(&matrix, &[0.0; 9], &[1.0; 3])
    };
    assert!(matches!(of_three(f64::NAN), ProblemError::Entry { row: 1, column: 8, .. }));
    assert_eq!(
        of_three(0.1),
        ProblemError::Unsymmetric { row: 1, column: 8, value: 0.1, other: 0.0 }
    );
    assert_eq!(
        with(4, 4, -1.0),
        ProblemError::Contact {
            contact: 1,
            error: single::Error::Diagonal { row: 1, value: -1.0 },
        }
    );
    assert_eq!(
        refusal(&good, &[0.0; 5], &[1.0; 2]),
        ProblemError::Length { name: "free_velocity", found: 5, expected: 6 }
    );
    assert_eq!(
        refusal(&good, &[0.0; 3], &[1.0; 1]),
        ProblemError::Length { name: "free_velocity", found: 1, expected: 2 }
    );
    assert!(matches!(
        refusal(&good, &[0.0, 0.0, 0.0, 0.0, f64::INFINITY, 0.0], &[1.0; 2]),
        ProblemError::FreeVelocity { row: 4, .. }
    ));
    assert_eq!(
        refusal(&good, &[0.0; 6], &[1.0, -0.5]),
        ProblemError::Contact { contact: 1, error: single::Error::Friction { value: -0.5 } }
    );
    assert_eq!(
        refusal(&DMatrix::identity(4, 4), &[0.0; 3], &[1.0]),
        ProblemError::MatrixShape { rows: 4, columns: 4, components: 3 }
    );
    assert_eq!(refusal(&DMatrix::zeros(0, 0), &[], &[]), ProblemError::Empty);
    let missing = BlockSparse::from_blocks(2, &[(0, 0, Matrix3::identity())]).unwrap_err();
    assert_eq!(missing, ProblemError::MissingDiagonal { contact: 1 });
}

/// The relative residual does not change when masses and velocities are multiplied by any factor.
#[test]
fn the_relative_residual_knows_no_units() {
    let problem = random_problem(1, 3, 6, 0.5);
    let impulses: Vec<_> = (0..6).map(|i| vector![1.0, 0.1 * f64::from(i), -0.2]).collect();
    for law in Law::all() {
        let problem = problem.clone().with_law(law);
        let expected = problem.relative_residual(&impulses);
        assert!(expected > 1e-2, "{expected}");
        for (mass, speed) in [(1e-9, 1.0), (1e6, 1e-3), (1.0, 1e4)] {
            let free: Vec<f64> =
                problem.free_velocity().iter().flatten().map(|u| u * speed).collect();
            let scaled = Problem::from_dense(&(problem.dense() / mass), &free, &[0.5; 6]).unwrap();
            let scaled = scaled.with_law(law);
            let impulses: Vec<_> = impulses.iter().map(|p| p * mass * speed).collect();
            let residual = scaled.relative_residual(&impulses);
            assert!((residual / expected - 1.0).abs() < 1e-9, "{law:?} {mass} {speed} {residual}");
        }
    }
}

#[test]
fn a_matrix_free_operator_says_the_same() {
    let (jacobian, inverse_mass) = random_bodies(2, 4, 9);
    let dense = random_problem(2, 4, 9, 0.3);
    let free = MatrixFree::new(&jacobian, &inverse_mass).unwrap();
    let free = Problem::new(free, dense.free_velocity().to_vec(), &[0.3; 9]).unwrap();
    assert!((free.dense() - dense.dense()).amax() < 1e-13);
    let impulses: Vec<_> = (0..9).map(|i| vector![1.0, -0.1 * f64::from(i), 0.2]).collect();
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        let residuals = [
            dense.by_law(law).relative_residual(&impulses),
            free.by_law(law).relative_residual(&impulses),
        ];
        assert!((residuals[0] - residuals[1]).abs() < 1e-12, "{residuals:?}");
    }
    let error = MatrixFree::new(&jacobian, &DMatrix::zeros(3, 3)).unwrap_err();
    assert!(matches!(error, ProblemError::JacobianShape { jacobian: (27, 24), .. }));
}

/// A block of 1 kg in the plane: pressed with 2 N·s, friction of 0.5 reduces 3 m/s by 1 m/s.
#[test]
fn contacts_in_the_plane_have_an_idle_second_tangent() {
    let problem =
        Problem::from_planar(&dmatrix![1.0, 0.0; 0.0, 1.0], &[-2.0, 3.0], &[0.5]).unwrap();
    let impulses = [vector![2.0, -1.0, 0.0]];
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        assert_eq!(problem.by_law(law).natural_map_residual(&impulses), 0.0);
    }
    assert_eq!(problem.velocities(&impulses), [vector![0.0, 2.0, 0.0]]);
    assert_eq!(problem.complementarity(&impulses), 0.0);
    assert_eq!(problem.dissipation(&impulses), 4.5);
}

#[test]
fn what_is_not_finite_has_an_infinite_residual() {
    let problem = random_problem(3, 2, 2, 0.5);
    let impulses = [vector![f64::NAN, 0.0, 0.0], vector![0.0, 0.0, 0.0]];
    assert_eq!(problem.by_law(Law::Coulomb).relative_residual(&impulses), f64::INFINITY);
    assert_eq!(problem.by_law(Law::MaximumDissipation).relative_residual(&impulses), f64::INFINITY);
}

/// `‖v‖`, by the largest entry.
fn plain_norm(v: &[f64]) -> f64 {
    let size = v.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let square: f64 = v.iter().map(|x| (x / size).powi(2)).sum();
    if size > 0.0 { size * square.sqrt() } else { 0.0 }
}

/// The largest violation of a part of Coulomb's law (m/s), by its definition.
fn missed(w: f64, friction: f64, p: &Vector3<f64>, u: &Vector3<f64>) -> f64 {
    let push = p * w;
    let limit = friction * push.x.max(0.0);
    let trial = [push.y - u.y, push.z - u.z];
    let scale = (limit / plain_norm(&trial)).min(1.0);
    let slip = plain_norm(&[push.y - scale * trial[0], push.z - scale * trial[1]]);
    let open = plain_norm(push.as_slice()).min(u.x.max(0.0));
    (-u.x).max(-push.x).max(plain_norm(&[push.y, push.z]) - limit).max(open).max(slip)
}

#[test]
fn residuals_and_energies_of_any_impulses_are_those_of_their_definitions() {
    let mut random = ChaCha8Rng::seed_from_u64(40);
    for (seed, contacts) in (0..40).zip((1..=5).cycle()) {
        let (jacobian, inverse_mass) = random_bodies(seed, 3, contacts);
        let w = &jacobian * inverse_mass * jacobian.transpose();
        let free = nalgebra::DVector::from_fn(3 * contacts, |_, _| random.random_range(-1.0..1.0));
        let friction: Vec<f64> =
            (0..contacts).map(|_| [0.0, 0.4, 3.0][random.random_range(0..3)]).collect();
        let problem = Problem::from_dense(&w, free.as_slice(), &friction).unwrap();
        let p = nalgebra::DVector::from_fn(3 * contacts, |_, _| random.random_range(-1.0..1.0));
        let impulses: Vec<Vector3<f64>> =
            (0..contacts).map(|i| p.fixed_rows::<3>(3 * i).into_owned()).collect();
        let u = &w * &p + &free;
        let each: Vec<f64> = (0..contacts)
            .map(|i| {
                let mass = (0..3).map(|k| w[(3 * i + k, 3 * i + k)]).sum::<f64>() / 3.0;
                let velocity = u.fixed_rows::<3>(3 * i).into_owned();
                missed(mass, friction[i], &impulses[i], &velocity)
            })
            .collect();
        let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-12 * (1.0 + expected);
        let found = problem.contact_residuals(&impulses);
        assert_eq!(found.len(), contacts);
        assert!((0..contacts).all(|i| near(found[i], each[i])), "{found:?} {each:?}");
        let largest = each.iter().copied().fold(0.0, f64::max);
        assert!(near(problem.natural_map_residual(&impulses), largest));
        assert!(near(problem.figures(&impulses).largest(), largest));
        let scale = (0..contacts).map(|i| plain_norm(&free.as_slice()[3 * i..3 * i + 3]));
        let scale = scale.fold(0.0, f64::max);
        assert!(near(problem.relative_residual(&impulses), largest / scale));
        let products = (0..contacts).map(|i| (p[3 * i] * u[3 * i]).abs());
        assert!(near(problem.complementarity(&impulses), products.fold(0.0, f64::max)));
        let lost = -0.5 * p.dot(&(&w * &p)) - p.dot(&free);
        assert!((problem.dissipation(&impulses) - lost).abs() <= 1e-12 * (1.0 + lost.abs()));
    }
}

/// `9 (3 n + 4) ε max √w_i Σ √w_i ‖p_i‖`, and in fact not less than what is lost.
#[test]
fn the_bound_of_rounding_grows_with_impulses_and_masses() {
    let diagonal = vector![4.0, 4.0, 4.0, 9.0, 9.0, 9.0];
    let w = DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(diagonal.as_slice()));
    let problem = Problem::from_dense(&w, &[1.0; 6], &[0.5; 2]).unwrap();
    let bound = problem.rounding(&[vector![3.0, 0.0, 4.0], vector![0.0, 7.0, 0.0]]);
    // √w = 2 and 3, norms 5 and 7.
    let expected = 9.0 * 10.0 * f64::EPSILON * 3.0 * (2.0 * 5.0 + 3.0 * 7.0);
    assert!((bound / expected - 1.0).abs() < 1e-14, "{bound} {expected}");
    assert_eq!(problem.rounding(&[Vector3::zeros(); 2]), 0.0);
    assert_eq!(problem.rounding(&[vector![f64::INFINITY, 0.0, 0.0]; 2]), f64::INFINITY);
    assert_eq!(problem.rounding(&[vector![f64::NAN, 0.0, 0.0]; 2]), f64::INFINITY);
    assert_eq!(problem.rounding(&[vector![1e308, 0.0, 0.0]; 2]), f64::INFINITY);
}

/// Entries of two contacts with other masses may differ by a hundredth of `√(W_ii W_jj) = 100 · 0.02`, and by no more.
#[test]
fn the_symmetry_of_two_contacts_is_relative_to_both() {
    let of = |entry: f64| {
        let diagonal = [1e4, 1e4, 1e4, 4e-4, 4e-4, 4e-4];
        let mut w = DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(&diagonal));
        w[(0, 4)] = entry;
        Problem::from_dense(&w, &[1.0; 6], &[0.5; 2])
    };
    assert!(of(0.02).is_ok());
    assert!(matches!(
        of(0.020_001).unwrap_err(),
        ProblemError::Unsymmetric { row: 0, column: 4, .. }
    ));
}

/// Two contacts at the same place that press against each other with 10¹⁰ N·s: plain sums have an error of about 10⁻⁷ m/s.
/// The same in another unit of velocity.
#[test]
fn figures_of_impulses_that_cancel_are_compensated() {
    let block = dmatrix![0.1, 0.0, 0.0; 0.0, 0.3, 0.0; 0.0, 0.0, 0.7];
    let w = DMatrix::from_fn(6, 6, |i, j| block[(i % 3, j % 3)]);
    for unit in [1.0, 2.0_f64.powi(-20), 1024.0] {
        let free = [-1.0, 0.0, 0.0, -1.0, 0.0, 0.0].map(|u| u * unit);
        let problem = Problem::from_dense(&w, &free, &[0.0; 2]).unwrap();
        // The sum of the normal impulses is 3, exactly; the velocity is 0.1 · 3 − 1 up to the rounding of 0.1.
        let impulses = [vector![1e10 + 3.0, 0.0, 0.0], vector![-1e10, 0.0, 0.0]].map(|p| p * unit);
        let figures = problem.figures(&impulses);
        assert!((figures.approach / unit - 0.7).abs() < 1e-15, "{figures:?}");
        let mass = 1.1 / 3.0;
        assert!((figures.adhesion / (mass * 1e10 * unit) - 1.0).abs() < 1e-14, "{figures:?}");
        assert_eq!(figures.complementarity, 0.0);
        // Where rounding is small, the sums are plain ones: 0.1 · 5 + 0.1 · 5 − 1.
        let figures = problem.figures(&[vector![5.0, 0.0, 0.0] * unit; 2]);
        assert!(figures.largest() < 1e-15 * unit, "{figures:?}");
    }
}

#[test]
fn contacts_in_the_plane_need_two_velocities_each() {
    let w = DMatrix::identity(4, 4);
    for count in [0, 2, 3, 5, 6, 8] {
        let error = Problem::from_planar(&w, &vec![0.0; count], &[0.5; 2]).unwrap_err();
        let (name, found, expected) = ("free_velocity", count, 4);
        assert_eq!(error, ProblemError::Length { name, found, expected });
    }
    let error = Problem::from_planar(&DMatrix::identity(6, 6), &[0.0; 5], &[0.5; 3]).unwrap_err();
    assert_eq!(error, ProblemError::Length { name: "free_velocity", found: 5, expected: 6 });
}
