//! What a problem with blocks refuses.

use nalgebra::DMatrix;

use super::{Error, Model, Problem, ProblemError, Settings, Steps};
use crate::friction::{report, single::SYMMETRY};

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

/// Refuses settings out of range, and a start that is not one finite impulse per row.
pub(super) fn check_solve(
    problem: &Problem,
    settings: &Settings,
    start: &[f64],
) -> Result<(), report::Error> {
    if start.len() != problem.rows() {
        return Err(report::Error::StartLength { expected: problem.rows(), found: start.len() });
    }
    if let Some((contact, &value)) = start.iter().enumerate().find(|(_, p)| !p.is_finite()) {
        return Err(report::Error::StartEntry { contact, value });
    }
    let value = settings.tolerance;
    if value.is_nan() || value < 0.0 {
        return Err(report::Error::Setting { name: "tolerance", value, expected: "≥ 0" });
    }
    if settings.steps == Steps::Sweeps && problem.model == Model::ConvexRelaxation {
        return Err(report::Error::Relaxation);
    }
    Ok(())
}
