//! Tests of [`planar_bodies`](super).

use proptest::prelude::*;

use super::*;
use crate::{
    system::CoordinateError,
    testing::{derivative, dot, fixed_seed, mass_matrix, moved, planar_states, plane},
};

#[test]
fn bodies_that_cannot_move_properly_are_refused() {
    let new = |body| PlanarBodies::new(vec![body], Vector2::zeros());
    assert!(matches!(new(PlanarBody::new(-1.0, 1.0)), Err(FreeBodiesError::Mass { body: 0, .. })));
    assert!(matches!(
        new(PlanarBody::new(1.0, 0.0)),
        Err(FreeBodiesError::Indefinite { body: 0, .. })
    ));
    assert!(matches!(new(PlanarBody::new(1.0, f64::NAN)), Err(FreeBodiesError::NotFinite { .. })));
    let pushed = PlanarBody::new(1.0, 1.0).with_force(Vector2::new(f64::INFINITY, 0.0));
    assert!(matches!(new(pushed), Err(FreeBodiesError::NotFinite { field: "force", .. })));
    let gravity = Vector2::new(0.0, f64::NAN);
    let heavy = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], gravity);
    assert!(matches!(heavy, Err(FreeBodiesError::Gravity { .. })));
    assert_eq!(PlanarBodies::new(vec![], Vector2::zeros()), Err(FreeBodiesError::NoBodies));
}

#[test]
fn coordinates_are_checked() {
    let system = plane();
    assert_eq!(system.check_coordinates(&[0.0; 6]), Ok(()));
    let short = system.check_coordinates(&[0.0; 5]);
    assert_eq!(short, Err(CoordinateError::Length { expected: 6, found: 5 }));
}

/// A mass of 2 kg at `(1, 2)` moving at `(3, 4)`: `2 (1·4 − 2·3) = −4`, and `I ω = 0.3 · 5 = 1.5`.
#[test]
fn angular_momentum_is_about_the_origin() {
    let momentum =
        plane().angular_momentum(&[1.0, 2.0, 0.0, 7.0, 7.0, 7.0], &[3.0, 4.0, 5.0, 0.0, 0.0, 0.0]);
    assert!((momentum + 2.5).abs() < 1e-15);
    assert_eq!(plane().linear_momentum(&[3.0, 4.0, 5.0, 0.0, 0.0, 0.0]), Vector2::new(6.0, 8.0));
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn the_mass_matrix_gives_the_kinetic_energy_and_its_inverse((q, v) in planar_states()) {
        let system = plane();
        let mut mass = mass_matrix(&system, &q);
        let v_vector = DMatrix::from_column_slice(6, 1, &v);
        let energy = 0.5 * (v_vector.transpose() * &mass * v_vector)[(0, 0)];
        prop_assert!((energy - system.kinetic_energy(&q, &v)).abs() < 1e-15);
        system.apply_inverse_mass(&q, &mut mass);
        prop_assert_eq!(mass, DMatrix::identity(6, 6));
    }

    #[test]
    fn forces_do_the_work_that_the_potential_energy_loses((q, v) in planar_states()) {
        let system = plane();
        let mut forces = vec![f64::NAN; 6];
        system.smooth_forces(&q, &v, 0.0, &mut forces);
        let lost = -derivative(&system, &q, &v, |q| system.potential_energy(q));
        prop_assert!((dot(&forces, &v) - lost).abs() < 1e-8);
    }

    #[test]
    fn point_rows_give_the_velocity_of_points((q, v) in planar_states(), x in -1.0..1.0, y in -1.0..1.0) {
        let system = plane();
        let (point, direction) = (Vector3::new(x, y, 0.0), Vector3::new(y, 0.3, 0.0));
        let mut row = vec![0.0; 6];
        system.add_point_row(&q, 1, &point, &direction, 1.0, &mut row);
        let fixed = system.pose(&q, 1).inverse_transform_point(&point.into());
        let velocity =
            derivative(&system, &q, &v, |q| (system.pose(q, 1) * fixed).coords.dot(&direction));
        prop_assert!((dot(&row, &v) - velocity).abs() < 1e-8);
    }

    #[test]
    fn differences_undo_retracting((q, v) in planar_states()) {
        let system = plane();
        let (mut tangent, mut rate) = (vec![f64::NAN; 6], vec![f64::NAN; 6]);
        system.difference(&q, &moved(&system, &q, &v, 1.0), &mut tangent);
        system.coordinate_rate(&q, &v, &mut rate);
        for i in 0..6 {
            prop_assert!((tangent[i] - v[i]).abs() <= 4.0 * f64::EPSILON);
        }
        prop_assert_eq!(rate, v);
    }
}
