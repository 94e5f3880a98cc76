//! Tests of [`set`](super).

use nalgebra::{Isometry3, Vector2, Vector3};
use proptest::prelude::*;

use super::*;
use crate::{
    Anchor, Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody,
    constraint::{BallJoint, Distance, Frame, Rolling, Weld},
    gap::Plane,
    testing::{fixed_seed, mass_matrix, space, states, vectors},
};

fn body() -> PlanarBodies {
    PlanarBodies::new(vec![PlanarBody::new(2.0, 0.5)], Vector2::new(0.0, -10.0)).unwrap()
}

fn pin(x: f64) -> Box<dyn EqualityConstraint> {
    let point = Vector3::new(x, 0.0, 0.0);
    Box::new(BallJoint::new(Anchor::on_body(0, point), Anchor::in_world(point)).unwrap())
}

#[test]
fn bad_input_is_refused() {
    let system = body();
    let elsewhere =
        BallJoint::new(Anchor::on_body(1, Vector3::zeros()), Anchor::in_world(Vector3::zeros()));
    let refused = ConstraintSet::new(&system, vec![pin(0.0), Box::new(elsewhere.unwrap())]);
    assert!(matches!(refused, Err(Error::Constraint { constraint: 1, .. })), "{refused:?}");

    let set = ConstraintSet::new(&system, vec![pin(0.0)]).unwrap();
    let settings = Settings::default();
    let mut q = [0.0, f64::NAN, 0.0];
    assert!(matches!(set.linearize(&system, &q, &settings), Err(Error::Coordinates(_))));
    let refused = set.project_position(&system, &mut q, &settings);
    assert!(matches!(refused, Err(Error::Coordinates(_))), "{refused:?}");
    let negative = Settings { position_tolerance: -1.0, ..settings };
    let refused = set.project_position(&system, &mut [0.0; 3], &negative);
    assert!(matches!(refused, Err(Error::Setting { field: "position_tolerance", .. })));
    let at = set.linearize(&system, &[0.0; 3], &settings).unwrap();
    let refused = at.acceleration(&[0.0, f64::INFINITY, 0.0], 0.0).unwrap_err();
    assert_eq!(refused, Error::Velocity { expected: 3, length: 3, found: 2 });
    assert!(at.project_velocity(&mut [0.0; 2]).is_err());
}

#[test]
fn an_empty_set_leaves_the_motion_free() {
    let (system, set) = (body(), ConstraintSet::default());
    let at = set.linearize(&system, &[0.0; 3], &Settings::default()).unwrap();
    let free = at.acceleration(&[0.0; 3], 0.0).unwrap();
    assert_eq!((at.rank(), at.mobility(), free.multipliers.len()), (0, 3, 0));
    assert!((free.acceleration - DVector::from_vec(vec![0.0, -10.0, 0.0])).amax() < 1e-15);
}

/// `G M⁻¹ Gᵀ` for two pins of one body has rank 3 of 4: the distance of the pins is fixed twice.
#[test]
fn two_pins_of_a_body_are_once_redundant() {
    let (system, set) = (body(), ConstraintSet::new(&body(), vec![pin(-1.0), pin(1.0)]).unwrap());
    let at = set.linearize(&system, &[0.0; 3], &Settings::default()).unwrap();
    assert_eq!((at.rank(), at.redundancy(), at.mobility()), (3, 1, 0));
    let held = at.acceleration(&[0.0; 3], 0.0).unwrap();
    // Each pin carries half of 20 N, without horizontal forces: that is the smallest norm.
    let expected = DVector::from_vec(vec![0.0, 10.0, 0.0, 10.0]);
    assert!((held.multipliers - expected).amax() < 1e-13);
    assert!(held.acceleration.amax() < 1e-13 && held.residual < 1e-13);
    assert_eq!(set.rows(1), Some(2..4));
}

/// A rod hit by its pin: `I_pin = I + m d² = 0.5 + 2 = 2.5`, and the impulse at the pin removes the component of the
/// motion that the pin forbids, `ω⁺ = m d v / I_pin = 0.8 v`.
#[test]
fn closing_a_pin_conserves_the_angular_momentum_about_it() {
    let (system, set) = (body(), ConstraintSet::new(&body(), vec![pin(-1.0)]).unwrap());
    let at = set.linearize(&system, &[0.0; 3], &Settings::default()).unwrap();
    let mut velocity = [0.0, 1.0, 0.0];
    let impulse = at.project_velocity(&mut velocity).unwrap();
    assert!((velocity[2] - 0.8).abs() < 1e-15 && (velocity[1] - 0.8).abs() < 1e-15);
    // m (v⁺ − v) = 2 (0.8 − 1).
    assert!((impulse - DVector::from_vec(vec![0.0, -0.4])).amax() < 1e-15);
    let before = velocity;
    at.project_velocity(&mut velocity).unwrap();
    assert!(velocity.iter().zip(before).all(|(a, b)| (a - b).abs() < 1e-15), "a projection");
}

