//! Contacts with friction: problems, their solutions, and the figures that judge impulses.

use nalgebra::{DMatrix, Matrix3, Vector3};
use percussion_complementarity::friction::{
    BlockSparse, Figures, Infeasibility, Law, Method, Problem, Reduction, Status,
    derivative::Settings,
    document::{Document, Operator},
};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    arrays::{self, contacts, each, out, out_contacts, out_matrix, vectors},
    derivative::FrictionDerivative,
    errors::{checked, refused},
    values::{by_name, method, name_of, plain},
};

/// The method of this name with these settings; without a name the default with these settings, or without any the one that
/// the document `states`, or the default.
pub(crate) fn method_or(
    states: Option<Method>,
    name: Option<&str>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Method> {
    match name {
        Some(name) => method(name, settings),
        None if settings.is_empty() => Ok(states.unwrap_or_default()),
        None => method(Method::default().name(), settings),
    }
}

/// A problem with its start and its method, as in a document.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct FrictionProblem {
    problem: Problem,
    /// 2 in the plane, otherwise 3.
    components: usize,
    start: Option<Vec<Vector3<f64>>>,
    method: Option<Method>,
}

#[pymethods]
impl FrictionProblem {
    /// A problem of a dense matrix of 2 or 3 rows for each contact.
    #[staticmethod]
    fn dense(
        delassus: &Bound<'_, PyAny>,
        free_velocity: &Bound<'_, PyAny>,
        friction: &Bound<'_, PyAny>,
        law: &str,
    ) -> PyResult<Self> {
        let matrix = arrays::matrix("delassus", delassus)?;
        let rows = matrix.nrows();
        let friction = frictions(friction, rows)?;
        let count = friction.len();
        let components = if count > 0 && rows == 2 * count { 2 } else { 3 };
        if rows != components * count || matrix.ncols() != rows {
            return Err(wrong_size(&matrix, count));
        }
        let operator = if components == 2 {
            BlockSparse::from_planar(&matrix)
        } else {
            BlockSparse::from_dense(&matrix)
        };
        let free = contacts("free_velocity", free_velocity, count, components)?;
        Self::new(checked(operator)?, &free, &friction, law, components)
    }

    /// A problem of blocks of 3 × 3 entries at pairs of contacts.
    #[staticmethod]
    fn sparse(
        rows: Vec<usize>,
        columns: Vec<usize>,
        blocks: &Bound<'_, PyAny>,
        free_velocity: &Bound<'_, PyAny>,
        friction: &Bound<'_, PyAny>,
        law: &str,
    ) -> PyResult<Self> {
        let blocks = arrays::blocks("blocks", blocks, rows.len())?;
        if columns.len() != rows.len() {
            let (rows, columns) = (rows.len(), columns.len());
            return Err(refused(format!("`columns` has {columns} entries, expected {rows}")));
        }
        let friction = arrays::list("friction", friction)?;
        let free = contacts("free_velocity", free_velocity, friction.len(), 3)?;
        // The matrix is made from its columns.
        let matrix = |block: [[f64; 3]; 3]| Matrix3::from(block).transpose();
        let positions = rows.into_iter().zip(columns);
        let blocks: Vec<_> = positions
            .zip(blocks)
            .map(|((row, column), block)| (row, column, matrix(block)))
            .collect();
        let operator = checked(BlockSparse::from_blocks(friction.len(), &blocks))?;
        Self::new(operator, &free, &friction, law, 3)
    }

