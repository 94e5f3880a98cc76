//! The validated [`Problem`]. The residuals that judge an answer are those of [`residual`](super::residual).

use nalgebra::{DMatrix, DVector};

use super::scaling::Scaling;

/// The reason why a matrix and a vector are not an LCP.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The matrix has no rows.
    #[error("matrix is empty, expected at least one row")]
    Empty,
    /// The matrix is not square.
    #[error("matrix is {rows} × {columns}, expected a square matrix")]
    NotSquare {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
    },
    /// The vector's length is not the size of the matrix.
    #[error("vector has length {found}, expected {expected}")]
    VectorLength {
        /// Size of the matrix.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// An entry of the matrix is NaN or infinite.
    #[error("matrix[{row}][{column}] is {value}, expected a finite number")]
    MatrixEntry {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// An entry of the vector is NaN or infinite.
    #[error("vector[{row}] is {value}, expected a finite number")]
    VectorEntry {
        /// Row of the entry.
        row: usize,
        /// The entry.
        value: f64,
    },
}

/// A linear complementarity problem: find `z ≥ 0` with `w = M z + q ≥ 0` and `z · w = 0`.
///
/// `M` is `n × n` with any structure, `q` has length `n ≥ 1`; all entries are finite.
///
/// # Example
///
/// A 2 kg ball that arrives at 3 m/s (`M = 1/m`, `q = u_f`) is stopped by 6 N·s.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_complementarity::lcp::Problem;
///
/// let problem = Problem::new(dmatrix![0.5], dvector![-3.0])?;
/// assert_eq!(problem.natural_map_residual(&dvector![6.0]), 0.0);
/// assert_eq!(problem.natural_map_residual(&dvector![4.0]), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    matrix: DMatrix<f64>,
    vector: DVector<f64>,
    scaling: Scaling,
}

impl Problem {
    /// Validates `matrix` (`n × n`) and `vector` (length `n`).
    ///
    /// # Errors
    ///
    /// [`ProblemError`] names the first entry or size that is wrong.
    pub fn new(matrix: DMatrix<f64>, vector: DVector<f64>) -> Result<Self, ProblemError> {
        check(&matrix, &vector)?;
        let mut scaling = Scaling::default();
        scaling.compute(&matrix, &vector);
        Ok(Self { matrix, vector, scaling })
    }

    /// Lets `fill` overwrite matrix and vector, without new allocations.
    ///
    /// Meant for callers that solve a problem of the same size at every step. `fill` must keep the sizes consistent.
    ///
    /// # Errors
    ///
    /// [`ProblemError`] as from [`Problem::new`]; the problem then holds the rejected entries and
    /// must be filled again before use.
    pub fn refill(
        &mut self,
        fill: impl FnOnce(&mut DMatrix<f64>, &mut DVector<f64>),
    ) -> Result<(), ProblemError> {
        fill(&mut self.matrix, &mut self.vector);
        check(&self.matrix, &self.vector)?;
        self.scaling.compute(&self.matrix, &self.vector);
        Ok(())
    }

    /// Factors that bring rows, columns and vector near one.
    pub(super) const fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// Size `n`.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.vector.len()
    }

    /// The matrix `M` (`n × n`).
    #[must_use]
    pub const fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// The vector `q` (length `n`).
    #[must_use]
    pub const fn vector(&self) -> &DVector<f64> {
        &self.vector
    }

    /// `w = M z + q`.
    ///
    /// # Panics
    ///
    /// When `z` does not have length `n`.
    #[must_use]
    pub fn slack(&self, z: &DVector<f64>) -> DVector<f64> {
        let mut w = DVector::zeros(self.dimension());
        self.slack_into(z, &mut w);
        w
    }

    /// Largest violation of `z ≥ 0` or `w ≥ 0`; zero when feasible.
    ///
    /// # Panics
    ///
    /// When `z` does not have length `n`.
    #[must_use]
    pub fn infeasibility(&self, z: &DVector<f64>) -> f64 {
        largest(z, &self.slack(z), |z, w| (-z).max(-w).max(0.0))
    }

    /// Largest `|z_i w_i|` (for contact problems an energy in J).
    ///
    /// # Panics
    ///
    /// When `z` does not have length `n`.
    #[must_use]
    pub fn complementarity(&self, z: &DVector<f64>) -> f64 {
        largest(z, &self.slack(z), |z, w| (z * w).abs())
    }

    /// Writes `M z + q` to `w`, column by column and skipping the zeros of `z`.
    fn slack_into(&self, z: &DVector<f64>, w: &mut DVector<f64>) {
        assert_eq!(z.len(), self.dimension(), "z has the wrong length");
        assert_eq!(w.len(), self.dimension(), "w has the wrong length");
        let w = w.as_mut_slice();
        w.copy_from_slice(self.vector.as_slice());
        for (column, &z) in self.matrix.as_slice().chunks_exact(z.len()).zip(z.as_slice()) {
            if z != 0.0 {
                for (w, m) in w.iter_mut().zip(column) {
                    *w += m * z;
                }
            }
        }
    }
}

/// The largest `measure(z_i, w_i)`; infinite if an entry is not finite.
fn largest(z: &DVector<f64>, w: &DVector<f64>, measure: impl Fn(f64, f64) -> f64) -> f64 {
    let (mut largest, mut poison) = (0.0, 0.0);
    for (&z, &w) in z.as_slice().iter().zip(w.as_slice()) {
        // Zero times a finite number is zero; times NaN or infinity it is NaN.
        poison += 0.0 * z + 0.0 * w;
        let value = measure(z, w);
        if value > largest {
            largest = value;
        }
    }
    if poison == 0.0 { largest } else { f64::INFINITY }
}

fn check(matrix: &DMatrix<f64>, vector: &DVector<f64>) -> Result<(), ProblemError> {
    let (rows, columns) = matrix.shape();
    if rows != columns {
        return Err(ProblemError::NotSquare { rows, columns });
    }
    if rows == 0 {
        return Err(ProblemError::Empty);
    }
    if vector.len() != rows {
        return Err(ProblemError::VectorLength { expected: rows, found: vector.len() });
    }
    for column in 0..columns {
        for row in 0..rows {
            let value = matrix[(row, column)];
            if !value.is_finite() {
                return Err(ProblemError::MatrixEntry { row, column, value });
            }
        }
    }
    match vector.iter().position(|value| !value.is_finite()) {
        Some(row) => Err(ProblemError::VectorEntry { row, value: vector[row] }),
        None => Ok(()),
    }
}
