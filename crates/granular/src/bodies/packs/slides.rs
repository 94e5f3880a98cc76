//! Contacts of a pack that slide by Coulomb's law, eight at once: [`slide`].
//!
//! The operations are those of [`coulomb::slide_near`](percussion_complementarity::friction::single::coulomb::slide_near)
//! in the same order, so the results are the same to the bit. Contacts for which these operations are not enough are
//! left to that function: the steps end without a root, the slip at the root is not opposite to the impulse, the cone is
//! thin, or the block is [unusual](super::assemble).

use super::{Beside, Lanes, Pack};
use crate::packs::vectors::Vectors;

/// Velocities with sizes between the inverse of this and this are solved as they are: `2²⁰⁰`, as in
/// [`single`](percussion_complementarity::friction::single).
pub(super) const NEAR: f64 = 1.606_938_044_258_990_3e60;

/// Maximum number of Newton steps to a root.
const STEPS: usize = 7;

/// Impulses of contacts that slide.
pub(super) struct Sliding<L> {
    pub(super) impulse: Vectors<L>,
    /// One where it is the answer.
    pub(super) found: L,
}

/// The impulses of the contacts for which `asked` is one: they neither open nor stick. `b` (m/s) is minus the velocity
/// without the impulse, and the steps begin at the direction of `impulse`.
#[inline(always)]
pub(super) fn slide<L: Lanes>(
    simd: L::Simd,
    (pack, beside): (&Pack, &Beside),
    b: Vectors<L>,
    impulse: Vectors<L>,
    asked: L,
) -> Sliding<L> {
    let (zero, one) = (L::all(simd, 0.0), L::all(simd, 1.0));
    let friction = L::of(simd, pack.friction);
    let conic = Conic::of(simd, (pack, beside), friction, b);
    let [y, z] = [impulse.0[1], impulse.0[2]];
    let (still, [q, p]) = (size(simd, y) + size(simd, z), conic.tangent);
    let start = [still.if_at_most(zero, q, y), still.if_at_most(zero, p, z)];
    let ray = root_near(simd, &conic.slip(simd), start, asked);
    let Sliding { impulse, found } = conic.point(simd, &ray);
    // Without friction there are no tangents.
    let [normal, y, z] = impulse.0;
    let impulse = Vectors([
        friction.if_at_most(zero, b.0[0] * L::of(simd, beside.yielding), normal),
        friction.if_at_most(zero, zero, y),
        friction.if_at_most(zero, zero, z),
    ]);
    let found = friction.if_at_most(zero, one, found);
    // Also false for what is not a number.
    let found = size(simd, impulse.0[0]).if_below(L::all(simd, f64::INFINITY), found, zero);
    let speed = size(simd, b.0[0]) + size(simd, b.0[1]) + size(simd, b.0[2]);
    let found = speed.if_below(L::all(simd, NEAR), found, zero);
    Sliding { impulse, found: L::all(simd, 1.0 / NEAR).if_below(speed, found, zero) }
}

/// The absolute value.
#[inline(always)]
pub(super) fn size<L: Lanes>(simd: L::Simd, value: L) -> L {
    L::all(simd, 0.0).if_below(value, value, -value)
}

/// The boundary of the friction cone in the plane of the tangential impulses.
struct Conic<L> {
    /// Upper triangle of the energy's matrix `P`.
    schur: [L; 3],
    /// `b_n`.
    normal: L,
    /// `q` of the energy.
    tangent: [L; 2],
    /// `μ b_n`.
    drive: L,
    level: L,
    tilt: [L; 2],
}

/// Coefficients of a trigonometric polynomial of degree two.
struct Polynomial<L> {
    constant: L,
    first: [L; 2],
    second: [L; 2],
}

/// A direction that need not be normalized: the length of `along` is `length`.
struct Ray<L> {
    along: [L; 2],
    length: L,
}

impl<L: Lanes> Conic<L> {
    #[inline(always)]
    fn of(
        simd: L::Simd,
        (pack, beside): (&Pack, &Beside),
        friction: L,
        Vectors([x, y, z]): Vectors<L>,
    ) -> Self {
        let [level, t, o] = Vectors::of(simd, &pack.row).0;
        let yielding = L::of(simd, beside.yielding);
        let plain = x * yielding;
        Self {
            schur: schur(simd, [t, o], Vectors::of(simd, &beside.rest), yielding),
            normal: x,
            tangent: [y - plain * t, z - plain * o],
            drive: friction * x,
            level,
            tilt: [friction * t, friction * o],
        }
    }