    /// The problem of the contacts that can move along their normals, and their indices: from a dense matrix
    /// with 2 or 3 rows for each contact, in which tangents that are missing or that nothing moves are zero.
    /// `None` if no contact moves.
    #[staticmethod]
    fn reduced(
        delassus: &Bound<'_, PyAny>,
        free_velocity: &Bound<'_, PyAny>,
        friction: &Bound<'_, PyAny>,
        law: &str,
    ) -> PyResult<Option<(Self, Vec<usize>)>> {
        let matrix = arrays::matrix("delassus", delassus)?;
        let friction = arrays::list("friction", friction)?;
        let (rows, count) = (matrix.nrows(), friction.len());
        let components = if count > 0 && rows == 2 * count { 2 } else { 3 };
        if rows != components * count || matrix.ncols() != rows {
            return Err(wrong_size(&matrix, count));
        }
        let free = contacts("free_velocity", free_velocity, count, components)?;
        let law: Law = by_name("law", law)?;
        let entry = |row: usize, column: usize, i: usize, j: usize| {
            let inside = i < components && j < components;
            if inside { matrix[(components * row + i, components * column + j)] } else { 0.0 }
        };
        let blocks = (0..count * count).map(|index| (index / count, index % count));
        let blocks = blocks
            .map(|(row, column)| (row, column, Matrix3::from_fn(|i, j| entry(row, column, i, j))));
        let blocks: Vec<_> = blocks.filter(|(_, _, block)| *block != Matrix3::zeros()).collect();
        let reduction = Reduction::new(blocks, &vectors(&free, components), &friction);
        let Some(reduction) = checked(reduction)? else { return Ok(None) };
        let Reduction { problem, contacts, .. } = reduction.with_law(law);
        Ok(Some((Self { problem, components: 3, start: None, method: None }, contacts)))
    }

    /// The JSON document of the problem, one line.
    fn to_json(&self) -> String {
        let mut document = Document::of(&self.problem);
        let kept = |vectors: &[Vector3<f64>]| {
            vectors.iter().flat_map(|vector| vector.iter().take(self.components)).copied().collect()
        };
        if self.components == 2 {
            document.delassus = Operator::Dense(self.planar_rows());
            document.free_velocity = kept(self.problem.free_velocity());
        }
        document.start = self.start.as_deref().map(kept);
        document.method = self.method;
        document.to_string()
    }

    #[getter]
    fn contact_count(&self) -> usize {
        self.problem.contact_count()
    }

    #[getter]
    const fn components(&self) -> usize {
        self.components
    }

    #[getter]
    fn law(&self) -> &'static str {
        self.problem.law().name()
    }

    #[getter]
    fn method(&self) -> Option<&'static str> {
        self.method.map(|method| method.name())
    }

    /// The dense matrix.
    fn delassus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.components == 3 {
            return Ok(out_matrix(py, &self.problem.dense())?.into_any());
        }
        let rows = self.planar_rows();
        let count = rows.len();
        Ok(arrays::out_rows(py, rows.concat(), count)?.into_any())
    }

    fn free_velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out_contacts(py, self.problem.free_velocity(), self.components)?.into_any())
    }

    fn friction<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let friction: Vec<f64> =
            self.problem.contacts().iter().map(|contact| contact.friction()).collect();
        out(py, friction).into_any()
    }

    /// Solves by the method of this name with these settings, or by that of the document, or by the default.
    ///
    /// Returns the status, impulses, velocities, iterations, residual, relative residual, figures, and weights that prove
    /// that there is no solution.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        name: Option<&str>,
        settings: &Bound<'py, PyDict>,
        start: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let method = method_or(self.method, name, settings)?;
        let mut impulses = match (start, &self.start) {
            (Some(start), _) => self.impulses("start", start)?,
            (None, Some(start)) => start.clone(),
            (None, None) => vec![Vector3::zeros(); self.problem.contact_count()],
        };
        let problem = &self.problem;
        let (report, velocities, figures, proof) = py.detach(|| {
            let report = checked(method.solve_from(problem, &mut impulses))?;
            let is_infeasible = report.status == Status::Infeasible;
            let proof = is_infeasible.then(|| Infeasibility::find(problem)).flatten();
            let figures = problem.figures(&impulses);
            Ok::<_, PyErr>((report, problem.velocities(&impulses), figures, proof))
        })?;
        let answer = (
            name_of(&report.status),
            out_contacts(py, &impulses, self.components)?,
            out_contacts(py, &velocities, self.components)?,
            report.iterations,
            report.residual,
            report.relative_residual,
            plain(py, &figures)?,
            proof.map(|proof| out(py, proof.weights)),
        );
        Ok(answer.into_pyobject(py)?.into_any())
    }

    /// The derivative of the solution with these impulses.
    fn derivative(
        &self,
        py: Python<'_>,
        impulses: &Bound<'_, PyAny>,
        tolerance: f64,
        edge: f64,
    ) -> PyResult<FrictionDerivative> {
        let impulses = self.impulses("impulses", impulses)?;
        let settings = Settings { tolerance, edge };
        py.detach(|| FrictionDerivative::at(&self.problem, &impulses, self.components, settings))
    }

    /// Judges impulses: the velocities, the figures of each contact, the residuals of each contact, and the relative residual.
    fn certify<'py>(
        &self,
        py: Python<'py>,
        impulses: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let impulses = self.impulses("impulses", impulses)?;
        let problem = &self.problem;
        let (velocities, figures) = py.detach(|| {
            let velocities = problem.velocities(&impulses);
            let of_contacts = problem.contacts().iter().zip(&impulses).zip(&velocities);
            let figures: Vec<Figures> = of_contacts
                .map(|((contact, impulse), velocity)| {
                    Figures::of(problem.law(), contact, impulse, velocity)
                })
                .collect();
            (velocities, figures)
        });
        let column =
            |figure: fn(&Figures) -> f64| out(py, figures.iter().map(figure).collect::<Vec<_>>());
        let dict = PyDict::new(py);
        dict.set_item("velocities", out_contacts(py, &velocities, self.components)?)?;
        dict.set_item("bilateral", out(py, vec![0.0; figures.len()]))?;
        dict.set_item("approach", column(|figures| figures.approach))?;
        dict.set_item("adhesion", column(|figures| figures.adhesion))?;
        dict.set_item("cone", column(|figures| figures.cone))?;
        dict.set_item("complementarity", column(|figures| figures.complementarity))?;
        dict.set_item("slip", column(|figures| figures.slip))?;
        dict.set_item("residuals", column(Figures::largest))?;
        dict.set_item("velocity_scale", problem.velocity_scale())?;
        dict.set_item("relative_residual", problem.relative_residual(&impulses))?;
        Ok(dict.into_any())
    }
}

