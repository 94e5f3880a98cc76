//! Problems with blocks: joints, limits, dry friction and contacts with any section of the friction cone.

use percussion_complementarity::friction::{
    Method, Status,
    document::Document,
    mixed::{self, Block, Figures, Infeasibility, Model, relaxation},
};
use pyo3::{
    intern,
    prelude::*,
    types::{PyDict, PyList},
};
use serde_json::Value;

use crate::{
    arrays::{self, list, out, out_matrix},
    errors::{checked, refused},
    friction::{FrictionProblem, method_or},
    values::{self, by_name, name_of, plain},
};

/// A problem with blocks, its start and its method, as in a document.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct BlockProblem {
    problem: mixed::Problem,
    start: Option<Vec<f64>>,
    method: Option<Method>,
}

#[pymethods]
impl BlockProblem {
    /// A problem of a dense matrix with one row for each row of the blocks, which are dicts in the form of files.
    #[staticmethod]
    fn new(
        delassus: &Bound<'_, PyAny>,
        free_velocity: &Bound<'_, PyAny>,
        blocks: &Bound<'_, PyList>,
        compliance: Option<&Bound<'_, PyAny>>,
        model: &str,
    ) -> PyResult<Self> {
        let blocks = blocks.iter().enumerate().map(|(index, block)| block_of(index, &block));
        let blocks = blocks.collect::<PyResult<Vec<_>>>()?;
        let matrix = arrays::matrix("delassus", delassus)?;
        let free = list("free_velocity", free_velocity)?;
        let problem = checked(mixed::Problem::new(matrix, free, blocks))?;
        let problem = match compliance {
            None => problem,
            Some(compliance) => checked(problem.with_compliance(list("compliance", compliance)?))?,
        };
        let model: Model = by_name("model", model)?;
        Ok(Self { problem: problem.with_model(model), start: None, method: None })
    }

    /// The JSON document of the problem, one line.
    fn to_json(&self) -> String {
        let mut document = Document::of_blocks(&self.problem);
        document.start.clone_from(&self.start);
        document.method = self.method;
        document.to_string()
    }

    #[getter]
    fn model(&self) -> String {
        name_of(&self.problem.model())
    }

    #[getter]
    fn method(&self) -> Option<&'static str> {
        self.method.map(|method| method.name())
    }

    /// The blocks as dicts.
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.problem.blocks())
    }

    fn delassus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out_matrix(py, self.problem.delassus())?.into_any())
    }

    fn free_velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        out(py, self.problem.free_velocity()).into_any()
    }

    fn compliance<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        out(py, self.problem.compliance()).into_any()
    }

    /// Solves by the method of this name with these settings, or by that of the document, or by the default.
    ///
    /// Returns the same as the problem of contacts, with one number for each row.
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
            (None, None) => vec![0.0; self.problem.rows()],
        };
        let problem = &self.problem;
        let report = py.detach(|| checked(method.solve_blocks_from(problem, &mut impulses)))?;
        let velocities = problem.velocities(&impulses);
        let solution =
            (report.status, report.iterations, report.residual, report.relative_residual);
        answer(py, problem, solution, impulses, velocities)
    }

    /// Judges impulses: the velocities, and the figures and the residual of each block.
    fn certify<'py>(
        &self,
        py: Python<'py>,
        impulses: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let impulses = self.impulses("impulses", impulses)?;
        let problem = &self.problem;
        let (velocities, figures) =
            py.detach(|| (problem.velocities(&impulses), problem.block_figures(&impulses)));
        let column =
            |figure: fn(&Figures) -> f64| out(py, figures.iter().map(figure).collect::<Vec<_>>());
        let dict = PyDict::new(py);
        dict.set_item("velocities", out(py, velocities))?;
        dict.set_item("bilateral", column(|figures| figures.bilateral))?;
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

    /// Solves the problem by the convex relaxation and by Coulomb's law, whichever it states: both solutions, the figures
    /// of the relaxed one by Coulomb's law, its largest separation velocity under load, and the largest difference.
    fn relaxation<'py>(
        &self,
        py: Python<'py>,
        tolerance: f64,
        max_iterations: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let settings = mixed::Settings { tolerance, max_iterations, ..mixed::Settings::default() };
        let problem = &self.problem;
        let both = checked(py.detach(|| relaxation::compare(problem, &settings)))?;
        let part = |solution: mixed::Solution, model| {
            let mixed::Solution { impulses, velocities, report, .. } = solution;
            let numbers =
                (report.status, report.iterations, report.residual, report.relative_residual);
            answer(py, &problem.clone().with_model(model), numbers, impulses, velocities)
        };
        let parts = (
            part(both.relaxed, Model::ConvexRelaxation)?,
            part(both.coulomb, Model::Coulomb)?,
            plain(py, &both.figures)?,
            both.lift,
            both.velocity,
        );
        Ok(parts.into_pyobject(py)?.into_any())
    }
}

