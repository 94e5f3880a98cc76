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
            largest_entry = if entry.abs() > largest_entry { entry.abs() } else { largest_entry };
            largest_value = if value > largest_value { value } else { largest_value };
        }
        let pivot = PIVOT * largest_entry;
        let tie = TIE * largest_value;
        let mut bound = f64::INFINITY;
        self.tied.clear();
        for (row, (&entry, &value)) in entries.iter().zip(values).enumerate() {
            if entry < -pivot {
                let weight = -1.0 / entry;
                let value = if value > 0.0 { value } else { 0.0 };
                let ratio = value * weight;
                if ratio <= bound {
                    let relaxed = ratio + tie * weight;
                    bound = if relaxed < bound { relaxed } else { bound };
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
                        least = if tied.ratio < least { tied.ratio } else { least };
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
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;
    use crate::lcp::Problem;

    /// The row that leaves when the artificial variable with the column `entries` grows from `values`, with all `w` basic.
    fn leaving(entries: &[f64], values: &[f64]) -> Option<usize> {
        let n = values.len();
        let problem = Problem::new(DMatrix::identity(n, n), DVector::from_column_slice(values));
        let mut dictionary = Dictionary::default();
        dictionary.load(&problem.unwrap(), entries);
        let mut test = RatioTest::default();
        test.reserve(n);
        test.leaving_row(&dictionary, n)
    }

    #[test]
    fn the_smallest_ratio_leaves() {
        assert_eq!(leaving(&[-1.0, -2.0, 5.0], &[1.0, 1.0, 0.0]), Some(1));
        assert_eq!(leaving(&[-1.0, -2.0], &[0.25, 1.0]), Some(0));
        assert_eq!(leaving(&[1.0, 0.0], &[1.0, 1.0]), None, "nothing falls");
    }

    /// An entry of `10⁻¹⁰` of the largest counts as zero, as does one of exactly `10⁻¹⁰` compared with 1.
    #[test]
    fn small_entries_beside_the_largest_stop_nothing() {
        assert_eq!(leaving(&[-1e12, -10.0], &[1.0, 0.0]), Some(0));
        assert_eq!(leaving(&[-1e12, -1e3], &[1.0, 0.0]), Some(1));
        assert_eq!(leaving(&[-1e-10], &[1.0]), None);
        assert_eq!(leaving(&[-2e-10], &[1.0]), Some(0));
    }

    /// Rows are tied within `10⁻¹²` of the largest value, whether that row decreases or not. Of tied rows the first,
    /// whose `w` is basic, leaves last: its column of `B⁻¹` is a unit vector.
    #[test]
    fn ties_are_relative_to_the_largest_value() {
        let apart =
            |gap: f64, largest: f64| leaving(&[-1.0, -1.0, 0.0], &[1.0, 1.0 + gap, largest]);
        assert_eq!(apart(0.0, 1.0), Some(1));
        assert_eq!(apart(1e-7, 1.0), Some(0));
        assert_eq!(apart(1e-7, 1e6), Some(1));
        assert_eq!(apart(1e-5, 1e6), Some(0));
    }
}
