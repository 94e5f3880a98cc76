//! Murty's principal pivoting, for problems of up to four unknowns whose matrix is positive definite, such as one
//! body on a few contacts without friction.
//!
//! In the dictionary of a complementary basis each variable of a pair `(w_k, z_k)` is basic or not:
//!
//! ```math
//! x = b + A\,y, \qquad \{x_k, y_k\} = \{w_k, z_k\} .
//! ```
//!
//! At the start `x = w`. As long as a basic variable is negative, the pair of one is exchanged: of the most negative one in
//! the first `n` pivots, and then of that with the least index, which brings no basis twice.
//! The whole dictionary is on the stack, in the scaled units of the problem, so that the answer takes less time than a
//! path of Lemke's method takes to begin.
//!
//! - **Needs** a positive definite matrix, symmetric or not. It has one solution then, which any method finds. All
//!   exchanges are along a positive diagonal entry.
//! - **Refuses** other problems, also those with a pivot that is not far above rounding or with answers that are not
//!   found within the tolerance. They are for Lemke's method.
//! - **Checks** its answers like those at the end of a path: they are refined with the inverse in the dictionary where
//!   needed, and judged on the problem itself.
//! - **Cost** `n²` multiply-adds a pivot, usually `n/2` and at most `n + 2ⁿ − 1` pivots.
//!
//! # Source
//!
//! K. G. Murty, "Note on a Bard-type scheme for solving the complementarity problem", *Opsearch* 11 (1974) 123–130;
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, Academic Press 1992, section 4.2.

use nalgebra::DVector;

use super::{
    Settings,
    answer::{REFINE_ABOVE, REFINEMENTS},
};
use crate::lcp::{
    Problem, Report, Status,
    residual::{
        Residuals,
        quick::{Data, add_up, scaled_slack, within},
    },
};

/// The least pivot, relative to its diagonal entry: about the square root of the rounding. Answers then have half of
/// their digits before they are refined.
const LEAST_PIVOT: f64 = 1e-8;

/// Solves `problem` and writes the answer to `z`, or refuses it and leaves `z` as it is.
pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    z: &mut DVector<f64>,
) -> Option<Report> {
    let z = z.as_mut_slice();
    match problem.dimension() {
        1 => solve_sized::<1>(problem, settings, z),
        2 => solve_sized::<2>(problem, settings, z),
        3 => solve_sized::<3>(problem, settings, z),
        4 => solve_sized::<4>(problem, settings, z),
        _ => None,
    }
}

fn solve_sized<const N: usize>(
    problem: &Problem,
    settings: &Settings,
    z: &mut [f64],
) -> Option<Report> {
    let mut dictionary = Dictionary::<N>::new(problem)?;
    let pivots = dictionary.pivot_to_solution(settings.pivot_limit)?;
    let (answer, residuals) = dictionary.answer(settings.tolerance)?;
    z.copy_from_slice(&answer);
    Some(Report {
        status: Status::Solved,
        iterations: pivots,
        residual: residuals.natural_map,
        relative_residual: residuals.relative,
    })
}

/// The dictionary of the scaled problem.
struct Dictionary<'a, const N: usize> {
    problem: &'a Problem,
    /// The data of the problem, of length `N` and `N²`.
    data: Data<'a>,
    /// The columns of `A`.
    columns: [[f64; N]; N],
    /// `b`.
    values: [f64; N],
    /// Whether `z_k` is basic, and not `w_k`.
    has_entered: [bool; N],
}

impl<'a, const N: usize> Dictionary<'a, N> {
    /// The dictionary with `x = w`, if the matrix is positive definite.
    fn new(problem: &'a Problem) -> Option<Self> {
        let data = Data::sized::<N>(problem)?;
        let (mut columns, mut values) = ([[0.0; N]; N], [0.0; N]);
        for (j, column) in columns.iter_mut().enumerate() {
            data.write_column(j, column);
        }
        data.write_vector(&mut values);
        is_definite(&columns).then_some(Self {
            problem,
            data,
            columns,
            values,
            has_entered: [false; N],
        })
    }

    /// Pivots until no value is negative; returns the number of pivots.
    fn pivot_to_solution(&mut self, limit: usize) -> Option<usize> {
        for pivots in 0..N + (1_usize << N) {
            let Some(mut k) = self.values.iter().position(|value| *value < 0.0) else {
                return Some(pivots);
            };
            for other in k + 1..N {
                if pivots < N && self.values[other] < self.values[k] {
                    k = other;
                }
            }
            // The comparison is false for NaN.
            let is_safe = self.columns[k][k] > LEAST_PIVOT;
            if !is_safe || pivots >= limit {
                return None;
            }
            self.exchange(k);
        }
        // Only rounding can bring a basis back.
        None
    }