impl BlockProblem {
    /// The problem of a document, with its start and its method.
    fn of_document(document: &Document) -> PyResult<Self> {
        let start = document.start.is_some().then(|| document.blocks_start()).transpose();
        Ok(Self {
            start: checked(start)?,
            method: document.method,
            problem: checked(document.blocks_problem())?,
        })
    }

    fn impulses(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let entries = list(name, value)?;
        let (found, expected) = (entries.len(), self.problem.rows());
        if found != expected {
            return Err(refused(format!(
                "`{name}` has the shape ({found},), expected ({expected},), one entry for each row of the blocks"
            )));
        }
        if let Some(value) = entries.iter().find(|value| !value.is_finite()) {
            return Err(refused(format!(
                "`{name}` has the entry {value}, expected finite numbers (N·s)"
            )));
        }
        Ok(entries)
    }
}

/// The problem of a document: a [`FrictionProblem`], or a [`BlockProblem`] if the document has blocks.
pub(crate) fn of_document(py: Python<'_>, document: Document) -> PyResult<Bound<'_, PyAny>> {
    if document.blocks.is_some() {
        return Ok(Bound::new(py, BlockProblem::of_document(&document)?)?.into_any());
    }
    Ok(Bound::new(py, FrictionProblem::of_document(document)?)?.into_any())
}

/// The problem of a JSON document.
#[pyfunction]
pub(crate) fn problem_from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    of_document(py, checked(text.parse())?)
}

/// A block in the form of files; missing fields may be None.
fn block_of(index: usize, block: &Bound<'_, PyAny>) -> PyResult<Block> {
    let name = format!("blocks[{index}]");
    let mut value = values::value(&name, block, 0)?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, entry| !entry.is_null());
    }
    serde_json::from_value(value).map_err(|error| {
        let error = error.to_string().replace("expected f64", "expected a number");
        refused(format!("`{name}`: {error}"))
    })
}

/// The figures by name. Calls of some microseconds notice a detour through JSON.
fn figures_dict<'py>(py: Python<'py>, figures: &Figures) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item(intern!(py, "bilateral"), figures.bilateral)?;
    dict.set_item(intern!(py, "approach"), figures.approach)?;
    dict.set_item(intern!(py, "adhesion"), figures.adhesion)?;
    dict.set_item(intern!(py, "cone"), figures.cone)?;
    dict.set_item(intern!(py, "complementarity"), figures.complementarity)?;
    dict.set_item(intern!(py, "slip"), figures.slip)?;
    Ok(dict)
}

/// Status, impulses, velocities, iterations, residual, relative residual, figures, and weights that prove that there is no
/// solution.
fn answer<'py>(
    py: Python<'py>,
    problem: &mixed::Problem,
    (status, iterations, residual, relative_residual): (Status, usize, f64, f64),
    impulses: Vec<f64>,
    velocities: Vec<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let (figures, proof) = py.detach(|| {
        let is_infeasible = status == Status::Infeasible;
        let proof = is_infeasible.then(|| Infeasibility::find(problem)).flatten();
        (problem.figures(&impulses), proof)
    });
    let answer = (
        name_of(&status),
        out(py, impulses),
        out(py, velocities),
        iterations,
        residual,
        relative_residual,
        figures_dict(py, &figures)?,
        proof.map(|proof| out(py, proof.weights)),
    );
    Ok(answer.into_pyobject(py)?.into_any())
}
