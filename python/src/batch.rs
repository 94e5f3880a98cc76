//! Many simulations of one model side by side.

use std::sync::{Mutex, MutexGuard};

use nalgebra::DMatrix;
use percussion_integrators::{
    State,
    batch::{Advance, Batch, World},
};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{
    arrays::{list, out, out_rows, rows},
    errors::{checked, refused},
    interrupt::repeat,
    model::ModelCore,
    motion::choice,
    values::plain,
};

/// Number of steps between two checks for an interrupt.
const PORTION: usize = 100;

/// A batch of worlds.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct BatchCore {
    /// Only one thread can advance the worlds at a time.
    batch: Mutex<Batch>,
}

#[pymethods]
impl BatchCore {
    /// Begins worlds of the model by the scheme called `scheme`, or by that of its file, one for each row of `coordinates` and
    /// `velocity`.
    #[new]
    fn new(
        model: &ModelCore,
        scheme: Option<&str>,
        coordinates: &Bound<'_, PyAny>,
        velocity: &Bound<'_, PyAny>,
        given: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let choice = choice(model, scheme, given)?;
        let model = &model.mechanism().model;
        let system = model.system();
        let coordinates = rows("coordinates", Some(coordinates), system.coordinate_count())?;
        let worlds = coordinates.nrows();
        let velocity = rows_of("velocity", velocity, [worlds, system.velocity_count()])?;
        let states = (0..coordinates.nrows()).map(|world| state(&coordinates, &velocity, world));
        Ok(Self { batch: Mutex::new(checked(Batch::new(model, choice, states))?) })
    }

    /// Makes this number of steps in every world, and returns what each did: steps, unsolved steps, largest residuals, deepest
    /// penetrations, and whether the energy stayed within the possible range.
    fn advance<'py>(&self, py: Python<'py>, steps: usize) -> PyResult<Bound<'py, PyTuple>> {
        let mut all = vec![Advance::NONE; self.count()?];
        let mut left = steps;
        let portion = || {
            let now = left.min(PORTION);
            left -= now;
            let done = self.batch().map_err(|error| error.to_string())?.advance(now);
            all.iter_mut().zip(done).for_each(|(all, done)| *all = all.then(done));
            Ok::<_, String>(())
        };
        repeat(py, steps.div_ceil(PORTION), portion)?.map_err(refused)?;
        (
            all.iter().map(|one| one.steps).collect::<Vec<_>>(),
            all.iter().map(|one| one.unsolved).collect::<Vec<_>>(),
            all.iter().map(|one| one.relative_residual).collect::<Vec<_>>(),
            all.iter().map(|one| one.penetration).collect::<Vec<_>>(),
            all.iter().map(|one| one.kept_energy).collect::<Vec<_>>(),
        )
            .into_pyobject(py)
    }

    /// Begins a world anew.
    fn restart(
        &self,
        world: usize,
        coordinates: &Bound<'_, PyAny>,
        velocity: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let coordinates = list("coordinates", coordinates)?;
        let velocity = list("velocity", velocity)?;
        checked(self.batch()?.restart(world, State { time: 0.0, coordinates, velocity }))
    }

    /// Applies generalized forces, one row for each world.
    fn apply(&self, forces: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = self.batch()?;
        let Some(first) = batch.worlds().first() else { return Ok(()) };
        let shape = [batch.worlds().len(), first.state().velocity.len()];
        let forces = rows_of("forces", forces, shape)?;
        for (world, row) in batch.worlds().iter().zip(forces.row_iter()) {
            let Some(force) = world.force() else {
                return Err(refused(
                    "the scheme variational takes no applied force, expected another one",
                ));
            };
            checked(force.set(row.transpose().as_slice()))?;
        }
        Ok(())
    }

    /// Sets the controls of all actuators, one row for each world.
    fn set_controls(&self, controls: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = self.batch()?;
        let Some(first) = batch.worlds().first() else { return Ok(()) };
        let shape = [batch.worlds().len(), first.motion().model().actuators().len()];
        let controls = rows_of("controls", controls, shape)?;
        for (world, row) in batch.worlds().iter().zip(controls.row_iter()) {
            let Some(own) = world.controls() else {
                return Err(refused(
                    "the model has no actuators, expected one with the drive `controls`",
                ));
            };
            for (actuator, control) in row.iter().enumerate() {
                checked(own.set(actuator, *control))?;
            }
        }
        Ok(())
    }

    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let times = |world: &World| world.state().time;
        Ok(out(py, self.batch()?.worlds().iter().map(times).collect::<Vec<_>>()).into_any())
    }

    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.rows(py, |state| &state.coordinates)
    }

    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.rows(py, |state| &state.velocity)
    }

    /// Why each world makes no more steps; `None` for those that do.
    fn failures(&self) -> PyResult<Vec<Option<String>>> {
        let failure = |world: &World| world.failure().map(ToString::to_string);
        Ok(self.batch()?.worlds().iter().map(failure).collect())
    }

    /// The scheme with its settings.
    fn scheme<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.batch()?.scheme())
    }

    /// Number of worlds.
    fn count(&self) -> PyResult<usize> {
        Ok(self.batch()?.worlds().len())
    }
}

impl BatchCore {
    fn batch(&self) -> PyResult<MutexGuard<'_, Batch>> {
        self.batch.lock().map_err(|_| refused("the batch was left in the middle of a step"))
    }

    /// One row for each world.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&State) -> &Vec<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batch = self.batch()?;
        let columns = batch.worlds().first().map_or(0, |world| of(world.state()).len());
        let entries = batch.worlds().iter().flat_map(|world| of(world.state()).iter().copied());
        Ok(out_rows(py, entries.collect(), columns)?.into_any())
    }
}

/// A matrix of this shape.
fn rows_of(
    name: &str,
    value: &Bound<'_, PyAny>,
    [count, columns]: [usize; 2],
) -> PyResult<DMatrix<f64>> {
    let matrix = rows(name, Some(value), columns)?;
    let found = matrix.nrows();
    if found != count {
        return Err(refused(format!(
            "`{name}` has {found} rows, expected {count}: one for each world"
        )));
    }
    Ok(matrix)
}

/// The start of a world.
fn state(coordinates: &DMatrix<f64>, velocity: &DMatrix<f64>, world: usize) -> State {
    let row = |matrix: &DMatrix<f64>| matrix.row(world).iter().copied().collect();
    State { time: 0.0, coordinates: row(coordinates), velocity: row(velocity) }
}
