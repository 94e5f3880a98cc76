//! Tests of all methods for many contacts on the same problems.

use nalgebra::{DMatrix, DVector, Matrix3, vector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::friction::{Law, problem::tests::random_problem, single};

/// A stack of boxes of edge 1, with four contacts each, that falls on the floor at 0.1 m/s and is pushed sideways.
/// The two Jacobians of `W` differ by the fraction `asymmetry`.
fn stack(masses: &[f64], friction: f64, push: f64, asymmetry: f64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let (levels, n) = (masses.len(), 4 * masses.len());
    let mut jacobian = DMatrix::zeros(3 * n, 6 * levels);
    // Rows normal z, tangents x and y; columns velocity, angular velocity.
    let frame = Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);
    for level in 0..levels {
        for (corner, (x, y)) in
            [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)].into_iter().enumerate()
        {
            let row = 3 * (4 * level + corner);
            let mut act = |body: usize, z: f64, sign: f64| {
                let arm = vector![x, y, z];
                jacobian.view_mut((row, 6 * body), (3, 3)).copy_from(&(sign * frame));
                jacobian
                    .view_mut((row, 6 * body + 3), (3, 3))
                    .copy_from(&(-sign * frame * arm.cross_matrix()));
            };
            act(level, -0.5, 1.0);
            if level > 0 {
                act(level - 1, 0.5, -1.0);
            }
        }
    }
    let inverse_mass = DMatrix::from_diagonal(&DVector::from_fn(6 * levels, |row, _| {
        if row % 6 < 3 { 1.0 / masses[row / 6] } else { 6.0 / masses[row / 6] }
    }));
    let velocity = DVector::from_fn(6 * levels, |row, _| match row % 6 {
        2 => -0.1,
        0 | 1 => push * random.random_range(-1.0..1.0),
        _ => 0.0,
    });
    let other = jacobian.map(|entry| entry * (1.0 + asymmetry * random.random_range(-1.0..1.0)));
    let delassus = &other * inverse_mass * jacobian.transpose();
    let free = &jacobian * velocity;
    Problem::from_dense(&delassus, free.as_slice(), &vec![friction; n]).unwrap()
}

fn certified(problem: &Problem, method: Method) {
    let law = problem.law();
    let solution = method.solve(problem).unwrap();
    let name = method.name();
    assert_eq!(solution.report.status, Status::Solved, "{name} {law:?} {:?}", solution.report);
    let residual = problem.natural_map_residual(&solution.impulses);
    assert!((residual - solution.report.residual).abs() <= 1e-15 + 1e-9 * residual, "{name}");
    assert_eq!(solution.velocities, problem.velocities(&solution.impulses));
    assert!(problem.dissipation(&solution.impulses) >= -1e-9, "{name}: energy grows");
}

#[test]
fn every_method_solves_ordinary_problems() {
    for (seed, bodies, contacts, friction) in [(1, 8, 6, 0.3), (2, 4, 12, 0.6), (3, 3, 20, 0.0)] {
        let problem = random_problem(seed, bodies, contacts, friction);
        for method in Method::all() {
            for law in [Law::Coulomb, Law::MaximumDissipation] {
                let (problem, method) =
                    (problem.clone().with_law(law), method.with_tolerance(1e-7));
                if method.laws().contains(&law) {
                    assert_eq!(method.check_law(law), Ok(()));
                    certified(&problem, method);
                    continue;
                }
                let error = Error::Law { law, solved: &[Law::Coulomb] };
                assert_eq!(method.check_law(law), Err(error));
                assert_eq!(method.solve(&problem).unwrap_err(), error);
            }
        }
    }
}

#[test]
fn the_default_solves_redundant_stacks_of_any_masses() {
    let decades = |sign: i32| (0..7).map(|k| 10_f64.powi(sign * (k - 3))).collect::<Vec<_>>();
    for (masses, push) in
        [(vec![1.0; 6], 0.02), (vec![1.0; 6], 0.3), (decades(1), 0.01), (decades(-1), 0.01)]
    {
        let problem = stack(&masses, 0.5, push, 0.0);
        for law in [Law::Coulomb, Law::MaximumDissipation] {
            certified(&problem.clone().with_law(law), Method::default());
        }
    }
}

