//! Intervals of doubles with outward rounding.
//!
//! Every operation rounds to nearest and then moves both ends to the next double outward, which contains the
//! exact result. A result that is not a number becomes the whole line.

use std::ops::{Add, Mul, Neg, Sub};

use nalgebra::{DMatrix, DVector};

/// All real numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const ZERO: Self = Self { low: 0.0, high: 0.0 };

    /// The interval between the neighbors of two rounded ends.
    fn outward(low: f64, high: f64) -> Self {
        if low.is_nan() || high.is_nan() {
            return Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        Self { low: low.next_down(), high: high.next_up() }
    }

    /// Largest magnitude.
    pub(super) const fn magnitude(self) -> f64 {
        self.high.abs().max(self.low.abs())
    }

    /// Upper bound of the square root (≥ 0); a negative number is rounding of zero.
    pub(super) fn root(self) -> f64 {
        if self.high > 0.0 { self.high.sqrt().next_up() } else { 0.0 }
    }

    /// Square, which is not negative.
    pub(super) fn square(self) -> Self {
        let product = self * self;
        Self { low: product.low.max(0.0), ..product }
    }
}

impl From<f64> for Interval {
    fn from(value: f64) -> Self {
        Self { low: value, high: value }
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        // A zero changes nothing; sums over rows of zeros stay exact.
        if other == Self::ZERO {
            return self;
        }
        if self == Self::ZERO {
            return other;
        }
        Self::outward(self.low + other.low, self.high + other.high)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self == Self::ZERO || other == Self::ZERO {
            return Self::ZERO;
        }
        let products = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        if products.iter().any(|product| product.is_nan()) {
            return Self::outward(f64::NAN, f64::NAN);
        }
        let low = products.into_iter().fold(f64::INFINITY, f64::min);
        Self::outward(low, products.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }
}

/// Entries of a vector.
pub(super) fn entries(vector: &DVector<f64>) -> Vec<Interval> {
    vector.iter().map(|&entry| entry.into()).collect()
}

/// `a · b`.
pub(super) fn dot(a: &[Interval], b: &[Interval]) -> Interval {
    a.iter().zip(b).fold(Interval::ZERO, |sum, (a, b)| sum + *a * *b)
}

/// `A x`.
pub(super) fn product(matrix: &DMatrix<f64>, x: &[Interval]) -> Vec<Interval> {
    let row = |row: usize| {
        let terms = x.iter().enumerate();
        terms.fold(Interval::ZERO, |sum, (j, x)| sum + Interval::from(matrix[(row, j)]) * *x)
    };
    (0..matrix.nrows()).map(row).collect()
}
