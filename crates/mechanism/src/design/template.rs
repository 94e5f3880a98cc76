//! A TOML value in which numbers may be given as texts `"= expression"`.

use toml::{Table, Value};

use crate::{Error, expression::Expression};

#[derive(Debug)]
pub(super) enum Template {
    Given(Value),
    Number(Expression),
    Array(Vec<Self>),
    Table(Vec<(String, Self)>),
}

impl Template {
    /// Compiles the expressions in `value`, which is at `path` in the file.
    pub(super) fn new(value: Value, names: &[&str], path: &str) -> Result<Self, Error> {
        Ok(match value {
            Value::String(text) => match text.strip_prefix('=') {
                Some(expression) => {
                    let refused = |message| Error::Format { path: path.to_owned(), message };
                    Self::Number(Expression::new(expression, names).map_err(refused)?)
                }
                None => Self::Given(Value::String(text)),
            },
            Value::Array(entries) => {
                let entries = entries.into_iter().enumerate();
                let entries =
                    entries.map(|(i, entry)| Self::new(entry, names, &format!("{path}[{i}]")));
                Self::Array(entries.collect::<Result<_, _>>()?)
            }
            Value::Table(table) => {
                let entry = |(key, value): (String, Value)| {
                    let template = Self::new(value, names, &format!("{path}.{key}"))?;
                    Ok((key, template))
                };
                Self::Table(table.into_iter().map(entry).collect::<Result<_, Error>>()?)
            }
            value => Self::Given(value),
        })
    }

    /// The value with a number for each expression.
    pub(super) fn fill(&self, values: &[f64]) -> Value {
        match self {
            Self::Given(value) => value.clone(),
            Self::Number(expression) => Value::Float(expression.value(values)),
            Self::Array(entries) => {
                Value::Array(entries.iter().map(|entry| entry.fill(values)).collect())
            }
            Self::Table(entries) => {
                let filled = entries.iter().map(|(key, entry)| (key.clone(), entry.fill(values)));
                Value::Table(filled.collect::<Table>())
            }
        }
    }
}
