//! What is done with all packs of a slab, eight contacts at a time: [`Assemble`], [`WarmStart`], [`Sweep`], [`Certify`] and
//! [`Move`].
//!
//! The operations are those of [`Law`](crate::contact::Law), [`Contact`](crate::contact::Contact) and
//! [`Push`](crate::correction::Push) in the same order, so the results are the same to the bit; only sums over contacts
//! are added up by lanes. Where those functions branch, both sides are computed and one is selected.

use super::{
    Beside, Friction, Pack, Room, Table,
    lanes::{LANES, Lanes, Work, each},
    vectors::{Both, Vectors},
};
use crate::{
    contact::{self, Account},
    correction::Shift,
    grains::Motion,
    materials::Approach,
};

/// The law of the contacts of a pack.
struct Law<L: Lanes> {
    simd: L::Simd,
    normal: Vectors<L>,
    impulse: Vectors<L>,
    bias: L,
    mass: [L; 2],
    friction: L,
}

impl<L: Lanes> Law<L> {
    /// Masses are cheaper to compute than to read.
    #[inline(always)]
    fn of(simd: L::Simd, pack: &Pack, friction: L, Both { first: a, second: b }: &Both<L>) -> Self {
        let (one, rigid) = (L::all(simd, 1.0), a.inverse_mass + b.inverse_mass);
        Self {
            simd,
            normal: Vectors::of(simd, &pack.normal),
            impulse: Vectors::of(simd, &pack.impulse),
            bias: L::of(simd, pack.bias),
            mass: [one / rigid, one / (rigid + a.spin_yield + b.spin_yield)],
            friction,
        }
    }

    #[inline(always)]
    fn all(&self, value: f64) -> L {
        L::all(self.simd, value)
    }

    #[inline(always)]
    fn zero(&self) -> Vectors<L> {
        Vectors([self.all(0.0); 3])
    }

    /// The impulse on the cone that is next to these normal and tangential parts, along the cone's circles.
    #[inline(always)]
    fn projected(&self, along: L, tangent: Vectors<L>) -> Vectors<L> {
        let (limit, squared) = (self.friction * along, tangent.dot(tangent));
        let shorter = (limit * limit).if_below(squared, limit / squared.sqrt(), self.all(1.0));
        let pushes = self.normal * along + tangent * shorter;
        Vectors::if_at_most(along, self.all(0.0), self.zero(), pushes)
    }

    /// The impulses that solve the contacts, where `velocity` is the relative velocity with the current ones.
    #[inline(always)]
    fn solved(&self, velocity: Vectors<L>) -> Vectors<L> {
        let pull = self.mass[0] * (velocity.dot(self.normal) + self.bias);
        let along = self.impulse.dot(self.normal) - pull;
        let stick = self.impulse - velocity * self.mass[1];
        self.projected(along, stick - self.normal * stick.dot(self.normal))
    }
}

/// Solves every contact in turn with the others fixed. The output is the square of the largest natural map before (m/s)².
pub(super) struct Sweep<'a> {
    pub(super) packs: &'a mut [Pack],
    pub(super) friction: &'a Friction,
    pub(super) motions: &'a mut [Motion],
    pub(super) backwards: bool,
}

impl Work for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> f64 {
        let Self { packs, friction, motions, backwards } = self;
        let mut largest = L::all(simd, 0.0);
        let count = packs.len();
        for done in 0..count {
            let (at, next) = if backwards {
                (count - 1 - done, (count - 1 - done).wrapping_sub(AHEAD))
            } else {
                (done, done + AHEAD)
            };
            if let Some(pack) = packs.get(next) {
                fetch::<L>(pack);
            }
            let friction = friction.of(simd, at);
            largest = largest.larger(solve::<L>(simd, &mut packs[at], friction, motions));
        }
        self::largest(largest)
    }
}

/// How many packs ahead data are fetched into the caches.
const AHEAD: usize = 6;

/// Fetches the cache lines of a pack.
#[inline(always)]
fn fetch<L: Lanes>(pack: &Pack) {
    L::fetch(&pack.grains);
    pack.normal.iter().for_each(L::fetch);
    L::fetch(&pack.bias);
    pack.impulse.iter().for_each(L::fetch);
}

/// The largest of the numbers and zero, or NaN if one is.
#[inline(always)]
pub(super) fn largest<L: Lanes>(lanes: L) -> f64 {
    lanes.values().into_iter().fold(0.0, contact::larger)
}

/// Solves the contacts of a pack, and returns the squares of their natural maps before (m/s)².
#[inline(always)]
pub(super) fn solve<L: Lanes>(
    simd: L::Simd,
    pack: &mut Pack,
    friction: L,
    motions: &mut [Motion],
) -> L {
    let mut both = Both::<L>::gathered(simd, &pack.grains, motions);
    let law = Law::of(simd, pack, friction, &both);
    let solved = law.solved(both.velocity(law.normal));
    let change = solved - law.impulse;
    pack.impulse = solved.values();

    let squared = change.dot(change);
    both.push(law.normal, Vectors::if_below(law.all(0.0), squared, change, law.zero()));
    both.scatter(&pack.grains, motions);
    let (a, b, thirds) = (&both.first, &both.second, law.all(2.0 / 3.0));
    let yields =
        (a.inverse_mass + thirds * a.spin_yield) + (b.inverse_mass + thirds * b.spin_yield);
    squared * yields * yields
}

