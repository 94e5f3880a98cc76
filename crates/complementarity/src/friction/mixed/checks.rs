//! What a problem with blocks refuses.

use nalgebra::DMatrix;

use super::{Error, ProblemError};
use crate::friction::single::SYMMETRY;

/// Refuses velocities that are not finite.
pub(super) fn check_free_velocity(free_velocity: &[f64]) -> Result<(), Error> {
    match free_velocity.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((row, &value)) => Err(ProblemError::FreeVelocity { row, value }.into()),
        None => Ok(()),
    }
}

/// Refuses entries that are not finite, unsymmetric pairs and negative minors.
pub(super) fn check_matrix(matrix: &DMatrix<f64>) -> Result<(), Error> {
    let n = matrix.nrows();
    for row in 0..n {
        for column in 0..n {
            let value = matrix[(row, column)];
            if !value.is_finite() {
                return Err(ProblemError::Entry { row, column, value }.into());
            }
        }
        let value = matrix[(row, row)];
        if value < 0.0 {
            return Err(Error::Negative { name: "diagonal of delassus", row, value });
        }
    }
    for row in 0..n {
        for column in 0..row {
            let (value, other) = (matrix[(row, column)], matrix[(column, row)]);
            let size = matrix[(row, row)].sqrt() * matrix[(column, column)].sqrt();
            if (value - other).abs() > SYMMETRY * size {
                return Err(ProblemError::Unsymmetric { row, column, value, other }.into());
            }
            if (0.5 * value + 0.5 * other).abs() > (1.0 + 1e-6) * size {
                return Err(Error::Indefinite { rows: [column, row] });
            }
        }
    }
    Ok(())
}
