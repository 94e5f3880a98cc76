//! Tests of [`constraint`](super).

#![expect(clippy::float_cmp, reason = "these results are exact")]

use nalgebra::Isometry3;
use proptest::prelude::*;

use super::{
    curve::{Circle, Curve, LevelSet, Line},
    *,
};
use crate::{
    Articulated, Joint, Link, MassProperties,
    free_bodies::pose_coordinates,
    gap::Plane,
    system::point_bias_by_differences,
    testing::{
        derivative, directions, dot, fixed_seed, planar_states, plane, poses, quaternions, space,
        states, vectors,
    },
};

fn evaluate(
    constraint: &dyn EqualityConstraint,
    system: &dyn System,
    q: &[f64],
) -> (Vec<f64>, DMatrix<f64>) {
    let rows = constraint.row_count(system);
    let mut value = vec![f64::NAN; rows];
    // One row above and one below, which must not change.
    let mut jacobian = DMatrix::from_element(rows + 2, system.velocity_count(), 7.0);
    constraint.evaluate(system, q, &mut value, &mut jacobian, 1);
    assert!(jacobian.row(0).iter().chain(jacobian.row(rows + 1).iter()).all(|c| *c == 7.0));
    (value, jacobian.rows(1, rows).clone_owned())
}

/// Largest difference between `G v` and the derivative of `φ`.
fn defect(constraint: &dyn EqualityConstraint, system: &dyn System, q: &[f64], v: &[f64]) -> f64 {
    let rate = evaluate(constraint, system, q).1 * DVector::from_column_slice(v);
    let by_differences =
        |k: usize| derivative(system, q, v, |q| evaluate(constraint, system, q).0[k]);
    rate.iter().enumerate().map(|(k, rate)| (rate - by_differences(k)).abs()).fold(0.0, f64::max)
}

/// Largest difference between `γ` and the derivative of `G v`, for the closed form and the default.
fn bias_defect(
    constraint: &dyn EqualityConstraint,
    system: &dyn System,
    q: &[f64],
    v: &[f64],
) -> f64 {
    let mut closed = vec![f64::NAN; constraint.row_count(system)];
    let mut by_default = closed.clone();
    constraint.bias(system, q, v, &mut closed);
    ByDefault(constraint).bias(system, q, v, &mut by_default);
    let along = |k: usize| {
        let rate = |q: &[f64]| {
            let row: Vec<f64> = evaluate(constraint, system, q).1.row(k).iter().copied().collect();
            dot(&row, v)
        };
        let difference = derivative(system, q, v, rate);
        (closed[k] - difference).abs().max((by_default[k] - closed[k]).abs())
    };
    (0..closed.len()).map(along).fold(0.0, f64::max)
}

/// A constraint without a closed form of the bias.
#[derive(Debug)]
struct ByDefault<'a>(&'a dyn EqualityConstraint);

impl EqualityConstraint for ByDefault<'_> {
    fn row_count(&self, system: &dyn System) -> usize {
        self.0.row_count(system)
    }

    fn evaluate(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    ) {
        self.0.evaluate(system, coordinates, value, jacobian, first_row);
    }
}

/// The parabola `y = x²`, implemented by a user; in space a sheet along `z`.
#[derive(Debug)]
struct Parabola;

impl Curve for Parabola {
    fn equation_count(&self, _dimension: Dimension) -> usize {
        1
    }

