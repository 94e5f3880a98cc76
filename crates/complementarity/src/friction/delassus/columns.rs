//! The blocks of an operator that is known by its products: [`by_columns`].

use nalgebra::{Matrix3, Vector3};

use super::Delassus;

/// Visits row, column and block of every pair of neighbors and of the diagonal.
pub(super) fn by_columns(
    operator: &(impl Delassus + ?Sized),
    visit: &mut dyn FnMut(usize, usize, &Matrix3<f64>),
) {
    let mut unit = vec![Vector3::zeros(); operator.contact_count()];
    let (mut memory, mut rows) = (Vec::new(), Vec::new());
    let mut blocks: Vec<Matrix3<f64>> = Vec::new();
    for column in 0..unit.len() {
        rows.clear();
        operator.neighbors(column, &mut |row| rows.push(row));
        rows.push(column);
        rows.sort_unstable();
        rows.dedup();
        blocks.clear();
        blocks.resize(rows.len(), Matrix3::zeros());
        for component in 0..3 {
            unit[column][component] = 1.0;
            operator.begin(&unit, &mut memory);
            for (row, block) in rows.iter().zip(&mut blocks) {
                block.set_column(component, &operator.velocity(*row, &unit, &memory));
            }
            unit[column][component] = 0.0;
        }
        rows.iter().zip(&blocks).for_each(|(row, block)| visit(*row, column, block));
    }
}
