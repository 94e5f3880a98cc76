//! Alternating directions (ADMM) on all blocks: one factorization, then many cheap steps.
//!
//! In canonical coordinates, with a penalty `ρ` and De Saxcé's `s = σ_F(−û_t) n` of Coulomb's law,
//!
//! ```math
//! x \leftarrow (W + \rho I)^{-1}\bigl(\rho\,(z - y) - b - s\bigr),\quad
//! \bar x = \alpha x + (1-\alpha) z,\quad z \leftarrow P_K(\bar x + y),\quad y \leftarrow y + \bar x - z,
//! ```
//!
//! where `û = −ρ y` at the end. For the convex relaxation (`s = 0`) it always converges; with `s` it is a fixed-point
//! iteration that usually does. The penalty follows the ratio of the two residuals. Steps allocate nothing.
//!
//! # Source
//!
//! S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein, "Distributed optimization and statistical learning via the
//! alternating direction method of multipliers", *Foundations and Trends in Machine Learning* 3 (2011) 1–122;
//! J. Carpentier, Q. Le Lidec, L. Montaut, "From compliant to rigid contact simulation", *RSS* 2024 (with friction).

use super::{Model, canonical::Canonical, projection::ROWS};

/// Over-relaxation `α`.
const RELAXATION: f64 = 1.6;

/// The state of the iteration.
#[derive(Clone, Debug)]
pub(super) struct Directions {
    penalty: f64,
    /// Cholesky factor of `W + ρ I`, by rows.
    factor: Vec<f64>,
    x: Vec<f64>,
    /// The impulses in their cones.
    pub(super) z: Vec<f64>,
    y: Vec<f64>,
    old: Vec<f64>,
    /// `‖x̄ − z‖` and `‖z − z_old‖` of the last step.
    gaps: [f64; 2],
}

impl Directions {
    /// From the impulses `x`.
    pub(super) fn new(canonical: &Canonical<'_>, penalty: f64, x: &[f64]) -> Self {
        let mut y = vec![0.0; x.len()];
        canonical.velocities(x, &mut y);
        y.iter_mut().for_each(|u| *u = -*u / penalty);
        let mut new = Self {
            penalty,
            factor: vec![0.0; x.len() * x.len()],
            x: x.to_vec(),
            z: x.to_vec(),
            y,
            old: x.to_vec(),
            gaps: [0.0; 2],
        };
        new.factorize(canonical);
        new
    }

    /// `W` is positive semidefinite up to rounding, which is far below the penalty.
    fn factorize(&mut self, canonical: &Canonical<'_>) {
        let n = self.x.len();
        self.factor.copy_from_slice(&canonical.matrix);
        for k in 0..n {
            for i in k..n {
                let (above, below) = self.factor.split_at(i * n);
                let row = &below[..n];
                let other = if i == k { row } else { &above[k * n..(k + 1) * n] };
                let known: f64 = (0..k).map(|j| row[j] * other[j]).sum();
                let entry = row[k] - known;
                self.factor[i * n + k] = if i == k {
                    (entry + self.penalty).max(f64::MIN_POSITIVE).sqrt()
                } else {
                    entry / other[k]
                };
            }
        }
    }

    /// One step.
    pub(super) fn step(&mut self, canonical: &Canonical<'_>) {
        let n = self.x.len();
        let coulomb = canonical.problem.model == Model::Coulomb;
        for i in 0..n {
            self.x[i] = self.penalty * (self.z[i] - self.y[i]) - canonical.free_velocity[i];
        }
        if coulomb {
            for cell in &canonical.cells {
                let (mut against, mut slope) = ([0.0; ROWS], [0.0; ROWS]);
                for (against, y) in against.iter_mut().zip(&self.y[cell.range()]) {
                    *against = -self.penalty * y;
                }
                self.x[cell.start] -= cell.cone.support_against(&against, &mut slope);
            }
        }
        self.solve();
        for i in 0..n {
            self.old[i] = self.z[i];
            self.x[i] = RELAXATION * self.x[i] + (1.0 - RELAXATION) * self.z[i];
            self.z[i] = self.x[i] + self.y[i];
        }
        for cell in &canonical.cells {
            cell.cone.project(&mut self.z[cell.range()], None);
        }
        self.gaps = [0.0; 2];
        for i in 0..n {
            let gap = self.x[i] - self.z[i];
            self.y[i] += gap;
            self.gaps[0] = self.gaps[0].max(gap.abs());
            self.gaps[1] = self.gaps[1].max((self.z[i] - self.old[i]).abs());
        }
    }

    /// Moves the penalty towards the one for which both residuals, `‖x̄ − z‖` and `ρ ‖z − z_old‖`, are alike.
    pub(super) fn adapt(&mut self, canonical: &Canonical<'_>) {
        let [primal, dual] = [self.gaps[0], self.penalty * self.gaps[1]];
        let factor = if primal > 5.0 * dual {
            4.0
        } else if dual > 5.0 * primal {
            0.25
        } else {
            return;
        };
        let penalty = (self.penalty * factor).clamp(1e-6, 1e6);
        let change = self.penalty / penalty;
        self.y.iter_mut().for_each(|y| *y *= change);
        self.penalty = penalty;
        self.factorize(canonical);
    }

    /// `x ← (W + ρ I)⁻¹ x`.
    fn solve(&mut self) {
        let n = self.x.len();
        for i in 0..n {
            let row = &self.factor[i * n..];
            let known: f64 = (0..i).map(|j| row[j] * self.x[j]).sum();
            self.x[i] = (self.x[i] - known) / row[i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|j| self.factor[j * n + i] * self.x[j]).sum();
            self.x[i] = (self.x[i] - known) / self.factor[i * n + i];
        }
    }
}
