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
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value}, expected a number ≥ 0")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A derivative is beyond the range of doubles, because of the units of the problem or the size of a direction.
    #[error(
        "{what} has entries that are not finite, expected units in which the data are near one"
    )]
    Range {
        /// Which derivative.
        what: &'static str,
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
    /// The law has no outcome, by [`resolve`](crate::Law::resolve).
    #[error("outcome of the law is {status:?}, expected one that is resolved")]
    Unresolved {
        /// Its status.
        status: crate::Status,
    },
    /// The law does not state the pieces of its outcome.
    #[error("law `{law}` states no pieces for {what}")]
    Unsupported {
        /// Name of the law.
        law: &'static str,
        /// The case for which the law states no pieces.
        what: &'static str,
    },
    /// The contacts have too many rows for the dense derivative by all data.
    #[error("contacts have {found} rows, expected at most {limit}")]
    Rows {
        /// Number of rows of `J`.
        found: usize,
        /// Maximum number.
        limit: usize,
    },
    /// The equations of a piece are singular: there is no derivative, or impulses that are given back are not unique.
    #[error("equations of piece {piece} of the outcome are singular: there is no derivative")]
    Singular {
        /// Its number, from 0.
        piece: usize,
    },
    /// A contact that cannot move along its normal has friction, whose limit nothing determines.
    #[error(
        "contact {contact} cannot move along its normal, and its friction is not determined: there is no derivative"
    )]
    Undetermined {
        /// The contact.
        contact: usize,
    },
    /// The outcome of the law does not solve the equations of its modes to the precision of a derivative.
    #[error("a mode of contact {contact} is violated by {} m/s: the outcome is not accurate enough", readable(-*.margin))]
    Modes {
        /// The contact.
        contact: usize,
        /// The margin of its mode, which is negative.
        margin: f64,
    },
    /// A mode ends here, and the direction changes how far it is from its end.
    #[error("contact {contact} is at the end of its mode: there are at most one-sided derivatives")]
    Edge {
        /// The contact.
        contact: usize,
    },
    /// The outcome jumps along the direction.
    #[error("the outcome jumps by {} m/s or rad/s in this direction: there is no derivative", readable(*.jump))]
    Jump {
        /// By how much the largest velocity jumps.
        jump: f64,
    },
    /// Redundant contacts contradict each other after a change along the direction.
    #[error("redundant contacts contradict each other along the direction: there is no derivative")]
    Contradiction,
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
