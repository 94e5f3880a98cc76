//! The blocks of an operator, for methods that need its matrix: [`blocks_of`].

use nalgebra::{Matrix3, Vector3};

use super::Delassus;

/// Blocks with their rows and columns.
pub(super) type Blocks = Vec<(usize, usize, Matrix3<f64>)>;

/// The blocks of `W` of coupled contacts and of the diagonal, by rows.
pub(super) fn blocks_of(operator: &impl Delassus) -> Blocks {
    let mut blocks = Vec::new();
    let mut unit = vec![Vector3::zeros(); operator.contact_count()];
    let (mut memory, mut rows) = (Vec::new(), Vec::new());
    for column in 0..unit.len() {
        rows.clear();
        operator.neighbors(column, &mut |row| rows.push(row));
        rows.push(column);
        rows.sort_unstable();
        rows.dedup();
        let first = blocks.len();
        blocks.extend(rows.iter().map(|row| (*row, column, Matrix3::zeros())));
        for component in 0..3 {
            unit[column][component] = 1.0;
            operator.begin(&unit, &mut memory);
            for (row, _, block) in &mut blocks[first..] {
                block.set_column(component, &operator.velocity(*row, &unit, &memory));
            }
            unit[column][component] = 0.0;
        }
    }
    blocks.sort_by_key(|block| (block.0, block.1));
    blocks
}
