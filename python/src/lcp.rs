//! Linear complementarity problems.

use nalgebra::DVector;
use percussion_complementarity::lcp::{Method, Problem, Report, Status, enumerate, lemke};
use pyo3::{
    prelude::*,
    types::{PyDict, PyList},
};

use crate::{
    arrays::{matrix, out, vector},
    errors::checked,
    values::{method, name_of},
};

/// Solves `w = matrix z + vector`, `0 ≤ z ⊥ w ≥ 0` by the method of this name, with its settings.
///
/// Returns the status, z, w, the iterations, the residual, the relative residual, and the ray if there is one.
#[pyfunction]
pub(crate) fn solve_lcp<'py>(
    py: Python<'py>,
    matrix: &Bound<'py, PyAny>,
    vector: &Bound<'py, PyAny>,
    method: &str,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let problem = problem(matrix, vector)?;
    let method: Method = self::method(method, settings)?;
    let answer = py.detach(|| answer(&problem, method))?;
    let Answer { z, w, report, ray } = answer;
    let ray = ray.map(|ray| ray_dict(py, &problem, ray)).transpose()?;
    let answer = (
        name_of(&report.status),
        out(py, z.data),
        out(py, w.data),
        report.iterations,
        report.residual,
        report.relative_residual,
        ray,
    );
    Ok(answer.into_pyobject(py)?.into_any())
}

struct Answer {
    z: DVector<f64>,
    w: DVector<f64>,
    report: Report,
    ray: Option<lemke::Ray>,
}

fn problem(matrix: &Bound<'_, PyAny>, vector: &Bound<'_, PyAny>) -> PyResult<Problem> {
    checked(Problem::new(self::matrix("matrix", matrix)?, self::vector("vector", vector)?))
}

fn answer(problem: &Problem, method: Method) -> PyResult<Answer> {
    // The ray is in Lemke's workspace.
    let Method::Lemke(settings) = method else {
        let solution = checked(method.solve(problem))?;
        return Ok(Answer { z: solution.z, w: solution.w, report: solution.report, ray: None });
    };
    let mut workspace = lemke::Workspace::new(problem.dimension());
    let mut z = DVector::zeros(problem.dimension());
    let report = checked(lemke::solve(problem, &settings, &mut workspace, &mut z))?;
    let ray = workspace.ray().filter(|_| report.status == Status::Ray).cloned();
    Ok(Answer { w: problem.slack(&z), z, report, ray })
}

fn ray_dict<'py>(
    py: Python<'py>,
    problem: &Problem,
    ray: lemke::Ray,
) -> PyResult<Bound<'py, PyDict>> {
    let violation = ray.violation(problem);
    let dict = PyDict::new(py);
    dict.set_item("z", out(py, ray.z.data))?;
    dict.set_item("direction", out(py, ray.direction.data))?;
    dict.set_item("artificial", ray.artificial)?;
    dict.set_item("artificial_rate", ray.artificial_rate)?;
    dict.set_item("covering", out(py, ray.covering.data))?;
    dict.set_item("violation", violation)?;
    Ok(dict)
}

/// All solutions of a small problem.
///
/// Returns the status, and lists of pairs (z, w): the solutions that are vertices, the rays, and pairs of
/// indices into both lists, one for each convex piece.
#[pyfunction]
pub(crate) fn enumerate_lcp<'py>(
    py: Python<'py>,
    matrix: &Bound<'py, PyAny>,
    vector: &Bound<'py, PyAny>,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let problem = problem(matrix, vector)?;
    let settings: enumerate::Settings = crate::values::settings_of("enumerate", settings)?;
    let set = py.detach(|| checked(enumerate::solve(&problem, &settings)))?;
    let status = match (set.unverified, set.is_empty()) {
        (0, false) => "solved",
        _ if set.has_none() => "no-solution",
        _ => "incomplete",
    };
    let vertices = set.vertices.into_iter().map(|one| (out(py, one.z.data), out(py, one.w.data)));
    let rays = set.rays.into_iter().map(|ray| (out(py, ray.z.data), out(py, ray.w.data)));
    let pieces = set.pieces.into_iter().map(|piece| (piece.vertices, piece.rays));
    let [vertices, rays, pieces] = [
        PyList::new(py, vertices.collect::<Vec<_>>())?,
        PyList::new(py, rays.collect::<Vec<_>>())?,
        PyList::new(py, pieces.collect::<Vec<_>>())?,
    ];
    Ok((status, vertices, rays, pieces).into_pyobject(py)?.into_any())
}
