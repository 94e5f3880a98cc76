//! [`Lanes`] in pairs of the vectors of four numbers that x86 processors have since AVX2: [`Halves`].

use std::{
    arch::x86_64::{__m256d, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_UNORD_Q},
    ops::{Add, Div, Mul, Neg, Sub},
};

use pulp::x86::V3;

use super::lanes::{LANES, Lanes};

/// Eight numbers, and the proof that the processor has vectors of four.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    simd: V3,
    value: [__m256d; 2],
}

impl Halves {
    /// The first where the comparison holds, otherwise the second.
    #[inline(always)]
    fn select<const HOW: i32>(self, other: Self, first: Self, second: Self) -> Self {
        let avx = self.simd.avx;
        let half = |k: usize| {
            let holds = avx._mm256_cmp_pd::<HOW>(self.value[k], other.value[k]);
            avx._mm256_blendv_pd(second.value[k], first.value[k], holds)
        };
        Self { value: [half(0), half(1)], ..self }
    }

    #[inline(always)]
    fn each(self, other: Self, operation: impl Fn(__m256d, __m256d) -> __m256d) -> Self {
        let half = |k: usize| operation(self.value[k], other.value[k]);
        Self { value: [half(0), half(1)], ..self }
    }
}

/// Four rows of four numbers as columns.
#[inline(always)]
fn transposed(simd: V3, [a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    let avx = simd.avx;
    let e = avx._mm256_unpacklo_pd(a, b);
    let f = avx._mm256_unpackhi_pd(a, b);
    let g = avx._mm256_unpacklo_pd(c, d);
    let h = avx._mm256_unpackhi_pd(c, d);
    [
        avx._mm256_permute2f128_pd::<0x20>(e, g),
        avx._mm256_permute2f128_pd::<0x20>(f, h),
        avx._mm256_permute2f128_pd::<0x31>(e, g),
        avx._mm256_permute2f128_pd::<0x31>(f, h),
    ]
}

impl Lanes for Halves {
    type Simd = V3;

    #[inline(always)]
    fn of(simd: V3, values: [f64; LANES]) -> Self {
        Self { simd, value: pulp::cast(values) }
    }

    #[inline(always)]
    fn values(self) -> [f64; LANES] {
        pulp::cast(self.value)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let [low, high] = self.value;
        let avx = self.simd.avx;
        Self { value: [avx._mm256_sqrt_pd(low), avx._mm256_sqrt_pd(high)], ..self }
    }

    #[cfg(feature = "bodies")]
    #[inline(always)]
    fn sign(self) -> Self {
        let avx = self.simd.avx;
        let (minus, one) = (avx._mm256_set1_pd(-0.0), avx._mm256_set1_pd(1.0));
        self.each(self, |value, _| avx._mm256_or_pd(avx._mm256_and_pd(value, minus), one))
    }

    #[inline(always)]
    fn if_below(self, limit: Self, first: Self, second: Self) -> Self {
        self.select::<_CMP_LT_OQ>(limit, first, second)
    }

    #[inline(always)]
    fn if_at_most(self, limit: Self, first: Self, second: Self) -> Self {
        self.select::<_CMP_LE_OQ>(limit, first, second)
    }

    #[cfg(feature = "bodies")]
    #[inline(always)]
    fn is_any_positive(self) -> bool {
        let avx = self.simd.avx;
        let positive = self.value.map(
            #[inline(always)]
            |value| avx._mm256_cmp_pd::<_CMP_LT_OQ>(avx._mm256_setzero_pd(), value),
        );
        avx._mm256_movemask_pd(avx._mm256_or_pd(positive[0], positive[1])) != 0
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        let larger = other.if_at_most(self, self, other);
        self.select::<_CMP_UNORD_Q>(self, self, larger)
    }

    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: [Self; LANES]) -> [Self; LANES] {
        let simd = a.simd;
        let quarter =
            |rows: [Self; 4], half: usize| transposed(simd, rows.map(|row| row.value[half]));
        let (above, below) = ([a, b, c, d], [e, f, g, h]);
        let join = |above: [__m256d; 4], below: [__m256d; 4]| {
            let ([a, b, c, d], [e, f, g, h]) = (above, below);
            [[a, e], [b, f], [c, g], [d, h]].map(|value| Self { simd, value })
        };
        let [a, b, c, d] = join(quarter(above, 0), quarter(below, 0));
        let [e, f, g, h] = join(quarter(above, 1), quarter(below, 1));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn fetch<T>(place: &T) {
        safe_arch::prefetch_t0(place);
    }
}

impl Add for Halves {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| self.simd.avx._mm256_add_pd(a, b))
    }
}

impl Sub for Halves {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| self.simd.avx._mm256_sub_pd(a, b))
    }
}

impl Mul for Halves {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| self.simd.avx._mm256_mul_pd(a, b))
    }
}

impl Div for Halves {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.each(other, |a, b| self.simd.avx._mm256_div_pd(a, b))
    }
}

impl Neg for Halves {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let avx = self.simd.avx;
        let minus = avx._mm256_set1_pd(-0.0);
        self.each(self, |value, _| avx._mm256_xor_pd(value, minus))
    }
}
