//! The judgement of impulses, with compensated sums where rounding could affect it.
//!
//! With `m` terms the velocity of row `i` is rounded by at most `(m + 2) ε (Σ_j |W_ij λ_j| + |b_i|)`, and entries of a semidefinite
//! `W` are at most `√(W_ii W_jj)`. Figures change by at most some times as much (`Judge::sensitivity`).

use nalgebra::DMatrix;

use super::{Figures, Model, Problem, figures::Judge};
use crate::friction::{Report, Status};

/// What [`Problem::report_of`] finds of impulses, with memory that is used again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The velocity `u` of each row.
    pub velocities: Vec<f64>,
    /// The [figures](Problem::block_figures) of each block (m/s).
    pub figures: Vec<Figures>,
    /// A bound of the rounding of a figure (m/s).
    pub rounding: f64,
}

/// The sizes by which rounding is bounded, which depend on the operator alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sizes {
    /// The largest `W_ii`.
    pub(super) diagonal: f64,
    /// `√W_ii` of each row, and the largest as velocities are compared.
    roots: Vec<f64>,
    comparable: f64,
    /// The largest support of a section.
    support: f64,
}

impl Sizes {
    pub(super) fn new(matrix: &DMatrix<f64>, judges: &[Judge]) -> Self {
        let roots: Vec<f64> = (0..matrix.nrows()).map(|row| matrix[(row, row)].sqrt()).collect();
        let largest_of = |of: &dyn Fn(&Judge) -> f64| judges.iter().map(of).fold(0.0, f64::max);
        Self {
            diagonal: matrix.diagonal().amax(),
            comparable: largest_of(&|judge| judge.largest_of(&roots)),
            support: largest_of(&Judge::largest_support),
            roots,
        }
    }

    /// `Σ √W_ii |λ_i|`.
    fn sum(&self, impulses: &[f64]) -> f64 {
        self.roots.iter().zip(impulses).map(|(root, impulse)| root * impulse.abs()).sum()
    }

    /// By how many times a figure changes at most as much as the velocities of the rows of its block: by that along the normal, by the
    /// norm of up to five along the tangents, and by what [`ConvexRelaxation`](Model::ConvexRelaxation) adds to the normal.
    fn sensitivity(&self, model: Model) -> f64 {
        match model {
            Model::Coulomb => 4.0,
            Model::ConvexRelaxation => 4.0 + self.support,
        }
    }
}

impl Problem {
    /// The report of `impulses` (one per row) that solve the problem to a relative `tolerance`; otherwise `None`. What is found of
    /// them replaces `judgement`.
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
    /// use percussion_complementarity::friction::mixed::{Block, Judgement, Problem};
    ///
    /// let problem = Problem::new(dmatrix![0.5], vec![0.1], vec![Block::bound(0.5)])?;
    /// let mut judgement = Judgement::default();
    /// assert!(problem.report_of(&[-0.2], &mut judgement, 1e-8).is_some());
    /// assert!(problem.report_of(&[-0.1], &mut judgement, 1e-8).is_none());
    /// assert!((judgement.velocities[0] - 0.05).abs() < 1e-15);
    /// assert!((judgement.figures[0].slip - 0.05).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn report_of(
        &self,
        impulses: &[f64],
        judgement: &mut Judgement,
        tolerance: f64,
    ) -> Option<Report> {
        let target = tolerance * self.velocity_scale;
        let residual = self.residual_beside(impulses, judgement, target);
        // Far from one, figures may underflow; a solve converts the units.
        if self.is_far() {
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

    /// The [residual](Self::residual), with compensated sums unless it is on the same side of `target` (m/s) without. What is found
    /// without such sums replaces `judgement`.
    pub(super) fn residual_beside(
        &self,
        impulses: &[f64],
        judgement: &mut Judgement,
        target: f64,
    ) -> f64 {
        self.judge(impulses, judgement);
        let residual = judgement.largest();
        // Also false for what is not finite.
        let is_decided = (residual - target).abs() > judgement.rounding;
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
        let mut judgement = Judgement::default();
        self.judge(impulses, &mut judgement);
        if judgement.rounding <= accuracy {
            judgement.figures
        } else {
            self.block_figures(impulses)
        }
    }

    /// Replaces `judgement` by that of the impulses, without compensated sums.
    fn judge(&self, impulses: &[f64], judgement: &mut Judgement) {
        assert_eq!(impulses.len(), self.rows(), "one impulse per row");
        let Judgement { velocities, figures, rounding } = judgement;
        self.set_velocities(impulses, velocities);
        let sum = self.sizes.sum(impulses);
        figures.clear();
        if self.loses(sum) {
            figures.resize(self.judges.len(), Figures::INFINITE);
        } else {
            let of_block = |judge: &Judge| judge.figures(self.model, impulses, velocities);
            figures.extend(self.judges.iter().map(of_block));
        }
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let part = (impulses.len() + 2) as f64 * f64::EPSILON;
        let times = self.sizes.sensitivity(self.model);
        *rounding = times * part * (self.sizes.comparable * sum + self.velocity_scale);
    }

    /// Whether impulses cancel so far that compensated sums keep no digit of a velocity.
    pub(super) fn is_lost(&self, impulses: &[f64]) -> bool {
        self.loses(self.sizes.sum(impulses))
    }

    /// [`is_lost`](Self::is_lost) for impulses with this `Σ √W_ii |λ_i|`.
    fn loses(&self, sum: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let part = 8.0 * self.rows() as f64 * f64::EPSILON * f64::EPSILON;
        let kept = part * (self.sizes.diagonal.sqrt() * sum) <= 1e-10 * self.velocity_scale;
        !kept
    }
}

impl Judgement {
    /// The largest figure (m/s).
    fn largest(&self) -> f64 {
        self.figures.iter().fold(Figures::default(), |largest, of| largest.max(of)).largest()
    }
}
