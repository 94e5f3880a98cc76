//! The checks of an operator.

use crate::friction::{BlockSparse, Delassus, ProblemError, single::SYMMETRY};

/// Whether all entries are finite.
pub(super) fn check_entries(delassus: &BlockSparse) -> Result<(), ProblemError> {
    for contact in 0..delassus.contact_count() {
        for (other, block) in delassus.row(contact) {
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
    for contact in 0..delassus.contact_count() {
        let here = delassus.diagonal(contact);
        for (neighbor, block) in delassus.row(contact) {
            let there = delassus.diagonal(neighbor);
            let mirror = delassus.block(neighbor, contact);
            for r in 0..3 {
                for c in 0..3 {
                    let (value, other) =
                        (block[(r, c)], mirror.map_or(0.0, |mirror| mirror[(c, r)]));
                    let scale = here[(r, r)].sqrt() * there[(c, c)].sqrt();
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
