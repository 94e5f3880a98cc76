//! A change of the data of an impact: [`Direction`].

use nalgebra::{DMatrix, DVector};

use super::error::{Error, check_matrix, check_vector};
use crate::Problem;

/// A change of the data of an impact; what is `None` does not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Direction {
    /// `dv⁻` (length `n_v`).
    pub velocity: Option<DVector<f64>>,
    /// `dM` (`n_v × n_v`), of which the symmetric part acts.
    pub mass: Option<DMatrix<f64>>,
    /// `dJ`, the rows of all contacts (`r × n_v`).
    pub jacobian: Option<DMatrix<f64>>,
    /// `dG`, the rows of the joints (`m_b × n_v`); they must be independent.
    pub joints: Option<DMatrix<f64>>,
    /// `dμ`, one for each contact. At `μ = 0` the derivative is the one for `dμ ≥ 0`.
    pub friction: Option<Vec<f64>>,
    /// `de`, one for each contact.
    pub restitution: Option<Vec<f64>>,
}

impl Direction {
    pub(super) fn check(&self, problem: &Problem) -> Result<(), Error> {
        let (n, rows) = (problem.dimension(), problem.contact_jacobian().nrows());
        let joints = problem.bilateral_jacobian().nrows();
        if let Some(velocity) = &self.velocity {
            check_vector("velocity", velocity.as_slice(), n)?;
        }
        let matrices = [
            ("mass", &self.mass, (n, n)),
            ("jacobian", &self.jacobian, (rows, n)),
            ("joints", &self.joints, (joints, n)),
        ];
        for (name, matrix, shape) in matrices {
            if let Some(matrix) = matrix {
                check_matrix(name, matrix, shape)?;
            }
        }
        for (name, numbers) in [("friction", &self.friction), ("restitution", &self.restitution)] {
            if let Some(numbers) = numbers {
                check_vector(name, numbers, problem.contacts().len())?;
            }
        }
        let rank = problem.joint_span().rank();
        if self.joints.is_some() && rank < joints {
            return Err(Error::RedundantJoints { rows: joints, rank });
        }
        Ok(())
    }

    /// Whether the outcome is affine along the direction as long as that of the friction problem is.
    pub(super) const fn keeps_matrices(&self) -> bool {
        let factors = self.velocity.is_some() && self.restitution.is_some();
        self.mass.is_none() && self.jacobian.is_none() && self.joints.is_none() && !factors
    }
}
