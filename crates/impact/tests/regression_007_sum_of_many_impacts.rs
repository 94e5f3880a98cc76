//! The velocity after each impact of a sequence was that of the sum of all impulses so far. Where many impulses cancel, the
//! rounding of the sum exceeded that of the single impact, and its restitution was off.

use nalgebra::{DMatrix, DVector, dvector};
use percussion_impact::{Contact, Law, Mass, Problem, newton::Newton, sequential::Sequential};

#[test]
fn each_impact_of_a_sequence_ends_with_the_velocity_of_its_own_problem() {
    // A ball between two heavy ones, which it strikes in turn.
    let masses = dvector![1e3, 0.1, 7e2];
    let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]]
        .map(|normal| Contact::new(normal).with_restitution(0.9));
    let mut velocity = dvector![1.0, 0.3, -0.7];
    let mass = Mass::Matrix(DMatrix::from_diagonal(&masses));
    let problem = Problem::new(mass, velocity.clone(), contacts.to_vec()).unwrap();
    let outcome = Sequential::new(Newton::default()).resolve(&problem).unwrap();
    assert!(outcome.trace.stages.len() > 50, "{}", outcome.trace.stages.len());
    for stage in &outcome.trace.stages {
        let single = problem.contact_problem(stage.contact.unwrap()).unwrap();
        let single = single.with_velocity(velocity).unwrap();
        velocity = Newton::default().resolve(&single).unwrap().velocity;
        assert_eq!(stage.velocity, velocity);
    }
    // The impulses still sum up to the change of momentum.
    let impulses: Vec<f64> = outcome.impulses.iter().map(|impulse| impulse.normal).collect();
    let momentum = problem.contact_jacobian().tr_mul(&DVector::from_vec(impulses));
    let change = masses.component_mul(&(outcome.velocity - problem.velocity()));
    assert!((momentum - change).amax() < 1e-10);
}
