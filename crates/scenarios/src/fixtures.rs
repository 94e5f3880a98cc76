//! The files of the published experiments, embedded in the library: scenarios, impacts and designs by name.

use percussion_mechanism::scenario::Scenario;

use crate::{
    error::Error,
    experiments::{Experiment, experiments},
};

#[cfg(test)]
mod tests;

pub use crate::embedded::{DESIGNS, IMPACTS, design, impact, impact_text, problem};

/// The experiments whose fixture is a scenario.
fn embedded() -> impl Iterator<Item = &'static Experiment> {
    experiments().iter().filter(|experiment| experiment.is_scenario)
}

/// The names of the embedded scenarios, which are the names of their experiments.
pub fn scenarios() -> impl Iterator<Item = &'static str> {
    embedded().map(|experiment| experiment.id)
}

/// The embedded scenario called `name`.
///
/// # Errors
///
/// [`Error::UnknownScenario`] lists the names that exist.
///
/// # Example
///
/// ```
/// use percussion_scenarios::fixtures;
///
/// let scenario = fixtures::scenario("stewart-trinkle/four-balls")?;
/// assert_eq!(scenario.bodies.len(), 4);
/// # Ok::<(), percussion_scenarios::Error>(())
/// ```
pub fn scenario(name: &str) -> Result<Scenario, Error> {
    Ok(Scenario::from_toml_str(scenario_text(name)?)?)
}

/// The text of the embedded scenario called `name`, comments included.
///
/// # Errors
///
/// As [`scenario`].
pub fn scenario_text(name: &str) -> Result<&'static str, Error> {
    match embedded().find(|experiment| experiment.id == name) {
        Some(experiment) => Ok(experiment.text),
        None => {
            let known = scenarios().collect::<Vec<_>>().join(", ");
            Err(Error::UnknownScenario { name: name.to_owned(), known })
        }
    }
}
