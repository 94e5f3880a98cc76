//! The scenarios of the published experiments, embedded in the library.

use crate::{
    error::Error,
    experiments::{Experiment, experiments},
    scenario::Scenario,
};

/// The experiments whose fixture is a scenario.
fn embedded() -> impl Iterator<Item = &'static Experiment> {
    experiments().iter().filter(|experiment| experiment.is_scenario)
}

impl Scenario {
    /// The names of the embedded scenarios, which are those of their experiments.
    pub fn names() -> impl Iterator<Item = &'static str> {
        embedded().map(|experiment| experiment.id)
    }

    /// The embedded scenario called `name`.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownScenario`] lists the names there are.
    ///
    /// # Example
    ///
    /// ```
    /// let scenario = percussion_scenarios::Scenario::named("stewart-trinkle/four-balls")?;
    /// assert_eq!(scenario.bodies.len(), 4);
    /// # Ok::<(), percussion_scenarios::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::from_toml_str(Self::named_text(name)?)
    }

    /// The text of the embedded scenario called `name`, comments included.
    ///
    /// # Errors
    ///
    /// As [`named`](Self::named).
    pub fn named_text(name: &str) -> Result<&'static str, Error> {
        match embedded().find(|experiment| experiment.id == name) {
            Some(experiment) => Ok(experiment.text),
            None => {
                let known = Self::names().collect::<Vec<_>>().join(", ");
                Err(Error::UnknownScenario { name: name.to_owned(), known })
            }
        }
    }
}