    /// Exchanges the variables of pair `k`.
    fn exchange(&mut self, k: usize) {
        let mut entering = self.columns[k];
        let inverse = 1.0 / entering[k];
        entering[k] = 0.0;
        for column in self.columns.iter_mut().chain([&mut self.values]) {
            let factor = -column[k] * inverse;
            for (entry, added) in column.iter_mut().zip(&entering) {
                *entry += factor * added;
            }
            column[k] = factor;
        }
        self.columns[k] = entering.map(|entry| entry * inverse);
        self.columns[k][k] = inverse;
        self.has_entered[k] = !self.has_entered[k];
    }

    /// The answer of the basis, refined where needed, and its residuals if they are within the tolerance.
    fn answer(&self, tolerance: f64) -> Option<([f64; N], Residuals)> {
        let scaling = self.problem.scaling();
        let mut answer = [0.0; N];
        for (i, z) in answer.iter_mut().enumerate() {
            if self.has_entered[i] {
                *z = scaling.unscale_z(i, self.values[i]);
            }
        }
        let mut slack = [0.0; N];
        let mut found = self.measured(&answer, &mut slack, tolerance);
        for _ in 0..REFINEMENTS {
            if found.0 <= REFINE_ABOVE && found.1.is_some() {
                break;
            }
            let refined = self.refined(&answer, &slack);
            let next = self.measured(&refined, &mut slack, tolerance);
            let comes_within = found.1.is_none() && next.1.is_some();
            let is_better = next.0 < found.0 || (comes_within && next.0 <= REFINE_ABOVE);
            if !is_better {
                break;
            }
            (answer, found) = (refined, next);
        }
        found.1.map(|residuals| (answer, residuals))
    }

    /// `z − A_zw w` with the slack `w` of the rows in which it should be zero: there `A_zw` is the inverse of `M`.
    fn refined(&self, answer: &[f64; N], slack: &[f64; N]) -> [f64; N] {
        let scaling = self.problem.scaling();
        let mut refined = *answer;
        for (k, column) in self.columns.iter().enumerate().filter(|(k, _)| self.has_entered[*k]) {
            let residual = scaling.slack(k, slack[k]);
            for (i, z) in refined.iter_mut().enumerate().filter(|(i, _)| self.has_entered[*i]) {
                *z -= scaling.unscale_z(i, column[i] * residual);
            }
        }
        refined.map(|z| z.max(0.0))
    }

    /// Writes `M z + q`, and returns the largest scaled error of a row of the answer, with its residuals if quick
    /// bounds show them to be within the tolerance.
    #[inline]
    fn measured(
        &self,
        answer: &[f64; N],
        slack: &mut [f64; N],
        tolerance: f64,
    ) -> (f64, Option<Residuals>) {
        let mut terms = [0.0; N];
        add_up(&self.data, answer, true, slack, &mut terms);
        let residuals = within(self.problem, &self.data, answer, slack, &terms, tolerance);
        (scaled_slack(&self.data, answer, slack), residuals)
    }
}

/// Whether the symmetric part of a matrix with the diagonal near one is positive definite, and safely so: all pivots of
/// its elimination are above rounding.
///
/// The elimination multiplies by its pivots and does not divide. Its rows are then `size` times those of the one that does.
fn is_definite<const N: usize>(matrix: &[[f64; N]; N]) -> bool {
    let mut part = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            part[i][j] = 0.5 * (matrix[i][j] + matrix[j][i]);
        }
    }
    let mut size = 1.0;
    for k in 0..N {
        let pivot = part[k][k];
        // The comparison is false for NaN.
        let is_safe = pivot > LEAST_PIVOT * matrix[k][k] * size && matrix[k][k] > 0.0;
        if !is_safe {
            return false;
        }
        size *= pivot;
        let column: [f64; N] = std::array::from_fn(|i| part[i][k]);
        for (i, row) in part.iter_mut().enumerate().skip(k + 1) {
            for (j, entry) in row.iter_mut().enumerate().take(i + 1).skip(k + 1) {
                *entry = pivot * *entry - column[i] * column[j];
            }
        }
    }
    true
}

#[cfg(test)]
mod tests;
