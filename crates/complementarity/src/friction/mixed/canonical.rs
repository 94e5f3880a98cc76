//! The problem as solvers see it: [`Canonical`].
//!
//! Bilateral rows are eliminated (or kept), components without a half axis and contacts that cannot move are left
//! out, tangents are divided by their half axes, `λ_t = A y` and `w_t = A u_t`, so that every ellipsoid becomes a
//! unit ball, and each block is divided by the root of the mean of its diagonal, so that the mean becomes 1.
//!
//! **Elimination.** With `W_bb⁺ = P Pᵀ` of the bilateral rows, the others have
//!
//! ```math
//! W' = W_{cc} - (W_{cb} P)(W_{cb} P)^\mathsf{T}, \qquad b' = b_c - W_{cb} P P^\mathsf{T} b_b, \qquad
//! \lambda_b = -P P^\mathsf{T} (b_b + W_{bc} \lambda_c) .
//! ```
//!
//! with `P` from [`factor`](super::factor). Redundant rows get impulses of least norm.

use nalgebra::DMatrix;

use super::{
    Model, Problem,
    block::{Block, Section, Set},
    factor::factor_of_inverse,
    local::Local,
    polygon::Polygon,
    projection::{Cone, ROWS},
};
use crate::vectors::add_rows;

/// A block of the canonical problem.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) start: usize,
    pub(super) rows: usize,
    pub(super) cone: Cone,
    pub(super) local: Local,
}

impl Cell {
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.rows
    }
}

/// The problem in the coordinates of the solvers.
#[derive(Clone, Debug)]
pub(super) struct Canonical<'a> {
    pub(super) problem: &'a Problem,
    /// `W` by rows.
    pub(super) matrix: Vec<f64>,
    pub(super) free_velocity: Vec<f64>,
    pub(super) cells: Vec<Cell>,
    /// What a velocity of each row is multiplied by to be one of the problem (m/s).
    pub(super) speeds: Vec<f64>,
    /// The row of the problem of each row here, and by what its impulse is multiplied.
    rows: Vec<(usize, f64)>,
    /// Impulses of rows that are left out: those of intervals that cannot move.
    fixed: Vec<(usize, f64)>,
    eliminated: Eliminated,
}

/// The bilateral rows that were eliminated.
#[derive(Clone, Debug)]
pub(super) struct Eliminated {
    pub(super) rows: Vec<usize>,
    /// `P`, with one row for each of `rows`.
    pub(super) impulses: DMatrix<f64>,
}

impl Eliminated {
    /// Of `rows` of the symmetric `matrix`.
    pub(super) fn new(matrix: &DMatrix<f64>, rows: Vec<usize>) -> Self {
        let impulses = factor_of_inverse(&matrix.select_rows(&rows).select_columns(&rows));
        Self { rows, impulses }
    }

    /// `P Pᵀ x`.
    pub(super) fn apply(&self, x: &[f64]) -> Vec<f64> {
        let x = nalgebra::DVector::from_column_slice(x);
        (&self.impulses * self.impulses.tr_mul(&x)).as_slice().to_vec()
    }

    /// Sets the impulses of the rows to those with which their velocities vanish.
    fn close(&self, problem: &Problem, impulses: &mut [f64]) {
        if self.rows.is_empty() {
            return;
        }
        self.rows.iter().for_each(|&row| impulses[row] = 0.0);
        // The first pass solves, the others remove rounding.
        for pass in 0..3 {
            let speed = |&row: &usize| match pass {
                0 => problem.sum(row, impulses),
                _ => problem.compensated_sum(row, problem.free_velocity[row], impulses),
            };
            let speeds: Vec<f64> = self.rows.iter().map(speed).collect();
            for (&row, change) in self.rows.iter().zip(self.apply(&speeds)) {
                impulses[row] -= change;
            }
        }
    }
}

impl<'a> Canonical<'a> {
    /// With the bilateral rows eliminated, or kept as blocks.
    pub(super) fn new(problem: &'a Problem, eliminate: bool) -> Self {
        let bilateral = if eliminate { rows_of_bilaterals(problem) } else { Vec::new() };
        let eliminated = Eliminated::new(&problem.matrix, bilateral);
        let (matrix, free_velocity) = reduced(problem, &eliminated);
        let mut canonical = Self {
            problem,
            matrix: Vec::new(),
            free_velocity: Vec::new(),
            cells: Vec::new(),
            speeds: Vec::new(),
            rows: Vec::new(),
            fixed: Vec::new(),
            eliminated,
        };
        let mut first = 0;
        for block in &problem.blocks {
            match &block.set {
                Set::Bilateral if eliminate => {}
                Set::Bilateral => {
                    canonical.add(
                        &matrix,
                        Cone::Free,
                        (first..first + block.rows).map(|row| (row, 1.0)),
                    );
                }
                Set::Unilateral => {
                    for row in first..first + block.rows {
                        canonical.add(&matrix, Cone::Positive, [(row, 1.0)]);
                    }
                }
                &Set::Interval { lower, upper } => {
                    for row in first..first + block.rows {
                        canonical.add(&matrix, Cone::Interval([lower, upper]), [(row, 1.0)]);
                    }
                }
                Set::Contact(section) => canonical.add_contact(&matrix, section, first, block.rows),
            }
            first += block.rows;
        }
        canonical.finish(&matrix, &free_velocity);
        canonical
    }

