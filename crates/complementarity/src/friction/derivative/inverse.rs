//! The inverse of the equations of a piece, or their pseudo-inverse where they are singular: [`Inverse`].

use nalgebra::{DMatrix, DVector};

/// Singular values below this fraction of the largest are zero. The entries are accurate to about `1e-14`, and a
/// derivative with a condition of `1e9` would have six digits at most.
const RANK: f64 = 1e-9;

/// The inverse of a square matrix, or its pseudo-inverse with both kernels.
#[derive(Clone, Debug)]
pub(super) struct Inverse {
    pub(super) matrix: DMatrix<f64>,
    /// Columns `z` with `C z = 0`.
    pub(super) kernel: DMatrix<f64>,
    /// Columns `z` with `zᵀ C = 0`.
    pub(super) left_kernel: DMatrix<f64>,
    /// `‖C‖ ‖C⁻¹‖` by maximum row sums.
    pub(super) condition: f64,
    /// Whether the determinant is positive; `None` if it is zero.
    pub(super) positive: Option<bool>,
}

impl Inverse {
    pub(super) fn new(matrix: &DMatrix<f64>) -> Self {
        let n = matrix.nrows();
        let factors = matrix.clone().lu();
        let negative = factors.u().diagonal().iter().filter(|pivot| **pivot < 0.0).count();
        let exchanged = factors.p().determinant::<f64>() < 0.0;
        if let Some(inverse) = factors.try_inverse() {
            let condition = row_sum(matrix) * row_sum(&inverse);
            if condition <= 1.0 / RANK {
                let none = DMatrix::zeros(n, 0);
                return Self {
                    matrix: inverse,
                    kernel: none.clone(),
                    left_kernel: none,
                    condition,
                    positive: Some((negative % 2 == 1) == exchanged),
                };
            }
        }
        Self::pseudo(matrix)
    }

    fn pseudo(matrix: &DMatrix<f64>) -> Self {
        let n = matrix.nrows();
        let svd = matrix.clone().svd(true, true);
        let (Some(left), Some(right)) = (svd.u, svd.v_t) else {
            unreachable!("both factors were asked for");
        };
        let limit = RANK * svd.singular_values.max();
        let (mut inverse, mut kernels) = (DMatrix::zeros(n, n), [Vec::new(), Vec::new()]);
        for (index, &value) in svd.singular_values.iter().enumerate() {
            let (column, row) = (left.column(index), right.row(index));
            if value > limit {
                inverse += row.transpose() * column.transpose() / value;
            } else {
                kernels[0].push(row.transpose());
                kernels[1].push(column.into_owned());
            }
        }
        let [kernel, left_kernel] = kernels.map(|columns| {
            if columns.is_empty() { DMatrix::zeros(n, 0) } else { DMatrix::from_columns(&columns) }
        });
        let condition = row_sum(matrix) * row_sum(&inverse);
        Self { matrix: inverse, kernel, left_kernel, condition, positive: None }
    }

    /// The fraction of `right` that lies outside of the range.
    pub(super) fn defect(&self, right: &DVector<f64>) -> f64 {
        let outside = self.left_kernel.tr_mul(right).norm();
        if outside > 0.0 { outside / right.norm() } else { 0.0 }
    }
}

fn row_sum(matrix: &DMatrix<f64>) -> f64 {
    matrix.row_iter().map(|row| row.iter().map(|entry| entry.abs()).sum()).fold(0.0, f64::max)
}
