//! The checks of an operator.

use crate::friction::{BlockSparse, Delassus, ProblemError, single::SYMMETRY};

/// Whether all entries are finite.
pub(super) fn check_entries(delassus: &BlockSparse) -> Result<(), ProblemError> {
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

/// Whether the operator is symmetric within [`SYMMETRY`].
pub(super) fn check_symmetry(delassus: &BlockSparse) -> Result<(), ProblemError> {
    let roots = |contact| delassus.diagonal(contact).diagonal().map(f64::sqrt);
    let roots: Vec<_> = (0..delassus.contact_count()).map(roots).collect();
    for contact in 0..delassus.contact_count() {
        for (neighbor, block) in delassus.row(contact) {
            let (here, there) = (roots[contact], roots[neighbor]);
            let mirror = delassus.block(neighbor, contact);
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
