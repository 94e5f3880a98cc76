//! Powers of two that bring the entries of a problem near one.
//!
//! With `z = S y` and `S` diagonal and positive, `S M S y + S q` is an LCP in `y` with the same
//! complementary bases. For a row with a positive diagonal entry `s_i² M_ii` is in `[½, 2)`; for one
//! without, the largest scaled entry of its row and column is. `q` is divided by the power of two
//! next to its largest scaled entry. Powers of two make all this exact, so tolerances can be absolute
//! and an answer does not depend on the units of the problem.

use crate::lcp::Problem;

/// Scaling factors of one problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Scaling {
    factors: Vec<f64>,
    /// Scale of `q`: `q_scaled = s_i q_i / level`.
    level: f64,
    /// Whether all factors are one.
    trivial: bool,
}

/// Largest exponent used, so that products of two factors stay finite.
const LARGEST_EXPONENT: i32 = 400;

impl Scaling {
    pub(super) fn compute(&mut self, problem: &Problem) {
        let n = problem.dimension();
        let matrix = problem.matrix().as_slice();
        self.factors.clear();
        self.trivial = true;
        let mut has_gaps = false;
        for i in 0..n {
            let diagonal = matrix[i * n + i];
            let factor =
                if diagonal > 0.0 { power_of_two(-(exponent(diagonal) >> 1)) } else { 0.0 };
            has_gaps |= factor == 0.0;
            self.trivial &= factor == 1.0;
            self.factors.push(factor);
        }
        if has_gaps {
            self.fill_gaps(matrix, n);
        }
        let largest = (0..n)
            .fold(0.0_f64, |largest, i| largest.max((self.factors[i] * problem.vector()[i]).abs()));
        self.level = if largest > 0.0 { power_of_two(exponent(largest)) } else { 1.0 };
    }

    /// Factors of the rows without a positive diagonal entry, from the rows that have one.
    fn fill_gaps(&mut self, matrix: &[f64], n: usize) {
        self.trivial = true;
        for i in 0..n {
            if matrix[i * n + i] <= 0.0 {
                let mut largest = 0.0_f64;
                for j in 0..n {
                    // A row without a factor yet counts with one.
                    let other = if matrix[j * n + j] > 0.0 { self.factors[j] } else { 1.0 };
                    largest =
                        largest.max(other * matrix[i * n + j].abs().max(matrix[j * n + i].abs()));
                }
                self.factors[i] =
                    if largest > 0.0 { power_of_two(-exponent(largest)) } else { 1.0 };
            }
            self.trivial &= self.factors[i] == 1.0;
        }
    }

    /// Calls `write(i, s_i s_j M_ij)` for every entry of column `j`.
    pub(super) fn for_column(&self, j: usize, column: &[f64], mut write: impl FnMut(usize, f64)) {
        if self.trivial {
            for (i, &entry) in column.iter().enumerate() {
                write(i, entry);
            }
        } else {
            let factor = self.factors[j];
            for (i, (&entry, s)) in column.iter().zip(&self.factors).enumerate() {
                write(i, entry * s * factor);
            }
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
    #[expect(clippy::cast_possible_truncation, reason = "an exponent has 11 bits")]
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    (biased - 1023).clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT)
}

/// `2^exponent`, for `|exponent| ≤ 1000`.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).unsigned_abs()) << 52)
}
