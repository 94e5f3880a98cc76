//! Checks that the settings of several schemes share.

use crate::{error::Error, scales::Scales};

pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::Setting { name, value, expected: "a positive finite number" })
}

pub(crate) fn at_least_zero(name: &'static str, value: f64) -> Result<(), Error> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(Error::Setting { name, value, expected: "a finite number of at least 0" })
}

pub(crate) fn fraction(name: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::Setting { name, value, expected: "a number in [0, 1]" })
}

pub(crate) fn scales(scales: Option<Scales>) -> Result<(), Error> {
    match scales.and_then(|scales| scales.unusable()) {
        Some((name, value)) => positive(name, value),
        None => Ok(()),
    }
}
