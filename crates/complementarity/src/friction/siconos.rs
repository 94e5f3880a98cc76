//! Reader of the text files in which Siconos stores frictional contact problems (`.dat`).
//!
//! The file holds numbers separated by white space: the dimension (3), the number of contacts `n`, the
//! operator, the free velocity (`3n`; normal, tangent, tangent) and the friction coefficients (`n`). Anything
//! after these is ignored. The operator consists of its storage (0 dense, 1 by blocks), rows, columns, and then
//!
//! - dense: rows and columns once more, and the entries by columns;
//! - by blocks: numbers of blocks, of block rows and of block columns; the last row of each block row and the last
//!   column of each block column, counted from 1; the length of the row pointers and the number of filled blocks; row
//!   pointers and block columns; and for every block its index and its 9 entries by columns.
//!
//! Contacts of dimension 2 are those of the plane (normal, tangent), with blocks of 4 entries and two velocities.
//!
//! # Asymmetry
//!
//! Programs that form the operator from two linearizations leave it unsymmetric. Up to
//! [`SYMMETRY`] it is used as it is. Up to [`LARGEST_ASYMMETRY`] its symmetric part takes its
//! place, and [`Reading::asymmetry`] says how large the difference was; beyond that it is refused.
//!
//! # Source
//!//!
//! V. Acary, O. Bonnefon, M. Brémond, O. Huber, F. Pérignon, S. Sinclair, *An introduction to Siconos*, INRIA RT-0340;
//! the format is that of its `frictionContact_printInFile`.

use nalgebra::{DMatrix, Matrix3, Vector3};

use super::{BlockSparse, Problem, ProblemError, single::SYMMETRY};

/// Largest asymmetry, measured as by [`BlockSparse::symmetric_part`], of an operator that is replaced by its symmetric
/// part.
pub const LARGEST_ASYMMETRY: f64 = 0.1;

/// A problem as a file states it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// The problem.
    pub problem: Problem,
    /// Tangents of its contacts, 1 or 2.
    pub tangents: usize,
    /// Asymmetry of the operator in the file, measured as by [`BlockSparse::symmetric_part`], where it was replaced by
    /// its symmetric part; otherwise `None`.
    pub asymmetry: Option<f64>,
}

/// The reason why a text is not a frictional contact problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text ends where a number is expected.
    #[error("line {line}: the file ends where {expected} is expected")]
    End {
        /// Last line of the text.
        line: usize,
        /// The expected quantity.
        expected: &'static str,
    },
    /// A word is not the expected number.
    #[error("line {line}: found `{found}`, expected {expected}")]
    Number {
        /// Line of the word.
        line: usize,
        /// The word.
        found: String,
        /// The expected quantity.
        expected: &'static str,
    },
    /// A number contradicts one before it.
    #[error("line {line}: {name} is {found}, expected {expected}")]
    Mismatch {
        /// Line of the number.
        line: usize,
        /// The name of the quantity.
        name: &'static str,
        /// The number.
        found: usize,
        /// The number expected.
        expected: usize,
    },
    /// The numbers do not make a valid problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Reads a problem from the contents of a file.
///
/// # Errors
///
/// [`Error`] with the line of the first invalid word, or with the reason why the problem is invalid.
///
/// # Example
///
/// ```
/// use percussion_complementarity::friction::siconos;
///
/// let text = "3 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 3 0  0.5";
/// let reading = siconos::read(text)?;
/// assert_eq!(reading.problem.contacts()[0].friction(), 0.5);
/// assert_eq!(reading.asymmetry, None);
/// let error = siconos::read("3\n1\n0 3 3\n3 3\n1 0 zero").unwrap_err();
/// assert_eq!(error.to_string(), "line 5: found `zero`, expected an entry of the operator");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(text: &str) -> Result<Reading, Error> {
    let mut words = Words { text: text.lines().enumerate(), line: 0, words: "".split_whitespace() };
    let dimension = words.count("the dimension")?;
    if dimension != 2 {
        words.is("the dimension", dimension, 3)?;
    }
    let contacts = words.count("the number of contacts")?;
    let storage = words.count("the storage of the operator")?;
    if storage > 1 {
        let (line, name) = (words.line, "storage (0 dense, 1 by blocks)");
        return Err(Error::Mismatch { line, name, found: storage, expected: 1 });
    }
    let size = contacts.saturating_mul(dimension);
    words.exactly("number of rows", size)?;
    words.exactly("number of columns", size)?;
    let delassus = if storage == 0 {
        dense(&mut words, size, dimension)?
    } else {
        by_blocks(&mut words, contacts, dimension)?
    };
    let mut free_velocity = Vec::new();
    for _ in 0..contacts {
        let mut entry = || words.number("an entry of the free velocity");
        let (normal, tangent) = (entry()?, entry()?);
        let other = if dimension == 3 { entry()? } else { 0.0 };
        free_velocity.push(Vector3::new(normal, tangent, other));
    }
    let friction = (0..contacts)
        .map(|_| words.number("a friction coefficient"))
        .collect::<Result<Vec<_>, _>>()?;
    let (symmetric, asymmetry) = delassus.symmetric_part();
    let replaced = asymmetry > SYMMETRY && asymmetry <= LARGEST_ASYMMETRY;
    let (delassus, asymmetry) =
        if replaced { (symmetric, Some(asymmetry)) } else { (delassus, None) };
    let problem = Problem::from_sparse(delassus, free_velocity, &friction)?;
    Ok(Reading { problem, tangents: dimension - 1, asymmetry })
}

