//! The contacts of a pack with the motions of their bodies, in lanes: [`Loaded`].

use super::{
    Lanes, Motion, Pack,
    motions::{Twists, Yieldings},
};
use crate::packs::vectors::Vectors;

/// Contacts with boundaries.
pub(super) const WALL: bool = true;
/// Contacts of two bodies.
pub(super) const PAIR: bool = false;

/// The law of the contacts of a pack in lanes.
pub(super) struct Loaded<L> {
    pub(super) frame: [Vectors<L>; 3],
    arms: [Vectors<L>; 2],
    first: Twists<L>,
    /// Of contacts with walls the first again, which is not used.
    second: Twists<L>,
}

impl<L: Lanes> Loaded<L> {
    #[inline(always)]
    pub(super) fn of<const IS_WALL: bool>(simd: L::Simd, pack: &Pack, motions: &[Motion]) -> Self {
        let [normal, tangent, other] = &pack.frame;
        let [first, second] = &pack.bodies;
        let first = Twists::gathered(simd, |lane| &motions[first[lane] as usize].twist);
        Self {
            frame: [
                Vectors::of(simd, normal),
                Vectors::of(simd, tangent),
                Vectors::of(simd, other),
            ],
            arms: [Vectors::of(simd, &pack.arms[0]), Vectors::of(simd, &pack.arms[1])],
            first,
            second: if IS_WALL {
                first
            } else {
                Twists::gathered(simd, |lane| &motions[second[lane] as usize].twist)
            },
        }
    }

    /// The velocity to which the law applies, in the frame.
    #[inline(always)]
    pub(super) fn velocity<const IS_WALL: bool>(&self, simd: L::Simd, pack: &Pack) -> Vectors<L> {
        let mut relative = self.first.at(self.arms[0]);
        if !IS_WALL {
            relative = relative - self.second.at(self.arms[1]);
        }
        let [normal, tangent, other] = self.frame;
        let local = Vectors([normal.dot(relative), tangent.dot(relative), other.dot(relative)]);
        local + Vectors::of(simd, &pack.offset)
    }

    /// A vector of the frame in the world.
    #[inline(always)]
    pub(super) fn world(&self, vector: Vectors<L>) -> Vectors<L> {
        let ([x, y, z], [normal, tangent, other]) = (vector.0, self.frame);
        normal * x + tangent * y + other * z
    }

    /// Applies impulses in the frames and writes the motions.
    #[inline(always)]
    pub(super) fn push<const IS_WALL: bool>(
        &self,
        simd: L::Simd,
        pack: &Pack,
        impulse: Vectors<L>,
        motions: &mut [Motion],
    ) {
        let impulse = self.world(impulse);
        self.first.push::<false>(simd, self.arms[0], impulse, &pack.bodies[0], motions);
        if !IS_WALL {
            self.second.push::<true>(simd, self.arms[1], impulse, &pack.bodies[1], motions);
        }
    }

    /// The block of the Delassus operator in the frame, by rows of its upper triangle.
    #[inline(always)]
    pub(super) fn block<const IS_WALL: bool>(
        &self,
        simd: L::Simd,
        pack: &Pack,
        motions: &[Motion],
    ) -> [L; 6] {
        let mut block = [L::all(simd, 0.0); 6];
        let yielding = Yieldings::gathered(simd, &pack.bodies[0], motions);
        self.add_body(&mut block, self.arms[0], yielding);
        if !IS_WALL {
            let yielding = Yieldings::gathered(simd, &pack.bodies[1], motions);
            self.add_body(&mut block, self.arms[1], yielding);
        }
        block
    }

    /// Adds `1/m − [a]× I⁻¹ [a]×` of a body.
    #[inline(always)]
    fn add_body(
        &self,
        [nn, nt, no, tt, to, oo]: &mut [L; 6],
        arm: Vectors<L>,
        yielding: Yieldings<L>,
    ) {
        let inverse_mass = yielding.inverse_mass;
        let [normal, tangent, other] = self.frame;
        let (normal, tangent, other) = (arm.cross(normal), arm.cross(tangent), arm.cross(other));
        let spin = yielding.turn(normal);
        *nn = *nn + inverse_mass + spin.dot(normal);
        *nt = *nt + spin.dot(tangent);
        *no = *no + spin.dot(other);
        let spin = yielding.turn(tangent);
        *tt = *tt + inverse_mass + spin.dot(tangent);
        *to = *to + spin.dot(other);
        *oo = *oo + inverse_mass + yielding.turn(other).dot(other);
    }
}
