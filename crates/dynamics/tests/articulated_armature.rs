//! The inertia of rotors behind gears, which only the joint's own motion has.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use nalgebra::{DMatrix, DVector, Isometry3, Vector3};
use percussion_dynamics::{
    Articulated, ArticulatedError, Derivatives, Joint, Lagrangian, Link, MassProperties, System,
};

/// A ball joint that carries a slider that carries an elbow, with the armatures `[ball, slider, elbow]`.
fn arm(armatures: [f64; 3]) -> Articulated {
    let body = MassProperties::solid_box(2.0, &Vector3::new(0.3, 0.2, 0.1)).unwrap();
    let body = body.translated(&Vector3::new(0.1, 0.2, -0.3));
    let [ball, slider, elbow] = armatures;
    let links = vec![
        Link::new("ball", Joint::spherical().with_armature(&[ball; 3])).with_mass(body),
        Link::new("slider", Joint::prismatic(Vector3::x()).with_armature(&[slider]))
            .on("ball")
            .with_mass(body),
        Link::new("elbow", Joint::revolute(Vector3::y()).with_armature(&[elbow]))
            .on("slider")
            .at(Isometry3::translation(0.4, 0.0, 0.1))
            .with_mass(body),
    ];
    Articulated::new(links, Vector3::new(0.0, 0.0, -9.81)).unwrap()
}

const POSITION: [f64; 6] = [0.8, 0.0, 0.6, 0.0, 0.3, -0.7];
const VELOCITY: [f64; 5] = [0.5, -1.0, 2.0, 0.7, -0.4];
const ROTORS: [f64; 3] = [0.25, 3.0, 0.5];

fn mass_matrix(system: &Articulated) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(5, 5);
    system.mass_matrix(&POSITION, &mut matrix);
    matrix
}

#[test]
fn armatures_stand_on_the_diagonal_of_every_form_of_the_mass_matrix() {
    let (bare, geared) = (arm([0.0; 3]), arm(ROTORS));
    let diagonal = DVector::from_vec(vec![0.25, 0.25, 0.25, 3.0, 0.5]);
    let matrix = mass_matrix(&geared);
    let expected = mass_matrix(&bare) + DMatrix::from_diagonal(&diagonal);
    assert!((&matrix - &expected).amax() < 1e-15 * expected.amax());
    let v = DVector::from_column_slice(&VELOCITY);
    let energy = geared.kinetic_energy(&POSITION, &VELOCITY);
    assert!((energy - 0.5 * v.dot(&(&expected * &v))).abs() < 1e-13 * energy);

    let mut kinematics = geared.kinematics();
    kinematics.update(&POSITION, &VELOCITY).unwrap();
    let mut solved = DMatrix::from_fn(5, 2, |i, j| (i + 2 * j) as f64 - 1.5);
    let columns = solved.clone();
    kinematics.apply_inverse_mass(&mut solved).unwrap();
    assert!((&expected * &solved - &columns).amax() < 1e-12);
    let (mut bias, mut forces) = ([0.0; 5], [0.0; 5]);
    kinematics.bias(&mut bias).unwrap();
    let rates = [1.0, -0.5, 0.25, 2.0, -3.0];
    kinematics.inverse_dynamics(&rates, &mut forces).unwrap();
    let by_matrix = &expected * DVector::from_column_slice(&rates);
    for k in 0..5 {
        assert!((forces[k] - bias[k] - by_matrix[k]).abs() < 1e-12, "{forces:?}");
    }
    let mut back = [0.0; 5];
    kinematics.forward_dynamics(&forces, &mut back).unwrap();
    assert!(back.iter().zip(rates).all(|(a, b)| (a - b).abs() < 1e-12), "{back:?}");
}

/// A rotor of 0.02 kg·m² behind a gear of ratio 5 is an armature of `0.02 · 25 = 0.5`, and its momentum is part of that of
/// the joint.
#[test]
fn momentum_and_its_derivatives_have_the_rotor() {
    let bob = MassProperties::point(2.0).unwrap().translated(&Vector3::new(0.5, 0.0, 0.0));
    let joint = Joint::revolute(Vector3::z()).with_armature(&[0.02 * 25.0]);
    let system = Articulated::new(vec![Link::new("arm", joint).with_mass(bob)], Vector3::zeros());
    let system = system.unwrap();
    let (mut momentum, mut rate) = ([0.0], [0.0]);
    Lagrangian::momentum(&system, &[0.1], &[3.0], 0.0, &mut momentum, &mut rate);
    assert!((momentum[0] - 3.0 * (2.0 * 0.25 + 0.5)).abs() < 1e-15);
    let mut derivatives = Derivatives::zeros(1);
    system.momentum_derivatives(&[0.1], &[3.0], 0.0, &mut derivatives);
    assert!((derivatives.momentum_by_velocity[(0, 0)] - 1.0).abs() < 1e-15);
}

/// A motor alone moves, if slowly: without its rotor the mass matrix is singular.
#[test]
fn a_massless_joint_with_a_rotor_is_regular() {
    let joint = Joint::revolute(Vector3::z());
    let bare = Articulated::new(vec![Link::new("wheel", joint.clone())], Vector3::zeros());
    assert!(matches!(bare, Err(ArticulatedError::SingularMass { .. })));
    let geared = Link::new("wheel", joint.with_armature(&[1e-3]));
    assert!(Articulated::new(vec![geared], Vector3::zeros()).is_ok());
}

#[test]
fn armatures_of_no_rotor_are_refused() {
    let with = |armature: &[f64]| {
        let joint = Joint::spherical().with_armature(armature);
        let mass = MassProperties::solid_sphere(1.0, 0.1).unwrap();
        Articulated::new(vec![Link::new("ball", joint).with_mass(mass)], Vector3::zeros())
    };
    assert!(matches!(with(&[-1.0; 3]), Err(ArticulatedError::Negative { field: "armature", .. })));
    assert!(matches!(with(&[1.0; 2]), Err(ArticulatedError::Length { field: "armature", .. })));
    assert!(matches!(with(&[1.0, 1.0, 2.0]), Err(ArticulatedError::AnisotropicArmature { .. })));
}
