//! Linked cells for many spheres: [`CellGrid`].

use std::ops::Range;

use nalgebra::Vector3;

/// The reason why pairs cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CellGridError {
    /// There are too many centers.
    #[error("{count} centers, expected at most {LARGEST_COUNT}")]
    Count {
        /// Number given.
        count: usize,
    },
    /// The distance is not positive and finite.
    #[error("distance is {value:?}, expected a positive finite number (m)")]
    Distance {
        /// Distance given (m).
        value: f64,
    },
    /// An entry of a center is NaN, infinite or beyond 1e150 m, where squares overflow.
    #[error("center {index} has an entry {value:?}, expected a number within ±1e150 (m)")]
    Center {
        /// Index of the center.
        index: usize,
        /// First such entry (m).
        value: f64,
    },
}

/// Maximum number of centers, `2³⁰ − 16`: places and cubes fit into 32 bits.
pub const LARGEST_COUNT: usize = (1 << 30) - 16;

/// Largest coordinate (m) whose square, and a sum of squares of differences, stays finite.
const LARGEST: f64 = 1e150;

/// Maximum number of cubes per center. A random close packing in cubes of one diameter has about one center per
/// cube; looser packings have some empty cubes.
const CUBES_PER_CENTER: f64 = 4.0;

/// A slab is closed when it has this many centers, unless another number was [chosen](CellGrid::with_slabs_of).
const SLAB: usize = 500;

/// The grid extends this many standard deviations to either side of the mean; a uniform distribution has 1.7.
const SPREAD: f64 = 4.0;

/// Finds near pairs among many points. Keep it from step to step to avoid allocation.
///
/// [`pairs`](Self::pairs) finds the pairs of equal spheres in one call. To keep arrays in the order of the cubes and
/// process slabs in parallel, call [`sort`](Self::sort), and then [`pairs_of`](Self::pairs_of) for each slab.
///
/// Space is divided into cubes that are not smaller than the largest distance of a pair, so that both centers of a
/// pair are in the same cube or in neighboring cubes. Centers are sorted by cube, with a counting sort. Cubes are
/// numbered slab by slab, within a slab upward, and places by their cubes. Memory is therefore accessed in order,
/// and slabs can be processed in parallel with the same bits for any number of threads.
///
/// - **Needs** finite centers.
/// - **Cost** `O(n + k)` for `n` centers with `k` pairs, if the number of centers per cube is bounded, as for
///   spheres that hardly overlap. The grid has at most about `4 n` cubes: if centers are scattered more widely, the
///   cubes are larger. Centers far from all others are assigned to the cubes at the border, so that a few distant
///   ones do not enlarge the grid.
/// - **Allocates** nothing once buffers have grown to the number of centers and pairs.
/// - **Deterministic**: [`CellGrid::pairs`] are sorted, whatever the cubes; the order and the slabs of
///   [`CellGrid::sort`] depend on the centers alone.
///
/// # Source
///
/// M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford University Press
/// 2017, section 5.3.2.
///
/// # Example
///
/// Three balls of radius 0.5 m in a row, the first two of which touch.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_collision::CellGrid;
///
/// let centers = [0.0, 1.0, 2.5].map(|x| Vector3::new(x, 0.0, 0.0));
/// let mut pairs = Vec::new();
/// CellGrid::default().pairs(&centers, 1.0, &mut pairs)?;
/// assert_eq!(pairs, [[0, 1]]);
/// # Ok::<(), percussion_collision::CellGridError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CellGrid {
    origin: Vector3<f64>,
    inverse_edge: f64,
    /// The axes upward, across the slabs, and along the rows: rows of cubes are along `axes[2]`, layers of rows
    /// along `axes[0]`, and the slabs are separated along `axes[1]`.
    axes: [usize; 3],
    /// Number of cubes along each of `axes`.
    counts: [usize; 3],
    /// Slab of each position across.
    slab_of: Vec<u32>,
    /// First position across, and width, of each slab.
    slabs: Vec<[usize; 2]>,
    /// First place of each cube, and the number of places.
    starts: Vec<u32>,
    /// Scratch: number of centers at each position across, cube of each center, and the order.
    tally: Vec<usize>,
    cube_of: Vec<u32>,
    order: Vec<u32>,
    equal: Equal,
    /// Minimum number of centers in a slab, if it is not the default.
    least: Option<usize>,
}