#[test]
fn contradictory_equations_stall_and_are_reported() {
    let rod = |length| -> Box<dyn EqualityConstraint> {
        let center = Anchor::on_body(0, Vector3::zeros());
        Box::new(Distance::new(center, Anchor::in_world(Vector3::zeros()), length).unwrap())
    };
    let (system, mut q) = (body(), [0.0, -1.2, 0.0]);
    let set = ConstraintSet::new(&system, vec![rod(1.0), rod(2.0)]).unwrap();
    let report = set.project_position(&system, &mut q, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Stalled);
    assert!((report.residual - 0.5).abs() < 1e-6, "the best compromise is 1.5 m, {report:?}");

    let set = ConstraintSet::new(&system, vec![rod(1.0)]).unwrap();
    let settings = Settings { max_iterations: 0, ..Settings::default() };
    let report = set.project_position(&system, &mut q, &settings).unwrap();
    assert_eq!(report.status, Status::IterationLimit);
}

/// `v̇ = g sin β / (1 + I/(m r²))`: 5/7 for a ball and 2/3 for a disc.
#[test]
fn wheels_roll_down_a_slope_as_they_should() {
    let slope = 0.3_f64;
    let gravity = Vector3::new(9.81 * slope.sin(), 0.0, -9.81 * slope.cos());
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let center = Anchor::on_body(0, Vector3::zeros());
    let ball = MassProperties::solid_sphere(3.0, 0.4).unwrap();
    // A disc has its axis along x. This one rolls along x, so its axis is rotated to y.
    let upright =
        nalgebra::UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let disc = MassProperties::solid_cylinder(3.0, 0.4, 0.01).unwrap().rotated(&upright);
    let cases = [
        (ball, Rolling::ball(center, 0.4, floor).unwrap(), 5.0 / 7.0),
        (disc, Rolling::disc(center, &Vector3::y(), 0.4, floor).unwrap(), 2.0 / 3.0),
    ];
    for (properties, rolling, factor) in cases {
        let system =
            FreeBodies::new(vec![Body::from_mass_properties(&properties)], gravity).unwrap();
        let set = ConstraintSet::new(&system, vec![Box::new(rolling)]).unwrap();
        let q = [0.0, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0];
        let at = set.linearize(&system, &q, &Settings::default()).unwrap();
        let rolling = at.acceleration(&[2.0, 0.0, 0.0, 0.0, 5.0, 0.0], 0.0).unwrap();
        assert!((rolling.acceleration[0] - factor * 9.81 * slope.sin()).abs() < 1e-13);
        assert!((rolling.acceleration[4] - rolling.acceleration[0] / 0.4).abs() < 1e-13);
        // The plane carries the weight.
        assert!((rolling.multipliers[0] - 3.0 * 9.81 * slope.cos()).abs() < 1e-12);
    }
}

proptest! {
    #![proptest_config(fixed_seed())]

    /// A joint, the same joint a second time, and a weld of the same bodies: 12 rows of rank 6 at any position.
    #[test]
    fn redundant_constraints_give_the_momentum_and_take_energy(
        (q, mut v) in states(), point in vectors(), time in 0.0..1.0,
    ) {
        let system = space();
        let here = Anchor::on_body(1, (system.pose(&q, 1).inverse() * nalgebra::Point3::from(point)).coords);
        let there = Anchor::on_body(0, (system.pose(&q, 0).inverse() * nalgebra::Point3::from(point)).coords);
        let joint = BallJoint::new(there, here).unwrap();
        let relative = system.pose(&q, 0).inverse() * system.pose(&q, 1);
        let weld = Weld::new(Frame::on_body(0, relative), Frame::on_body(1, Isometry3::identity()));
        let constraints: Vec<Box<dyn EqualityConstraint>> =
            vec![Box::new(joint), Box::new(joint), Box::new(weld.unwrap())];
        let set = ConstraintSet::new(&system, constraints).unwrap();
        let at = set.linearize(&system, &q, &Settings::default()).unwrap();
        prop_assert_eq!((at.rank(), at.redundancy(), at.mobility()), (6, 6, 6));
        let (jacobian, mass) = (at.jacobian().clone(), mass_matrix(&system, &q));

        let before = DVector::from_column_slice(&v);
        let impulse = at.project_velocity(&mut v).unwrap();
        let after = DVector::from_column_slice(&v);
        // Some hundred products of numbers of size one to ten.
        let rounding = 1e-12;
        prop_assert!((&mass * (&after - &before) - jacobian.tr_mul(&impulse)).amax() < rounding);
        prop_assert!((&jacobian * &after).amax() < rounding);
        let energy = |v: &DVector<f64>| 0.5 * v.dot(&(&mass * v));
        let lost = energy(&before) - energy(&after);
        prop_assert!((lost - energy(&(&before - &after))).abs() < rounding, "a projection");
        // Identical equations share the impulse.
        prop_assert!((impulse.rows(0, 3) - impulse.rows(3, 3)).amax() < rounding);

        let motion = at.acceleration(&v, time).unwrap();
        let mut forces = DVector::zeros(v.len());
        system.smooth_forces(&q, &v, time, forces.as_mut_slice());
        let needed = &mass * &motion.acceleration - forces - jacobian.tr_mul(&motion.multipliers);
        prop_assert!(needed.amax() < 100.0 * rounding, "{}", needed.amax());
        let bias = set.bias(&system, &q, &v);
        prop_assert!((&jacobian * &motion.acceleration + bias).amax() < 100.0 * rounding);
        prop_assert!(motion.residual < 100.0 * rounding);
    }
}