fn dense(words: &mut Words<'_>, size: usize, dimension: usize) -> Result<BlockSparse, Error> {
    words.exactly("number of rows", size)?;
    words.exactly("number of columns", size)?;
    let mut entries = Vec::new();
    for _ in 0..size.saturating_mul(size) {
        entries.push(words.number("an entry of the operator")?);
    }
    let matrix = DMatrix::from_vec(size, size, entries);
    Ok(if dimension == 2 {
        BlockSparse::from_planar(&matrix)?
    } else {
        BlockSparse::from_dense(&matrix)?
    })
}

fn by_blocks(
    words: &mut Words<'_>,
    contacts: usize,
    dimension: usize,
) -> Result<BlockSparse, Error> {
    let count = words.count("the number of blocks")?;
    words.exactly("number of block rows", contacts)?;
    words.exactly("number of block columns", contacts)?;
    for _ in 0..2 {
        for contact in 0..contacts {
            words.exactly("end of a row or column of blocks", dimension * (contact + 1))?;
        }
    }
    words.exactly("number of row pointers", contacts + 1)?;
    words.exactly("number of filled blocks", count)?;
    words.exactly("first row pointer", 0)?;
    let mut ends = Vec::new();
    for _ in 0..contacts {
        let last = ends.last().copied().unwrap_or(0);
        let end = words.count("a row pointer")?;
        if end < last || end > count {
            let (line, name) = (words.line, "row pointer");
            return Err(Error::Mismatch { line, name, found: end, expected: last });
        }
        ends.push(end);
    }
    let mut positions = Vec::new();
    let mut row = 0;
    for index in 0..count {
        while row < contacts && ends[row] <= index {
            row += 1;
        }
        positions.push((row, words.count("the column of a block")?));
    }
    let mut blocks = Vec::new();
    for (index, (row, column)) in positions.into_iter().enumerate() {
        words.exactly("index of a block", index)?;
        let mut block = Matrix3::zeros();
        for r_and_c in 0..dimension * dimension {
            let entry = words.number("an entry of a block")?;
            block[(r_and_c % dimension, r_and_c / dimension)] = entry;
        }
        if dimension == 2 && row == column {
            block[(2, 2)] = block[(1, 1)];
        }
        blocks.push((row, column, block));
    }
    Ok(BlockSparse::from_blocks(contacts, &blocks)?)
}

