//! The scenarios of the published experiments, embedded in the library.

use crate::{error::Error, scenario::Scenario};

/// Names with their texts, in the order in which [`Scenario::names`] lists them.
const EMBEDDED: [(&str, &str); 7] = [
    ("stewart-trinkle/rod-on-table", include_str!("../fixtures/stewart-trinkle/rod-on-table.toml")),
    (
        "stewart-trinkle/two-balls-direct",
        include_str!("../fixtures/stewart-trinkle/two-balls-direct.toml"),
    ),
    (
        "stewart-trinkle/two-balls-bounce",
        include_str!("../fixtures/stewart-trinkle/two-balls-bounce.toml"),
    ),
    ("stewart-trinkle/four-balls", include_str!("../fixtures/stewart-trinkle/four-balls.toml")),
    ("event-driven/bouncing-ball", include_str!("../fixtures/event-driven/bouncing-ball.toml")),
    (
        "maximum-dissipation/block-on-slope",
        include_str!("../fixtures/round-cones/block-on-slope.toml"),
    ),
    ("maximum-dissipation/card-house", include_str!("../fixtures/round-cones/card-house.toml")),
];

impl Scenario {
    /// The names of the embedded scenarios.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|(name, _)| *name)
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
        match EMBEDDED.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Ok(text),
            None => {
                let known = Self::names().collect::<Vec<_>>().join(", ");
                Err(Error::UnknownScenario { name: name.to_owned(), known })
            }
        }
    }
}
