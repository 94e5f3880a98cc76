//! The mass matrix of a [`Problem`](super::Problem): validated, factored once, applied in both directions.

use std::{
    fmt::Debug,
    sync::{Arc, OnceLock},
};

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, SymmetricEigen};

use super::error::{ProblemError, check_finite};

/// The mass matrix `M` (`n_v × n_v`; kg, kg·m for mixed entries, kg·m²), symmetric positive definite.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Mass {
    /// `M` itself, which is factored once; the mean of `M` and its transpose is used.
    Matrix(DMatrix<f64>),
    /// The lower triangular `L` with `M = L Lᵀ` and a positive diagonal.
    /// Entries above the diagonal are not read.
    Factor(DMatrix<f64>),
    /// A procedure that multiplies by `M` and by `M⁻¹`.
    Operator(Arc<dyn MassOperator>),
}

impl Mass {
    /// Returns `operator` as a mass matrix.
    #[must_use]
    pub fn operator(operator: impl MassOperator + 'static) -> Self {
        Self::Operator(Arc::new(operator))
    }
}

/// A mass matrix that exists only as a procedure, such as the articulated-body algorithm.
///
/// `solve` is the inverse of `multiply`, and both are linear, symmetric and positive definite. A
/// [`Problem`](super::Problem) checks this on its own contact and constraint rows.
pub trait MassOperator: Debug + Send + Sync {
    /// `n_v`.
    fn dimension(&self) -> usize;

    /// Replaces each column `x` (length `n_v`) by `M x`.
    fn multiply(&self, columns: &mut DMatrix<f64>);

    /// Replaces each column `y` (length `n_v`) by `M⁻¹ y`.
    fn solve(&self, columns: &mut DMatrix<f64>);
}

#[derive(Debug)]
pub(super) enum Inertia {
    Factored { matrix: DMatrix<f64>, factor: Cholesky<f64, Dyn> },
    Operator { operator: Arc<dyn MassOperator>, sizes: OnceLock<DMatrix<f64>> },
}

impl Inertia {
    pub(super) fn new(mass: Mass) -> Result<Self, ProblemError> {
        match mass {
            Mass::Matrix(matrix) => {
                check_entries("mass_matrix", &matrix)?;
                let matrix = symmetric(&matrix)?;
                let factor = factorize(&matrix)?;
                Ok(Self::Factored { matrix, factor })
            }
            Mass::Factor(factor) => {
                let factor = factor.lower_triangle();
                check_entries("mass_factor", &factor)?;
                for (i, &value) in factor.diagonal().iter().enumerate() {
                    if value <= 0.0 {
                        let field = format!("mass_factor[{i}][{i}]");
                        return Err(ProblemError::entry(field, value, "a positive number"));
                    }
                }
                let matrix = &factor * factor.transpose();
                check_entries("mass_factor · mass_factorᵀ", &matrix)?;
                Ok(Self::Factored { matrix, factor: Cholesky::pack_dirty(factor) })
            }
            Mass::Operator(operator) => Ok(Self::Operator { operator, sizes: OnceLock::new() }),
        }
    }

    pub(super) fn dimension(&self) -> usize {
        match self {
            Self::Factored { matrix, .. } => matrix.nrows(),
            Self::Operator { operator, .. } => operator.dimension(),
        }
    }

    /// `M x`.
    pub(super) fn multiply(&self, x: &DVector<f64>) -> DVector<f64> {
        match self {
            Self::Factored { matrix, .. } => matrix * x,
            Self::Operator { operator, .. } => column(x, |column| operator.multiply(column)),
        }
    }

    /// `M⁻¹ y`.
    pub(super) fn solve(&self, y: &DVector<f64>) -> DVector<f64> {
        match self {
            Self::Factored { factor, .. } => factor.solve(y),
            Self::Operator { operator, .. } => column(y, |column| operator.solve(column)),
        }
    }