/// The words of a text, with the line of the last one.
struct Words<'a> {
    text: std::iter::Enumerate<std::str::Lines<'a>>,
    line: usize,
    words: std::str::SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn next(&mut self, expected: &'static str) -> Result<&'a str, Error> {
        loop {
            if let Some(word) = self.words.next() {
                return Ok(word);
            }
            let Some((index, line)) = self.text.next() else {
                return Err(Error::End { line: self.line, expected });
            };
            (self.line, self.words) = (index + 1, line.split_whitespace());
        }
    }

    fn number(&mut self, expected: &'static str) -> Result<f64, Error> {
        let word = self.next(expected)?;
        word.parse().map_err(|_| Error::Number {
            line: self.line,
            found: word.to_string(),
            expected,
        })
    }

    fn count(&mut self, expected: &'static str) -> Result<usize, Error> {
        let word = self.next(expected)?;
        word.parse().map_err(|_| Error::Number {
            line: self.line,
            found: word.to_string(),
            expected,
        })
    }

    fn exactly(&mut self, name: &'static str, expected: usize) -> Result<(), Error> {
        let found = self.count(name)?;
        self.is(name, found, expected)
    }

    fn is(&self, name: &'static str, found: usize, expected: usize) -> Result<(), Error> {
        let line = self.line;
        if found == expected {
            Ok(())
        } else {
            Err(Error::Mismatch { line, name, found, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::float_cmp, reason = "these numbers are exact")]

    use super::*;

    const BLOCKS: &str = "3\n2\n1\n6 6\n4\n2 2\n3 6\n3 6\n3\n4\n0 2 4\n0 1 0 1\n\
        0 2 0 0 0 2 0 0 0 2\n1 -1 0 0 0 -1 0 0 0 -1\n2 -1 0 0 0 -1 0 0 0 -1\n3 2 0 0 0 2 0 0 0 2\n\
        -1 0 0 -2 0 0\n0.5 0.25\n";

    #[test]
    fn blocks_and_dense_say_the_same() {
        let sparse = read(BLOCKS).unwrap().problem;
        let mut text = "3 2 0 6 6 6 6".to_string();
        for entry in sparse.dense().iter() {
            text += &format!(" {entry:e}");
        }
        text += " -1 0 0 -2 0 0 0.5 0.25 0";
        assert_eq!(read(&text).unwrap().problem, sparse);
        assert_eq!(sparse.delassus().block(1, 0).unwrap()[(2, 2)], -1.0);
    }

    #[test]
    fn contacts_of_the_plane_are_read_from_blocks_and_dense_matrices() {
        let blocks = "2\n2\n1\n4 4\n4\n2 2\n2 4\n2 4\n3\n4\n0 2 4\n0 1 0 1\n\
            0 2 0 0 3\n1 -1 0 0.5 -1\n2 -1 0.5 0 -1\n3 2 0 0 3\n-1 4 -2 5\n0.5 0.25\n";
        let reading = read(blocks).unwrap();
        assert_eq!((reading.tangents, reading.asymmetry), (1, None));
        let matrix = [
            [2.0, 0.0, -1.0, 0.5],
            [0.0, 3.0, 0.0, -1.0],
            [-1.0, 0.0, 2.0, 0.0],
            [0.5, -1.0, 0.0, 3.0],
        ];
        let matrix = DMatrix::from_fn(4, 4, |row, column| matrix[row][column]);
        let free = [-1.0, 4.0, -2.0, 5.0];
        let expected = Problem::from_planar(&matrix, &free, &[0.5, 0.25]).unwrap();
        assert_eq!(reading.problem, expected);
        let entries: Vec<_> = matrix.iter().map(f64::to_string).collect();
        let dense = format!("2 2 0 4 4 4 4 {} -1 4 -2 5 0.5 0.25", entries.join(" "));
        assert_eq!(read(&dense).unwrap().problem, expected);
    }

    /// One entry of a block of 2 is off by 0.08, as a fraction 0.04.
    #[test]
    fn a_measured_operator_is_replaced_by_its_symmetric_part() {
        let text = BLOCKS.replacen("0 2 0 0", "0 2 0 0.08", 1);
        let reading = read(&text).unwrap();
        assert!((reading.asymmetry.unwrap() - 0.04).abs() < 1e-15, "{:?}", reading.asymmetry);
        let block = *reading.problem.delassus().block(0, 0).unwrap();
        assert_eq!((block[(2, 0)], block[(0, 2)]), (0.04, 0.04));
        let other = read(BLOCKS).unwrap().problem;
        assert_eq!(reading.problem.delassus().block(1, 1), other.delassus().block(1, 1));
    }

    #[test]
    fn every_truncation_is_an_error_with_a_line() {
        let words: Vec<&str> = BLOCKS.split_inclusive(char::is_whitespace).collect();
        for count in 0..words.len() {
            let error = read(&words[..count].concat()).unwrap_err();
            assert!(matches!(error, Error::End { line, .. } if line <= 19), "{count}: {error}");
        }
    }

    #[test]
    fn contradictions_name_their_line() {
        for (from, to, message) in [
            ("3\n2\n1", "4\n2\n1", "line 1: the dimension is 4, expected 3"),
            ("6 6", "6 7", "line 4: number of columns is 7, expected 6"),
            ("0 2 4", "0 5 4", "line 11: row pointer is 5, expected 0"),
            ("0 1 0 1", "0 0 0 1", "block (0, 0) is given twice"),
            ("0 1 0 1", "0 1 0 2", "block (1, 2) is outside of 2 contacts"),
            ("0 1 0 1", "1 0 0 1", "contact 0: block[0][0] is -1, expected a positive number"),
            ("0.5 0.25", "0.5 x", "line 18: found `x`, expected a friction coefficient"),
            ("0.5 0.25", "0.5 -1", "contact 1: friction is -1, expected a finite number ≥ 0"),
            (
                "1 -1 0 0",
                "1 -2 0 0",
                "delassus[0][3] is -2 but delassus[3][0] is -1, expected a symmetric operator",
            ),
            ("1\n6", "2\n6", "line 3: storage (0 dense, 1 by blocks) is 2, expected 1"),
            ("\n2\n1", "\n99999999999\n1", "line 4: number of rows is 6, expected 299999999997"),
        ] {
            let text = BLOCKS.replacen(from, to, 1);
            assert_eq!(read(&text).unwrap_err().to_string(), message, "{from} → {to}");
        }
    }
}
