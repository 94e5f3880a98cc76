//! Newton's method on the natural map of all blocks, which is not smooth but has derivatives almost everywhere.
//!
//! ```math
//! F(x) = x - P_K\bigl(x - u - \sigma_F(-u_t)\, n\bigr) = 0, \qquad u = W x + b
//! ```
//!
//! in canonical coordinates, where one impulse is one velocity. A [step](Newton::step) is halved until `‖F‖` falls, or
//! [taken whole](Newton::whole_step).
//!
//! Redundant contacts that all stick leave `F'` singular, and a step along its kernel goes beyond every cone. The *proximal
//! point* of a [center](Newton::center_on) `c` is the solution with `u = W x + b + w (x − c)`: among impulses for the same
//! velocities it is the nearest to the center, and where contacts press against one another until one of them slips, it
//! goes there in one step.
//!
//! - **Does not** always converge: it ends where no part of a step is an improvement, and others begin from there.
//! - **Cost** one LU factorization, `⅔ m³` flops for the `m` rows of blocks that are not open or at rest at a bound, and some
//!   products with `W` for each step. Steps allocate nothing.
//!
//! # Source
//!
//! L. Qi, J. Sun, "A nonsmooth version of Newton's method", *Mathematical Programming* 58 (1993) 353–367;
//! V. Acary, M. Brémond, O. Huber, "On solving contact problems with Coulomb friction", in *Advanced Topics in Nonsmooth
//! Dynamics*, Springer 2018, section 5 (for friction); R. T. Rockafellar, "Monotone operators and the proximal point
//! algorithm", *SIAM Journal on Control and Optimization* 14 (1976) 877–898.

use super::{
    canonical::Canonical,
    projection::{Cone, Derivative, ROWS},
};
use crate::{
    gauss::solve_in_place,
    vectors::{add_columns, add_rows},
};

/// Part of the diagonal that keeps the systems of redundant rows regular.
pub(super) const RIDGE: f64 = 1e-10;

/// The memory of Newton's method.
#[derive(Clone, Debug)]
pub(super) struct Newton {
    velocity: Vec<f64>,
    map: Vec<f64>,
    trial: Vec<f64>,
    step: Vec<f64>,
    /// The derivatives of the cells, for a step.
    pieces: Vec<Piece>,
    /// The rows in which `F'` is not the identity, and their part of `F'` by rows with its right side.
    active: Vec<usize>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    /// Rows of `(I + n ∇σᵀ) W` of one cell in the active columns.
    moved: Vec<f64>,
    proximal: Proximal,
}

/// The term `w (x − c)` of the velocities.
#[derive(Clone, Debug)]
struct Proximal {
    weight: f64,
    center: Vec<f64>,
}

/// The derivatives of one cell.
#[derive(Clone, Debug)]
struct Piece {
    /// Of the projection, `D`.
    projection: Derivative,
    /// Of `σ`.
    slope: [f64; ROWS],
    is_active: bool,
}

impl Newton {
    pub(super) fn new(canonical: &Canonical<'_>) -> Self {
        let n = canonical.free_velocity.len();
        let zeros = || vec![0.0; n];
        let piece = Piece { projection: [[0.0; ROWS]; ROWS], slope: [0.0; ROWS], is_active: false };
        Self {
            velocity: zeros(),
            map: zeros(),
            trial: zeros(),
            step: zeros(),
            pieces: vec![piece; canonical.cells.len()],
            active: Vec::with_capacity(n),
            matrix: Vec::with_capacity(n * n),
            right: Vec::with_capacity(n),
            moved: Vec::with_capacity(n * ROWS),
            proximal: Proximal { weight: 0.0, center: zeros() },
        }
    }

    /// Adds `weight (x − center)` to the velocities of all that follows; nothing with the weight 0.
    pub(super) fn center_on(&mut self, weight: f64, center: &[f64]) {
        self.proximal.weight = weight;
        self.proximal.center.copy_from_slice(center);
    }

    /// `‖F‖` at `x`, which is kept with `u` for [`step`](Self::step).
    pub(super) fn evaluate(&mut self, canonical: &Canonical<'_>, x: &[f64]) -> f64 {
        natural_map(canonical, x, &self.proximal, (&mut self.velocity, &mut self.map))
    }

    /// The largest entry of `F` where it was last evaluated, as a velocity of the problem (m/s).
    pub(super) fn speed(&self, canonical: &Canonical<'_>) -> f64 {
        let speeds = self.map.iter().zip(&canonical.speeds).map(|(map, speed)| map.abs() * speed);
        speeds.fold(0.0, f64::max)
    }

    /// One step from `x`, where [`evaluate`](Self::evaluate) gave `size`; the new `‖F‖`, or `None` if no part of
    /// the step reduces it.
    pub(super) fn step(
        &mut self,
        canonical: &Canonical<'_>,
        (size, ridge): (f64, f64),
        x: &mut [f64],
    ) -> Option<f64> {
        if !self.direct(canonical, ridge, x) {
            return None;
        }
        let mut part = 1.0;
        for _ in 0..12 {
            for (trial, (x, step)) in self.trial.iter_mut().zip(x.iter().zip(&self.step)) {
                *trial = x - part * step;
            }
            let kept = (&mut self.velocity[..], &mut self.map[..]);
            let next = natural_map(canonical, &self.trial, &self.proximal, kept);
            if next < (1.0 - 1e-4 * part) * size {
                x.copy_from_slice(&self.trial);
                return Some(next);
            }
            part *= 0.5;
        }
        None
    }

