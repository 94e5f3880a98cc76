//! The output of `impact --json` and `compare --json`.

use std::path::PathBuf;

use anyhow::Result;
use percussion_impact::{
    Impulse, Outcome, Phase, Problem, Reduction, RestitutionUse, Status,
    certificate::{Certificate, Claims, Judged},
    laws::{Answer, Sequences, Several},
    outcome_set::Location,
};
use percussion_mechanism::view::Played;
use serde::Serialize;

use super::{derivative::Derivative, rounding::Sizes, set::Set};
use crate::arguments::Allowed;

/// The result of one law.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    pub(super) law: String,
    #[serde(flatten)]
    pub(super) content: Content,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) derivative: Option<Derivative>,
    /// Written files; a set has its own list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<PathBuf>,
    /// The data that a page plays.
    #[serde(skip)]
    pub(super) played: Played,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content {
    One(One),
    Several(List),
    Set(Box<Set>),
}

/// One outcome.
#[derive(Debug, Serialize)]
pub(super) struct One {
    pub(super) status: Status,
    /// Use of nonzero coefficients of restitution by the law.
    pub(super) restitution: RestitutionUse,
    /// The amount by which restitution was reduced, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reduction: Option<Reduction>,
    /// The proof for the status `infeasible`: a weight for each contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) infeasibility: Option<Vec<f64>>,
    /// Velocity after the impact (m/s, rad/s).
    pub(super) velocity: Vec<f64>,
    /// Impulses of the contacts (N·s).
    pub(super) impulses: Vec<Impulse>,
    /// Impulses of the joints (N·s, N·m·s).
    pub(super) bilateral_impulses: Vec<f64>,
    pub(super) certificate: Certificate,
    /// Figures of the certificate that violate the claims of the law, and the energy change if the energy has grown.
    pub(super) violations: Vec<&'static str>,
    pub(super) trace: Trace,
    #[serde(skip)]
    pub(super) judged: Vec<Judged>,
    /// Whether a contact with an impulse separates.
    #[serde(skip)]
    pub(super) separates: bool,
    #[serde(skip)]
    pub(super) sizes: Sizes,
}

#[derive(Debug, Serialize)]
pub(super) struct Trace {
    pub(super) stages: Vec<Stage>,
}

#[derive(Debug, Serialize)]
pub(super) struct Stage {
    pub(super) phase: Phase,
    /// Index of the contact; `None` if all take part.
    pub(super) contact: Option<usize>,
    /// Velocity at the end of the stage.
    pub(super) velocity: Vec<f64>,
}

/// Several outcomes of one law.
#[derive(Debug, Serialize)]
pub(super) struct List {
    pub(super) status: ListStatus,
    pub(super) velocities: Vec<Vec<f64>>,
    pub(super) statistics: ListStatistics,
    pub(super) outcomes: Vec<ListEntry>,
}

/// One of several outcomes.
#[derive(Debug, Serialize)]
pub(super) struct ListEntry {
    #[serde(flatten)]
    pub(super) outcome: One,
    /// Whether the outcome is isolated, and not an end of a continuum of outcomes, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) isolated: Option<bool>,
    /// Sequences of contacts that lead to it, if these are known.
    #[serde(flatten)]
    pub(super) sequences: Option<Sequences>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ListStatus {
    /// The list is complete, and each outcome satisfies the law.
    Resolved,
    /// An outcome may be missing, or one does not satisfy the law.
    Incomplete,
}

#[derive(Debug, Serialize)]
pub(super) struct ListStatistics {
    /// Outcomes with different velocities.
    pub(super) outcomes: usize,
    /// Number of outcomes with the status `resolved`.
    pub(super) resolved: usize,
    /// Whether no outcome can be missing.
    pub(super) complete: bool,
    /// `ξ`, the largest distance between two outcomes relative to the momentum before the impact, in the kinetic metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) indeterminacy: Option<f64>,
}

/// The results of several laws.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    /// A name with its unit for each entry of a velocity.
    pub(super) velocities: Vec<String>,
    /// A name for each contact.
    pub(super) contacts: Vec<String>,
    /// The velocity before the impact.
    pub(super) before: Vec<f64>,
    pub(super) laws: Vec<Entry>,
    /// Places of the outcomes relative to the set and to the compliant outcome, where there is one of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) places: Vec<Place>,
    /// All written files; a set also lists its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Entry {
    Answer(Box<Document>),
    Refused(Refused),
    Left(Left),
}

/// Place of one outcome of a law.
#[derive(Debug, Serialize)]
pub(super) struct Place {
    pub(super) law: String,
    /// Number of the outcome, for a law with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<usize>,
    /// Place relative to the set; null if no set of enough samples was compared.
    pub(super) set: Option<Location>,
    /// Distance from the compliant outcome in the kinetic metric, as a part of the velocity before the impact; null if there is
    /// none.
    pub(super) from_compliant: Option<f64>,
}

