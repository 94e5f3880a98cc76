//! The verdict of a reproduction: every measured figure and how many were accepted.

use percussion_record::{Against, ExperimentOutcome, Row};
use serde::Serialize;

/// What `results.json` holds.
///
/// A row that is judged against nothing is listed, but counts neither as passed nor as failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The rows of all experiments, in their order.
    pub results: Vec<Row>,
    /// Number of judged rows that were accepted.
    pub passed: usize,
    /// Number of judged rows that were not.
    pub failed: usize,
}

impl Results {
    /// Gathers the rows of `outcomes`.
    #[must_use]
    pub fn new(outcomes: &[ExperimentOutcome]) -> Self {
        let results: Vec<Row> =
            outcomes.iter().flat_map(|outcome| outcome.rows.iter().cloned()).collect();
        let judged = || results.iter().filter(|row| row.against != Against::Nothing);
        let passed = judged().filter(|row| row.accepted).count();
        let failed = judged().count() - passed;
        Self { results, passed, failed }
    }

    /// The JSON document, indented, with a final newline; what is not finite becomes `null`.
    #[must_use]
    pub fn to_json(&self) -> String {
        json(self)
    }
}

/// `value` as an indented JSON document with a final newline.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Our own types have string keys only, which is all that serialisation can stumble over.
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
            against,
            accepted,
        }
    }

    #[test]
    fn rows_against_nothing_are_listed_but_not_counted() {
        let rows = vec![
            row(Against::Published, true),
            row(Against::Checked, false),
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
        assert_eq!((results.results.len(), results.passed, results.failed), (3, 1, 1));
    }

    #[test]
    fn the_document_has_the_documented_fields() {
        let results =
            Results { results: vec![row(Against::Published, true)], passed: 1, failed: 0 };
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
              "against": "published",
              "accepted": true
            }
          ],
          "passed": 1,
          "failed": 0
        }
        "#);
    }
}
