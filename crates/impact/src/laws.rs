//! The laws by name: the list of laws, their settings, and their answers.
//!
//! Programs in which the user chooses a law, such as a command line, take a [`Name`] and settings as text; a
//! program that fixes the law at compile time uses its type. A new law is entered in `lib.rs` and then
//! appears in every list of laws.
//!
//! # Source
//!
//! See the module of each law.
//!
//! # Example
//!
//! A ball of 2 kg falls at 3 m/s with `e = 1/2`.
//!
//! ```
//! use nalgebra::{dmatrix, dvector};
//! use percussion_impact::{Contact, Mass, Problem, laws::{Answer, Choice, Name}};
//!
//! let ground = Contact::new(dvector![1.0]).with_restitution(0.5);
//! let problem = Problem::new(Mass::Matrix(dmatrix![2.0]), dvector![-3.0], vec![ground])?;
//! let name: Name = "newton".parse()?;
//! let law = Choice::new(name, vec![("lemke.tolerance".into(), "1e-10".into())], None)?;
//! let Answer::One(outcome) = law.answer(&problem, &|_| ())? else { unreachable!() };
//! assert!((outcome.velocity[0] - 1.5).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
pub mod differentiable;
pub mod sampled;
#[cfg(test)]
mod tests;

use std::{fmt, ops::ControlFlow, str::FromStr};

use percussion_complementarity::lcp::enumerate;

use crate::{
    Law, Outcome, Problem,
    anitescu_potra::AnitescuPotra,
    certificate::Claims,
    law,
    outcome::Status,
    propagative::{Branch, Propagative},
    sequential::Sequential,
    set_valued::{self, SetValuedRouth},
    settings::{Error, Setting, Settings},
};

use sampled::Sampled;

/// Defines [`Name`] from the list of all laws.
macro_rules! names {
    ($($variant:ident, $name:literal, $build:expr, $summary:literal;)*) => {
        /// The laws of this crate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
        #[non_exhaustive]
        pub enum Name {
            $(#[doc = concat!("`", stringify!($variant), "`: ", $summary, ".")] $variant,)*
        }

        impl Name {
            /// All laws, in the order of lists.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name in files and on the command line.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// A short description of the law, as lists show it.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$variant => $summary,)*
                }
            }
        }
    };
}

all_laws!(names);

impl Name {
    /// The settings that the law has, with their defaults.
    #[must_use]
    pub fn settings(self) -> Vec<Setting> {
        Settings::known(|settings| build::law(self, settings, None))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl FromStr for Name {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|name| name.as_str() == text);
        known.ok_or_else(|| Error::Name {
            name: text.to_owned(),
            known: Self::ALL.map(Self::as_str).to_vec(),
        })
    }
}

/// A law with its settings, ready for any problem.
#[derive(Debug)]
pub enum Choice {
    /// One outcome.
    One(Box<dyn Law>),
    /// All solutions of the complementarity problem of the simultaneous impact.
    Solutions(AnitescuPotra, enumerate::Settings),
    /// The outcomes for all orders of the contacts.
    Orders(Sequential<Box<dyn Law>>),
    /// The outcomes of all minimal sequences of reflections.
    Reflections(Propagative),
    /// The set of outcomes at arbitrary relative rates, with the number of velocities to keep, and the
    /// probability that a guarantee from the number of samples is wrong.
    Set(SetValuedRouth, (usize, f64)),
}

/// Answer of a law.
#[derive(Debug)]
pub enum Answer {
    /// One outcome.
    One(Outcome),
    /// Several outcomes, each of which is an outcome of the law.
    Several(Several),
    /// A set of outcomes, represented by samples.
    Set(Box<Sampled>),
}

