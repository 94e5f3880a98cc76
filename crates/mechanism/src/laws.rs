//! The list from which programs choose: the laws of impact, and compliant contacts.
//!
//! [`percussion_impact::laws`] contains the laws, which accept any problem. Compliant contacts, which are
//! simulated in time until they separate, need the bodies; the list of both is therefore in this crate.
//!
//! # Source
//!
//! The sources are given in the module of each law, and in [`compliant`](crate::impacts::compliant).
//!
//! # Example
//!
//! A ball of 2 kg falls at 3 m/s with `e = 1/2` and leaves at 1.5 m/s, by a law and by a spring with a damper.
//!
//! ```
//! use percussion_impact::laws::Answer;
//! use percussion_mechanism::{impacts::ImpactScenario, laws::{Choice, Name}};
//!
//! let ball = ImpactScenario::from_toml_str(r#"
//!     name = "ball"
//!     title = "A ball falls on the ground"
//!     source = "first year mechanics"
//!     bodies = [{ name = "ball", mass = 2.0, inertia = 0.008, velocity = [0.0, -3.0, 0.0] }]
//!     planes = [{ name = "ground", point = [0.0, -0.1], normal = [0.0, 1.0] }]
//!
//!     [[contacts]]
//!     name = "ball"
//!     disc = { body = "ball", radius = 0.1 }
//!     on.plane = "ground"
//!     friction = 0.0
//!     restitution = 0.5
//! "#)?.build()?;
//! for (name, tolerance) in [("newton", 1e-12), ("compliant", 1e-3)] {
//!     let law = Choice::new(name.parse::<Name>()?, Vec::new(), Some(&ball))?;
//!     let Answer::One(outcome) = law.answer(&ball.problem, Some(&ball), &|_| ())? else { unreachable!() };
//!     assert!((outcome.velocity[1] - 1.5).abs() < tolerance, "{name}: {}", outcome.velocity[1]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compliant;

use std::{fmt, ops::ControlFlow, str::FromStr};

use percussion_impact::{
    Law, Problem,
    certificate::Claims,
    laws::{self, Answer},
    settings::{self, Setting, Settings},
};
use serde::{Deserialize, Serialize};

use crate::impacts::{
    Impact,
    compliant::{CompliantImpact, Settings as Compliant},
};

/// The name of the entry that is not a law of impact.
const COMPLIANT: &str = "compliant";

/// A law of impact, or the compliant reference; written by its name in texts and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Name {
    /// A law.
    Impact(laws::Name),
    /// Not a law: compliant contacts, integrated until they separate; needs geometry.
    Compliant,
}

impl Name {
    /// All of them, in the order of lists.
    pub const ALL: [Self; laws::Name::ALL.len() + 1] = {
        let mut all = [Self::Compliant; laws::Name::ALL.len() + 1];
        let mut index = 0;
        while index < laws::Name::ALL.len() {
            all[index] = Self::Impact(laws::Name::ALL[index]);
            index += 1;
        }
        all
    };

    /// The name in files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Impact(name) => name.as_str(),
            Self::Compliant => COMPLIANT,
        }
    }

    /// A short description, as lists show it.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Impact(name) => name.summary(),
            Self::Compliant => {
                "Not a law but a reference: compliant contacts, integrated until they separate; needs geometry"
            }
        }
    }

    /// Its settings, with their defaults.
    #[must_use]
    pub fn settings(self) -> Vec<Setting> {
        match self {
            Self::Impact(name) => name.settings(),
            Self::Compliant => Settings::known(|settings| compliant::settings(settings, None)),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl FromStr for Name {
    type Err = settings::Error;

    fn from_str(text: &str) -> Result<Self, settings::Error> {
        let known = Self::ALL.into_iter().find(|name| name.as_str() == text);
        known.ok_or_else(|| settings::Error::Name {
            name: text.to_owned(),
            known: Self::ALL.map(Self::as_str).to_vec(),
        })
    }
}

impl TryFrom<String> for Name {
    type Error = settings::Error;

    fn try_from(text: String) -> Result<Self, settings::Error> {
        text.parse()
    }
}

impl From<Name> for &'static str {
    fn from(name: Name) -> Self {
        name.as_str()
    }
}

/// Reason why there is no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The law does not apply, or a setting is out of its range.
    #[error(transparent)]
    Law(#[from] percussion_impact::Error),
    /// The contacts cannot be compliant, or their simulation did not end.
    #[error(transparent)]
    Compliant(#[from] crate::Error),
    /// Compliant contacts need bodies.
    #[error(
        "the problem is given by matrices, expected an impact with geometry: a TOML file or a built-in impact"
    )]
    NoGeometry,
}

