//! Frictional contact problems as JSON: written in one call, then read and solved again with the same bits.
//!
//! ```text
//! {"delassus": {"blocks": [{"row": 0, "column": 0, "values": [[…], […], […]]}, …]},
//!  "free_velocity": […3n], "friction": […n], "law": "coulomb", "start": […3n],
//!  "method": {"combined": {"tolerance": 1e-8}}}
//! ```
//!
//! `delassus` may be `{"dense": [[…3n], …]}` instead. With `2n` rows the contacts are in the plane, each with a
//! normal and one tangent; `free_velocity` and `start` then have two entries per contact as well. `law` is
//! `coulomb` (the default) or `maximum-dissipation`. `start` (N·s) and `method` are optional: they hold the
//! initial impulses and the solver with its settings, so that a solve from a simulation can be repeated
//! exactly.
//!
//! Older documents have the law among the settings of their method,
//! `{"combined": {"law": "maximum-dissipation", …}}`. It is read as if it were in `law`. If both are given and
//! differ, the document is refused.
//!
//! Every number is written with enough digits to identify its double, and read as the nearest double. A
//! document of a [`BlockSparse`] problem therefore gives back the same problem, and a solver gives the same
//! bits. Other operators are written as blocks of the formed `W`, whose rounding differs from that of their
//! products.
//!
//! **Blocks.** With `"blocks": […]` the document has a problem of [`mixed`], whose head states the format: one row of
//! `delassus.dense` for each row of the blocks, no `friction`, and optionally `compliance` and `model`. Such a
//! document is stated by [`Document::blocks_problem`] and solved by [`Document::solve_blocks`].
//!
//! Without the feature `json` a [`Document`] only exists in memory.
//!
//! # Source
//!
//! T. Bray (ed.), "The JavaScript Object Notation (JSON) Data Interchange Format", RFC 8259, 2017, section 6 (numbers).

mod blocks;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "json")]
mod stated;

use nalgebra::{DMatrix, Matrix3, Vector3};

use super::{BlockSparse, Delassus, Law, Method, Problem, ProblemError, Solution, mixed, report};

/// A frictional contact problem in the form of a file; see the [module](self).
///
/// # Example
///
/// A block of 2 kg that slides at 3 m/s is pressed to the floor with 4 N·s.
///
/// ```
/// use percussion_complementarity::friction::{Method, Problem, document::Document};
///
/// let half = 0.5 * nalgebra::DMatrix::identity(3, 3);
/// let problem = Problem::from_dense(&half, &[-2.0, 3.0, 0.0], &[0.5])?;
/// let document = Document::of(&problem);
/// # #[cfg(feature = "json")]
/// let document: Document = document.to_string().parse()?;
/// assert_eq!(document.problem()?, problem);
/// assert_eq!(document.solve()?.impulses[0], nalgebra::vector![4.0, -2.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(try_from = "stated::Stated"))]
pub struct Document {
    /// The operator `W` (kg⁻¹).
    pub delassus: Operator,
    /// The velocities without contact impulses (m/s) of each contact: normal and tangent in the plane; normal,
    /// tangent, tangent in space.
    pub free_velocity: Vec<f64>,
    /// The friction coefficients, one per contact (≥ 0); none in a document with blocks.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub friction: Vec<f64>,
    /// The blocks of a problem of [`mixed`], in the order of their rows.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub blocks: Option<Vec<mixed::Block>>,
    /// The compliance of each row of a problem with blocks; zero by default.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub compliance: Option<Vec<f64>>,
    /// The model of the contacts of a problem with blocks; Coulomb's law by default, which is then not written.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "json::is_coulomb"))]
    pub model: mixed::Model,
    /// The friction law; Coulomb's by default, which is then not written.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "json::is_default"))]
    pub law: Law,
    /// The initial impulses (N·s), in the same order; zero by default.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub start: Option<Vec<f64>>,
    /// The solver with its settings; [`Method::default`] if not given.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub method: Option<Method>,
}

/// The operator of a [`Document`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Operator {
    /// All `3n` rows of the matrix, or `2n` rows for contacts in the plane.
    Dense(Vec<Vec<f64>>),
    /// The blocks that are not zero, both triangles and all diagonal blocks.
    Blocks(Vec<Block>),
}

/// One block of an [`Operator`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct Block {
    /// Index of the contact whose velocity changes.
    pub row: usize,
    /// Index of the contact whose impulse causes the change.
    pub column: usize,
    /// The entries by rows (kg⁻¹).
    pub values: [[f64; 3]; 3],
}

/// The reason why a document is not a valid problem, or could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a document.
    #[cfg(feature = "json")]
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The length of a list does not match the number of friction coefficients.
    #[error("`{field}` has {found} entries, expected {expected}")]
    Length {
        /// Name of the list.
        field: String,
        /// Length found.
        found: usize,
        /// Length expected.
        expected: usize,
    },
    /// The numbers do not make a valid problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The numbers do not make a valid problem with blocks.
    #[error(transparent)]
    Blocks(#[from] mixed::Error),
    /// A field is given or missing that belongs to the other kind of document.
    #[error("`{field}` is {found}, expected {expected}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// `given`, `missing`, or its value.
        found: &'static str,
        /// What was expected.
        expected: &'static str,
    },
    /// The solver could not start.
    #[error(transparent)]
    Solver(#[from] report::Error),
}

