//! Settings of laws as text, by key.

use std::{fmt::Debug, str::FromStr};

use percussion_complementarity::lcp::lemke;

/// Expectations that several laws have.
pub(crate) const AT_LEAST_1: &str = "a number from 1 on";
pub(crate) const DIRECTIONS: &str = "an even number from 4 to 360, of friction in space";

/// What is made of settings as text: a law with one answer, or a group of settings.
pub trait FromSettings: Sized {
    /// Takes what it knows from `settings`, which then also knows the keys, defaults and expectations.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a value that a setting does not take.
    fn from_settings(settings: &mut Settings) -> Result<Self, Error>;
}

impl FromSettings for lemke::Settings {
    fn from_settings(settings: &mut Settings) -> Result<Self, Error> {
        let defaults = Self::default();
        Ok(Self {
            tolerance: settings.number("tolerance", defaults.tolerance, "a residual from 0 on")?,
            pivot_limit: settings.count("pivot_limit", defaults.pivot_limit, AT_LEAST_1)?,
            restarts: settings.count("restarts", defaults.restarts, "a number from 0 on")?,
        })
    }
}

/// Why a law was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No law has this name.
    #[error("`{name}` is no law, expected one of {}", known.join(", "))]
    Name {
        /// What was given.
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
    /// A value is none of those that the setting takes.
    #[error("setting `{key}` is `{value}`, expected {expected}")]
    Value {
        /// The key.
        key: String,
        /// What was given.
        value: String,
        /// What values the setting takes.
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
    /// The law within [`Sequential`](crate::Sequential) has several outcomes.
    #[error("the inner law of `sequential` answers with several outcomes, expected one")]
    Inner,
}

fn expected(known: &[String]) -> String {
    if known.is_empty() {
        "it has none at all".to_owned()
    } else {
        format!("expected one of {}", known.join(", "))
    }
}

/// A setting that a law has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Setting {
    /// What stands before the `=`.
    pub key: String,
    /// Its value when it is not given.
    pub default: String,
    /// What values it takes.
    pub expected: String,
}

/// The settings given to one law. Whoever builds the law takes from them what it knows, and what is
/// left in the end is refused; what was asked for is what the law has.
#[derive(Debug, Default)]
pub struct Settings {
    given: Vec<(String, String)>,
    known: Vec<Setting>,
    prefix: String,
}

impl Settings {
    /// Calls `build` with the settings `given` to `law`, pairs of key and text. Returns what it builds and the settings that it knows.
    ///
    /// # Errors
    ///
    /// [`Error::Twice`] and [`Error::Unknown`], when something is given twice or not taken, and those of `build`.
    pub fn build<T>(
        law: &str,
        given: Vec<(String, String)>,
        build: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<(T, Vec<Setting>), Error> {
        let mut settings = Self::new(given)?;
        let built = build(&mut settings)?;
        Ok((built, settings.finish(law)?))
    }

    /// The settings that `build` knows, with their defaults.
    pub fn known<T: Debug>(build: impl FnOnce(&mut Self) -> Result<T, Error>) -> Vec<Setting> {
        // Nothing is given, so there is nothing to refuse.
        let built = Self::build("", Vec::new(), build);
        debug_assert!(built.is_ok(), "{built:?}");
        built.map(|(_, known)| known).unwrap_or_default()
    }

    /// What is given, as pairs of key and text.
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

    /// A finite number; whether it is in range is for the law to say.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when what is given is nothing of the kind.
    pub fn number(&mut self, key: &str, default: f64, expected: &str) -> Result<f64, Error> {
        let parse = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite());
        // A default that is not a number is none: the setting has to be given.
        let shown = if default.is_nan() {
            "none".to_owned()
        } else if default < 1e-3 {
            format!("{default:e}")
        } else {
            default.to_string()
        };
        self.parsed(key, default, &shown, expected, parse)
    }

    /// A finite number that may be left out, which means what `default` says.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when what is given is nothing of the kind.
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

    /// A number of things.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when what is given is nothing of the kind.
    pub fn count<T>(&mut self, key: &str, default: T, expected: &str) -> Result<T, Error>
    where
        T: FromStr + ToString,
    {
        let shown = default.to_string();
        self.parsed(key, default, &shown, expected, |text| text.parse().ok())
    }

    /// One of named things, the first by default.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when what is given is none of them.
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

    /// What `parse` makes of the text, where it makes something of it; the default is `shown` as such.
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

    /// The text given for `key`, which is known from now on.
    pub fn take(&mut self, key: &str, default: &str, expected: &str) -> Option<String> {
        let key = format!("{}{key}", self.prefix);
        let at = self.given.iter().position(|(given, _)| *given == key);
        let (default, expected) = (default.to_owned(), expected.to_owned());
        self.known.push(Setting { key, default, expected });
        at.map(|at| self.given.remove(at).1)
    }

    /// What `build` takes has keys that begin with `prefix`.
    pub fn within<T>(&mut self, prefix: &str, build: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.prefix.clone();
        self.prefix += prefix;
        let built = build(self);
        self.prefix = outer;
        built
    }

    /// The settings of the law called `law`, all known by now.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] when something was given that the law did not take.
    pub(crate) fn finish(self, law: &str) -> Result<Vec<Setting>, Error> {
        let Some((key, _)) = self.given.into_iter().next() else { return Ok(self.known) };
        let known = self.known.into_iter().map(|setting| setting.key).collect();
        Err(Error::Unknown { law: law.to_owned(), key, known })
    }

    /// The complaint about the value `text` of `key`.
    pub fn refusal(&self, key: &str, text: String, expected: &str) -> Error {
        let key = format!("{}{key}", self.prefix);
        Error::Value { key, value: text, expected: expected.to_owned() }
    }
}
