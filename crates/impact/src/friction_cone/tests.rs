//! Cones against their definition by brute force, jams and their proofs, and what must not matter.

#![expect(clippy::float_cmp, reason = "these results are exact")]

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use proptest::prelude::*;

use super::*;
use crate::{
    Contact, Mass, Problem, certificate::Certificate, directions::direction, outcome::Trace,
};

fn pointed(problem: &Problem) -> Pointed {
    match analyze(problem, &Settings::default()).unwrap() {
        FrictionCone::Pointed(pointed) => pointed,
        other => panic!("expected a pointed cone, found {other:?}"),
    }
}

fn jammed(problem: &Problem) -> Jam {
    match analyze(problem, &Settings::default()).unwrap() {
        FrictionCone::Jammed(jam) => jam,
        other => panic!("expected a jam, found {other:?}"),
    }
}

/// A body in the plane of 2 kg and 0.3 kg m² with contacts at `(x, y)`, normals at an angle.
fn planar(contacts: &[(f64, f64, f64)], friction: f64) -> Problem {
    let contacts = contacts.iter().map(|&(x, y, angle)| {
        let (sin, cos) = angle.sin_cos();
        Contact::new(dvector![cos, sin, x * sin - y * cos])
            .with_friction(friction, vec![dvector![-sin, cos, x * cos + y * sin]])
    });
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![2.0, 2.0, 0.3]));
    Problem::new(mass, DVector::zeros(3), contacts.collect()).unwrap()
}

const WALLS: [(f64, f64, f64); 4] = [
    (-0.5, -0.5, 0.0),
    (-0.5, 0.5, 0.0),
    (0.5, -0.5, std::f64::consts::PI),
    (0.5, 0.5, std::f64::consts::PI),
];

/// The least norm of `M^½ M⁻¹ Jᵀ a` over convex combinations of the edges `a`, by trying all sets of
/// edges: the nearest point of the affine hull of one of them is the nearest of the convex hull. By
/// the theorem of minimax it is the largest `c`.
fn largest_constant(problem: &Problem, directions: usize) -> f64 {
    let mut edges = Vec::new();
    for (k, contact) in problem.contacts().iter().enumerate() {
        let count = [1, 2, directions][contact.tangents.len()];
        for j in 0..count {
            let mut edge = DVector::zeros(problem.contact_jacobian().nrows());
            let first = problem.rows(k).start;
            edge[first] = 1.0;
            let direction = direction(j, count);
            for t in 0..contact.tangents.len() {
                edge[first + 1 + t] = contact.friction * direction[t];
            }
            edges.push(edge);
        }
    }
    let edges = DMatrix::from_columns(&edges);
    let gram = edges.tr_mul(&(problem.delassus() * &edges));
    let mut least = f64::INFINITY;
    for set in 1_usize..1 << gram.nrows() {
        let members: Vec<_> = (0..gram.nrows()).filter(|j| set >> j & 1 == 1).collect();
        let n = members.len();
        // Stationary points of ½ xᵀGx with the sum 1.
        let mut system = DMatrix::from_element(n + 1, n + 1, 1.0);
        for (i, &a) in members.iter().enumerate() {
            for (j, &b) in members.iter().enumerate() {
                system[(i, j)] = gram[(a, b)];
            }
        }
        system[(n, n)] = 0.0;
        let mut right = DVector::zeros(n + 1);
        right[n] = 1.0;
        if let Some(solution) = system.full_piv_lu().solve(&right)
            && solution.rows(0, n).min() >= -1e-12
            && solution.iter().all(|x| x.is_finite())
        {
            // At a stationary point every edge has the product xᵀGx with the sum.
            least = least.min(-solution[n]);
        }
    }
    least.max(0.0).sqrt()
}

