//! Frames, blocks and first impulses of the contacts of a pack: [`Assemble`].
//!
//! # Source
//!
//! T. Duff et al., "Building an orthonormal basis, revisited", *Journal of Computer Graphics Techniques* 6 (2017)
//! no. 1, 1–8 (tangents).

use percussion_complementarity::friction::single::SYMMETRY;

use super::{
    Beside, Lanes, Motion, Pack, Work,
    loaded::{Loaded, PAIR, WALL},
    slides::{NEAR, schur, size},
};
use crate::packs::vectors::Vectors;

/// A block is nearly singular if its determinant is below this fraction of the cube of the mean of its diagonal
/// entries: its inverse may then lose six digits.
pub(super) const SINGULAR: f64 = 1e-6;

/// Completes packs whose normals may have any length, whose offsets are the velocities of the boundaries, and whose
/// impulses are those of the last step in the world. The output is the square of the largest velocity to which the law
/// applies without impulses (m/s)².
pub(super) struct Assemble<'a> {
    pub(super) walls: (&'a mut [Pack], &'a mut [Beside]),
    pub(super) pairs: (&'a mut [Pack], &'a mut [Beside]),
    pub(super) motions: &'a [Motion],
    pub(super) step: f64,
}

impl Work for Assemble<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> f64 {
        let Self { walls, pairs, motions, step } = self;
        let (mut largest, step) = (L::all(simd, 0.0), L::all(simd, step));
        for (pack, beside) in walls.0.iter_mut().zip(walls.1) {
            let square = assemble::<L, WALL>(simd, pack, beside, motions, step);
            largest = largest.if_below(square, square, largest);
        }
        for (pack, beside) in pairs.0.iter_mut().zip(pairs.1) {
            let square = assemble::<L, PAIR>(simd, pack, beside, motions, step);
            largest = largest.if_below(square, square, largest);
        }
        largest.values().into_iter().fold(0.0, f64::max)
    }
}

/// Completes a pack, and returns the squares of the velocities to which the law applies (m/s)².
#[inline(always)]
fn assemble<L: Lanes, const IS_WALL: bool>(
    simd: L::Simd,
    pack: &mut Pack,
    beside: &mut Beside,
    motions: &[Motion],
    step: L,
) -> L {
    let (zero, gap) = (L::all(simd, 0.0), L::of(simd, beside.gap));
    let bias = zero.if_below(gap, gap, zero) / step;
    let frame = frame::<L>(simd, Vectors::of(simd, &pack.frame[0]));
    let drive = local(frame, Vectors::of(simd, &pack.offset));
    let offset = Vectors([bias, zero, zero]) - drive;
    pack.frame = [frame[0].values(), frame[1].values(), frame[2].values()];
    pack.offset = offset.values();
    beside.bias = bias.values();

    let loaded = Loaded::<L>::of::<IS_WALL>(simd, pack, motions);
    let entries = loaded.block::<IS_WALL>(simd, pack, motions);
    let [nn, nt, no, tt, to, oo] = entries;
    let inverse_mass = (nn + tt + oo) / L::all(simd, 3.0);
    let inverse = inverse(simd, entries, inverse_mass);
    pack.row = [nn.values(), nt.values(), no.values()];
    beside.rest = [tt.values(), to.values(), oo.values()];
    pack.inverse_mass = inverse_mass.values();
    for (to, from) in pack.inverse.iter_mut().zip(&inverse) {
        *to = from.values();
    }
    let friction = L::of(simd, pack.friction);
    let yielding = yielding(simd, entries, friction);
    // False for what is not a number.
    let infinity = L::all(simd, f64::INFINITY);
    let yielding = inverse[0].if_below(infinity, yielding, L::all(simd, f64::NAN));
    beside.yielding = yielding.values();

    let impulse = local(frame, Vectors::of(simd, &pack.impulse));
    pack.impulse = taken_over(simd, friction, impulse).values();
    let velocity = loaded.velocity::<IS_WALL>(simd, pack);
    velocity.dot(velocity)
}