/// Scratch of [`CellGrid::pairs`].
#[derive(Clone, Debug, Default)]
struct Equal {
    centers: Vec<Vector3<f64>>,
    radii: Vec<f64>,
    found: Vec<[u32; 2]>,
    /// The start of the pairs of each center, and their end once they are filled in.
    starts: Vec<usize>,
}

impl CellGrid {
    /// A grid whose slabs have at least `count` centers, or all of them; by default 500.
    ///
    /// More slabs occupy more threads, and each needs work that outweighs its distribution.
    #[must_use]
    pub fn with_slabs_of(count: usize) -> Self {
        Self { least: Some(count), ..Self::default() }
    }

    /// Writes the pairs `[i, j]`, `i < j`, of centers (m) at most `distance` (m) apart, sorted.
    ///
    /// For spheres of radius `r` with a gap of at most `g`, `distance` is `2 r + g`.
    ///
    /// # Errors
    ///
    /// See [`CellGridError`]; `pairs` is then empty.
    pub fn pairs(
        &mut self,
        centers: &[Vector3<f64>],
        distance: f64,
        pairs: &mut Vec<[usize; 2]>,
    ) -> Result<(), CellGridError> {
        pairs.clear();
        check(centers, distance)?;
        // Rounding must not put two centers at exactly this distance into cubes that are not neighbors.
        self.sort(centers, distance * (1.0 + 1e-6), &Vector3::z());
        let mut equal = std::mem::take(&mut self.equal);
        equal.fill(self, centers, distance);
        equal.sort_pairs(centers.len(), pairs);
        self.equal = equal;
        Ok(())
    }

    /// Builds the grid over the centers and returns their order by cubes: the center at place `k` is
    /// `centers[order[k]]`.
    ///
    /// `edge` (m) is at least the largest distance of a pair. Places increase along the axis of the largest entry of
    /// `up`, or along `z` if `up` is zero. A tall column of centers is instead divided into slabs along its height.
    ///
    /// # Panics
    ///
    /// With more than [`LARGEST_COUNT`] centers. Centers are not checked for values that are not finite.
    pub fn sort(&mut self, centers: &[Vector3<f64>], edge: f64, up: &Vector3<f64>) -> &[u32] {
        assert!(centers.len() <= LARGEST_COUNT, "places fit into 32 bits");
        self.lay(centers, edge, up);
        self.cut(centers);
        self.cube_of.clear();
        for center in centers {
            let [up, across, along] = self.locate(center);
            let cube = self.cube(up, across, along);
            self.cube_of.push(narrow(cube));
        }
        let cubes: usize = self.counts.iter().product();
        self.starts.clear();
        self.starts.resize(cubes + 1, 0);
        for &cube in &self.cube_of {
            self.starts[cube as usize + 1] += 1;
        }
        for cube in 0..cubes {
            self.starts[cube + 1] += self.starts[cube];
        }
        self.order.clear();
        self.order.resize(centers.len(), 0);
        for (place, &cube) in (0..).zip(&self.cube_of) {
            let next = &mut self.starts[cube as usize];
            self.order[*next as usize] = place;
            *next += 1;
        }
        // After filling, every start is that of the next cube.
        self.starts.copy_within(0..cubes, 1);
        self.starts[0] = 0;
        &self.order
    }

