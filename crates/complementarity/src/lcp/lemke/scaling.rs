//! Powers of two that bring the entries of a problem near one.
//!
//! With `z = S y` and `S` diagonal and positive, `S M S y + S q` is an LCP in `y` with the same
//! complementary bases. For a row with a positive diagonal entry `s_i² M_ii` is in `[½, 2)`; for one
//! without, the largest scaled entry of its column is. `q` is divided by the power of two
//! next to its largest scaled entry. Powers of two make all this exact, so tolerances can be absolute
//! and an answer does not depend on the units of the problem.

use crate::lcp::Problem;

/// Scaling factors of one problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Scaling {
    factors: Vec<f64>,
    /// Scale of `q`: `q_scaled = s_i q_i / level`.
    level: f64,
}

/// Largest exponent used, so that products of two factors stay finite.
const LARGEST_EXPONENT: i32 = 400;

impl Scaling {
    pub(super) fn compute(&mut self, problem: &Problem) {
        let n = problem.dimension();
        let matrix = problem.matrix().as_slice();
        self.factors.clear();
        self.factors.extend(matrix.iter().step_by(n + 1).map(|&diagonal| {
            if diagonal > 0.0 { power_of_two(-(exponent(diagonal) >> 1)) } else { 0.0 }
        }));
        for i in 0..n {
            if self.factors[i] == 0.0 {
                self.factors[i] = -self.factor_without_diagonal(i, matrix);
            }
        }
        let mut largest = 0.0;
        for (factor, q) in self.factors.iter_mut().zip(problem.vector().as_slice()) {
            *factor = factor.abs();
            largest = larger(largest, (*factor * q).abs());
        }
        self.level = if largest > 0.0 { power_of_two(exponent(largest)) } else { 1.0 };
    }

    /// The factor that brings the largest entry of column `i` near one, or, if the column is zero, that
    /// of the row.
    ///
    /// Rows without a positive diagonal entry count with the factor one among each other; their own
    /// factors are marked by the sign until all are known.
    fn factor_without_diagonal(&self, i: usize, matrix: &[f64]) -> f64 {
        let n = self.factors.len();
        let mut largest = largest_scaled(matrix[i * n..][..n].iter(), &self.factors);
        if largest == 0.0 {
            largest = largest_scaled(matrix[i..].iter().step_by(n), &self.factors);
        }
        if largest > 0.0 { power_of_two(-exponent(largest)) } else { 1.0 }
    }

    /// Writes column `j` of the scaled matrix to the first `n` entries of `scaled`.
    pub(super) fn write_column(&self, j: usize, problem: &Problem, scaled: &mut [f64]) {
        let n = self.factors.len();
        let column = &problem.matrix().as_slice()[j * n..][..n];
        let own = self.factors[j];
        for ((scaled, entry), factor) in scaled.iter_mut().zip(column).zip(&self.factors) {
            *scaled = entry * (own * factor);
        }
    }

    /// Writes the scaled `q` to the first `n` entries of `scaled`.
    pub(super) fn write_vector(&self, q: &[f64], scaled: &mut [f64]) {
        for ((scaled, q), factor) in scaled.iter_mut().zip(q).zip(&self.factors) {
            *scaled = q * factor / self.level;
        }
    }

    /// Scaled entry `i` of `q`.
    pub(super) fn vector(&self, i: usize, q: f64) -> f64 {
        q * self.factors[i] / self.level
    }

    /// `z_i` of a scaled `y_i`.
    pub(super) fn unscale_z(&self, i: usize, y: f64) -> f64 {
        y * self.factors[i] * self.level
    }

    /// The covering vector's entry `i` of its scaled value.
    pub(super) fn unscale_row(&self, i: usize, d: f64) -> f64 {
        d / self.factors[i]
    }

    /// The covering vector's scaled entry `i`.
    pub(super) fn row(&self, i: usize, d: f64) -> f64 {
        d * self.factors[i]
    }

    /// The artificial variable of its scaled value.
    pub(super) fn unscale_level(&self, t: f64) -> f64 {
        t * self.level
    }
}

/// `⌊log₂ x⌋` of a positive normal `x`, limited to ± [`LARGEST_EXPONENT`].
fn exponent(x: f64) -> i32 {
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    (biased - 1023).clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT)
}

/// `2^exponent`, for `|exponent| ≤ 1000`.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).unsigned_abs()) << 52)
}

/// The largest `|entry|` times the factor of its row, which is one where it is not known.
fn largest_scaled<'a>(entries: impl Iterator<Item = &'a f64>, factors: &[f64]) -> f64 {
    entries.zip(factors).fold(0.0, |largest, (entry, factor)| {
        larger(largest, entry.abs() * if *factor > 0.0 { *factor } else { 1.0 })
    })
}

/// The larger of two numbers that are not NaN; one instruction, unlike [`f64::max`].
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
