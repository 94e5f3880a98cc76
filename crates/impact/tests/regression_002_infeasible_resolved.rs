//! Symptom: maximum dissipation answered impulses of 9.5e15 N·s with 1 m/s of approach to an impact that has no
//! answer, and its certificate showed no violation.
//! Cause: the sizes that figures were measured by came from the impulses of the answer.
//! Expected: between a wall that asks for rebound and one behind the body there is no answer: the status is `Infeasible`, with weights
//! of the contacts whose combination no impulse changes.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use percussion_impact::{
    Contact, Law, Mass, Outcome, Problem, Status, maximum_dissipation::MaximumDissipation,
    newton::Newton, poisson::Poisson,
};

fn laws() -> Vec<Box<dyn Law>> {
    vec![
        Box::new(Newton::default()),
        Box::new(MaximumDissipation::default()),
        Box::new(MaximumDissipation::coulomb()),
    ]
}

fn assert_proof(problem: &Problem, outcome: &Outcome) {
    assert_eq!(outcome.trace.status, Status::Infeasible, "no percussion resolves the impact");
    let weights = outcome.trace.infeasibility.as_ref().expect("the status has a proof");
    assert!(weights.min() >= 0.0 && (weights.sum() - 1.0).abs() < 1e-14, "{weights}");
    let mut combination = DVector::zeros(problem.dimension());
    let mut asked = 0.0;
    for (contact, weight) in problem.contacts().iter().zip(weights.iter()) {
        combination.axpy(*weight, &contact.normal, 1.0);
        asked += weight * contact.restitution * (-contact.normal.dot(problem.velocity())).max(0.0);
    }
    assert!(combination.amax() < 1e-13, "{combination}");
    assert!(asked > 1e-3, "{asked}");
}

#[test]
fn a_wall_in_front_and_one_behind() {
    let walls =
        vec![Contact::new(dvector![-1.0]).with_restitution(1.0), Contact::new(dvector![1.0])];
    let problem = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![1.0], walls).unwrap();
    for law in laws() {
        assert_proof(&problem, &law.resolve(&problem).unwrap());
    }
    // Poisson's law asks for no speed: 1 N·s stops it, and what is given back the wall behind takes.
    assert_eq!(Poisson::default().resolve(&problem).unwrap().trace.status, Status::Resolved);
}

/// The same with friction, in space, and three walls around the body.
#[test]
fn three_walls_around_a_body_with_friction() {
    let third = 0.75_f64.sqrt();
    let sides = [[0.0, 1.0], [third, -0.5], [-third, -0.5]];
    let walls = sides.map(|[x, y]| {
        Contact::new(dvector![x, y, 0.0])
            .with_friction(0.5, vec![dvector![-y, x, 0.0], dvector![0.0, 0.0, 1.0]])
            .with_restitution(0.5)
    });
    let mass = Mass::Matrix(DMatrix::identity(3, 3) * 3.0);
    let problem = Problem::new(mass, dvector![0.1, -1.0, 0.4], walls.to_vec()).unwrap();
    for law in laws() {
        assert_proof(&problem, &law.resolve(&problem).unwrap());
    }
}
