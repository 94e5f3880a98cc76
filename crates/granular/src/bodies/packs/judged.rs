//! Residuals of the contacts of a pack by Coulomb's law, eight at once: [`residuals`].
//!
//! The operations are those of [`Figures::of_coulomb`](percussion_complementarity::friction::Figures::of_coulomb) in the
//! same order, so the results are the same to the bit.

use super::{Lanes, slides::size};
use crate::packs::vectors::Vectors;

/// Squares between these have neither lost digits nor overflowed.
const USUAL: [f64; 2] = [1e-280, 1e300];

/// A slip below this fraction of the friction is lost in differences.
const FAINT: f64 = 1e-5;

/// The largest figures (m/s); not numbers where numbers are so small, large or different that they need more care.
#[inline(always)]
pub(super) fn residuals<L: Lanes>(
    simd: L::Simd,
    friction: L,
    inverse_mass: L,
    impulse: Vectors<L>,
    velocity: Vectors<L>,
) -> L {
    let (zero, none) = (L::all(simd, 0.0), L::all(simd, f64::NAN));
    let positive = |value: L| zero.if_below(value, value, zero);
    let larger = |a: L, b: L| a.if_below(b, b, a);
    let (push, [along, y, z]) = (impulse * inverse_mass, velocity.0);
    let [normal, t, o] = push.0;
    let limit = friction * positive(normal);
    let tangential = length(simd, t, o);
    let whole = length(simd, normal, tangential);
    let separation = positive(along);
    let complementarity = whole.if_below(separation, whole, separation);

    let slip = length(simd, y, z);
    let trial = [t - y, o - z];
    let reach = length(simd, trial[0], trial[1]);
    let scale = limit / reach;
    let off = length(simd, t - scale * trial[0], o - scale * trial[1]);
    let off = reach.if_at_most(limit, slip, off);
    let faint = L::all(simd, FAINT) * (size(simd, t) + size(simd, o));
    let off = slip.if_below(faint, none, off);

    let largest = larger(positive(-along), positive(-normal));
    let largest = larger(largest, positive(tangential - limit));
    let largest = larger(larger(largest, complementarity), off);
    // What is not a number, or infinite, makes the sum so too.
    let sum = size(simd, along) + whole + slip + reach + off;
    sum.if_below(L::all(simd, f64::INFINITY), largest, none)
}

/// `√(y² + z²)`; not a number if the square is neither zero nor [usual](USUAL).
#[inline(always)]
fn length<L: Lanes>(simd: L::Simd, y: L, z: L) -> L {
    let (zero, none) = (L::all(simd, 0.0), L::all(simd, f64::NAN));
    let [least, most] = USUAL.map(|limit| L::all(simd, limit));
    let square = y * y + z * z;
    let root = least.if_below(square, square.sqrt(), none);
    let root = square.if_below(most, root, none);
    (size(simd, y) + size(simd, z)).if_at_most(zero, zero, root)
}
