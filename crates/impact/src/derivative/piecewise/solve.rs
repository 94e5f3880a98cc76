//! The solution of a piece from the impulses of the law, and its derivative by all data.

use nalgebra::{DMatrix, DVector, RowDVector, SVD};

use super::{
    Error,
    equations::{Equation, equations},
    intervals::Interval,
    script::{End, Piece, Store},
    tape::Tape,
};

/// Maximum number of iterations for a piece; events are quadratic and begin near the root.
const ITERATIONS: usize = 30;

/// Singular values below this part of the largest one count as zero, in scaled units.
const RANK: f64 = 1e-10;

impl Tape<'_> {
    /// Takes a piece.
    pub(super) fn take(&mut self, piece: &Piece) -> Result<(), Error> {
        let rows = self.impulse.len();
        self.refuse_undetermined(piece)?;
        let list = equations(self, piece);
        let solved = self.solve(piece, &list)?;
        let (unknowns, after, d_unknowns) = (&solved.unknowns, &solved.after, &solved.change);
        let pushes = d_unknowns.rows(0, rows);
        let mut d_after = self.problem.delassus() * pushes + &solved.held;
        let mut after = after.clone();
        for equation in &list {
            let stopped = match equation {
                Equation::Rest { row } => Some(*row),
                Equation::Interval(Interval::RestOfWhole { row }) if piece.end == End::Complete => {
                    Some(*row)
                }
                _ => None,
            };
            if let Some(row) = stopped {
                after[row] = 0.0;
                d_after.row_mut(row).fill(0.0);
            }
        }
        self.keep_books(piece, (unknowns, &after), (d_unknowns, &d_after));
        self.judge(piece, (unknowns, &after), (d_unknowns, &d_after));
        self.impulse += unknowns.rows(0, rows);
        self.d_impulse += pushes;
        self.velocity = after;
        self.d_velocity = d_after;
        if piece.end != End::Whole {
            self.share += unknowns[rows];
            self.d_share += d_unknowns.row(rows);
        }
        self.pieces += 1;
        Ok(())
    }

    /// Solves the equations of a piece from the impulses of the law, and differentiates them.
    fn solve(&mut self, piece: &Piece, list: &[Equation]) -> Result<Solved, Error> {
        let (rows, size) = (self.impulse.len(), list.len());
        let delassus = self.problem.delassus();
        // Units in which impulses are as speeds.
        let scale = DVector::from_fn(size, |index, _| {
            if index >= rows {
                return piece.unit_of_length;
            }
            let own = delassus[(index, index)];
            if own > 0.0 { 1.0 / own.sqrt() } else { 1.0 }
        });
        let mut unknowns = DVector::zeros(size);
        unknowns.rows_mut(0, rows).copy_from(&piece.impulse);
        if size > rows {
            unknowns[rows] = piece.length;
        }
        let singular = Error::Singular { piece: self.pieces };
        let mut system = System::new(self, piece, list, &unknowns, &scale);
        for _ in 0..ITERATIONS {
            let inverse = system.inverse().ok_or_else(|| singular.clone())?;
            let change = inverse.times(&DMatrix::from_columns(&[-&system.values]));
            unknowns += change.column(0).component_mul(&scale);
            system = System::new(self, piece, list, &unknowns, &scale);
            if change.amax() <= 1e-13 * unknowns.component_div(&scale).amax() {
                break;
            }
        }
        let inverse = system.inverse().ok_or_else(|| singular.clone())?;
        self.condition = self.condition.max(inverse.condition);
        self.refuse_kernel(piece, &inverse, &scale).map_err(|()| singular)?;
        let held = self.held(&unknowns);
        let mut data = DMatrix::zeros(size, self.columns.count());
        for (index, equation) in list.iter().enumerate() {
            let slope = equation.by_data(self, piece, (&unknowns, &system.after), &held);
            data.set_row(index, &(slope / system.norms[index]));
        }
        self.contradictions.extend(inverse.contradictions(&data));
        let mut change = -inverse.times(&data);
        for (mut row, scale) in change.row_iter_mut().zip(scale.iter()) {
            row *= *scale;
        }
        Ok(Solved { unknowns, after: system.after, held, change })
    }

    /// `du⁺` with the impulses of the piece held: `du + dW π`.
    pub(super) fn held(&self, unknowns: &DVector<f64>) -> DMatrix<f64> {
        let mut held = self.d_velocity.clone();
        let rows = self.impulse.len();
        for i in 0..rows {
            for j in 0..rows {
                held[(i, self.columns.delassus(i, j))] += unknowns[j];
            }
        }
        held
    }

    /// Refuses redundant equations whose impulses move contacts, or are given back later.
    fn refuse_kernel(
        &self,
        piece: &Piece,
        inverse: &Pseudoinverse,
        scale: &DVector<f64>,
    ) -> Result<(), ()> {
        let rows = self.impulse.len();
        let returned = |contact: usize| {
            piece.stores[contact] == Store::Compresses && self.returns[contact] > 0.0
        };
        for kernel in inverse.kernel.column_iter() {
            let impulse = kernel.component_mul(scale);
            let moved = self.problem.delassus() * impulse.rows(0, rows);
            let moved = moved.component_mul(&scale.rows(0, rows)).amax();
            let lengthened = kernel.rows(rows, kernel.len() - rows).amax();
            let given = (0..piece.stores.len()).filter(|contact| returned(*contact));
            let given = given.map(|contact| kernel[self.problem.rows(contact).start].abs());
            if moved > 1e-7 || lengthened > 1e-7 || given.fold(0.0, f64::max) > 1e-7 {
                return Err(());
            }
        }
        Ok(())
    }
}

