//! The judgement of impulses, with compensated sums where rounding could affect it.
//!
//! With `m` terms the velocity of row `i` is rounded by at most `(m + 2) ε (Σ_j |W_ij λ_j| + |b_i|)`, and entries of a semidefinite
//! `W` are at most `√(W_ii W_jj)`. Figures change by at most some times as much (`Judge::sensitivity`).

use super::{Figures, Problem};
use crate::friction::{Report, Status};

impl Problem {
    /// The report of `impulses` (one per row) that solve the problem to a relative `tolerance`; otherwise `None`. Their velocities
    /// replace `velocities`.
    ///
    /// # Panics
    ///
    /// If there is not one impulse per row.
    ///
    /// # Example
    ///
    /// Dry friction of at most 0.5 N·m·s holds a joint of 2 kg·m² that would turn at 0.1 rad/s.
    ///
    /// ```
    /// use nalgebra::dmatrix;
    /// use percussion_complementarity::friction::mixed::{Block, Problem};
    ///
    /// let problem = Problem::new(dmatrix![0.5], vec![0.1], vec![Block::bound(0.5)])?;
    /// let mut velocities = Vec::new();
    /// assert!(problem.report_of(&[-0.2], &mut velocities, 1e-8).is_some());
    /// assert!(problem.report_of(&[-0.1], &mut velocities, 1e-8).is_none());
    /// assert!((velocities[0] - 0.05).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn report_of(
        &self,
        impulses: &[f64],
        velocities: &mut Vec<f64>,
        tolerance: f64,
    ) -> Option<Report> {
        let target = tolerance * self.velocity_scale;
        let residual = self.residual_beside(impulses, velocities, target);
        // Far from one, figures may underflow; a solve converts the units.
        if self.near().is_some() {
            return None;
        }
        let relative_residual = residual / self.velocity_scale;
        // Without any velocity there is none to which a residual could be relative.
        let is_still = self.free_velocity.iter().all(|free| *free == 0.0);
        let solves = relative_residual <= tolerance && (!is_still || residual == 0.0);
        solves.then_some(Report {
            status: Status::Solved,
            iterations: 0,
            residual,
            relative_residual,
        })
    }

    /// The [residual](Self::residual), with compensated sums unless it is on the same side of `target` (m/s) without. The velocities
    /// without such sums replace `velocities`.
    pub(super) fn residual_beside(
        &self,
        impulses: &[f64],
        velocities: &mut Vec<f64>,
        target: f64,
    ) -> f64 {
        self.set_velocities(impulses, velocities);
        let figures = self.figures_at(impulses, velocities);
        let (residual, open) = (figures.largest(), self.rounding(impulses));
        // Also false for what is not finite.
        let is_decided = (residual - target).abs() > open;
        if is_decided { residual } else { self.figures(impulses).largest() }
    }

    /// The [figures](Self::block_figures) of each block (m/s), with an error of at most `accuracy` (m/s, ≥ 0): with compensated sums, of several
    /// times the cost, only where others do not reach it.
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn block_figures_within(&self, impulses: &[f64], accuracy: f64) -> Vec<Figures> {
        assert_eq!(impulses.len(), self.rows(), "one impulse per row");
        let is_enough = self.rounding(impulses) <= accuracy;
        if !is_enough {
            return self.block_figures(impulses);
        }
        let mut velocities = Vec::with_capacity(impulses.len());
        self.set_velocities(impulses, &mut velocities);
        self.judges.iter().map(|judge| judge.figures(self.model, impulses, &velocities)).collect()
    }

    /// A bound of the rounding of a figure (m/s).
    fn rounding(&self, impulses: &[f64]) -> f64 {
        let root = |row: usize| self.matrix[(row, row)].sqrt();
        let sum: f64 = impulses.iter().enumerate().map(|(row, p)| root(row) * p.abs()).sum();
        let largest = self.judges.iter().map(|judge| judge.largest_root(&self.matrix));
        let largest = largest.fold(0.0, f64::max);
        let times = self.judges.iter().map(|judge| judge.sensitivity(self.model));
        let times = times.fold(0.0, f64::max);
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let part = (impulses.len() + 2) as f64 * f64::EPSILON;
        times * part * (largest * sum + self.velocity_scale)
    }

    /// The figures with these velocities.
    pub(super) fn figures_at(&self, impulses: &[f64], velocities: &[f64]) -> Figures {
        if self.is_lost(impulses) {
            return Figures::INFINITE;
        }
        self.judges.iter().fold(Figures::default(), |largest, judge| {
            largest.max(&judge.figures(self.model, impulses, velocities))
        })
    }
}
