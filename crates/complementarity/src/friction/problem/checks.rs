//! The checks of an operator.

use nalgebra::Matrix3;

use crate::friction::{BlockSparse, Delassus, ProblemError, single::SYMMETRY};

/// Whether all entries are finite.
pub(super) fn check_entries(delassus: &BlockSparse) -> Result<(), ProblemError> {
    // Zero times a number is zero unless that is not finite.
    let mut probe = Matrix3::zeros();
    for contact in 0..delassus.contact_count() {
        delassus.row(contact).for_each(|(_, block)| probe += block * 0.0);
    }
    if probe == Matrix3::zeros() {
        return Ok(());
    }
    for contact in 0..delassus.contact_count() {
        for (other, block) in delassus.row(contact) {
            if block.iter().all(|entry| entry.is_finite()) {
                continue;
            }
            for r in 0..3 {
                for c in 0..3 {
                    let value = block[(r, c)];
                    if !value.is_finite() {
                        let (row, column) = (3 * contact + r, 3 * other + c);
                        return Err(ProblemError::Entry { row, column, value });
                    }
                }
            }
        }
    }
    Ok(())
}

fn is_transpose(block: &Matrix3<f64>, mirror: &Matrix3<f64>) -> bool {
    *block == mirror.transpose()
}

/// Whether the operator is symmetric within [`SYMMETRY`].
pub(super) fn check_symmetry(delassus: &BlockSparse) -> Result<(), ProblemError> {
    let roots = |contact| delassus.diagonal(contact).diagonal().map(f64::sqrt);
    let roots: Vec<_> = (0..delassus.contact_count()).map(roots).collect();
    for contact in 0..delassus.contact_count() {
        for (neighbor, block) in delassus.row(contact) {
            let (here, there) = (roots[contact], roots[neighbor]);
            let mirror = delassus.block(neighbor, contact);
            if mirror.is_some_and(|mirror| neighbor < contact || is_transpose(block, mirror)) {
                // Compared from the other side, or without need of a scale.
                continue;
            }
            for r in 0..3 {
                for c in 0..3 {
                    let (value, other) =
                        (block[(r, c)], mirror.map_or(0.0, |mirror| mirror[(c, r)]));
                    let scale = here[r] * there[c];
                    if (value - other).abs() > SYMMETRY * scale {
                        let (row, column) = (3 * contact + r, 3 * neighbor + c);
                        return Err(ProblemError::Unsymmetric { row, column, value, other });
                    }
                }
            }
        }
    }
    Ok(())
}
