//! The comparison as a text and as a page of the book: [`Comparison`].

use std::{collections::BTreeMap, fmt::Write};

use serde::{Deserialize, Serialize};

use super::{installed::SOURCES, row::Row};

/// All rows of a run, and what a reader needs to judge them.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Comparison {
    /// Year, month and day.
    pub(super) date: String,
    /// Names and values of the description of the machine.
    pub(super) machine: Vec<(String, String)>,
    /// Mean number of processes that want to run, at the beginning and at the end.
    pub(super) load: [Option<f64>; 2],
    /// Time that it took (min).
    pub(super) minutes: f64,
    /// Versions of the peers.
    pub(super) peers: BTreeMap<String, String>,
    pub(super) rows: Vec<Row>,
}

/// Groups by the beginning of the names of their rows: title, and what a reader has to know.
const GROUPS: [(&str, &str, &str); 8] = [
    (
        "lcp",
        "Linear complementarity problems",
        "The ratio is that of the median times of each problem, and its range that of the problems. \
         `small-n` are n contacts without friction, `ray-n` have no solution; the others are steps with polygons of friction. \
         Ours judges every answer on the problem itself and proves that rays have none, Siconos does neither: \
         of `ray-n` a note says how long our path takes without that.",
    ),
    (
        "friction",
        "Contacts with friction",
        "`sweeps` are sweeps near the solution, `one` is one contact in closed form, the others are whole problems from zero \
         impulses to a relative residual of 1e-8, the same residual for both; of ten solvers of Siconos the fastest that gets there.",
    ),
    (
        "large",
        "Large problems with a known solution",
        "Towers, walls and arches of blocks of 1 to 10⁴ kg that touch at four corners each, by our default method to 1e-8. \
         Elimination of a plane grid of n rows takes n^1.5 products in any order (Hoffman, Martin and Rose, 1973), √48 = 6.9 times \
         as many a contact at 48 times the size. That of these walls takes 166 products of 3 × 3 blocks a contact at 100 contacts \
         and 3355 at 4804, 20 times as many; the time grows less, because larger products are faster.",
    ),
    ("plus", "Impacts by PLUS", "One impact of 64 contacts, with the status of its answer."),
    (
        "sets",
        "Sets of outcomes",
        "Samples of published impacts with all bookkeeping. A sample of the disk stack has some 100 pivots of 10 rows: 6.8 step \
         problems, with the last small ones, of 14.6 pivots each. 150 ksamples/s on two threads leave 133 ns for each, all \
         included.",
    ),
    (
        "spheres",
        "Spheres",
        "A settled pile; a million are copies of it side by side. All steps have 10 sweeps, rapier's 4 substeps. The slabs of \
         the 10⁴ have 500 to 1238 spheres, in two groups of 7 or 8, so two threads do not have equal work.",
    ),
    ("bricks", "Bricks", "A thousand bricks that have fallen into a box, with 10 sweeps a step."),
    (
        "robots",
        "Steps of robots",
        "Whole steps from the same states, contacts to a relative residual of 1e-8. Of pinocchio the mass matrix, the bias \
         forces, the constraints with their decomposition and ADMM with the fastest of five settings are timed, at the contacts \
         that MuJoCo found and without the search for them.",
    ),
];

const HEAD: [&str; 8] =
    ["row", "ours", "peer", "ratio", "ours / peer", "accuracy, smaller is better", "reach", "note"];