    /// Sizes of the terms of `M x` (`x ≥ 0`, length `n_v`), for bounds of the rounding of `M x` and of
    /// `M⁻¹ y`: `|L| |Lᵀ| x` with the factor of a matrix, and `|M| x` for a procedure.
    pub(super) fn multiply_sizes(&self, x: &DVector<f64>) -> DVector<f64> {
        let n = x.len();
        match self {
            Self::Factored { factor, .. } => {
                let factor = factor.l_dirty();
                let mut sizes = DVector::zeros(n);
                for j in 0..n {
                    let along: f64 = (j..n).map(|i| factor[(i, j)].abs() * x[i]).sum();
                    for i in j..n {
                        sizes[i] += factor[(i, j)].abs() * along;
                    }
                }
                sizes
            }
            Self::Operator { operator, sizes } => absolute(operator.as_ref(), sizes) * x,
        }
    }

    /// Condition number of the mass matrix scaled to a unit diagonal, in the maximum row sum norm (≥ 1).
    pub(super) fn condition(&self) -> f64 {
        let roots = self.roots();
        let n = roots.len();
        let mut matrix = DMatrix::identity(n, n);
        let mut inverse = DMatrix::identity(n, n);
        match self {
            Self::Factored { matrix: stored, factor } => {
                matrix.copy_from(stored);
                factor.solve_mut(&mut inverse);
            }
            Self::Operator { operator, .. } => {
                operator.multiply(&mut matrix);
                operator.solve(&mut inverse);
            }
        }
        let (mut of_matrix, mut of_inverse) = (1.0_f64, 1.0_f64);
        for i in 0..n {
            let parts = (0..n).map(|j| (matrix[(i, j)] / roots[i] / roots[j]).abs());
            of_matrix = of_matrix.max(parts.sum());
            let parts = (0..n).map(|j| (inverse[(i, j)] * roots[i] * roots[j]).abs());
            of_inverse = of_inverse.max(parts.sum());
        }
        of_matrix * of_inverse
    }

    /// `√M_ii` of each velocity (length `n_v`).
    pub(super) fn roots(&self) -> DVector<f64> {
        let diagonal = match self {
            Self::Factored { matrix, .. } => matrix.diagonal(),
            Self::Operator { operator, sizes } => absolute(operator.as_ref(), sizes).diagonal(),
        };
        diagonal.map(f64::sqrt)
    }

    /// `M⁻¹ Aᵀ` for the rows `A` of the field `name`; for an operator, `multiply` must also reverse it.
    pub(super) fn solve_rows(
        &self,
        name: &'static str,
        rows: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, ProblemError> {
        let mut columns = rows.transpose();
        match self {
            Self::Factored { factor, .. } => factor.solve_mut(&mut columns),
            Self::Operator { operator, .. } => {
                operator.solve(&mut columns);
                check_operator(operator.as_ref(), name, rows, &columns)?;
            }
        }
        check_finite(&format!("inverse mass times {name}ᵀ"), &columns)?;
        Ok(columns)
    }
}

/// The vector after `change`, which works on columns.
fn column(vector: &DVector<f64>, change: impl FnOnce(&mut DMatrix<f64>)) -> DVector<f64> {
    let mut column = DMatrix::from_column_slice(vector.len(), 1, vector.as_slice());
    change(&mut column);
    column.column(0).into_owned()
}

/// `|M|` of a procedure, computed once.
fn absolute<'a>(
    operator: &dyn MassOperator,
    sizes: &'a OnceLock<DMatrix<f64>>,
) -> &'a DMatrix<f64> {
    sizes.get_or_init(|| {
        let n = operator.dimension();
        let mut columns = DMatrix::identity(n, n);
        operator.multiply(&mut columns);
        columns.abs()
    })
}

