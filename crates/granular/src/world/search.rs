//! Repeated searches for pairs of near grains, and transfer of their impulses: [`Search`].

use nalgebra::Vector3;
use percussion_collision::CellGrid;

use crate::{
    grains::{Grains, NEW, narrow},
    images::Images,
    link::Link,
    parallel,
    settings::{Error, Settings},
    slab::{Pair, Slab, WallPair},
    wall::{Wall, near::NearWalls},
};

/// Data of the last search.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    cells: CellGrid,
    /// Largest gap of the listed pairs at the last search (m).
    skin: f64,
    /// Maximum approach of two grains, or of a grain and a wall, since then (m).
    moved: f64,
    /// Whether the list is valid for the grains.
    current: bool,
    old: Impulses,
    old_moments: Impulses,
    near: NearWalls,
    /// The pairs across the faces of a periodic box.
    pub(super) images: Option<Images>,
}

/// Impulses by the places of the grains at the last search.
#[derive(Clone, Debug, Default)]
struct Impulses {
    /// First entry of each grain, and the number of entries.
    starts: Vec<u32>,
    /// The other grain, and the impulse on the one with the smaller place.
    entries: Vec<(u32, Vector3<f64>)>,
    wall_starts: Vec<u32>,
    wall_entries: Vec<(u32, Vector3<f64>)>,
}

impl Search {
    /// The search whose list has these pairs, with the largest gap and the approach since then (m).
    pub(super) fn restored([skin, moved]: [f64; 2], current: bool, images: Option<Images>) -> Self {
        Self { skin, moved, current, images, ..Self::default() }
    }

    /// Largest gap of the listed pairs at the search and approach since then (m), and whether the list is
    /// valid for the grains.
    pub(super) fn memory(&self) -> ([f64; 2], bool) {
        ([self.skin, self.moved], self.current)
    }

    /// Records that grains, walls or settings have changed.
    pub(super) fn outdated(&mut self) {
        self.current = false;
    }

    /// Records that two grains, or a grain and a wall, have approached by at most `distance` (m).
    pub(super) fn moved(&mut self, distance: f64) {
        self.moved += distance;
    }

