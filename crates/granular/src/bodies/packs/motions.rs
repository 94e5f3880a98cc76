//! Motions of the bodies on one side of four contacts: [`Motions`].

use nalgebra::Matrix3;

use crate::{
    bodies::contact::Motion,
    packs::{
        lanes::{LANES, Lanes},
        vectors::Vectors,
    },
};

/// One motion for each contact.
#[derive(Clone, Copy)]
pub(super) struct Motions<L> {
    pub(super) velocity: Vectors<L>,
    pub(super) spin: Vectors<L>,
    pub(super) inverse_mass: L,
    /// The first entry of `I⁻¹`, which is written back with the others.
    first: L,
}

/// `I⁻¹` in the world, by columns.
pub(super) type Yielding<L> = [Vectors<L>; 3];

#[inline(always)]
fn front<L: Lanes>(simd: L::Simd, motion: &Motion) -> [L; 2] {
    let Motion { velocity, spin, inverse_mass, yielding } = motion;
    [
        L::of(simd, [velocity.x, velocity.y, velocity.z, spin.x]),
        L::of(simd, [spin.y, spin.z, *inverse_mass, yielding.m11]),
    ]
}

#[inline(always)]
fn back<L: Lanes>(simd: L::Simd, yielding: &Matrix3<f64>) -> [L; 2] {
    let y = yielding;
    [L::of(simd, [y.m21, y.m31, y.m12, y.m22]), L::of(simd, [y.m32, y.m13, y.m23, y.m33])]
}

impl<L: Lanes> Motions<L> {
    /// Those of the bodies at these places.
    #[inline(always)]
    pub(super) fn gathered(simd: L::Simd, places: &[u32; LANES], motions: &[Motion]) -> Self {
        let [a, b, c, d] = *places;
        let [a, e] = front(simd, &motions[a as usize]);
        let [b, f] = front(simd, &motions[b as usize]);
        let [c, g] = front(simd, &motions[c as usize]);
        let [d, h] = front(simd, &motions[d as usize]);
        let [u, v, w, x] = L::transposed([a, b, c, d]);
        let [y, z, inverse_mass, first] = L::transposed([e, f, g, h]);
        Self { velocity: Vectors([u, v, w]), spin: Vectors([x, y, z]), inverse_mass, first }
    }

    #[inline(always)]
    pub(super) fn yielding(
        &self,
        simd: L::Simd,
        places: &[u32; LANES],
        motions: &[Motion],
    ) -> Yielding<L> {
        let [a, b, c, d] = *places;
        let [a, e] = back(simd, &motions[a as usize].yielding);
        let [b, f] = back(simd, &motions[b as usize].yielding);
        let [c, g] = back(simd, &motions[c as usize].yielding);
        let [d, h] = back(simd, &motions[d as usize].yielding);
        let [m21, m31, m12, m22] = L::transposed([a, b, c, d]);
        let [m32, m13, m23, m33] = L::transposed([e, f, g, h]);
        [Vectors([self.first, m21, m31]), Vectors([m12, m22, m32]), Vectors([m13, m23, m33])]
    }

    /// The velocity of the surface at the end of an arm from the center.
    #[inline(always)]
    pub(super) fn at(&self, arm: Vectors<L>) -> Vectors<L> {
        self.velocity + self.spin.cross(arm)
    }

    /// Writes the motions after an impulse in the world at the end of an arm, or after its opposite.
    #[inline(always)]
    pub(super) fn push<const IS_OPPOSITE: bool>(
        &self,
        simd: L::Simd,
        arm: Vectors<L>,
        impulse: Vectors<L>,
        places: &[u32; LANES],
        motions: &mut [Motion],
    ) {
        let change = impulse * self.inverse_mass;
        let turn = self.turn(simd, arm.cross(impulse), places, motions);
        let (velocity, spin) = if IS_OPPOSITE {
            (self.velocity - change, self.spin - turn)
        } else {
            (self.velocity + change, self.spin + turn)
        };
        self.scatter(velocity, spin, places, motions);
    }

    /// `I⁻¹ m` for an angular impulse `m`.
    #[inline(always)]
    pub(super) fn turn(
        &self,
        simd: L::Simd,
        moment: Vectors<L>,
        places: &[u32; LANES],
        motions: &[Motion],
    ) -> Vectors<L> {
        times(self.yielding(simd, places, motions), moment)
    }

    /// Writes motions, whole, because vectors are written faster than their parts.
    #[inline(always)]
    fn scatter(
        &self,
        velocity: Vectors<L>,
        spin: Vectors<L>,
        places: &[u32; LANES],
        motions: &mut [Motion],
    ) {
        let ([u, v, w], [x, y, z]) = (velocity.0, spin.0);
        let [a, b, c, d] = L::transposed([u, v, w, x]);
        let [e, f, g, h] = L::transposed([y, z, self.inverse_mass, self.first]);
        write([a, e], &mut motions[places[0] as usize]);
        write([b, f], &mut motions[places[1] as usize]);
        write([c, g], &mut motions[places[2] as usize]);
        write([d, h], &mut motions[places[3] as usize]);
    }
}

/// `I⁻¹ m` for an angular impulse `m`.
#[inline(always)]
pub(super) fn times<L: Lanes>(yielding: Yielding<L>, moment: Vectors<L>) -> Vectors<L> {
    let [first, second, third] = yielding;
    let [x, y, z] = moment.0;
    first * x + second * y + third * z
}

/// The reverse of [`front`].
#[inline(always)]
fn write<L: Lanes>([first, second]: [L; 2], motion: &mut Motion) {
    let (first, second) = (first.values(), second.values());
    (motion.velocity.x, motion.velocity.y, motion.velocity.z) = (first[0], first[1], first[2]);
    (motion.spin.x, motion.spin.y, motion.spin.z) = (first[3], second[0], second[1]);
    (motion.inverse_mass, motion.yielding.m11) = (second[2], second[3]);
}
