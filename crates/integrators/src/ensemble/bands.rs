//! Quantiles of coordinates over time.

use crate::{event_driven::Snapshot, model::State};

/// Quantiles of one quantity over time.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Band {
    /// The instants, from the start on; those that no member reached are left out.
    pub points: Vec<Point>,
}

/// Quantiles of one quantity at one instant.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Point {
    /// Time (s).
    pub time: f64,
    /// Number of members that reached it.
    pub members: usize,
    /// Least value of any member.
    pub least: f64,
    /// For each quantile `p` the least value that at least the share `p` of the members does not exceed; it is the value of a
    /// member.
    pub quantiles: Vec<f64>,
    /// Greatest value of any member.
    pub greatest: f64,
}

/// Instants between a start and an end (s), both included.
pub(super) fn times(start: f64, end: f64, intervals: usize) -> Vec<f64> {
    let interval = (end - start) / intervals as f64;
    (0..=intervals)
        .map(|k| if k == intervals { end } else { start + k as f64 * interval })
        .collect()
}

/// Coordinates and energy of one member at the instants of the bands.
#[derive(Debug)]
pub(super) struct Recorder {
    times: Vec<f64>,
    /// By instant: the coordinates and the energy. Shorter for a motion that ended early.
    pub(super) values: Vec<Vec<f64>>,
}

/// Fraction of an interval by which the time of a snapshot may be off by rounding.
const ROUNDING: f64 = 1e-9;

impl Recorder {
    pub(super) fn new(start: &State, end: f64, intervals: usize) -> Self {
        Self { times: times(start.time, end, intervals), values: Vec::new() }
    }

    /// Time between two instants (s).
    pub(super) fn interval(&self) -> f64 {
        let intervals = self.times.len() - 1;
        (self.times[intervals] - self.times[0]) / intervals as f64
    }

    /// Stores the first snapshot at each instant: the side before, where an event happens there.
    pub(super) fn record(&mut self, at: &Snapshot<'_>) {
        let Some(&time) = self.times.get(self.values.len()) else { return };
        if at.time >= time - ROUNDING * self.interval() {
            self.values.push(at.coordinates.iter().copied().chain([at.energy]).collect());
        }
    }
}

/// The bands of all quantities, from the values of each member at each instant.
pub(super) fn of(times: &[f64], members: &[Vec<Vec<f64>>], quantiles: &[f64]) -> Vec<Band> {
    let quantities = members.iter().flatten().map(Vec::len).next().unwrap_or(0);
    let point = |quantity: usize, k: usize, time: f64| {
        let mut values: Vec<f64> =
            members.iter().filter_map(|member| Some(member.get(k)?[quantity])).collect();
        values.sort_unstable_by(f64::total_cmp);
        let (least, greatest) = (*values.first()?, *values.last()?);
        let quantiles = quantiles.iter().map(|p| values[rank(*p, values.len())]).collect();
        Some(Point { time, members: values.len(), least, quantiles, greatest })
    };
    let band = |quantity: usize| Band {
        points: times
            .iter()
            .enumerate()
            .filter_map(|(k, time)| point(quantity, k, *time))
            .collect(),
    };
    (0..quantities).map(band).collect()
}

/// Index of the quantile `p`, in `(0, 1)`, among `count` (≥ 1) sorted values.
fn rank(p: f64, count: usize) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "below the count")]
    let rank = (p * count as f64).ceil() as usize;
    rank.clamp(1, count) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_least_value_with_the_share_at_most_it() {
        for (p, count, expected) in
            [(0.5, 1, 0), (0.5, 2, 0), (0.5, 3, 1), (0.25, 4, 0), (0.26, 4, 1), (0.99, 10, 9)]
        {
            assert_eq!(rank(p, count), expected, "{p} of {count}");
        }
    }

    #[test]
    fn a_member_that_ended_early_counts_until_then() {
        let members = [vec![vec![1.0], vec![5.0]], vec![vec![3.0]], vec![vec![2.0], vec![4.0]]];
        let bands = of(&[0.0, 1.0, 2.0], &members, &[0.5]);
        let [first, second] = &bands[0].points[..] else { panic!("{bands:?}") };
        assert_eq!((first.members, first.least, first.greatest), (3, 1.0, 3.0));
        assert_eq!(first.quantiles, [2.0]);
        assert_eq!((second.members, second.quantiles[0]), (2, 4.0));
    }
}