    /// Repeats the search for pairs unless the list certainly contains all pairs with a gap of at most
    /// `reach`; returns whether it did.
    pub(super) fn refresh<L: Link>(
        &mut self,
        grains: &mut Grains,
        walls: &[Wall],
        slabs: &mut Vec<Slab>,
        settings: &Settings,
        reach: f64,
        link: &mut L,
    ) -> Result<bool, Error> {
        let lasts = self.current && self.moved + reach <= self.skin;
        if link.largest(if lasts { 0.0 } else { 1.0 })? == 0.0 {
            return Ok(false);
        }
        let diameter = link.largest(2.0 * grains.radii.iter().copied().fold(0.0, f64::max))?;
        self.skin = settings.skin * diameter + 4.0 * reach;
        if let Some(images) = &self.images {
            self.skin = images.periods.fit(diameter, self.skin, reach)?;
        }
        (self.moved, self.current) = (0.0, true);
        self.old.take(slabs, self.images.as_ref());
        let roll =
            slabs.iter().any(|slab| !slab.moments.is_empty() || !slab.wall_moments.is_empty());
        let roll = roll || self.images.as_ref().is_some_and(Images::roll);
        if roll {
            self.old_moments.take_moments(slabs, self.images.as_ref());
        }
        if let Some(images) = &mut self.images {
            images.periods.reduce();
            images.periods.wrap(grains);
        }
        link.regroup(grains, diameter + self.skin)?;
        let order = self.cells.sort(&grains.positions, diameter + self.skin, &settings.gravity);
        grains.permute(order);
        link.settle(grains);
        slabs.resize_with(self.cells.slab_count(), Slab::default);
        for (index, slab) in slabs.iter_mut().enumerate() {
            let [start, end] = self.cells.places_of(index);
            (slab.index, slab.start, slab.len) = (index, start, end - start);
        }
        self.near.sort(walls, 0.5 * diameter + self.skin);
        let (cells, skin, old, sorted) = (&self.cells, self.skin, &self.old, &*grains);
        let near = &self.near;
        parallel::each(slabs, &|slab| {
            let Slab { index, pairs, .. } = slab;
            pairs.clear();
            cells.pairs_of(*index, &sorted.positions, &sorted.radii, skin, &mut |grains| {
                pairs.push(Pair { grains, impulse: Vector3::zeros() });
            });
            wall_pairs(sorted, (walls, near), skin, slab);
            old.hand_over(&sorted.previous, slab);
        });
        if let Some(images) = &mut self.images {
            images.find(grains, diameter, skin)?;
            images.pairs.retain(|pair| link.solves(grains, pair.grains));
            for pair in &mut images.pairs {
                pair.impulse =
                    self.old.of(pair.grains.map(|grain| grains.previous[grain as usize]));
            }
        }
        if roll {
            let (moments, previous) = (&self.old_moments, &grains.previous);
            let images = self.images.iter_mut().flat_map(|images| &mut images.pairs);
            for pair in images {
                pair.moment = moments.of(pair.grains.map(|grain| previous[grain as usize]));
            }
        }
        // As large as a fifth of all other data, and needed only here.
        self.old = Impulses::default();
        mark_outer(slabs, link);
        for slab in slabs.iter_mut() {
            slab.pairs.retain(|pair| link.solves(sorted, pair.grains));
            slab.wall_pairs.retain(|pair| link.owns(pair.grain));
        }
        if roll {
            let (moments, previous) = (&self.old_moments, &grains.previous);
            parallel::each(slabs, &|slab| moments.hand_over_moments(previous, slab));
            self.old_moments = Impulses::default();
        }
        for (place, previous) in (0..).zip(&mut grains.previous) {
            *previous = place;
        }
        Ok(true)
    }

    /// Whether the list contains all pairs that overlap.
    pub(super) fn is_current(&self) -> bool {
        self.current && self.moved <= self.skin
    }

    /// The deepest overlap of the listed pairs (m, ≥ 0).
    pub(super) fn overlap(&self, grains: &Grains, walls: &[Wall], slabs: &[Slab]) -> f64 {
        let pair = |a: usize, b: usize| {
            grains.radii[a] + grains.radii[b] - (grains.positions[a] - grains.positions[b]).norm()
        };
        let wall = |a: usize, wall: &Wall| -wall.gap(&grains.positions[a], grains.radii[a]).0;
        let mut deepest = self.images.as_ref().map_or(0.0, |images| images.deepest(grains));
        for slab in slabs {
            for Pair { grains: [a, b], .. } in &slab.pairs {
                deepest = deepest.max(pair(*a as usize, *b as usize));
            }
            for near in &slab.wall_pairs {
                deepest = deepest.max(wall(near.grain as usize, &walls[near.wall as usize]));
            }
        }
        deepest
    }
}

/// Marks the slabs that must be swept before messages are sent.
///
/// Contacts of slab `k` touch slabs `k` and `k + 1`, and a sweep processes the slabs of one parity before those of the other.
/// Of the latter those must be done that touch shared grains, of the former also the neighbors of these.
pub(super) fn mark_outer<L: Link>(slabs: &mut [Slab], link: &L) {
    let Some(shared) = link.shared() else {
        slabs.iter_mut().for_each(|slab| slab.outer = [true; 2]);
        return;
    };
    let mut has = vec![false; slabs.len()];
    for place in shared {
        has[slabs.partition_point(|slab| slab.start + slab.len <= place)] = true;
    }
    slabs.iter_mut().zip(outer(&has)).for_each(|(slab, outer)| slab.outer = outer);
}

