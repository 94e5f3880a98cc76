//! [`Lanes`] in the vectors of eight numbers of x86 processors with AVX-512: [`Vector`].

use std::{
    arch::x86_64::{__m512d, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_UNORD_Q},
    ops::{Add, Div, Mul, Neg, Sub},
};

use pulp::x86::V4;

use super::lanes::{LANES, Lanes};

/// Eight numbers, and the proof that the processor has vectors of eight.
#[derive(Clone, Copy)]
pub(super) struct Vector {
    simd: V4,
    value: __m512d,
}

impl Vector {
    /// The first where the comparison holds, otherwise the second.
    #[inline(always)]
    fn select<const HOW: i32>(self, other: Self, first: Self, second: Self) -> Self {
        let avx = self.simd.avx512f;
        let holds = avx._mm512_cmp_pd_mask::<HOW>(self.value, other.value);
        Self { value: avx._mm512_mask_blend_pd(holds, second.value, first.value), ..self }
    }
}

impl Lanes for Vector {
    type Simd = V4;

    #[inline(always)]
    fn of(simd: V4, values: [f64; LANES]) -> Self {
        Self { simd, value: pulp::cast(values) }
    }

    #[inline(always)]
    fn values(self) -> [f64; LANES] {
        pulp::cast(self.value)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self { value: self.simd.avx512f._mm512_sqrt_pd(self.value), ..self }
    }

    #[cfg(feature = "bodies")]
    #[inline(always)]
    fn sign(self) -> Self {
        let (avx, bits) = (self.simd.avx512f, self.simd.avx512dq);
        let sign = bits._mm512_and_pd(self.value, avx._mm512_set1_pd(-0.0));
        Self { value: bits._mm512_or_pd(sign, avx._mm512_set1_pd(1.0)), ..self }
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
        let avx = self.simd.avx512f;
        avx._mm512_cmp_pd_mask::<_CMP_LT_OQ>(avx._mm512_setzero_pd(), self.value) != 0
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        let larger = other.if_at_most(self, self, other);
        self.select::<_CMP_UNORD_Q>(self, self, larger)
    }

    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: [Self; LANES]) -> [Self; LANES] {
        let (simd, avx) = (a.simd, a.simd.avx512f);
        // Of pairs of rows the columns 0, 2, 4 and 6, or 1, 3, 5 and 7, in one quarter each.
        let even = |a: Self, b: Self| avx._mm512_unpacklo_pd(a.value, b.value);
        let odd = |a: Self, b: Self| avx._mm512_unpackhi_pd(a.value, b.value);
        let (evens, odds) = (
            quarters(simd, [even(a, b), even(c, d), even(e, f), even(g, h)]),
            quarters(simd, [odd(a, b), odd(c, d), odd(e, f), odd(g, h)]),
        );
        let of = |value| Self { simd, value };
        [
            of(evens[0]),
            of(odds[0]),
            of(evens[1]),
            of(odds[1]),
            of(evens[2]),
            of(odds[2]),
            of(evens[3]),
            of(odds[3]),
        ]
    }

    #[inline(always)]
    fn fetch<T>(place: &T) {
        safe_arch::prefetch_t0(place);
    }
}

/// Quarters of four vectors as columns.
#[inline(always)]
fn quarters(simd: V4, [a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    let avx = simd.avx512f;
    let e = avx._mm512_shuffle_f64x2::<0x88>(a, b);
    let f = avx._mm512_shuffle_f64x2::<0xdd>(a, b);
    let g = avx._mm512_shuffle_f64x2::<0x88>(c, d);
    let h = avx._mm512_shuffle_f64x2::<0xdd>(c, d);
    [
        avx._mm512_shuffle_f64x2::<0x88>(e, g),
        avx._mm512_shuffle_f64x2::<0x88>(f, h),
        avx._mm512_shuffle_f64x2::<0xdd>(e, g),
        avx._mm512_shuffle_f64x2::<0xdd>(f, h),
    ]
}

impl Add for Vector {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { value: self.simd.avx512f._mm512_add_pd(self.value, other.value), ..self }
    }
}

impl Sub for Vector {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { value: self.simd.avx512f._mm512_sub_pd(self.value, other.value), ..self }
    }
}

impl Mul for Vector {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { value: self.simd.avx512f._mm512_mul_pd(self.value, other.value), ..self }
    }
}

impl Div for Vector {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self { value: self.simd.avx512f._mm512_div_pd(self.value, other.value), ..self }
    }
}

impl Neg for Vector {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let minus = self.simd.avx512f._mm512_set1_pd(-0.0);
        Self { value: self.simd.avx512dq._mm512_xor_pd(self.value, minus), ..self }
    }
}