    fn equation(&self, _index: usize, point: &Vector3<f64>) -> LevelSet {
        let mut hessian = nalgebra::Matrix3::zeros();
        hessian[(0, 0)] = -2.0;
        LevelSet {
            value: point.y - point.x * point.x,
            gradient: Vector3::new(-2.0 * point.x, 1.0, 0.0),
            hessian,
        }
    }
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
    let expected = Err(Error::Anchor(AnchorError::Body { body: 2, count: 2 }));
    assert_eq!(BallJoint::new(point, world).unwrap().check(&space()), expected);
    assert_eq!(Distance::new(world, point, 1.0).unwrap().check(&plane()), expected);
    let nan = Anchor::on_body(0, Vector3::new(f64::NAN, 0.0, 0.0));
    let refused = BallJoint::new(nan, world).unwrap().check(&space());
    assert!(matches!(refused, Err(Error::Anchor(AnchorError::NotFinite { .. }))), "{refused:?}");
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

#[test]
fn wheels_without_radius_axis_or_body_are_refused() {
    let road = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let center = Anchor::on_body(0, Vector3::zeros());
    assert_eq!(Rolling::ball(center, 0.0, road).unwrap_err(), Error::Length { value: 0.0 });
    assert_eq!(
        Rolling::ball(Anchor::in_world(Vector3::x()), 1.0, road).unwrap_err(),
        Error::SameBody
    );
    let zero = Rolling::disc(center, &Vector3::zeros(), 1.0, road).unwrap_err();
    assert_eq!(zero, Error::Direction { field: "axis of a disc", value: Vector3::zeros() });
    let leaning = Rolling::disc(center, &Vector3::x(), 1.0, road).unwrap().check(&plane());
    assert!(matches!(leaning, Err(Error::OutOfPlane { .. })), "{leaning:?}");
    let sloping = Plane::new(&Vector3::new(0.0, 1.0, 1.0), &Vector3::zeros()).unwrap();
    let sloping = Rolling::ball(center, 1.0, sloping).unwrap().check(&plane());
    assert!(matches!(sloping, Err(Error::OutOfPlane { .. })), "{sloping:?}");
}

#[test]
fn a_weld_is_satisfied_only_where_the_frames_agree() {
    let here = Frame::in_world(Isometry3::identity());
    let weld = Weld::new(Frame::on_body(0, Isometry3::identity()), here).unwrap();
    for (turns, expected) in [(0.0, 0.0), (0.5, 2.0), (1.0, 0.0)] {
        let angle = std::f64::consts::TAU * turns;
        let (value, _) = evaluate(&weld, &plane(), &[0.0, 0.0, angle, 0.0, 0.0, 0.0]);
        assert!((value[2].abs() - expected).abs() < 1e-15, "{turns} turns: {value:?}");
    }
}

#[test]
fn a_flat_disc_still_gives_finite_rows() {
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let coin = Rolling::disc(Anchor::on_body(0, Vector3::zeros()), &Vector3::z(), 1.0, floor);
    let coin = coin.unwrap();
    let mut q = vec![0.0; 14];
    (q[3], q[10]) = (1.0, 1.0);
    let (_, rows) = evaluate(&coin, &space(), &q);
    let mut bias = [f64::NAN; 3];
    coin.bias(&space(), &q, &[1.0; 12], &mut bias);
    assert!(rows.iter().chain(&bias).all(|entry| entry.is_finite()));
}

/// The bound that [`System::point_bias`] states, for arms below 4 m.
fn difference_bound(v: &[f64]) -> f64 {
    4e-12 * (1.0 + v.iter().map(|v| v.abs()).sum::<f64>()).powi(2)
}

/// Bound for central differences of `G v`, whose third derivatives are sums of some ten products of
/// unit velocities with arms below 4 m: `h²/6 · 40 + eps/h · 10 < 1.2e-9`.
const BIAS_DEFECT: f64 = 1.5e-9;

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn welds_and_hinges_are_consistent((q, v) in states(), a in poses(), b in poses()) {
        let system = space();
        let (first, second) = (Frame::on_body(0, a), Frame::on_body(1, b));
        let weld = Weld::new(first, second).unwrap();
        // At a half turn the sign of the quaternion jumps.
        let half_turn = weld.turn(&system, &q).w < 1e-3;
        prop_assume!(!half_turn);
        let hinges = [(first, second), (Frame::in_world(a), second)]
            .map(|(first, second)| Hinge::new(first, second).unwrap());
        for constraint in [&weld as &dyn EqualityConstraint, &hinges[0], &hinges[1]] {
            prop_assert!(defect(constraint, &system, &q, &v) < 1e-9);
            prop_assert!(bias_defect(constraint, &system, &q, &v) < BIAS_DEFECT);
        }
    }

    #[test]
    fn planar_welds_and_hinges_are_consistent(
        (q, v) in planar_states(), x in -1.0..1.0, y in -1.0..1.0, turn in -1.0..1.0,
    ) {
        let frame = Isometry3::new(Vector3::new(x, y, 0.0), Vector3::z() * turn);
        let (first, second) = (Frame::on_body(0, frame), Frame::on_body(1, frame.inverse()));
        let (weld, hinge) = (Weld::new(first, second).unwrap(), Hinge::new(second, first).unwrap());
        for constraint in [&weld as &dyn EqualityConstraint, &hinge] {
            prop_assert_eq!(constraint.check(&plane()), Ok(()));
            prop_assert!(defect(constraint, &plane(), &q, &v) < 1e-9);
            prop_assert!(bias_defect(constraint, &plane(), &q, &v) < BIAS_DEFECT);
        }
    }

    #[test]
    fn points_on_curves_are_consistent((q, v) in states(), a in vectors(), b in poses()) {
        let system = space();
        let (point, carrier) = (Anchor::on_body(0, a), Frame::on_body(1, b));
        let local = carrier.pose(&system, &q).inverse() * nalgebra::Point3::from(point.position(&system, &q));
        let line = PointOnCurve::new(point, carrier, Line).unwrap();
        let circle = PointOnCurve::new(point, carrier, Circle::new(0.7).unwrap()).unwrap();
        let parabola = PointOnCurve::new(point, carrier, Parabola).unwrap();
        // Derivatives of a distance grow as its inverse powers.
        let constraints: &[&dyn EqualityConstraint] =
            if local.xy().coords.norm() > 0.5 { &[&line, &parabola, &circle] } else { &[&line, &parabola] };
        for constraint in constraints {
            prop_assert!(defect(*constraint, &system, &q, &v) < 1e-8);
            prop_assert!(bias_defect(*constraint, &system, &q, &v) < 10.0 * BIAS_DEFECT);
        }
    }