/// The marks of slabs, some of which have shared grains.
fn outer(has: &[bool]) -> Vec<[bool; 2]> {
    let count = has.len();
    let touches: Vec<bool> =
        (0..count).map(|k| has[k..(k + 2).min(count)].contains(&true)).collect();
    let near = |k: usize| touches[k.saturating_sub(1)..(k + 2).min(count)].contains(&true);
    let mark =
        |k: usize| [0, 1].map(|direction| if k % 2 == direction { near(k) } else { touches[k] });
    (0..count).map(mark).collect()
}

/// Lists the walls near the grains of a slab.
fn wall_pairs(grains: &Grains, (walls, near): (&[Wall], &NearWalls), skin: f64, slab: &mut Slab) {
    slab.wall_pairs.clear();
    let mut found = Vec::new();
    for grain in slab.start..slab.start + slab.len {
        let at = grain as usize;
        near.at(&grains.positions[at], &mut found);
        for &wall in &found {
            if walls[wall as usize].gap(&grains.positions[at], grains.radii[at]).0 <= skin {
                slab.wall_pairs.push(WallPair { grain, wall, impulse: Vector3::zeros() });
            }
        }
    }
}

impl Impulses {
    /// Collects the impulses of the slabs and images.
    fn take(&mut self, slabs: &[Slab], images: Option<&Images>) {
        let pairs = slabs.iter().flat_map(|slab| &slab.pairs);
        let pairs = pairs.map(|pair| (pair.grains[0], (pair.grains[1], pair.impulse)));
        let walls = slabs.iter().flat_map(|slab| &slab.wall_pairs);
        let walls = walls.map(|pair| (pair.grain, (pair.wall, pair.impulse)));
        let across = images.iter().flat_map(|images| &images.pairs);
        let across = across.map(|pair| (pair.grains[0], (pair.grains[1], pair.impulse)));
        self.collect(slabs, images.map(|_| across), (pairs, walls));
    }

    /// The same for moments.
    fn take_moments(&mut self, slabs: &[Slab], images: Option<&Images>) {
        let pairs = slabs.iter().flat_map(|slab| slab.pairs.iter().zip(&slab.moments));
        let pairs = pairs.map(|(pair, moment)| (pair.grains[0], (pair.grains[1], *moment)));
        let walls = slabs.iter().flat_map(|slab| slab.wall_pairs.iter().zip(&slab.wall_moments));
        let walls = walls.map(|(pair, moment)| (pair.grain, (pair.wall, *moment)));
        let across = images.iter().flat_map(|images| &images.pairs);
        let across = across.map(|pair| (pair.grains[0], (pair.grains[1], pair.moment)));
        self.collect(slabs, images.map(|_| across), (pairs, walls));
    }

    /// Lists vectors of pairs, across faces if there are images, and with walls.
    fn collect(
        &mut self,
        slabs: &[Slab],
        images: Option<impl Iterator<Item = Entry>>,
        (pairs, walls): (impl Iterator<Item = Entry>, impl Iterator<Item = Entry>),
    ) {
        let count: usize = slabs.iter().map(|slab| slab.len as usize).sum();
        if let Some(across) = images {
            // A pair may be in the box at one search and across a face at the next.
            let mut all: Vec<_> = pairs.chain(across).collect();
            all.sort_by_key(|(grain, _)| *grain);
            collect(count, all.into_iter(), &mut self.starts, &mut self.entries);
        } else {
            collect(count, pairs, &mut self.starts, &mut self.entries);
        }
        collect(count, walls, &mut self.wall_starts, &mut self.wall_entries);
    }

    /// Assigns to the pairs of a slab the moments they had.
    fn hand_over_moments(&self, previous: &[u32], slab: &mut Slab) {
        let Slab { pairs, wall_pairs, moments, wall_moments, .. } = slab;
        moments.clear();
        moments.extend(
            pairs.iter().map(|pair| self.of(pair.grains.map(|grain| previous[grain as usize]))),
        );
        wall_moments.clear();
        wall_moments.extend(
            wall_pairs.iter().map(|pair| self.of_wall(previous[pair.grain as usize], pair.wall)),
        );
    }

