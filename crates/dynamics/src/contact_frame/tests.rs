//! Tests of [`contact_frame`](super).

use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

use super::*;
use crate::{
    rotation::rotation_matrix,
    testing::{directions, fixed_seed, quaternions, vectors},
};

fn matrix(frame: &ContactFrame) -> Matrix3<f64> {
    Matrix3::from_columns(&frame.axes())
}

/// Normalizing leaves an error of up to 3 units in a length and 6 in its square, the sums of the
/// products here add 3, and the determinant has three lengths.
fn is_orthonormal_and_right_handed(frame: &ContactFrame) -> bool {
    let axes = matrix(frame);
    (axes.transpose() * axes - Matrix3::identity()).amax() <= 9.0 * f64::EPSILON
        && (axes.determinant() - 1.0).abs() <= 15.0 * f64::EPSILON
}

#[test]
fn normals_that_point_nowhere_are_refused() {
    let x = Vector3::x();
    assert_eq!(
        ContactFrame::from_normal(&Vector3::zeros(), &x),
        Err(ContactFrameError::Zero { field: "normal" })
    );
    assert_eq!(
        ContactFrame::planar(&Vector3::zeros()),
        Err(ContactFrameError::Zero { field: "normal" })
    );
    let nan = ContactFrame::from_normal(&Vector3::new(0.0, f64::NAN, 0.0), &x);
    assert!(matches!(nan, Err(ContactFrameError::NotFinite { field: "normal", .. })), "{nan:?}");
    let infinite = ContactFrame::from_normal(&x, &Vector3::new(0.0, 0.0, f64::INFINITY));
    assert!(matches!(
        infinite,
        Err(ContactFrameError::NotFinite { field: "tangent reference", .. })
    ));
    assert_eq!(ContactFrame::planar(&Vector3::z()), Err(ContactFrameError::OutOfPlane { z: 1.0 }));
}

#[test]
fn a_reference_along_the_normal_gives_way_to_the_first_smallest_axis() {
    let of = |normal: Vector3<f64>| ContactFrame::from_normal(&normal, &normal).unwrap().tangent_1;
    assert_eq!(of(Vector3::z()), Vector3::x());
    assert_eq!(of(Vector3::x()), Vector3::y());
    assert_eq!(of(-Vector3::y()), Vector3::x());
    let without = ContactFrame::from_normal(&Vector3::z(), &Vector3::zeros()).unwrap();
    assert_eq!(without.tangent_1, Vector3::x());
}

#[test]
fn lengths_do_not_matter_however_extreme() {
    let expected = ContactFrame::from_normal(&Vector3::z(), &Vector3::y()).unwrap();
    for length in [f64::MIN_POSITIVE, 1e-200, 1e200, f64::MAX] {
        let (n, t) = (Vector3::z() * length, Vector3::y() * length);
        assert_eq!(ContactFrame::from_normal(&n, &t).unwrap(), expected);
    }
}

#[test]
fn a_planar_frame_has_its_tangent_to_the_right_of_its_normal() {
    let wall = ContactFrame::planar(&Vector3::x()).unwrap();
    assert_eq!(wall.axes(), [Vector3::x(), -Vector3::y(), -Vector3::z()]);
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn frames_are_orthonormal_and_right_handed(n in directions(), reference in vectors()) {
        let frame = ContactFrame::from_normal(&n, &reference).unwrap();
        prop_assert!(is_orthonormal_and_right_handed(&frame), "{frame:?}");
        let planar = ContactFrame::planar(&Vector3::new(n.x + 2.0, n.y, 0.0)).unwrap();
        prop_assert!(is_orthonormal_and_right_handed(&planar), "{planar:?}");
    }

    #[test]
    fn frames_stay_orthonormal_as_the_reference_nears_the_normal(
        n in directions(), side in directions(), exponent in -20.0..0.0,
    ) {
        let frame = ContactFrame::from_normal(&n, &(n + side * 10_f64.powf(exponent))).unwrap();
        prop_assert!(is_orthonormal_and_right_handed(&frame), "{frame:?}");
    }

    #[test]
    fn frames_turn_with_their_arguments(
        n in directions(), reference in directions(), q in quaternions(),
    ) {
        // At smaller angles the direction of the tangent amplifies rounding more than tenfold.
        prop_assume!(n.cross(&reference).norm() > 0.1);
        let turn = rotation_matrix(&q);
        let turned = ContactFrame::from_normal(&(turn * n), &(turn * reference)).unwrap();
        let expected = turn * matrix(&ContactFrame::from_normal(&n, &reference).unwrap());
        prop_assert!((matrix(&turned) - expected).amax() < 1e-14);
    }
}
