//! The laws by name as the command line has them: those of impact, and contacts that give way.

mod compliant;

use std::{fmt, sync::LazyLock};

use anyhow::{Result, anyhow, bail};
use clap::{ValueEnum, builder::PossibleValue};
use percussion_impact::{
    Law, Problem,
    certificate::Claims,
    laws::{Answer, Choice, Error, Name, Setting, Settings},
};
use percussion_mechanism::impacts::compliant::Settings as Compliant;

use crate::{input::Subject, likeness::did_you_mean};

/// A law of impact, or the measure of them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LawName {
    Impact(Name),
    /// No law: contacts that give way, integrated until they part; needs geometry.
    Compliant,
}

/// All of them, in the order of lists.
static ALL: LazyLock<Vec<LawName>> = LazyLock::new(|| {
    Name::ALL.into_iter().map(LawName::Impact).chain([LawName::Compliant]).collect()
});

impl LawName {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Impact(name) => name.as_str(),
            Self::Compliant => "compliant",
        }
    }

    /// A short description, as lists show it.
    pub(crate) const fn summary(self) -> &'static str {
        match self {
            Self::Impact(name) => name.summary(),
            Self::Compliant => {
                "No law but its measure: contacts that give way, integrated until they part; needs geometry"
            }
        }
    }

    /// The settings that it has, with their defaults.
    pub(crate) fn settings(self) -> Vec<Setting> {
        match self {
            Self::Impact(name) => name.settings(),
            Self::Compliant => Settings::known(|settings| compliant::settings(settings, None)),
        }
    }
}

impl fmt::Display for LawName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl ValueEnum for LawName {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.as_str()).help(self.summary()))
    }
}

/// A law with its settings, ready for any problem.
#[derive(Debug)]
pub(crate) enum Chosen {
    Impact(Choice),
    /// The impact in time, with contacts that give way.
    Compliant(Compliant),
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
        let chosen = match name {
            LawName::Impact(name) => {
                let sampling = subject.and_then(|subject| subject.sampling.as_ref());
                Choice::new(name, given, sampling).map(Self::Impact)
            }
            LawName::Compliant => {
                let build = |settings: &mut Settings| compliant::settings(settings, subject);
                let built = Settings::build(name.as_str(), given, build);
                built.map(|(settings, _)| Self::Compliant(settings))
            }
        };
        chosen.map_err(|error| match &error {
            Error::Unknown { key, known, .. } => {
                let hint = did_you_mean(key, known.iter().map(String::as_str));
                anyhow!("{error}{hint}")
            }
            _ => error.into(),
        })
    }

    /// The law, if it has one answer to each impact; of a set that is its first sample.
    pub(crate) fn into_law(self) -> Option<Box<dyn Law>> {
        match self {
            Self::Impact(choice) => choice.into_law(),
            Self::Compliant(_) => None,
        }
    }

    /// Whether the answer is a set that is known by samples.
    pub(crate) const fn is_set(&self) -> bool {
        matches!(self, Self::Impact(Choice::Set(..)))
    }

    /// Returns the claims by which outcomes of the law are judged.
    pub(crate) fn claims(&self, problem: &Problem) -> Claims {
        match self {
            Self::Impact(choice) => choice.claims(problem),
            Self::Compliant(settings) => settings.claims(),
        }
    }

    /// What the law answers to the problem of `subject`; `progress` hears of the share that is done.
    ///
    /// # Errors
    ///
    /// When the law does not apply, or a setting is out of its range.
    pub(crate) fn answer(&self, subject: &Subject, progress: &dyn Fn(f64)) -> Result<Answer> {
        match self {
            Self::Impact(choice) => Ok(choice.answer(&subject.problem, progress)?),
            Self::Compliant(settings) => {
                let Some(geometry) = &subject.geometry else {
                    bail!(
                        "the problem is given by matrices, expected an impact with geometry: a TOML \
                         file or one that is built in"
                    );
                };
                Ok(Answer::One(geometry.compliant(settings, &mut |_| ())?.outcome))
            }
        }
    }
}