    /// The impulse of a wall on a grain, by the place it had.
    fn of_wall(&self, grain: u32, wall: u32) -> Vector3<f64> {
        if grain == NEW {
            return Vector3::zeros();
        }
        find(&self.wall_starts, &self.wall_entries, grain, wall)
    }

    /// The impulse on the first of two grains, by the places they had.
    fn of(&self, [a, b]: [u32; 2]) -> Vector3<f64> {
        if a == NEW || b == NEW {
            return Vector3::zeros();
        }
        let impulse = find(&self.starts, &self.entries, a.min(b), a.max(b));
        if a < b { impulse } else { -impulse }
    }

    /// Assigns to the pairs of a slab the impulses they had.
    fn hand_over(&self, previous: &[u32], slab: &mut Slab) {
        for pair in &mut slab.pairs {
            pair.impulse = self.of(pair.grains.map(|grain| previous[grain as usize]));
        }
        for pair in &mut slab.wall_pairs {
            pair.impulse = self.of_wall(previous[pair.grain as usize], pair.wall);
        }
    }
}

/// A grain, the other grain or the wall, and a vector.
type Entry = (u32, (u32, Vector3<f64>));

/// Writes the nonzero entries as a table with a row for each of `count` grains; the items are sorted by
/// grain.
fn collect(
    count: usize,
    items: impl Iterator<Item = (u32, (u32, Vector3<f64>))>,
    starts: &mut Vec<u32>,
    entries: &mut Vec<(u32, Vector3<f64>)>,
) {
    starts.clear();
    entries.clear();
    for (grain, entry) in items.filter(|(_, (_, impulse))| *impulse != Vector3::zeros()) {
        starts.resize(grain as usize + 1, narrow(entries.len()));
        entries.push(entry);
    }
    starts.resize(count + 1, narrow(entries.len()));
}

/// The impulse in the row of `grain` with the other one, or zero.
fn find(starts: &[u32], entries: &[(u32, Vector3<f64>)], grain: u32, other: u32) -> Vector3<f64> {
    let row = starts[grain as usize] as usize..starts[grain as usize + 1] as usize;
    let entry = entries[row].iter().find(|(place, _)| *place == other);
    entry.map_or(Vector3::zeros(), |(_, impulse)| *impulse)
}

#[cfg(test)]
mod tests {
    use super::outer;

    /// The order in which a sweep processes the slabs when the marked ones are first.
    fn order(marks: &[[bool; 2]], backwards: bool) -> Vec<usize> {
        let all = (0..marks.len()).collect::<Vec<_>>();
        let mut order = Vec::new();
        for outer in [true, false] {
            for odd in [backwards, !backwards] {
                let chosen = all
                    .iter()
                    .filter(|&&k| (k % 2 == 1) == odd && marks[k][usize::from(backwards)] == outer);
                order.extend(chosen);
            }
        }
        order
    }

    #[test]
    fn slabs_that_share_grains_keep_their_order_and_inner_ones_touch_no_copies() {
        for count in 1..=9_usize {
            for set in 0..1_usize << count {
                let has: Vec<bool> = (0..count).map(|k| (set >> k) & 1 == 1).collect();
                let marks = outer(&has);
                for backwards in [false, true] {
                    let order = order(&marks, backwards);
                    let place = |k: usize| order.iter().position(|other| *other == k);
                    for k in 0..count.saturating_sub(1) {
                        // Without marks the slab with the parity of the direction is first.
                        let first = (k % 2 == 1) == backwards;
                        assert_eq!(place(k) < place(k + 1), first, "{has:?} {backwards}");
                    }
                    for k in 0..count {
                        let touched = has[k] || has.get(k + 1) == Some(&true);
                        assert!(!touched || marks[k][usize::from(backwards)], "{has:?}");
                    }
                }
            }
        }
        let far = outer(&[true, false, false, false, false, false, false]);
        assert!(far[3..].iter().all(|marks| *marks == [false; 2]), "{far:?}");
    }
}
