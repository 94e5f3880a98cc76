//! Linked cells: puts the grains in an order in which neighbors are near, and finds the pairs among them.
//!
//! A cell is a cube with an edge of at least the largest diameter and the skin. Cells are numbered slab by slab,
//! within a slab upward against gravity, and grains by their cells. So memory is walked through in order, and a
//! sweep over the contacts goes up through the grains, the next one down.
//!
//! Grains far from all others are counted to the cells at the border, so that a few that fly away do not ask
//! for a grid of their own.

use std::ops::Range;

use nalgebra::Vector3;

/// A slab is closed when it has this many grains.
const SLAB: usize = 500;

/// The grid covers this many standard deviations to either side of the mean; an even spread has 1.7.
const SPREAD: f64 = 4.0;

/// Cells in rows along axis `axes[2]`, rows in layers along `axes[0]` against gravity, cut across `axes[1]` into
/// slabs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    origin: Vector3<f64>,
    inverse_edge: f64,
    /// Up, across the slabs, along the rows.
    axes: [usize; 3],
    /// Number of cells along each of `axes`.
    counts: [usize; 3],
    /// Slab of each position across.
    slab_of: Vec<u32>,
    /// First position across, and width, of each slab.
    slabs: Vec<[usize; 2]>,
    /// First grain of each cell, and the number of grains.
    starts: Vec<u32>,
    /// Scratch.
    cell_of: Vec<u32>,
    order: Vec<u32>,
}

impl Cells {
    /// Lays the grid over the grains and returns the order of cells, as present places.
    pub(crate) fn sort(
        &mut self,
        positions: &[Vector3<f64>],
        edge: f64,
        gravity: &Vector3<f64>,
    ) -> &[u32] {
        self.lay(positions, edge, gravity);
        self.cut(positions);
        self.cell_of.clear();
        for position in positions {
            let [up, across, along] = self.locate(position);
            let cell = self.cell(up, across, along);
            self.cell_of.push(narrow(cell));
        }
        let cells: usize = self.counts.iter().product();
        self.starts.clear();
        self.starts.resize(cells + 1, 0);
        for &cell in &self.cell_of {
            self.starts[cell as usize + 1] += 1;
        }
        for cell in 0..cells {
            self.starts[cell + 1] += self.starts[cell];
        }
        self.order.clear();
        self.order.resize(positions.len(), 0);
        for (place, &cell) in (0..).zip(&self.cell_of) {
            let next = &mut self.starts[cell as usize];
            self.order[*next as usize] = place;
            *next += 1;
        }
        // Filling moved every start to that of the next cell.
        self.starts.copy_within(0..cells, 1);
        self.starts[0] = 0;
        &self.order
    }