/// Applies the impulses carried over.
pub(super) struct WarmStart<'a> {
    pub(super) packs: &'a [Pack],
    pub(super) motions: &'a mut [Motion],
}

impl Work for WarmStart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) {
        for pack in self.packs {
            let mut both = Both::<L>::gathered(simd, &pack.grains, self.motions);
            both.push(Vectors::of(simd, &pack.normal), Vectors::of(simd, &pack.impulse));
            both.scatter(&pack.grains, self.motions);
        }
    }
}

/// Completes packs whose entries `normal` are the vectors from the second to the first center, whose entries `gap` are the
/// sums of radii, and whose impulses are those of the last step. The output is the deepest overlap (m, ≥ 0) and the square
/// of the largest free velocity of a contact (m/s)².
pub(super) struct Assemble<'a> {
    pub(super) packs: &'a mut [Pack],
    pub(super) besides: &'a mut [Beside],
    pub(super) friction: &'a Friction,
    /// The fraction of an overlap that is removed by velocities.
    pub(super) part: f64,
    pub(super) step: f64,
    pub(super) motions: &'a [Motion],
}

impl Work for Assemble<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> [f64; 2] {
        let (zero, one) = (L::all(simd, 0.0), L::all(simd, 1.0));
        let up = Vectors([zero, zero, one]);
        let (mut deepest, mut fastest) = (zero, zero);
        for (at, (pack, beside)) in self.packs.iter_mut().zip(self.besides).enumerate() {
            let both = Both::<L>::gathered(simd, &pack.grains, self.motions);
            let apart = Vectors::<L>::of(simd, &pack.normal);
            let distance = apart.dot(apart).sqrt();
            // Coincident centers are pushed apart along some direction.
            let normal = Vectors::if_below(zero, distance, apart / distance, up);
            let gap = distance - L::of(simd, beside.gap);
            deepest = deepest.larger(zero - gap);
            let bias =
                gap.if_below(zero, L::all(simd, self.part), one) * gap / L::all(simd, self.step);
            let free = both.velocity(normal) + normal * bias;
            fastest = fastest.larger(free.dot(free));
            pack.normal = normal.values();
            pack.bias = bias.values();
            beside.gap = gap.values();
            // The impulse of the last step, turned to the current normal and projected onto the cone.
            let law = Law::of(simd, pack, self.friction.of(simd, at), &both);
            let along = law.impulse.dot(normal);
            pack.impulse = law.projected(along, law.impulse - normal * along).values();
        }
        [largest(deepest), largest(fastest)]
    }
}

/// Lets contacts bounce, as [`contact::Law::bounce`] does without a kick, which two grains have in common.
pub(super) struct Bounce<'a> {
    pub(super) packs: &'a mut [Pack],
    pub(super) besides: &'a [Beside],
    pub(super) table: Table<'a>,
    pub(super) step: f64,
    pub(super) motions: &'a [Motion],
}

impl Work for Bounce<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) {
        let below = self.table.materials.inelastic_below;
        for (pack, beside) in self.packs.iter_mut().zip(self.besides) {
            let both = Both::<L>::gathered(simd, &pack.grains, self.motions);
            let normal = Vectors::of(simd, &pack.normal);
            let free = both.velocity(normal).dot(normal).values();
            let restitution = self.table.of(pack, |pair| pair.restitution);
            for lane in 0..LANES {
                let approach =
                    Approach { gap: beside.gap[lane], before: free[lane], free: free[lane] };
                pack.bias[lane] =
                    approach.bias(pack.bias[lane], restitution[lane], below, self.step);
            }
        }
    }
}

/// Evaluates the impulses with the motions after them, and prepares the removal of overlaps.
pub(super) struct Certify<'a> {
    pub(super) packs: &'a [Pack],
    pub(super) besides: &'a [Beside],
    pub(super) filled: &'a [u8],
    pub(super) friction: &'a Friction,
    pub(super) motions: &'a [Motion],
    pub(super) step: f64,
    /// One for each pack, or none.
    pub(super) rooms: &'a mut [Room],
    /// The fraction of an overlap that is removed.
    pub(super) part: f64,
}

