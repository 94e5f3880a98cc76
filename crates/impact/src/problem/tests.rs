//! Tests of the problem: what is refused, and what masses, joints and rows that cannot move do.

mod stated;

use nalgebra::{Cholesky, DMatrix, DVector, dmatrix, dvector};

use super::{Contact, Mass, MassOperator, Problem, ProblemError};
use crate::outcome::Trace;

fn mass() -> DMatrix<f64> {
    dmatrix![4.0, 1.0; 1.0, 2.0]
}

fn contact() -> Contact {
    Contact::new(dvector![0.0, 1.0]).with_friction(0.5, vec![dvector![1.0, 0.0]])
}

fn refusal(mass: Mass, velocity: DVector<f64>, contact: Contact) -> String {
    Problem::new(mass, velocity, vec![contact]).unwrap_err().to_string()
}

#[test]
fn wrong_numbers_and_sizes_are_named() {
    let (m, v) = (|| Mass::Matrix(mass()), || dvector![1.0, -1.0]);
    let cases = [
        (
            refusal(m(), dvector![1.0, f64::NAN], contact()),
            "velocity[1] is NaN, expected a finite number",
        ),
        (refusal(m(), dvector![1.0], contact()), "contacts[0].normal has size 2, expected 1"),
        (refusal(m(), dvector![], contact()), "velocity has size 0, expected 1"),
        (refusal(Mass::Matrix(dmatrix![1.0]), v(), contact()), "mass has size 1, expected 2"),
        (
            refusal(m(), v(), contact().with_friction(-0.1, vec![])),
            "contacts[0].friction is -0.1, expected a number of at least 0",
        ),
        (
            refusal(m(), v(), contact().with_friction(f64::INFINITY, vec![])),
            "contacts[0].friction is inf, expected a finite number; for no slip take 1e5",
        ),
        (
            refusal(m(), v(), contact().with_restitution(1.5)),
            "contacts[0].restitution is 1.5, expected a number in [0, 1]",
        ),
        (
            refusal(m(), v(), contact().with_restitution(f64::NAN)),
            "contacts[0].restitution is NaN, expected a number in [0, 1]",
        ),
        (
            refusal(m(), v(), contact().with_friction(0.5, vec![dvector![1.0]])),
            "contacts[0].tangents[0] has size 1, expected 2",
        ),
        (
            refusal(m(), v(), contact().with_friction(0.5, vec![v(), v(), v()])),
            "contacts[0].tangents has 3 rows, expected 0, 1 or 2",
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(message, expected);
    }
    let error = Problem::with_joints(m(), v(), vec![], DMatrix::zeros(1, 3)).unwrap_err();
    assert_eq!(error.to_string(), "bilateral row has size 3, expected 2");
}

#[test]
fn wrong_mass_matrices_are_refused() {
    let refuse = |mass| refusal(mass, dvector![0.0, -1.0], contact());
    assert_eq!(
        refuse(Mass::Matrix(dmatrix![1.0, 2.0; 2.0, 1.0])),
        "mass_matrix, scaled to a unit diagonal, has the eigenvalue -1, expected a positive \
         definite matrix"
    );
    assert!(refuse(Mass::Matrix(dmatrix![4.0, 2.0; 2.0, 1.0])).contains("positive definite"));
    assert_eq!(
        refuse(Mass::Matrix(dmatrix![1.0, 0.5; 0.0, 1.0])),
        "mass_matrix[1][0] is 0 and its mirror 0.5, expected them equal"
    );
    assert_eq!(
        refuse(Mass::Matrix(dmatrix![0.0, 0.0; 0.0, 1.0])),
        "mass_matrix[0][0] is 0, expected a positive number"
    );
    assert_eq!(
        refuse(Mass::Factor(dmatrix![1.0, 0.0; 2.0, -1.0])),
        "mass_factor[1][1] is -1, expected a positive number"
    );
    assert!(refuse(Mass::Matrix(DMatrix::zeros(1, 2))).contains("expected 1"));
}

#[test]
fn products_that_overflow_are_refused() {
    let refuse = |mass| refusal(mass, dvector![0.0, -1.0], contact());
    let huge = dmatrix![1e-300, 1e300; 1e300, 1e-300];
    assert!(refuse(Mass::Matrix(huge)).contains("eigenvalue -inf"));
    let message = refuse(Mass::Factor(dmatrix![1e200, 0.0; 1.0, 1.0]));
    assert_eq!(message, "mass_factor · mass_factorᵀ[0][0] is inf, expected a finite number");
    let joints = dmatrix![1e200, 0.0];
    let error = Problem::with_joints(Mass::Matrix(mass()), dvector![0.0, 0.0], vec![], joints);
    assert!(error.unwrap_err().to_string().contains("expected finite numbers"));
}

/// `M x` and `M⁻¹ x` of [`mass`], the latter times `factor`.
#[derive(Debug)]
struct Procedure {
    factor: f64,
}

impl MassOperator for Procedure {
    fn dimension(&self) -> usize {
        2
    }

    fn multiply(&self, columns: &mut DMatrix<f64>) {
        *columns = mass() * &*columns;
    }

    fn solve(&self, columns: &mut DMatrix<f64>) {
        *columns = dmatrix![2.0, -1.0; -1.0, 4.0] / 7.0 * &*columns * self.factor;
    }
}

#[test]
fn matrix_factor_and_procedure_are_the_same_mass() {
    let factor = Cholesky::new(mass()).unwrap().l();
    let make = |mass| Problem::new(mass, dvector![1.0, -3.0], vec![contact()]).unwrap();
    let matrix = make(Mass::Matrix(mass()));
    for other in [Mass::Factor(factor), Mass::operator(Procedure { factor: 1.0 })].map(make) {
        assert!((matrix.delassus() - other.delassus()).amax() < 1e-15);
        let velocity = matrix.velocity();
        assert!((matrix.momentum(velocity) - other.momentum(velocity)).amax() < 1e-14);
    }
}

#[test]
fn a_procedure_that_does_not_undo_itself_is_refused() {
    let wrong = Mass::operator(Procedure { factor: 1.1 });
    let error = Problem::new(wrong, dvector![1.0, -3.0], vec![contact()]).unwrap_err();
    assert!(matches!(error, ProblemError::Operator { name: "contacts", .. }), "{error}");
}

/// A joint holds the second velocity at zero, stated twice in different units.
fn held() -> Problem {
    let joints = dmatrix![0.0, 1.0; 0.0, 1000.0];
    let mass = Mass::Matrix(mass());
    Problem::with_joints(mass, dvector![1.0, -3.0], vec![contact()], joints).unwrap()
}

#[test]
fn redundant_joints_share_what_one_would_carry() {
    let outcome = held().outcome(&dvector![0.0, 0.0], Trace::resolved(vec![]));
    assert!(outcome.velocity[1].abs() < 1e-15, "{}", outcome.velocity);
    // Momentum along the first velocity stays 4 − 3; the joint takes the rest, 1/4 − (1 − 6).
    assert!((outcome.velocity[0] - 0.25).abs() < 1e-15);
    let effect = outcome.bilateral_impulses[0] + 1000.0 * outcome.bilateral_impulses[1];
    assert!((effect - 5.25).abs() < 1e-13, "{effect}");
    let shares = outcome.bilateral_impulses[0] - 1000.0 * outcome.bilateral_impulses[1];
    assert!(shares.abs() < 1e-13, "equal shares in the metric of the rows, not {shares}");
}

#[test]
fn a_contact_that_its_joint_holds_does_not_move() {
    let held = held();
    assert_eq!(held.delassus(), &dmatrix![0.0, 0.0; 0.0, 0.25]);
    assert!(held.response().column(0).amax() == 0.0, "its percussion moves nothing");
    assert!(held.free_contact_velocity()[0] == 0.0, "the joint stops it without rounding");
}

#[test]
fn the_problem_of_one_contact_is_a_part_of_the_whole() {
    let wall = Contact::new(dvector![1.0, 0.0]);
    let mass = Mass::Matrix(mass());
    let problem = Problem::new(mass, dvector![1.0, -3.0], vec![wall.clone(), contact()]).unwrap();
    let part = problem.contact_problem(1).unwrap();
    assert_eq!(part.contacts(), [contact()]);
    assert_eq!(part.delassus(), &problem.delassus().view((1, 1), (2, 2)).into_owned());
    let error = problem.contact_problem(2).unwrap_err().to_string();
    assert_eq!(error, "contact index is 2, expected the index of a contact");
    assert!(problem.with_velocity(dvector![f64::INFINITY, 0.0]).is_err());
}

#[test]
fn a_contact_whose_effect_overflows_is_not_taken_for_one_that_cannot_move() {
    let joint = dmatrix![0.0, 1.0];
    let contact = Contact::new(dvector![1e300, 0.0]);
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let refused = Problem::with_joints(mass, dvector![-1.0, 0.0], vec![contact], joint);
    let message = refused.unwrap_err().to_string();
    assert_eq!(message, "Delassus operator of the contacts is inf, expected finite numbers");
}

/// Symptom: a contact with the row `1e-200` was resolved without an impulse, at its full speed of approach. Cause: `W`
/// underflows to zero, as for a contact that joints hold.
#[test]
fn a_contact_whose_effect_underflows_is_not_taken_for_one_that_cannot_move() {
    let of = |row: f64, mass: f64| {
        let mass = Mass::Matrix(DMatrix::identity(2, 2) * mass);
        Problem::new(mass, dvector![-1.0, 0.0], vec![Contact::new(dvector![row, 0.0])])
    };
    for (row, mass) in [(1e-200, 1.0), (1e-160, 1.0), (1e-4, 1e301)] {
        let error = of(row, mass).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("Delassus operator of the contacts is "), "{message}");
        assert!(message.contains("expected numbers of at least 2.3e-308"), "{message}");
        let ProblemError::Entry { value, .. } = error else { panic!("{message}") };
        assert!((0.0..1e-308).contains(&value), "{message}");
    }
    assert!(of(1e-150, 1.0).is_ok() && of(1.0, 1e300).is_ok());
    // The square is 2⁻¹⁰²², the smallest normal number.
    assert!(of(f64::exp2(-511.0), 1.0).is_ok());
    assert!(of(0.0, 1.0).is_ok(), "a row of zeros cannot move");
}
