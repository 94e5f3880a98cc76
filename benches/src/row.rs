//! A row of the comparison with other libraries: [`Row`], one JSON object a line.

use std::{
    io::{self, Write},
    time::Instant,
};

use serde::Serialize;

/// Median and the range from 10 to 90 % of measured values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// A tenth of the values is below it.
    pub low: f64,
    /// A tenth of the values is above it.
    pub high: f64,
}

impl Spread {
    /// The spread of `values`; `None` without values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let [low, median, high] = [1, 5, 9].map(|tenth| sorted[(last * tenth + 5) / 10]);
        Some(Self { median, low, high })
    }

    /// A single value.
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self { median: value, low: value, high: value }
    }
}

/// Another library that solved the same problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Peer {
    /// Its name, with the solver if it has several.
    pub name: String,
    /// Its value in the unit of ours; `None` if it has no answer.
    pub value: Option<Spread>,
}

/// The accuracy of both answers, smaller is better.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// The quantity.
    pub what: &'static str,
    /// Ours.
    pub ours: f64,
    /// The peer's.
    pub peer: Option<f64>,
}

/// The bound that a figure of the row should keep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// Our value.
    OursAtMost(f64),
    /// Our value.
    OursAtLeast(f64),
    /// The ratio to the peer.
    RatioAtMost(f64),
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// The name by which a filter selects it; its beginning up to the first `/` is its group.
    pub name: String,
    /// The unit of ours and of the peer's; `s` is shown with a prefix.
    pub unit: &'static str,
    /// Ours.
    pub ours: Option<Spread>,
    /// The peer.
    pub peer: Option<Peer>,
    /// Ours by the peer's, of values measured one after the other.
    pub ratio: Option<Spread>,
    /// The accuracy of both.
    pub accuracy: Option<Accuracy>,
    /// The bound.
    pub reach: Option<Reach>,
    /// Further facts, in words.
    pub note: String,
}

impl Row {
    /// A row of times (s).
    #[must_use]
    pub fn of_times(name: &str, ours: &[f64]) -> Self {
        let ours = Spread::of(ours);
        Self { name: name.to_owned(), unit: "s", ours, ..Self::default() }
    }

    /// A row of our times and those of a peer (s), pairs measured one after the other.
    #[must_use]
    pub fn of_pairs(name: &str, peer: &str, pairs: &Pairs) -> Self {
        let theirs = Peer { name: peer.to_owned(), value: Spread::of(&pairs.peer) };
        Self {
            peer: Some(theirs),
            ratio: Spread::of(&pairs.ratios()),
            ..Self::of_times(name, &pairs.ours)
        }
    }

    /// Writes it as a line of JSON to the standard output.
    ///
    /// # Errors
    ///
    /// When nobody reads there.
    pub fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, self)?;
        writeln!(out)?;
        out.flush()
    }
}

/// Times of two programs that took turns (s).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// Ours.
    pub ours: Vec<f64>,
    /// Those of the peer.
    pub peer: Vec<f64>,
}

impl Pairs {
    /// Calls both in turn, `rounds` times; each returns its time (s).
    pub fn in_turns(
        rounds: usize,
        mut ours: impl FnMut() -> f64,
        mut peer: impl FnMut() -> f64,
    ) -> Self {
        let mut pairs = Self::default();
        for _ in 0..rounds {
            pairs.add(ours(), peer());
        }
        pairs
    }

    /// Adds a pair.
    pub fn add(&mut self, ours: f64, peer: f64) {
        self.ours.push(ours);
        self.peer.push(peer);
    }

    /// Ours by the peer's.
    #[must_use]
    pub fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.peer).map(|(ours, peer)| ours / peer).collect()
    }
}

/// The time of a call (s).
pub fn timed(call: impl FnOnce()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64()
}

/// The least time of `repeats` calls (s).
pub fn least(repeats: usize, mut call: impl FnMut()) -> f64 {
    (0..repeats).map(|_| timed(&mut call)).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_a_tenth_on_either_side() {
        let values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        let spread = Spread::of(&values);
        assert_eq!(spread, Some(Spread { median: 50.0, low: 10.0, high: 90.0 }));
        assert_eq!(Spread::of(&[3.0]), Some(Spread::exact(3.0)));
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn ratios_are_those_of_pairs_and_not_of_medians() {
        let mut pairs = Pairs::default();
        for (ours, peer) in [(2.0, 1.0), (30.0, 10.0), (4.0, 4.0)] {
            pairs.add(ours, peer);
        }
        assert_eq!(pairs.ratios(), [2.0, 3.0, 1.0]);
        let row = Row::of_pairs("a/b", "other", &pairs);
        let line = serde_json::to_value(&row).unwrap();
        assert_eq!(line["ratio"]["median"], 2.0, "the medians have the ratio 1");
        assert_eq!((line["unit"].as_str(), &line["peer"]["name"]), (Some("s"), &"other".into()));
    }

    #[test]
    fn a_bound_names_its_figure() {
        let row = Row { reach: Some(Reach::RatioAtMost(0.5)), ..Row::default() };
        assert_eq!(serde_json::to_value(&row).unwrap()["reach"]["ratio-at-most"], 0.5);
    }
}