#[test]
fn a_box_between_two_walls_jams() {
    for friction in [1e-3, 0.5, 1.0, 1e5] {
        let box_between = planar(&WALLS, friction);
        let jam = jammed(&box_between);
        assert!(jam.resultant(&box_between) < 1e-14, "{friction}: {jam:?}");

        // The certificate of all laws agrees: impulses act and nothing moves.
        let rest = box_between.with_velocity(DVector::zeros(3)).unwrap();
        let outcome = rest.outcome(&jam.impulse, Trace::resolved(vec![]));
        let certificate = Certificate::check(&rest, &outcome).unwrap();
        assert!(certificate.energy_after < 1e-26 * friction.max(1.0), "{certificate:?}");
        assert_eq!(certificate.adhesion, 0.0);
        assert!(certificate.cone_violation < 1e-15 * friction.max(1.0), "{certificate:?}");
    }
}

#[test]
fn a_box_in_a_corner_does_not_jam_until_friction_meets() {
    // A floor below and a wall to the right push at one point, with normals at right angles.
    let corner = |friction| {
        planar(
            &[(0.0, 0.0, std::f64::consts::FRAC_PI_2), (0.0, 0.0, std::f64::consts::PI)],
            friction,
        )
    };
    // Half the opening angle of both cones together, 45° + atan μ, is 90° for μ = 1.
    let angle = |friction: f64| std::f64::consts::FRAC_PI_4 + friction.atan();
    for friction in [0.0, 0.3, 0.9, 0.999] {
        let found = pointed(&corner(friction)).constant;
        // The nearest points of the edges lie on the line between the two outer ones.
        let expected = angle(friction).cos() / friction.atan().cos() / 2.0_f64.sqrt();
        assert!((found / expected - 1.0).abs() < 2e-6, "{friction}: {found} {expected}");
    }
    for friction in [1.001, 2.0, 1e5] {
        assert!(jammed(&corner(friction)).resultant(&corner(friction)) < 1e-14);
    }
}

#[test]
fn frictionless_walls_jam_only_face_to_face() {
    assert!(jammed(&planar(&WALLS, 0.0)).resultant(&planar(&WALLS, 0.0)) < 1e-15);
    let staggered = planar(&[(-0.5, 0.5, 0.0), (0.5, -0.5, std::f64::consts::PI)], 0.0);
    assert!(pointed(&staggered).constant > 0.0);
}

#[test]
fn contacts_that_the_joints_hold_jam() {
    // A slider in a vertical guide is pressed on a vertical wall: the guide takes every impulse.
    let wall = Contact::new(dvector![1.0, 0.0]);
    let mass = Mass::Matrix(dmatrix![3.0, 0.0; 0.0, 3.0]);
    let guide = dmatrix![1.0, 0.0];
    let slider =
        Problem::with_joints(mass, dvector![0.0, -1.0], vec![wall.clone()], guide.clone()).unwrap();
    let jam = jammed(&slider);
    assert_eq!(jam.impulse, dvector![1.0]);
    assert_eq!(jam.resultant(&slider), 0.0);

    // With friction up and down along the wall these two cancel; a ground below lifts.
    let mass = Mass::Matrix(dmatrix![3.0, 0.0; 0.0, 3.0]);
    let rough = wall.with_friction(0.5, vec![dvector![0.0, 1.0]]);
    let slider =
        Problem::with_joints(mass, dvector![0.0, -1.0], vec![rough], guide.clone()).unwrap();
    assert!(jammed(&slider).resultant(&slider) < 1e-15);

    let mass = Mass::Matrix(dmatrix![3.0, 0.0; 0.0, 3.0]);
    let ground = Contact::new(dvector![0.0, 1.0]).with_friction(0.5, vec![dvector![1.0, 0.0]]);
    let slider = Problem::with_joints(mass, dvector![0.0, -1.0], vec![ground], guide).unwrap();
    assert!((pointed(&slider).constant - 1.0 / 3.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn no_contact_is_pointed_without_end() {
    assert_eq!(pointed(&planar(&[], 1.0)).constant, f64::INFINITY);
}

#[test]
fn a_contact_without_a_row_jams_alone() {
    let empty = Contact::new(dvector![0.0]);
    let problem = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![0.0], vec![empty]).unwrap();
    assert_eq!(jammed(&problem).resultant(&problem), 0.0);
}

#[test]
fn great_friction_leaves_the_normal_push() {
    // Sliding and turning are coupled only off the center; below the center c = 1/√m whatever μ.
    let mass = Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 4.0]);
    let ground = Contact::new(dvector![0.0, 1.0]).with_friction(1e5, vec![dvector![1.0, 0.0]]);
    let found = pointed(&Problem::new(mass, dvector![0.0, 0.0], vec![ground; 3]).unwrap());
    assert!((found.constant - 0.5).abs() < 1e-6, "{found:?}");
    assert!(found.constant_bound - found.constant <= 1e-6);

    let feet = planar(&[(-0.5, -1.0, 1.5), (0.5, -1.0, 1.6)], 1e5);
    match analyze(&feet, &Settings::default()).unwrap() {
        FrictionCone::Jammed(jam) => assert!(jam.resultant(&feet) < 1e-13),
        FrictionCone::Pointed(pointed) => assert!(pointed.constant > 0.0),
        FrictionCone::Undecided { .. } => panic!("a cone with μ = 1e5 must be decided"),
    }
}

