//! The lists of solvers, laws and schemes by name, with their settings, as in the crates.

use percussion_complementarity::{friction, lcp};
use percussion_integrators::schemes;
use percussion_mechanism::laws;
use pyo3::{prelude::*, types::PyDict};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    errors::refused,
    values::{object, plain},
};

/// The names that can be chosen, by kind, each with a summary and its settings, `(key, default, expected)`.
#[pyfunction]
pub(crate) fn lists(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let methods = lcp::Method::all();
    let methods = methods.iter().map(|method| entry(method.name(), method.summary(), method));
    dict.set_item("lcp_methods", object(py, Value::Array(methods.collect::<PyResult<_>>()?))?)?;
    let methods = friction::Method::all();
    let methods = methods.iter().map(|method| entry(method.name(), method.summary(), method));
    dict.set_item(
        "friction_methods",
        object(py, Value::Array(methods.collect::<PyResult<_>>()?))?,
    )?;
    let all = friction::Law::all().map(|law| json!([law.name(), law.summary(), []]));
    dict.set_item("friction_laws", plain(py, &all)?)?;
    let all = laws::Name::ALL.map(|law| {
        let settings = law.settings();
        let settings: Vec<_> =
            settings.iter().map(|one| json!([one.key, one.default, one.expected])).collect();
        json!([law.as_str(), law.summary(), settings])
    });
    dict.set_item("impact_laws", plain(py, &all)?)?;
    let all = schemes::Name::ALL.into_iter().map(|name| {
        let settings = name.stepping().map(serde_json::to_value).transpose();
        let mut settings = settings.map_err(refused)?.unwrap_or_default();
        if let Some(fields) = settings.as_object_mut() {
            fields.remove("name");
        }
        Ok(listed(name.as_str(), name.summary(), settings.as_object()))
    });
    dict.set_item("schemes", object(py, Value::Array(all.collect::<PyResult<_>>()?))?)?;
    Ok(dict)
}

/// An entry for a value that is serialized as its name and its settings.
fn entry(name: &str, summary: &str, method: &impl Serialize) -> PyResult<Value> {
    let value = serde_json::to_value(method).map_err(refused)?;
    Ok(listed(name, summary, value.get(name).and_then(Value::as_object)))
}

/// An entry with the settings and their defaults.
fn listed(name: &str, summary: &str, settings: Option<&Map<String, Value>>) -> Value {
    let settings = settings.into_iter().flatten();
    let settings: Vec<_> = settings
        .map(|(key, default)| {
            let expected = match default {
                Value::Bool(_) => "True or False",
                Value::Number(_) => "a number",
                Value::Object(_) => "a dict",
                Value::Null => "a number, or nothing",
                _ => "a text",
            };
            let default = match default {
                Value::String(text) => text.clone(),
                Value::Null => "none".to_owned(),
                other => other.to_string(),
            };
            json!([key, default, expected])
        })
        .collect();
    json!([name, summary, settings])
}
