//! Numbers of about 32 digits: unevaluated sums of two doubles.
//!
//! An [`Extended`] is `high + low` with `|low| ≤ ½ ulp(high)`. Sums and products of doubles split into their rounded
//! value and their rounding error, both exact, and only additions, subtractions and multiplications are used for that.
//!
//! - **Error** of a sum, product, quotient or root at most `2⁻¹⁰²` of its value, as long as nothing overflows and the
//!   smaller parts stay above the smallest normal number: for a product of magnitude below about `1e-290` the low part is
//!   lost step by step and the value is a double's.
//! - **Not finite**: once the high part overflows or is NaN, the low part is zero, so that comparisons see the high part.
//! - **Deterministic**: no fused multiply-add, so every machine gives the same bits.
//!
//! # Source
//!
//! T. J. Dekker, "A floating-point technique for extending the available precision", *Numerische Mathematik* 18 (1971)
//! 224–242 (products); D. E. Knuth, *The Art of Computer Programming*, volume 2, section 4.2.2 (sums);
//! M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic building blocks of double-word
//! arithmetic", *ACM Transactions on Mathematical Software* 44 (2017) 15.

use std::{
    cmp::Ordering,
    iter::Sum,
    ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign},
};

/// A number `high + low`; see the [module](self).
///
/// # Example
///
/// ```
/// use percussion_verify::Extended;
///
/// let tiny = Extended::from(1.0) + Extended::from(1e-25) - Extended::from(1.0);
/// assert!((tiny.value() - 1e-25).abs() < 1e-32);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Extended {
    high: f64,
    low: f64,
}

/// `a + b` rounded, and the rounding error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// As [`two_sum`] for `|a| ≥ |b|`.
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Two parts of at most 26 bits whose sum is `a`.
fn split(a: f64) -> (f64, f64) {
    /// Beyond this the factor of the split would overflow.
    const LARGE: f64 = 6.7e299;
    /// `2²⁸`, exact, as is its inverse.
    const SHIFT: f64 = 268_435_456.0;
    if !a.is_finite() {
        return (a, 0.0);
    }
    if a.abs() > LARGE {
        let (high, low) = split(a / SHIFT);
        return (high * SHIFT, low * SHIFT);
    }
    let scaled = 134_217_729.0 * a; // 2²⁷ + 1
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// `a b` rounded, and the rounding error.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, error)
}

impl Extended {
    /// Zero.
    pub const ZERO: Self = Self { high: 0.0, low: 0.0 };
    /// One.
    pub const ONE: Self = Self { high: 1.0, low: 0.0 };

    fn normal(high: f64, low: f64) -> Self {
        let (high, low) = quick_two_sum(high, low);
        Self::guarded(high, low)
    }

    fn guarded(high: f64, low: f64) -> Self {
        if high.is_finite() && low.is_finite() {
            Self { high, low }
        } else {
            Self { high, low: 0.0 }
        }
    }

    /// The product of two doubles; exact unless it under- or overflows.
    #[must_use]
    pub fn product(a: f64, b: f64) -> Self {
        let (high, low) = two_product(a, b);
        Self::guarded(high, low)
    }

    /// The nearest double.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.high
    }

    /// `|x|`.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.high < 0.0 || (self.high == 0.0 && self.low < 0.0) { -self } else { self }
    }

    /// The larger of two numbers; the other one if one is NaN.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if self.high.is_nan() || self < other { other } else { self }
    }

    /// The smaller of two numbers; the other one if one is NaN.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if self.high.is_nan() || self > other { other } else { self }
    }

    /// `√x`; NaN for negative numbers.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let root = self.high.sqrt();
        if root.is_nan() || root.is_infinite() || root == 0.0 {
            return Self { high: root, low: 0.0 };
        }
        // One step of Newton's method doubles the digits of the double root.
        let correction = (self - Self::product(root, root)).high / (2.0 * root);
        Self::normal(root, correction)
    }

    /// Whether both parts are finite.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.high.is_finite()
    }
}

