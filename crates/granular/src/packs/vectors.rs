//! A pack solved by vectors of four numbers: [`sweep`].
//!
//! The operations are those of [`Contact::sweep`](crate::contact::Contact::sweep) in the same order, so the results are
//! the same to the bit. Where that function branches, both sides are computed and one is selected.

use std::{
    arch::x86_64::{__m256d, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_UNORD_Q},
    array,
    ops::{Add, Div, Mul, Sub},
};

use pulp::x86::V3;

use super::{LANES, Pack};
use crate::{contact, grains::Motion};

/// One number for each contact of a pack, and the proof that the processor has vectors of four.
#[derive(Clone, Copy)]
struct Lanes {
    simd: V3,
    value: __m256d,
}

/// One vector for each contact: the coordinates `x`, `y` and `z`.
#[derive(Clone, Copy)]
struct Vectors([Lanes; 3]);

/// One motion for each contact.
struct Motions {
    velocity: Vectors,
    spin: Vectors,
    inverse_mass: Lanes,
    spin_yield: Lanes,
}

/// Solves the contacts of all packs, from the first to the last, or backwards. Returns the square of the largest natural
/// map before (m/s)².
pub(super) fn sweep(simd: V3, packs: &mut [Pack], motions: &mut [Motion], backwards: bool) -> f64 {
    let zero = Lanes { simd, value: pulp::cast([0.0; LANES]) };
    let largest = simd.vectorize(
        #[inline(always)]
        || {
            let mut largest = zero;
            if backwards {
                for pack in packs.iter_mut().rev() {
                    largest = largest.larger(solve(simd, pack, motions));
                }
            } else {
                for pack in packs {
                    largest = largest.larger(solve(simd, pack, motions));
                }
            }
            largest
        },
    );
    let largest: [f64; LANES] = pulp::cast(largest.value);
    largest.into_iter().fold(0.0, contact::larger)
}

/// Solves the contacts of a pack, and returns the squares of their natural maps before (m/s)².
#[inline(always)]
fn solve(simd: V3, pack: &mut Pack, motions: &mut [Motion]) -> Lanes {
    let lanes = |values: &[f64; LANES]| Lanes { simd, value: pulp::cast(*values) };
    let vectors = |[x, y, z]: &[[f64; LANES]; 3]| Vectors([lanes(x), lanes(y), lanes(z)]);
    let zero = lanes(&[0.0; LANES]);
    let zeros = Vectors([zero; 3]);
    let mut a = Motions::gathered(simd, &pack.grains[0], motions);
    let mut b = Motions::gathered(simd, &pack.grains[1], motions);
    let (normal, impulse) = (vectors(&pack.normal), vectors(&pack.impulse));
    let velocity = a.velocity - b.velocity - (a.spin + b.spin).cross(normal);

    let pull = lanes(&pack.mass[0]) * (velocity.dot(normal) + lanes(&pack.bias));
    let along = impulse.dot(normal) - pull;
    let stick = impulse - velocity * lanes(&pack.mass[1]);
    let tangent = stick - normal * stick.dot(normal);
    let (limit, squared) = (lanes(&pack.friction) * along, tangent.dot(tangent));
    let shorter =
        (limit * limit).below(squared).select(limit / squared.sqrt(), lanes(&[1.0; LANES]));
    let pushes = normal * along + tangent * shorter;
    let open = along.at_most(zero);
    let solved = Vectors(array::from_fn(|axis| open.select(zero, pushes.0[axis])));
    let change = solved - impulse;
    for (kept, solved) in pack.impulse.iter_mut().zip(solved.0) {
        *kept = pulp::cast(solved.value);
    }

    let squared = change.dot(change);
    let moves = zero.below(squared);
    let change = Vectors(array::from_fn(|axis| moves.select(change.0[axis], zeros.0[axis])));
    let turn = normal.cross(change);
    a.velocity = a.velocity + change * a.inverse_mass;
    a.spin = a.spin - turn * a.spin_yield;
    b.velocity = b.velocity - change * b.inverse_mass;
    b.spin = b.spin - turn * b.spin_yield;
    a.scatter(&pack.grains[0], motions);
    b.scatter(&pack.grains[1], motions);
    let thirds = lanes(&[2.0 / 3.0; LANES]);
    let yields =
        (a.inverse_mass + thirds * a.spin_yield) + (b.inverse_mass + thirds * b.spin_yield);
    squared * yields * yields
}

/// All bits set where a condition holds.
#[derive(Clone, Copy)]
struct Mask(Lanes);

impl Mask {
    /// The first where the condition holds, otherwise the second.
    #[inline(always)]
    fn select(self, first: Lanes, second: Lanes) -> Lanes {
        let Lanes { simd, value } = self.0;
        Lanes { simd, value: simd.avx._mm256_blendv_pd(second.value, first.value, value) }
    }
}

