//! The verdict of a reproduction: every measured value and the number of accepted ones.

use std::fmt::{self, Display, Formatter};

use percussion_record::{Against, Difference, ExperimentOutcome, Row};
use serde::Serialize;

/// The content of `results.json`.
///
/// A row without a reference is listed, but counts neither as passed nor as failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Results {
    /// The rows of all experiments, in their order.
    pub results: Vec<Row>,
    /// Number of judged rows that were accepted.
    pub passed: usize,
    /// Number of judged rows that were not accepted.
    pub failed: usize,
    /// Numbers of rows by kind of reference.
    pub counts: Counts,
}

/// Numbers of rows by kind of reference, which together are all rows, and of those with an unexplained difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Rows that are judged against a published value.
    pub published: usize,
    /// Rows that are judged against an independent check.
    pub checked: usize,
    /// Rows that are judged against an invariant, such as a residual of zero.
    pub invariant: usize,
    /// Rows without a verdict.
    pub open: usize,
    /// Rows, of any of these kinds, whose published value differs for a reason that is not known.
    pub unexplained: usize,
}

impl Counts {
    /// Counts `rows`.
    #[must_use]
    pub fn new(rows: &[Row]) -> Self {
        let mut counts = Self::default();
        for row in rows {
            match row.against {
                Against::Published => counts.published += 1,
                Against::Checked => counts.checked += 1,
                Against::Invariant => counts.invariant += 1,
                Against::Nothing => counts.open += 1,
            }
            counts.unexplained += usize::from(row.difference == Some(Difference::Open));
        }
        counts
    }
}

impl Display for Counts {
    /// For instance `37 rows judged by a published figure, 250 by a check, 110 as invariants, 121 open; the difference
    /// from a published figure is unexplained in 12`.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { published, checked, invariant, open, unexplained } = self;
        let rows = if *published == 1 { "row" } else { "rows" };
        write!(
            formatter,
            "{published} {rows} judged by a published figure, {checked} by a check, {invariant} as invariants, {open} open; \
             the difference from a published figure is unexplained in {unexplained}"
        )
    }
}

impl Results {
    /// Collects the rows of `outcomes`.
    #[must_use]
    pub fn new(outcomes: &[ExperimentOutcome]) -> Self {
        let results: Vec<Row> =
            outcomes.iter().flat_map(|outcome| outcome.rows.iter().cloned()).collect();
        let judged = || results.iter().filter(|row| row.against != Against::Nothing);
        let passed = judged().filter(|row| row.accepted).count();
        let failed = judged().count() - passed;
        let counts = Counts::new(&results);
        Self { results, passed, failed, counts }
    }

    /// The JSON document, indented, with a final newline; values that are not finite become `null`.
    #[must_use]
    pub fn to_json(&self) -> String {
        json(self)
    }
}

/// `value` as an indented JSON document with a final newline.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Serialization only fails for keys that are not strings, and our own types have none.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(against: Against, accepted: bool) -> Row {
        Row {
            experiment: "family/one".into(),
            quantity: "first contact".into(),
            unit: "s".into(),
            published: Some(0.383),
            checked: None,
            measured: 0.25,
            tolerance: Some(0.5),
            fails_with: Some("gravity +2 %".to_owned()),
            against,
            difference: (against == Against::Nothing).then_some(Difference::Open),
            accepted,
        }
    }

    #[test]
    fn rows_against_nothing_are_listed_but_not_counted() {
        let rows = vec![
            row(Against::Published, true),
            row(Against::Checked, false),
            row(Against::Invariant, true),
            row(Against::Nothing, true),
        ];
        let outcome = ExperimentOutcome {
            id: "family/one".into(),
            title: String::new(),
            summary: String::new(),
            rows,
            figures: Vec::new(),
            notes: Vec::new(),
            play: None,
        };
        let results = Results::new(&[outcome]);
        assert_eq!((results.results.len(), results.passed, results.failed), (4, 2, 1));
        let each = Counts { published: 1, checked: 1, invariant: 1, open: 1, unexplained: 1 };
        assert_eq!(results.counts, each);
        assert_eq!(
            each.to_string(),
            "1 row judged by a published figure, 1 by a check, 1 as invariants, 1 open; \
             the difference from a published figure is unexplained in 1"
        );
    }

    #[test]
    fn the_document_has_the_documented_fields() {
        let results = Results {
            results: vec![row(Against::Published, true)],
            passed: 1,
            failed: 0,
            counts: Counts { published: 1, ..Counts::default() },
        };
        insta::assert_snapshot!(results.to_json(), @r#"
        {
          "results": [
            {
              "experiment": "family/one",
              "quantity": "first contact",
              "unit": "s",
              "published": 0.383,
              "checked": null,
              "measured": 0.25,
              "tolerance": 0.5,
              "fails_with": "gravity +2 %",
              "against": "published",
              "difference": null,
              "accepted": true
            }
          ],
          "passed": 1,
          "failed": 0,
          "counts": {
            "published": 1,
            "checked": 0,
            "invariant": 0,
            "open": 0,
            "unexplained": 0
          }
        }
        "#);
    }
}