    /// Zero where the slip is parallel to the impulse.
    #[inline(always)]
    fn slip(&self, simd: L::Simd) -> Polynomial<L> {
        let half = L::all(simd, 0.5);
        let Self { schur: [tt, to, oo], tangent: [q, p], drive, level, tilt: [t, o], .. } = *self;
        Polynomial {
            constant: -half * (t * p - o * q),
            first: [-level * p, level * q],
            second: [
                drive * to - half * (t * p + o * q),
                half * (drive * (oo - tt) - (o * p - t * q)),
            ],
        }
    }

    /// The impulse along a ray, where there is one, the cone is not thin and the slip is opposite to the impulse.
    #[inline(always)]
    fn point(&self, simd: L::Simd, ray: &Ray<L>) -> Sliding<L> {
        let (zero, one) = (L::all(simd, 0.0), L::all(simd, 1.0));
        let Self { schur: [tt, to, oo], tangent: [q, p], level, tilt: [t, o], .. } = *self;
        let width = level * ray.length + t * ray.along[0] + o * ray.along[1];
        let inverse = one / width;
        let stretch = self.drive * inverse;
        let normal = self.normal * ray.length * inverse;
        let [y, z] = [stretch * ray.along[0], stretch * ray.along[1]];
        let slip = [tt * y + to * z - q, to * y + oo * z - p];
        let opposes = y * slip[0] + z * slip[1];
        let found = opposes.if_below(zero, one, zero);
        let found = zero.if_below(stretch, found, zero);
        let around = level + size(simd, t) + size(simd, o);
        let thin = L::all(simd, 0.01) * around * ray.length;
        let found = thin.if_below(size(simd, width), found, zero);
        Sliding { impulse: Vectors([normal, y, z]), found }
    }
}

/// `P_tt, P_to, P_oo` of blocks with these couplings and other entries.
#[inline(always)]
pub(super) fn schur<L: Lanes>(
    simd: L::Simd,
    [t, o]: [L; 2],
    rest: Vectors<L>,
    yielding: L,
) -> [L; 3] {
    let (zero, [tt, to, oo]) = (L::all(simd, 0.0), rest.0);
    let (first, last) = (tt - t * t * yielding, oo - o * o * yielding);
    [zero.if_below(first, first, zero), to - t * o * yielding, zero.if_below(last, last, zero)]
}

/// The root that a few steps from `start` reach, less than a right angle away, or not a number. Where `asked` is not
/// one, the ray has no meaning.
#[inline(always)]
fn root_near<L: Lanes>(
    simd: L::Simd,
    polynomial: &Polynomial<L>,
    [c, s]: [L; 2],
    asked: L,
) -> Ray<L> {
    let number = |value| L::all(simd, value);
    let (zero, one, two, four) = (number(0.0), number(1.0), number(2.0), number(4.0));
    let square = c * c + s * s;
    let length = square.sqrt();
    let (double_cosine, double_sine) = ((c - s) * (c + s), two * c * s);
    let Polynomial { constant, first: [first_cosine, first_sine], second } = *polynomial;
    let k0 = constant * square;
    let first = [
        length * (first_cosine * c + first_sine * s),
        length * (first_sine * c - first_cosine * s),
    ];
    let second = [
        second[0] * double_cosine + second[1] * double_sine,
        second[1] * double_cosine - second[0] * double_sine,
    ];
    let c0 = k0 + first[0] + second[0];
    let c1 = two * first[1] + four * second[1];
    let c2 = two * k0 - number(6.0) * second[0];
    let c3 = two * first[1] - four * second[1];
    let c4 = k0 - first[0] + second[0];
    let mut w = -c0 * c1 / (c1 * c1 - c0 * c2);
    let error = w * w * w * (c2 * c2 - c1 * c3);
    // One where steps continue.
    let mut moves = size(simd, error).if_at_most(number(f64::EPSILON) * c1 * c1, zero, asked);
    for _ in 0..STEPS {
        // Beyond a right angle there is no answer.
        moves = size(simd, w).if_below(one, moves, zero);
        if !moves.is_any_positive() {
            break;
        }
        let value = (((c4 * w + c3) * w + c2) * w + c1) * w + c0;
        let slope = ((four * c4 * w + number(3.0) * c3) * w + two * c2) * w + c1;
        let step = value / slope;
        w = zero.if_below(moves, w - step, w);
        moves = size(simd, step).if_below(number(1e-8), zero, moves);
    }
    // Those that still move after all steps have none either.
    w = zero.if_below(moves, number(f64::NAN), w);
    w = size(simd, w).if_below(one, w, number(f64::NAN));
    let (even, odd) = (one - w * w, two * w);
    Ray { along: [even * c - odd * s, even * s + odd * c], length: (one + w * w) * length }
}
