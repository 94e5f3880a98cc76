//! A rotating rod falls flat on two supports: its velocity after the impact, by two laws.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{Coefficients, Law, Mass, Problem, anitescu_potra::AnitescuPotra, certificate::Certificate, poisson::Poisson};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Velocities: horizontal, vertical (m/s), angular (rad/s). A rod of 1 m and 3 kg, inertia 1/4 kg·m².
    let mass_matrix = DMatrix::from_diagonal(&DVector::from_row_slice(&[3.0, 3.0, 0.25]));
    let before = DVector::from_row_slice(&[0.0, -1.0, 1.0]);

    // Rows of the contact Jacobian: normal and tangential velocity of the left and of the right end.
    let jacobian = DMatrix::from_row_slice(
        4,
        3,
        &[
            0.0, 1.0, -0.5, //
            1.0, 0.0, 0.0, //
            0.0, 1.0, 0.5, //
            1.0, 0.0, 0.0,
        ],
    );
    let support = Coefficients { friction: 0.4, restitution: 0.5 };
    let (mass, joints) = (Mass::Matrix(mass_matrix), DMatrix::zeros(0, 3));
    let problem = Problem::from_jacobian(mass, before, &jacobian, &[support; 2], joints)?;

    let laws: [(&str, &dyn Law); 2] =
        [("inelastic", &AnitescuPotra::default()), ("Poisson", &Poisson::default())];
    for (name, law) in laws {
        let outcome = law.resolve(&problem)?;
        let certificate = Certificate::check(&problem, &outcome)?;
        println!("{name}: v = {:?}", outcome.velocity.as_slice());
        println!("  momentum residual {:e}", certificate.momentum_residual);
        println!("  energy change     {} J", certificate.energy_change);
        assert!(certificate.momentum_residual < 1e-12 && certificate.approach < 1e-12);
    }

    // Both ends approach, at 1.5 and 0.5 m/s, and an inelastic impact stops both: the rod rests.
    let rest = AnitescuPotra::default().resolve(&problem)?;
    assert!(rest.velocity.amax() < 1e-12);
    // Poisson's law adds half of the impulses again, which reverses half of the velocity.
    let rebound = Poisson::default().resolve(&problem)?;
    assert!((rebound.velocity[1] - 0.5).abs() < 1e-12 && (rebound.velocity[2] + 0.5).abs() < 1e-12);
    Ok(())
}