    #[test]
    fn ball_joints_and_distances_have_the_right_bias((q, v) in states(), a in vectors(), b in vectors()) {
        let system = space();
        let (point, other) = (Anchor::on_body(0, a), Anchor::on_body(1, b));
        let apart = (point.position(&system, &q) - other.position(&system, &q)).norm();
        prop_assume!(apart > 0.5);
        let (joint, rod) = (BallJoint::new(point, other).unwrap(), Distance::new(point, other, 0.7).unwrap());
        prop_assert!(bias_defect(&joint, &system, &q, &v) < BIAS_DEFECT);
        prop_assert!(bias_defect(&rod, &system, &q, &v) < 10.0 * BIAS_DEFECT);
    }

    #[test]
    fn rolling_has_a_holonomic_normal_and_the_right_bias(
        (q, v) in states(), normal in directions(), axis in directions(), center in vectors(),
    ) {
        let (system, center) = (space(), Anchor::on_body(0, center));
        let plane = Plane::new(&normal, &Vector3::zeros()).unwrap();
        let world_axis = system.pose(&q, 0).rotation * axis;
        // Derivatives of the lowest point grow as the disc becomes flat.
        prop_assume!(world_axis.dot(&normal).abs() < 0.8);
        let ball = Rolling::ball(center, 0.5, plane).unwrap();
        let disc = Rolling::disc(center, &axis, 0.5, plane).unwrap();
        for constraint in [&ball as &dyn EqualityConstraint, &disc] {
            prop_assert_eq!(constraint.holonomic_count(&system), 1);
            let rate = evaluate(constraint, &system, &q).1 * DVector::from_column_slice(&v);
            let gap = |q: &[f64]| evaluate(constraint, &system, q).0[0];
            prop_assert!((rate[0] - derivative(&system, &q, &v, gap)).abs() < 1e-9);
            prop_assert!(bias_defect(constraint, &system, &q, &v) < 10.0 * BIAS_DEFECT);
        }
    }

    #[test]
    fn the_default_velocity_product_agrees_with_the_closed_form(
        (q, v) in states(),
        point in vectors(),
    ) {
        let v: Vec<f64> = v.iter().map(|v| 10.0 * v).collect();
        let closed = space().point_bias(&q, &v, 1, &point);
        let by_differences = point_bias_by_differences(&space(), &q, &v, 1, &point);
        prop_assert!((closed - by_differences).amax() < difference_bound(&v));
    }

    #[test]
    fn the_default_velocity_product_in_the_plane_agrees_with_the_closed_form(
        (q, v) in planar_states(),
        (x, y) in (-1.0..1.0, -1.0..1.0),
    ) {
        let point = Vector3::new(x, y, 0.0);
        let closed = plane().point_bias(&q, &v, 1, &point);
        let by_differences = point_bias_by_differences(&plane(), &q, &v, 1, &point);
        prop_assert!((closed - by_differences).amax() < difference_bound(&v));
    }
    /// A free trunk, a ball joint and a hinge: the closed form of the tree against differences.
    #[test]
    fn the_velocity_product_of_a_tree_agrees_with_differences(
        (pose, turn, angle) in (poses(), quaternions(), -1.0..1.0),
        v in prop::array::uniform10(-1.0..1.0),
        point in vectors(),
    ) {
        let body = MassProperties::solid_box(1.0, &Vector3::new(0.3, 0.2, 0.1)).unwrap();
        let placed = |name: &str, joint| {
            let link = Link::new(name, joint).with_mass(body);
            link.at(Isometry3::new(Vector3::new(0.5, -0.2, 0.3), Vector3::new(0.4, 0.5, -0.6)))
        };
        let links = vec![
            placed("trunk", Joint::free()),
            placed("arm", Joint::spherical()).on("trunk"),
            placed("hand", Joint::revolute(Vector3::new(1.0, 2.0, -1.0))).on("arm"),
        ];
        let system = Articulated::new(links, Vector3::zeros()).unwrap();
        let mut q = pose_coordinates(&pose).to_vec();
        q.extend(turn);
        q.push(angle);
        let closed = system.point_bias(&q, &v, 2, &point);
        let by_differences = point_bias_by_differences(&system, &q, &v, 2, &point);
        prop_assert!((closed - by_differences).amax() < difference_bound(&v));
    }
}
