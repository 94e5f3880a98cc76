//! Rows of a contact Jacobian that joints or geometry prevent from moving.

use nalgebra::{DMatrix, DVector};

use super::bilateral::Bilateral;

/// `√(J_i M⁻¹ J_iᵀ)` of each row (length `r`), from `J` and `M⁻¹ Jᵀ`.
pub(super) fn row_sizes(jacobian: &DMatrix<f64>, response: &DMatrix<f64>) -> DVector<f64> {
    let rows = jacobian.row_iter().zip(response.column_iter());
    let sizes = rows.map(|(row, column)| row.tr_dot(&column).max(0.0).sqrt());
    DVector::from_iterator(jacobian.nrows(), sizes)
}

/// Finds the rows of `J` that impulses cannot move, and clears their response, which is rounding.
///
/// A row is compared with the remainder after the joints as a vector: a fraction of `1e-6` of it is then
/// accurate to ten digits, whereas the difference of their squares would be rounding.
pub(super) fn lock(
    bilateral: &Bilateral,
    sizes: &DVector<f64>,
    movable: &DMatrix<f64>,
    response: &mut DMatrix<f64>,
) -> Vec<bool> {
    row_sizes(movable, response)
        .iter()
        .zip(sizes)
        .enumerate()
        .map(|(row, (left, size))| {
            // Entries that overflow decide nothing here; the check of the Delassus operator refuses them.
            let locked = size.is_finite() && *left <= bilateral.rounding * size;
            if locked {
                response.column_mut(row).fill(0.0);
            }
            locked
        })
        .collect()
}
