//! Problems as JSON: written in one call, read and solved again to the same bits.
//!
//! ```text
//! {"delassus": {"blocks": [{"row": 0, "column": 0, "values": [[…], […], […]]}, …]},
//!  "free_velocity": […3n], "friction": […n], "start": […3n], "method": {"combined": {"tolerance": 1e-8}}}
//! ```
//!
//! `delassus` may be `{"dense": [[…3n], …]}` instead. With `2n` rows it is that of contacts in the plane, each with a normal and
//! one tangent; then `free_velocity` and `start` have two entries a contact as well. `start` (N·s) and `method` are optional: the impulses that a solve
//! began with and the solver with its settings, so that a solve inside a simulation can be repeated as it was.
//!
//! Numbers are written with the digits that single out their double, and read as the nearest one. A document of a
//! [`BlockSparse`] problem therefore gives back the same problem, and the same solver the same bits. Other operators are
//! written by their blocks, `W` formed, which rounds differently than their products do.
//!
//! # Source
//!
//! T. Bray (ed.), "The JavaScript Object Notation (JSON) Data Interchange Format", RFC 8259, 2017, section 6 (numbers).

use std::{fmt, str::FromStr};

use nalgebra::{DMatrix, Matrix3, Vector3};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{BlockSparse, Delassus, Method, Problem, ProblemError, Solution, report};

/// A frictional contact problem as it stands in a file; see the [module](self).
///
/// # Example
///
/// A block of 2 kg that slides at 3 m/s is pressed to the floor with 4 N·s.
///
/// ```
/// use percussion_complementarity::friction::{Document, Method, Problem};
///
/// let half = 0.5 * nalgebra::DMatrix::identity(3, 3);
/// let problem = Problem::from_dense(&half, &[-2.0, 3.0, 0.0], &[0.5])?;
/// let text = Document::of(&problem).to_string();
/// let document: Document = text.parse()?;
/// assert_eq!(document.problem()?, problem);
/// assert_eq!(document.solve()?.impulses[0], nalgebra::vector![4.0, -2.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The operator `W` (kg⁻¹).
    pub delassus: Operator,
    /// The velocities without contact impulses (m/s) of each contact: normal, tangent and, in space, tangent.
    pub free_velocity: Vec<f64>,
    /// The friction coefficients, one for each contact, at least 0.
    pub friction: Vec<f64>,
    /// The impulses to begin with (N·s), in the same order; zero by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<f64>>,
    /// The solver with its settings; [`Method::default`] if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
}

/// The operator of a [`Document`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// All `3n` rows of the matrix, or `2n` of contacts in the plane.
    Dense(Vec<Vec<f64>>),
    /// The blocks that are not zero, both triangles and all diagonal blocks.
    Blocks(Vec<Block>),
}

/// One block of an [`Operator`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// Contact whose velocity changes.
    pub row: usize,
    /// Contact whose impulse changes it.
    pub column: usize,
    /// The entries by rows (kg⁻¹).
    pub values: [[f64; 3]; 3],
}

/// Why a document is not a problem, or could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a document.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A list has not the length that the number of friction coefficients asks for.
    #[error("`{field}` has {found} entries, expected {expected}")]
    Length {
        /// Name of the list.
        field: String,
        /// Length found.
        found: usize,
        /// Length expected.
        expected: usize,
    },
    /// The numbers do not make a problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
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
        // For every column its rows, ascending.
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
            start: None,
            method: None,
        }
    }

    /// The same document with the impulses that a solve begins with (N·s).
    #[must_use]
    pub fn with_start(self, impulses: &[Vector3<f64>]) -> Self {
        Self { start: Some(flat(impulses)), ..self }
    }

    /// The same document with a solver and its settings.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method: Some(method), ..self }
    }

    /// Entries of a velocity or an impulse of one contact: 2 in the plane, otherwise 3.
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
    /// [`Error::Length`] and [`Error::Problem`].
    pub fn problem(&self) -> Result<Problem, Error> {
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
                // The matrix is made from its columns.
                let matrix = |block: &Block| Matrix3::from(block.values).transpose();
                let blocks: Vec<_> =
                    blocks.iter().map(|block| (block.row, block.column, matrix(block))).collect();
                BlockSparse::from_blocks(n, &blocks)?
            }
        };
        let free = vectors("free_velocity", &self.free_velocity, n, components)?;
        Ok(Problem::from_sparse(delassus, free, &self.friction)?)
    }

    /// The impulses to begin with (N·s), one for each contact.
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

    /// Solves the problem by the document's method from its start.
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

/// The document as one line of JSON.
impl fmt::Display for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        formatter.write_str(&text)
    }
}

impl FromStr for Document {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Ok(serde_json::from_str(text)?)
    }
}

