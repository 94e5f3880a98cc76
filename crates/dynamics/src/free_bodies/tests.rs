//! Tests of [`free_bodies`](super).

#![expect(clippy::float_cmp, reason = "these results are exact")]

use nalgebra::UnitQuaternion;
use proptest::prelude::*;

use super::*;
use crate::testing::{STEP, derivative, dot, fixed_seed, mass_matrix, moved, poses, space, states};

fn body() -> Body {
    Body::new(1.0, Matrix3::identity())
}

fn refusal(body: Body) -> FreeBodiesError {
    FreeBodies::new(vec![Body::new(1.0, Matrix3::identity()), body], Vector3::zeros()).unwrap_err()
}

#[test]
fn bodies_without_a_proper_mass_are_refused() {
    for value in [0.0, -1.0, f64::INFINITY, 1e-310] {
        assert_eq!(
            refusal(Body { mass: value, ..body() }),
            FreeBodiesError::Mass { body: 1, value }
        );
    }
    assert!(matches!(
        refusal(Body { mass: f64::NAN, ..body() }),
        FreeBodiesError::Mass { body: 1, .. }
    ));
}

#[test]
fn bodies_without_a_proper_inertia_are_refused() {
    let with = |inertia| refusal(Body { inertia, ..body() });
    let diagonal = |a, b, c| Matrix3::from_diagonal(&Vector3::new(a, b, c));
    for inertia in [diagonal(1.0, 1.0, 0.0), diagonal(-1.0, 1.0, 1.0), Matrix3::zeros()] {
        assert!(matches!(with(inertia), FreeBodiesError::Indefinite { body: 1, .. }), "{inertia}");
    }
    assert!(matches!(with(diagonal(1.0, 1.0, 1e-13)), FreeBodiesError::Indefinite { body: 1, .. }));
    assert!(matches!(
        with(diagonal(1.0, f64::NAN, 1.0)),
        FreeBodiesError::NotFinite { body: 1, .. }
    ));
    let mut skew = Matrix3::identity();
    skew[(0, 1)] = 0.25;
    assert_eq!(with(skew), FreeBodiesError::Asymmetric { body: 1, difference: 0.25 });
}

#[test]
fn forces_and_gravity_that_are_not_finite_are_refused() {
    let nan = Vector3::new(0.0, f64::NAN, 0.0);
    let error = refusal(body().with_force(nan));
    assert!(matches!(error, FreeBodiesError::NotFinite { body: 1, field: "force", .. }), "{error}");
    let error = refusal(body().with_torque(nan));
    assert!(
        matches!(error, FreeBodiesError::NotFinite { body: 1, field: "torque", .. }),
        "{error}"
    );
    assert!(matches!(FreeBodies::new(vec![body()], nan), Err(FreeBodiesError::Gravity { .. })));
    assert_eq!(FreeBodies::new(vec![], Vector3::zeros()).unwrap_err(), FreeBodiesError::NoBodies);
}

