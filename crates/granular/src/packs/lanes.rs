//! Eight numbers on which operations act at once: [`Lanes`], with the vectors of the processor where it has them.
//!
//! Every operation gives the bits of the operation on single numbers, so that results do not depend on the processor.

use std::{
    array,
    ops::{Add, Div, Mul, Neg, Sub},
};

use crate::contact;

/// Number of contacts in a pack.
pub(crate) const LANES: usize = 8;

/// One value for each lane, without a loop, so that values stay in the registers of the processor.
#[inline(always)]
pub(crate) fn each<T>(mut value: impl FnMut(usize) -> T) -> [T; LANES] {
    [value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7)]
}

/// One number for each contact of a pack.
pub(crate) trait Lanes:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The proof that the processor has the instructions.
    type Simd: Copy;

    fn of(simd: Self::Simd, values: [f64; LANES]) -> Self;

    #[inline(always)]
    fn all(simd: Self::Simd, value: f64) -> Self {
        Self::of(simd, [value; LANES])
    }

    fn values(self) -> [f64; LANES];

    fn sqrt(self) -> Self;

    /// One with the sign of this, also of zero.
    #[cfg(feature = "bodies")]
    fn sign(self) -> Self;

    /// `first` where this is below `limit`, otherwise `second`.
    fn if_below(self, limit: Self, first: Self, second: Self) -> Self;

    /// `first` where this is at most `limit`, otherwise `second`.
    fn if_at_most(self, limit: Self, first: Self, second: Self) -> Self;

    /// Whether one of them is positive.
    #[cfg(feature = "bodies")]
    fn is_any_positive(self) -> bool;

    /// As [`contact::larger`].
    fn larger(self, other: Self) -> Self;

    /// Rows as columns.
    fn transposed(rows: [Self; LANES]) -> [Self; LANES];

    /// Fetches the cache line of a place that is needed soon, where the processor can be told.
    fn fetch<T>(place: &T);
}

/// Work on [`Lanes`] of any kind.
pub(crate) trait Work {
    type Output;

    fn run<L: Lanes>(self, simd: L::Simd) -> Self::Output;
}

/// Numbers for processors without vectors of four or eight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single([f64; LANES]);

impl Single {
    #[inline(always)]
    fn each(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        Self(array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

impl Lanes for Single {
    type Simd = ();

    #[inline(always)]
    fn of((): (), values: [f64; LANES]) -> Self {
        Self(values)
    }

    #[inline(always)]
    fn values(self) -> [f64; LANES] {
        self.0
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    #[cfg(feature = "bodies")]
    #[inline(always)]
    fn sign(self) -> Self {
        Self(self.0.map(|value| 1.0_f64.copysign(value)))
    }

    #[inline(always)]
    fn if_below(self, limit: Self, first: Self, second: Self) -> Self {
        let select = |lane: usize| if self.0[lane] < limit.0[lane] { first } else { second };
        Self(array::from_fn(|lane| select(lane).0[lane]))
    }

    #[inline(always)]
    fn if_at_most(self, limit: Self, first: Self, second: Self) -> Self {
        let select = |lane: usize| if self.0[lane] <= limit.0[lane] { first } else { second };
        Self(array::from_fn(|lane| select(lane).0[lane]))
    }

    #[cfg(feature = "bodies")]
    #[inline(always)]
    fn is_any_positive(self) -> bool {
        self.0.iter().any(|value| *value > 0.0)
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.each(other, contact::larger)
    }

    #[inline(always)]
    fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
        array::from_fn(|column| Self(rows.map(|row| row.0[column])))
    }

    #[inline(always)]
    fn fetch<T>(_: &T) {}
}

impl Add for Single {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }
}

impl Sub for Single {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| a - b)
    }
}

impl Mul for Single {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| a * b)
    }
}

impl Div for Single {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.each(other, |a, b| a / b)
    }
}

impl Neg for Single {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|value| -value))
    }
}
