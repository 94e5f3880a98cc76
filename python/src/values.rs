//! Settings as keyword arguments, and plain data for Python: between Python objects and JSON values.

use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PySequence, PyString},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::errors::refused;

/// Maximum nesting of settings.
const DEPTH: usize = 8;

/// Maximum length of a list of a setting.
const LONGEST: usize = 1 << 20;

/// The value of the setting `name`.
///
/// # Errors
///
/// `ValueError` for numbers that are not finite and for objects of other types.
pub(crate) fn value(name: &str, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let wrong = || {
        let found =
            object.get_type().name().map_or_else(|_| "an object".into(), |name| name.to_string());
        refused(format!(
            "`{name}` is of type {found}, expected a number, a text, True, False, None, a list or a dict"
        ))
    };
    if depth > DEPTH {
        return Err(refused(format!("`{name}` is nested more than {DEPTH} deep")));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(object.extract()?));
    }
    if object.is_instance_of::<PyString>() {
        return Ok(Value::String(object.extract()?));
    }
    if object.is_instance_of::<PyInt>() {
        return number(name, object);
    }
    if object.is_instance_of::<PyFloat>() {
        return finite(name, object.extract()?);
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        let mut map = Map::new();
        for item in mapping.items()?.iter() {
            let (key, entry): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let Ok(key) = key.extract::<String>() else {
                return Err(refused(format!("`{name}` has a key that is no text")));
            };
            let entry = value(&format!("{name}.{key}"), &entry, depth + 1)?;
            map.insert(key, entry);
        }
        return Ok(Value::Object(map));
    }
    if let Ok(sequence) = object.cast::<PySequence>() {
        let mut list = Vec::new();
        let length = sequence.len()?;
        if length > LONGEST {
            return Err(refused(format!(
                "`{name}` has {length} entries, expected at most {LONGEST}"
            )));
        }
        for index in 0..length {
            let entry = sequence.get_item(index)?;
            list.push(value(&format!("{name}[{index}]"), &entry, depth + 1)?);
        }
        return Ok(Value::Array(list));
    }
    // Scalars and arrays of numpy.
    if object.hasattr("tolist")? {
        let plain = object.call_method0("tolist")?;
        return if plain.is(object) { Err(wrong()) } else { value(name, &plain, depth + 1) };
    }
    Err(wrong())
}

fn number(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(number) = object.extract::<u64>() {
        return Ok(number.into());
    }
    match object.extract::<i64>() {
        Ok(number) => Ok(number.into()),
        Err(_) => Err(refused(format!("`{name}` is {object}, expected a number of 64 bits"))),
    }
}

fn finite(name: &str, number: f64) -> PyResult<Value> {
    serde_json::Number::from_f64(number)
        .map(Value::Number)
        .ok_or_else(|| refused(format!("`{name}` is {number}, expected a finite number")))
}

/// Keyword arguments by name.
pub(crate) fn settings(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let mut settings = Map::new();
    for (key, object) in given {
        let key: String = key.extract()?;
        let entry = value(&key, &object, 0)?;
        settings.insert(key, entry);
    }
    Ok(settings)
}

/// A value with a name and settings, in the form of files: `{"name": {…}}`.
pub(crate) fn method<T: DeserializeOwned>(name: &str, given: &Bound<'_, PyDict>) -> PyResult<T> {
    let settings = Value::Object(settings(given)?);
    let tagged = Value::Object(Map::from_iter([(name.to_owned(), settings)]));
    serde_json::from_value(tagged).map_err(|error| unread(name, &error))
}

/// The settings of the value called `name`.
pub(crate) fn settings_of<T: DeserializeOwned>(
    name: &str,
    given: &Bound<'_, PyDict>,
) -> PyResult<T> {
    serde_json::from_value(Value::Object(settings(given)?)).map_err(|error| unread(name, &error))
}

fn unread(name: &str, error: &serde_json::Error) -> PyErr {
    let message = error.to_string().replace("expected f64", "expected a number");
    let message = message.replace("unknown variant", "unknown name");
    refused(format!("{name}: {}", message.replace("unknown field", "unknown setting")))
}

/// A value that is serialized only by its name.
pub(crate) fn by_name<T: DeserializeOwned>(argument: &str, name: &str) -> PyResult<T> {
    serde_json::from_value(Value::String(name.to_owned())).map_err(|error| {
        refused(format!(
            "`{argument}`: {}",
            error.to_string().replace("unknown variant", "unknown name")
        ))
    })
}

/// The name of a value that is serialized only by its name.
pub(crate) fn name_of(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

/// Settings of a law as pairs of key and text; nested settings have keys with dots, and lists have commas.
pub(crate) fn texts(given: &Bound<'_, PyDict>) -> PyResult<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for (key, value) in settings(given)? {
        flatten(key, value, &mut pairs)?;
    }
    Ok(pairs)
}

fn flatten(key: String, value: Value, pairs: &mut Vec<(String, String)>) -> PyResult<()> {
    match value {
        Value::Object(map) => {
            for (inner, value) in map {
                flatten(format!("{key}.{inner}"), value, pairs)?;
            }
        }
        Value::Array(list) => {
            let entries = list.into_iter().map(|entry| text(&key, entry));
            pairs.push((key.clone(), entries.collect::<PyResult<Vec<_>>>()?.join(",")));
        }
        // As if it were not given.
        Value::Null => {}
        other => {
            let other = text(&key, other)?;
            pairs.push((key, other));
        }
    }
    Ok(())
}

fn text(key: &str, value: Value) -> PyResult<String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        other => Err(refused(format!("`{key}` is {other}, expected a number or a text"))),
    }
}

/// Serializable data as Python objects; numbers that are not finite are None.
pub(crate) fn plain<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(data).map_err(refused)?;
    object(py, value)
}

/// A JSON value as a Python object.
pub(crate) fn object(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::String(text) => text.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (None, Some(number)) => number.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::Array(list) => {
            let entries = list.into_iter().map(|entry| object(py, entry));
            Ok(PyList::new(py, entries.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (key, entry) in map {
                dict.set_item(key, object(py, entry)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
