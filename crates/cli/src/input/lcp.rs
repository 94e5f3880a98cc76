//! Linear complementarity problems, `{"matrix": [[…]], "vector": […]}`.

use std::path::Path;

use nalgebra::DVector;
use percussion_complementarity::lcp::Problem;
use serde::Deserialize;

use super::{Kind, misplaced};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LcpFile {
    /// The matrix by rows, square.
    matrix: Vec<Vec<f64>>,
    /// The vector.
    vector: Vec<f64>,
}

/// Reads the problem in `path`, or on standard input for `-`.
///
/// # Errors
///
/// The error names the file and the field, the value found and the expected one.
pub(crate) fn lcp(path: &Path) -> anyhow::Result<Problem> {
    let read = super::document(path, problem);
    read.map_err(|error| misplaced(&path.display().to_string(), &[Kind::Lcp], error))
}

fn problem(file: LcpFile) -> anyhow::Result<Problem> {
    let n = file.matrix.len();
    let matrix = super::matrix("matrix", file.matrix, n, "row")?;
    Ok(Problem::new(matrix, DVector::from_vec(file.vector))?)
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::{super::json, *};

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
            r#"[[[1]], [1]]"#,
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
        invalid type: sequence, expected an object at line 1 column 0
        it is empty, expected an object
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
