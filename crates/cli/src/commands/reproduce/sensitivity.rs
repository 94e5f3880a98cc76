//! `percussion reproduce --sensitivity`.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use percussion_record::Against;
use percussion_report::{Table, atomic};
use percussion_scenarios::{
    Effort, Experiment, Options,
    sensitivity::{Sensitive, Sensitivity},
};

use super::queue;
use crate::{
    arguments::Reproduce,
    output::{Verdict, print, written},
};

/// Name of the file with the tables, in the directory of the report.
const FILE: &str = "sensitivity.md";

pub(super) fn execute(arguments: &Reproduce, selected: &[&'static Experiment]) -> Result<Verdict> {
    let options = Options { effort: Effort::Quick, seed: arguments.seed };
    let found = queue::run(
        selected,
        || false,
        |experiment, show| {
            tracing::info!(experiment = experiment.id, "perturbing");
            let sensitivity = experiment.sensitivity(&options, show);
            sensitivity.with_context(|| format!("experiment `{}`", experiment.id))
        },
    );
    let found: Vec<Sensitivity> = found.into_iter().flatten().collect::<Result<_>>()?;
    let file = arguments.out.join(FILE);
    let tables: String = found.iter().map(markdown).collect();
    atomic::write(&file, tables.as_bytes())?;
    if arguments.json {
        print(&(serde_json::to_string_pretty(&found)? + "\n"))?;
    } else {
        let tables: String = found.iter().map(text).collect();
        print(&format!("{tables}{}{}", summary(&found), written(&[file])))?;
    }
    let holds = |row: &Sensitive| row.can_fail() && row.is_as_stated();
    let all_hold = found.iter().flat_map(|one| &one.rows).all(holds);
    Ok(if all_hold { Verdict::Met } else { Verdict::Unmet })
}

const fn judged_by(against: Against) -> &'static str {
    match against {
        Against::Published => "published figure",
        Against::Checked => "check",
        Against::Invariant => "invariant",
        Against::Nothing => "nothing",
    }
}

/// The text of one experiment for a terminal.
fn text(sensitivity: &Sensitivity) -> String {
    let mut table = Table::new("", ["quantity", "judged by", "fails with"]);
    for row in &sensitivity.rows {
        table.push([row.quantity.as_str(), judged_by(row.against), row.failed_by()]);
    }
    let mut text = format!("{}\n\n{table}\n", sensitivity.experiment);
    for (perturbation, why) in &sensitivity.stopped {
        let _ = writeln!(text, "  {} stops it: {why}", perturbation.what());
    }
    text + "\n"
}

/// The text of one experiment for the book.
fn markdown(sensitivity: &Sensitivity) -> String {
    let mut text = format!(
        "### `{}`\n\n| quantity | judged by | fails with |\n| --- | --- | --- |\n",
        sensitivity.experiment
    );
    for row in &sensitivity.rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            row.quantity,
            judged_by(row.against),
            row.failed_by()
        );
    }
    text + "\n"
}

/// The number of rows that fail with each change, and the rows that no change makes fail.
fn summary(found: &[Sensitivity]) -> String {
    let rows =
        || found.iter().flat_map(|one| one.rows.iter().map(move |row| (one.experiment, row)));
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for (_, row) in rows() {
        let what = row.failed_by();
        match kinds.iter_mut().find(|(kind, _)| *kind == what) {
            Some((_, count)) => *count += 1,
            None => kinds.push((what, 1)),
        }
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut table = Table::new("<>", ["fails with", "rows"]);
    for (kind, count) in kinds {
        table.push([kind.to_owned(), count.to_string()]);
    }
    let mut text = format!("{table}\n");
    for (experiment, row) in rows().filter(|(_, row)| !row.can_fail()) {
        let _ = writeln!(
            text,
            "cannot fail: {experiment}: {} ({}; {})",
            row.quantity,
            judged_by(row.against),
            row.failed_by()
        );
    }
    for (experiment, row) in rows().filter(|(_, row)| !row.is_as_stated()) {
        let stated = row.stated.as_deref().unwrap_or("nothing");
        let _ = writeln!(
            text,
            "not as stated: {experiment}: {} fails with {}, its fixture says `fails_with = {stated:?}`",
            row.quantity,
            row.failed_by()
        );
    }
    let (all, able) = (rows().count(), rows().filter(|(_, row)| row.can_fail()).count());
    let _ = writeln!(text, "{able} of {all} judged rows can fail");
    text
}
