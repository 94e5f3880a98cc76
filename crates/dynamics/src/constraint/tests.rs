//! Tests of [`constraint`](super).

#![expect(clippy::float_cmp, reason = "these results are exact")]

use proptest::prelude::*;

use super::*;
use crate::testing::{derivative, fixed_seed, planar_states, plane, space, states, vectors};

fn evaluate(
    constraint: &dyn EqualityConstraint,
    system: &dyn System,
    q: &[f64],
) -> (Vec<f64>, DMatrix<f64>) {
    let rows = constraint.row_count(system);
    let mut value = vec![f64::NAN; rows];
    // One row above and one below, which must stay as they are.
    let mut jacobian = DMatrix::from_element(rows + 2, system.velocity_count(), 7.0);
    constraint.evaluate(system, q, &mut value, &mut jacobian, 1);
    assert!(jacobian.row(0).iter().chain(jacobian.row(rows + 1).iter()).all(|c| *c == 7.0));
    (value, jacobian.rows(1, rows).clone_owned())
}

/// Largest difference between `G v` and the derivative of `φ`.
fn defect(constraint: &dyn EqualityConstraint, system: &dyn System, q: &[f64], v: &[f64]) -> f64 {
    let rate = evaluate(constraint, system, q).1 * nalgebra::DVector::from_column_slice(v);
    let by_differences =
        |k: usize| derivative(system, q, v, |q| evaluate(constraint, system, q).0[k]);
    rate.iter().enumerate().map(|(k, rate)| (rate - by_differences(k)).abs()).fold(0.0, f64::max)
}

#[test]
fn points_that_cannot_move_apart_are_refused() {
    let point = Anchor::on_body(1, Vector3::x());
    let world = Anchor::in_world(Vector3::x());
    assert_eq!(BallJoint::new(point, point).unwrap_err(), Error::SameBody);
    assert_eq!(BallJoint::new(world, world).unwrap_err(), Error::SameBody);
    assert_eq!(Distance::new(point, point, 1.0).unwrap_err(), Error::SameBody);
}

#[test]
fn lengths_that_are_not_positive_are_refused() {
    let (point, world) = (Anchor::on_body(1, Vector3::x()), Anchor::in_world(Vector3::x()));
    for value in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(Distance::new(point, world, value).unwrap_err(), Error::Length { value });
    }
    assert!(matches!(Distance::new(point, world, f64::NAN), Err(Error::Length { .. })));
}

#[test]
fn bodies_that_do_not_exist_are_refused() {
    let (point, world) = (Anchor::on_body(2, Vector3::x()), Anchor::in_world(Vector3::x()));
    let expected = Err(Error::Anchor(anchor::Error::Body { body: 2, count: 2 }));
    assert_eq!(BallJoint::new(point, world).unwrap().check(&space()), expected);
    assert_eq!(Distance::new(world, point, 1.0).unwrap().check(&plane()), expected);
    let nan = Anchor::on_body(0, Vector3::new(f64::NAN, 0.0, 0.0));
    let refused = BallJoint::new(nan, world).unwrap().check(&space());
    assert!(matches!(refused, Err(Error::Anchor(anchor::Error::NotFinite { .. }))), "{refused:?}");
}

#[test]
fn coincident_points_still_give_a_finite_row() {
    let distance = Distance::new(
        Anchor::on_body(0, Vector3::zeros()),
        Anchor::in_world(Vector3::zeros()),
        1.0,
    );
    let (value, row) = evaluate(&distance.unwrap(), &plane(), &[0.0; 6]);
    assert_eq!(value, [-1.0]);
    assert_eq!(row.as_slice(), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn ball_joint_rows_are_the_gradient((q, v) in states(), a in vectors(), b in vectors()) {
        let pair = BallJoint::new(Anchor::on_body(0, a), Anchor::on_body(1, b)).unwrap();
        let hook = BallJoint::new(Anchor::in_world(a), Anchor::on_body(1, b)).unwrap();
        // Derivatives of positions on arms below 2 m are of size one.
        prop_assert!(defect(&pair, &space(), &q, &v) < 1e-9);
        prop_assert!(defect(&hook, &space(), &q, &v) < 1e-9);
    }

    #[test]
    fn planar_rows_are_the_gradient((q, v) in planar_states(), x in -1.0..1.0, y in -1.0..1.0) {
        let (a, b) = (Vector3::new(x, y, 0.0), Vector3::new(3.0 + y, x, 0.0));
        let joint = BallJoint::new(Anchor::on_body(0, a), Anchor::on_body(1, b)).unwrap();
        prop_assert!(defect(&joint, &plane(), &q, &v) < 1e-9);
        let rod = Distance::new(Anchor::on_body(0, a), Anchor::in_world(b * 2.0), 1.0).unwrap();
        prop_assert!(defect(&rod, &plane(), &q, &v) < 1e-8);
    }

    #[test]
    fn distance_rows_are_the_gradient((q, v) in states(), a in vectors(), b in vectors()) {
        let (point, other) = (Anchor::on_body(0, a), Anchor::on_body(1, b));
        let system = space();
        let apart = (point.position(&system, &q) - other.position(&system, &q)).norm();
        // Third derivatives of a distance grow as its inverse square: below 100 here.
        prop_assume!(apart > 0.5);
        let rod = Distance::new(point, other, 0.7).unwrap();
        prop_assert!(defect(&rod, &system, &q, &v) < 1e-8);
        prop_assert!((evaluate(&rod, &system, &q).0[0] - (apart - 0.7)).abs() < 1e-15);
    }
}
