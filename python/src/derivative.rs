//! Derivatives of friction problems and of outcomes of impacts as Python objects.

use nalgebra::{DMatrix, DVector, Vector3};
use numpy::PyArray2;
use percussion_complementarity::friction::{Problem, derivative as friction};
use percussion_impact::{
    Outcome,
    derivative::{self as impact, Mode, Place, Reach},
    laws::{
        Name,
        differentiable::{Derivative, DifferentiableLaw},
    },
};
use pyo3::{
    prelude::*,
    types::{PyDict, PyString},
};

use crate::{
    arrays::{contacts, list, matrix, out, out_contacts, out_matrix, vector, vectors},
    errors::{checked, refused},
    values::{name_of, texts},
};

/// An optional argument.
type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The derivative of a solution of a friction problem.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct FrictionDerivative {
    derivative: friction::Derivative,
    /// 2 in the plane, otherwise 3.
    components: usize,
    count: usize,
}

impl FrictionDerivative {
    pub(crate) fn at(
        problem: &Problem,
        impulses: &[Vector3<f64>],
        components: usize,
        settings: friction::Settings,
    ) -> PyResult<Self> {
        let derivative = checked(friction::Derivative::at(problem, impulses, &settings))?;
        Ok(Self { derivative, components, count: problem.contact_count() })
    }

    /// One vector for each contact; zero if none is given.
    fn vectors(&self, name: &str, value: Given<'_, '_>) -> PyResult<Vec<Vector3<f64>>> {
        let Some(value) = value else { return Ok(vec![Vector3::zeros(); self.count]) };
        let entries = contacts(name, value, self.count, self.components)?;
        Ok(vectors(&entries, self.components))
    }

    /// The rows of a matrix that belong to components of the problem.
    fn kept(&self, of: usize) -> Vec<usize> {
        (0..of).filter(|index| index % 3 < self.components).collect()
    }

    /// The entries of a square matrix that belong to components of the problem.
    fn matrix<'py>(
        &self,
        py: Python<'py>,
        matrix: &DMatrix<f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let kept = self.kept(matrix.nrows());
        out_matrix(py, &matrix.select_rows(&kept).select_columns(&kept))
    }

    fn direction(
        &self,
        free_velocity: Given<'_, '_>,
        delassus: Given<'_, '_>,
        coefficients: Given<'_, '_>,
    ) -> PyResult<friction::Direction> {
        let delassus = delassus.map(|value| {
            let given = matrix("delassus", value)?;
            let kept = self.kept(3 * self.count);
            if given.shape() != (kept.len(), kept.len()) {
                let (found, size) = (given.shape(), kept.len());
                return Err(refused(format!(
                    "`delassus` has the shape {found:?}, expected ({size}, {size})"
                )));
            }
            let mut full = DMatrix::zeros(3 * self.count, 3 * self.count);
            for (row, &to_row) in kept.iter().enumerate() {
                for (column, &to_column) in kept.iter().enumerate() {
                    full[(to_row, to_column)] = given[(row, column)];
                }
            }
            Ok(full)
        });
        Ok(friction::Direction {
            free_velocity: self.vectors("free_velocity", free_velocity)?,
            delassus: delassus.transpose()?,
            friction: numbers("friction", coefficients)?.unwrap_or_else(|| vec![0.0; self.count]),
        })
    }

    fn change<'py>(
        &self,
        py: Python<'py>,
        change: &friction::Change,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("velocities", out_contacts(py, &change.velocities, self.components)?)?;
        dict.set_item("impulses", out_contacts(py, &change.impulses, self.components)?)?;
        set_reach(&dict, &change.reach)?;
        Ok(dict)
    }
}

#[pymethods]
impl FrictionDerivative {
    #[getter]
    fn state(&self) -> String {
        name_of(&self.derivative.state())
    }

    #[getter]
    fn places(&self) -> Vec<(&'static str, String)> {
        self.derivative.places().iter().map(place).collect()
    }

    #[getter]
    fn condition(&self) -> Option<f64> {
        self.derivative.condition()
    }

