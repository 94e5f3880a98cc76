//! The reasons why data are not a frictional contact problem: [`ProblemError`].

use super::single;

/// The reason why data are not a frictional contact problem.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// There are no contacts.
    #[error("problem has no contacts, expected at least one")]
    Empty,
    /// A dense matrix is not square or does not consist of whole blocks.
    #[error(
        "matrix is {rows} × {columns}, expected a square matrix of {components} × {components} blocks"
    )]
    MatrixShape {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
        /// Rows of a block.
        components: usize,
    },
    /// The shapes of the contact Jacobian and the inverse mass matrix do not match.
    #[error(
        "jacobian is {jacobian:?} and inverse mass {inverse_mass:?}, expected (3 n, n_v) and (n_v, n_v)"
    )]
    JacobianShape {
        /// Shape of the Jacobian.
        jacobian: (usize, usize),
        /// Shape of the inverse mass matrix.
        inverse_mass: (usize, usize),
    },
    /// An entry of the Jacobian or of its product with the inverse mass is NaN or infinite.
    #[error("jacobian or its response at [{row}][{column}] is {value}, expected a finite number")]
    JacobianEntry {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A block lies outside the matrix.
    #[error("block ({row}, {column}) is outside of {contacts} contacts")]
    BlockPosition {
        /// Row of the block.
        row: usize,
        /// Column of the block.
        column: usize,
        /// Number of contacts.
        contacts: usize,
    },
    /// A block is given twice.
    #[error("block ({row}, {column}) is given twice")]
    DuplicateBlock {
        /// Row of the block.
        row: usize,
        /// Column of the block.
        column: usize,
    },
    /// A diagonal block is not given.
    #[error("block ({contact}, {contact}) is missing, expected a positive definite block")]
    MissingDiagonal {
        /// Row and column of the block.
        contact: usize,
    },
    /// An entry of `W` is NaN or infinite.
    #[error("delassus[{row}][{column}] is {value}, expected a finite number")]
    Entry {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// `W` is not symmetric within [`SYMMETRY`](single::SYMMETRY).
    #[error(
        "delassus[{row}][{column}] is {value} but delassus[{column}][{row}] is {other}, expected a symmetric operator"
    )]
    Unsymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
        /// Its mirror image.
        other: f64,
    },
    /// The diagonal block or the friction coefficient of a contact is refused; rows and columns are those
    /// within the block.
    #[error("contact {contact}: {error}")]
    Contact {
        /// The contact.
        contact: usize,
        /// The reason.
        error: single::Error,
    },
    /// The length of a list does not match the number of contacts.
    #[error("{name} has length {found}, expected {expected}")]
    Length {
        /// Name of the list.
        name: &'static str,
        /// Length found.
        found: usize,
        /// Length expected.
        expected: usize,
    },
    /// An entry of the free velocity is NaN or infinite.
    #[error("free_velocity[{row}] is {value}, expected a finite number")]
    FreeVelocity {
        /// Row of the entry.
        row: usize,
        /// The entry.
        value: f64,
    },
}
