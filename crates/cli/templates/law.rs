// A law of impact of your own: contacts are stopped one after the other, without friction and rebound, until none
// approaches. The certificate judges it like every other law.
//
//   cargo new my-law && cd my-law
//   cargo add percussion-impact nalgebra
//   cp FILE src/main.rs && cargo run
//
// The chapter "Adding a law, a solver, a scenario" of the book says how a law enters the lists.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Contact, Error, Law, Mass, Outcome, Problem, RestitutionUse, Status, Trace,
    certificate::{Certificate, Claims},
};

/// Stops the contacts in turn.
#[derive(Debug)]
struct InTurn {
    /// Maximum number of sweeps over all contacts.
    sweeps: usize,
}

impl Law for InTurn {
    fn name(&self) -> &'static str {
        "in-turn"
    }

    /// What the law promises; an outcome that breaks it is `Status::Violated`.
    fn claims(&self, _: &Problem) -> Claims {
        Claims::new(RestitutionUse::Ignored).dissipating(true)
    }

    /// The impulses of all contacts (N·s), each with its normal before its tangents.
    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        // u = W p + u⁻: the impulse of one contact changes the velocities of all (m/s).
        let delassus = problem.delassus();
        let mut velocity = problem.contact_velocity(problem.velocity());
        let mut impulse = DVector::<f64>::zeros(velocity.len());
        for _ in 0..self.sweeps {
            for contact in 0..problem.contacts().len() {
                let row = problem.rows(contact).start;
                // A contact can only push, so its whole impulse is not negative.
                let change = (-velocity[row] / delassus[(row, row)]).max(-impulse[row]);
                impulse[row] += change;
                velocity += delassus.column(row) * change;
            }
        }
        Ok(problem.outcome(&impulse, Trace::resolved(Vec::new())))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A ball of 1 kg lies on the ground, another of 1 kg falls on it at 2 m/s.
    let ground = Contact::new(DVector::from_vec(vec![1.0, 0.0]));
    let between = Contact::new(DVector::from_vec(vec![-1.0, 1.0]));
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let falling = DVector::from_vec(vec![0.0, -2.0]);
    let problem = Problem::new(mass, falling, vec![ground, between])?;

    let outcome = InTurn { sweeps: 200 }.resolve(&problem)?;
    let certificate = Certificate::check(&problem, &outcome)?;
    let (status, velocity) = (outcome.trace.status, outcome.velocity.as_slice());
    println!(
        "{status:?}: velocities {velocity:?}, energy change {:.3} J",
        certificate.energy_change
    );
    // Both balls rest, and the energy of 2 J is lost.
    assert_eq!(outcome.trace.status, Status::Resolved);
    assert!(outcome.velocity.amax() < 1e-12);
    Ok(())
}
