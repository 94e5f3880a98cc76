//! Settings of laws as they are typed, `--set KEY=VALUE`.

use std::str::FromStr;

use anyhow::{Result, bail, ensure};

use crate::likeness::did_you_mean;
use serde::Serialize;

/// A setting that a law has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Setting {
    /// What stands before the `=`.
    pub(crate) key: String,
    /// Its value when it is not given.
    pub(crate) default: String,
    /// What values it takes.
    pub(crate) expected: String,
}

/// The settings given to one law. Whoever builds the law takes from them what it knows, and what is
/// left in the [end](Self::finish) is refused; what was asked for is what the law has.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    given: Vec<(String, String)>,
    known: Vec<Setting>,
    prefix: String,
}

impl Settings {
    /// # Errors
    ///
    /// When a key is given twice.
    pub(crate) fn new(given: Vec<(String, String)>) -> Result<Self> {
        for (index, (key, _)) in given.iter().enumerate() {
            let twice = given[..index].iter().any(|(earlier, _)| earlier == key);
            ensure!(!twice, "setting `{key}` is given twice, expected one value");
        }
        Ok(Self { given, ..Self::default() })
    }

    /// A finite number; whether it is in range is for the law to say.
    pub(crate) fn number(&mut self, key: &str, default: f64, expected: &str) -> Result<f64> {
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
    pub(crate) fn optional(
        &mut self,
        key: &str,
        default: &str,
        expected: &str,
    ) -> Result<Option<f64>> {
        let parse =
            |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite()).map(Some);
        self.parsed(key, None, default, expected, parse)
    }

    /// A number of things.
    pub(crate) fn count<T>(&mut self, key: &str, default: T, expected: &str) -> Result<T>
    where
        T: FromStr + ToString,
    {
        let shown = default.to_string();
        self.parsed(key, default, &shown, expected, |text| text.parse().ok())
    }

    /// One of named things, the first by default.
    pub(crate) fn choice<T: Clone>(&mut self, key: &str, choices: &[(&str, T)]) -> Result<T> {
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
                None => bail!("setting `{}{key}` is `{text}`, expected {expected}", self.prefix),
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
    ) -> Result<T> {
        match self.take(key, shown, expected) {
            None => Ok(default),
            Some(text) => match parse(&text) {
                Some(value) => Ok(value),
                None => bail!("setting `{}{key}` is `{text}`, expected {expected}", self.prefix),
            },
        }
    }

    /// The text given for `key`, which is known from now on.
    pub(crate) fn take(&mut self, key: &str, default: &str, expected: &str) -> Option<String> {
        let key = format!("{}{key}", self.prefix);
        let at = self.given.iter().position(|(given, _)| *given == key);
        let (default, expected) = (default.to_owned(), expected.to_owned());
        self.known.push(Setting { key, default, expected });
        at.map(|at| self.given.remove(at).1)
    }

    /// What `build` takes has keys that begin with `prefix`.
    pub(crate) fn within<T>(&mut self, prefix: &str, build: impl FnOnce(&mut Self) -> T) -> T {
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
    /// When something was given that the law did not take.
    pub(crate) fn finish(self, law: &str) -> Result<Vec<Setting>> {
        let Some((key, _)) = self.given.first() else { return Ok(self.known) };
        let keys: Vec<&str> = self.known.iter().map(|setting| setting.key.as_str()).collect();
        if keys.is_empty() {
            bail!("`{law}` has no setting `{key}`, it has none at all");
        }
        let hint = did_you_mean(key, keys.iter().copied());
        bail!("`{law}` has no setting `{key}`, expected one of {}{hint}", keys.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(given: &[(&str, &str)]) -> Result<Settings> {
        Settings::new(given.iter().map(|&(key, value)| (key.into(), value.into())).collect())
    }

    #[test]
    fn what_is_given_is_taken_and_the_rest_is_by_default() {
        let mut given = settings(&[("steps", "7"), ("inner.step", "0.5"), ("draws", "b")]).unwrap();
        assert_eq!(given.count("steps", 3_usize, "a number").unwrap(), 7);
        let inner = given.within("inner.", |inner| inner.number("step", 1.0, "a number"));
        assert_eq!(inner.ok(), Some(0.5));
        assert_eq!(given.choice("draws", &[("a", 1), ("b", 2)]).unwrap(), 2);
        assert_eq!(given.number("step", 0.25, "a number").ok(), Some(0.25));
        let keys: Vec<_> =
            given.finish("law").unwrap().into_iter().map(|known| known.key).collect();
        assert_eq!(keys, ["steps", "inner.step", "draws", "step"]);
    }

    #[test]
    fn complaints_name_the_key_the_value_and_what_was_expected() {
        let mut lines = Vec::new();
        let mut complain = |error: anyhow::Error| lines.push(error.to_string());
        complain(settings(&[("a", "1"), ("a", "2")]).unwrap_err());
        for text in ["x", "", "nan", "inf", "1e999"] {
            let mut given = settings(&[("a", text)]).unwrap();
            complain(given.number("a", 1.0, "a number in (0, 1)").unwrap_err());
        }
        let mut given = settings(&[("in.n", "-1"), ("c", "red")]).unwrap();
        complain(given.within("in.", |given| given.count("n", 1_usize, "≥ 1")).unwrap_err());
        complain(given.choice("c", &[("green", 1), ("blue", 2)]).unwrap_err());
        let mut given = settings(&[("toleranse", "1")]).unwrap();
        given.within("lemke.", |given| given.number("tolerance", 1.0, "a number")).unwrap();
        given.number("directions", 8.0, "a number").unwrap();
        complain(given.finish("newton").unwrap_err());
        complain(settings(&[("x", "1")]).unwrap().finish("nothing").unwrap_err());
        insta::assert_snapshot!(lines.join("\n"), @r"
        setting `a` is given twice, expected one value
        setting `a` is `x`, expected a number in (0, 1)
        setting `a` is ``, expected a number in (0, 1)
        setting `a` is `nan`, expected a number in (0, 1)
        setting `a` is `inf`, expected a number in (0, 1)
        setting `a` is `1e999`, expected a number in (0, 1)
        setting `in.n` is `-1`, expected ≥ 1
        setting `c` is `red`, expected green or blue
        `newton` has no setting `toleranse`, expected one of lemke.tolerance, directions; did you mean `lemke.tolerance`?
        `nothing` has no setting `x`, it has none at all
        ");
    }
}
