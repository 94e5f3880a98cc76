//! Reading of input files, with error messages that say how to correct them.

mod friction;
mod impact;
mod kind;
mod lcp;
mod robot;

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    marker::PhantomData,
    path::Path,
};

use anyhow::{Context, bail, ensure};
use nalgebra::DMatrix;
use percussion_mechanism::scenario::Scenario;
use percussion_scenarios::fixtures;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::{catalogue::taker, likeness::did_you_mean};

pub(crate) use friction::{Friction, Stated, StatedBlocks, friction};
pub(crate) use impact::{Subject, impact, impact_document};
pub(crate) use kind::{Kind, misplaced};
pub(crate) use lcp::lcp;
pub(crate) use robot::{Purpose, build, check_options, is_robot, robot};

/// Maximum size of a file (bytes): a matrix of about 3000 rows.
const SIZE_LIMIT: u64 = 256 << 20;

/// The built-in scenario called `name`, or the scenario in the file `name`.
///
/// # Errors
///
/// The error names the file and the field, or lists the built-in names: the scenarios, and the names `else_known` that the command also accepts.
pub(crate) fn scenario(name: &str, else_known: &[&'static str]) -> anyhow::Result<Scenario> {
    let path = Path::new(name);
    if fixtures::scenarios().any(|known| known == name) {
        return Ok(fixtures::scenario(name)?);
    }
    let known = fixtures::scenarios().chain(else_known.iter().copied());
    check_file(path, "a TOML file", known)?;
    let read = Scenario::from_path(path).with_context(|| format!("`{name}`"));
    read.map_err(|error| misplaced(name, &[Kind::Scenario], error))
}

/// Checks that the file of the expected `kind` exists; the error otherwise lists the `known` names.
pub(crate) fn check_file<'a>(
    path: &Path,
    kind: &str,
    known: impl Iterator<Item = &'a str>,
) -> anyhow::Result<()> {
    let name = path.display();
    ensure!(!path.is_dir(), "cannot read `{name}`: it is a directory, expected {kind}");
    if !path.exists() {
        if let Some((sort, command)) = taker(&name.to_string()) {
            bail!("`{name}` is a built-in {sort}, expected {kind}; `{command}` takes it");
        }
        let known: Vec<&str> = known.collect();
        let hint = did_you_mean(&name.to_string(), known.iter().copied());
        ensure!(!known.is_empty(), "there is no file `{name}`, expected {kind}");
        // A name with an extension is that of a file.
        ensure!(path.extension().is_none(), "there is no file `{name}`, expected {kind}{hint}");
        bail!(
            "`{name}` is neither a file nor built in{hint}; expected {kind} or one of {}",
            known.join(", ")
        );
    }
    Ok(())
}

/// Converts the JSON document in `path`, or on standard input for `-`.
fn document<T: DeserializeOwned, U>(
    path: &Path,
    make: fn(T) -> anyhow::Result<U>,
) -> anyhow::Result<U> {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        format!("`{}`", path.display())
    };
    let bytes = read(path).with_context(|| format!("cannot read {name}"))?;
    json(&bytes).and_then(make).with_context(|| name)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        ensure!(!path.is_dir(), "it is a directory, expected a JSON file");
        Box::new(File::open(path)?)
    };
    source.take(SIZE_LIMIT + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= SIZE_LIMIT, "it is longer than {SIZE_LIMIT} bytes");
    Ok(bytes)
}

/// The value in `bytes`, or an error that names the field and the text at which reading failed.
fn json<T: DeserializeOwned>(bytes: &[u8]) -> anyhow::Result<T> {
    ensure!(!bytes.trim_ascii().is_empty(), "it is empty, expected an object");
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value: Object<T> = match serde_path_to_error::deserialize(&mut reader) {
        Ok(value) => value,
        Err(error) => {
            let field = error.path().to_string();
            // For a truncated document, or for a key that is not a string, the path is unknown.
            let known = field != "." && !field.contains('?');
            let place = if known { format!("`{field}`: ") } else { String::new() };
            let error = error.into_inner();
            let message = error.to_string().replace("expected f64", "expected a number");
            match word(bytes, error.line(), error.column()) {
                Some(word) if !error.is_eof() => bail!("{place}found `{word}`: {message}"),
                _ => bail!("{place}{message}"),
            }
        }
    };
    reader.end().context("expected nothing after the closing brace")?;
    Ok(value.0)
}

/// A struct that must be given as a JSON object.
///
/// Structs of serde also accept a list of the values of their fields, in an unspecified order.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// The number or bare word at a position in a text; lines and columns count from 1.
fn word(bytes: &[u8], line: usize, column: usize) -> Option<String> {
    let line = bytes.split(|&byte| byte == b'\n').nth(line.checked_sub(1)?)?;
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
    let middle = column.min(line.len());
    let begin = line[..middle].iter().rposition(|byte| !belongs(byte)).map_or(0, |at| at + 1);
    let end = line[middle..].iter().position(|byte| !belongs(byte)).unwrap_or(line.len() - middle);
    let word: Vec<u8> = line[begin..middle + end].iter().copied().take(40).collect();
    String::from_utf8(word).ok().filter(|word| !word.is_empty())
}

/// The matrix with these rows, each of which has `columns` entries, one for each `meaning`.
fn matrix(
    field: &str,
    rows: Vec<Vec<f64>>,
    columns: usize,
    meaning: &str,
) -> anyhow::Result<DMatrix<f64>> {
    for (index, row) in rows.iter().enumerate() {
        check_length(&format!("{field}[{index}]"), row, columns, meaning)?;
    }
    Ok(DMatrix::from_row_iterator(rows.len(), columns, rows.into_iter().flatten()))
}

fn check_length<T>(field: &str, list: &[T], expected: usize, meaning: &str) -> anyhow::Result<()> {
    let found = list.len();
    ensure!(
        found == expected,
        "`{field}` has {found} entries, expected {expected}, one for each {meaning}"
    );
    Ok(())
}