    /// One step from `x`, where [`evaluate`](Self::evaluate) was called, whether `‖F‖` falls or not; `false` if there is none
    /// or its end is not finite.
    pub(super) fn whole_step(&mut self, canonical: &Canonical<'_>, x: &mut [f64]) -> bool {
        if !self.direct(canonical, self.proximal.weight.max(RIDGE), x) {
            return false;
        }
        x.iter_mut().zip(&self.step).for_each(|(x, step)| *x -= step);
        self.evaluate(canonical, x).is_finite()
    }

    /// Sets the step at `x` where `F` was last evaluated; `false` if `F'` is singular.
    fn direct(&mut self, canonical: &Canonical<'_>, ridge: f64, x: &[f64]) -> bool {
        self.differentiate(canonical, x);
        self.assemble(canonical, ridge);
        if !solve_in_place(&mut self.matrix, &mut self.right) {
            return false;
        }
        // Where F' is the identity the step is F itself.
        self.step.copy_from_slice(&self.map);
        for (row, entry) in self.active.iter().zip(&self.right) {
            self.step[*row] = *entry;
        }
        true
    }

    /// The derivatives of all cells at `x`, and the rows in which they are not those of `x` alone.
    fn differentiate(&mut self, canonical: &Canonical<'_>, x: &[f64]) {
        self.active.clear();
        for (cell, piece) in canonical.cells.iter().zip(&mut self.pieces) {
            if cell.cone == Cone::Free {
                piece.is_active = true;
                self.active.extend(cell.range());
                continue;
            }
            let mut z = [0.0; ROWS];
            let velocity = &self.velocity[cell.range()];
            let shift = canonical.support(&cell.cone, velocity, &mut piece.slope);
            for (i, z) in z.iter_mut().enumerate().take(cell.rows) {
                *z = x[cell.start + i] - velocity[i] - if i == 0 { shift } else { 0.0 };
            }
            piece.projection = [[0.0; ROWS]; ROWS];
            cell.cone.project(&mut z[..cell.rows], Some(&mut piece.projection));
            piece.is_active = piece.projection.iter().flatten().any(|entry| *entry != 0.0);
            if piece.is_active {
                self.active.extend(cell.range());
            }
        }
    }

    /// Fills the matrix with `F'(x) = I − D (I − (I + n ∇σᵀ) W)` in the active rows and columns. What the other columns, whose
    /// steps are known, contribute is taken to the right side.
    fn assemble(&mut self, canonical: &Canonical<'_>, ridge: f64) {
        let (n, count) = (self.map.len(), self.active.len());
        self.matrix.clear();
        self.matrix.resize(count * count, 0.0);
        self.right.clear();
        self.step.copy_from_slice(&self.map);
        self.active.iter().for_each(|row| self.step[*row] = 0.0);
        let mut first = 0;
        for (cell, piece) in canonical.cells.iter().zip(&self.pieces) {
            if !piece.is_active {
                continue;
            }
            let mut known = [0.0; ROWS];
            self.moved.clear();
            let own = &canonical.matrix[cell.start * n..(cell.start + cell.rows) * n];
            for entries in own.chunks_exact(n) {
                self.moved.extend(self.active.iter().map(|column| entries[*column]));
            }
            add_rows(&mut known[..cell.rows], own, &self.step);
            if cell.cone == Cone::Free {
                let end = (first + cell.rows) * count;
                self.matrix[first * count..end].copy_from_slice(&self.moved);
                for (i, known) in known.iter().enumerate().take(cell.rows) {
                    self.matrix[(first + i) * (count + 1)] += ridge;
                    self.right.push(self.map[cell.start + i] - known);
                }
            } else {
                let (normal, tangents) = self.moved.split_at_mut(count);
                for (i, row) in tangents.chunks_exact(count).enumerate() {
                    let slope = piece.slope[i + 1];
                    if slope != 0.0 {
                        add_columns(normal, row, [slope]);
                        known[0] += slope * known[i + 1];
                    }
                }
                for (i, derivative) in piece.projection.iter().enumerate().take(cell.rows) {
                    let entries = &mut self.matrix[(first + i) * count..(first + i + 1) * count];
                    let mut right = self.map[cell.start + i];
                    for (j, row) in self.moved.chunks_exact(count).enumerate() {
                        let slope = derivative[j];
                        if slope != 0.0 {
                            add_columns(entries, row, [slope]);
                            entries[first + j] -= slope * (1.0 - ridge);
                            right -= slope * known[j];
                        }
                    }
                    entries[first + i] += 1.0;
                    self.right.push(right);
                }
            }
            first += cell.rows;
        }
    }
}

/// `F` and `u` at `x`; returns `‖F‖`.
fn natural_map(
    canonical: &Canonical<'_>,
    x: &[f64],
    Proximal { weight, center }: &Proximal,
    (velocity, map): (&mut [f64], &mut [f64]),
) -> f64 {
    canonical.velocities(x, velocity);
    if *weight > 0.0 {
        for (velocity, (x, center)) in velocity.iter_mut().zip(x.iter().zip(center)) {
            *velocity += weight * (x - center);
        }
    }
    let mut sum = 0.0;
    for cell in &canonical.cells {
        let velocity = &velocity[cell.range()];
        let map = &mut map[cell.range()];
        if cell.cone == Cone::Free {
            map.copy_from_slice(velocity);
        } else {
            let (mut z, mut slope) = ([0.0; ROWS], [0.0; ROWS]);
            let shift = canonical.support(&cell.cone, velocity, &mut slope);
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
