//! A sequence of impacts was resolved although the certificate of one of its impacts was violated: found by fuzzing
//! (`impact`, seed 15, case 103253).

use nalgebra::{DMatrix, dvector};
use percussion_impact::{
    Contact, Law, Mass, Problem, Status, newton::Newton, sequential::Sequential,
};

#[test]
fn a_sequence_of_one_impact_has_the_status_of_its_law() {
    let mass = DMatrix::from_row_slice(
        2,
        2,
        &[4.189688955035621, -0.00051580892852077, -0.00051580892852077, 2.18e-7],
    );
    let contact = Contact::new(dvector![0.432, 0.21163137954815703])
        .with_friction(1.0, vec![dvector![1.0, 1.0862666286300957]])
        .with_restitution(1.0);
    // At 4.7e6 m/s the separation misses that of Newton's restitution by 1.3 cm/s.
    let velocity = dvector![-4699718.836992683, 1.0];
    let problem = Problem::new(Mass::Matrix(mass), velocity, vec![contact]).unwrap();
    let alone = Newton::default().resolve(&problem).unwrap();
    assert_eq!(alone.trace.status, Status::Violated);
    let sequence = Sequential::new(Newton::default()).resolve(&problem).unwrap();
    assert_eq!(sequence.trace.status, Status::Violated);
    let all = Sequential::new(Newton::default()).all(&problem).unwrap();
    assert!(all.outcomes.iter().all(|outcome| outcome.trace.status == Status::Violated));
}
