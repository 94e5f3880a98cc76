//! The table of medians, read from the files of criterion.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context;
use serde_json::Value;

use crate::tidy::files;

/// One bench: times in nanoseconds, and the worst relative residual of the timed results.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    name: String,
    median: f64,
    low: f64,
    high: f64,
    residual: Option<f64>,
}

/// Reads every `new/estimates.json` below `criterion`; `residuals` has a line `name TAB number` for
/// each bench.
pub(super) fn read(criterion: &Path, residuals: &str) -> anyhow::Result<Vec<Row>> {
    let residuals: BTreeMap<&str, f64> = residuals
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let mut rows = Vec::new();
    for path in files::with_extension(criterion, "json")? {
        if !path.ends_with("new/estimates.json") {
            continue;
        }
        let estimates = parse(&path)?;
        let bench = parse(&path.with_file_name("benchmark.json"))?;
        rows.push(row(&bench, &estimates, &residuals).with_context(|| path.display().to_string())?);
    }
    Ok(rows)
}

fn row(bench: &Value, estimates: &Value, residuals: &BTreeMap<&str, f64>) -> Option<Row> {
    let median = &estimates["median"];
    let interval = &median["confidence_interval"];
    let name = bench["full_id"].as_str()?.to_string();
    Some(Row {
        median: median["point_estimate"].as_f64()?,
        low: interval["lower_bound"].as_f64()?,
        high: interval["upper_bound"].as_f64()?,
        residual: residuals.get(name.as_str()).copied(),
        name,
    })
}

fn parse(path: &Path) -> anyhow::Result<Value> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("parsing {}", path.display()))
}

/// One line per bench, times in microseconds.
pub(super) fn format(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<40} {:>12} {:>25} {:>14}\n",
        "bench", "median (µs)", "95 % confidence (µs)", "worst residual"
    );
    for row in rows {
        let interval = format!("{:.3} … {:.3}", row.low / 1e3, row.high / 1e3);
        let residual = row.residual.map_or_else(|| "–".to_string(), |value| format!("{value:.1e}"));
        text +=
            &format!("{:<40} {:>12.3} {interval:>25} {residual:>14}\n", row.name, row.median / 1e3);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_has_its_accuracy_beside_its_speed() {
        let bench = json!({"full_id": "lemke/box"});
        let estimates = json!({"median": {
            "point_estimate": 2500.0,
            "confidence_interval": {"lower_bound": 2400.0, "upper_bound": 2600.0},
        }});
        let row = row(&bench, &estimates, &BTreeMap::from([("lemke/box", 1e-13)])).unwrap();
        let table = format(&[row]);
        let words: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(words, ["lemke/box", "2.500", "2.400", "…", "2.600", "1.0e-13"]);
    }

    #[test]
    fn incomplete_estimates_are_not_guessed() {
        assert_eq!(row(&json!({}), &json!({}), &BTreeMap::new()), None);
    }
}