/// A ball of 1 kg on a ground in space, sliding and turning coupled.
fn ball(friction: f64) -> Problem {
    let ground = Contact::new(dvector![0.3, -0.2, 1.0, 0.1, 0.0]).with_friction(
        friction,
        vec![dvector![1.0, 0.0, 0.0, 1.0, 0.2], dvector![0.0, 1.0, 0.0, 0.3, 1.0]],
    );
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 1.0, 0.4, 0.4]));
    Problem::new(mass, DVector::zeros(5), vec![ground]).unwrap()
}

#[test]
fn pyramids_approach_the_disk_from_inside() {
    let ball = ball(0.6);
    let constant = |directions| {
        let settings = Settings { directions, ..Settings::default() };
        match analyze(&ball, &settings).unwrap() {
            FrictionCone::Pointed(pointed) => pointed,
            other => panic!("{other:?}"),
        }
    };
    let mut last = f64::INFINITY;
    for directions in [4, 8, 16, 32, 64] {
        let found = constant(directions);
        let expected =
            if directions <= 16 { largest_constant(&ball, directions.min(8)) } else { 0.0 };
        if directions <= 8 {
            assert!((found.constant / expected - 1.0).abs() < 2e-6, "{directions}: {found:?}");
        }
        assert!(found.constant <= last * (1.0 + 2e-6), "more percussions allow less");
        assert!(found.disk_constant <= found.constant);
        last = found.constant;
    }
    let fine = constant(64);
    assert!(
        fine.constant - fine.disk_constant
            < 0.6 * (1.0 - (std::f64::consts::PI / 64.0).cos()) * 2.0
    );
}