/// The solution of a piece.
struct Solved {
    unknowns: DVector<f64>,
    after: DVector<f64>,
    held: DMatrix<f64>,
    /// The derivative of the unknowns by all data.
    change: DMatrix<f64>,
}

/// The linearized equations of a piece, in scaled unknowns and with rows of unit length.
struct System {
    after: DVector<f64>,
    matrix: DMatrix<f64>,
    values: DVector<f64>,
    norms: Vec<f64>,
}

impl System {
    fn new(
        tape: &Tape<'_>,
        piece: &Piece,
        list: &[Equation],
        unknowns: &DVector<f64>,
        scale: &DVector<f64>,
    ) -> Self {
        let (rows, size) = (tape.impulse.len(), list.len());
        let mut after = tape.velocity.clone();
        after.gemv(1.0, tape.problem.delassus(), &unknowns.rows(0, rows), 1.0);
        let (mut matrix, mut values) = (DMatrix::zeros(size, size), DVector::zeros(size));
        let (mut norms, mut slope) = (vec![1.0; size], vec![0.0; size]);
        for (index, equation) in list.iter().enumerate() {
            let value = equation.at(tape, piece, (unknowns, &after), &mut slope);
            for (entry, scale) in slope.iter_mut().zip(scale.iter()) {
                *entry *= scale;
            }
            let norm = slope.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            norms[index] = if norm > 0.0 { norm } else { 1.0 };
            values[index] = value / norms[index];
            for (column, entry) in slope.iter().enumerate() {
                matrix[(index, column)] = entry / norms[index];
            }
        }
        Self { after, matrix, values, norms }
    }

    fn inverse(&self) -> Option<Pseudoinverse> {
        Pseudoinverse::new(&self.matrix)
    }
}

/// The pseudoinverse of a square matrix, and what it leaves out.
struct Pseudoinverse {
    matrix: DMatrix<f64>,
    /// Columns that the matrix maps to zero.
    kernel: DMatrix<f64>,
    /// Rows that do not occur in its range.
    cokernel: DMatrix<f64>,
    condition: f64,
}

impl Pseudoinverse {
    fn new(matrix: &DMatrix<f64>) -> Option<Self> {
        let size = matrix.nrows();
        if size == 0 {
            let none = DMatrix::zeros(0, 0);
            return Some(Self {
                matrix: none.clone(),
                kernel: none.clone(),
                cokernel: none,
                condition: 1.0,
            });
        }
        if !matrix.iter().all(|entry| entry.is_finite()) {
            return None;
        }
        let svd = SVD::try_new(matrix.clone(), true, true, f64::EPSILON, 10_000)?;
        let (left, right) = (svd.u?, svd.v_t?);
        let values = svd.singular_values;
        let largest = values.amax();
        if !(largest.is_finite() && largest > 0.0) {
            return None;
        }
        let rank = values.iter().filter(|value| **value > RANK * largest).count();
        let mut inverse = DMatrix::zeros(size, size);
        for k in 0..rank {
            inverse.ger(1.0 / values[k], &right.row(k).transpose(), &left.column(k), 1.0);
        }
        Some(Self {
            matrix: inverse,
            kernel: right.rows(rank, size - rank).transpose(),
            cokernel: left.columns(rank, size - rank).transpose(),
            condition: largest / values[rank.max(1) - 1],
        })
    }

    fn times(&self, columns: &DMatrix<f64>) -> DMatrix<f64> {
        &self.matrix * columns
    }

    fn contradictions(&self, data: &DMatrix<f64>) -> Vec<RowDVector<f64>> {
        let parts = &self.cokernel * data;
        parts.row_iter().map(|row| row.into_owned()).collect()
    }
}
