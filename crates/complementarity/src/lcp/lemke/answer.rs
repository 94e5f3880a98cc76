//! The answer at the end of a path: read from the basis, refined with its inverse, corrected and judged.

use super::{Workspace, dictionary::Place};
use crate::lcp::{
    Problem,
    residual::{Judge, Residuals},
    scaling::Scaling,
};

/// Answers above this relative residual are refined.
pub(super) const REFINE_ABOVE: f64 = 1e-14;

/// Maximum number of refinements of one answer.
pub(super) const REFINEMENTS: usize = 3;

impl Workspace {
    /// Reads the candidate from the dictionary, refines it and returns its residuals.
    pub(super) fn extract(&mut self, problem: &Problem, tolerance: f64) -> Residuals {
        let n = problem.dimension();
        self.candidate.as_mut_slice().fill(0.0);
        for row in 0..n {
            let variable = self.dictionary.basic(row);
            if (n..2 * n).contains(&variable) {
                let (i, value) = (variable - n, self.dictionary.values()[row]);
                self.candidate[i] = problem.scaling().unscale_z(i, value).max(0.0);
            }
        }
        let mut found = self.measured(problem, tolerance);
        for _ in 0..REFINEMENTS {
            let precise = found.0 <= REFINE_ABOVE && found.1.is_some();
            if precise || !self.dictionary.artificial_is_nonbasic() {
                break;
            }
            self.unrefined.copy_from(&self.candidate);
            self.refine(problem.scaling());
            let refined = self.measured(problem, tolerance);
            let comes_within = found.1.is_none() && refined.1.is_some();
            let better = refined.0 < found.0 || (comes_within && refined.0 <= REFINE_ABOVE);
            if !better {
                std::mem::swap(&mut self.candidate, &mut self.unrefined);
                self.judge.add_up(problem, &self.candidate, true);
                break;
            }
            found = refined;
        }
        found.1.unwrap_or_else(|| self.polish(problem, tolerance))
    }

    /// The largest scaled error of a row of the candidate, and its residuals if quick bounds show them to be within
    /// the tolerance.
    fn measured(&mut self, problem: &Problem, tolerance: f64) -> (f64, Option<Residuals>) {
        let Self { judge, candidate, .. } = self;
        judge.add_up(problem, candidate, true);
        (judge.scaled_slack(problem, candidate), judge.within(problem, candidate, tolerance))
    }

    /// Corrects rows with an approach so small that the ratio test takes it for zero, by changing the unknown of the
    /// row. Returns the residuals of the candidate.
    pub(super) fn polish(&mut self, problem: &Problem, tolerance: f64) -> Residuals {
        let n = problem.dimension();
        let diagonal = problem.matrix().as_slice().iter().step_by(n + 1);
        let mut changed = false;
        self.unrefined.copy_from(&self.candidate);
        for (i, &diagonal) in diagonal.enumerate() {
            let approaches = self.candidate[i] == 0.0
                && diagonal > 0.0
                && self.judge.approaches(problem, i, tolerance);
            if approaches {
                self.candidate[i] = -self.judge.slack[i] / diagonal;
                changed = true;
            }
        }
        let residuals = self.judge.residuals(problem, &self.unrefined);
        if !changed {
            return residuals;
        }
        let polished = self.judge.residuals(problem, &self.candidate);
        if polished.relative <= residuals.relative.max(tolerance) {
            return polished;
        }
        std::mem::swap(&mut self.candidate, &mut self.unrefined);
        residuals
    }

    /// Adds `B⁻¹ (q + M z − w)` to the basic `z`, where `w` is zero unless basic.
    ///
    /// Column `k` of `B⁻¹` is minus the dictionary's column of `w_k`; where `w_k` is basic, its own
    /// residual is zero, as `w` is recomputed from `z`.
    fn refine(&mut self, scaling: &Scaling) {
        let Self { dictionary, judge: Judge { slack, .. }, candidate, .. } = self;
        dictionary.complete();
        let n = dictionary.size();
        for k in 0..n {
            let Place::Column(column) = dictionary.place(k) else { continue };
            let residual = scaling.slack(k, slack[k]);
            for (row, entry) in dictionary.column(column).iter().enumerate() {
                let variable = dictionary.basic(row);
                if (n..2 * n).contains(&variable) {
                    candidate[variable - n] -= scaling.unscale_z(variable - n, entry * residual);
                }
            }
        }
        candidate.apply(|z| *z = z.max(0.0));
    }
}
