//! A ball hits two that touch: laws that all keep energy and momentum give two answers.
//!
//! `cargo run -p percussion-impact --example laws_disagree`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use nalgebra::{DMatrix, dvector};
use percussion_impact::{
    Contact, Law, Mass, Problem, certificate::Certificate, newton::Newton, poisson::Poisson,
    propagative::Propagative,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Balls of 1 kg in a row; a normal takes the velocity of the right ball minus that of the left.
    let normals = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]];
    let contacts = normals.map(|normal| Contact::new(normal).with_restitution(1.0)).to_vec();
    let mass = Mass::Matrix(DMatrix::identity(3, 3));
    let problem = Problem::new(mass, dvector![1.0, 0.0, 0.0], contacts)?;

    let laws: [(&str, &dyn Law, [f64; 3]); 3] = [
        ("Newton", &Newton::default(), [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        ("Poisson", &Poisson::default(), [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        // From contact to contact, as on a desk.
        ("propagative", &Propagative::default(), [0.0, 0.0, 1.0]),
    ];
    for (name, law, expected) in laws {
        let outcome = law.resolve(&problem)?;
        let certificate = Certificate::check(&problem, &outcome)?;
        let energy = certificate.energy_change;
        println!("{name:<12} v = {:>6.3?} m/s, energy {energy:.1e} J", outcome.velocity.as_slice());
        let [a, b, c] = expected;
        assert!((&outcome.velocity - dvector![a, b, c]).amax() < 1e-12, "{name}");
        assert!(energy.abs() < 1e-12 && certificate.approach < 1e-12, "{name}");
    }
    Ok(())
}