impl Comparison {
    /// The rows of a group.
    fn group<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.group() == group)
    }

    /// The page of the book.
    pub(super) fn page(&self) -> String {
        let mut text = String::from(
            "# Beside other libraries\n\n\
             <!-- Written by `cargo xtask bench --peers --page`; the figures are in peers.json. -->\n\n",
        );
        text += &self.facts();
        text += "\n## How to read it\n\n\
            `cargo xtask bench --peers` prints this table; a part of a name after it selects rows, and `--page` writes this page.\n\
            Ours and the peer take turns on the same problems, so that the load of the machine affects both alike.\n\
            A ratio is our time by the peer's, the median of pairs that follow one another; numbers in brackets are 10 and 90 %.\n\
            A reach is a bound that was set for the figure before it was measured.\n";
        for (group, title, about) in GROUPS {
            if self.group(group).next().is_none() {
                continue;
            }
            let _ = write!(text, "\n## {title}\n\n{}\n\n", about.replace(". ", ".\n"));
            text += &markdown_row(&HEAD.map(str::to_owned));
            text += &markdown_row(&HEAD.map(|_| "---".to_owned()));
            for row in self.group(group) {
                let name = row.name.split_once('/').map_or(&*row.name, |(_, name)| name);
                text += &markdown_row(&with_name(name, row));
            }
        }
        text += "\n## Peers\n\n| peer | compared | installed by |\n| --- | --- | --- |\n";
        for source in &SOURCES {
            let cells = [source.name, source.used, source.install];
            text += &markdown_row(&cells.map(str::to_owned));
        }
        text
    }

    /// Machine, date, versions, loads and how far ratios vary.
    fn facts(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.machine {
            if name != "load" {
                let _ = writeln!(text, "- {name}: {value}");
            }
        }
        let _ = writeln!(text, "- date: {}, {:.0} minutes", self.date, self.minutes);
        let peers: Vec<_> = self.peers.iter().map(|(name, v)| format!("{name} {v}")).collect();
        if !peers.is_empty() {
            let _ = writeln!(text, "- peers: {}", peers.join(", "));
        }
        let [before, after] =
            self.load.map(|load| load.map_or("unknown".to_owned(), |l| format!("{l:.1}")));
        let _ = writeln!(text, "- load: {before} at the beginning, {after} at the end");
        if let Some(range) = self.variation() {
            let _ = writeln!(
                text,
                "- variation: the ratio at 90 % is {range:.2} times that at 10 % in half of the rows of single problems; \
                 where it is large, other programs were running"
            );
        }
        let missed: Vec<_> = self.rows.iter().filter(|row| is_missed(row)).collect();
        let bounds = self.rows.iter().filter(|row| row.verdict().is_some()).count();
        let _ = writeln!(text, "- reach: {} of {bounds} bounds hold", bounds - missed.len());
        for row in missed {
            let verdict = row.verdict().map(|verdict| verdict.to_string()).unwrap_or_default();
            let _ = writeln!(text, "  - `{}` {verdict}", row.name);
        }
        text
    }

    /// Median over rows of the ratio at 90 % by that at 10 %, without rows whose range is that of different problems.
    fn variation(&self) -> Option<f64> {
        let single = |row: &&Row| {
            row.group() != "lcp" && !row.name.contains("/one-") && !row.name.contains("-median")
        };
        let ratios = self.rows.iter().filter(single).filter_map(|row| row.ratio);
        let mut ranges: Vec<f64> =
            ratios.filter(|r| r.low < r.high).map(|r| r.high / r.low).collect();
        ranges.sort_by(f64::total_cmp);
        ranges.get(ranges.len() / 2).copied()
    }

    /// One table, for a terminal.
    pub(super) fn text(&self) -> String {
        let mut rows = vec![HEAD.map(str::to_owned)];
        rows.extend(self.rows.iter().map(|row| with_name(&row.name, row)));
        let width = |column: usize| {
            rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
        let mut text = self.facts() + "\n";
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// Whether the bound of a row was measured and does not hold, or has no value though its peer is there.
fn is_missed(row: &Row) -> bool {
    row.verdict().is_some_and(|verdict| verdict.is_missed())
}

fn with_name(name: &str, row: &Row) -> [String; 8] {
    let [ours, peer, ratio, accuracies, what, reach, note] = row.cells();
    [name.to_owned(), ours, peer, ratio, accuracies, what, reach, note]
}

fn markdown_row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let line = format!("| {} |\n", cells.join(" | "));
    line.replace("|  |", "| |").replace("|  |", "| |")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{super::PAGE, *};
    use crate::shell;

    fn comparison() -> Comparison {
        let row = r#"{"name": "bricks/rapier", "unit": "s",
            "ours": {"median": 3e-3, "low": 2e-3, "high": 4e-3},
            "peer": {"name": "rapier", "value": {"median": 2e-3, "low": 2e-3, "high": 2e-3}},
            "ratio": {"median": 1.5, "low": 1.0, "high": 2.0},
            "accuracy": {"what": "overlap", "ours": 2e-3, "peer": 5e-2},
            "reach": {"ratio-at-most": 1.0}, "note": "a | b", "absent": ""}"#;
        let mut row: Row = serde_json::from_str(row).unwrap();
        let absent = Row::absent("lcp/box", "not compared: install by x");
        let rows = vec![row.clone(), absent];
        row.name.clear();
        Comparison {
            date: "2026-01-02".to_owned(),
            load: [Some(1.0), None],
            rows,
            ..Comparison::default()
        }
    }

    #[test]
    fn the_page_has_every_row_in_its_group() {
        let page = comparison().page();
        let line = "| rapier | 3.00 (2.00–4.00) ms | rapier: 2.00 ms | 1.50 (1.00–2.00) | 2.0e-3 / 5.0e-2 | overlap \
                    | ≤ 1: missed 1.50 times | a \\| b |\n";
        assert!(page.contains(line), "{page}");
        assert!(page.contains("| box | | | | | | | not compared: install by x |\n"), "{page}");
        assert!(
            page.contains("- reach: 0 of 1 bounds hold\n  - `bricks/rapier` ≤ 1: missed"),
            "{page}"
        );
        assert!(page.contains("- load: 1.0 at the beginning, unknown at the end\n"), "{page}");
        assert!(page.contains("is 2.00 times that at 10 %"), "{page}");
    }

    #[test]
    fn every_row_is_in_the_text() {
        let text = comparison().text();
        assert!(
            text.lines().any(|line| line.starts_with("lcp/box ") && line.ends_with("install by x"))
        );
        assert!(text.lines().any(|line| line.starts_with("bricks/rapier ")), "{text}");
    }

    /// Without it rows could be changed by hand.
    #[test]
    fn the_page_of_the_book_is_made_from_its_data() {
        let [page, data] = PAGE.map(|path| fs::read_to_string(shell::root().join(path)).unwrap());
        let comparison: Comparison = serde_json::from_str(&data).unwrap();
        assert!(page == comparison.page(), "{} is not as {} says", PAGE[0], PAGE[1]);
    }

    #[test]
    fn every_row_of_the_book_belongs_to_a_group() {
        let data = fs::read_to_string(shell::root().join(PAGE[1])).unwrap();
        let comparison: Comparison = serde_json::from_str(&data).unwrap();
        for row in &comparison.rows {
            assert!(GROUPS.iter().any(|(group, ..)| *group == row.group()), "{}", row.name);
        }
    }
}