    fn add_contact(
        &mut self,
        matrix: &DMatrix<f64>,
        section: &Section,
        first: usize,
        count: usize,
    ) {
        if let Section::Polygon(points) = section {
            let polygon = Polygon::new(points);
            let radius = polygon.radius();
            if radius > 0.0 {
                let rows = [(first, 1.0), (first + 1, radius), (first + 2, radius)];
                self.add(matrix, Cone::Polygon(polygon.scaled(1.0 / radius)), rows);
            } else {
                self.add(matrix, Cone::Positive, [(first, 1.0)]);
            }
            return;
        }
        let (axes, firsts) = section.axes(count);
        let mut rows = vec![(first, 1.0)];
        let mut factors = Vec::new();
        let ends = firsts.iter().skip(1).copied().chain([axes.len()]);
        for (&begin, end) in firsts.iter().zip(ends) {
            let kept = (begin..end).filter(|&at| axes[at] > 0.0);
            let before = rows.len();
            rows.extend(kept.map(|at| (first + 1 + at, axes[at])));
            if rows.len() > before {
                factors.push(rows.len() - before);
            }
        }
        let cone = if factors.is_empty() { Cone::Positive } else { Cone::Balls(factors) };
        self.add(matrix, cone, rows);
    }

    /// Adds a block of these rows and half axes, in which impulses are counted by `1/√w` with the mean `w` of the
    /// diagonal.
    fn add(
        &mut self,
        matrix: &DMatrix<f64>,
        cone: Cone,
        rows: impl IntoIterator<Item = (usize, f64)>,
    ) {
        let rows: Vec<_> = rows.into_iter().collect();
        let entry = |&(row, axis): &(usize, f64)| matrix[(row, row)] * axis * axis;
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let mean = rows.iter().map(|row| entry(row) / rows.len() as f64).sum::<f64>();
        // A normal that cannot move carries nothing by Coulomb's law, and any friction by the relaxation.
        let relaxed = self.problem.model == Model::ConvexRelaxation;
        let size = if relaxed { mean } else { entry(&rows[0]) };
        if cone != Cone::Free && size <= 0.0 {
            // What an interval that cannot move has is decided by its free velocity.
            if let Cone::Interval([lower, upper]) = cone {
                let free = self.problem.free_velocity[rows[0].0];
                let impulse = if free > 0.0 {
                    lower
                } else if free < 0.0 {
                    upper
                } else {
                    0.0_f64.clamp(lower, upper)
                };
                self.fixed.push((rows[0].0, impulse));
            }
            return;
        }
        let free = cone == Cone::Free;
        let unit = |row: &(usize, f64)| {
            // Every bilateral row counts by itself.
            let own = if free { entry(row) } else { mean };
            if own > 0.0 { 1.0 / own.sqrt() } else { 0.0 }
        };
        let cone = match cone {
            Cone::Interval(bounds) => Cone::Interval(bounds.map(|bound| bound / unit(&rows[0]))),
            cone => cone,
        };
        let (start, count) = (self.rows.len(), rows.len());
        let cell = Cell { start, rows: count, cone, local: Local::Positive };
        self.rows.extend(rows.iter().map(|row| (row.0, row.1 * unit(row))));
        self.cells.push(cell);
    }

    /// Forms the matrix of the rows that were added, and what each block is solved by.
    fn finish(&mut self, matrix: &DMatrix<f64>, free_velocity: &[f64]) {
        let scaled = |&(row, scale): &(usize, f64)| free_velocity[row] * scale;
        self.free_velocity = self.rows.iter().map(scaled).collect();
        let lengths: Vec<f64> = self.problem.blocks.iter().flat_map(Block::lengths).collect();
        let speed = |&(row, scale): &(usize, f64)| lengths[row] / scale;
        self.speeds =
            self.rows.iter().map(speed).map(|s| if s.is_finite() { s } else { 0.0 }).collect();
        self.matrix.reserve_exact(self.rows.len() * self.rows.len());
        for &(row, scale) in &self.rows {
            let entries = self.rows.iter();
            self.matrix
                .extend(entries.map(|&(column, other)| matrix[(row, column)] * scale * other));
        }
        let n = self.rows.len();
        for cell in &mut self.cells {
            let (start, rows) = (cell.start, cell.rows);
            let entry = |i: usize, j: usize| self.matrix[(start + i) * n + start + j];
            cell.local = Local::new(&cell.cone, &DMatrix::from_fn(rows, rows, entry));
        }
    }

