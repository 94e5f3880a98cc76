//! Twists of the bodies on one side of eight contacts, and how they yield to impulses: [`Twists`] and [`Yieldings`].

use crate::{
    bodies::{contact::Motion, twist::Twist},
    packs::{
        lanes::{LANES, Lanes, each},
        vectors::Vectors,
    },
};

/// One twist for each contact.
#[derive(Clone, Copy)]
pub(super) struct Twists<L> {
    pub(super) linear: Vectors<L>,
    pub(super) angular: Vectors<L>,
    /// Not used.
    rest: [L; 2],
}

impl<L: Lanes> Twists<L> {
    /// Those of the lanes.
    #[inline(always)]
    pub(super) fn gathered<'a>(simd: L::Simd, twist: impl Fn(usize) -> &'a Twist) -> Self {
        let [u, v, w, x, y, z, a, b] = L::transposed(each(|lane| L::of(simd, twist(lane).0)));
        Self { linear: Vectors([u, v, w]), angular: Vectors([x, y, z]), rest: [a, b] }
    }

    /// With other numbers.
    #[inline(always)]
    pub(super) fn with(self, linear: Vectors<L>, angular: Vectors<L>) -> Self {
        Self { linear, angular, ..self }
    }

    /// The twist of each lane.
    #[inline(always)]
    pub(super) fn scattered(&self, simd: L::Simd) -> [Twist; LANES] {
        let ([u, v, w], [x, y, z], [a, b]) = (self.linear.0, self.angular.0, self.rest);
        // By the zeros all numbers are new, or else the compiler writes in parts what was not changed.
        let zero = L::all(simd, 0.0);
        let rows = L::transposed([u, v, w, x, y, z, a + zero, b + zero]);
        each(|lane| Twist(rows[lane].values()))
    }

    /// The velocity of the surface at the end of an arm from the center.
    #[inline(always)]
    pub(super) fn at(&self, arm: Vectors<L>) -> Vectors<L> {
        self.linear + self.angular.cross(arm)
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
        let yielding = Yieldings::gathered(simd, places, motions);
        let change = impulse * yielding.inverse_mass;
        let turn = yielding.turn(arm.cross(impulse));
        let (linear, angular) = if IS_OPPOSITE {
            (self.linear - change, self.angular - turn)
        } else {
            (self.linear + change, self.angular + turn)
        };
        let twists = self.with(linear, angular).scattered(simd);
        each(|lane| motions[places[lane] as usize].twist = twists[lane]);
    }
}

/// How a body of each contact yields to impulses.
#[derive(Clone, Copy)]
pub(super) struct Yieldings<L> {
    pub(super) inverse_mass: L,
    /// `I⁻¹` in the world, by columns.
    columns: [Vectors<L>; 3],
}

impl<L: Lanes> Yieldings<L> {
    /// Of the bodies at these places.
    #[inline(always)]
    pub(super) fn gathered(simd: L::Simd, places: &[u32; LANES], motions: &[Motion]) -> Self {
        let rows = each(|lane| L::of(simd, motions[places[lane] as usize].yielding.0));
        let [inverse_mass, xx, xy, xz, yy, yz, zz, _] = L::transposed(rows);
        let columns = [Vectors([xx, xy, xz]), Vectors([xy, yy, yz]), Vectors([xz, yz, zz])];
        Self { inverse_mass, columns }
    }

    /// `I⁻¹ m` for an angular impulse `m`.
    #[inline(always)]
    pub(super) fn turn(&self, moment: Vectors<L>) -> Vectors<L> {
        let ([first, second, third], [x, y, z]) = (self.columns, moment.0);
        first * x + second * y + third * z
    }
}