#[test]
fn wrong_settings_are_refused_by_name() {
    let ball = ball(0.5);
    for (settings, expected) in [
        (Settings { directions: 5, ..Settings::default() }, "`directions` is 5, expected an even"),
        (Settings { gap: 1.0, ..Settings::default() }, "`gap` is 1, expected a number in [0, 1)"),
        (Settings { gap: f64::NAN, ..Settings::default() }, "`gap` is NaN"),
        (Settings { programs: 0, ..Settings::default() }, "`programs` is 0, expected at least 1"),
    ] {
        let message = analyze(&ball, &settings).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let error = analyze(&self::ball(f64::MAX), &Settings::default()).unwrap_err();
    assert_eq!(error, Error::Overflow { contact: 0 });
}

#[test]
fn a_false_jam_is_recognized() {
    let walls = planar(&WALLS, 0.5);
    let jam = |impulse| Jam { impulse }.resultant(&walls);
    assert_eq!(jam(DVector::zeros(8)), f64::INFINITY);
    assert_eq!(jam(dvector![-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0]), f64::INFINITY);
    assert_eq!(jam(dvector![1.0, 0.6, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), f64::INFINITY);
    assert!(jam(dvector![1.0, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0]) > 0.01);
    assert!(jam(dvector![1.0]).is_nan());
}

prop_compose! {
    /// Up to 7 edges of contacts of all kinds on up to 4 velocities.
    fn cones()(velocities in 2_usize..5)(
        kinds in prop::collection::vec(0_usize..2, 1..4),
        entries in prop::collection::vec(-1.0..1.0, 64),
        friction in prop::collection::vec(0.01..2.0, 4),
        n in Just(velocities),
    ) -> Problem {
        let mut entries = entries.into_iter().map(|x: f64| (x * 64.0).round() / 64.0);
        let mut row = |n: usize| DVector::from_fn(n, |_, _| entries.next().unwrap_or(0.5));
        let factor = DMatrix::from_columns(&(0..n).map(|_| row(n)).collect::<Vec<_>>());
        let mass = Mass::Matrix(&factor * factor.transpose() + DMatrix::identity(n, n));
        let contacts = kinds.iter().zip(&friction).map(|(&tangents, &friction)| {
            let normal = row(n);
            Contact::new(normal).with_friction(friction, (0..tangents).map(|_| row(n)).collect())
        });
        let contacts = contacts.collect();
        Problem::new(mass, DVector::zeros(n), contacts).unwrap()
    }
}

/// `problem` with other coordinates `v = T v'`, other units of mass, other order and other signs.
fn disguised(problem: &Problem, transform: &DMatrix<f64>, mass: f64) -> Problem {
    let n = problem.dimension();
    let matrix = DMatrix::from_fn(n, n, |i, j| {
        let unit = |k| DVector::from_fn(n, |row, _| if row == k { 1.0 } else { 0.0 });
        mass * problem.momentum(&unit(j))[i]
    });
    let row = |row: &DVector<f64>| transform.tr_mul(row);
    let contacts = problem.contacts().iter().rev().map(|contact| {
        let tangents = contact.tangents.iter().map(|tangent| -row(tangent)).collect();
        Contact::new(row(&contact.normal)).with_friction(contact.friction, tangents)
    });
    let contacts: Vec<_> = contacts.collect();
    let matrix = Mass::Matrix(transform.tr_mul(&matrix) * transform);
    // Every contact twice.
    Problem::new(matrix, DVector::zeros(n), [contacts.clone(), contacts].concat()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_constant_is_the_distance_of_the_edges_from_zero(problem in cones()) {
        let expected = largest_constant(&problem, 8);
        match analyze(&problem, &Settings::default()).unwrap() {
            FrictionCone::Pointed(found) => {
                prop_assert!(found.constant <= expected * (1.0 + 1e-9) + 1e-9);
                prop_assert!(found.constant >= expected * (1.0 - 2e-6) - 1e-9, "{found:?} {expected}");
                prop_assert!(found.constant_bound >= found.constant);
                prop_assert!((2.0 * problem.kinetic_energy(&found.direction) - 1.0).abs() < 1e-12);
            }
            FrictionCone::Jammed(jam) => {
                prop_assert!(expected < 1e-6, "{expected}");
                prop_assert!(jam.resultant(&problem) < 1e-12);
            }
            FrictionCone::Undecided { .. } => prop_assert!(expected < 1e-6, "{expected}"),
        }
    }

    #[test]
    fn units_coordinates_order_signs_and_copies_do_not_matter(
        problem in cones(), entries in prop::collection::vec(-0.3..0.3, 16),
    ) {
        let n = problem.dimension();
        let mut transform = DMatrix::from_fn(n, n, |i, j| entries[4 * i + j]) + DMatrix::identity(n, n);
        transform.column_mut(0).scale_mut(1e3);
        let twin = disguised(&problem, &transform, 1e4);
        match (analyze(&problem, &Settings::default()), analyze(&twin, &Settings::default())) {
            (Ok(FrictionCone::Pointed(here)), Ok(FrictionCone::Pointed(there))) => {
                prop_assert!((there.constant * 1e2 / here.constant - 1.0).abs() < 3e-6);
            }
            (Ok(FrictionCone::Jammed(_)), Ok(FrictionCone::Jammed(_))) => {}
            (here, there) => prop_assert!(false, "{here:?} {there:?}"),
        }
    }
}