impl FrictionProblem {
    /// The problem of a document, with its start and its method.
    pub(crate) fn of_document(document: Document) -> PyResult<Self> {
        let start = document.start.is_some().then(|| document.start()).transpose();
        Ok(Self {
            components: document.components(),
            start: checked(start)?,
            method: document.method,
            problem: checked(document.problem())?,
        })
    }

    fn new(
        operator: BlockSparse,
        free_velocity: &[f64],
        friction: &[f64],
        law: &str,
        components: usize,
    ) -> PyResult<Self> {
        let law: Law = by_name("law", law)?;
        let free = vectors(free_velocity, components);
        let problem = checked(Problem::from_sparse(operator, free, friction))?.with_law(law);
        Ok(Self { problem, components, start: None, method: None })
    }

    fn impulses(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<Vector3<f64>>> {
        let entries = contacts(name, value, self.problem.contact_count(), self.components)?;
        if let Some(value) = entries.iter().find(|value| !value.is_finite()) {
            return Err(refused(format!(
                "`{name}` has the entry {value}, expected finite numbers (N·s)"
            )));
        }
        Ok(vectors(&entries, self.components))
    }

    /// The rows of the matrix of contacts in the plane, without the tangents that were appended.
    fn planar_rows(&self) -> Vec<Vec<f64>> {
        let matrix = self.problem.dense();
        let kept = || (0..matrix.nrows()).filter(|index| index % 3 < 2);
        kept().map(|row| kept().map(|column| matrix[(row, column)]).collect()).collect()
    }
}

fn wrong_size(matrix: &DMatrix<f64>, contacts: usize) -> PyErr {
    let (rows, columns) = matrix.shape();
    refused(format!(
        "`delassus` has the shape ({rows}, {columns}) beside {contacts} friction coefficients, expected three rows and \
         columns for each of them, or two in the plane"
    ))
}

/// One coefficient for each contact; a single number applies to all contacts, of which there is one for every three `rows`.
fn frictions(friction: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<f64>> {
    match friction.extract::<f64>() {
        Ok(_) => each("friction", friction, rows / 3),
        Err(_) => arrays::list("friction", friction),
    }
}
