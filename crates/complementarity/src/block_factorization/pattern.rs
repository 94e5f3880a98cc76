//! Order of elimination and the blocks that it fills: [`Pattern`].
//!
//! The next row is one with the fewest blocks that remain, of equal ones the first; elimination couples all its neighbors.
//!
//! # Source
//!
//! W. F. Tinney, J. W. Walker, "Direct solutions of sparse network equations by optimally ordered triangular factorization",
//! *Proceedings of the IEEE* 55 (1967) 1801–1809.

use std::{collections::BTreeSet, ops::Range};

/// The blocks of the factors of a matrix with a symmetric pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The place of each row in the order of elimination.
    places: Vec<usize>,
    /// For each place the range of its blocks in `later`.
    starts: Vec<usize>,
    /// The later places that are coupled with a place when it is eliminated, ascending.
    later: Vec<usize>,
}

impl Pattern {
    /// The pattern of a matrix with these neighbors of each row, which must be symmetric; `None` if a factorization takes more
    /// than `limit` products of blocks.
    pub(crate) fn new(mut neighbors: Vec<Vec<usize>>, limit: usize) -> Option<Self> {
        let rows = neighbors.len();
        for (row, of_row) in neighbors.iter_mut().enumerate() {
            of_row.retain(|neighbor| *neighbor != row);
            of_row.sort_unstable();
            of_row.dedup();
        }
        let mut waiting: BTreeSet<(usize, usize)> =
            neighbors.iter().enumerate().map(|(row, of_row)| (of_row.len(), row)).collect();
        let mut places = vec![0; rows];
        let (mut order, mut products) = (Vec::with_capacity(rows), 0_usize);
        let mut merged = Vec::new();
        while let Some((count, row)) = waiting.pop_first() {
            places[row] = order.len();
            order.push(row);
            products = products.saturating_add(count * count);
            if products > limit {
                return None;
            }
            let coupled = std::mem::take(&mut neighbors[row]);
            for &other in &coupled {
                waiting.remove(&(neighbors[other].len(), other));
                merge((&neighbors[other], &coupled), [row, other], &mut merged);
                std::mem::swap(&mut neighbors[other], &mut merged);
                waiting.insert((neighbors[other].len(), other));
            }
            neighbors[row] = coupled;
        }
        let (mut starts, mut later) = (vec![0], Vec::new());
        for row in order {
            let start = later.len();
            later.extend(neighbors[row].iter().map(|other| places[*other]));
            later[start..].sort_unstable();
            starts.push(later.len());
        }
        Some(Self { places, starts, later })
    }

    pub(crate) fn row_count(&self) -> usize {
        self.places.len()
    }

    /// Number of blocks of each factor beside the diagonal.
    pub(crate) fn block_count(&self) -> usize {
        self.later.len()
    }

    pub(crate) fn place_of(&self, row: usize) -> usize {
        self.places[row]
    }

    /// The blocks of a place.
    pub(crate) fn blocks(&self, place: usize) -> Range<usize> {
        self.starts[place]..self.starts[place + 1]
    }

    /// The later place of a block.
    pub(crate) fn later(&self, block: usize) -> usize {
        self.later[block]
    }

    /// The block of a place and a later one.
    pub(crate) fn block_at(&self, place: usize, later: usize) -> Option<usize> {
        let blocks = self.blocks(place);
        Some(blocks.start + self.later[blocks].binary_search(&later).ok()?)
    }
}

/// Writes the union of two ascending lists without the rows `but` to `merged`.
fn merge((one, other): (&[usize], &[usize]), but: [usize; 2], merged: &mut Vec<usize>) {
    merged.clear();
    let (mut i, mut j) = (0, 0);
    while i < one.len() || j < other.len() {
        let [a, b] = [one.get(i), other.get(j)].map(|row| row.copied().unwrap_or(usize::MAX));
        i += usize::from(a <= b);
        j += usize::from(b <= a);
        if !but.contains(&a.min(b)) {
            merged.push(a.min(b));
        }
    }
}
