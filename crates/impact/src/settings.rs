//! Settings of laws as text, by key.

use std::{fmt::Debug, str::FromStr};

use percussion_complementarity::lcp::lemke;

/// Expected values that several laws share.
pub(crate) const AT_LEAST_1: &str = "an integer of at least 1";
pub(crate) const DIRECTIONS: &str = "an even number from 4 to 360, of friction in space";

/// A type that is built from settings as text: a law with one answer, or a group of settings.
pub trait FromSettings: Sized {
    /// Takes the settings of the type from `settings`, which also records their keys, defaults and expected
    /// values.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a value that a setting does not accept.
    fn from_settings(settings: &mut Settings) -> Result<Self, Error>;
}

impl FromSettings for lemke::Settings {
    fn from_settings(settings: &mut Settings) -> Result<Self, Error> {
        let defaults = Self::default();
        Ok(Self {
            tolerance: settings.number(
                "tolerance",
                defaults.tolerance,
                "a residual of at least 0",
            )?,
            pivot_limit: settings.count("pivot_limit", defaults.pivot_limit, AT_LEAST_1)?,
            restarts: settings.count("restarts", defaults.restarts, "an integer of at least 0")?,
        })
    }
}

/// Reasons why a law was not built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No law has this name.
    #[error("`{name}` is not a law, expected one of {}", known.join(", "))]
    Name {
        /// The name given.
        name: String,
        /// The names of all laws.
        known: Vec<&'static str>,
    },
    /// A key is given more than once.
    #[error("setting `{key}` is given twice, expected one value")]
    Twice {
        /// The key.
        key: String,
    },
    /// A value is not accepted by its setting.
    #[error("setting `{key}` is `{value}`, expected {expected}")]
    Value {
        /// The key.
        key: String,
        /// The value given.
        value: String,
        /// Accepted values of the setting.
        expected: String,
    },
    /// The law has no such setting.
    #[error("`{law}` has no setting `{key}`, {}", expected(known))]
    Unknown {
        /// The law.
        law: String,
        /// The key given.
        key: String,
        /// The keys that the law has.
        known: Vec<String>,
    },
    /// The law within [`Sequential`](crate::sequential::Sequential) has several outcomes.
    #[error("the inner law of `sequential` has several outcomes, expected one")]
    Inner,
}

fn expected(known: &[String]) -> String {
    if known.is_empty() {
        "it has none at all".to_owned()
    } else {
        format!("expected one of {}", known.join(", "))
    }
}

/// A setting of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Setting {
    /// The text before the `=`.
    pub key: String,
    /// Its default value.
    pub default: String,
    /// Accepted values.
    pub expected: String,
}

/// The settings given to one law. The function that builds the law takes its settings from here, which also
/// determines the list of settings of the law. Settings that remain at the end are refused.
#[derive(Debug, Default)]
pub struct Settings {
    given: Vec<(String, String)>,
    known: Vec<Setting>,
    prefix: String,
}

impl Settings {
    /// Calls `build` with the settings `given` to `law`, pairs of key and text. Returns the result and the
    /// settings of the law.
    ///
    /// # Errors
    ///
    /// [`Error::Twice`] when a key is given twice, [`Error::Unknown`] when one is not taken, and the errors
    /// of `build`.
    pub fn build<T>(
        law: &str,
        given: Vec<(String, String)>,
        build: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<(T, Vec<Setting>), Error> {
        let mut settings = Self::new(given)?;
        let built = build(&mut settings)?;
        Ok((built, settings.finish(law)?))
    }

    /// The settings that `build` takes, with their defaults.
    pub fn known<T: Debug>(build: impl FnOnce(&mut Self) -> Result<T, Error>) -> Vec<Setting> {
        // No settings are given, so none can be refused.
        let built = Self::build("", Vec::new(), build);
        debug_assert!(built.is_ok(), "{built:?}");
        built.map(|(_, known)| known).unwrap_or_default()
    }

    /// The given settings, as pairs of key and text.
    ///
    /// # Errors
    ///
    /// [`Error::Twice`].
    pub(crate) fn new(given: Vec<(String, String)>) -> Result<Self, Error> {
        for (index, (key, _)) in given.iter().enumerate() {
            if given[..index].iter().any(|(earlier, _)| earlier == key) {
                return Err(Error::Twice { key: key.clone() });
            }
        }
        Ok(Self { given, ..Self::default() })
    }

    /// A finite number; the law checks its range.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the text is not such a number.
    pub fn number(&mut self, key: &str, default: f64, expected: &str) -> Result<f64, Error> {
        let parse = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite());
        // A default that is not a number means that the setting must be given.
        let shown = if default.is_nan() {
            "none".to_owned()
        } else if default < 1e-3 {
            format!("{default:e}")
        } else {
            default.to_string()
        };
        self.parsed(key, default, &shown, expected, parse)
    }