    #[getter]
    fn radius(&self) -> Option<f64> {
        self.derivative.radius()
    }

    fn impulses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out_contacts(py, &self.derivative.impulses(), self.components)?.into_any())
    }

    fn forward<'py>(
        &self,
        py: Python<'py>,
        free_velocity: Given<'_, 'py>,
        delassus: Given<'_, 'py>,
        friction: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let direction = self.direction(free_velocity, delassus, friction)?;
        self.change(py, &checked(self.derivative.forward(&direction))?)
    }

    fn one_sided<'py>(
        &self,
        py: Python<'py>,
        free_velocity: Given<'_, 'py>,
        delassus: Given<'_, 'py>,
        friction: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let direction = self.direction(free_velocity, delassus, friction)?;
        let found = checked(self.derivative.one_sided(&direction))?;
        let modes: Vec<_> = found.modes.iter().map(name_of).collect();
        let answer = (self.change(py, &found.change)?, modes, found.proven);
        Ok(answer.into_pyobject(py)?.into_any())
    }

    fn backward<'py>(
        &self,
        py: Python<'py>,
        velocities: Given<'_, 'py>,
        impulses: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let velocities = self.vectors("velocities", velocities)?;
        let impulses = self.vectors("impulses", impulses)?;
        let gradient = checked(self.derivative.backward(&velocities, &impulses))?;
        let dict = PyDict::new(py);
        let free = out_contacts(py, &gradient.free_velocity, self.components)?;
        dict.set_item("free_velocity", free)?;
        dict.set_item("delassus", self.matrix(py, &gradient.delassus)?)?;
        dict.set_item("friction", out(py, or_nan(&gradient.friction)))?;
        Ok(dict)
    }

    /// The derivatives of velocities and impulses with respect to the free velocity.
    fn matrices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let matrices = checked(self.derivative.matrices())?;
        let answer = (self.matrix(py, &matrices.velocities)?, self.matrix(py, &matrices.impulses)?);
        Ok(answer.into_pyobject(py)?.into_any())
    }
}

/// The derivative of an outcome of any law.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct ImpactDerivative {
    derivative: Derivative,
    /// Numbers of velocities and of rows of contacts.
    sizes: [usize; 2],
}

impl ImpactDerivative {
    /// The law with these settings, and the derivative of its outcome.
    pub(crate) fn at(
        py: Python<'_>,
        problem: &percussion_impact::Problem,
        law: &str,
        settings: &Bound<'_, PyDict>,
        edge: f64,
    ) -> PyResult<(DifferentiableLaw, Self)> {
        let name: Name = law.parse().map_err(refused)?;
        let law = checked(DifferentiableLaw::new(name, texts(settings)?, None))?;
        let settings = impact::Settings { edge, ..impact::Settings::default() };
        let sizes = [problem.dimension(), problem.contact_jacobian().nrows()];
        let derivative = py.detach(|| checked(law.derivative(problem, &settings)))?;
        Ok((law, Self { derivative, sizes }))
    }

    pub(crate) const fn outcome(&self) -> &Outcome {
        self.derivative.outcome()
    }
}

/// The arguments of a direction, in the order of [`ImpactDerivative::forward`].
fn direction(given: [Given<'_, '_>; 6]) -> PyResult<impact::Direction> {
    let [velocity, mass, jacobian, joints, friction, restitution] = given;
    let of = |name: &str, value: Given<'_, '_>| value.map(|value| matrix(name, value)).transpose();
    Ok(impact::Direction {
        velocity: velocity.map(|value| vector("velocity", value)).transpose()?,
        mass: of("mass_matrix", mass)?,
        jacobian: of("jacobian", jacobian)?,
        joints: of("bilateral", joints)?,
        friction: numbers("friction", friction)?,
        restitution: numbers("restitution", restitution)?,
    })
}

fn change<'py>(py: Python<'py>, change: &impact::Change) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("velocity", out(py, change.velocity.as_slice()))?;
    dict.set_item("impulses", out(py, change.impulses.as_slice()))?;
    set_reach(&dict, &change.reach)?;
    Ok(dict)
}

