//! Sensitivity of the verdicts of an experiment to its inputs: [`Sensitivity`].
//!
//! A row that no wrong input can make fail is no evidence. Therefore an experiment is run again with its
//! inputs changed by [`perturbations`] of at most 10 %, steps four times as long, another scheme, tangents
//! in another order and half or a tenth of the friction. For each judged row the smallest change that makes it fail is recorded. The fixture
//! of the experiment states it as `fails_with`; [`Sensitive::is_as_stated`] compares the two.
//!
//! Rows [judged as invariants](Against::Invariant) hold for all inputs. For them a fault is injected into what the
//! experiment computes, before any row is measured: velocities, impulses or positions are off by [`DISTURBANCE`], a solver
//! stops early, samples are cut, a contact is left out. The first fault that makes a row fail is recorded; a row
//! that none makes fail is no evidence.
//!
//! # Limits
//!
//! - Perturbed experiments are run with less effort ([`Effort::Quick`]).
//! - An experiment that stops with an error under a perturbation gives no information about its rows; the perturbation is listed, but not counted.
//! - Faults are tried only as long as an invariant has not failed.
//! - Solvers and laws that are fixed in the code of an experiment are not exchanged, and stored contact problems are not changed.

use percussion_mechanism::Expected;
use percussion_record::{Against, Row};
use serde::Serialize;

use crate::{
    embedded::{DESIGNS, IMPACTS, design_text, impact_text},
    error::Error,
    experiments::{Effort, Experiment, Options, Progress, experiment, experiments},
};
pub use crate::{
    fault::DISTURBANCE,
    perturbation::{Perturbation, perturbations},
};

/// The changes that make the rows of one experiment fail.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Sensitivity {
    /// Identifier of the experiment, such as `stewart-trinkle/four-balls`.
    pub experiment: &'static str,
    /// The judged rows.
    pub rows: Vec<Sensitive>,
    /// Perturbations with which the experiment stopped with an error, and the text of the error.
    pub stopped: Vec<(&'static Perturbation, String)>,
}

/// The change that makes a judged row fail.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Sensitive {
    /// The measured quantity.
    pub quantity: String,
    /// The kind of reference by which it is judged.
    pub against: Against,
    /// The first of [`perturbations`] with which the row fails, if there is one.
    pub perturbation: Option<&'static Perturbation>,
    /// What its fixture says makes it fail.
    pub stated: Option<String>,
}

impl Sensitive {
    /// Whether the row is evidence: it fails under a perturbation of the problem or, if it is an invariant, under a
    /// fault.
    #[must_use]
    pub fn can_fail(&self) -> bool {
        let is_evidence =
            |one: &Perturbation| !one.is_fault() || self.against == Against::Invariant;
        self.perturbation.is_some_and(is_evidence)
    }

    /// Text that names the change that makes the row fail.
    #[must_use]
    pub fn failed_by(&self) -> &'static str {
        self.perturbation.map_or("nothing", Perturbation::what)
    }

    /// Whether the fixture says of this row what was found.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        self.stated.as_deref() == Some(self.failed_by())
    }
}

impl Experiment {
    /// Finds the changes that make the judged rows of this experiment fail; `options.effort` is replaced by [`Effort::Quick`].
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), for the unchanged experiment. Errors of perturbed runs are part of the result.
    ///
    /// # Example
    ///
    /// Every checked figure of three sliding contacts depends on a speed, a mass or the friction.
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
            stated: row.fails_with.clone(),
        };
        let mut found: Vec<_> = judged.map(sensitive).collect();
        let mut stopped = Vec::new();
        for (index, &perturbation) in applicable.iter().enumerate() {
            let done = share * (index + 1) as f64;
            progress(done, perturbation.what());
            // Faults are for invariants; once all of them have failed, no other is needed.
            let open =
                |row: &&Sensitive| row.perturbation.is_none() && row.against == Against::Invariant;
            if perturbation.is_fault() && !found.iter().any(|row| open(&row)) {
                continue;
            }
            match self.run_perturbed(perturbation, &options) {
                Ok(rows) => note_failures(&mut found, &rows, perturbation),
                Err(error) => stopped.push((perturbation, error.to_string())),
            }
        }
        progress(1.0, self.title);
        Ok(Sensitivity { experiment: self.id, rows: found, stopped })
    }

    /// Returns the quantities of the rows judged `against` one kind of reference that do not fail with the change or the
    /// fault that their fixture states; empty if all of them do. Each change is run once, at [`Effort::Quick`].
    ///
    /// It takes a fraction of the time of [`sensitivity`](Self::sensitivity), which also looks for smaller changes.
    ///
    /// # Errors
    ///
    /// [`Error::Mechanism`] if the fixture cannot be read, never for an embedded one. A run that stops with an error
    /// leaves its rows among those that do not fail.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_record::Against;
    /// use percussion_scenarios::{Options, experiment};
    ///
    /// let ball = experiment("event-driven/bouncing-ball")?;
    /// let standing = ball.rows_that_stand(Against::Invariant, &Options::default())?;
    /// assert!(standing.is_empty(), "{standing:?}");
    /// # Ok::<(), percussion_scenarios::Error>(())
    /// ```
    pub fn rows_that_stand(
        &self,
        against: Against,
        options: &Options,
    ) -> Result<Vec<String>, Error> {
        let options = Options { effort: Effort::Quick, ..*options };
        let mut standing = self.expected()?;
        standing.retain(|row| row.against == against);
        for perturbation in perturbations() {
            let is_stated = |row: &Expected| row.fails_with.as_deref() == Some(perturbation.what());
            if !standing.iter().any(is_stated) {
                continue;
            }
            let Ok(rows) = self.run_perturbed(perturbation, &options) else { continue };
            let fails = |row: &Expected| {
                rows.iter().any(|one| one.quantity == row.quantity && !one.accepted)
            };
            standing.retain(|row| !(is_stated(row) && fails(row)));
        }
        Ok(standing.into_iter().map(|row| row.quantity).collect())
    }

    /// Whether a file that this experiment reads has a field that `perturbation` changes.
    fn is_changed_by(&self, perturbation: &Perturbation) -> Result<bool, Error> {
        if perturbation.outcomes().is_some() {
            return Ok(true);
        }
        let names = IMPACTS.iter().chain(&DESIGNS).copied();
        let names = names.chain(experiments().iter().map(|known| known.id));
        // An experiment does not contain its own name in its texts.
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

/// Records `perturbation` for the rows that fail with it and with none before it.
fn note_failures(found: &mut [Sensitive], rows: &[Row], perturbation: &'static Perturbation) {
    for one in found.iter_mut().filter(|one| one.perturbation.is_none()) {
        let row = rows.iter().find(|row| row.quantity == one.quantity);
        if row.is_some_and(|row| !row.accepted) {
            one.perturbation = Some(perturbation);
        }
    }
}
