//! The results of an experiment for the report: measured values with published ones.

use serde::{Deserialize, Serialize};

use crate::{Figure, view::View};

/// The reference against which a [`Row`] is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The value in the paper.
    Published,
    /// The independently checked value, or a bound.
    Checked,
    /// The value that theory gives for all parameters, such as no residual, no penetration or no gain of energy; it
    /// is stored as the checked one. Only an error of the computation can make such a row fail, no choice of input
    /// can.
    Invariant,
    /// No reference: shown for comparison only.
    Nothing,
}

/// The known cause of the difference between a measured value and a published one that does not judge it.
///
/// # Example
///
/// ```
/// use percussion_record::Difference;
///
/// let shown = Difference::ShownBy(vec!["largest cost".into()]);
/// assert_eq!(serde_json::to_string(&shown)?, r#"{"shown-by":["largest cost"]}"#);
/// assert_eq!(serde_json::to_string(&Difference::Open)?, r#""open""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// There is none: the measured value rounds to the published one. It judges nothing, because no realistic change
    /// of the inputs would change it.
    Agrees,
    /// The value is an input of the run, or follows from its inputs alone, and was chosen differently.
    Input,
    /// Its cause is derived: the judged rows of the same experiment with these quantities show it.
    ShownBy(Vec<String>),
    /// Its cause is not known; the remark of the row says what was excluded.
    Open,
}

/// One measured value with its references.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Experiment, such as `stewart-trinkle/four-balls`.
    pub experiment: String,
    /// Name of the measured quantity.
    pub quantity: String,
    /// Its unit, empty when dimensionless.
    pub unit: String,
    /// The value in the paper, if it states one.
    pub published: Option<f64>,
    /// The independently checked value, or that of the invariant, if there is one.
    pub checked: Option<f64>,
    /// The measured value of this run.
    pub measured: f64,
    /// Maximum accepted `|measured − reference|`, in `unit`; `None` when shown for comparison only.
    pub tolerance: Option<f64>,
    /// The smallest change of the inputs that makes the row fail, such as `gravity +2 %`, where it is known.
    pub fails_with: Option<String>,
    /// Which reference `tolerance` refers to.
    pub against: Against,
    /// The known cause of the difference from a published value that does not judge the row. Absent if the published
    /// value judges the row, and if there is no published value.
    pub difference: Option<Difference>,
    /// Whether `measured` is within `tolerance` of that reference (true without a reference).
    pub accepted: bool,
}

impl Row {
    /// The value against which the row is judged, in `unit`; `None` when it is shown for comparison only.
    #[must_use]
    pub const fn reference(&self) -> Option<f64> {
        match self.against {
            Against::Published => self.published,
            Against::Checked | Against::Invariant => self.checked,
            Against::Nothing => None,
        }
    }

    /// Whether the measured value rounds to the published one in the digits of that; false if none is published.
    ///
    /// The digits are those of the shortest decimal number that is the same `f64`; zeros that a paper prints at the
    /// end are not among them.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_record::{Against, Row};
    ///
    /// let row = |measured| Row {
    ///     experiment: "demonstration/dice".into(),
    ///     quantity: "mean".into(),
    ///     unit: String::new(),
    ///     published: Some(3.5),
    ///     checked: None,
    ///     measured,
    ///     tolerance: None,
    ///     fails_with: None,
    ///     against: Against::Nothing,
    ///     difference: None,
    ///     accepted: true,
    /// };
    /// assert!(row(3.54).is_as_published() && !row(3.56).is_as_published());
    /// ```
    #[must_use]
    pub fn is_as_published(&self) -> bool {
        self.published.is_some_and(|published| {
            let text = published.to_string();
            let decimals = text.split_once('.').map_or(0, |(_, digits)| digits.len());
            (self.measured - published).abs() <= 0.5 * 0.1_f64.powf(decimals as f64)
        })
    }

    /// Whether another `measured` value (in `unit`) would be accepted in this row.
    ///
    /// NaN is never accepted, except by a row without a reference.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_record::{Against, Row};
    ///
    /// let row = Row {
    ///     experiment: "demonstration/free-fall".into(),
    ///     quantity: "first contact".into(),
    ///     unit: "s".into(),
    ///     published: None,
    ///     checked: Some(0.5),
    ///     measured: 0.5,
    ///     tolerance: Some(0.01),
    ///     fails_with: Some("gravity +2 %".into()),
    ///     against: Against::Checked,
    ///     difference: None,
    ///     accepted: true,
    /// };
    /// assert!(row.accepts(0.495) && !row.accepts(0.48) && !row.accepts(f64::NAN));
    /// ```
    #[must_use]
    pub fn accepts(&self, measured: f64) -> bool {
        match (self.against, self.reference(), self.tolerance) {
            (Against::Nothing, ..) => true,
            (_, Some(reference), Some(tolerance)) => (measured - reference).abs() <= tolerance,
            _ => false,
        }
    }
}

/// All results of one experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentOutcome {
    /// Experiment, such as `stewart-trinkle/four-balls`.
    pub id: String,
    /// Title for readers.
    pub title: String,
    /// A paragraph on the experiment and its publication.
    pub summary: String,
    /// Rows of measured values.
    pub rows: Vec<Row>,
    /// Figures to draw.
    pub figures: Vec<Figure>,
    /// Remarks, such as the reason why a measured value differs from the published one.
    pub notes: Vec<String>,
    /// The motions that a page plays, if the experiment is about one motion or impact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<Play>,
}

/// The part of an experiment that a page plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Play {
    /// The motions.
    pub view: View,
    /// Arguments with which the command line writes only this page, such as `run stewart-trinkle/four-balls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}
