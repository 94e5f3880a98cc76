//! A block of 1 kg lies on one of 3 kg that is kicked along the floor: impulses and velocities after 0.1 s.
//!
//! `cargo run -p percussion-complementarity --example stacked_blocks`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use std::error::Error;

use nalgebra::{DMatrix, Matrix3, Vector3, dmatrix};
use percussion_complementarity::friction::{Method, Problem, Status};

fn main() -> Result<(), Box<dyn Error>> {
    // Contact 0 is between the blocks, contact 1 on the floor. The coupling of the two contacts is the same
    // along the normal and along both tangents.
    let inverse_masses = dmatrix![1.0 + 1.0 / 3.0, -1.0 / 3.0; -1.0 / 3.0, 1.0 / 3.0];
    let delassus: DMatrix<f64> = inverse_masses.kronecker(&Matrix3::identity());
    // Without contacts both blocks would fall at 1 m/s after 0.1 s at 10 m/s²; the lower one slides at 2 m/s.
    let free_velocity = [0.0, -2.0, 0.0, -1.0, 2.0, 0.0];
    let problem = Problem::from_dense(&delassus, &free_velocity, &[0.2, 0.5])?;

    for method in Method::all() {
        let solution = method.solve(&problem)?;
        let residual = problem.relative_residual(&solution.impulses);
        println!("{}: {:?}, residual {residual:.1e}", method.name(), solution.report.status);
        assert_eq!(solution.report.status, Status::Solved, "{}", method.name());

        // The contacts carry 1 and 4 kg for 0.1 s, and both slide: friction is 0.2 · 1 and 0.5 · 4 N·s. Methods
        // end at residuals of up to 1e-6 of 2.2 m/s. Divided by the smallest eigenvalue of W, 0.23/kg, that is
        // 1e-5 N·s.
        let expected = [Vector3::new(1.0, 0.2, 0.0), Vector3::new(4.0, -2.0, 0.0)];
        for (found, expected) in solution.impulses.iter().zip(&expected) {
            println!("  p = ({:.6}, {:.6}, {:.6}) N·s", found.x, found.y, found.z);
            assert!((found - expected).norm() < 1e-5, "{found} instead of {expected}");
        }
    }
    Ok(())
}