    /// `σ_F(−u_t)` of a cone with the `velocity` `u`, and its derivative; both are zero for the convex relaxation.
    pub(super) fn support(&self, cone: &Cone, velocity: &[f64], slope: &mut [f64; ROWS]) -> f64 {
        if self.problem.model == Model::ConvexRelaxation {
            slope.fill(0.0);
            return 0.0;
        }
        cone.support_against(velocity, slope)
    }

    /// The velocities of all rows.
    pub(super) fn velocities(&self, x: &[f64], velocities: &mut [f64]) {
        velocities.copy_from_slice(&self.free_velocity);
        add_rows(velocities, &self.matrix, x);
    }

    /// The velocity of one row.
    #[inline]
    pub(super) fn velocity(&self, row: usize, x: &[f64]) -> f64 {
        let n = x.len();
        let entries = &self.matrix[row * n..(row + 1) * n];
        entries.iter().zip(x).fold(self.free_velocity[row], |sum, (w, x)| sum + w * x)
    }

    /// The impulses of the problem for `x`; those of eliminated rows follow from the others.
    pub(super) fn impulses(&self, x: &[f64], impulses: &mut [f64]) {
        impulses.fill(0.0);
        for (&(row, scale), x) in self.rows.iter().zip(x) {
            impulses[row] = scale * x;
        }
        // Bounds are met to the last bit, whatever the units here.
        for cell in &self.cells {
            if let Cone::Interval([low, high]) = cell.cone
                && let Set::Interval { lower, upper } = self.set_of(self.rows[cell.start].0)
            {
                let (row, x) = (self.rows[cell.start].0, x[cell.start]);
                impulses[row] = if x <= low {
                    *lower
                } else if x >= high {
                    *upper
                } else {
                    impulses[row].clamp(*lower, *upper)
                };
            }
        }
        for &(row, impulse) in &self.fixed {
            impulses[row] = impulse;
        }
        self.eliminated.close(self.problem, impulses);
    }

    /// The set of a row of the problem.
    fn set_of(&self, row: usize) -> &Set {
        let mut end = 0;
        let block = self.problem.blocks.iter().find(|block| {
            end += block.rows;
            row < end
        });
        block.map_or(&Set::Bilateral, |block| &block.set)
    }

    /// The unknowns for `impulses` of the problem.
    pub(super) fn unknowns(&self, impulses: &[f64]) -> Vec<f64> {
        let of =
            |&(row, scale): &(usize, f64)| if scale > 0.0 { impulses[row] / scale } else { 0.0 };
        self.rows.iter().map(of).collect()
    }
}

pub(super) fn rows_of_bilaterals(problem: &Problem) -> Vec<usize> {
    let mut rows = Vec::new();
    let mut first = 0;
    for block in &problem.blocks {
        if block.set == Set::Bilateral {
            rows.extend(first..first + block.rows);
        }
        first += block.rows;
    }
    rows
}

/// `W'` and `b'`, at the places of all rows. Rows that the bilateral ones hold are zero.
pub(super) fn reduced(problem: &Problem, eliminated: &Eliminated) -> (DMatrix<f64>, Vec<f64>) {
    let mut matrix = problem.matrix.clone();
    let mut free = problem.free_velocity.clone();
    if eliminated.rows.is_empty() {
        return (matrix, free);
    }
    let coupling = matrix.select_columns(&eliminated.rows);
    let along = &coupling * &eliminated.impulses;
    let speeds: Vec<f64> = eliminated.rows.iter().map(|&row| free[row]).collect();
    let impulses = eliminated.apply(&speeds);
    matrix.gemm(-1.0, &along, &along.transpose(), 1.0);
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let rounding = 64.0 * free.len() as f64 * f64::EPSILON;
    for row in 0..free.len() {
        free[row] -= coupling.row(row).iter().zip(&impulses).map(|(w, p)| w * p).sum::<f64>();
        if matrix[(row, row)] <= rounding * problem.matrix[(row, row)] {
            matrix.row_mut(row).fill(0.0);
            matrix.column_mut(row).fill(0.0);
        }
    }
    (matrix, free)
}
