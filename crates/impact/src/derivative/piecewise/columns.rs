//! The data on which the impulses of a law depend, as columns of one matrix.

use nalgebra::{DMatrix, DVector};

/// The layout of the columns: `b` (`r`), `W` (its upper triangle, row by row), `μ` and `e` (one for each contact).
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) rows: usize,
    pub(super) contacts: usize,
}

impl Columns {
    pub(super) const fn count(self) -> usize {
        self.friction(0) + 2 * self.contacts
    }

    pub(super) const fn delassus(self, row: usize, column: usize) -> usize {
        let (i, j) = if row <= column { (row, column) } else { (column, row) };
        // Rows before `i` have `r`, `r − 1`, … entries.
        self.rows + i * self.rows - i * (i + 1) / 2 + j
    }

    pub(super) const fn friction(self, contact: usize) -> usize {
        self.rows + self.rows * (self.rows + 1) / 2 + contact
    }

    pub(super) const fn restitution(self, contact: usize) -> usize {
        self.friction(self.contacts) + contact
    }

    /// A change of the data as one vector.
    pub(super) fn direction(
        self,
        free: &DVector<f64>,
        delassus: Option<&DMatrix<f64>>,
        friction: Option<&[f64]>,
        restitution: Option<&[f64]>,
    ) -> DVector<f64> {
        let mut direction = DVector::zeros(self.count());
        direction.rows_mut(0, self.rows).copy_from(free);
        if let Some(delassus) = delassus {
            for i in 0..self.rows {
                for j in i..self.rows {
                    direction[self.delassus(i, j)] = 0.5 * (delassus[(i, j)] + delassus[(j, i)]);
                }
            }
        }
        for contact in 0..self.contacts {
            direction[self.friction(contact)] = friction.map_or(0.0, |change| change[contact]);
            direction[self.restitution(contact)] =
                restitution.map_or(0.0, |change| change[contact]);
        }
        direction
    }

    /// The part of a weight of all columns that belongs to `W`: its scalar product with `dW` is the change.
    pub(super) fn by_delassus(self, weights: &DVector<f64>) -> DMatrix<f64> {
        DMatrix::from_fn(self.rows, self.rows, |i, j| {
            weights[self.delassus(i, j)] * if i == j { 1.0 } else { 0.5 }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_datum_has_a_column_of_its_own() {
        let columns = Columns { rows: 4, contacts: 2 };
        let mut seen: Vec<usize> = (0..4).collect();
        for i in 0..4 {
            seen.extend((i..4).map(|j| columns.delassus(j, i)));
        }
        seen.extend([columns.friction(0), columns.friction(1)]);
        seen.extend([columns.restitution(0), columns.restitution(1)]);
        assert_eq!(seen, (0..columns.count()).collect::<Vec<_>>());
    }
}