    /// Chooses origin, edge, axes and numbers of cells.
    fn lay(&mut self, positions: &[Vector3<f64>], edge: f64, gravity: &Vector3<f64>) {
        let count = positions.len().max(1) as f64;
        let mean = positions.iter().sum::<Vector3<f64>>() / count;
        let square = |x: &Vector3<f64>| (x - mean).component_mul(&(x - mean));
        let spread = (positions.iter().map(square).sum::<Vector3<f64>>() / count).map(f64::sqrt);
        let infinity = Vector3::repeat(f64::INFINITY);
        let (low, high) = positions
            .iter()
            .fold((infinity, -infinity), |(low, high), x| (low.inf(x), high.sup(x)));
        let low = low.sup(&(mean - SPREAD * spread));
        let extent = (high.inf(&(mean + SPREAD * spread)) - low).sup(&Vector3::zeros());

        let most = 4.0 * count + 64.0;
        let mut edge = edge;
        let count_by = |edge: f64| extent.map(|length| ((length / edge).floor() + 1.0).max(1.0));
        let mut counts = count_by(edge);
        while counts.product() > most {
            edge *= 1.25;
            counts = count_by(edge);
        }
        let mut up = if gravity.amax() > 0.0 { gravity.iamax() } else { 2 };
        let [mut across, mut along] = [(up + 1) % 3, (up + 2) % 3];
        if counts[along] > counts[across] {
            std::mem::swap(&mut across, &mut along);
        }
        // A tall column is cut across its height.
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

    /// Cuts the grid into slabs of about equally many grains.
    fn cut(&mut self, positions: &[Vector3<f64>]) {
        let mut grains = vec![0_usize; self.counts[1]];
        for position in positions {
            grains[self.locate(position)[1]] += 1;
        }
        self.slabs.clear();
        let (mut first, mut inside, mut rest) = (0, 0, positions.len());
        for (across, &here) in grains.iter().enumerate() {
            inside += here;
            rest -= here;
            let last = across + 1 == self.counts[1];
            if last || (inside >= SLAB && rest >= SLAB) {
                self.slabs.push([first, across + 1 - first]);
                (first, inside) = (across + 1, 0);
            }
        }
        self.slab_of.clear();
        for (slab, &[_, width]) in (0..).zip(&self.slabs) {
            self.slab_of.extend(std::iter::repeat_n(slab, width));
        }
    }

    /// Position in the grid: up, across and along.
    fn locate(&self, position: &Vector3<f64>) -> [usize; 3] {
        let mut counts = self.counts.iter();
        self.axes.map(|axis| {
            let steps = (position[axis] - self.origin[axis]) * self.inverse_edge;
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

    /// Number of a cell.
    fn cell(&self, up: usize, across: usize, along: usize) -> usize {
        let [first, width] = self.slabs[self.slab_of[across] as usize];
        let before = first * self.counts[0];
        (before + up * width + (across - first)) * self.counts[2] + along
    }

    /// Number of slabs.
    pub(crate) fn slab_count(&self) -> usize {
        self.slabs.len()
    }

    /// Places of the first grain of a slab and of the one after its last.
    pub(crate) fn grains_of(&self, slab: usize) -> [u32; 2] {
        let [first, width] = self.slabs[slab];
        let layer = self.counts[0] * self.counts[2];
        [self.starts[first * layer], self.starts[(first + width) * layer]]
    }

    /// Finds the pairs of balls with a gap of at most `skin` whose first ball is in this slab.
    pub(crate) fn pairs(
        &self,
        slab: usize,
        positions: &[Vector3<f64>],
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
                        let (position, radius) = (positions[i as usize], radii[i as usize] + skin);
                        for j in rows.iter().flat_map(|&[begin, end]| begin.max(i + 1)..end) {
                            let reach = radius + radii[j as usize];
                            let apart = position - positions[j as usize];
                            if apart.norm_squared() <= reach * reach {
                                found([i, j]);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The balls of a cell, and those that may be second to one of them, from the first to the last of three cells of
    /// each row around it.
    fn around(&self, [up, across, along]: [usize; 3], first: usize) -> (Range<u32>, [[u32; 2]; 9]) {
        let mut rows = [[0_u32; 2]; 9];
        let here = self.cell(up, across, along);
        let own = self.starts[here]..self.starts[here + 1];
        if own.is_empty() {
            return (own, rows);
        }
        let near = |k: usize, axis: usize| k.saturating_sub(1)..(k + 2).min(self.counts[axis]);
        let mut count = 0;
        for across in near(across, 1).filter(|across| *across >= first) {
            for up in near(up, 0) {
                let row = near(along, 2);
                let begin = self.starts[self.cell(up, across, row.start)];
                let end = self.starts[self.cell(up, across, row.end - 1) + 1];
                if end > own.start {
                    rows[count] = [begin, end];
                    count += 1;
                }
            }
        }
        (own, rows)
    }
}

/// Places fit into 32 bits: [`World::add`](crate::World::add) sees to it.
#[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2³² grains and cells")]
pub(crate) fn narrow(place: usize) -> u32 {
    place as u32
}
