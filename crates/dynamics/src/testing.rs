//! Functions shared by the tests of this crate: random systems and states, and derivatives by differences.

use nalgebra::{DMatrix, Isometry3, Matrix3, Vector3};
use proptest::{prelude::*, test_runner::RngSeed};

use crate::{
    Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody, System,
    free_bodies::pose_coordinates, rotation,
};

/// Step of central differences. For functions with derivatives of size one their error is
/// `h²/6 + eps/h`, some 5e-11 in all.
pub(crate) const STEP: f64 = 1e-5;

/// Settings of the property tests: a fixed seed, so that every run tries the same cases.
pub(crate) fn fixed_seed() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(0x7065_7263),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A vector with entries in `[-1, 1]`.
pub(crate) fn vectors() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-1.0..1.0).prop_map(Vector3::from)
}

/// A unit vector.
pub(crate) fn directions() -> impl Strategy<Value = Vector3<f64>> {
    vectors().prop_filter_map("too short to normalize", |v| v.try_normalize(0.1))
}

/// A unit quaternion.
pub(crate) fn quaternions() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(-1.0..1.0)
        .prop_filter("too short to normalize", |q: &[f64; 4]| q.iter().any(|c| c.abs() > 0.1))
        .prop_map(|q| rotation::normalize(&q).unwrap())
}

/// A pose within a box of edge 2.
pub(crate) fn poses() -> impl Strategy<Value = Isometry3<f64>> {
    (vectors(), quaternions())
        .prop_map(|(x, q)| Isometry3::from_parts(x.into(), rotation::unit_quaternion(&q)))
}

/// Two bodies in space: an oblique box with a force and a torque, and a ball.
pub(crate) fn space() -> FreeBodies {
    let turn = rotation::unit_quaternion(&[0.5, 0.5, -0.5, 0.5])
        * nalgebra::UnitQuaternion::from_euler_angles(0.3, 0.4, 0.5);
    let oblique =
        MassProperties::solid_box(2.0, &Vector3::new(1.0, 2.0, 0.5)).unwrap().rotated(&turn);
    let first = Body::from_mass_properties(&oblique)
        .with_force(Vector3::new(1.0, -2.0, 0.5))
        .with_torque(Vector3::new(0.1, 0.2, 0.3));
    let second = Body::new(0.5, Matrix3::identity() * 0.2);
    FreeBodies::new(vec![first, second], Vector3::new(0.1, 0.0, -9.81)).unwrap()
}

/// Two bodies in the plane.
pub(crate) fn plane() -> PlanarBodies {
    let first = PlanarBody::new(2.0, 0.3).with_torque(0.7);
    PlanarBodies::new(vec![first, PlanarBody::new(0.5, 0.2)], nalgebra::Vector2::new(0.1, -9.81))
        .unwrap()
}

prop_compose! {
    /// Coordinates and a unit velocity of [`space`].
    pub(crate) fn states()(poses in [poses(), poses()], v in prop::collection::vec(-1.0..1.0, 12))
        -> (Vec<f64>, Vec<f64>)
    {
        (poses.iter().flat_map(pose_coordinates).collect(), unit(v))
    }
}

prop_compose! {
    /// Coordinates and a unit velocity of [`plane`].
    pub(crate) fn planar_states()(
        q in prop::collection::vec(-1.0..1.0, 6),
        v in prop::collection::vec(-1.0..1.0, 6),
    ) -> (Vec<f64>, Vec<f64>) {
        (q, unit(v))
    }
}

fn unit(mut v: Vec<f64>) -> Vec<f64> {
    v[0] += f64::MIN_POSITIVE; // never all zero
    let norm = dot(&v, &v).sqrt();
    v.iter().map(|c| c / norm).collect()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `q ⊕ s v`.
pub(crate) fn moved(system: &dyn System, q: &[f64], v: &[f64], s: f64) -> Vec<f64> {
    let tangent: Vec<f64> = v.iter().map(|c| s * c).collect();
    let mut moved = vec![f64::NAN; q.len()];
    system.retract(q, &tangent, &mut moved);
    moved
}

/// Derivative of `f` at `q` along `v`, by central differences.
pub(crate) fn derivative(
    system: &dyn System,
    q: &[f64],
    v: &[f64],
    f: impl Fn(&[f64]) -> f64,
) -> f64 {
    (f(&moved(system, q, v, STEP)) - f(&moved(system, q, v, -STEP))) / (2.0 * STEP)
}

pub(crate) fn mass_matrix(system: &dyn System, q: &[f64]) -> DMatrix<f64> {
    let n = system.velocity_count();
    let mut matrix = DMatrix::from_element(n, n, f64::NAN);
    system.mass_matrix(q, &mut matrix);
    matrix
}
