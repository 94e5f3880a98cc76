//! The laws by name: what settings they have, and what they answer.

mod build;
mod sampled;
mod settings;

use anyhow::{Result, bail};
use clap::ValueEnum;
use percussion_complementarity::lcp::enumerate;
use percussion_impact::{
    AnitescuPotra, Law, Outcome, Problem, Propagative, Sequential, SetValuedRouth,
    certificate::Claims, outcome::Status, propagative::Branch,
};

pub(crate) use sampled::{ContactPlane, Guarantee, Sampled};
pub(crate) use settings::{Setting, Settings};

use percussion_scenarios::impacts::compliant;

use crate::{arguments::LawName, input::Subject};

/// A law with its settings, ready for any problem.
#[derive(Debug)]
pub(crate) enum Chosen {
    /// One outcome.
    One(Box<dyn Law>),
    /// All solutions of the complementarity problem of the simultaneous impact.
    Solutions(AnitescuPotra, enumerate::Settings),
    /// The outcomes of all orders of the contacts.
    Orders(Sequential<Box<dyn Law>>),
    /// The outcomes of all minimal sequences of reflections.
    Reflections(Propagative),
    /// The impact in time, with contacts that give way.
    Compliant(compliant::Settings),
    /// The set of outcomes at arbitrary relative rates, of which so many velocities are kept, and the
    /// probability that what its size proves is wrong.
    Set(SetValuedRouth, (usize, f64)),
}

/// What a law answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// One outcome.
    One(Outcome),
    /// Several outcomes, each of them one of the law.
    Several(Several),
    /// A set of outcomes, known by samples.
    Set(Box<Sampled>),
}

/// Several outcomes, each velocity once.
#[derive(Debug)]
pub(crate) struct Several {
    pub(crate) outcomes: Vec<Outcome>,
    /// For each outcome, whether it stands alone or bounds a continuum of outcomes, where that is known.
    pub(crate) isolated: Option<Vec<bool>>,
    /// For each outcome, the sequences of contacts that lead to it, where these are known.
    pub(crate) sequences: Option<Vec<Sequences>>,
    /// Largest distance of two outcomes over the momentum before, in the kinetic metric.
    pub(crate) indeterminacy: Option<f64>,
    /// Whether no outcome can be missing.
    pub(crate) complete: bool,
}

/// Sequences of contacts, of which the first are listed.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Sequences {
    #[serde(rename = "sequences")]
    pub(crate) listed: Vec<Vec<usize>>,
    #[serde(rename = "sequence_count")]
    pub(crate) count: u64,
}

impl Several {
    const fn new(outcomes: Vec<Outcome>, complete: bool) -> Self {
        Self { outcomes, isolated: None, sequences: None, indeterminacy: None, complete }
    }
}

impl Chosen {
    /// The law called `name` with the settings given; the subject may have defaults of its own.
    ///
    /// # Errors
    ///
    /// Names the setting that the law does not have, or its value and what was expected.
    pub(crate) fn new(
        name: LawName,
        given: Vec<(String, String)>,
        subject: Option<&Subject>,
    ) -> Result<Self> {
        let mut settings = Settings::new(given)?;
        let chosen = build::law(name, &mut settings, subject)?;
        settings.finish(&name.to_string())?;
        Ok(chosen)
    }

    /// The law, if it has one answer to each impact; of a set that is its first sample.
    pub(crate) fn into_law(self) -> Option<Box<dyn Law>> {
        match self {
            Self::One(law) => Some(law),
            Self::Set(law, _) => Some(Box::new(law)),
            Self::Solutions(..) | Self::Orders(_) | Self::Reflections(_) | Self::Compliant(_) => {
                None
            }
        }
    }

    /// Returns the claims by which outcomes of the law are judged.
    pub(crate) fn claims(&self, problem: &Problem) -> Claims {
        match self {
            Self::One(law) => law.claims(problem),
            Self::Solutions(law, settings) => law.claims(problem).within(settings.tolerance),
            Self::Orders(law) => law.claims(problem),
            Self::Reflections(law) => law.claims(problem),
            Self::Compliant(settings) => settings.claims(),
            Self::Set(law, _) => law.claims(problem),
        }
    }

    /// What the law answers to the problem of `subject`; `progress` hears of the share that is done.
    ///
    /// # Errors
    ///
    /// When the law does not apply, or a setting is out of its range.
    pub(crate) fn answer(&self, subject: &Subject, progress: &dyn Fn(f64)) -> Result<Answer> {
        let problem = &subject.problem;
        Ok(match self {
            Self::One(law) => Answer::One(law.resolve(problem)?),
            Self::Solutions(law, settings) => {
                let all = law.all(problem, settings)?;
                let (isolated, complete) = (Some(all.isolated), all.complete);
                let outcomes = all.outcomes;
                Answer::Several(Several { isolated, ..Several::new(outcomes, complete) })
            }
            Self::Orders(law) => {
                let outcomes = law.all(problem)?;
                Answer::Several(Several::new(outcomes, true))
            }
            Self::Reflections(law) => {
                let all = law.outcomes(problem)?;
                let complete = all.status == Status::Resolved;
                let branches = all.branches.into_iter().map(|branch| {
                    let Branch { outcome, sequences: listed, sequence_count: count } = branch;
                    (outcome, Sequences { listed, count })
                });
                let (outcomes, sequences) = branches.unzip();
                Answer::Several(Several {
                    sequences: Some(sequences),
                    indeterminacy: Some(all.indeterminacy),
                    ..Several::new(outcomes, complete)
                })
            }
            Self::Compliant(settings) => {
                let Some(geometry) = &subject.geometry else {
                    bail!(
                        "the problem is given by matrices, expected an impact with geometry: a TOML \
                         file or one that is built in"
                    );
                };
                Answer::One(geometry.compliant(settings, &mut |_| ())?.outcome)
            }
            Self::Set(law, how) => {
                Answer::Set(Box::new(Sampled::new(law, *how, problem, progress)?))
            }
        })
    }
}

/// The settings that the law called `name` has, with their defaults.
pub(crate) fn settings_of(name: LawName) -> Vec<Setting> {
    let mut settings = Settings::default();
    // Nothing is given, so there is nothing to refuse.
    let built = build::law(name, &mut settings, None);
    debug_assert!(built.is_ok(), "{built:?}");
    settings.finish(&name.to_string()).unwrap_or_default()
}

impl std::fmt::Display for LawName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value();
        formatter.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}
