//! The cells of a plane that were reached, and when: coverage as samples grow, and points for figures.

use std::collections::BTreeMap;

use super::Plane;
use crate::set_valued::{Sample, Summary};

/// The cells of a square grid in a [`Plane`] that outcomes fall into. One cell is centered at zero, so that
/// rest and sticking are in one cell with their rounding.
///
/// When the number of cells stops growing with the number of samples, the set is covered to the size of a
/// cell. By the Good–Turing estimate, the next sample falls into a new cell with the probability
/// [`new_cell_rate`](Self::new_cell_rate), the fraction of the samples that are the only one in their cell.
///
/// Each cell keeps its first outcome, which thins a scatter plot to one point per cell. The energy bounds the
/// velocities, and therefore the number of cells: about the area of the set over that of a cell.
///
/// # Source
///
/// I. J. Good, "The population frequencies of species and the estimation of population parameters",
/// *Biometrika* 40 (1953) 237–264.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    plane: Plane,
    size: f64,
    cells: BTreeMap<[i64; 2], Cell>,
    samples: u64,
}

/// A cell that was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cell {
    /// The first outcome in it, in the coordinates of the plane.
    pub point: [f64; 2],
    /// Index of that sample.
    pub first: u64,
    /// Number of outcomes in it.
    pub count: u64,
}

impl Coverage {
    /// An empty coverage by cells with the side `size` (in units of the plane, > 0; otherwise all outcomes
    /// fall into a few cells without meaning).
    #[must_use]
    pub const fn new(plane: Plane, size: f64) -> Self {
        Self { plane, size, cells: BTreeMap::new(), samples: 0 }
    }

    /// Number of recorded outcomes.
    #[must_use]
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    /// The cells that were reached, from left to right and from bottom to top.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = &Cell> {
        self.cells.values()
    }

    /// Area of the cells that were reached, in units of the plane squared.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.cells.len() as f64 * self.size * self.size
    }

    /// The number of cells reached after 1, 2, 4, … samples, up to the first count that includes the last new
    /// cell. Samples are counted by their indices, whether or not they came to an end.
    #[must_use]
    pub fn growth(&self) -> Vec<(u64, usize)> {
        let mut firsts: Vec<_> = self.cells.values().map(|cell| cell.first).collect();
        firsts.sort_unstable();
        let Some(&last) = firsts.last() else { return Vec::new() };
        let mut growth = Vec::new();
        for power in 0..64 {
            let samples = 1_u64 << power;
            growth.push((samples, firsts.partition_point(|&first| first < samples)));
            if samples > last {
                break;
            }
        }
        growth
    }

    /// Estimate of the probability that the next outcome falls into a new cell (Good and Turing).
    #[must_use]
    pub fn new_cell_rate(&self) -> f64 {
        let alone = self.cells.values().filter(|cell| cell.count == 1).count();
        if self.samples == 0 { 1.0 } else { alone as f64 / self.samples as f64 }
    }

    fn count(&mut self, key: [i64; 2], cell: Cell) {
        self.cells.entry(key).and_modify(|known| known.count += cell.count).or_insert(cell);
    }
}

impl Summary for Coverage {
    fn record(&mut self, sample: &Sample<'_>) {
        let point = self.plane.coordinates(sample.velocity);
        #[expect(clippy::cast_possible_truncation, reason = "far cells may be merged")]
        let key = point.map(|coordinate| (coordinate / self.size).round() as i64);
        self.samples += 1;
        self.count(key, Cell { point, first: sample.index, count: 1 });
    }

    fn merge(&mut self, later: Self) {
        self.samples += later.samples;
        later.cells.into_iter().for_each(|(key, cell)| self.count(key, cell));
    }
}