#[test]
fn coordinates_are_checked() {
    let system = FreeBodies::new(vec![body(), body()], Vector3::zeros()).unwrap();
    let rest = pose_coordinates(&Isometry3::identity());
    let of = |second: [f64; 7]| system.check_coordinates(&[rest, second].concat());
    assert_eq!(of(rest), Ok(()));
    assert_eq!(of([0.0, 0.0, 0.0, 1.0 + 9e-7, 0.0, 0.0, 0.0]), Ok(()));
    assert_eq!(
        of([0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0]),
        Err(CoordinateError::QuaternionNorm { body: 1, norm: 1.5 })
    );
    let nan = of([0.0, f64::NAN, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert!(matches!(nan, Err(CoordinateError::NotFinite { index: 8, .. })), "{nan:?}");
    assert_eq!(
        system.check_coordinates(&rest),
        Err(CoordinateError::Length { expected: 14, found: 7 })
    );
}

/// The torque of a spinning rod: with `I = diag(1, 2, 3)` and `ω = (1, 1, 0)`,
/// `ω × I ω = (1, 1, 0) × (1, 2, 0) = (0, 0, 1)`.
#[test]
fn the_gyroscopic_torque_has_the_right_sign() {
    let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
    let system = FreeBodies::new(vec![Body::new(1.0, inertia)], Vector3::zeros()).unwrap();
    let mut forces = [f64::NAN; 6];
    let velocity = [0.0, 0.0, 0.0, 1.0, 1.0, 0.0];
    system.smooth_forces(&pose_coordinates(&Isometry3::identity()), &velocity, 0.0, &mut forces);
    assert_eq!(forces, [0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
}

/// One step of the classical Runge–Kutta method of order four for `q̇ = N v`, `v̇ = M⁻¹ k`.
fn runge_kutta_step(system: &FreeBodies, q: &mut [f64], v: &mut [f64], h: f64) {
    let slope = |q: &[f64], v: &[f64]| {
        let (mut rate, mut forces) = (vec![0.0; q.len()], DMatrix::zeros(v.len(), 1));
        system.coordinate_rate(q, v, &mut rate);
        system.smooth_forces(q, v, 0.0, forces.as_mut_slice());
        system.apply_inverse_mass(q, &mut forces);
        (rate, forces.as_slice().to_vec())
    };
    let along = |x: &[f64], d: &[f64], s: f64| -> Vec<f64> {
        x.iter().zip(d).map(|(x, d)| x + s * d).collect()
    };
    let at = |(dq, dv): &(Vec<f64>, Vec<f64>), s| slope(&along(q, dq, s), &along(v, dv, s));
    let k1 = slope(q, v);
    let k2 = at(&k1, h / 2.0);
    let k3 = at(&k2, h / 2.0);
    let k4 = at(&k3, h);
    for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
        let scale = h * weight / 6.0;
        q.iter_mut().zip(k.0).for_each(|(q, d)| *q += scale * d);
        v.iter_mut().zip(k.1).for_each(|(v, d)| *v += scale * d);
    }
}

/// Largest drift of energy and of angular momentum of a tumbling box after one second.
fn drift(steps: u32) -> (f64, f64) {
    let solid = MassProperties::solid_box(1.0, &Vector3::new(1.0, 2.0, 3.0)).unwrap();
    let system =
        FreeBodies::new(vec![Body::from_mass_properties(&solid)], Vector3::zeros()).unwrap();
    let (mut q, mut v) = ([0.3, 0.2, 0.1, 1.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.3, 2.0, 3.0, 1.0]);
    let (energy, momentum) = (system.energy(&q, &v), system.angular_momentum(&q, &v));
    for _ in 0..steps {
        runge_kutta_step(&system, &mut q, &mut v, 1.0 / f64::from(steps));
    }
    let turned = system.angular_momentum(&q, &v) - momentum;
    ((system.energy(&q, &v) - energy).abs(), turned.norm())
}

#[test]
fn a_tumbling_box_keeps_energy_and_angular_momentum_to_the_order_of_the_integrator() {
    let (coarse, fine) = (drift(100), drift(200));
    // Order four would divide the drift by 16; order three only by 8.
    assert!(coarse.0 / fine.0 > 12.0, "energy drifts by {} and {}", coarse.0, fine.0);
    assert!(coarse.1 / fine.1 > 12.0, "momentum drifts by {} and {}", coarse.1, fine.1);
}

/// A symmetric top precesses about its angular momentum at the rate `L/I_across`.
#[test]
fn a_symmetric_top_precesses_at_its_rate() {
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.5, 1.0, 1.0));
    let system = FreeBodies::new(vec![Body::new(1.0, inertia)], Vector3::zeros()).unwrap();
    let spin = Vector3::new(2.0, 0.0, 1.0);
    let momentum = inertia * spin;
    let (mut q, mut v) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0, 0.0, 1.0]);
    let steps = 1000;
    for _ in 0..steps {
        runge_kutta_step(&system, &mut q, &mut v, 1.0 / f64::from(steps));
    }
    let axis = system.pose(&q, 0) * Vector3::x();
    let precessed = UnitQuaternion::from_scaled_axis(momentum / 1.0) * Vector3::x();
    // RK4 with h = 1e-3 and rates of about 2 rad/s: (2h)⁵/120 per step, 3e-13 in all.
    assert!((axis - precessed).norm() < 1e-11, "{axis} is not {precessed}");
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn the_mass_matrix_is_positive_definite_and_gives_the_kinetic_energy((q, v) in states()) {
        let (system, v_vector) = (space(), DMatrix::from_column_slice(12, 1, &v));
        let mass = mass_matrix(&system, &q);
        prop_assert!((&mass - mass.transpose()).amax() < 1e-14);
        let energy = 0.5 * (v_vector.transpose() * &mass * v_vector)[(0, 0)];
        prop_assert!((energy - system.kinetic_energy(&q, &v)).abs() < 1e-14);
        prop_assert!(mass.cholesky().is_some());
    }

    #[test]
    fn the_inverse_mass_is_the_inverse_of_the_mass_matrix((q, _) in states()) {
        let system = space();
        let mut columns = mass_matrix(&system, &q);
        system.apply_inverse_mass(&q, &mut columns);
        // Condition number of the inertias is below 20, entries of the product below 40 eps.
        prop_assert!((columns - DMatrix::identity(12, 12)).amax() < 1e-13);
    }

    #[test]
    fn retracting_by_nothing_stays((q, v) in states()) {
        let stayed = moved(&space(), &q, &v, 0.0);
        for (a, b) in stayed.iter().zip(&q) {
            prop_assert!((a - b).abs() <= 2.0 * f64::EPSILON);
        }
    }

    #[test]
    fn the_coordinate_rate_is_the_derivative_of_retracting((q, v) in states()) {
        for update in [RotationUpdate::Exponential, RotationUpdate::NormalizedEuler] {
            let system = space().with_rotation_update(update);
            let mut rate = vec![f64::NAN; 14];
            system.coordinate_rate(&q, &v, &mut rate);
            let (ahead, behind) = (moved(&system, &q, &v, STEP), moved(&system, &q, &v, -STEP));
            for i in 0..14 {
                prop_assert!((rate[i] - (ahead[i] - behind[i]) / (2.0 * STEP)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn differences_undo_retracting((q, v) in states()) {
        for update in [RotationUpdate::Exponential, RotationUpdate::NormalizedEuler] {
            let system = space().with_rotation_update(update);
            let mut tangent = vec![f64::NAN; 12];
            system.difference(&q, &moved(&system, &q, &v, 1.0), &mut tangent);
            for (d, v) in tangent.iter().zip(&v) {
                prop_assert!((d - v).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn forces_do_the_work_that_the_potential_energy_loses((q, v) in states()) {
        let system = space();
        let mut forces = vec![f64::NAN; 12];
        system.smooth_forces(&q, &v, 0.0, &mut forces);
        let torque = system.bodies()[0].torque.dot(&angular(&v, 0));
        let lost = -derivative(&system, &q, &v, |q| system.potential_energy(q));
        // The gyroscopic torque does no work; potential energies of up to 100 J cause a loss of digits.
        prop_assert!((dot(&forces, &v) - torque - lost).abs() < 1e-8);
    }

    #[test]
    fn point_rows_give_the_velocity_of_points((q, v) in states(), at in poses(), along in poses()) {
        let system = space();
        let (point, direction) = (at.translation.vector, along.translation.vector);
        for body in 0..2 {
            let mut row = vec![0.0; 12];
            system.add_point_row(&q, body, &point, &direction, 2.0, &mut row);
            let fixed = system.pose(&q, body).inverse_transform_point(&point.into());
            let velocity = derivative(&system, &q, &v, |q| {
                (system.pose(q, body) * fixed).coords.dot(&direction)
            });
            prop_assert!((dot(&row, &v) - 2.0 * velocity).abs() < 1e-8);
        }
    }

    #[test]
    fn kinetic_energy_and_momenta_move_with_the_world((q, v) in states(), motion in poses()) {
        let system = space();
        let (mut q_moved, mut v_moved) = (vec![], vec![]);
        for body in 0..2 {
            q_moved.extend(pose_coordinates(&(motion * system.pose(&q, body))));
            for part in [linear(&v, body), angular(&v, body)] {
                v_moved.extend((motion.rotation * part).iter());
            }
        }
        let energies = system.kinetic_energy(&q, &v) - system.kinetic_energy(&q_moved, &v_moved);
        prop_assert!(energies.abs() < 1e-14);
        let momentum = motion.rotation * system.linear_momentum(&v);
        prop_assert!((system.linear_momentum(&v_moved) - momentum).norm() < 1e-14);
        let turned = motion.rotation * system.angular_momentum(&q, &v)
            + motion.translation.vector.cross(&momentum);
        prop_assert!((system.angular_momentum(&q_moved, &v_moved) - turned).norm() < 1e-13);
    }
}

#[test]
fn the_smallest_bodies_have_a_finite_inverse() {
    let smallest = Matrix3::from_diagonal(&Vector3::new(1e-307, 1e-297, 1e-296));
    let inverse = symmetric_inverse(&smallest);
    assert!((inverse * smallest - Matrix3::identity()).amax() <= 4.0 * f64::EPSILON, "{inverse}");
}
