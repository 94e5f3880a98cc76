//! The impacts and designs of the published examples, embedded in the library.

use percussion_mechanism::{
    design::Design,
    impacts::{Impact, ImpactScenario},
};

use crate::error::Error;

/// Names of the impacts and the texts of the files of the same name.
macro_rules! impacts {
    ($($name:literal),* $(,)?) => {
        /// The names of the embedded impacts: the five examples of Halm and Posa with two other
        /// interpretations of the last one, two of Seghete and Murphey, the four examples of Uchida, Sherman
        /// and Delp, of which the first has three coefficients of friction, and three contacts in impending
        /// slip.
        pub const IMPACTS: [&str; TEXTS.len()] = [$($name),*];

        /// The text of each of [`IMPACTS`].
        const TEXTS: &[&str] = &[$(include_str!(concat!("../fixtures/impacts/", $name, ".toml"))),*];
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

/// The embedded impact called `name`, as a problem that any law accepts.
///
/// # Errors
///
/// [`Error::UnknownScenario`] lists [`IMPACTS`].
///
/// # Example
///
/// A block of 1 kg lands flat at 0.443 m/s with 0.0981 J, which is its weight times the 1 cm it fell.
///
/// ```
/// let impact = percussion_scenarios::fixtures::problem("rocking-block")?;
/// assert_eq!(impact.contacts, ["left corner", "right corner"]);
/// let energy = impact.problem.kinetic_energy(impact.problem.velocity());
/// assert!((energy - 0.0981).abs() < 1e-15);
/// # Ok::<(), percussion_scenarios::Error>(())
/// ```
pub fn problem(name: &str) -> Result<Impact, Error> {
    Ok(impact(name)?.build()?)
}

/// The embedded impact called `name`.
///
/// # Errors
///
/// [`Error::UnknownScenario`] lists [`IMPACTS`].
pub fn impact(name: &str) -> Result<ImpactScenario, Error> {
    Ok(ImpactScenario::from_toml_str(impact_text(name)?)?)
}

/// The text of the embedded impact called `name`, comments included.
///
/// # Errors
///
/// As [`impact`].
pub fn impact_text(name: &str) -> Result<&'static str, Error> {
    text(name, &IMPACTS, TEXTS)
}

/// The names of the embedded designs.
pub const DESIGNS: [&str; 1] = ["trex"];

/// The text of each of [`DESIGNS`].
const DESIGN_TEXTS: [&str; 1] = [include_str!("../fixtures/design/trex.toml")];

/// The embedded design called `name`.
///
/// # Errors
///
/// [`Error::UnknownScenario`] lists [`DESIGNS`].
pub fn design(name: &str) -> Result<Design, Error> {
    Ok(Design::from_toml_str(design_text(name)?)?)
}

/// The text of the embedded design called `name`, comments included.
pub(crate) fn design_text(name: &str) -> Result<&'static str, Error> {
    text(name, &DESIGNS, &DESIGN_TEXTS)
}

/// The text of the file called `name`, one of `names`.
fn text(name: &str, names: &[&str], texts: &[&'static str]) -> Result<&'static str, Error> {
    let unknown = || Error::UnknownScenario { name: name.to_owned(), known: names.join(", ") };
    let index = names.iter().position(|known| *known == name).ok_or_else(unknown)?;
    Ok(texts[index])
}
