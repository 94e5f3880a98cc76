//! Newton's method on the natural map of all blocks, which is not smooth but has derivatives almost everywhere.
//!
//! ```math
//! F(x) = x - P_K\bigl(x - u - \sigma_F(-u_t)\, n\bigr) = 0, \qquad u = W x + b
//! ```
//!
//! in canonical coordinates, where one impulse is one velocity. A step is halved until `‖F‖` falls.
//!
//! - **Does not** always converge: it ends where no part of a step is an improvement, and others begin from there.
//! - **Cost** one LU factorization, `⅔ n³` flops, and some products with `W` for each step. Steps allocate nothing.
//!
//! # Source
//!
//! L. Qi, J. Sun, "A nonsmooth version of Newton's method", *Mathematical Programming* 58 (1993) 353–367;
//! V. Acary, M. Brémond, O. Huber, "On solving contact problems with Coulomb friction", in *Advanced Topics in Nonsmooth
//! Dynamics*, Springer 2018, section 5 (for friction).

use super::{
    Model,
    canonical::Canonical,
    projection::{Cone, ROWS},
};

/// Part of the diagonal that keeps the systems of redundant rows regular.
const RIDGE: f64 = 1e-10;

/// The memory of Newton's method.
#[derive(Clone, Debug)]
pub(super) struct Newton {
    velocity: Vec<f64>,
    map: Vec<f64>,
    trial: Vec<f64>,
    step: Vec<f64>,
    /// The derivative of `F` by rows.
    matrix: Vec<f64>,
}

impl Newton {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            velocity: zeros(),
            map: zeros(),
            trial: zeros(),
            step: zeros(),
            matrix: vec![0.0; n * n],
        }
    }

    /// `‖F‖` at `x`, which is kept with `u` for [`step`](Self::step).
    pub(super) fn evaluate(&mut self, canonical: &Canonical<'_>, x: &[f64]) -> f64 {
        natural_map(canonical, x, &mut self.velocity, &mut self.map)
    }

    /// One step from `x`, where [`evaluate`](Self::evaluate) gave `size`; the new `‖F‖`, or `None` if no part of
    /// the step reduces it.
    pub(super) fn step(
        &mut self,
        canonical: &Canonical<'_>,
        size: f64,
        x: &mut [f64],
    ) -> Option<f64> {
        self.differentiate(canonical, x);
        self.step.copy_from_slice(&self.map);
        if !solve_in_place(&mut self.matrix, &mut self.step) {
            return None;
        }
        let mut part = 1.0;
        for _ in 0..12 {
            for (trial, (x, step)) in self.trial.iter_mut().zip(x.iter().zip(&self.step)) {
                *trial = x - part * step;
            }
            let next = natural_map(canonical, &self.trial, &mut self.velocity, &mut self.map);
            if next < (1.0 - 1e-4 * part) * size {
                x.copy_from_slice(&self.trial);
                return Some(next);
            }
            part *= 0.5;
        }
        None
    }

    /// Fills the matrix with `F'(x) = I − D (I − (I + n ∇σᵀ) W)`, `D` the derivative of the projection.
    fn differentiate(&mut self, canonical: &Canonical<'_>, x: &[f64]) {
        let n = x.len();
        self.matrix.fill(0.0);
        for cell in &canonical.cells {
            let rows = cell.range();
            if cell.cone == Cone::Free {
                for i in rows {
                    self.matrix[i * n..(i + 1) * n]
                        .copy_from_slice(&canonical.matrix[i * n..(i + 1) * n]);
                    self.matrix[i * n + i] += RIDGE;
                }
                continue;
            }
            let (mut z, mut slope, mut derivative) =
                ([0.0; ROWS], [0.0; ROWS], [[0.0; ROWS]; ROWS]);
            let velocity = &self.velocity[rows.clone()];
            let shift = support(canonical, &cell.cone, velocity, &mut slope);
            for (i, z) in z.iter_mut().enumerate().take(cell.rows) {
                *z = x[cell.start + i] - velocity[i] - if i == 0 { shift } else { 0.0 };
            }
            cell.cone.project(&mut z[..cell.rows], Some(&mut derivative));
            for column in 0..n {
                let mut moved = [0.0; ROWS];
                for (i, moved) in moved.iter_mut().enumerate().take(cell.rows) {
                    *moved = canonical.matrix[(cell.start + i) * n + column];
                }
                moved[0] += (1..cell.rows).map(|i| slope[i] * moved[i]).sum::<f64>();
                for (i, derivative) in derivative.iter().enumerate().take(cell.rows) {
                    let mut entry = f64::from(u8::from(cell.start + i == column));
                    for (j, (slope, moved)) in derivative.iter().zip(&moved).enumerate() {
                        let own = f64::from(u8::from(cell.start + j == column && j < cell.rows));
                        entry -= slope * (own * (1.0 - RIDGE) - moved);
                    }
                    self.matrix[(cell.start + i) * n + column] = entry;
                }
            }
        }
    }
}

fn support(
    canonical: &Canonical<'_>,
    cone: &Cone,
    velocity: &[f64],
    slope: &mut [f64; ROWS],
) -> f64 {
    let shift = cone.support_against(velocity, slope);
    if canonical.problem.model == Model::ConvexRelaxation {
        slope.fill(0.0);
        return 0.0;
    }
    shift
}

/// `F` and `u` at `x`; returns `‖F‖`.
fn natural_map(canonical: &Canonical<'_>, x: &[f64], velocity: &mut [f64], map: &mut [f64]) -> f64 {
    for (row, velocity) in velocity.iter_mut().enumerate() {
        *velocity = canonical.velocity(row, x);
    }
    let mut sum = 0.0;
    for cell in &canonical.cells {
        let velocity = &velocity[cell.range()];
        let map = &mut map[cell.range()];
        if cell.cone == Cone::Free {
            map.copy_from_slice(velocity);
        } else {
            let (mut z, mut slope) = ([0.0; ROWS], [0.0; ROWS]);
            let shift = support(canonical, &cell.cone, velocity, &mut slope);
            let x = &x[cell.range()];
            for i in 0..cell.rows {
                z[i] = x[i] - velocity[i] - if i == 0 { shift } else { 0.0 };
            }
            cell.cone.project(&mut z[..cell.rows], None);
            for i in 0..cell.rows {
                map[i] = x[i] - z[i];
            }
        }
        sum += map.iter().map(|entry| entry * entry).sum::<f64>();
    }
    sum.sqrt()
}

/// Solves `A x = b` by elimination with pivots; `A` and `b` are overwritten. `false` if `A` is singular.
fn solve_in_place(matrix: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    for k in 0..n {
        let size = |i: usize| matrix[i * n + k].abs();
        let pivot = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
        let lead = matrix[pivot * n + k];
        if lead == 0.0 || !lead.is_finite() {
            return false;
        }
        if pivot != k {
            (0..n).for_each(|j| matrix.swap(pivot * n + j, k * n + j));
            b.swap(pivot, k);
        }
        let (above, below) = matrix.split_at_mut((k + 1) * n);
        let row = &above[k * n..];
        for (i, other) in below.chunks_exact_mut(n).enumerate() {
            let factor = other[k] / lead;
            if factor != 0.0 {
                for (entry, lead) in other[k..].iter_mut().zip(&row[k..]) {
                    *entry -= factor * lead;
                }
                b[k + 1 + i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let row = &matrix[k * n..(k + 1) * n];
        let rest: f64 = (k + 1..n).map(|j| row[j] * b[j]).sum();
        b[k] = (b[k] - rest) / row[k];
    }
    b.iter().all(|entry| entry.is_finite())
}
