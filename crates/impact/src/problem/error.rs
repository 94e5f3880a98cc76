//! Errors in the construction of a [`Problem`](super::Problem).

use nalgebra::{DMatrix, DVector};

use super::Contact;
use crate::readable::readable;

/// Reasons why data are not an impact problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A size does not agree with the rest.
    #[error("{field} has size {found}, expected {expected}")]
    Size {
        /// Name of the field with the wrong size.
        field: String,
        /// Size expected.
        expected: usize,
        /// Size found.
        found: usize,
    },
    /// A number is outside its range, or not finite.
    #[error("{field} is {}, expected {expected}", readable(*.value))]
    Entry {
        /// Name of the field.
        field: String,
        /// The number.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
    /// A contact has more than two tangents.
    #[error("contacts[{contact}].tangents has {found} rows, expected 0, 1 or 2")]
    Tangents {
        /// Index of the contact.
        contact: usize,
        /// Number of tangents.
        found: usize,
    },
    /// The mass matrix is not symmetric.
    #[error(
        "mass_matrix[{row}][{column}] is {} and its mirror {}, expected them equal",
        readable(*.below),
        readable(*.above)
    )]
    NotSymmetric {
        /// Row of the entry below the diagonal.
        row: usize,
        /// Its column.
        column: usize,
        /// The entry.
        below: f64,
        /// The entry above the diagonal.
        above: f64,
    },
    /// The mass matrix is indefinite or singular.
    #[error(
        "mass_matrix, scaled to a unit diagonal, has the eigenvalue {}, expected a positive \
         definite matrix",
        readable(*.eigenvalue)
    )]
    Indefinite {
        /// Smallest eigenvalue, dimensionless.
        eigenvalue: f64,
    },
    /// A [`MassOperator`](super::MassOperator) violates its contract on the rows of a field.
    #[error(
        "mass operator on the rows of {name} is off by {}, expected {expected}",
        readable(*.defect)
    )]
    Operator {
        /// Field whose rows reveal it.
        name: &'static str,
        /// Size of the defect; NaN when shapes are wrong.
        defect: f64,
        /// Expected property.
        expected: &'static str,
    },
}

impl ProblemError {
    pub(super) const fn entry(field: String, value: f64, expected: &'static str) -> Self {
        Self::Entry { field, value, expected }
    }
}

pub(super) fn check(
    velocity: &DVector<f64>,
    contacts: &[Contact],
    bilateral: &DMatrix<f64>,
) -> Result<(), ProblemError> {
    let n = velocity.len();
    if n == 0 {
        let field = "velocity".to_string();
        return Err(ProblemError::Size { field, expected: 1, found: 0 });
    }
    check_row("velocity", velocity, n)?;
    for (i, contact) in contacts.iter().enumerate() {
        check_contact(i, contact, n)?;
    }
    if bilateral.ncols() != n {
        let (field, found) = ("bilateral row".to_string(), bilateral.ncols());
        return Err(ProblemError::Size { field, expected: n, found });
    }
    for (i, row) in bilateral.row_iter().enumerate() {
        check_row(&format!("bilateral[{i}]"), &row.transpose(), n)?;
    }
    Ok(())
}

fn check_contact(index: usize, contact: &Contact, n: usize) -> Result<(), ProblemError> {
    let field = |name: &str| format!("contacts[{index}].{name}");
    check_row(&field("normal"), &contact.normal, n)?;
    if contact.tangents.len() > 2 {
        return Err(ProblemError::Tangents { contact: index, found: contact.tangents.len() });
    }
    for (i, tangent) in contact.tangents.iter().enumerate() {
        check_row(&field(&format!("tangents[{i}]")), tangent, n)?;
    }
    let (friction, restitution) = (contact.friction, contact.restitution);
    if friction == f64::INFINITY {
        let expected = "a finite number; for no slip take 1e5";
        return Err(ProblemError::entry(field("friction"), friction, expected));
    }
    if friction.is_nan() || friction < 0.0 {
        return Err(ProblemError::entry(field("friction"), friction, "a number of at least 0"));
    }
    if !(0.0..=1.0).contains(&restitution) {
        return Err(ProblemError::entry(field("restitution"), restitution, "a number in [0, 1]"));
    }
    Ok(())
}

pub(super) fn check_row(field: &str, row: &DVector<f64>, n: usize) -> Result<(), ProblemError> {
    if row.len() != n {
        let field = field.to_string();
        return Err(ProblemError::Size { field, expected: n, found: row.len() });
    }
    match row.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((i, &value)) => {
            Err(ProblemError::entry(format!("{field}[{i}]"), value, "a finite number"))
        }
        None => Ok(()),
    }
}

/// Finite data can still overflow in products.
pub(super) fn check_finite(field: &str, matrix: &DMatrix<f64>) -> Result<(), ProblemError> {
    match matrix.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(ProblemError::entry(field.to_string(), value, "finite numbers")),
        None => Ok(()),
    }
}

/// Rows that are not zero need an effect on themselves, `J_i M⁻¹ J_iᵀ`, that does not underflow: the contact would count
/// as one that cannot move. `sizes` are the roots of these.
pub(super) fn check_effects(
    jacobian: &DMatrix<f64>,
    sizes: &DVector<f64>,
) -> Result<(), ProblemError> {
    let too_small = |size: f64| size * size < f64::MIN_POSITIVE;
    match jacobian.row_iter().zip(sizes).find(|(row, size)| row.amax() > 0.0 && too_small(**size)) {
        Some((_, &size)) => {
            let field = "Delassus operator of the contacts".to_string();
            let expected = "numbers of at least 2.3e-308 for rows that are not zero";
            Err(ProblemError::entry(field, size * size, expected))
        }
        None => Ok(()),
    }
}