/// Blocks stand as objects; what is derived would also take a list of the fields' values.
impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            row: usize,
            column: usize,
            values: [[f64; 3]; 3],
        }

        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Fields, A::Error> {
                Fields::deserialize(MapAccessDeserializer::new(map))
            }
        }

        let Fields { row, column, values } = deserializer.deserialize_map(Object)?;
        Ok(Self { row, column, values })
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::friction::{
        Law, MatrixFree, Status, block_gauss_seidel, problem::tests::random_problem,
    };

    fn bits(vectors: &[Vector3<f64>]) -> Vec<u64> {
        flat(vectors).into_iter().map(f64::to_bits).collect()
    }

    proptest! {
        #[test]
        fn a_problem_comes_back_with_every_bit_and_is_solved_to_the_same(
            seed in 0_u64..1000, contacts in 1_usize..8, law in prop_oneof![
                Just(Law::Coulomb), Just(Law::MaximumDissipation)
            ],
        ) {
            let problem = random_problem(seed, 3, contacts, 0.4);
            let start = vec![Vector3::new(0.1, 0.02, -0.03); problem.contact_count()];
            let method = Method::default().with(law, 1e-9).unwrap();
            let text = Document::of(&problem).with_start(&start).with_method(method).to_string();
            let document: Document = text.parse().unwrap();
            prop_assert_eq!(&document.problem().unwrap(), &problem);
            prop_assert_eq!(bits(&document.start().unwrap()), bits(&start));

            let mut impulses = start;
            let report = method.solve_from(&problem, &mut impulses).unwrap();
            let again = document.solve().unwrap();
            prop_assert_eq!(again.report, report);
            prop_assert_eq!(bits(&again.impulses), bits(&impulses));
        }
    }

    #[test]
    fn an_operator_without_blocks_is_written_by_the_blocks_it_acts_by() {
        let jacobian =
            DMatrix::from_fn(6, 4, |i, j| f64::from(u8::from(i % 4 == j)) + 0.1 * i as f64);
        let inverse_mass = DMatrix::from_diagonal_element(4, 4, 0.5);
        let free = MatrixFree::new(&jacobian, &inverse_mass).unwrap();
        let velocity = vec![Vector3::new(-1.0, 0.5, 0.0); 2];
        let problem = Problem::new(free, velocity, &[0.5, 0.25]).unwrap();
        let read = Document::of(&problem).problem().unwrap();
        // Sums of four products of numbers below 2.
        assert!((read.dense() - problem.dense()).amax() <= 16.0 * f64::EPSILON);
        assert_eq!(read.free_velocity(), problem.free_velocity());
    }

    #[test]
    fn two_rows_a_contact_are_contacts_in_the_plane() {
        let text = r#"{"delassus": {"dense": [[0.5, 0.0], [0.0, 0.5]]}, "free_velocity": [-2.0, 3.0],
            "friction": [0.5], "start": [1.0, -0.5]}"#;
        let document: Document = text.parse().unwrap();
        assert_eq!(document.components(), 2);
        assert_eq!(document.start().unwrap(), [Vector3::new(1.0, -0.5, 0.0)]);
        let solution = document.solve().unwrap();
        assert_eq!(solution.impulses, [Vector3::new(4.0, -2.0, 0.0)]);
        let short = Document { start: Some(vec![0.0; 3]), ..document };
        assert_eq!(short.start().unwrap_err().to_string(), "`start` has 3 entries, expected 2");
    }

    #[test]
    fn a_solve_that_failed_fails_again_in_the_same_way() {
        let dense = nalgebra::dmatrix![2.0, 1.9, 0.3; 1.9, 2.0, 0.1; 0.3, 0.1, 1.0];
        let problem = Problem::from_dense(&dense, &[-1.0, 0.7, 0.4], &[3.0]).unwrap();
        let settings =
            block_gauss_seidel::Settings { tolerance: 0.0, max_sweeps: 3, ..Default::default() };
        let method = Method::BlockGaussSeidel(settings);
        let first = method.solve(&problem).unwrap();
        assert_ne!(first.report.status, Status::Solved);
        let again = Document::of(&problem).with_method(method).solve().unwrap();
        assert_eq!(again, first);
    }

    #[test]
    fn bad_documents_say_what_is_wrong() {
        const GOOD: &str = r#"{"delassus": {"blocks": [{"row": 0, "column": 0,
            "values": [[2, 0, 0], [0, 2, 0], [0, 0, 2]]}]}, "free_velocity": [-1, 0, 0], "friction": [0.5]}"#;
        assert!(GOOD.parse::<Document>().unwrap().solve().is_ok());
        let lines: Vec<String> = [
            (r#""row": 0"#, r#""row": 1"#),
            ("[-1, 0, 0]", "[-1, 0]"),
            ("[-1, 0, 0]", r#"[-1, 0, 0], "start": [0]"#),
            (
                "[-1, 0, 0]",
                r#"[-1, 0, 0], "start": [0, 0, 0], "method": {"combined": {"law": "dry"}}"#,
            ),
            ("[0.5]", "[]"),
            (r#""row""#, r#""line""#),
            ("[0.5]}", "[0.5"),
            (r#"{"row": 0, "column": 0,"#, "[0, 0,"),
        ]
        .into_iter()
        .map(|(from, to)| {
            let text = GOOD.replacen(from, to, 1);
            text.parse().and_then(|document: Document| document.solve()).unwrap_err().to_string()
        })
        .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        block (1, 0) is outside of 1 contacts
        `free_velocity` has 2 entries, expected 3
        `start` has 1 entries, expected 3
        unknown variant `dry`, expected `coulomb` or `maximum-dissipation` at line 2 column 145
        block (0, 0) is outside of 0 contacts
        unknown field `line`, expected one of `row`, `column`, `values` at line 1 column 32
        EOF while parsing a list at line 2 column 105
        invalid type: sequence, expected an object at line 1 column 25
        ");
    }
}
