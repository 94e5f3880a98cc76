//! The lexicographic ratio test, which determines the basic variable that leaves when a nonbasic one grows.
//!
//! Instead of perturbing `q` by `(ε, ε², …)`, rows are compared by the vectors
//! `(b_i, B⁻¹_{i1}, …, B⁻¹_{in}) / |a_i|`. Their lexicographic minimum is the row that leaves in the perturbed
//! problem for every small `ε`. The columns of `B⁻¹` are contained in the dictionary: minus the column of `w_k` if
//! it is nonbasic, a unit vector if it is basic.
//!
//! Rounding makes ties inexact, so the comparison has two passes, after Harris. Rows are tied if every basic
//! variable stays above `−TIE` whichever of them leaves. Only then are the columns of `B⁻¹` compared, with the same
//! margin.

use super::dictionary::{Dictionary, Place};
use crate::lcp::scaling::{larger, smaller};

/// Entries of the pivot column smaller than this, relative to its largest (at least 1), count as zero.
const PIVOT: f64 = 1e-10;

/// Basic variables may fall this far below zero, relative to the largest (at least 1).
const TIE: f64 = 1e-12;

/// Memory of the ratio test.
#[derive(Clone, Debug, Default)]
pub(super) struct RatioTest {
    /// Rows still tied.
    tied: Vec<Tied>,
}

/// A row that may leave.
#[derive(Clone, Copy, Debug)]
struct Tied {
    row: usize,
    /// `1 / |a_i|`.
    weight: f64,
    /// `b_i / |a_i|`.
    ratio: f64,
}

impl RatioTest {
    pub(super) fn reserve(&mut self, n: usize) {
        self.tied.clear();
        self.tied.reserve(n);
    }

    /// The row that leaves when the variable of `column` grows, or `None` if no row limits it.
    pub(super) fn leaving_row(&mut self, dictionary: &Dictionary, column: usize) -> Option<usize> {
        let (entries, values) = (dictionary.column(column), dictionary.values());
        let (mut largest_entry, mut largest_value) = (1.0, 1.0);
        for (&entry, &value) in entries.iter().zip(values) {
            largest_entry = larger(entry.abs(), largest_entry);
            largest_value = larger(value, largest_value);
        }
        let pivot = PIVOT * largest_entry;
        let tie = TIE * largest_value;
        let mut bound = f64::INFINITY;
        self.tied.clear();
        for (row, (&entry, &value)) in entries.iter().zip(values).enumerate() {
            if entry < -pivot {
                let weight = -1.0 / entry;
                let ratio = larger(value, 0.0) * weight;
                if ratio <= bound {
                    bound = smaller(ratio + tie * weight, bound);
                    self.tied.push(Tied { row, weight, ratio });
                }
            }
        }
        self.tied.retain(|tied| tied.ratio <= bound);
        match self.tied[..] {
            [] => None,
            [Tied { row, .. }] => Some(row),
            _ => Some(self.break_tie(dictionary)),
        }
    }

    /// The lexicographic minimum of the tied rows. If the artificial variable is tied, it leaves.
    fn break_tie(&mut self, dictionary: &Dictionary) -> usize {
        if let Place::Row(row) = dictionary.place(dictionary.artificial())
            && self.tied.iter().any(|tied| tied.row == row)
        {
            return row;
        }
        for k in 0..dictionary.size() {
            match dictionary.place(k) {
                // A unit vector: only its own row is positive, the others are zero and smaller.
                Place::Row(row) => self.tied.retain(|tied| tied.row != row),
                Place::Column(column) => {
                    let entries = dictionary.column(column);
                    let mut least = f64::INFINITY;
                    for tied in &mut self.tied {
                        tied.ratio = -entries[tied.row] * tied.weight;
                        least = smaller(tied.ratio, least);
                    }
                    let bound = least + TIE * least.abs().max(1.0);
                    self.tied.retain(|tied| tied.ratio <= bound);
                }
            }
            if let [Tied { row, .. }] = self.tied[..] {
                return row;
            }
        }
        // Equal up to rounding: the row with the largest pivot is taken.
        let safest = self.tied.iter().min_by(|a, b| a.weight.total_cmp(&b.weight));
        safest.map_or(0, |tied| tied.row)
    }
}

#[cfg(test)]
mod tests;
