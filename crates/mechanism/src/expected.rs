//! Reference figures in a file, with which measurements are compared.

use std::collections::BTreeSet;

use percussion_record::{Against, Difference, Row};
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    rules::{NOT_EMPTY, at_least_zero, finite, require},
};

/// A reference figure for a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The measured quantity.
    pub quantity: String,
    /// Its unit, empty if dimensionless.
    #[serde(default)]
    pub unit: String,
    /// The published figure.
    pub published: Option<f64>,
    /// The figure of an independent computation, or a value that holds for all parameters.
    pub checked: Option<f64>,
    /// Name of the computation that `checked` comes from, which the section `[experiment.checks]` of the file describes.
    pub check: Option<String>,
    /// Largest accepted difference from the reference named by `against`, in `unit`.
    pub tolerance: Option<f64>,
    /// The smallest change of the inputs that makes the row fail, such as `gravity +2 %`: what its verdict is evidence of.
    /// Absent where nothing is judged.
    pub fails_with: Option<String>,
    /// The reference by which the measurement is judged.
    pub against: Against,
    /// The known cause of the difference from a published figure that does not judge the measurement.
    pub difference: Option<Difference>,
    /// Reason for the tolerance, or meaning of the figure.
    pub note: Option<String>,
}

impl Expected {
    /// The row of a report that compares `measured` with this figure.
    ///
    /// A measurement that is not a number is never accepted, unless the row is for comparison only.
    #[must_use]
    pub fn row(&self, experiment: &str, measured: f64) -> Row {
        let mut row = Row {
            experiment: experiment.to_owned(),
            quantity: self.quantity.clone(),
            unit: self.unit.clone(),
            published: self.published,
            checked: self.checked,
            measured,
            tolerance: self.tolerance,
            fails_with: self.fails_with.clone(),
            against: self.against,
            difference: self.difference.clone(),
            accepted: false,
        };
        row.accepted = row.accepts(measured);
        row
    }

    /// Checks that all entries are complete and that no quantity has two.
    ///
    /// # Errors
    ///
    /// The first broken rule, with its place in the list `expected`.
    pub fn check_all(expected: &[Self]) -> Result<(), Error> {
        let mut used = BTreeSet::new();
        for (i, expected) in expected.iter().enumerate() {
            let path = format!("expected[{i}]");
            expected.check(&path)?;
            if !used.insert(&expected.quantity) {
                let path = format!("{path}.quantity");
                return Err(Error::DuplicateName { path, name: expected.quantity.clone() });
            }
        }
        Ok(())
    }

    fn check(&self, path: &str) -> Result<(), Error> {
        let quantity = &self.quantity;
        require(&format!("{path}.quantity"), quantity, NOT_EMPTY, !quantity.trim().is_empty())?;
        for (field, value) in [("published", self.published), ("checked", self.checked)] {
            finite(&format!("{path}.{field}"), value.as_slice())?;
        }
        if let Some(tolerance) = self.tolerance {
            let accepted = "a finite number of at least 0";
            at_least_zero(&format!("{path}.tolerance"), tolerance, accepted)?;
        }
        let complete = match self.against {
            Against::Published => self.published.is_some() && self.tolerance.is_some(),
            Against::Checked | Against::Invariant => {
                self.checked.is_some() && self.tolerance.is_some()
            }
            Against::Nothing => self.tolerance.is_none(),
        };
        let rule = "a reference that is given together with a tolerance, or nothing without one";
        require(&format!("{path}.against"), &self.against, rule, complete)?;
        let judged = self.against != Against::Nothing;
        let rule = "nothing for a row that is not judged";
        require(
            &format!("{path}.fails_with"),
            &self.fails_with,
            rule,
            judged || self.fails_with.is_none(),
        )
    }
}