impl Document {
    /// The document of any problem, without a start and a method.
    ///
    /// Costs one product with a row of `W` for each column of each block.
    #[must_use]
    pub fn of<D: Delassus>(problem: &Problem<D>) -> Self {
        let n = problem.contact_count();
        let mut blocks = Vec::new();
        let mut impulses = vec![Vector3::zeros(); n];
        let mut memory = Vec::new();
        // For every column its rows, in ascending order.
        let mut rows = vec![Vec::new(); n];
        for row in 0..n {
            problem.delassus().neighbors(row, &mut |column| rows[column].push(row));
        }
        for (column, mut rows) in rows.into_iter().enumerate() {
            rows.dedup();
            let first = blocks.len();
            blocks.extend(rows.iter().map(|&row| Block { row, column, values: [[0.0; 3]; 3] }));
            for c in 0..3 {
                impulses[column][c] = 1.0;
                problem.delassus().begin(&impulses, &mut memory);
                for block in &mut blocks[first..] {
                    let velocity = problem.delassus().velocity(block.row, &impulses, &memory);
                    for r in 0..3 {
                        block.values[r][c] = velocity[r];
                    }
                }
                impulses[column][c] = 0.0;
            }
        }
        Self {
            delassus: Operator::Blocks(blocks),
            free_velocity: flat(problem.free_velocity()),
            friction: problem.contacts().iter().map(super::single::Contact::friction).collect(),
            blocks: None,
            compliance: None,
            model: mixed::Model::default(),
            law: problem.law(),
            start: None,
            method: None,
        }
    }

    /// The same document with initial impulses (N·s).
    #[must_use]
    pub fn with_start(self, impulses: &[Vector3<f64>]) -> Self {
        Self { start: Some(flat(impulses)), ..self }
    }

    /// The same document with a solver and its settings.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method: Some(method), ..self }
    }

    /// Number of components of a velocity or an impulse of one contact: 2 in the plane, otherwise 3.
    #[must_use]
    pub fn components(&self) -> usize {
        match &self.delassus {
            Operator::Dense(rows) if !rows.is_empty() && rows.len() == 2 * self.friction.len() => 2,
            _ => 3,
        }
    }

    /// The problem; impulses and velocities of contacts in the plane get a third component, which is zero.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] and [`Error::Problem`], and [`Error::Field`] for a document with blocks.
    pub fn problem(&self) -> Result<Problem, Error> {
        if self.blocks.is_some() {
            let expected = "a problem of discs; state it by `blocks_problem`";
            return Err(Error::Field { field: "blocks", found: "given", expected });
        }
        let (n, components) = (self.friction.len(), self.components());
        let delassus = match &self.delassus {
            Operator::Dense(rows) => {
                let size = components * n;
                check_length("delassus.dense", rows.len(), size)?;
                for (index, row) in rows.iter().enumerate() {
                    check_length(&format!("delassus.dense[{index}]"), row.len(), size)?;
                }
                let entries = rows.iter().flatten().copied();
                let matrix = DMatrix::from_row_iterator(size, size, entries);
                if components == 2 {
                    BlockSparse::from_planar(&matrix)?
                } else {
                    BlockSparse::from_dense(&matrix)?
                }
            }
            Operator::Blocks(blocks) => {
                // `Matrix3::from` takes columns.
                let matrix = |block: &Block| Matrix3::from(block.values).transpose();
                let blocks: Vec<_> =
                    blocks.iter().map(|block| (block.row, block.column, matrix(block))).collect();
                BlockSparse::from_blocks(n, &blocks)?
            }
        };
        let free = vectors("free_velocity", &self.free_velocity, n, components)?;
        Ok(Problem::from_sparse(delassus, free, &self.friction)?.with_law(self.law))
    }

    /// The initial impulses (N·s), one per contact.
    ///
    /// # Errors
    ///
    /// [`Error::Length`].
    pub fn start(&self) -> Result<Vec<Vector3<f64>>, Error> {
        let n = self.friction.len();
        match &self.start {
            Some(start) => vectors("start", start, n, self.components()),
            None => Ok(vec![Vector3::zeros(); n]),
        }
    }

    /// Solves the problem by the document's method from its initial impulses.
    ///
    /// # Errors
    ///
    /// See [`Error`]. Not converging is not an error but a status.
    pub fn solve(&self) -> Result<Solution, Error> {
        let problem = self.problem()?;
        let mut impulses = self.start()?;
        let report = self.method.unwrap_or_default().solve_from(&problem, &mut impulses)?;
        Ok(Solution { velocities: problem.velocities(&impulses), impulses, report })
    }
}

fn flat(vectors: &[Vector3<f64>]) -> Vec<f64> {
    vectors.iter().flatten().copied().collect()
}

fn vectors(
    field: &str,
    numbers: &[f64],
    contacts: usize,
    components: usize,
) -> Result<Vec<Vector3<f64>>, Error> {
    check_length(field, numbers.len(), components * contacts)?;
    let vector =
        |entries: &[f64]| Vector3::from_fn(|row, _| entries.get(row).copied().unwrap_or(0.0));
    Ok(numbers.chunks_exact(components).map(vector).collect())
}

fn check_length(field: &str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Length { field: field.to_owned(), found, expected })
}

#[cfg(test)]
#[cfg(feature = "json")]
mod tests;