impl From<f64> for Extended {
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

impl Add for Extended {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        if !high.is_finite() {
            return Self { high, low: 0.0 };
        }
        let (low, low_error) = two_sum(self.low, other.low);
        let (high, error) = quick_two_sum(high, error + low);
        Self::normal(high, error + low_error)
    }
}

impl Neg for Extended {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Extended {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Extended {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (high, error) = two_product(self.high, other.high);
        if !high.is_finite() || !error.is_finite() {
            return Self { high, low: 0.0 };
        }
        Self::normal(high, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Extended {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        if !first.is_finite() || !other.high.is_finite() {
            return Self { high: first, low: 0.0 };
        }
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        Self::normal(first, second) + Self::from(rest.high / other.high)
    }
}

impl AddAssign for Extended {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Extended {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Extended {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

impl PartialEq for Extended {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Extended {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) => self.low.partial_cmp(&other.low),
            order => order,
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    fn x(value: f64) -> Extended {
        Extended::from(value)
    }

    /// `1/3` to 31 digits, by its first 53 bits and the rest.
    #[test]
    fn a_third_has_thirty_digits() {
        let third = x(1.0) / x(3.0);
        let error = third * x(3.0) - x(1.0);
        assert!(error.abs().value() <= 1e-31, "{error:?}");
        assert!((third.low - 1.850_371_707_708_594e-17).abs() < 1e-31, "{third:?}");
    }

    #[test]
    fn products_of_doubles_are_exact() {
        // (2⁵² + 1)² = 2¹⁰⁴ + 2⁵³ + 1, which is not a double.
        let a = 4_503_599_627_370_497.0;
        let square = Extended::product(a, a);
        let rest = square - x(2.0_f64.powi(104)) - x(2.0_f64.powi(53));
        assert_eq!(rest.value(), 1.0);
    }

    #[test]
    fn cancellation_keeps_what_a_double_loses() {
        let sum: Extended = [1e16, 1.0, -1e16, 1e-16].into_iter().map(x).sum();
        assert_eq!((sum - x(1.0)).value(), 1e-16);
    }

    #[test]
    fn a_root_squares_to_its_number() {
        for value in [2.0, 1e-150, 3e200, 0.1] {
            let root = x(value).sqrt();
            let error = (root * root - x(value)).abs().value();
            assert!(error <= 1e-30 * value, "{value}: {error:e}");
        }
        assert_eq!(x(0.0).sqrt().value(), 0.0);
        assert!(x(-1.0).sqrt().value().is_nan(), "a negative number has no root");
    }

    #[test]
    fn large_numbers_split_without_overflow() {
        let large = 1.234_567_890_123e308;
        let product = Extended::product(large, 0.5) - x(large / 2.0);
        assert_eq!(product.value(), 0.0);
        let tenth = Extended::product(large, 0.1);
        assert!(tenth.is_finite() && tenth.low != 0.0, "{tenth:?}");
    }

    #[test]
    fn what_is_not_finite_compares_by_its_high_part() {
        let infinite = x(1e308) * x(10.0);
        assert!(!infinite.is_finite() && infinite > x(1.0), "{infinite:?}");
        assert!(
            (infinite - infinite).value().is_nan(),
            "the difference of infinities is not a number"
        );
        assert!(x(1e308) + x(1e308) > x(1e308), "an overflowing sum is large");
        assert_eq!(x(f64::NAN).max(x(1.0)).value(), 1.0);
        assert_eq!(x(f64::NAN).min(x(1.0)).value(), 1.0);
    }

    #[test]
    fn order_sees_the_low_part() {
        let above = x(1.0) + x(1e-20);
        assert!(above > x(1.0) && x(1.0) < above && above != x(1.0), "{above:?}");
        assert!((x(1.0) - x(1e-20)) < x(1.0), "the low part is negative");
        assert_eq!((-above).abs(), above);
    }
}
