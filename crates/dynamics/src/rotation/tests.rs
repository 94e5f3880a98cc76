//! Tests of [`rotation`](super).

#![expect(clippy::float_cmp, reason = "these results are exact")]

use std::f64::consts::PI;

use nalgebra::{Vector3, Vector4};
use proptest::prelude::*;

use super::*;
use crate::testing::{STEP, directions, fixed_seed, quaternions, vectors};

fn distance(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    (Vector4::from(*a) - Vector4::from(*b)).amax()
}

#[test]
fn quaternions_that_are_no_rotation_are_refused() {
    assert_eq!(normalize(&[0.0; 4]), Err(Error::TooSmall { norm: 0.0 }));
    assert!(matches!(normalize(&[1e-13, 0.0, 0.0, 0.0]), Err(Error::TooSmall { .. })));
    assert!(matches!(
        normalize(&[1.0, f64::NAN, 0.0, 0.0]),
        Err(Error::NotFinite { index: 1, .. })
    ));
    let infinite = f64::INFINITY;
    assert_eq!(
        normalize(&[1.0, 0.0, 0.0, infinite]),
        Err(Error::NotFinite { index: 3, value: infinite })
    );
}

#[test]
fn the_largest_numbers_are_normalized_without_overflow() {
    assert_eq!(normalize(&[f64::MAX; 4]).unwrap(), [0.5; 4]);
}

#[test]
fn tiny_angles_keep_all_their_digits() {
    for angle in [1e-300, 1e-160, 1e-20, 0.99e-8, 1.01e-8, 1e-3] {
        let [w, x, y, z] = exponential(&[1.0, 0.0, 0.0, 0.0], &(Vector3::y() * angle));
        let half = 0.5 * angle;
        // sin a = a − a³/6 to the last digit for these angles.
        let exact = half - half * half * half / 6.0;
        assert!((y - exact).abs() <= 2.0 * f64::EPSILON * exact, "{angle}: {y}");
        assert_eq!([w, x, z], [half.cos(), 0.0, 0.0]);
        let back = logarithm(&[w, x, y, z]).y;
        assert!((back - angle).abs() <= 4.0 * f64::EPSILON * angle, "{angle}: {back}");
    }
}

#[test]
fn opposite_quaternions_are_the_same_rotation() {
    let q = normalize(&[0.1, 0.2, -0.3, 0.4]).unwrap();
    assert_eq!(logarithm(&q), logarithm(&q.map(|c| -c)));
    assert_eq!(difference(&q, &q.map(|c| -c)), Vector3::zeros());
}

#[test]
fn the_normalized_euler_step_falls_short_by_a_twelfth_of_the_cube() {
    let identity = [1.0, 0.0, 0.0, 0.0];
    let angle = 0.01;
    let turned = logarithm(&normalized_euler(&identity, &(Vector3::x() * angle))).x;
    // 2 atan(d/2) = d − d³/12 + d⁵/80 − …
    let expected = angle - angle.powi(3) / 12.0 + angle.powi(5) / 80.0;
    assert!((turned - expected).abs() < 1e-16, "{turned} is not {expected}");
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn both_updates_start_at_the_rate(q in quaternions(), d in vectors()) {
        let rate = rate_matrix(&q) * d;
        for update in [RotationUpdate::Exponential, RotationUpdate::NormalizedEuler] {
            let ahead = Vector4::from(update.apply(&q, &(d * STEP)));
            let behind = Vector4::from(update.apply(&q, &(d * -STEP)));
            prop_assert!(((ahead - behind) / (2.0 * STEP) - rate).amax() < 1e-9);
        }
    }

    #[test]
    fn the_rate_keeps_the_norm(q in quaternions(), d in vectors()) {
        prop_assert!((rate_matrix(&q) * d).dot(&Vector4::from(q)).abs() < 4.0 * f64::EPSILON);
    }

    #[test]
    fn the_normalized_euler_step_is_what_it_says(q in quaternions(), d in vectors()) {
        let step = Vector4::from(q) + rate_matrix(&q) * d;
        let expected = normalize(&step.into()).unwrap();
        prop_assert!(distance(&normalized_euler(&q, &d), &expected) < 4.0 * f64::EPSILON);
    }

    #[test]
    fn turns_about_one_axis_add(q in quaternions(), axis in directions(), a in -3.0..3.0, b in -3.0..3.0) {
        let twice = exponential(&exponential(&q, &(axis * a)), &(axis * b));
        prop_assert!(distance(&twice, &exponential(&q, &(axis * (a + b)))) < 1e-14);
    }

    #[test]
    fn the_angular_velocity_is_in_world_axes(q in quaternions(), d in vectors(), x in vectors()) {
        let turned = rotation_matrix(&exponential(&q, &d)) * x;
        let expected = nalgebra::Rotation3::new(d) * (rotation_matrix(&q) * x);
        prop_assert!((turned - expected).amax() < 1e-14);
    }

    #[test]
    fn differences_undo_updates(q in quaternions(), axis in directions(), angle in -3.0..3.0) {
        // Up to 3 rad the map d = 2 tan(angle/2) amplifies rounding by at most 1/cos²(1.5) < 200.
        for update in [RotationUpdate::Exponential, RotationUpdate::NormalizedEuler] {
            let d = axis * angle;
            let back = update.difference(&q, &update.apply(&q, &d));
            prop_assert!((back - d).amax() < 1e-13, "{update:?}: {back} is not {d}");
        }
    }

    #[test]
    fn logarithms_are_no_longer_than_a_half_turn(q in quaternions()) {
        let d = logarithm(&q);
        prop_assert!(d.norm() <= PI + 1e-15);
        let back = exponential(&[1.0, 0.0, 0.0, 0.0], &d);
        let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
        prop_assert!(distance(&back, &q.map(|c| sign * c)) < 1e-15);
    }
}