/// Normal and tangents.
#[inline(always)]
pub(super) fn frame<L: Lanes>(simd: L::Simd, normal: Vectors<L>) -> [Vectors<L>; 3] {
    let one = L::all(simd, 1.0);
    let normal = normal / normal.dot(normal).sqrt();
    let [x, y, z] = normal.0;
    let sign = z.sign();
    let a = -one / (sign + z);
    let b = x * y * a;
    [
        normal,
        Vectors([one + sign * x * x * a, sign * b, -sign * x]),
        Vectors([b, sign + y * y * a, -y]),
    ]
}

/// A vector of the world in the frame.
#[inline(always)]
fn local<L: Lanes>([normal, tangent, other]: [Vectors<L>; 3], vector: Vectors<L>) -> Vectors<L> {
    Vectors([normal.dot(vector), tangent.dot(vector), other.dot(vector)])
}

/// The upper triangle of the inverse of a symmetric block with this mean diagonal entry; not a number if the block is
/// nearly singular.
#[inline(always)]
pub(super) fn inverse<L: Lanes>(simd: L::Simd, block: [L; 6], mean: L) -> [L; 6] {
    let scale = L::all(simd, 1.0) / mean;
    let [nn, nt, no, tt, to, oo] = block;
    let [nn, nt, no] = [nn * scale, nt * scale, no * scale];
    let [tt, to, oo] = [tt * scale, to * scale, oo * scale];
    let minors = [tt * oo - to * to, no * to - nt * oo, nt * to - no * tt];
    let determinant = nn * minors[0] + nt * minors[1] + no * minors[2];
    let singular = L::all(simd, SINGULAR);
    let factor = singular.if_below(determinant, scale / determinant, L::all(simd, f64::NAN));
    [
        minors[0] * factor,
        minors[1] * factor,
        minors[2] * factor,
        (nn * oo - no * no) * factor,
        (nt * no - nn * to) * factor,
        (nn * tt - nt * nt) * factor,
    ]
}

/// `1/W_nn` of a block that is certainly valid, with entries near one and tangents that are not alike; otherwise not a
/// number.
#[inline(always)]
fn yielding<L: Lanes>(simd: L::Simd, [nn, nt, no, tt, to, oo]: [L; 6], friction: L) -> L {
    let (zero, one) = (L::all(simd, 0.0), L::all(simd, 1.0));
    let (most, least) = (L::all(simd, NEAR), L::all(simd, 1.0 / NEAR));
    let yielding = one / nn;
    let [first, mixed, last] = schur(simd, [nt, no], Vectors([tt, to, oo]), yielding);
    let unlike = size(simd, nt) + size(simd, no) + (size(simd, mixed) + size(simd, first - last));
    let mut usual = zero.if_below(unlike, one, zero);
    for diagonal in [nn, tt, oo] {
        usual = diagonal.if_below(most, usual, zero);
        usual = least.if_below(diagonal, usual, zero);
    }
    // A tenth of the slack that `single::Contact` has for noise.
    let slack = L::all(simd, 1.0 + 0.1 * SYMMETRY);
    for [entry, a, b] in [[nt, nn, tt], [no, nn, oo], [to, tt, oo]] {
        usual = (entry * entry).if_at_most(slack * (a * b), usual, zero);
    }
    usual = zero.if_at_most(friction, usual, zero);
    usual = friction.if_below(L::all(simd, f64::INFINITY), usual, zero);
    zero.if_below(usual, yielding, L::all(simd, f64::NAN))
}

/// An impulse of the last step, projected onto the cone.
#[inline(always)]
fn taken_over<L: Lanes>(simd: L::Simd, friction: L, impulse: Vectors<L>) -> Vectors<L> {
    let (zero, one) = (L::all(simd, 0.0), L::all(simd, 1.0));
    let [along, y, z] = impulse.0;
    let (limit, length) = (friction * along, (y * y + z * z).sqrt());
    let scale = limit.if_below(length, limit / length, one);
    let projected = Vectors([along, scale * y, scale * z]);
    Vectors::if_below(zero, along, projected, Vectors([zero, zero, zero]))
}