    /// Chooses origin, edge, axes and numbers of cubes.
    fn lay(&mut self, centers: &[Vector3<f64>], edge: f64, up: &Vector3<f64>) {
        #[expect(clippy::cast_precision_loss, reason = "a limit need not be exact")]
        let count = centers.len().max(1) as f64;
        let mean = centers.iter().sum::<Vector3<f64>>() / count;
        let square = |x: &Vector3<f64>| (x - mean).component_mul(&(x - mean));
        let spread = (centers.iter().map(square).sum::<Vector3<f64>>() / count).map(f64::sqrt);
        let infinity = Vector3::repeat(f64::INFINITY);
        let (low, high) =
            centers.iter().fold((infinity, -infinity), |(low, high), x| (low.inf(x), high.sup(x)));
        let low = low.sup(&(mean - SPREAD * spread));
        let extent = (high.inf(&(mean + SPREAD * spread)) - low).sup(&Vector3::zeros());

        let most = CUBES_PER_CENTER * count + 64.0;
        let mut edge = edge;
        let count_by = |edge: f64| extent.map(|length| ((length / edge).floor() + 1.0).max(1.0));
        let mut counts = count_by(edge);
        while counts.product() > most {
            edge *= 1.25;
            counts = count_by(edge);
        }
        let mut up = if up.amax() > 0.0 { up.iamax() } else { 2 };
        let [mut across, mut along] = [(up + 1) % 3, (up + 2) % 3];
        if counts[along] > counts[across] {
            std::mem::swap(&mut across, &mut along);
        }
        // A tall column is divided along its height.
        if counts[up] > 4.0 * counts[across] {
            std::mem::swap(&mut across, &mut up);
        }
        self.axes = [up, across, along];
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "their product is small"
        )]
        {
            self.counts = self.axes.map(|axis| counts[axis] as usize);
        }
        self.origin = low;
        self.inverse_edge = 1.0 / edge;
    }

    /// Divides the grid into slabs of about equally many centers.
    fn cut(&mut self, centers: &[Vector3<f64>]) {
        let mut tally = std::mem::take(&mut self.tally);
        tally.clear();
        tally.resize(self.counts[1], 0);
        for center in centers {
            tally[self.locate(center)[1]] += 1;
        }
        self.slabs.clear();
        let least = self.least.unwrap_or(SLAB);
        let (mut first, mut inside, mut rest) = (0, 0, centers.len());
        for (across, &here) in tally.iter().enumerate() {
            inside += here;
            rest -= here;
            let last = across + 1 == self.counts[1];
            if last || (inside >= least && rest >= least) {
                self.slabs.push([first, across + 1 - first]);
                (first, inside) = (across + 1, 0);
            }
        }
        self.slab_of.clear();
        for (slab, &[_, width]) in (0..).zip(&self.slabs) {
            self.slab_of.extend(std::iter::repeat_n(slab, width));
        }
        self.tally = tally;
    }

    /// Position in the grid: up, across and along.
    #[inline]
    fn locate(&self, center: &Vector3<f64>) -> [usize; 3] {
        let mut counts = self.counts.iter();
        self.axes.map(|axis| {
            let steps = (center[axis] - self.origin[axis]) * self.inverse_edge;
            let last = counts.next().map_or(0, |count| count - 1);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "casts saturate, and what lies outside belongs to the border"
            )]
            let place = (steps as usize).min(last);
            place
        })
    }

    /// Number of a cube.
    #[inline]
    fn cube(&self, up: usize, across: usize, along: usize) -> usize {
        let [first, width] = self.slabs[self.slab_of[across] as usize];
        let before = first * self.counts[0];
        (before + up * width + (across - first)) * self.counts[2] + along
    }

    /// Number of slabs of the [sorted](Self::sort) grid; 0 before the first sort.
    #[must_use]
    pub fn slab_count(&self) -> usize {
        self.slabs.len()
    }

    /// Place of the first center of a slab and of the one after its last.
    ///
    /// # Panics
    ///
    /// If there is no such slab.
    #[must_use]
    pub fn places_of(&self, slab: usize) -> [u32; 2] {
        let [first, width] = self.slabs[slab];
        let layer = self.counts[0] * self.counts[2];
        [self.starts[first * layer], self.starts[(first + width) * layer]]
    }

    /// Calls `found` with the places `[i, j]`, `i < j`, of the pairs of spheres with a gap of at most `skin` (m, ≥ 0)
    /// whose first sphere is in this slab.
    ///
    /// `centers` and `radii` (m) are in the [order](Self::sort) of the places. Pairs whose gap exceeds the edge of
    /// the grid minus the two radii may be missing.
    ///
    /// # Panics
    ///
    /// If there is no such slab, or there are fewer centers or radii than in the sorted grid.
    #[inline]
    pub fn pairs_of(
        &self,
        slab: usize,
        centers: &[Vector3<f64>],
        radii: &[f64],
        skin: f64,
        found: &mut impl FnMut([u32; 2]),
    ) {
        let [first, width] = self.slabs[slab];
        for up in 0..self.counts[0] {
            for across in first..first + width {
                for along in 0..self.counts[2] {
                    let (own, rows) = self.around([up, across, along], first);
                    for i in own {
                        let (center, radius) = (centers[i as usize], radii[i as usize] + skin);
                        for j in rows.iter().flat_map(|&[begin, end]| begin.max(i + 1)..end) {
                            let reach = radius + radii[j as usize];
                            let apart = center - centers[j as usize];
                            if apart.norm_squared() <= reach * reach {
                                found([i, j]);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The places of a cube, and the ranges of places that may be the second of a pair with them: for each row
    /// around the cube, from the first to the last of its three cubes.
    #[inline]
    fn around(&self, [up, across, along]: [usize; 3], first: usize) -> (Range<u32>, [[u32; 2]; 9]) {
        let mut rows = [[0_u32; 2]; 9];
        let here = self.cube(up, across, along);
        let own = self.starts[here]..self.starts[here + 1];
        if own.is_empty() {
            return (own, rows);
        }
        let near = |k: usize, axis: usize| k.saturating_sub(1)..(k + 2).min(self.counts[axis]);
        let mut count = 0;
        for across in near(across, 1).filter(|across| *across >= first) {
            for up in near(up, 0) {
                let row = near(along, 2);
                let begin = self.starts[self.cube(up, across, row.start)];
                let end = self.starts[self.cube(up, across, row.end - 1) + 1];
                if end > own.start {
                    rows[count] = [begin, end];
                    count += 1;
                }
            }
        }
        (own, rows)
    }
}

impl Equal {
    /// Finds the pairs of equal spheres whose centers are at most `distance` apart, with the original indices of the
    /// centers.
    fn fill(&mut self, grid: &CellGrid, centers: &[Vector3<f64>], distance: f64) {
        self.centers.clear();
        self.centers.extend(grid.order.iter().map(|&index| centers[index as usize]));
        self.radii.clear();
        self.radii.resize(centers.len(), 0.5 * distance);
        self.found.clear();
        for slab in 0..grid.slab_count() {
            grid.pairs_of(slab, &self.centers, &self.radii, 0.0, &mut |places| {
                let [i, j] = places.map(|place| grid.order[place as usize]);
                self.found.push([i.min(j), i.max(j)]);
            });
        }
    }

    /// Sorts the pairs, by counting the pairs of each first center.
    fn sort_pairs(&mut self, count: usize, pairs: &mut Vec<[usize; 2]>) {
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for &[i, _] in &self.found {
            self.starts[i as usize + 1] += 1;
        }
        for center in 0..count {
            self.starts[center + 1] += self.starts[center];
        }
        pairs.resize(self.found.len(), [0; 2]);
        for pair in &self.found {
            let [i, j] = pair.map(|index| index as usize);
            pairs[self.starts[i]] = [i, j];
            self.starts[i] += 1;
        }
        // After filling, every start is the end of the pairs of its center.
        let mut first = 0;
        for &end in &self.starts[..count] {
            pairs[first..end].sort_unstable();
            first = end;
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2³² cubes")]
fn narrow(place: usize) -> u32 {
    place as u32
}

fn check(centers: &[Vector3<f64>], distance: f64) -> Result<(), CellGridError> {
    if centers.len() > LARGEST_COUNT {
        return Err(CellGridError::Count { count: centers.len() });
    }
    if !(distance.is_normal() && distance > 0.0) {
        return Err(CellGridError::Distance { value: distance });
    }
    for (index, center) in centers.iter().enumerate() {
        let outside = |entry: &&f64| !(-LARGEST..=LARGEST).contains(*entry);
        if let Some(&value) = center.iter().find(outside) {
            return Err(CellGridError::Center { index, value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
