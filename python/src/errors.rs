//! Conversion of errors to Python exceptions.

use std::fmt::Display;

use pyo3::{exceptions::PyValueError, prelude::*};

/// A `ValueError` with this message.
pub(crate) fn refused(message: impl Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// The exception that [`refused`] creates from an error of the crates.
pub(crate) fn checked<T, E: Display>(result: Result<T, E>) -> PyResult<T> {
    result.map_err(refused)
}

/// An error of the class `name` of `percussion.errors`.
pub(crate) fn named(py: Python<'_>, name: &str, message: impl Display) -> PyErr {
    let class = py.import("percussion.errors").and_then(|module| module.getattr(name));
    let error = class.and_then(|class| class.call1((message.to_string(),)));
    match error {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