    /// A finite number that may be omitted; `default` describes what this means.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the text is not such a number.
    pub fn optional(
        &mut self,
        key: &str,
        default: &str,
        expected: &str,
    ) -> Result<Option<f64>, Error> {
        let parse =
            |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite()).map(Some);
        self.parsed(key, None, default, expected, parse)
    }

    /// An integer count.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the text is not such a number.
    pub fn count<T>(&mut self, key: &str, default: T, expected: &str) -> Result<T, Error>
    where
        T: FromStr + ToString,
    {
        let shown = default.to_string();
        self.parsed(key, default, &shown, expected, |text| text.parse().ok())
    }

    /// One of several named values; the first is the default.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the text is none of the names.
    ///
    /// # Panics
    ///
    /// When there are no choices.
    pub fn choice<T: Clone>(&mut self, key: &str, choices: &[(&str, T)]) -> Result<T, Error> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let expected = match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        };
        let (default, first) = &choices[0];
        match self.take(key, default, &expected) {
            None => Ok(first.clone()),
            Some(text) => match choices.iter().find(|(name, _)| *name == text) {
                Some((_, value)) => Ok(value.clone()),
                None => Err(self.refusal(key, text, &expected)),
            },
        }
    }

    /// The result of `parse` for the text, if there is one; the default is displayed as `shown`.
    fn parsed<T>(
        &mut self,
        key: &str,
        default: T,
        shown: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Error> {
        match self.take(key, shown, expected) {
            None => Ok(default),
            Some(text) => match parse(&text) {
                Some(value) => Ok(value),
                None => Err(self.refusal(key, text, expected)),
            },
        }
    }

    /// Takes the text given for `key` and adds the key to the list of settings.
    pub fn take(&mut self, key: &str, default: &str, expected: &str) -> Option<String> {
        let key = format!("{}{key}", self.prefix);
        let at = self.given.iter().position(|(given, _)| *given == key);
        let (default, expected) = (default.to_owned(), expected.to_owned());
        self.known.push(Setting { key, default, expected });
        at.map(|at| self.given.remove(at).1)
    }

    /// Calls `build` with settings whose keys begin with `prefix`.
    pub fn within<T>(&mut self, prefix: &str, build: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.prefix.clone();
        self.prefix += prefix;
        let built = build(self);
        self.prefix = outer;
        built
    }

    /// The settings of the law called `law`, which have all been taken by now.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] when a setting was given that the law did not take.
    pub(crate) fn finish(self, law: &str) -> Result<Vec<Setting>, Error> {
        let Some((key, _)) = self.given.into_iter().next() else { return Ok(self.known) };
        let known = self.known.into_iter().map(|setting| setting.key).collect();
        Err(Error::Unknown { law: law.to_owned(), key, known })
    }

    /// Returns the error about the value `text` of `key`.
    pub fn refusal(&self, key: &str, text: String, expected: &str) -> Error {
        let key = format!("{}{key}", self.prefix);
        Error::Value { key, value: text, expected: expected.to_owned() }
    }
}