/// Several outcomes, each velocity once.
#[derive(Debug)]
#[non_exhaustive]
pub struct Several {
    /// The outcomes.
    pub outcomes: Vec<Outcome>,
    /// For each outcome, whether it is isolated or bounds a continuum of outcomes, where that is known.
    pub isolated: Option<Vec<bool>>,
    /// For each outcome, the sequences of contacts that lead to it, where these are known.
    pub sequences: Option<Vec<Sequences>>,
    /// Largest distance between two outcomes relative to the momentum before, in the kinetic metric
    /// (dimensionless).
    pub indeterminacy: Option<f64>,
    /// Whether the list is complete.
    pub complete: bool,
}

/// Sequences of contacts, of which only the first are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Sequences {
    /// The first sequences, by indices of contacts.
    #[cfg_attr(feature = "serde", serde(rename = "sequences"))]
    pub listed: Vec<Vec<usize>>,
    /// Number of all sequences.
    #[cfg_attr(feature = "serde", serde(rename = "sequence_count"))]
    pub count: u64,
}

impl Several {
    const fn new(outcomes: Vec<Outcome>, complete: bool) -> Self {
        Self { outcomes, isolated: None, sequences: None, indeterminacy: None, complete }
    }
}

impl Choice {
    /// Builds the law called `name` with the settings `given` as pairs of key and text. `sampling` has the
    /// defaults from a file for the step, the steps and the samples of a [set](SetValuedRouth).
    ///
    /// # Errors
    ///
    /// Names the setting that the law does not have, or the key, the value and what was expected.
    pub fn new(
        name: Name,
        given: Vec<(String, String)>,
        sampling: Option<&set_valued::Settings>,
    ) -> Result<Self, Error> {
        let build = |settings: &mut Settings| build::law(name, settings, sampling);
        Ok(Settings::build(name.as_str(), given, build)?.0)
    }

    /// Returns the law, if it has one answer to each impact; for a set, its first sample is the answer.
    #[must_use]
    pub fn into_law(self) -> Option<Box<dyn Law>> {
        match self {
            Self::One(law) => Some(law),
            Self::Set(law, _) => Some(Box::new(law)),
            Self::Solutions(..) | Self::Orders(_) | Self::Reflections(_) => None,
        }
    }

    /// Returns the claims by which outcomes of the law are judged.
    #[must_use]
    pub fn claims(&self, problem: &Problem) -> Claims {
        match self {
            Self::One(law) => law.claims(problem),
            Self::Solutions(law, settings) => law.claims(problem).within(settings.tolerance),
            Self::Orders(law) => law.claims(problem),
            Self::Reflections(law) => law.claims(problem),
            Self::Set(law, _) => law.claims(problem),
        }
    }

    /// Returns the answer of the law; `progress` is called with the completed fraction, in `[0, 1]`.
    ///
    /// # Errors
    ///
    /// When the law does not apply, or a setting is out of its range.
    pub fn answer(&self, problem: &Problem, progress: &dyn Fn(f64)) -> Result<Answer, law::Error> {
        self.answer_while(problem, &|share| {
            progress(share);
            ControlFlow::Continue(())
        })
    }

    /// Returns the answer of the law as [`answer`](Self::answer) does, as long as `watch` wants. If it breaks, a set has the
    /// samples drawn so far and the status `Limit`; other answers are not interrupted.
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub fn answer_while(
        &self,
        problem: &Problem,
        watch: &dyn Fn(f64) -> ControlFlow<()>,
    ) -> Result<Answer, law::Error> {
        Ok(match self {
            Self::One(law) => Answer::One(law.resolve(problem)?),
            Self::Solutions(law, settings) => {
                let all = law.all(problem, settings)?;
                let (isolated, complete) = (Some(all.isolated), all.complete);
                let outcomes = all.outcomes;
                Answer::Several(Several { isolated, ..Several::new(outcomes, complete) })
            }
            Self::Orders(law) => {
                let all = law.all(problem)?;
                Answer::Several(Several::new(all.outcomes, all.status == Status::Resolved))
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
            Self::Set(law, how) => Answer::Set(Box::new(Sampled::new(law, *how, problem, watch)?)),
        })
    }
}