#[pymethods]
impl ImpactDerivative {
    #[getter]
    fn state(&self) -> String {
        name_of(&self.derivative.state())
    }

    #[getter]
    fn places(&self) -> Option<Vec<Option<(&'static str, String)>>> {
        let places = self.derivative.places()?;
        Some(places.iter().map(|one| one.as_ref().map(place)).collect())
    }

    #[getter]
    fn pieces(&self) -> Option<usize> {
        self.derivative.pieces()
    }

    #[getter]
    fn condition(&self) -> Option<f64> {
        self.derivative.condition()
    }

    #[getter]
    fn radius(&self) -> Option<f64> {
        self.derivative.radius()
    }

    fn forward<'py>(
        &self,
        py: Python<'py>,
        given: [Option<Bound<'py, PyAny>>; 6],
    ) -> PyResult<Bound<'py, PyDict>> {
        let direction = direction(given.each_ref().map(Option::as_ref))?;
        change(py, &checked(self.derivative.forward(&direction))?)
    }

    fn one_sided<'py>(
        &self,
        py: Python<'py>,
        given: [Option<Bound<'py, PyAny>>; 6],
    ) -> PyResult<Bound<'py, PyAny>> {
        let direction = direction(given.each_ref().map(Option::as_ref))?;
        let found = checked(self.derivative.one_sided(&direction))?;
        let modes = found
            .modes
            .as_ref()
            .map(|modes| modes.iter().map(|mode| mode.as_ref().map(name_of)).collect::<Vec<_>>());
        let answer = (change(py, &found.change)?, modes, found.proven);
        Ok(answer.into_pyobject(py)?.into_any())
    }

    fn backward<'py>(
        &self,
        py: Python<'py>,
        velocity: Given<'_, 'py>,
        impulses: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let weights = |name: &str, value: Given<'_, '_>, length: usize| match value {
            Some(value) => vector(name, value),
            None => Ok(DVector::zeros(length)),
        };
        let velocity = weights("velocity", velocity, self.sizes[0])?;
        let impulses = weights("impulses", impulses, self.sizes[1])?;
        let gradient = checked(self.derivative.backward(&velocity, &impulses))?;
        let dict = PyDict::new(py);
        dict.set_item("velocity", out(py, gradient.velocity.as_slice()))?;
        dict.set_item("mass_matrix", out_matrix(py, &gradient.mass)?)?;
        dict.set_item("jacobian", out_matrix(py, &gradient.jacobian)?)?;
        let joints = gradient.joints.map(|joints| out_matrix(py, &joints)).transpose()?;
        dict.set_item("bilateral", joints)?;
        dict.set_item("friction", out(py, or_nan(&gradient.friction)))?;
        dict.set_item("restitution", out(py, gradient.restitution))?;
        Ok(dict)
    }

    /// The derivatives of the velocity and of the impulses with respect to the velocity before the impact.
    fn by_velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (velocity, impulses) = checked(self.derivative.by_velocity())?;
        let answer = (out_matrix(py, &velocity)?, out_matrix(py, &impulses)?);
        Ok(answer.into_pyobject(py)?.into_any())
    }
}

/// `inside` with the mode, or `at` with the edge.
fn place(place: &Place) -> (&'static str, String) {
    match place {
        Place::Inside(mode) => ("inside", name_of(mode)),
        Place::At(edge) => ("at", name_of(edge)),
    }
}

fn set_reach(dict: &Bound<'_, PyDict>, reach: &Reach) -> PyResult<()> {
    let mode = reach.mode.as_ref().map(|mode: &Mode| PyString::new(dict.py(), &name_of(mode)));
    dict.set_item("reach", (reach.step, reach.contact, mode, reach.exact))
}

fn numbers(name: &str, value: Given<'_, '_>) -> PyResult<Option<Vec<f64>>> {
    value.map(|value| list(name, value)).transpose()
}

fn or_nan(numbers: &[Option<f64>]) -> Vec<f64> {
    numbers.iter().map(|number| number.unwrap_or(f64::NAN)).collect()
}
