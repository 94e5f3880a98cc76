//! [`Lanes`] in the vectors of four numbers that x86 processors have since AVX2: [`Vector`].

use std::{
    arch::x86_64::{__m256d, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_UNORD_Q},
    ops::{Add, Div, Mul, Neg, Sub},
};

use pulp::x86::V3;

use super::lanes::{LANES, Lanes};

/// Four numbers, and the proof that the processor has vectors of four.
#[derive(Clone, Copy)]
pub(super) struct Vector {
    simd: V3,
    value: __m256d,
}

impl Vector {
    /// The first where the comparison holds, otherwise the second.
    #[inline(always)]
    fn select<const HOW: i32>(self, other: Self, first: Self, second: Self) -> Self {
        let avx = self.simd.avx;
        let holds = avx._mm256_cmp_pd::<HOW>(self.value, other.value);
        Self { value: avx._mm256_blendv_pd(second.value, first.value, holds), ..self }
    }
}

impl Lanes for Vector {
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
        Self { value: self.simd.avx._mm256_sqrt_pd(self.value), ..self }
    }

    #[cfg(feature = "bodies")]
    #[inline(always)]
    fn sign(self) -> Self {
        let avx = self.simd.avx;
        let sign = avx._mm256_and_pd(self.value, avx._mm256_set1_pd(-0.0));
        Self { value: avx._mm256_or_pd(sign, avx._mm256_set1_pd(1.0)), ..self }
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
        let positive = avx._mm256_cmp_pd::<_CMP_LT_OQ>(avx._mm256_setzero_pd(), self.value);
        avx._mm256_movemask_pd(positive) != 0
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        let larger = other.if_at_most(self, self, other);
        self.select::<_CMP_UNORD_Q>(self, self, larger)
    }

    #[inline(always)]
    fn transposed([a, b, c, d]: [Self; LANES]) -> [Self; LANES] {
        let avx = a.simd.avx;
        let e = avx._mm256_unpacklo_pd(a.value, b.value);
        let f = avx._mm256_unpackhi_pd(a.value, b.value);
        let g = avx._mm256_unpacklo_pd(c.value, d.value);
        let h = avx._mm256_unpackhi_pd(c.value, d.value);
        [
            Self { value: avx._mm256_permute2f128_pd::<0x20>(e, g), ..a },
            Self { value: avx._mm256_permute2f128_pd::<0x20>(f, h), ..a },
            Self { value: avx._mm256_permute2f128_pd::<0x31>(e, g), ..a },
            Self { value: avx._mm256_permute2f128_pd::<0x31>(f, h), ..a },
        ]
    }

    #[inline(always)]
    fn fetch<T>(place: &T) {
        safe_arch::prefetch_t0(place);
    }
}

impl Add for Vector {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { value: self.simd.avx._mm256_add_pd(self.value, other.value), ..self }
    }
}

impl Sub for Vector {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { value: self.simd.avx._mm256_sub_pd(self.value, other.value), ..self }
    }
}

impl Mul for Vector {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { value: self.simd.avx._mm256_mul_pd(self.value, other.value), ..self }
    }
}

impl Div for Vector {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self { value: self.simd.avx._mm256_div_pd(self.value, other.value), ..self }
    }
}

impl Neg for Vector {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let avx = self.simd.avx;
        Self { value: avx._mm256_xor_pd(self.value, avx._mm256_set1_pd(-0.0)), ..self }
    }
}
