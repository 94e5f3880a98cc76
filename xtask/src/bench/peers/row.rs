//! Rows of the comparison as the programs print them, and their figures in words.

use serde::{Deserialize, Serialize};

/// Median and the range from 10 to 90 %.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Another library that solved the same problem; without a value it has no answer.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) value: Option<Spread>,
}

/// Accuracy of both, smaller is better; a number that is not finite is `None`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Accuracy {
    what: String,
    ours: Option<f64>,
    peer: Option<f64>,
}

/// The bound that a figure should keep.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Reach {
    OursAtMost(f64),
    OursAtLeast(f64),
    RatioAtMost(f64),
}

/// One row; `name` is all that a row must have.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) ours: Option<Spread>,
    pub(super) peer: Option<Peer>,
    pub(super) ratio: Option<Spread>,
    pub(super) accuracy: Option<Accuracy>,
    pub(super) reach: Option<Reach>,
    pub(super) note: String,
    /// Why there is no measurement: what to install, or what failed.
    pub(super) absent: String,
}

impl Row {
    /// A row without a measurement.
    pub(super) fn absent(name: &str, reason: impl Into<String>) -> Self {
        Self { name: name.to_owned(), absent: reason.into(), ..Self::default() }
    }

    /// The name up to the first `/`.
    pub(super) fn group(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Ours, the peer, the ratio, both accuracies, the reach, and the rest.
    pub(super) fn cells(&self) -> [String; 7] {
        let accuracy = self.accuracy.as_ref();
        let figure = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), scientific);
        let accuracies = accuracy.map_or_else(String::new, |accuracy| match accuracy.peer {
            Some(peer) => format!("{} / {}", figure(accuracy.ours), figure(Some(peer))),
            None => figure(accuracy.ours),
        });
        let peer = self.peer.as_ref().map_or_else(String::new, |peer| {
            let value = peer.value.map(|value| format!(": {}", quantity(&value, &self.unit)));
            peer.name.clone() + &value.unwrap_or_default()
        });
        let note = if self.absent.is_empty() { &self.note } else { &self.absent };
        [
            self.ours.map(|ours| quantity(&ours, &self.unit)).unwrap_or_default(),
            peer,
            self.ratio.map(|ratio| quantity(&ratio, "")).unwrap_or_default(),
            accuracies,
            accuracy.map(|accuracy| accuracy.what.clone()).unwrap_or_default(),
            self.verdict().map(|verdict| verdict.to_string()).unwrap_or_default(),
            note.clone(),
        ]
    }

    /// Whether the bound holds; `None` without a bound.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        let reach = self.reach?;
        let (sign, bound, value) = match reach {
            Reach::OursAtMost(bound) => ('≤', bound, self.ours),
            Reach::OursAtLeast(bound) => ('≥', bound, self.ours),
            Reach::RatioAtMost(bound) => ('≤', bound, self.ratio),
        };
        let bound_text = match (reach, &*self.unit) {
            (Reach::RatioAtMost(_), _) => format!("{sign} {bound}"),
            (_, "×") => format!("{sign} {bound} ×"),
            (_, unit) => format!("{sign} {}", quantity(&Spread::exact(bound), unit)),
        };
        let factor = value.map(|value| match reach {
            Reach::OursAtLeast(_) => bound / value.median,
            _ => value.median / bound,
        });
        Some(Verdict { bound: bound_text, factor })
    }
}

impl Spread {
    const fn exact(value: f64) -> Self {
        Self { median: value, low: value, high: value }
    }
}

/// A bound, and the factor by which it is missed if that is above 1.
#[derive(Debug, PartialEq)]
pub(super) struct Verdict {
    bound: String,
    factor: Option<f64>,
}

impl Verdict {
    pub(super) fn is_missed(&self) -> bool {
        self.factor.is_none_or(|factor| factor.is_nan() || factor > 1.0)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bound = &self.bound;
        match self.factor {
            None => write!(formatter, "{bound}: no value"),
            Some(factor) if factor <= 1.0 => write!(formatter, "{bound}: holds"),
            Some(factor) => write!(formatter, "{bound}: missed {} times", digits(factor)),
        }
    }
}

/// A number of three digits without an exponent.
fn digits(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if size >= 100.0 || size == 0.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

fn scientific(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

/// A value and its range with one prefix of the unit.
fn quantity(spread: &Spread, unit: &str) -> String {
    let size = spread.median.abs();
    let (factor, prefix) = match unit {
        "s" if size < 1e-6 => (1e9, "n"),
        "s" if size < 1e-3 => (1e6, "µ"),
        "s" if size < 1.0 => (1e3, "m"),
        "s" | "" | "×" => (1.0, ""),
        _ if size >= 1e6 => (1e-6, "M"),
        _ if size >= 1e4 => (1e-3, "k"),
        _ => (1.0, ""),
    };
    let text = |value: f64| {
        let value = value * factor;
        if unit == "problems" { format!("{value:.0}") } else { digits(value) }
    };
    let mut words = text(spread.median);
    if spread.low < spread.high {
        words += &format!(" ({}–{})", text(spread.low), text(spread.high));
    }
    if !unit.is_empty() {
        words += &format!(" {prefix}{unit}");
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(reach: &str, bound: f64) -> Row {
        serde_json::from_value(json!({
            "name": "lcp/box", "unit": "s",
            "ours": {"median": 2e-6, "low": 1.9e-6, "high": 2.5e-6},
            "peer": {"name": "other", "value": {"median": 4e-6, "low": 4e-6, "high": 4e-6}},
            "ratio": {"median": 0.5, "low": 0.45, "high": 0.6},
            "accuracy": {"what": "residual", "ours": 1.234e-9, "peer": null},
            "reach": {reach: bound}, "note": "3 contacts",
        }))
        .unwrap()
    }

    #[test]
    fn cells_have_units_and_ranges() {
        let cells = row("ratio-at-most", 0.5).cells();
        let expected = [
            "2.00 (1.90–2.50) µs",
            "other: 4.00 µs",
            "0.500 (0.450–0.600)",
            "1.2e-9",
            "residual",
            "≤ 0.5: holds",
            "3 contacts",
        ];
        assert_eq!(cells, expected);
    }

    #[test]
    fn a_missed_bound_has_its_factor() {
        let verdict = |reach, bound| row(reach, bound).verdict().unwrap();
        assert_eq!(verdict("ratio-at-most", 0.25).to_string(), "≤ 0.25: missed 2.00 times");
        assert!(!verdict("ours-at-most", 2e-6).is_missed());
        assert_eq!(verdict("ours-at-least", 4e-6).to_string(), "≥ 4.00 µs: missed 2.00 times");
        let none = Row { ratio: None, ..row("ratio-at-most", 1.0) }.verdict().unwrap();
        assert!(none.is_missed(), "without a value: {none}");
    }

    #[test]
    fn large_rates_and_counts_are_legible() {
        let text = |value, unit| quantity(&Spread::exact(value), unit);
        assert_eq!(text(28.14e6, "updates/s"), "28.1 Mupdates/s");
        assert_eq!(text(55_300.0, "samples/s"), "55.3 ksamples/s");
        assert_eq!(
            (text(30.0, "problems"), text(598.3, "B")),
            ("30 problems".into(), "598 B".into())
        );
    }
}
