//! Vectors and motions of eight contacts: [`Vectors`], [`Motions`] of the grains on one side, and [`Both`] sides.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::lanes::{LANES, Lanes, each};
use crate::grains::Motion;

/// One vector for each contact: the coordinates `x`, `y` and `z`.
#[derive(Clone, Copy)]
pub(crate) struct Vectors<L>(pub(crate) [L; 3]);

impl<L: Lanes> Vectors<L> {
    #[inline(always)]
    pub(crate) fn of(simd: L::Simd, values: &[[f64; LANES]; 3]) -> Self {
        let [x, y, z] = *values;
        Self([L::of(simd, x), L::of(simd, y), L::of(simd, z)])
    }

    #[inline(always)]
    pub(crate) fn values(self) -> [[f64; LANES]; 3] {
        let [x, y, z] = self.0;
        [x.values(), y.values(), z.values()]
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> L {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        a * d + b * e + c * f
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }

    /// `first` where `value` is below `limit`, otherwise `second`.
    #[inline(always)]
    pub(crate) fn if_below(value: L, limit: L, first: Self, second: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (first.0, second.0);
        Self([
            value.if_below(limit, a, d),
            value.if_below(limit, b, e),
            value.if_below(limit, c, f),
        ])
    }

    /// `first` where `value` is at most `limit`, otherwise `second`.
    #[inline(always)]
    pub(crate) fn if_at_most(value: L, limit: L, first: Self, second: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (first.0, second.0);
        Self([
            value.if_at_most(limit, a, d),
            value.if_at_most(limit, b, e),
            value.if_at_most(limit, c, f),
        ])
    }
}

impl<L: Lanes> Add for Vectors<L> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([a + d, b + e, c + f])
    }
}

impl<L: Lanes> Sub for Vectors<L> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([a - d, b - e, c - f])
    }
}

impl<L: Lanes> Neg for Vectors<L> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let [a, b, c] = self.0;
        Self([-a, -b, -c])
    }
}

impl<L: Lanes> Mul<L> for Vectors<L> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: L) -> Self {
        let [a, b, c] = self.0;
        Self([a * factor, b * factor, c * factor])
    }
}

impl<L: Lanes> Div<L> for Vectors<L> {
    type Output = Self;

    #[inline(always)]
    fn div(self, divisor: L) -> Self {
        let [a, b, c] = self.0;
        Self([a / divisor, b / divisor, c / divisor])
    }
}

#[inline(always)]
fn row<L: Lanes>(simd: L::Simd, motion: &Motion) -> L {
    let Motion { velocity: v, spin: w, inverse_mass, spin_yield } = motion;
    L::of(simd, [v.x, v.y, v.z, w.x, w.y, w.z, *inverse_mass, *spin_yield])
}

/// One motion for each contact.
#[derive(Clone, Copy)]
pub(super) struct Motions<L> {
    pub(super) velocity: Vectors<L>,
    pub(super) spin: Vectors<L>,
    pub(super) inverse_mass: L,
    pub(super) spin_yield: L,
}

impl<L: Lanes> Motions<L> {
    /// Those of the grains at these places.
    #[inline(always)]
    fn gathered(simd: L::Simd, places: &[u32; LANES], motions: &[Motion]) -> Self {
        let rows = each(|lane| row(simd, &motions[places[lane] as usize]));
        let [u, v, w, x, y, z, inverse_mass, spin_yield] = L::transposed(rows);
        Self { velocity: Vectors([u, v, w]), spin: Vectors([x, y, z]), inverse_mass, spin_yield }
    }

    /// Writes the motions back, whole, because vectors are written faster than their parts.
    #[inline(always)]
    fn scatter(&self, places: &[u32; LANES], motions: &mut [Motion]) {
        let ([u, v, w], [x, y, z]) = (self.velocity.0, self.spin.0);
        let rows = L::transposed([u, v, w, x, y, z, self.inverse_mass, self.spin_yield]);
        each(|lane| write(rows[lane], &mut motions[places[lane] as usize]));
    }
}

#[inline(always)]
fn write<L: Lanes>(row: L, motion: &mut Motion) {
    let Motion { velocity: v, spin: w, inverse_mass, spin_yield } = motion;
    [v.x, v.y, v.z, w.x, w.y, w.z, *inverse_mass, *spin_yield] = row.values();
}

/// The motions of the two grains of each contact.
#[derive(Clone, Copy)]
pub(super) struct Both<L> {
    pub(super) first: Motions<L>,
    pub(super) second: Motions<L>,
}

impl<L: Lanes> Both<L> {
    #[inline(always)]
    pub(super) fn gathered(
        simd: L::Simd,
        [first, second]: &[[u32; LANES]; 2],
        motions: &[Motion],
    ) -> Self {
        Self {
            first: Motions::gathered(simd, first, motions),
            second: Motions::gathered(simd, second, motions),
        }
    }

    #[inline(always)]
    pub(super) fn scatter(&self, [first, second]: &[[u32; LANES]; 2], motions: &mut [Motion]) {
        self.first.scatter(first, motions);
        self.second.scatter(second, motions);
    }

    /// Velocity of the first grain's surface relative to the second's (m/s).
    #[inline(always)]
    pub(super) fn velocity(&self, normal: Vectors<L>) -> Vectors<L> {
        let Self { first: a, second: b } = self;
        a.velocity - b.velocity - (a.spin + b.spin).cross(normal)
    }

    /// Applies an impulse (N·s), opposite on the second.
    #[inline(always)]
    pub(super) fn push(&mut self, normal: Vectors<L>, impulse: Vectors<L>) {
        let Self { first: a, second: b } = self;
        let turn = normal.cross(impulse);
        a.velocity = a.velocity + impulse * a.inverse_mass;
        a.spin = a.spin - turn * a.spin_yield;
        b.velocity = b.velocity - impulse * b.inverse_mass;
        b.spin = b.spin - turn * b.spin_yield;
    }
}
