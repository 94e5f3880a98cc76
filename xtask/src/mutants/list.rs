//! The list of mutants, by cargo-mutants.

use std::collections::BTreeSet;

use anyhow::{Context, anyhow};
use serde_json::Value;

use crate::shell::{self, cargo};

/// A place in a file: line and column, both from 1, as cargo-mutants counts them.
pub(super) type Place = (usize, usize);

/// One change of the code.
#[derive(Clone, Debug)]
pub(super) struct Mutant {
    /// Its number in the list, from 1; 0 is the code as it is.
    pub(super) id: usize,
    /// Path of the file from the root.
    pub(super) file: String,
    /// The change and its place, in the words of cargo-mutants.
    pub(super) name: String,
    /// The kind of the replaced code.
    pub(super) genre: String,
    /// The code that stands there instead.
    pub(super) replacement: String,
    /// Where the replaced code begins.
    pub(super) start: Place,
}

/// The mutants of `files` of `package`.
pub(super) fn of(
    package: &str,
    files: &[&str],
    in_diff: Option<&str>,
) -> anyhow::Result<Vec<Mutant>> {
    let mut command = cargo(["mutants", "--list", "--json", "--package", package]);
    for file in files {
        command.args(["--file", file]);
    }
    if let Some(diff) = in_diff {
        command.args(["--in-diff", diff]);
    }
    let text = shell::read(&mut command)?;
    // Without mutants in a diff the list is empty text.
    let text = if text.trim().is_empty() { "[]" } else { &text };
    let list: Vec<Value> = serde_json::from_str(text).context("the list of cargo-mutants")?;
    let mut names = BTreeSet::new();
    let mut mutants = Vec::with_capacity(list.len());
    for value in &list {
        let mutant = read(value, 1 + mutants.len())
            .ok_or_else(|| anyhow!("cargo-mutants lists {value}, which is not understood"))?;
        if names.insert(mutant.name.clone()) {
            mutants.push(mutant);
        }
    }
    Ok(mutants)
}

/// A mutant of the list; `None` if a field is missing.
pub(super) fn read(value: &Value, id: usize) -> Option<Mutant> {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let start = &value["span"]["start"];
    let number = |key: &str| start[key].as_u64().and_then(|number| usize::try_from(number).ok());
    Some(Mutant {
        id,
        file: text("file")?,
        name: text("name")?,
        genre: text("genre")?,
        replacement: text("replacement")?,
        start: (number("line")?, number("column")?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_has_its_place_and_replacement() {
        let value = serde_json::json!({
            "file": "src/x.rs", "name": "src/x.rs:3:7: replace - with +", "genre": "BinaryOperator",
            "replacement": "+", "span": {"start": {"line": 3, "column": 7}, "end": {"line": 3, "column": 8}},
        });
        let mutant = read(&value, 4).unwrap();
        assert_eq!((mutant.id, mutant.start, &*mutant.replacement), (4, (3, 7), "+"));
        assert!(
            read(&serde_json::json!({"file": "src/x.rs"}), 1).is_none(),
            "nothing else is read"
        );
    }
}
