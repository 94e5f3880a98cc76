//! Trees of joints with unreasonable numbers: the result is an error that names the link, or finite numbers.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use nalgebra::{DMatrix, Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};
use percussion_dynamics::{Articulated, ArticulatedError, Joint, Link, MassProperties, System};

/// Numbers at the ends of the range and outside it.
const NUMBERS: [f64; 12] = [
    0.0,
    -0.0,
    5e-324,
    1e-300,
    1e-150,
    1e150,
    1e300,
    -1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn ball() -> MassProperties {
    MassProperties::solid_sphere(1.0, 0.5).unwrap().translated(&Vector3::new(0.1, 0.2, 0.3))
}

fn joints() -> Vec<Joint> {
    vec![
        Joint::fixed(),
        Joint::revolute(Vector3::new(1.0, 2.0, 3.0)),
        Joint::prismatic(Vector3::y()),
        Joint::planar(),
        Joint::spherical(),
        Joint::free(),
    ]
}

fn build(arm: Link) -> Result<Articulated, ArticulatedError> {
    let base = Link::new("base", Joint::revolute(Vector3::z())).with_mass(ball());
    let tip = Link::new("tip", Joint::prismatic(Vector3::x())).on("arm").with_mass(ball());
    Articulated::new(vec![tip, arm.on("base"), base], Vector3::new(0.0, 0.0, -9.81))
}

/// An error must name a link; an accepted tree must give finite numbers wherever it accepts the coordinates.
fn judge(what: &str, built: Result<Articulated, ArticulatedError>) {
    let system = match built {
        Ok(system) => system,
        Err(error) => {
            let message = error.to_string();
            let named = ["`arm`", "`tip`", "`base`", "gravity"].iter().any(|l| message.contains(l));
            assert!(named && message.len() < 200, "{what}: {message}");
            return;
        }
    };
    let q = system.neutral_coordinates();
    if system.check_coordinates(&q).is_err() {
        return;
    }
    let n = system.velocity_count();
    let mut mass_matrix = DMatrix::zeros(n, n);
    system.mass_matrix(&q, &mut mass_matrix);
    assert!(mass_matrix.iter().all(|entry| entry.is_finite()), "{what}: {mass_matrix}");
    let mut forces = vec![0.0; n];
    system.smooth_forces(&q, &vec![0.0; n], 0.0, &mut forces);
    let mut columns = DMatrix::identity(n, n);
    system.apply_inverse_mass(&q, &mut columns);
    let finite = columns.iter().all(|entry| entry.is_finite());
    assert!(finite, "{what}: the inverse of the mass matrix is {columns}");
}

#[test]
fn placements_of_any_size_give_a_system_or_name_the_link() {
    for (joint, value) in joints().iter().flat_map(|j| NUMBERS.map(|value| (j, value))) {
        for k in 0..3 {
            let mut place = Vector3::new(0.1, 0.2, 0.3);
            place[k] = value;
            let arm = Link::new("arm", joint.clone()).with_mass(ball());
            let what = format!("{:?} at {place}", joint.kind);
            judge(&what, build(arm.at(Isometry3::translation(place.x, place.y, place.z))));
        }
        for k in 0..4 {
            let mut quaternion = Quaternion::new(0.6, 0.0, 0.8, 0.0);
            quaternion.coords[k] = value;
            let turn = UnitQuaternion::new_unchecked(quaternion);
            let arm = Link::new("arm", joint.clone()).with_mass(ball());
            let what = format!("{:?} turned by {quaternion}", joint.kind);
            judge(&what, build(arm.at(Isometry3::from_parts(Translation3::identity(), turn))));
        }
    }
}

#[test]
fn axes_of_any_length_give_a_system_or_name_the_link() {
    type Make = fn(Vector3<f64>) -> Joint;
    for make in [Joint::revolute as Make, Joint::prismatic] {
        for (x, y) in NUMBERS.iter().flat_map(|x| NUMBERS.map(|y| (*x, y))) {
            let axis = Vector3::new(x, y, 0.0);
            let built = build(Link::new("arm", make(axis)).with_mass(ball()));
            let usable = x.is_finite() && y.is_finite() && (x != 0.0 || y != 0.0);
            assert_eq!(built.is_ok(), usable, "{axis}: {:?}", built.err());
            judge(&format!("axis {axis}"), built);
        }
    }
}

#[test]
fn numbers_of_joints_of_any_size_give_a_system_or_name_the_link() {
    for (joint, value) in joints().iter().flat_map(|j| NUMBERS.map(|value| (j, value))) {
        let n = joint.kind.velocity_count();
        let list = vec![value; n];
        let coordinates = vec![value; joint.kind.coordinate_count()];
        let joint = || joint.clone();
        for joint in [
            joint().with_spring(&list, &[]),
            joint().with_spring(&[], &coordinates),
            joint().with_damping(&list),
            joint().with_friction(&list),
            joint().with_effort(&list),
            joint().with_limits(&vec![[value, 1.0]; n]),
            joint().with_limits(&vec![[-1.0, value]; n]),
        ] {
            let what = format!("{joint:?}");
            judge(&what, build(Link::new("arm", joint).with_mass(ball())));
        }
    }
}

#[test]
fn masses_of_any_size_give_a_system_or_are_refused() {
    for (mass, size) in NUMBERS.iter().flat_map(|m| NUMBERS.map(|size| (*m, size))) {
        let center = Vector3::new(size, 0.1, 0.2);
        let made = [
            MassProperties::solid_sphere(mass, size),
            MassProperties::solid_box(mass, &Vector3::new(1.0, size, size)),
            MassProperties::capsule(mass, size, 1.0),
            MassProperties::tube(mass, size, 1.0, 1.0),
            MassProperties::new(mass, center, Matrix3::identity()),
            MassProperties::new(1.0, Vector3::zeros(), Matrix3::repeat(size)),
            MassProperties::new(1.0, Vector3::zeros(), Matrix3::from_diagonal_element(size)),
        ];
        for (index, properties) in made.into_iter().enumerate() {
            let Ok(properties) = properties else { continue };
            for joint in joints() {
                let what = format!("body {index}, {:?}, {mass:e} kg, {size:e} m", joint.kind);
                judge(&what, build(Link::new("arm", joint).with_mass(properties)));
            }
        }
    }
}

#[test]
fn gravity_of_any_size_is_taken_or_refused() {
    for value in NUMBERS {
        let base = Link::new("base", Joint::free()).with_mass(ball());
        let built = Articulated::new(vec![base], Vector3::new(0.0, value, 0.0));
        assert_eq!(built.is_ok(), value.is_finite(), "{value}");
        judge(&format!("gravity {value}"), built);
    }
}

#[test]
fn coordinates_and_velocities_of_any_size_never_panic() {
    for (joint, value) in joints().iter().flat_map(|j| NUMBERS.map(|value| (j, value))) {
        let system = build(Link::new("arm", joint.clone()).with_mass(ball())).unwrap();
        let neutral = system.neutral_coordinates();
        let n = system.velocity_count();
        let mut kinematics = system.kinematics();
        let (mut acceleration, mut next) = (vec![0.0; n], neutral.clone());
        for k in 0..neutral.len() {
            let mut q = neutral.clone();
            q[k] = value;
            let accepted = system.check_coordinates(&q).is_ok();
            assert!(!accepted || value.is_finite(), "{value} is accepted");
            kinematics.update(&q, &vec![value; n]).unwrap();
            kinematics.forward_dynamics(&vec![value; n], &mut acceleration).unwrap();
            system.retract(&q, &vec![value; n], &mut next);
        }
    }
}

#[test]
fn cycles_of_any_length_are_refused() {
    for length in [1_usize, 2, 3, 100] {
        for tail in [0, 1, 50] {
            let total = length + tail;
            let link = |i: usize| {
                // Links before the cycle are attached to it, one to the next.
                let parent = if i + 1 == total { tail } else { i + 1 };
                Link::new(i.to_string(), Joint::revolute(Vector3::z()))
                    .on(parent.to_string())
                    .with_mass(ball())
            };
            let error = Articulated::new((0..total).map(link).collect(), Vector3::zeros());
            let Err(ArticulatedError::Cycle { link }) = error else {
                panic!("{length}, {tail}: {error:?}")
            };
            let number: usize = link.parse().unwrap();
            assert!((tail..total).contains(&number), "{link} is not on the cycle");
        }
    }
}
