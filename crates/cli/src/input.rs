//! Files that people hand over, read with complaints they can act on.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, bail, ensure};
use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::Problem;
use percussion_scenarios::Scenario;
use serde::{Deserialize, de::DeserializeOwned};

/// Longest file that is read (bytes): a matrix of some 3000 rows.
const SIZE_LIMIT: u64 = 256 << 20;

/// An LCP as it stands in a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LcpFile {
    matrix: Vec<Vec<f64>>,
    vector: Vec<f64>,
}

/// Reads the problem `{"matrix": [[…]], "vector": […]}` from `path`, or standard input for `-`.
///
/// # Errors
///
/// Names the file and the field with the value found and what was expected.
pub(crate) fn lcp(path: &Path) -> anyhow::Result<Problem> {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        format!("`{}`", path.display())
    };
    let bytes = read(path).with_context(|| format!("cannot read {name}"))?;
    json(&bytes).and_then(problem).with_context(|| name)
}

/// The built-in scenario called `name`, or that in the file `name`.
///
/// # Errors
///
/// Names the file and the field, or the scenarios that are built in.
pub(crate) fn scenario(name: &str) -> anyhow::Result<Scenario> {
    let path = Path::new(name);
    if Scenario::names().any(|known| known == name) || !path.exists() {
        Scenario::named(name).with_context(|| format!("`{name}` is neither a file nor built in"))
    } else {
        Scenario::from_path(path).with_context(|| format!("`{name}`"))
    }
}

fn problem(file: LcpFile) -> anyhow::Result<Problem> {
    let n = file.matrix.len();
    for (index, row) in file.matrix.iter().enumerate() {
        let found = row.len();
        ensure!(
            found == n,
            "`matrix[{index}]` has {found} entries, expected {n}, one for each row"
        );
    }
    let matrix = DMatrix::from_row_iterator(n, n, file.matrix.into_iter().flatten());
    Ok(Problem::new(matrix, DVector::from_vec(file.vector))?)
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

/// The value in `bytes`, or the field and the text where it went wrong.
fn json<T: DeserializeOwned>(bytes: &[u8]) -> anyhow::Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = match serde_path_to_error::deserialize(&mut reader) {
        Ok(value) => value,
        Err(error) => {
            let field = error.path().to_string();
            let place = if field == "." { String::new() } else { format!("`{field}`: ") };
            let error = error.into_inner();
            let message = error.to_string().replace("expected f64", "expected a number");
            match word(bytes, error.line(), error.column()) {
                Some(word) if !error.is_eof() => bail!("{place}found `{word}`: {message}"),
                _ => bail!("{place}{message}"),
            }
        }
    };
    reader.end().context("expected nothing after the closing brace")?;
    Ok(value)
}

/// The number or bare word around a place in a text, where lines and columns count from 1.
fn word(bytes: &[u8], line: usize, column: usize) -> Option<String> {
    let line = bytes.split(|&byte| byte == b'\n').nth(line.checked_sub(1)?)?;
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
    let middle = column.min(line.len());
    let begin = line[..middle].iter().rposition(|byte| !belongs(byte)).map_or(0, |at| at + 1);
    let end = line[middle..].iter().position(|byte| !belongs(byte)).unwrap_or(line.len() - middle);
    let word: Vec<u8> = line[begin..middle + end].iter().copied().take(40).collect();
    String::from_utf8(word).ok().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> String {
        format!("{:#}", json(text.as_bytes()).and_then(problem).unwrap_err())
    }

    #[test]
    fn complaints_name_the_field_the_value_and_what_was_expected() {
        let lines: Vec<String> = [
            r#"{"matrix": [[1, 0], [0, "two"]], "vector": [1, 2]}"#,
            r#"{"matrix": [[1, 0], [0, 1e999]], "vector": [1, 2]}"#,
            r#"{"matrix": [[1, 0], [0, NaN]], "vector": [1, 2]}"#,
            r#"{"matrix": [[1, 0], [0]], "vector": [1, 2]}"#,
            r#"{"matrix": [[1, 0]], "vector": [1]}"#,
            r#"{"matrix": [[1]], "vector": [1, 2]}"#,
            r#"{"matrix": [], "vector": []}"#,
            r#"{"matrix": [[1]], "vector": [1], "vectr": [2]}"#,
            r#"{"matrix": [[1]]}"#,
            r#"{"matrix": [[1]], "vector": [1]} more"#,
            r#"{"matrix": [[1, 0], [0, "#,
            "",
        ]
        .into_iter()
        .map(complaint)
        .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        `matrix[1][1]`: invalid type: string "two", expected a number at line 1 column 29
        `matrix[1][1]`: found `1e999`: number out of range at line 1 column 29
        `matrix[1][1]`: found `NaN`: expected value at line 1 column 25
        `matrix[1]` has 1 entries, expected 2, one for each row
        `matrix[0]` has 2 entries, expected 1, one for each row
        vector has length 2, expected 1
        matrix is empty, expected at least one row
        `vectr`: unknown field `vectr`, expected `matrix` or `vector` at line 1 column 40
        missing field `vector` at line 1 column 17
        expected nothing after the closing brace: trailing characters at line 1 column 34
        `matrix[1]`: EOF while parsing a value at line 1 column 24
        EOF while parsing a value at line 1 column 0
        "#);
    }

    #[test]
    fn rows_of_the_file_are_rows_of_the_matrix() {
        let text = br#"{"vector": [5, 6], "matrix": [[1, 2], [3, 4]]}"#;
        let problem = json(text).and_then(problem).unwrap();
        assert_eq!(problem.matrix(), &DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]));
        assert_eq!(problem.vector(), &DVector::from_row_slice(&[5.0, 6.0]));
    }
}
