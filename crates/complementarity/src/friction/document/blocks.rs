//! Documents of problems with blocks.

use nalgebra::DMatrix;

use super::{
    super::{Law, mixed},
    Document, Error, Operator, check_length,
};

impl Document {
    /// The document of a problem with blocks, without a start and a method.
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::dmatrix;
    /// use percussion_complementarity::friction::{document::Document, mixed::{Block, Problem}};
    ///
    /// let problem = Problem::new(dmatrix![0.5], vec![1.0], vec![Block::bound(0.5)])?;
    /// let document = Document::of_blocks(&problem);
    /// # #[cfg(feature = "json")]
    /// let document: Document = document.to_string().parse()?;
    /// assert_eq!(document.blocks_problem()?, problem);
    /// assert_eq!(document.solve_blocks()?.velocities, [0.75]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_blocks(problem: &mixed::Problem) -> Self {
        let compliance = problem.compliance();
        let given = compliance.iter().any(|&entry| entry > 0.0);
        let row = |row: usize| problem.delassus().row(row).iter().copied().collect();
        Self {
            delassus: Operator::Dense((0..problem.rows()).map(row).collect()),
            free_velocity: problem.free_velocity().to_vec(),
            friction: Vec::new(),
            blocks: Some(problem.blocks().to_vec()),
            compliance: given.then(|| compliance.to_vec()),
            model: problem.model(),
            law: Law::default(),
            start: None,
            method: None,
        }
    }

    /// The problem of a document with blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] and [`Error::Blocks`], and [`Error::Field`] where `blocks` is missing or `friction`,
    /// another law or blocks of the operator are given.
    pub fn blocks_problem(&self) -> Result<mixed::Problem, Error> {
        let wrong = |field, found, expected| Err(Error::Field { field, found, expected });
        let Some(blocks) = &self.blocks else {
            return wrong("blocks", "missing", "a list of blocks");
        };
        if !self.friction.is_empty() {
            return wrong("friction", "given", "the sections of `blocks` alone");
        }
        if self.law != Law::Coulomb {
            return wrong("law", "maximum-dissipation", "coulomb in a problem with blocks");
        }
        let Operator::Dense(rows) = &self.delassus else {
            return wrong("delassus.blocks", "given", "`delassus.dense` beside `blocks`");
        };
        let size = blocks.iter().map(|block| block.rows).sum();
        check_length("delassus.dense", rows.len(), size)?;
        for (index, row) in rows.iter().enumerate() {
            check_length(&format!("delassus.dense[{index}]"), row.len(), size)?;
        }
        check_length("free_velocity", self.free_velocity.len(), size)?;
        let matrix = DMatrix::from_row_iterator(size, size, rows.iter().flatten().copied());
        let problem = mixed::Problem::new(matrix, self.free_velocity.clone(), blocks.clone())?;
        let problem = match &self.compliance {
            None => problem,
            Some(compliance) => {
                check_length("compliance", compliance.len(), size)?;
                problem.with_compliance(compliance.clone())?
            }
        };
        Ok(problem.with_model(self.model))
    }

    /// The initial impulses of a document with blocks, one per row.
    ///
    /// # Errors
    ///
    /// [`Error::Length`].
    pub fn blocks_start(&self) -> Result<Vec<f64>, Error> {
        let size = self.free_velocity.len();
        match &self.start {
            Some(start) => {
                check_length("start", start.len(), size)?;
                Ok(start.clone())
            }
            None => Ok(vec![0.0; size]),
        }
    }

    /// Solves the problem with blocks by the document's method from its initial impulses.
    ///
    /// # Errors
    ///
    /// See [`Error`]. Not converging is not an error but a status.
    pub fn solve_blocks(&self) -> Result<mixed::Solution, Error> {
        let problem = self.blocks_problem()?;
        let mut impulses = self.blocks_start()?;
        let report = self.method.unwrap_or_default().solve_blocks_from(&problem, &mut impulses)?;
        Ok(mixed::Solution::new(&problem, impulses, report))
    }
}