#[test]
fn the_default_solves_unsymmetric_problems() {
    let problem = stack(&[1.0; 3], 0.5, 0.02, 2e-3);
    certified(&problem, Method::default());
}

/// A body of 1 kg moves at 1 m/s from one wall toward another, with noise on the entry that couples the walls.
///
/// With `c` times that entry `u₁ = p₁ − c p₂ − 1 ≥ 0` requires `p₁ ≥ 1`, and then
/// `u₁ + c u₂ = (c − 1) − (c² − 1) p₁` is negative if `c > 1`: no impulses prevent the approach to both walls,
/// however small the noise is.
#[test]
fn noise_on_single_entries_can_leave_no_solution() {
    let squeezed = |noise: f64| {
        let mut delassus = DMatrix::identity(6, 6);
        delassus[(0, 3)] = -(1.0 + noise);
        delassus[(3, 0)] = -(1.0 + noise);
        Problem::from_dense(&delassus, &[-1.0, 0.0, 0.0, 1.0, 0.0, 0.0], &[0.0; 2]).unwrap()
    };
    for noise in [0.0, -2e-3] {
        certified(&squeezed(noise), Method::default());
    }
    let solution = Method::default().solve(&squeezed(2e-3)).unwrap();
    assert_ne!(solution.report.status, Status::Solved);
    assert!(solution.impulses.iter().flatten().all(|entry| entry.is_finite()));
}

#[test]
fn full_precision_is_reached_where_masses_allow() {
    for problem in [stack(&[1.0; 5], 0.5, 0.02, 0.0), random_problem(4, 3, 24, 0.4)] {
        for law in [Law::Coulomb, Law::MaximumDissipation] {
            certified(&problem.clone().with_law(law), Method::default().with_tolerance(1e-12));
        }
    }
    let settings = interior_point::Settings { tolerance: 1e-12, ..Default::default() };
    certified(&stack(&[1.0; 5], 0.5, 0.02, 0.0), Method::InteriorPoint(settings));
}

