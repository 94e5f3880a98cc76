//! Random, badly conditioned matrices of contact problems.

use crate::{Source, Style};

/// A matrix by rows.
pub type Rows = Vec<Vec<f64>>;

/// `rows × columns` numbers in one style.
pub fn numbers(source: &mut Source<'_>, rows: usize, columns: usize, style: Style) -> Rows {
    (0..rows).map(|_| (0..columns).map(|_| source.number(style)).collect()).collect()
}

/// `A Bᵀ`.
pub fn product(a: &Rows, b: &Rows) -> Rows {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum();
    a.iter().map(|x| b.iter().map(|y| dot(x, y)).collect()).collect()
}

/// A Jacobian with rows that repeat, oppose one another or depend on others.
pub fn jacobian(source: &mut Source<'_>, rows: usize, columns: usize) -> Rows {
    let style = source.style();
    let mut jacobian = numbers(source, rows, columns, style);
    for i in 1..rows {
        if source.chance(0.15) {
            let (j, factor) = (source.below(i), source.pick(&[1.0, 1.0, -1.0, 2.0, 1.0 + 1e-9]));
            jacobian[i] = jacobian[j].iter().map(|x| factor * x).collect();
        } else if i > 1 && source.chance(0.1) {
            let (j, k, weight) = (source.below(i), source.below(i), source.unit());
            jacobian[i] = jacobian[j]
                .iter()
                .zip(&jacobian[k])
                .map(|(x, y)| weight * x + (1.0 - weight) * y)
                .collect();
        }
    }
    jacobian
}

/// `J M⁻¹ Jᵀ` with a diagonal mass matrix whose entries may differ by many decades.
pub fn delassus(source: &mut Source<'_>, jacobian: &Rows) -> Rows {
    let columns = jacobian.first().map_or(0, Vec::len);
    let decades = source.pick(&[0.0, 0.0, 0.5, 3.0]);
    let inverse: Vec<f64> = (0..columns).map(|_| source.power(decades)).collect();
    let weighted: Rows =
        jacobian.iter().map(|row| row.iter().zip(&inverse).map(|(x, w)| x * w).collect()).collect();
    let matrix = product(&weighted, jacobian);
    // Exactly symmetric, as the definition is.
    let n = matrix.len();
    (0..n).map(|i| (0..n).map(|j| matrix[i.min(j)][i.max(j)]).collect()).collect()
}

/// A factor of units: mostly 1, sometimes a power of ten of up to `decades`.
pub fn unit(source: &mut Source<'_>, decades: f64) -> f64 {
    if source.chance(0.7) { 1.0 } else { source.power(decades) }
}

/// All entries by rows.
pub fn flat(rows: &Rows) -> Vec<f64> {
    rows.iter().flatten().copied().collect()
}