/// A law with its settings, ready for any problem.
#[derive(Debug)]
pub enum Choice {
    /// A law of impact.
    Impact(laws::Choice),
    /// The simulation of the impact with compliant contacts.
    Compliant(Compliant),
}

impl Choice {
    /// The law called `name` with the settings `given` as pairs of key and text; an impact built from a file
    /// may have its own defaults.
    ///
    /// # Errors
    ///
    /// The error names the setting that the law does not have, or the value of the setting and the expected one.
    pub fn new(
        name: Name,
        given: Vec<(String, String)>,
        impact: Option<&Impact>,
    ) -> Result<Self, settings::Error> {
        match name {
            Name::Impact(name) => {
                laws::Choice::new(name, given, impact.map(|impact| &impact.set_valued))
                    .map(Self::Impact)
            }
            Name::Compliant => {
                let defaults = impact.map(|impact| &impact.compliant);
                let build = |settings: &mut Settings| compliant::settings(settings, defaults);
                let built = Settings::build(name.as_str(), given, build);
                built.map(|(settings, _)| Self::Compliant(settings))
            }
        }
    }

    /// The law, if it has one outcome for each impact; for a set, the first sample.
    #[must_use]
    pub fn into_law(self) -> Option<Box<dyn Law>> {
        match self {
            Self::Impact(choice) => choice.into_law(),
            Self::Compliant(_) => None,
        }
    }

    /// Whether the result is a sampled set.
    #[must_use]
    pub const fn is_set(&self) -> bool {
        matches!(self, Self::Impact(laws::Choice::Set(..)))
    }

    /// Returns the claims by which outcomes of the law are judged.
    #[must_use]
    pub fn claims(&self, problem: &Problem) -> Claims {
        match self {
            Self::Impact(choice) => choice.claims(problem),
            Self::Compliant(settings) => settings.claims(),
        }
    }

    /// Resolves `problem` by the law. If the problem was built from bodies, `impact` is the impact to which
    /// it belongs. `progress` receives the completed fraction, in `[0, 1]`.
    ///
    /// # Errors
    ///
    /// If the law does not apply, a setting is out of its range, or compliant contacts lack geometry.
    pub fn answer(
        &self,
        problem: &Problem,
        impact: Option<&Impact>,
        progress: &dyn Fn(f64),
    ) -> Result<Answer, Error> {
        self.answer_while(problem, impact, &|share| {
            progress(share);
            ControlFlow::Continue(())
        })
    }

    /// Resolves `problem` as [`answer`](Self::answer) does, as long as `watch` wants. If it breaks, a set has the samples drawn
    /// so far and the status `Limit`; other answers are not interrupted.
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub fn answer_while(
        &self,
        problem: &Problem,
        impact: Option<&Impact>,
        watch: &dyn Fn(f64) -> ControlFlow<()>,
    ) -> Result<Answer, Error> {
        match self {
            Self::Impact(choice) => Ok(choice.answer_while(problem, watch)?),
            Self::Compliant(settings) => {
                let impact = impact.ok_or(Error::NoGeometry)?;
                let reference = CompliantImpact::new(impact, settings)?.run(&mut |_| ())?;
                Ok(Answer::One(reference.outcome))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use percussion_impact::{Contact, Mass};

    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in Name::ALL {
            assert_eq!(name.as_str().parse::<Name>().unwrap(), name);
            let text = toml::Value::try_from(name).unwrap();
            assert_eq!(text.as_str(), Some(name.as_str()));
            assert_eq!(text.try_into::<Name>().unwrap(), name);
        }
        let refused = "springs".parse::<Name>().unwrap_err().to_string();
        assert!(refused.contains("newton") && refused.contains("compliant"), "{refused}");
    }

    #[test]
    fn contacts_that_give_way_need_bodies() {
        let mass = Mass::Matrix(nalgebra::dmatrix![2.0]);
        let ground = Contact::new(nalgebra::dvector![1.0]);
        let problem = Problem::new(mass, nalgebra::dvector![-3.0], vec![ground]).unwrap();
        let choice = Choice::new(Name::Compliant, Vec::new(), None).unwrap();
        assert!(matches!(choice.answer(&problem, None, &|_| ()), Err(Error::NoGeometry)));
    }
}
