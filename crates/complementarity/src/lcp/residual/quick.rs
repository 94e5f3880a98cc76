//! Quick bounds of the residuals, which suffice for most answers and do not need the sizes of all rows.
//!
//! They take an answer `z`, its `slack` `M z + q` and the `terms` `|M||z| + |q|`, as [`add_up`] finds them.

use nalgebra::DVector;

use super::{CANCELLATION, Judge, OWN, Residuals, at_once, rounding};
use crate::lcp::{
    Problem,
    scaling::{larger, smaller},
};

impl Judge {
    /// [`within`] of the current answer, whose sums are those of [`add_up`](Self::add_up).
    pub(crate) fn within(
        &self,
        problem: &Problem,
        z: &DVector<f64>,
        tolerance: f64,
    ) -> Option<Residuals> {
        within(problem, z.as_slice(), self.slack.as_slice(), self.terms.as_slice(), tolerance)
    }

    /// Whether row `i` of the current answer is negative by more than the tolerance relative to `|q_i|` and the
    /// direct effects on it.
    pub(crate) fn approaches(&self, problem: &Problem, i: usize, tolerance: f64) -> bool {
        let missed = -self.slack[i];
        let reach = || at_once(problem, i).min(OWN * self.terms[i]);
        missed > tolerance * problem.vector()[i].abs() && missed > tolerance * reach()
    }

    /// [`scaled_slack`] of the current answer.
    pub(crate) fn scaled_slack(&self, problem: &Problem, z: &DVector<f64>) -> f64 {
        scaled_slack(problem, z.as_slice(), self.slack.as_slice())
    }
}

/// Writes `M z + q`, or `M z` without the vector, and the sums of the magnitudes of its terms, column by column and
/// skipping the zeros of `z`. All slices have the length `n`.
#[inline]
pub(crate) fn add_up(
    problem: &Problem,
    z: &[f64],
    with_vector: bool,
    slack: &mut [f64],
    terms: &mut [f64],
) {
    if with_vector {
        slack.copy_from_slice(problem.vector().as_slice());
    } else {
        slack.fill(0.0);
    }
    for (size, w) in terms.iter_mut().zip(slack.iter()) {
        *size = w.abs();
    }
    for (column, &z) in problem.matrix().as_slice().chunks_exact(z.len()).zip(z) {
        if z != 0.0 {
            for ((w, size), m) in slack.iter_mut().zip(terms.iter_mut()).zip(column) {
                let term = m * z;
                *w += term;
                *size += term.abs();
            }
        }
    }
}

/// The natural map of a `z ≥ 0` and a bound of its relative residual, if a cheap bound shows that they are
/// within the tolerance. The bound uses `|q_i|` and the unknowns that act on row `i` directly, neither of which
/// is above `s_i`, instead of the sizes of all rows.
#[inline]
pub(crate) fn within(
    problem: &Problem,
    z: &[f64],
    slack: &[f64],
    terms: &[f64],
    tolerance: f64,
) -> Option<Residuals> {
    // The unit roundoff is half of ε.
    let rounding = 0.5 * CANCELLATION * rounding(z.len());
    let (mut natural_map, mut relative) = (0.0, 0.0);
    let rows = z.iter().zip(slack).zip(terms).zip(problem.vector().as_slice());
    for (i, (((&z_i, &w), &terms), q)) in rows.enumerate() {
        if !(z_i >= 0.0 && terms < f64::MAX) {
            return None;
        }
        let missed = if z_i > 0.0 { w.abs() } else { -w };
        let at_worst = missed + rounding * terms;
        if at_worst <= 0.0 {
            continue;
        }
        let mut size = q.abs();
        if at_worst > tolerance * size {
            size = at_once(problem, i).min(OWN * terms).max(size);
            // The comparison is false for NaN.
            let enough = at_worst <= tolerance * size;
            if !enough {
                return None;
            }
        }
        if missed > 0.0 {
            let (row, column) = problem.scaling().factors(i);
            let natural = smaller(z_i / column / row, w).abs();
            natural_map = larger(natural, natural_map);
            relative = larger(missed / size, relative);
        }
    }
    Some(Residuals { natural_map, relative })
}

/// The largest `r_i |w_i|` of the rows that should be zero, relative to the scale of `q`.
#[inline]
pub(crate) fn scaled_slack(problem: &Problem, z: &[f64], slack: &[f64]) -> f64 {
    let scaling = problem.scaling();
    let mut largest = 0.0;
    for (i, (&z, &w)) in z.iter().zip(slack).enumerate() {
        let missed = scaling.factors(i).0 * if z > 0.0 { w.abs() } else { -w };
        largest = if missed > largest || missed.is_nan() { missed } else { largest };
    }
    largest / scaling.level()
}