#[cfg(feature = "serde")]
#[test]
fn names_are_the_tags_of_the_file_format() {
    for method in Method::all() {
        let text = serde_json::to_string(&method).unwrap();
        assert!(text.starts_with(&format!("{{\"{}\":", method.name())), "{text}");
        assert_eq!(serde_json::from_str::<Method>(&text).unwrap(), method);
    }
    assert!(serde_json::from_str::<Method>(r#"{"combined":{"tolerence":1}}"#).is_err());
}

#[test]
fn limits_are_statuses_and_bad_settings_errors() {
    let problem = stack(&[1.0; 5], 0.5, 0.02, 0.0);
    let few = |method: Method| match method {
        Method::Combined(s) => Method::Combined(Combined { max_sweeps: 2, ..s }),
        Method::BlockGaussSeidel(s) => {
            Method::BlockGaussSeidel(block_gauss_seidel::Settings { max_sweeps: 2, ..s })
        }
        Method::InteriorPoint(s) => {
            Method::InteriorPoint(interior_point::Settings { max_steps: 2, ..s })
        }
        Method::ProximalNewton(s) => {
            Method::ProximalNewton(proximal_newton::Settings { max_steps: 2, ..s })
        }
        Method::AlternatingDirections(s) => {
            Method::AlternatingDirections(alternating_directions::Settings { max_steps: 2, ..s })
        }
        Method::ProjectedGradient(s) => {
            Method::ProjectedGradient(projected_gradient::Settings { max_steps: 2, ..s })
        }
    };
    for method in Method::all() {
        let solution = few(method).solve(&problem).unwrap();
        assert_eq!(solution.report.status, Status::IterationLimit, "{}", method.name());
        assert_eq!(solution.report.iterations, 2, "{}", method.name());
        let refused = method.with_tolerance(-1.0).solve(&problem).unwrap_err();
        assert!(matches!(refused, Error::Setting { name: "tolerance", .. }), "{refused}");
        let short = method.solve_from(&problem, &mut [Vector3::zeros()]).unwrap_err();
        assert_eq!(short, Error::StartLength { expected: 20, found: 1 });
    }
    let settings = alternating_directions::Settings { penalty: 0.0, ..Default::default() };
    let refused = Method::AlternatingDirections(settings).solve(&problem).unwrap_err();
    assert!(matches!(refused, Error::Setting { name: "penalty", .. }), "{refused}");
    let settings = projected_gradient::Settings { renew_every: 0, ..Default::default() };
    let refused = Method::ProjectedGradient(settings).solve(&problem).unwrap_err();
    assert!(matches!(refused, Error::Setting { name: "renew_every", .. }), "{refused}");
}

/// Sixty stacked boxes, 240 contacts: sweeps alone do not halve the residual in 300.
#[test]
fn the_default_solves_many_contacts_on_which_sweeps_stall() {
    let problem = stack(&[1.0; 60], 0.5, 0.02, 0.0);
    let sweeps = Method::BlockGaussSeidel(block_gauss_seidel::Settings {
        max_sweeps: 3_000,
        memory: 10,
        ..Default::default()
    });
    assert_ne!(sweeps.solve(&problem).unwrap().report.status, Status::Solved);
    certified(&problem, Method::default());
}

/// Two walls that both approach one of a hundred bodies, each on a contact of its own.
#[test]
fn one_infeasible_contact_among_many_is_proven() {
    let n = 120;
    let mut delassus = DMatrix::identity(3 * n, 3 * n);
    delassus[(0, 3)] = -1.0;
    delassus[(3, 0)] = -1.0;
    let mut free = vec![0.0; 3 * n];
    for contact in 0..n {
        free[3 * contact] = -1.0;
    }
    let problem = Problem::from_dense(&delassus, &free, &vec![0.5; n]).unwrap();
    let solution = Method::default().solve(&problem).unwrap();
    assert_eq!(solution.report.status, Status::Infeasible, "{:?}", solution.report);
}

/// A quadruped with servos on three feet and at the limit of a joint, as `percussion run a1.urdf --drive hold --height 0.08` has
/// it at 0.579 s: sweeps, interior points and gradients end at a relative residual of 3e-10 after 60 000 sweeps.
#[cfg(feature = "json")]
#[test]
fn the_default_solves_contacts_that_undo_each_other_to_full_precision() {
    let text = include_str!("robot-on-three-feet.json");
    let problem = text.parse::<crate::friction::document::Document>().unwrap().problem().unwrap();
    certified(&problem, Method::default().with_tolerance(1e-13));
    let helpless = Method::ProjectedGradient(projected_gradient::Settings {
        tolerance: 1e-10,
        ..Default::default()
    });
    assert_ne!(helpless.solve(&problem).unwrap().report.status, Status::Solved);
}

/// Impulses of a step before, in units that make them small in absolute terms, are no answer once nothing moves.
#[test]
fn without_free_velocity_the_start_is_no_answer() {
    let still = [Vector3::zeros()];
    let contact = [single::Contact::new(&Matrix3::identity(), 1.0).unwrap()];
    let push = Vector3::new(5e-13, 0.0, 0.0);
    let judged = |p: &[Vector3<f64>]| {
        Report::of_solution(Law::Coulomb, &contact, p, [p, &still], 1e-8).unwrap()
    };
    assert_eq!(judged(&[push]), None);
    assert!(judged(&still).is_some());
    let problem = Problem::from_dense(&DMatrix::identity(3, 3), &[0.0; 3], &[1.0]).unwrap();
    for method in Method::all() {
        let mut impulses = [push];
        let report = method.solve_from(&problem, &mut impulses).unwrap();
        assert_eq!((report.status, impulses), (Status::Solved, still), "{method:?}");
    }
}

/// More contacts than are factorized densely: sweeps alone end at 1e-6 after 50 000.
#[test]
fn the_default_solves_large_towers_of_very_different_masses() {
    let masses: Vec<f64> = (0..120).map(|k| 10.0_f64.powi(k * 7 % 5)).collect();
    let problem = stack(&masses, 0.5, 0.0, 0.0);
    let solution = Method::default().solve(&problem).unwrap();
    assert_eq!(solution.report.status, Status::Solved, "{:?}", solution.report);
    assert!(solution.report.iterations < 400, "{:?}", solution.report);
}
