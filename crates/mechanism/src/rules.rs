//! Rules for fields, common to all file formats.

use std::fmt::Debug;

use serde::Serialize;

use crate::Error;

pub(crate) const FINITE: &str = "a finite number";
pub(crate) const POSITIVE_MASS: &str = "a positive finite number (kg)";
pub(crate) const FRICTION: &str = "a finite number of at least 0";
pub(crate) const NOT_EMPTY: &str = "a nonempty text";
pub(crate) const NOT_ZERO: &str = "a nonzero vector";

/// Returns an error for `value` unless the rule holds.
pub(crate) fn require<T: Debug>(
    path: &str,
    value: &T,
    expected: &'static str,
    holds: bool,
) -> Result<(), Error> {
    if holds { Ok(()) } else { refuse(path, value, expected) }
}

/// The error that `value` is not what was expected.
pub(crate) fn refuse<T: Debug>(path: &str, value: &T, expected: &'static str) -> Result<(), Error> {
    Err(Error::Value { path: path.to_owned(), value: format!("{value:?}"), expected })
}

/// Checks a choice among names, which the error shows as it is written in files.
pub(crate) fn require_choice<T: Serialize>(
    path: &str,
    choice: &T,
    expected: &'static str,
    holds: bool,
) -> Result<(), Error> {
    let name = toml::Value::try_from(choice).ok();
    let name = name.as_ref().and_then(toml::Value::as_str).unwrap_or_default();
    require(path, &name, expected, holds)
}

/// Checks that all numbers are finite.
pub(crate) fn finite(path: &str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(0) if values.len() == 1 => refuse(path, &values[0], FINITE),
        Some(i) => refuse(&format!("{path}[{i}]"), &values[i], FINITE),
    }
}

/// Checks that a number is positive and normal.
pub(crate) fn positive(path: &str, value: f64, expected: &'static str) -> Result<(), Error> {
    require(path, &value, expected, value.is_normal() && value > 0.0)
}

/// Checks that a number is finite and at least 0.
pub(crate) fn at_least_zero(path: &str, value: f64, expected: &'static str) -> Result<(), Error> {
    require(path, &value, expected, value.is_finite() && value >= 0.0)
}

/// Checks that a vector is finite and not zero.
pub(crate) fn not_zero(path: &str, vector: &[f64]) -> Result<(), Error> {
    finite(path, vector)?;
    require(path, &vector, NOT_ZERO, vector.iter().any(|entry| *entry != 0.0))
}

/// Checks the number of entries.
pub(crate) fn count(path: &str, found: usize, holds: bool, expected: &str) -> Result<(), Error> {
    if holds {
        return Ok(());
    }
    Err(Error::Count { path: path.to_owned(), found, expected: expected.to_owned() })
}
