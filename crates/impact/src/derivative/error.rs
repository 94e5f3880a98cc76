//! Why a derivative of an outcome was not computed: [`Error`].

use std::fmt;

use nalgebra::DMatrix;
use percussion_complementarity::friction;

use crate::{certificate::CertificateError, readable::readable};

/// The reason why a derivative was not computed, or why there is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The outcome does not belong to the problem.
    #[error("outcome: {0}")]
    Outcome(#[from] CertificateError),
    /// The law reduced restitution so that the energy does not grow, by a factor that depends on all data.
    #[error(
        "restitution of the outcome is reduced by the factor {}, expected an outcome with the restitution of the problem", readable(*.factor)
    )]
    Reduced {
        /// The factor.
        factor: f64,
    },
    /// The impact could not be stated as a friction problem.
    #[error(transparent)]
    Impact(#[from] crate::Error),
    /// A part of a direction, or a weight, has the wrong size.
    #[error("`{name}` has the shape {found}, expected {expected}")]
    Shape {
        /// Its name.
        name: &'static str,
        /// Rows and columns found.
        found: Shape,
        /// Rows and columns expected.
        expected: Shape,
    },
    /// An entry is NaN or infinite.
    #[error("`{name}[{row}, {column}]` is {value}, expected a finite number")]
    Entry {
        /// Name of the vector or matrix.
        name: &'static str,
        /// Row of the entry.
        row: usize,
        /// Column of the entry, 0 in a vector.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// The rows of the joints are redundant, so that their changes may contradict each other.
    #[error(
        "joints have {rows} rows of the rank {rank}, expected independent rows: there is no derivative with respect to them"
    )]
    RedundantJoints {
        /// Number of rows.
        rows: usize,
        /// Number of independent rows.
        rank: usize,
    },
    /// A contact with restitution neither approaches nor separates before the impact: there are only one-sided
    /// derivatives.
    #[error(
        "contact {contact} with restitution neither approaches nor separates before the impact: there are at most one-sided derivatives"
    )]
    Grazing {
        /// The first such contact.
        contact: usize,
    },
    /// The derivative of the friction problem does not exist, or the outcome is not one of the law. Its contacts are
    /// numbered without those that cannot move.
    #[error("contact problem of the impact: {0}")]
    Friction(#[from] friction::derivative::Error),
}

/// Rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shape {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} × {}", self.rows, self.columns)
    }
}

/// Refuses a matrix of another shape, or with an entry that is not finite.
pub(super) fn check_matrix(
    name: &'static str,
    matrix: &DMatrix<f64>,
    (rows, columns): (usize, usize),
) -> Result<(), Error> {
    let found = Shape { rows: matrix.nrows(), columns: matrix.ncols() };
    check(name, matrix.as_slice(), found, Shape { rows, columns })
}

/// Refuses a vector of another length, or with an entry that is not finite.
pub(super) fn check_vector(name: &'static str, vector: &[f64], length: usize) -> Result<(), Error> {
    let of = |rows| Shape { rows, columns: 1 };
    check(name, vector, of(vector.len()), of(length))
}

/// The same for `entries` by columns.
fn check(name: &'static str, entries: &[f64], found: Shape, expected: Shape) -> Result<(), Error> {
    if found != expected {
        return Err(Error::Shape { name, found, expected });
    }
    match entries.iter().position(|entry| !entry.is_finite()) {
        None => Ok(()),
        Some(index) => {
            let (row, column) = (index % found.rows, index / found.rows);
            Err(Error::Entry { name, row, column, value: entries[index] })
        }
    }
}
