//! Tests of the steps and the reported residual.

use nalgebra::{Matrix3, vector};

use super::*;

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
