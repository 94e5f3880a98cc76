//! Tests of the steps and the reported residual.

use nalgebra::{Matrix3, matrix, vector};

use super::*;
use crate::friction::single::coulomb;

/// By hand: `A = 2 I`, `b = (4, 0, 0)` and a start of 1 N·s leave 2 m/s of approach, which one step of `1/2` removes.
#[test]
fn a_step_of_the_inverse_mass_solves_an_isotropic_contact() {
    let contact = Contact::new(&(2.0 * Matrix3::identity()), 0.5).unwrap();
    let (b, start) = (vector![4.0, 0.0, 0.0], vector![1.0, 0.0, 0.0]);
    let accepted = solve(&contact, &b, &start, 0.5);
    assert_eq!((accepted.impulse, accepted.iterations, accepted.residual), (start, 0, 2.0));
    let solved = solve(&contact, &b, &start, 0.499);
    assert!(solved.iterations > 0 && solved.residual <= 0.499 * 4.0, "{solved:?}");
    let last = solve(&contact, &b, &start, 1e-12);
    assert!((last.impulse - vector![2.0, 0.0, 0.0]).norm() <= 2e-12, "{last:?}");
}

/// The first of equal iterates is reported, here the start, which is the solution.
#[test]
fn the_first_best_iterate_is_reported() {
    let contact = Contact::new(&Matrix3::identity(), 1.0).unwrap();
    let right = vector![2.0, 1.0, 0.0];
    let answer = solve(&contact, &right, &right, -1.0);
    assert_eq!((answer.impulse, answer.iterations), (right, 0));
}

/// Steps are relative to the inverse mass, so that units of mass do not matter.
#[test]
fn contacts_of_any_mass_are_solved() {
    let block = matrix![2.0, 0.5, -0.3; 0.5, 1.0, 0.2; -0.3, 0.2, 1.5];
    let b = vector![1.0, 0.8, -0.6];
    for unit in [1.0, 2.0_f64.powi(40), 2.0_f64.powi(-40)] {
        let contact = Contact::new(&(block * unit), 0.3).unwrap();
        let expected = coulomb::solve(&contact, &b);
        let found = solve(&contact, &b, &Vector3::zeros(), 1e-12);
        assert!((found.impulse - expected).norm() <= 1e-10 * expected.norm(), "{unit} {found:?}");
    }
}
