//! Find `z ≥ 0` with `w = M z + q ≥ 0` and `z · w = 0`.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{
    Problem, Status,
    lemke::{self, Settings, Workspace},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let matrix = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
    let vector = DVector::from_row_slice(&[-5.0, -6.0]);
    let problem = Problem::new(matrix, vector)?;
    let mut z = DVector::zeros(2);
    let report = lemke::solve(&problem, &Settings::default(), &mut Workspace::new(2), &mut z)?;
    println!("{:?} with residual {:e}: z = {:?}", report.status, report.residual, z.as_slice());
    // Both rows are equations here: 2 z₁ + z₂ = 5 and z₁ + 2 z₂ = 6.
    assert_eq!(report.status, Status::Solved);
    assert!((z[0] - 4.0 / 3.0).abs() < 1e-12 && (z[1] - 7.0 / 3.0).abs() < 1e-12);
    Ok(())
}