/// A law that does not apply.
#[derive(Debug, Serialize)]
pub(super) struct Refused {
    pub(super) law: String,
    pub(super) error: String,
    /// Whether a setting of the user is the reason.
    #[serde(skip)]
    pub(super) by_setting: bool,
}

/// A law that was not asked.
#[derive(Debug, Serialize)]
pub(super) struct Left {
    law: String,
    /// `time-limit`.
    status: &'static str,
}

impl Left {
    /// The law that the time limit left out.
    pub(super) const fn new(law: String) -> Self {
        Self { law, status: "time-limit" }
    }
}

impl Document {
    pub(super) fn new(
        law: String,
        problem: &Problem,
        claims: &Claims,
        answer: Answer,
    ) -> Result<Self> {
        let content = match answer {
            Answer::One(outcome) => Content::One(One::new(problem, claims, outcome)?),
            Answer::Several(several) => Content::Several(List::new(problem, claims, several)?),
            Answer::Set(sampled) => Content::Set(Box::new(Set::new(problem, claims, *sampled)?)),
        };
        Ok(Self { law, content, derivative: None, files: Vec::new(), played: Played::default() })
    }

    /// The list of written files.
    pub(super) const fn files_mut(&mut self) -> &mut Vec<PathBuf> {
        match &mut self.content {
            Content::Set(set) => &mut set.files,
            _ => &mut self.files,
        }
    }

    /// Written files, without those of a set.
    pub(super) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Whether the result is resolved, or has only statuses that are `allowed`.
    pub(super) fn is_resolved(&self, allowed: &[Allowed]) -> bool {
        let accepts = |status: Status| {
            status == Status::Resolved
                || (status == Status::EnergyGained && allowed.contains(&Allowed::EnergyGained))
        };
        match &self.content {
            Content::One(one) => accepts(one.status),
            Content::Several(list) => {
                let outcomes = &list.outcomes;
                list.statistics.complete
                    && !outcomes.is_empty()
                    && outcomes.iter().all(|entry| accepts(entry.outcome.status))
            }
            Content::Set(set) => set.is_resolved,
        }
    }
}

impl One {
    fn new(problem: &Problem, claims: &Claims, outcome: Outcome) -> Result<Self> {
        let judgement = Certificate::judge(problem, &outcome, claims)?;
        let sizes = Sizes::of(problem, &outcome);
        let stages = outcome.trace.stages.into_iter().map(|stage| Stage {
            phase: stage.phase,
            contact: stage.contact,
            velocity: stage.velocity.data.into(),
        });
        Ok(Self {
            status: outcome.trace.status,
            restitution: outcome.trace.restitution,
            reduction: outcome.trace.reduction,
            infeasibility: outcome.trace.infeasibility.map(|weights| weights.data.into()),
            velocity: outcome.velocity.data.into(),
            impulses: outcome.impulses,
            bilateral_impulses: outcome.bilateral_impulses.data.into(),
            certificate: judgement.certificate,
            violations: judgement.violations(),
            trace: Trace { stages: stages.collect() },
            separates: judgement.separates,
            judged: judgement.figures,
            sizes,
        })
    }
}

impl List {
    fn new(problem: &Problem, claims: &Claims, several: Several) -> Result<Self> {
        let Several { outcomes, isolated, sequences, indeterminacy, complete, .. } = several;
        let isolated = |index: usize| isolated.as_ref().and_then(|all| all.get(index).copied());
        let sequences = |index: usize| sequences.as_ref().and_then(|all| all.get(index).cloned());
        let outcomes = outcomes.into_iter().enumerate().map(|(index, outcome)| {
            let (isolated, sequences) = (isolated(index), sequences(index));
            Ok(ListEntry { outcome: One::new(problem, claims, outcome)?, isolated, sequences })
        });
        let outcomes = outcomes.collect::<Result<Vec<_>>>()?;
        let resolved = outcomes.iter().filter(|entry| entry.outcome.status == Status::Resolved);
        let statistics = ListStatistics {
            outcomes: outcomes.len(),
            resolved: resolved.count(),
            complete,
            indeterminacy,
        };
        let all = complete && statistics.resolved == statistics.outcomes && !outcomes.is_empty();
        Ok(Self {
            status: if all { ListStatus::Resolved } else { ListStatus::Incomplete },
            velocities: outcomes.iter().map(|entry| entry.outcome.velocity.clone()).collect(),
            statistics,
            outcomes,
        })
    }
}

impl Comparison {
    pub(super) fn answers(&self) -> impl Iterator<Item = &Document> {
        self.laws.iter().filter_map(|entry| match entry {
            Entry::Answer(document) => Some(&**document),
            _ => None,
        })
    }

    pub(super) fn refusals(&self) -> impl Iterator<Item = &Refused> {
        self.laws.iter().filter_map(|entry| match entry {
            Entry::Refused(refused) => Some(refused),
            _ => None,
        })
    }

    /// The laws for which there was no time.
    pub(super) fn left(&self) -> impl Iterator<Item = &str> {
        self.laws.iter().filter_map(|entry| match entry {
            Entry::Left(left) => Some(left.law.as_str()),
            _ => None,
        })
    }
}
