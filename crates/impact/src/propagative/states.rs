//! The momenta found in a search, each stored once and found by their place on a line.
//!
//! A momentum is represented by the contact velocities, and two momenta are equal when these differ by no
//! more than their thresholds. A weighted sum of the velocities over their thresholds then differs by at most
//! the sum of the weights, which is the width of a cell. Equal momenta are therefore in the same cell or in
//! adjacent ones, together with few others.

use super::mirrors::Mirrors;

/// Marks a missing momentum.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct States {
    /// Contact velocities, state after state.
    values: Vec<f64>,
    /// For each state and mirror, the state after the reflection, or [`NONE`] if not known yet.
    images: Vec<u32>,
    feasible: Vec<bool>,
    cells: Vec<i64>,
    /// States whose cells have the same place in the table, each pointing to the one before.
    before: Vec<u32>,
    table: Vec<u32>,
    reflected: Vec<f64>,
}

impl States {
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.images.clear();
        self.feasible.clear();
        self.cells.clear();
        self.before.clear();
        self.table.clear();
        self.table.resize(64, NONE);
    }

    pub(super) const fn len(&self) -> usize {
        self.feasible.len()
    }

    pub(super) fn value(&self, state: u32, mirrors: usize) -> &[f64] {
        &self.values[state as usize * mirrors..][..mirrors]
    }

    pub(super) fn is_feasible(&self, state: u32) -> bool {
        self.feasible[state as usize]
    }

    /// The state after reflection of `state` at mirror `k`.
    pub(super) fn image(&mut self, mirrors: &Mirrors, state: u32, k: usize) -> u32 {
        let m = mirrors.start.len();
        let place = state as usize * m + k;
        if self.images[place] == NONE {
            let mut reflected = std::mem::take(&mut self.reflected);
            reflected.clear();
            reflected.extend_from_slice(self.value(state, m));
            mirrors.reflect(&mut reflected, k);
            self.images[place] = self.find(mirrors, &reflected);
            self.reflected = reflected;
        }
        self.images[place]
    }

    /// The state that agrees with `value`; a new one if there is none.
    pub(super) fn find(&mut self, mirrors: &Mirrors, value: &[f64]) -> u32 {
        let m = value.len();
        let agrees = |known: &[f64]| {
            let pairs = known.iter().zip(value).zip(&mirrors.thresholds);
            pairs.into_iter().all(|((a, b), threshold)| (a - b).abs() <= *threshold)
        };
        let cell = cell(value, &mirrors.thresholds);
        for cell in [cell, cell.wrapping_sub(1), cell.wrapping_add(1)] {
            let mut state = self.table[self.place(cell)];
            while state != NONE {
                if self.cells[state as usize] == cell && agrees(self.value(state, m)) {
                    return state;
                }
                state = self.before[state as usize];
            }
        }
        self.add(mirrors, value, cell)
    }

    fn add(&mut self, mirrors: &Mirrors, value: &[f64], cell: i64) -> u32 {
        if self.len() == self.table.len() {
            let size = 2 * self.table.len();
            self.table.clear();
            self.table.resize(size, NONE);
            for state in 0..self.len() {
                self.link(state);
            }
        }
        let state = self.len();
        self.values.extend_from_slice(value);
        self.images.resize(self.images.len() + value.len(), NONE);
        self.feasible.push(mirrors.feasible(value));
        self.cells.push(cell);
        self.before.push(NONE);
        self.link(state);
        index(state)
    }

    /// Inserts a state at its place in the table.
    fn link(&mut self, state: usize) {
        let place = self.place(self.cells[state]);
        self.before[state] = std::mem::replace(&mut self.table[place], index(state));
    }

    /// Fibonacci hashing spreads neighboring cells; the length of the table is a power of two.
    const fn place(&self, cell: i64) -> usize {
        let hash = cell.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize & (self.table.len() - 1)
    }
}

fn cell(value: &[f64], thresholds: &[f64]) -> i64 {
    let (mut sum, mut width, mut weight) = (0.0, 0.0, 1.0);
    for (value, threshold) in value.iter().zip(thresholds) {
        sum += weight * value / threshold;
        width += weight;
        // Different for each velocity, so that exchanging two of them gives another cell.
        weight = 1.0 + (weight * 1.618_033_988_749_895) % 1.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "saturates, and is only a place")]
    let cell = (sum / width).floor() as i64;
    cell
}

/// Converts a number that is below 2³².
#[expect(clippy::cast_possible_truncation, reason = "the search ends before")]
pub(super) const fn index(number: usize) -> u32 {
    number as u32
}
