//! What an experiment hands to the report: measured figures beside published ones.

use serde::{Deserialize, Serialize};

use crate::{Figure, view::View};

/// Which reference a [`Row`] is judged against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The paper's figure.
    Published,
    /// The independently checked figure, or the bound it stands for.
    Checked,
    /// The figure that theory gives whatever the parameters are, such as no residual, no penetration or no gain of energy;
    /// it stands as the checked one. No input makes such a row fail, only an error of the computation does.
    Invariant,
    /// Nothing: shown for comparison only.
    Nothing,
}

/// One measured figure beside its references.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Experiment, such as `stewart-trinkle/four-balls`.
    pub experiment: String,
    /// What was measured.
    pub quantity: String,
    /// Its unit, empty when dimensionless.
    pub unit: String,
    /// The paper's figure, where it prints one.
    pub published: Option<f64>,
    /// The independent figure, or that of the invariant, where there is one.
    pub checked: Option<f64>,
    /// Ours, from this run.
    pub measured: f64,
    /// Largest accepted `|measured − reference|`, in `unit`; none when shown for comparison only.
    pub tolerance: Option<f64>,
    /// Which reference `tolerance` refers to.
    pub against: Against,
    /// Whether `measured` is within `tolerance` of that reference (true when against nothing).
    pub accepted: bool,
}

impl Row {
    /// The figure that the row is judged against, in `unit`; none where it is shown for comparison only.
    #[must_use]
    pub const fn reference(&self) -> Option<f64> {
        match self.against {
            Against::Published => self.published,
            Against::Checked | Against::Invariant => self.checked,
            Against::Nothing => None,
        }
    }

    /// Whether `measured` (in `unit`) in place of the measured figure would be accepted.
    ///
    /// What is not a number is never accepted, except by a row that is judged against nothing.
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
    ///     against: Against::Checked,
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

/// Everything one experiment found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentOutcome {
    /// Experiment, such as `stewart-trinkle/four-balls`.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// A paragraph: what happens and where it was published.
    pub summary: String,
    /// Measured figures.
    pub rows: Vec<Row>,
    /// Figures to draw.
    pub figures: Vec<Figure>,
    /// Remarks, such as why a measured figure differs from the published one.
    pub notes: Vec<String>,
    /// What a page plays, if it is about one motion or impact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<Play>,
}

/// What a page plays of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Play {
    /// The motions.
    pub view: View,
    /// Arguments with which the command line writes such a page alone, such as `run stewart-trinkle/four-balls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}
