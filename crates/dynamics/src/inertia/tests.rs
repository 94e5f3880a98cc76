//! Tests of [`inertia`](super).

use proptest::prelude::*;

use super::*;
use crate::{
    rotation::unit_quaternion,
    testing::{fixed_seed, quaternions, vectors},
};

/// Equal to some ten rounding errors of the largest entries.
fn close(a: &MassProperties, b: &MassProperties) -> bool {
    let same = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-14 * (1.0 + size);
    same(a.mass, b.mass, a.mass)
        && same((a.center_of_mass - b.center_of_mass).amax(), 0.0, a.center_of_mass.amax())
        && same((a.inertia - b.inertia).amax(), 0.0, a.inertia.amax())
}

fn diagonal(a: f64, b: f64, c: f64) -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(a, b, c))
}

#[test]
fn the_solids_have_the_moments_of_the_tables() {
    let moments = |body: Result<MassProperties, MassPropertiesError>| {
        let inertia = body.unwrap().inertia;
        assert_eq!(inertia, Matrix3::from_diagonal(&inertia.diagonal()));
        inertia.diagonal()
    };
    let same = |a: Vector3<f64>, x, y, z| {
        assert!((a - Vector3::new(x, y, z)).amax() < 1e-14, "{a} is not {x} {y} {z}");
    };
    same(moments(MassProperties::solid_box(12.0, &Vector3::new(1.0, 2.0, 3.0))), 13.0, 10.0, 5.0);
    same(moments(MassProperties::solid_sphere(5.0, 2.0)), 8.0, 8.0, 8.0);
    same(moments(MassProperties::hollow_sphere(3.0, 2.0)), 8.0, 8.0, 8.0);
    // 2/5 (2⁵ − 1)/(2³ − 1) = 62/35
    let shell = 62.0 / 35.0;
    same(moments(MassProperties::spherical_shell(1.0, 1.0, 2.0)), shell, shell, shell);
    same(moments(MassProperties::solid_cylinder(12.0, 2.0, 3.0)), 24.0, 21.0, 21.0);
    same(moments(MassProperties::tube(12.0, 1.0, 2.0, 3.0)), 30.0, 24.0, 24.0);
    same(moments(MassProperties::thin_rod(12.0, 2.0)), 0.0, 4.0, 4.0);
    same(moments(MassProperties::point(7.0)), 0.0, 0.0, 0.0);
    // r = 3, l = 4: equal masses of 1 kg in the cylinder and in the ends.
    same(
        moments(MassProperties::capsule(2.0, 3.0, 4.0)),
        8.1,
        43.0 / 12.0 + 12.1,
        43.0 / 12.0 + 12.1,
    );
    same(moments(MassProperties::solid_hemisphere(320.0, 1.0)), 128.0, 83.0, 83.0);
}

#[test]
fn two_half_balls_are_a_ball() {
    let half = MassProperties::solid_hemisphere(1.5, 0.7).unwrap();
    let other =
        half.rotated(&UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI));
    let ball = MassProperties::composite(&[half, other]).unwrap();
    assert!(close(&ball, &MassProperties::solid_sphere(3.0, 0.7).unwrap()));
}

#[test]
fn a_capsule_without_length_is_a_ball_and_without_radius_a_rod() {
    let ball = MassProperties::capsule(3.0, 0.7, 0.0).unwrap();
    assert!(close(&ball, &MassProperties::solid_sphere(3.0, 0.7).unwrap()));
    let rod = MassProperties::capsule(3.0, 0.0, 0.7).unwrap();
    assert!(close(&rod, &MassProperties::thin_rod(3.0, 0.7).unwrap()));
    let point = MassProperties::capsule(3.0, 0.0, 0.0).unwrap();
    assert!(close(&point, &MassProperties::point(3.0).unwrap()));
}

#[test]
fn thick_shells_become_thin_ones_without_losing_digits() {
    let thin = MassProperties::hollow_sphere(1.0, 1.0).unwrap();
    for thickness in [1e-3, 1e-6, 1e-9] {
        let shell = MassProperties::spherical_shell(1.0, 1.0 - thickness, 1.0).unwrap();
        // The moment is 2/3 r² with the mean radius, to first order in the thickness.
        let expected = thin.inertia * (1.0 - thickness);
        assert!((shell.inertia - expected).amax() < thickness * thickness + f64::EPSILON);
    }
}

#[test]
fn what_cannot_be_a_body_is_refused() {
    let new = |mass, inertia| MassProperties::new(mass, Vector3::zeros(), inertia);
    for value in [0.0, -1.0, f64::INFINITY, 1e-310] {
        assert_eq!(new(value, Matrix3::identity()), Err(MassPropertiesError::Mass { value }));
    }
    assert!(matches!(new(f64::NAN, Matrix3::identity()), Err(MassPropertiesError::Mass { .. })));
    let moments = [1.0, 1.0, 2.1];
    assert!(
        matches!(new(1.0, diagonal(2.1, 1.0, 1.0)), Err(MassPropertiesError::Moments { moments: m })
        if m.iter().zip(moments).all(|(a, b)| (a - b).abs() < 1e-14))
    );
    assert!(matches!(new(1.0, diagonal(-1.0, 1.0, 1.0)), Err(MassPropertiesError::Moments { .. })));
    assert!(matches!(
        new(1.0, diagonal(-1e-9, 1.0, 1.0)),
        Err(MassPropertiesError::Moments { .. })
    ));
    assert!(matches!(
        new(1.0, diagonal(f64::NAN, 1.0, 1.0)),
        Err(MassPropertiesError::NotFinite { .. })
    ));
    let mut skew = Matrix3::identity();
    skew[(2, 1)] = -0.25;
    assert_eq!(new(1.0, skew), Err(MassPropertiesError::Asymmetric { difference: 0.25 }));
    let center = Vector3::new(0.0, f64::NAN, 0.0);
    let off = MassProperties::new(1.0, center, Matrix3::identity());
    assert!(matches!(off, Err(MassPropertiesError::NotFinite { field: "center of mass", .. })));
    assert_eq!(MassProperties::composite(&[]), Err(MassPropertiesError::NoParts));
}

