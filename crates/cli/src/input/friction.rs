//! Frictional contact problems: the library's [`Document`] or a file of Siconos (`*.dat`).

use std::path::Path;

use anyhow::Context;
use nalgebra::Vector3;
use percussion_complementarity::friction::{Method, Problem, document::Document, mixed, siconos};

use super::{Kind, misplaced};

/// Content of a file.
#[derive(Debug, PartialEq)]
pub(crate) enum Friction {
    /// Contacts with discs.
    Discs(Stated),
    /// A problem with blocks.
    Blocks(StatedBlocks),
}

/// A problem with blocks, the impulses to begin with and the solver that it was written for.
#[derive(Debug, PartialEq)]
pub(crate) struct StatedBlocks {
    pub(crate) problem: mixed::Problem,
    pub(crate) start: Vec<f64>,
    pub(crate) method: Option<Method>,
}

/// A problem of discs.
#[derive(Debug, PartialEq)]
pub(crate) struct Stated {
    pub(crate) problem: Problem,
    /// Entries of an impulse of one contact: 2 in the plane, otherwise 3.
    pub(crate) components: usize,
    /// The initial impulses.
    pub(crate) start: Vec<Vector3<f64>>,
    /// The solver for which the file was written.
    pub(crate) method: Option<Method>,
}

/// Reads the problem in `path`, or a JSON document on standard input for `-`.
///
/// # Errors
///
/// The error names the file and the field or line, the value found and the expected one.
pub(crate) fn friction(path: &Path) -> anyhow::Result<Friction> {
    if path.extension().is_some_and(|extension| extension == "dat") {
        let name = || format!("`{}`", path.display());
        let bytes = super::read(path).with_context(|| format!("cannot read {}", name()))?;
        let text = String::from_utf8_lossy(&bytes);
        let reading = siconos::read(&text).with_context(name)?;
        if let Some(asymmetry) = reading.asymmetry {
            let file = name();
            tracing::warn!(
                "{file}: the operator is unsymmetric by {asymmetry:.1e} of its diagonal; its symmetric part is solved"
            );
        }
        let (problem, components) = (reading.problem, 1 + reading.tangents);
        let start = vec![Vector3::zeros(); problem.contact_count()];
        return Ok(Friction::Discs(Stated { problem, components, start, method: None }));
    }
    let read = super::document(path, stated);
    read.map_err(|error| misplaced(&path.display().to_string(), &[Kind::Friction], error))
}

fn stated(document: Document) -> anyhow::Result<Friction> {
    let (components, method) = (document.components(), document.method);
    if document.blocks.is_some() {
        let (problem, start) = (document.blocks_problem()?, document.blocks_start()?);
        return Ok(Friction::Blocks(StatedBlocks { problem, start, method }));
    }
    let (problem, start) = (document.problem()?, document.start()?);
    Ok(Friction::Discs(Stated { problem, components, start, method }))
}

#[cfg(test)]
mod tests {
    use super::{super::json, *};

    const DENSE: &str = r#"{"delassus": {"dense": [[2, 1, 0], [1, 3, 0], [0, 0, 4]]},
        "free_velocity": [-1, 2, 0], "friction": [0.5]}"#;

    #[test]
    fn dense_and_blocks_say_the_same() {
        let dense = r#"{"delassus": {"dense": [[2, 1, 0, 0.1, 0.2, 0.3], [1, 3, 0, 0.4, 0.5, 0.6],
            [0, 0, 4, 0.7, 0.8, 0.9], [0.1, 0.4, 0.7, 5, 0, 0], [0.2, 0.5, 0.8, 0, 5, 0],
            [0.3, 0.6, 0.9, 0, 0, 5]]}, "free_velocity": [-1, 2, 0, 1, 2, 3], "friction": [0.5, 1]}"#;
        let blocks = r#"{"delassus": {"blocks": [
            {"row": 0, "column": 0, "values": [[2, 1, 0], [1, 3, 0], [0, 0, 4]]},
            {"row": 0, "column": 1, "values": [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]},
            {"row": 1, "column": 0, "values": [[0.1, 0.4, 0.7], [0.2, 0.5, 0.8], [0.3, 0.6, 0.9]]},
            {"row": 1, "column": 1, "values": [[5, 0, 0], [0, 5, 0], [0, 0, 5]]}]},
            "free_velocity": [-1, 2, 0, 1, 2, 3], "friction": [0.5, 1]}"#;
        let read = |text: &str| json(text.as_bytes()).and_then(stated).unwrap();
        assert_eq!(read(dense), read(blocks));
    }

    #[test]
    fn complaints_name_what_is_wrong() {
        let lines: Vec<String> = [
            ("[0.5]", "[-0.5]"),
            ("[-1, 2, 0]", "[-1, 2]"),
            ("[0.5]", "[0.5, 1]"),
            ("[[2, 1, 0]", "[[2, 7, 0]"),
            ("[[2, 1, 0]", "[[0, 1, 0]"),
            ("dense", "sparse"),
            (r#"{"dense": [[2, 1, 0], [1, 3, 0], [0, 0, 4]]}"#, r#"{"blocks": [[0, 0, []]]}"#),
            (r#"{"dense": [[2, 1, 0], [1, 3, 0], [0, 0, 4]]}"#, r#"{"blocks": []}"#),
            ("friction", "frictoin"),
        ]
        .into_iter()
        .map(|(from, to)| {
            let text = DENSE.replacen(from, to, 1);
            format!("{:#}", json(text.as_bytes()).and_then(stated).unwrap_err())
        })
        .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        contact 0: friction is -0.5, expected a finite number ≥ 0
        `free_velocity` has 2 entries, expected 3
        `delassus.dense` has 3 entries, expected 6
        contact 0: block[0][1] is 7 but block[1][0] is 1, expected a symmetric block
        contact 0: block[0][0] is 0, expected a positive number
        `delassus`: unknown variant `sparse`, expected `dense` or `blocks` at line 1 column 22
        `delassus.blocks[0]`: invalid type: sequence, expected an object at line 1 column 25
        block (0, 0) is missing, expected a positive definite block
        `frictoin`: unknown field `frictoin`, expected one of `delassus`, `free_velocity`, `friction`, `blocks`, `compliance`, `model`, `law`, `start`, `method` at line 2 column 47
        ");
    }
}
