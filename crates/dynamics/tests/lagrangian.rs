//! Momentum, its rate and their derivatives: against the mass matrix, the smooth forces and differences.
//!
//! Trees are planar, up to 30 joints deep, of size one, and are also treated as systems in space. `1e-11` relative
//! is the rounding of some thousand terms; differences of fourth order with the step `1e-3` are accurate to `1e-7`
//! relative (see `articulated_algorithms.rs`).

use nalgebra::{DMatrix, DVector, Vector2, Vector3};
use percussion_dynamics::{
    Articulated, Derivatives, Joint, Lagrangian, Link, MassProperties, PlanarBodies, PlanarBody,
    System,
};
use proptest::prelude::*;

mod articulated_support;
use articulated_support::{cases, gap, mass_matrix, planar_trees, rate, smooth_forces};

/// Momentum and its rate, one above the other.
fn momentum(system: &dyn Lagrangian, q: &[f64], v: &[f64]) -> DVector<f64> {
    let n = v.len();
    let (mut p, mut rate) = (vec![f64::NAN; n], vec![f64::NAN; n]);
    system.momentum(q, v, 0.0, &mut p, &mut rate);
    DVector::from_iterator(2 * n, p.into_iter().chain(rate))
}

/// The derivatives of [`momentum`] by `q` and by `v`.
fn derivatives(system: &dyn Lagrangian, q: &[f64], v: &[f64]) -> [DMatrix<f64>; 2] {
    let n = v.len();
    let mut all = Derivatives::zeros(n);
    system.momentum_derivatives(q, v, 0.0, &mut all);
    let stack = |above: &DMatrix<f64>, below: &DMatrix<f64>| {
        DMatrix::from_fn(2 * n, n, |i, j| if i < n { above[(i, j)] } else { below[(i - n, j)] })
    };
    [
        stack(&all.momentum_by_coordinates, &all.rate_by_coordinates),
        stack(&all.momentum_by_velocity, &all.rate_by_velocity),
    ]
}

/// The same by differences.
fn differences(system: &dyn Lagrangian, q: &[f64], v: &[f64]) -> [DMatrix<f64>; 2] {
    let n = v.len();
    let step = 1e-3;
    let shifted = |x: &[f64], k: usize, by: f64| {
        let mut x = x.to_vec();
        x[k] += by;
        x
    };
    let column = |f: &dyn Fn(f64) -> DVector<f64>| {
        let central = |h: f64| (f(h) - f(-h)) * (0.5 / h);
        central(0.5 * step) * (4.0 / 3.0) - central(step) * (1.0 / 3.0)
    };
    let by_q: Vec<_> =
        (0..n).map(|k| column(&|h| momentum(system, &shifted(q, k, h), v))).collect();
    let by_v: Vec<_> =
        (0..n).map(|k| column(&|h| momentum(system, q, &shifted(v, k, h)))).collect();
    // A tree of fixed joints has no columns.
    let matrix = |columns: &[DVector<f64>]| {
        if n == 0 { DMatrix::zeros(0, 0) } else { DMatrix::from_columns(columns) }
    };
    [matrix(&by_q), matrix(&by_v)]
}

/// `p = M v` and `ṗ = k + Ṁ v`.
fn momentum_is_that_of_newton(
    system: &Articulated,
    q: &[f64],
    v: &[f64],
) -> Result<(), TestCaseError> {
    let n = v.len();
    let velocity = DVector::from_column_slice(v);
    let found = momentum(system, q, v);
    let p = mass_matrix(system, q) * &velocity;
    let size = 1.0 + p.amax();
    prop_assert!((found.rows(0, n) - &p).amax() < 1e-11 * size);
    let moving = rate(system, q, v, |q| mass_matrix(system, q) * &velocity);
    let expected = smooth_forces(system, q, v) + moving;
    prop_assert!((found.rows(n, n) - &expected).amax() < 1e-7 * (1.0 + expected.amax()));
    Ok(())
}

fn derivatives_are_those_of_differences(
    system: &dyn Lagrangian,
    q: &[f64],
    v: &[f64],
) -> Result<(), TestCaseError> {
    let (exact, approximate) = (derivatives(system, q, v), differences(system, q, v));
    for (exact, approximate) in exact.iter().zip(&approximate) {
        let error = gap(exact, approximate);
        prop_assert!(error < 1e-7 * (1.0 + exact.amax()), "{error:e} of {:e}", exact.amax());
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn momentum_and_derivatives_agree_with_differences((case, in_space) in planar_trees()) {
        for system in [&case.system, &in_space] {
            momentum_is_that_of_newton(system, &case.q, &case.v)?;
            derivatives_are_those_of_differences(system, &case.q, &case.v)?;
        }
    }
}

/// Hinges with arbitrary axes, so that nothing stays in a plane.
#[test]
fn derivatives_in_space_agree_with_differences() {
    let mut links: Vec<Link> = Vec::new();
    for i in 0..6 {
        let s = f64::from(i);
        let axis = Vector3::new((1.0 + s).sin(), (2.0 * s).cos(), 0.3 * s - 0.8);
        let joint = if i == 3 { Joint::prismatic(axis) } else { Joint::revolute(axis) };
        let solid = MassProperties::solid_box(1.0 + 0.2 * s, &Vector3::new(0.3, 0.2, 0.6)).unwrap();
        let link = Link::new(i.to_string(), joint.with_damping(&[0.3]).with_spring(&[2.0], &[0.1]))
            .at(nalgebra::Isometry3::translation(0.1, -0.2, 0.7))
            .with_mass(solid.translated(&Vector3::new(0.1, 0.0, 0.3)));
        links.push(if i == 0 { link } else { link.on((i - 1).to_string()) });
    }
    let system = Articulated::new(links, Vector3::new(0.5, 1.0, -9.81)).unwrap();
    let q = [0.3, -0.8, 1.1, 0.2, -0.4, 0.9];
    let v = [1.0, 0.5, -0.7, 0.9, -1.2, 0.4];
    momentum_is_that_of_newton(&system, &q, &v).unwrap();
    derivatives_are_those_of_differences(&system, &q, &v).unwrap();
}

#[test]
fn free_bodies_in_the_plane_have_constant_derivatives() {
    let bodies = vec![PlanarBody::new(2.0, 0.5), PlanarBody::new(3.0, 1.5).with_torque(0.7)];
    let system = PlanarBodies::new(bodies, Vector2::new(0.0, -9.81)).unwrap();
    let (q, v) = ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [1.0, -1.0, 2.0, 0.5, 0.2, -3.0]);
    let found = momentum(&system, &q, &v);
    let p = mass_matrix(&system, &q) * DVector::from_column_slice(&v);
    assert!((found.rows(0, 6) - p).amax() < 1e-15);
    assert!((found.rows(6, 6) - smooth_forces(&system, &q, &v)).amax() < 1e-15);
    assert_eq!(derivatives(&system, &q, &v)[0], DMatrix::zeros(12, 6));
    derivatives_are_those_of_differences(&system, &q, &v).unwrap();
    assert_eq!(system.velocity_count(), 6);
}