impl Lanes {
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self { value: self.simd.avx._mm256_sqrt_pd(self.value), ..self }
    }

    #[inline(always)]
    fn compared<const HOW: i32>(self, other: Self) -> Mask {
        Mask(Self { value: self.simd.avx._mm256_cmp_pd::<HOW>(self.value, other.value), ..self })
    }

    #[inline(always)]
    fn below(self, limit: Self) -> Mask {
        self.compared::<_CMP_LT_OQ>(limit)
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> Mask {
        self.compared::<_CMP_LE_OQ>(limit)
    }

    /// As [`contact::larger`].
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        let larger = other.at_most(self).select(self, other);
        let is_nan = self.compared::<_CMP_UNORD_Q>(self);
        is_nan.select(self, larger)
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { value: self.simd.avx._mm256_add_pd(self.value, other.value), ..self }
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { value: self.simd.avx._mm256_sub_pd(self.value, other.value), ..self }
    }
}

impl Mul for Lanes {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { value: self.simd.avx._mm256_mul_pd(self.value, other.value), ..self }
    }
}

impl Div for Lanes {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self { value: self.simd.avx._mm256_div_pd(self.value, other.value), ..self }
    }
}

impl Vectors {
    #[inline(always)]
    fn dot(self, other: Self) -> Lanes {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        a * d + b * e + c * f
    }

    #[inline(always)]
    fn cross(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }
}

impl Add for Vectors {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([a + d, b + e, c + f])
    }
}

impl Sub for Vectors {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([a - d, b - e, c - f])
    }
}

impl Mul<Lanes> for Vectors {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: Lanes) -> Self {
        let [a, b, c] = self.0;
        Self([a * factor, b * factor, c * factor])
    }
}

impl Motions {
    /// Those of the grains at these places.
    #[inline(always)]
    fn gathered(simd: V3, places: &[u32; LANES], motions: &[Motion]) -> Self {
        let [a, b, c, d] = *places;
        let read = |place: u32| -> [__m256d; 2] {
            let Motion { velocity, spin, inverse_mass, spin_yield } = motions[place as usize];
            [
                pulp::cast([velocity.x, velocity.y, velocity.z, spin.x]),
                pulp::cast([spin.y, spin.z, inverse_mass, spin_yield]),
            ]
        };
        let ([a, e], [b, f], [c, g], [d, h]) = (read(a), read(b), read(c), read(d));
        let [u, v, w, x] = transposed(simd, [a, b, c, d]);
        let [y, z, inverse_mass, spin_yield] = transposed(simd, [e, f, g, h]);
        let lanes = |value: __m256d| Lanes { simd, value };
        Self {
            velocity: Vectors([lanes(u), lanes(v), lanes(w)]),
            spin: Vectors([lanes(x), lanes(y), lanes(z)]),
            inverse_mass: lanes(inverse_mass),
            spin_yield: lanes(spin_yield),
        }
    }

    /// Writes the motions back, whole, because vectors are written faster than their parts.
    #[inline(always)]
    fn scatter(&self, places: &[u32; LANES], motions: &mut [Motion]) {
        let simd = self.inverse_mass.simd;
        let ([u, v, w], [x, y, z]) = (self.velocity.0, self.spin.0);
        let firsts = transposed(simd, [u.value, v.value, w.value, x.value]);
        let seconds =
            transposed(simd, [y.value, z.value, self.inverse_mass.value, self.spin_yield.value]);
        let mut write = |lane: usize| {
            let (first, second): ([f64; 4], [f64; 4]) =
                (pulp::cast(firsts[lane]), pulp::cast(seconds[lane]));
            let motion = &mut motions[places[lane] as usize];
            (motion.velocity.x, motion.velocity.y, motion.velocity.z) =
                (first[0], first[1], first[2]);
            (motion.spin.x, motion.spin.y, motion.spin.z) = (first[3], second[0], second[1]);
            (motion.inverse_mass, motion.spin_yield) = (second[2], second[3]);
        };
        write(0);
        write(1);
        write(2);
        write(3);
    }
}

/// Rows as columns.
#[inline(always)]
fn transposed(simd: V3, [a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    let avx = simd.avx;
    let (e, f) = (avx._mm256_unpacklo_pd(a, b), avx._mm256_unpackhi_pd(a, b));
    let (g, h) = (avx._mm256_unpacklo_pd(c, d), avx._mm256_unpackhi_pd(c, d));
    [
        avx._mm256_permute2f128_pd::<0x20>(e, g),
        avx._mm256_permute2f128_pd::<0x20>(f, h),
        avx._mm256_permute2f128_pd::<0x31>(e, g),
        avx._mm256_permute2f128_pd::<0x31>(f, h),
    ]
}
