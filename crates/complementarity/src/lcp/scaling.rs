//! Powers of two that bring the entries of a problem near one.
//!
//! With positive diagonal `R`, `C` and `z = C y`, the LCP of `R M C` and `R q` has the same
//! complementary bases. For a row with a positive diagonal entry `r_i = c_i`, and `r_i² M_ii` is in `[1, 4)`. For a
//! row without one, `r_i` and `c_i` bring the largest scaled entry of its row and of its column near one. `q` is
//! divided by the power of two next to its largest scaled entry. All factors are powers of two, so the scaling is
//! exact, tolerances can be absolute, and an answer does not depend on the units of the problem.

use nalgebra::{DMatrix, DVector};

/// Scaling factors of one problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scaling {
    /// `r`.
    rows: Vec<f64>,
    /// `c`.
    columns: Vec<f64>,
    /// Rows without a positive diagonal entry, with their two factors; among one another they use the factor one.
    gaps: Vec<(usize, f64, f64)>,
    /// Scale of `q`: `q_scaled = r_i q_i / level`.
    level: f64,
    /// `1/level`, which is exact.
    inverse_level: f64,
}

/// Maximum exponent of a diagonal entry that is scaled: the product of two factors, each with half of it, stays
/// finite.
const LARGEST_DIAGONAL: i32 = 1000;

/// Largest exponent of a factor of a row without a positive diagonal entry.
const LARGEST_EXPONENT: i32 = 400;

/// Largest exponent of the level.
const LARGEST_LEVEL: i32 = 1000;

impl Scaling {
    /// Computes the factors of a problem, in the memory of a previous one.
    pub(super) fn compute(&mut self, matrix: &DMatrix<f64>, vector: &DVector<f64>) {
        let n = vector.len();
        let matrix = matrix.as_slice();
        self.rows.clear();
        self.rows.extend(matrix.iter().step_by(n + 1).map(|&diagonal| {
            if diagonal > 0.0 {
                power_of_two(-(exponent(diagonal, LARGEST_DIAGONAL) >> 1))
            } else {
                1.0
            }
        }));
        self.columns.clone_from(&self.rows);
        self.gaps.clear();
        for i in 0..n {
            if matrix[i * n + i] <= 0.0 {
                let in_row = matrix.chunks_exact(n).map(|column| column[i]);
                let in_column = matrix[i * n..][..n].iter().copied();
                let row = unit(largest_scaled(in_row, &self.columns));
                let column = unit(largest_scaled(in_column, &self.rows));
                self.gaps.push((i, row, column));
            }
        }
        for &(i, row, column) in &self.gaps {
            self.rows[i] = row;
            self.columns[i] = column;
        }
        let mut largest = 0.0;
        for (factor, q) in self.rows.iter().zip(vector.as_slice()) {
            largest = larger(largest, (factor * q).abs());
        }
        let level = if largest > 0.0 { exponent(largest, LARGEST_LEVEL) } else { 0 };
        self.level = power_of_two(level);
        self.inverse_level = power_of_two(-level);
    }

    /// One by a power of two near the largest `r_i |q_i|`.
    #[inline]
    pub(super) const fn inverse_level(&self) -> f64 {
        self.inverse_level
    }

    /// `r`.
    pub(super) fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// `c`.
    pub(super) fn columns(&self) -> &[f64] {
        &self.columns
    }

    /// `r_i` and `c_i`.
    #[inline]
    pub(super) fn factors(&self, i: usize) -> (f64, f64) {
        (self.rows[i], self.columns[i])
    }

    /// The scaled value of `w_i` or `q_i`.
    pub(super) fn slack(&self, i: usize, w: f64) -> f64 {
        w * self.rows[i] * self.inverse_level
    }

    /// `z_i` from its scaled value.
    pub(super) fn unscale_z(&self, i: usize, y: f64) -> f64 {
        y * self.columns[i] * self.level
    }

    /// The scaled value of entry `i` of the covering vector.
    pub(super) fn covering(&self, i: usize, d: f64) -> f64 {
        d * self.rows[i]
    }

    /// Entry `i` of the covering vector from its scaled value.
    pub(super) fn unscale_covering(&self, i: usize, d: f64) -> f64 {
        d / self.rows[i]
    }

    /// The artificial variable from its scaled value.
    pub(super) fn unscale_artificial(&self, t: f64) -> f64 {
        t * self.level
    }
}

/// The largest `|entry|` times the factor of its row or column.
fn largest_scaled(entries: impl Iterator<Item = f64>, factors: &[f64]) -> f64 {
    let scaled = entries.zip(factors).map(|(entry, factor)| entry.abs() * factor);
    scaled.fold(0.0, larger)
}

/// The factor that brings `largest` near one; one if it is zero.
fn unit(largest: f64) -> f64 {
    if largest > 0.0 { power_of_two(-exponent(largest, LARGEST_EXPONENT)) } else { 1.0 }
}

/// `⌊log₂ x⌋` of a positive normal `x`, limited to ± `limit`.
fn exponent(x: f64, limit: i32) -> i32 {
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    (biased - 1023).clamp(-limit, limit)
}

/// `2^exponent`, for `|exponent| ≤ 1000`.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).unsigned_abs()) << 52)
}

/// The smaller of two numbers, and `b` if one is NaN; one instruction, unlike [`f64::min`].
pub(super) fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger of two numbers, and `b` if one is NaN; one instruction, unlike [`f64::max`].
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