impl Work for Certify<'_> {
    type Output = Account;

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) -> Account {
        let zero = L::all(simd, 0.0);
        let (mut overlap, mut residual) = (zero, zero);
        let (mut closed, mut work, mut lifting) = (0, zero, zero);
        let mut rooms = self.rooms.iter_mut();
        let all = self.packs.iter().zip(self.besides).zip(self.filled);
        for (at, ((pack, beside), filled)) in all.enumerate() {
            let both = Both::<L>::gathered(simd, &pack.grains, self.motions);
            let law = Law::of(simd, pack, self.friction.of(simd, at), &both);
            let velocity = both.velocity(law.normal);
            let gap = L::of(simd, beside.gap) + L::all(simd, self.step) * velocity.dot(law.normal);
            overlap = overlap.larger(zero - gap);
            let wrong = law.impulse - law.solved(velocity);
            let yields = (L::all(simd, 1.0) / law.mass[0] + L::all(simd, 2.0) / law.mass[1])
                / L::all(simd, 3.0);
            residual = residual.larger(wrong.dot(wrong).sqrt() * yields);

            let along = law.impulse.dot(law.normal);
            let count = usize::from(*filled);
            closed += along.values()[..count].iter().filter(|along| **along > 0.0).count();
            let counts = L::of(simd, COUNTED[count]);
            work = work + counts * zero.if_below(along, law.impulse.dot(velocity), zero);
            let lifted = along * law.bias.if_below(zero, zero - law.bias, zero);
            lifting = lifting + counts * zero.if_below(along, lifted, zero);

            if let Some(room) = rooms.next() {
                let target = gap.if_below(zero, L::all(simd, -self.part) * gap, zero - gap);
                *room = Room { target: target.values(), distance: [0.0; LANES] };
            }
        }
        Account {
            residual: largest(residual),
            closed,
            work: work.values().into_iter().sum(),
            lifting: lifting.values().into_iter().sum(),
            overlap: largest(overlap),
            ..Account::default()
        }
    }
}

/// Which contacts of a pack count, by their number; behind the last the first is repeated.
const COUNTED: [[f64; LANES]; LANES + 1] = {
    let (mut all, mut count) = ([[0.0; LANES]; LANES + 1], 1);
    while count <= LANES {
        all[count] = all[count - 1];
        all[count][count - 1] = 1.0;
        count += 1;
    }
    all
};

/// Moves the grains of every contact apart in turn with the others fixed.
pub(super) struct Move<'a> {
    pub(super) packs: &'a [Pack],
    pub(super) rooms: &'a mut [Room],
    pub(super) shifts: &'a mut [Shift],
}

impl Work for Move<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, simd: L::Simd) {
        let Self { packs, rooms, shifts: all } = self;
        for at in 0..packs.len() {
            if let (Some(pack), Some(room)) = (packs.get(at + AHEAD), rooms.get(at + AHEAD)) {
                L::fetch(&pack.grains);
                pack.normal.iter().for_each(L::fetch);
                L::fetch(&room.target);
                L::fetch(&room.distance);
            }
            let (pack, room) = (&packs[at], &mut rooms[at]);
            let [(first, mine), (second, other)] = shifts::<L>(simd, &pack.grains, all);
            let normal = Vectors::of(simd, &pack.normal);
            let (zero, before) = (L::all(simd, 0.0), L::of(simd, room.distance));
            let after = before + (L::of(simd, room.target) - normal.dot(first - second));
            let more = zero.if_below(after, after, zero) - before;
            room.distance = (before + more).values();
            let shares = [mine / (mine + other), other / (mine + other)];
            let first = first + normal * (shares[0] * more);
            let second = second - normal * (shares[1] * more);
            move_to([(first, mine), (second, other)], &pack.grains, all);
        }
    }
}

/// The displacements of the two grains of each contact, and their inverse masses.
#[inline(always)]
fn shifts<L: Lanes>(
    simd: L::Simd,
    [first, second]: &[[u32; LANES]; 2],
    shifts: &[Shift],
) -> [(Vectors<L>, L); 2] {
    let rows = each(|lane| {
        let [a, b] = [&shifts[first[lane] as usize], &shifts[second[lane] as usize]];
        let ([u, v, w], [x, y, z]): ([f64; 3], [f64; 3]) = (a.by.into(), b.by.into());
        L::of(simd, [u, v, w, a.inverse_mass, x, y, z, b.inverse_mass])
    });
    let [u, v, w, mine, x, y, z, other] = L::transposed(rows);
    [(Vectors([u, v, w]), mine), (Vectors([x, y, z]), other)]
}

/// Writes the displacements, whole, because vectors are written faster than their parts.
#[inline(always)]
fn move_to<L: Lanes>(
    [(first, mine), (second, other)]: [(Vectors<L>, L); 2],
    places: &[[u32; LANES]; 2],
    shifts: &mut [Shift],
) {
    let ([u, v, w], [x, y, z]) = (first.0, second.0);
    let rows = L::transposed([u, v, w, mine, x, y, z, other]);
    each(|lane| {
        let [u, v, w, mine, x, y, z, other] = rows[lane].values();
        let [a, b] = [places[0][lane], places[1][lane]];
        shifts[a as usize] = Shift { by: [u, v, w].into(), inverse_mass: mine };
        shifts[b as usize] = Shift { by: [x, y, z].into(), inverse_mass: other };
    });
}
