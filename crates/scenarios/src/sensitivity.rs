//! What the verdicts of an experiment depend on: [`Sensitivity`].
//!
//! A row that no wrong input can make fail is no evidence. An experiment is run again with its inputs changed by
//! [`perturbations`] of at most 10 %, steps four times as long, another scheme and tangents in another order, and for each
//! judged row the smallest one is kept that makes it fail. The fixture of the experiment states it as `fails_with`, and
//! [`Sensitive::is_as_stated`] compares the two.
//!
//! Rows [judged as invariants](Against::Invariant) hold whatever the inputs are. Of them it is kept which fault makes them
//! fail, and else whether their reading fails when it is off by [`DISTURBANCE`] to either side. The latter proves that the row is judged
//! sharply; that a wrong motion leads to a wrong reading is what the tests of the libraries show, which disturb impulses and
//! states, not this.
//!
//! # Limits
//!
//! - Perturbed experiments are run with less effort ([`Effort::Quick`]).
//! - An experiment that stops with an error under a perturbation says nothing about its rows: it is listed, and not counted.
//! - Solvers and laws that stand in the code of an experiment are not exchanged, and stored contact problems are not changed.

use percussion_record::{Against, Row};
use serde::Serialize;

pub use crate::perturbation::{Perturbation, perturbations};
use crate::{
    embedded::{DESIGNS, IMPACTS, design_text, impact_text},
    error::Error,
    experiments::{Effort, Experiment, Options, Progress, experiment, experiments},
};

/// How far the reading of an invariant is moved, in its unit, or in parts of it where it is larger than 1.
pub const DISTURBANCE: f64 = 1e-3;

/// What `fails_with` says of an invariant that fails where its reading is off by [`DISTURBANCE`], and with nothing before.
pub const OFF: &str = "reading off by 1e-3";

/// What makes the rows of one experiment fail.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Sensitivity {
    /// Experiment, such as `stewart-trinkle/four-balls`.
    pub experiment: &'static str,
    /// The judged rows.
    pub rows: Vec<Sensitive>,
    /// Perturbations with which the experiment stopped, and why.
    pub stopped: Vec<(&'static Perturbation, String)>,
}

/// What makes a judged row fail.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Sensitive {
    /// What is measured.
    pub quantity: String,
    /// What it is judged by.
    pub against: Against,
    /// The first of [`perturbations`] with which it fails, if there is one.
    pub perturbation: Option<&'static Perturbation>,
    /// Whether it fails where its reading is off by [`DISTURBANCE`] to either side.
    pub fails_when_disturbed: bool,
    /// What its fixture says makes it fail.
    pub stated: Option<String>,
}

impl Sensitive {
    /// Whether something makes the row fail that may: a perturbation of the problem, and for an invariant also a fault or
    /// a disturbed reading.
    #[must_use]
    pub fn can_fail(&self) -> bool {
        let problem = self.perturbation.is_some_and(|one| !one.is_fault());
        problem
            || self.against == Against::Invariant
                && (self.perturbation.is_some() || self.fails_when_disturbed)
    }

    /// What makes it fail, for people.
    #[must_use]
    pub fn failed_by(&self) -> &'static str {
        match (self.perturbation, self.fails_when_disturbed) {
            (Some(perturbation), _) => perturbation.what(),
            (None, true) if self.against == Against::Invariant => OFF,
            _ => "nothing",
        }
    }

    /// Whether the fixture says of this row what was found.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        self.stated.as_deref() == Some(self.failed_by())
    }
}

impl Experiment {
    /// What makes the judged rows of this experiment fail; `options.effort` is taken as [`Effort::Quick`].
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), of the experiment as it is. Errors of perturbed runs are part of the answer.
    ///
    /// # Example
    ///
    /// Whatever is checked of three contacts that slide depends on a speed, a mass or the friction.
    ///
    /// ```
    /// use percussion_scenarios::{Options, experiment};
    ///
    /// let tabletop = experiment("plus/tabletop")?;
    /// let sensitivity = tabletop.sensitivity(&Options::default(), &mut |_fraction, _what| ())?;
    /// assert!(sensitivity.rows.iter().all(|row| row.can_fail()));
    /// # Ok::<(), percussion_scenarios::Error>(())
    /// ```
    pub fn sensitivity(
        &self,
        options: &Options,
        progress: &mut Progress<'_>,
    ) -> Result<Sensitivity, Error> {
        let options = Options { effort: Effort::Quick, ..*options };
        let mut applicable = Vec::new();
        for perturbation in perturbations() {
            if self.is_changed_by(perturbation)? {
                applicable.push(perturbation);
            }
        }
        let share = 1.0 / (1 + applicable.len()) as f64;
        let rows = self.run(&options, &mut |fraction, what| progress(share * fraction, what))?.rows;
        let judged = rows.iter().filter(|row| row.against != Against::Nothing);
        let sensitive = |row: &Row| Sensitive {
            quantity: row.quantity.clone(),
            against: row.against,
            perturbation: None,
            fails_when_disturbed: fails_when_disturbed(row),
            stated: row.fails_with.clone(),
        };
        let mut found: Vec<_> = judged.map(sensitive).collect();
        let mut stopped = Vec::new();
        for (index, &perturbation) in applicable.iter().enumerate() {
            let done = share * (index + 1) as f64;
            progress(done, perturbation.what());
            match self.run_perturbed(perturbation, &options) {
                Ok(rows) => note_failures(&mut found, &rows, perturbation),
                Err(error) => stopped.push((perturbation, error.to_string())),
            }
        }
        progress(1.0, self.title);
        Ok(Sensitivity { experiment: self.id, rows: found, stopped })
    }

    /// Whether a file that this experiment reads has a field that `perturbation` changes.
    fn is_changed_by(&self, perturbation: &Perturbation) -> Result<bool, Error> {
        let names = IMPACTS.iter().chain(&DESIGNS).copied();
        let names = names.chain(experiments().iter().map(|known| known.id));
        // Its own name is in none of its strings.
        let read = names.filter(|name| self.text.contains(name) && *name != self.id);
        let texts = read.map(|name| Ok::<_, Error>((name, text(name)?)));
        for text in std::iter::once(Ok((self.id, self.text))).chain(texts) {
            let (name, text) = text?;
            if perturbation.apply(name, text)? != text {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The text of the embedded impact, design or fixture of an experiment called `name`.
fn text(name: &str) -> Result<&'static str, Error> {
    let of_experiment = |_| Ok(experiment(name)?.text);
    impact_text(name).or_else(|_| design_text(name)).or_else(of_experiment)
}

/// Whether the row fails with a reading that is too large, and with one that is too small.
fn fails_when_disturbed(row: &Row) -> bool {
    let disturbance = DISTURBANCE * row.measured.abs().max(1.0);
    [disturbance, -disturbance].iter().all(|off| !row.accepts(row.measured + off))
}

/// Keeps `perturbation` for the rows that fail with it and with none before.
fn note_failures(found: &mut [Sensitive], rows: &[Row], perturbation: &'static Perturbation) {
    for one in found.iter_mut().filter(|one| one.perturbation.is_none()) {
        let row = rows.iter().find(|row| row.quantity == one.quantity);
        if row.is_some_and(|row| !row.accepted) {
            one.perturbation = Some(perturbation);
        }
    }
}