#[test]
fn flat_bodies_from_tables_are_accepted() {
    let plate = MassProperties::new(1.0, Vector3::zeros(), diagonal(0.083333, 0.333333, 0.416667));
    assert!(plate.is_ok(), "{plate:?}");
}

#[test]
fn impossible_sizes_are_refused() {
    let size = |value| Err(MassPropertiesError::Size { field: "radius", value });
    assert_eq!(MassProperties::solid_sphere(1.0, -1.0), size(-1.0));
    assert_eq!(MassProperties::capsule(1.0, f64::INFINITY, 1.0), size(f64::INFINITY));
    assert_eq!(
        MassProperties::thin_rod(1.0, -2.0),
        Err(MassPropertiesError::Size { field: "length", value: -2.0 })
    );
    assert_eq!(
        MassProperties::tube(1.0, 2.0, 1.0, 1.0),
        Err(MassPropertiesError::Inside { inner: 2.0, outer: 1.0 })
    );
    let flat = MassProperties::solid_box(1.0, &Vector3::new(1.0, -3.0, 1.0));
    assert_eq!(flat, Err(MassPropertiesError::Size { field: "edge", value: -3.0 }));
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn two_half_boxes_are_a_box(a in 0.1..2.0, b in 0.1..2.0, c in 0.1..2.0, mass in 0.1..10.0) {
        let half = MassProperties::solid_box(mass, &Vector3::new(a, b, c)).unwrap();
        let offset = Vector3::x() * (a / 2.0);
        let halves = [half.translated(&offset), half.translated(&-offset)];
        let whole = MassProperties::solid_box(2.0 * mass, &Vector3::new(2.0 * a, b, c)).unwrap();
        let joined = MassProperties::composite(&halves).unwrap();
        // Moments reach m (d² + b²)/12 of about 30 from squares of numbers below 4.
        prop_assert!(close(&joined, &whole));
    }

    #[test]
    fn a_capsule_is_a_cylinder_and_two_half_balls(r in 0.1..2.0, l in 0.0..2.0, mass in 0.1..10.0) {
        let cylinder_mass = mass * l / (l + 4.0 / 3.0 * r);
        let half = MassProperties::solid_hemisphere(0.5 * (mass - cylinder_mass), r).unwrap();
        let other =
            half.rotated(&UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI));
        let offset = Vector3::x() * (l / 2.0);
        let mut parts = vec![half.translated(&offset), other.translated(&-offset)];
        if cylinder_mass > 0.0 {
            parts.push(MassProperties::solid_cylinder(cylinder_mass, r, l).unwrap());
        }
        let joined = MassProperties::composite(&parts).unwrap();
        prop_assert!(close(&joined, &MassProperties::capsule(mass, r, l).unwrap()));
    }

    #[test]
    fn composites_turn_and_move_with_their_parts(q in quaternions(), offset in vectors(), at in vectors()) {
        let rotation = unit_quaternion(&q);
        let part = MassProperties::solid_box(2.0, &Vector3::new(1.0, 0.5, 0.2)).unwrap();
        let other = MassProperties::thin_rod(1.0, 2.0).unwrap().translated(&at);
        let moved = |body: &MassProperties| body.rotated(&rotation).translated(&offset);
        let parts_moved = MassProperties::composite(&[moved(&part), moved(&other)]).unwrap();
        let whole_moved = moved(&MassProperties::composite(&[part, other]).unwrap());
        prop_assert!(close(&parts_moved, &whole_moved));
        let before = MassProperties::composite(&[part, other]).unwrap().principal_moments();
        for (a, b) in before.iter().zip(parts_moved.principal_moments()) {
            prop_assert!((a - b).abs() < 1e-13);
        }
    }

    #[test]
    fn the_moment_about_a_point_is_that_of_the_kinetic_energy(at in vectors(), spin in vectors()) {
        let body = MassProperties::solid_box(2.0, &Vector3::new(1.0, 0.5, 0.2)).unwrap();
        // In a rotation about the point `at`, the center of mass moves at ω × (c − at).
        let velocity = spin.cross(&-at);
        let energy = 0.5 * body.mass * velocity.norm_squared() + 0.5 * spin.dot(&(body.inertia * spin));
        let about = 0.5 * spin.dot(&(body.inertia_about(&at) * spin));
        prop_assert!((energy - about).abs() < 1e-14 * (1.0 + energy));
    }
}