fn check_entries(name: &'static str, matrix: &DMatrix<f64>) -> Result<(), ProblemError> {
    if matrix.nrows() != matrix.ncols() {
        return Err(ProblemError::Size {
            field: format!("{name} with {} rows", matrix.nrows()),
            expected: matrix.nrows(),
            found: matrix.ncols(),
        });
    }
    for (i, row) in matrix.row_iter().enumerate() {
        for (j, &value) in row.iter().enumerate() {
            if !value.is_finite() {
                return Err(ProblemError::entry(
                    format!("{name}[{i}][{j}]"),
                    value,
                    "a finite number",
                ));
            }
        }
    }
    Ok(())
}

/// Entries that should agree differ by at most `1e-9 √(M_ii M_jj)`: more than rounding in any assembly of `M`
/// in double precision, and less than a wrong entry.
fn symmetric(matrix: &DMatrix<f64>) -> Result<DMatrix<f64>, ProblemError> {
    for i in 0..matrix.nrows() {
        for j in 0..i {
            let size = (matrix[(i, i)] * matrix[(j, j)]).abs().sqrt();
            let (below, above) = (matrix[(i, j)], matrix[(j, i)]);
            if (below - above).abs() > 1e-9 * size.max(f64::MIN_POSITIVE) {
                return Err(ProblemError::NotSymmetric { row: i, column: j, below, above });
            }
        }
    }
    Ok(matrix.symmetric_part())
}

/// Refuses a matrix that is not positive definite after its diagonal has been scaled to 1, where
/// rounding of the entries moves the eigenvalues by up to `n eps`.
fn factorize(matrix: &DMatrix<f64>) -> Result<Cholesky<f64, Dyn>, ProblemError> {
    for (i, &value) in matrix.diagonal().iter().enumerate() {
        if value <= 0.0 {
            let field = format!("mass_matrix[{i}][{i}]");
            return Err(ProblemError::entry(field, value, "a positive number"));
        }
    }
    let limit = matrix.nrows() as f64 * f64::EPSILON;
    let regular = |factor: &Cholesky<f64, Dyn>| {
        let pivots = factor.l_dirty().diagonal();
        pivots.iter().zip(&matrix.diagonal()).all(|(pivot, entry)| pivot * pivot > limit * entry)
    };
    Cholesky::new(matrix.clone()).filter(regular).ok_or_else(|| {
        let scale = DMatrix::from_diagonal(&matrix.diagonal().map(|entry| 1.0 / entry.sqrt()));
        let scaled = &scale * matrix * &scale;
        // Where scaling overflows, an entry is far larger than its diagonal permits.
        let bounded = scaled.iter().all(|entry| entry.is_finite());
        let eigenvalue =
            if bounded { SymmetricEigen::new(scaled).eigenvalues.min() } else { f64::NEG_INFINITY };
        ProblemError::Indefinite { eigenvalue }
    })
}

/// `M (M⁻¹ Aᵀ)` must reproduce `Aᵀ`, and `A M⁻¹ Aᵀ` must be symmetric with a nonnegative diagonal, both to
/// `1e-8` of the size of the compared terms: half the digits of a double.
fn check_operator(
    operator: &dyn MassOperator,
    name: &'static str,
    rows: &DMatrix<f64>,
    columns: &DMatrix<f64>,
) -> Result<(), ProblemError> {
    let refuse = |defect: f64, expected| Err(ProblemError::Operator { name, defect, expected });
    let expected_shape = (rows.ncols(), rows.nrows());
    let mut back = columns.clone();
    operator.multiply(&mut back);
    if columns.shape() != expected_shape || back.shape() != expected_shape {
        return refuse(f64::NAN, "columns of unchanged shape");
    }
    let defect = (&back - rows.transpose()).amax();
    if defect.is_nan() || defect > 1e-8 * rows.amax() {
        return refuse(defect, "multiply to undo solve");
    }
    let delassus = rows * columns;
    let defect = (&delassus - delassus.transpose()).amax();
    if defect.is_nan() || defect > 1e-8 * delassus.amax() {
        return refuse(defect, "a symmetric operator");
    }
    let smallest = delassus.diagonal().iter().copied().fold(0.0, f64::min);
    if smallest < 0.0 {
        return refuse(-smallest, "a positive definite operator");
    }
    Ok(())
}
