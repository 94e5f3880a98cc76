//! The blocks of an operator, for methods that need its matrix: [`blocks_of`].

use nalgebra::Matrix3;

use super::Delassus;

/// Blocks with their rows and columns.
pub(super) type Blocks = Vec<(usize, usize, Matrix3<f64>)>;

/// The blocks of `W` of coupled contacts and of the diagonal, by rows.
pub(super) fn blocks_of(operator: &impl Delassus) -> Blocks {
    let mut blocks = Vec::new();
    operator.each_block(&mut |row, column, block| blocks.push((row, column, *block)));
    blocks.sort_by_key(|block| (block.0, block.1));
    blocks
}
