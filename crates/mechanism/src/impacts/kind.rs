//! Files that describe an impact, in either format: [`Kind`].

use std::path::Path;

use super::{Impact, ImpactScenario};
use crate::{Error, document, scenario::Scenario};

/// Fields of impacts that no scenario has.
const OF_IMPACTS: [&str; 2] = ["set_valued", "compliant"];

/// Fields of scenarios that no impact has.
const OF_SCENARIOS: [&str; 11] = [
    "integrator",
    "duration",
    "gravity",
    "friction",
    "restitution",
    "accepted_penetration",
    "robot",
    "joints",
    "fixed",
    "joint_friction",
    "experiment",
];

/// The formats of TOML files that describe an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A mechanism and its contacts, an [`ImpactScenario`].
    Impact,
    /// A mechanism and its integration scheme, a [`Scenario`], whose impact is that at its start.
    Scenario,
}

impl Kind {
    /// Determines from the names of its fields whether a TOML text is an impact or a scenario. For example,
    /// only a scenario has a scheme and gravity.
    ///
    /// # Errors
    ///
    /// [`Error::Kind`] if it has fields of both, or not those that both need; [`Error::TooLarge`],
    /// [`Error::Syntax`].
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_mechanism::impacts::Kind;
    ///
    /// assert_eq!(Kind::of_toml_str("gravity = [0, -10]")?, Kind::Scenario);
    /// assert_eq!(Kind::of_toml_str("bodies = []")?, Kind::Impact);
    /// assert!(Kind::of_toml_str("mass = 2").is_err());
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn of_toml_str(text: &str) -> Result<Self, Error> {
        let fields: toml::Table = document::parse(text, "file")?;
        let first = |known: &[&'static str]| {
            known.iter().copied().find(|field| fields.contains_key(*field))
        };
        match (first(&OF_IMPACTS), first(&OF_SCENARIOS)) {
            (None, Some(_)) => Ok(Self::Scenario),
            (Some(_), None) => Ok(Self::Impact),
            (None, None) if fields.contains_key("bodies") => Ok(Self::Impact),
            (None, None) => Err(Error::Kind { found: "has no `bodies`".to_owned() }),
            (Some(one), Some(other)) => Err(Error::Kind {
                found: format!("has `{one}` of an impact and `{other}` of a scenario"),
            }),
        }
    }

    /// Determines whether a TOML file is an impact or a scenario.
    ///
    /// # Errors
    ///
    /// [`Error::Read`], and as [`of_toml_str`](Self::of_toml_str).
    pub fn of_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::of_toml_str(&document::read(path.as_ref())?)
    }
}

impl Impact {
    /// Reads and builds the impact in a TOML file: that of an [`ImpactScenario`], or that [at the start of a
    /// scenario](crate::scenario::Setup::impact).
    ///
    /// # Errors
    ///
    /// As [`Kind::of_path`], and those of [`from_path`](ImpactScenario::from_path) and `build` for the content of the file.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let text = document::read(path.as_ref())?;
        match Kind::of_toml_str(&text)? {
            Kind::Impact => ImpactScenario::from_toml_str(&text)?.build(),
            // The file of a robot is relative to that of the scenario.
            Kind::Scenario => Scenario::from_path(path)?.build()?.impact(),
        }
    }
}
