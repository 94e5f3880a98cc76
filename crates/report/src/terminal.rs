//! The report as text.

use percussion_record::{Against, Difference, ExperimentOutcome, Row};

use crate::{
    Results, Table,
    number::{short, short_or_dash},
};

/// One experiment: its title, its table and its remarks.
///
/// Each row shows the published value, the independently checked one, the measured one, and the maximum accepted
/// distance from the value marked with `*`. Then follows `ok`, `FAILED`, or nothing for a row that is shown for
/// comparison only. Rows that are judged as invariants end with `invariant`, and rows with a published value that does not
/// judge them with what is known of the difference.
#[must_use]
pub fn outcome(outcome: &ExperimentOutcome) -> String {
    let mut text = format!("{} ({})\n\n", outcome.title, outcome.id);
    let header = ["quantity", "unit", "published", "checked", "measured", "tolerance", ""];
    let mut table = Table::new("<<>>>><", header);
    for row in &outcome.rows {
        table.push([
            row.quantity.clone(),
            row.unit.clone(),
            reference(row.published, row.against == Against::Published),
            reference(row.checked, matches!(row.against, Against::Checked | Against::Invariant)),
            short(row.measured),
            row.tolerance
                .map_or_else(|| "–".to_owned(), |tolerance| format!("±{}", short(tolerance))),
            verdict(row),
        ]);
    }
    text += &indented(&table.to_string(), "  ");
    if !outcome.notes.is_empty() {
        text.push('\n');
    }
    for note in &outcome.notes {
        text += &indented(&wrapped(note, 94), "    ").replacen("    ", "  · ", 1);
    }
    text
}

/// The header of a reproduction: the number of judged rows by kind of reference.
#[must_use]
pub fn head(results: &Results) -> String {
    format!("{}\n\n", results.counts)
}

/// The end of a reproduction: the meaning of the mark, then `N passed, M failed` on a separate line.
#[must_use]
pub fn summary(results: &Results) -> String {
    format!(
        "* the reference that the tolerance applies to\n{} passed, {} failed\n",
        results.passed, results.failed
    )
}

/// The verdict of a row: `ok`, `FAILED`, or nothing when it was not judged; whether it is an invariant; and what is
/// known of the difference from a published value that does not judge it.
fn verdict(row: &Row) -> String {
    let verdict = match (row.against, row.accepted) {
        (Against::Nothing, _) => "",
        (Against::Invariant, true) => "ok, invariant",
        (Against::Invariant, false) => "FAILED, invariant",
        (_, true) => "ok",
        (_, false) => "FAILED",
    };
    let difference = match &row.difference {
        None => "",
        Some(Difference::Agrees) if row.is_as_published() => "as published",
        Some(Difference::Agrees) => "not as published",
        Some(Difference::Input) => "an input",
        Some(Difference::ShownBy(_)) => "difference shown",
        Some(Difference::Open) => "difference open",
    };
    let comma = if verdict.is_empty() || difference.is_empty() { "" } else { ", " };
    format!("{verdict}{comma}{difference}")
}

/// A reference value, marked if it is used for the verdict.
fn reference(value: Option<f64>, counts: bool) -> String {
    let mark = if counts && value.is_some() { "*" } else { " " };
    short_or_dash(value) + mark
}

/// `text` with line breaks between words so that no line is longer than `width`, except for longer words.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a last line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n") + "\n"
}

fn indented(text: &str, margin: &str) -> String {
    text.lines().map(|line| format!("{margin}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_marks_what_counts_and_what_failed() {
        let row = |quantity: &str, against, accepted| Row {
            experiment: "family/one".into(),
            quantity: quantity.into(),
            unit: "s".into(),
            published: Some(0.383),
            checked: None,
            measured: 0.38562,
            tolerance: Some(0.002),
            fails_with: None,
            difference: None,
            against,
            accepted,
        };
        let text = outcome(&ExperimentOutcome {
            id: "family/one".into(),
            title: "One".into(),
            summary: String::new(),
            rows: vec![
                row("first contact", Against::Published, true),
                row("second contact", Against::Published, false),
                Row { checked: Some(0.4), ..row("residual", Against::Invariant, true) },
                Row { tolerance: None, ..row("rest", Against::Nothing, true) },
                Row {
                    tolerance: None,
                    difference: Some(Difference::Open),
                    ..row("last contact", Against::Nothing, true)
                },
            ],
            figures: Vec::new(),
            notes: vec!["A remark.".into()],
            play: None,
        });
        insta::assert_snapshot!(text, @r"
        One (family/one)

          quantity        unit  published  checked  measured  tolerance
          ──────────────  ────  ─────────  ───────  ────────  ─────────  ───────────────
          first contact   s        0.383*       –    0.38562     ±0.002  ok
          second contact  s        0.383*       –    0.38562     ±0.002  FAILED
          residual        s        0.383      0.4*   0.38562     ±0.002  ok, invariant
          rest            s        0.383        –    0.38562          –
          last contact    s        0.383        –    0.38562          –  difference open

          · A remark.
        ");
    }

    #[test]
    fn long_remarks_are_broken_between_words() {
        assert_eq!(wrapped("one two  three", 7), "one two\nthree\n");
        assert_eq!(wrapped("", 7), "\n");
    }
}
