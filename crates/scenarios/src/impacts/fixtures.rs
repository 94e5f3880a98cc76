//! The impacts of the published examples, embedded in the library.

use super::{Impact, ImpactScenario};
use crate::error::Error;

/// Names of the impacts and the texts of the files of the same name.
macro_rules! impacts {
    ($($name:literal),* $(,)?) => {
        /// The names of the embedded impacts: the five examples of Halm and Posa, two other readings of the
        /// last, and two of Seghete and Murphey; the four examples of Uchida, Sherman and Delp, the first with its
        /// three coefficients of friction, and three contacts in impending slip.
        pub const NAMES: [&str; TEXTS.len()] = [$($name),*];

        /// The text of each of [`NAMES`].
        const TEXTS: &[&str] = &[$(include_str!(concat!("../../fixtures/impacts/", $name, ".toml"))),*];
    };
}

impacts![
    "rocking-block",
    "compass-gait",
    "box-and-wall",
    "ramone",
    "disk-stack",
    "disk-stack-1-kg",
    "disk-stack-oblique",
    "newtons-cradle",
    "billiards",
    "brick-corner-0.125",
    "brick-corner-0.225",
    "brick-corner-0.325",
    "brick-flat",
    "ball-row",
    "triple-pendulum",
    "tabletop-0.1",
    "tabletop-0.3",
    "tabletop-push",
];

/// The embedded impact called `name`, ready for any law.
///
/// # Errors
///
/// [`Error::UnknownScenario`] lists [`NAMES`].
///
/// # Example
///
/// A block of 1 kg falls flat at 0.443 m/s: 0.0981 J, its weight times the 1 cm it fell.
///
/// ```
/// let impact = percussion_scenarios::impacts::problem("rocking-block")?;
/// assert_eq!(impact.contacts, ["left corner", "right corner"]);
/// let energy = impact.problem.kinetic_energy(impact.problem.velocity());
/// assert!((energy - 0.0981).abs() < 1e-15);
/// # Ok::<(), percussion_scenarios::Error>(())
/// ```
pub fn problem(name: &str) -> Result<Impact, Error> {
    ImpactScenario::named(name)?.build()
}

impl ImpactScenario {
    /// The embedded impact called `name`.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownScenario`] lists [`NAMES`].
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::from_toml_str(Self::named_text(name)?)
    }

    /// The text of the embedded impact called `name`, comments included.
    ///
    /// # Errors
    ///
    /// As [`named`](Self::named).
    pub fn named_text(name: &str) -> Result<&'static str, Error> {
        let unknown = || Error::UnknownScenario { name: name.to_owned(), known: NAMES.join(", ") };
        let index = NAMES.iter().position(|known| *known == name).ok_or_else(unknown)?;
        Ok(TEXTS[index])
    }
}
