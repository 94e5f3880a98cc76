//! Simulations, step by step.

use std::sync::{Arc, Mutex, MutexGuard};

use percussion_integrators::{
    State, StepReport, Work,
    batch::{Advance, World},
    schemes::{Choice, Name},
};
use percussion_mechanism::{
    mechanism::Surfaces, scenario::Setup, trajectory::Trajectory, view::of_trajectory,
};
use percussion_report::viewer;
use pyo3::{prelude::*, types::PyDict};
use serde_json::{Value, json};

use crate::{
    arrays::{list, out, out_rows},
    blocks::of_document,
    errors::{checked, named, refused},
    interrupt::repeat,
    model::ModelCore,
    record::Record,
    trajectory::trajectory_dict,
    values::{name_of, plain, settings},
};

/// A running simulation.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct SimulationCore {
    /// Only one thread can make a step at a time.
    world: Mutex<World>,
    setup: Arc<Setup>,
    names: Vec<String>,
    surfaces: Option<Arc<Surfaces>>,
    /// The samples and reports so far, if they are kept.
    record: Option<Mutex<Record>>,
}

#[pymethods]
impl SimulationCore {
    /// Starts a simulation of the model by the scheme called `scheme`, or by that of its file. Settings,
    /// position and velocity that are not given are those of the file.
    #[new]
    fn new(
        model: &ModelCore,
        scheme: Option<&str>,
        coordinates: Option<&Bound<'_, PyAny>>,
        velocity: Option<&Bound<'_, PyAny>>,
        time: f64,
        record: bool,
        given: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (coordinates, velocity) = (model.position(coordinates)?, model.rate(velocity)?);
        let choice = choice(model, scheme, given)?;
        let (setup, mechanism) = (Arc::clone(model.setup()), model.mechanism());
        let state = State { time, coordinates, velocity };
        let world = checked(World::begin(&mechanism.model, choice, state))?;
        let begin = || Record::begin(world.motion().model(), world.state());
        let record = record.then(|| Mutex::new(begin()));
        let names = mechanism.contacts.iter().map(|contact| contact.name.clone()).collect();
        let surfaces = mechanism.surfaces.clone().map(Arc::new);
        Ok(Self { world: Mutex::new(world), setup, names, surfaces, record })
    }

    /// Makes one step and returns its report.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let result = py.detach(|| self.make_step())?;
        match result {
            Ok(report) => report_dict(py, &report),
            Err(error) => Err(named(py, "StepError", error)),
        }
    }

    /// Makes this number of steps. Returns the number of steps made, the number that were not solved, the
    /// largest relative residual, the deepest penetration (m), and whether the energy stayed within the
    /// possible range.
    fn advance(&self, py: Python<'_>, steps: usize) -> PyResult<(usize, usize, f64, f64, bool)> {
        let mut all = Advance::NONE;
        let step = || {
            let report = self.make_step().map_err(|error| error.to_string())?;
            let report = report.map_err(|error| error.to_string())?;
            all = all.then(Advance::from(&report));
            Ok::<_, String>(())
        };
        match repeat(py, steps, step)? {
            Ok(()) => {
                let Advance { steps, unsolved, relative_residual, penetration, kept_energy } = all;
                Ok((steps, unsolved, relative_residual, penetration, kept_energy))
            }
            Err(error) => Err(named(py, "StepError", error)),
        }
    }

    /// Applies a generalized force from the next step on.
    fn apply(&self, force: &Bound<'_, PyAny>) -> PyResult<()> {
        let entries = list("force", force)?;
        let world = self.world()?;
        let Some(force) = world.force() else {
            return Err(refused(
                "the scheme variational takes no applied force, expected another one",
            ));
        };
        checked(force.set(&entries))
    }

    /// Sets the control of an actuator from the next step on.
    fn set_control(&self, actuator: usize, control: f64) -> PyResult<()> {
        match self.world()?.controls() {
            Some(controls) => checked(controls.set(actuator, control)),
            None => {
                Err(refused("the model has no actuators, expected one with the drive `controls`"))
            }
        }
    }

    /// The motion so far as arrays, if it is recorded.
    fn trajectory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        trajectory_dict(py, &self.recorded()?)
    }

    /// The page that plays the motion so far, if it is recorded.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let trajectory = self.recorded()?;
        Ok(py.detach(|| viewer::page(&of_trajectory(&self.setup, &trajectory))))
    }

    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.world()?.state().time)
    }

    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out(py, self.world()?.state().coordinates.clone()).into_any())
    }

    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out(py, self.world()?.state().velocity.clone()).into_any())
    }

    /// Total energy (J).
    #[getter]
    fn energy(&self) -> PyResult<f64> {
        let world = self.world()?;
        let motion = world.motion();
        let state = motion.state();
        Ok(motion.model().system().energy(&state.coordinates, &state.velocity))
    }

    /// The scheme with its settings.
    fn scheme<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.world()?.motion().scheme())
    }

    /// The names of the contacts by number, those found so far included.
    #[getter]
    fn contact_names(&self) -> PyResult<Vec<String>> {
        let world = self.world()?;
        let motion = world.motion();
        let contacts = motion.contacts();
        let mut names = self.names.clone();
        if let Some(surfaces) = &self.surfaces {
            let found = (0..contacts.len()).filter_map(|number| contacts.name(number));
            names.extend(found.map(|name| surfaces.contact(&name)));
        }
        Ok(names)
    }

    /// The contact problem of the last step.
    fn problem<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let document = py.detach(|| Ok::<_, PyErr>(self.world()?.motion().document()))?;
        document.map(|document| of_document(py, document)).transpose()
    }
}

impl SimulationCore {
    fn world(&self) -> PyResult<MutexGuard<'_, World>> {
        self.world.lock().map_err(|_| refused("the motion was left in the middle of a step"))
    }

    /// Makes a step, and records it.
    fn make_step(&self) -> PyResult<Result<StepReport, percussion_integrators::Error>> {
        let mut world = self.world()?;
        let result = world.step();
        if let (Ok(report), Some(record)) = (&result, &self.record) {
            let mut record = record.lock().map_err(|_| refused("the record is not complete"))?;
            record.push(world.motion().model(), world.state(), report)?;
        }
        Ok(result)
    }

    /// The motion so far.
    fn recorded(&self) -> PyResult<Trajectory> {
        let Some(record) = &self.record else {
            return Err(refused("`record` is False, expected a Simulation with `record=True`"));
        };
        let world = self.world()?;
        let motion = world.motion();
        let record = record.lock().map_err(|_| refused("the record is not complete"))?;
        let contacts = motion.contacts();
        let found = (0..contacts.len()).filter_map(|number| contacts.name(number)).collect();
        let scheme = checked(serde_json::to_value(motion.scheme()))?;
        let step_size = scheme.get("step_size").and_then(Value::as_f64).unwrap_or(f64::NAN);
        Ok(record.trajectory(step_size, self.names.clone(), self.surfaces.as_deref(), found))
    }
}

/// The scheme with the settings of the file, overridden by the given ones.
pub(crate) fn choice(
    model: &ModelCore,
    scheme: Option<&str>,
    given: &Bound<'_, PyDict>,
) -> PyResult<Choice> {
    let scenario = &model.setup().scenario;
    let name = match scheme {
        Some(name) => checked(name.parse::<Name>())?,
        None => scenario.integrator.method,
    };
    let mut scenario = scenario.clone();
    scenario.integrator.method = name;
    if name.stepping().is_none() {
        return Err(refused(format!("`scheme` is {name}, expected one that takes steps")));
    }
    let mut value = checked(serde_json::to_value(scenario.stepping()))?;
    if let Value::Object(fields) = &mut value {
        for (key, entry) in settings(given)? {
            if key == "name" || !fields.contains_key(&key) {
                let known: Vec<_> =
                    fields.keys().filter(|known| *known != "name").cloned().collect();
                let known = known.join(", ");
                return Err(refused(format!(
                    "{name} has no setting `{key}`, expected one of {known}"
                )));
            }
            fields.insert(key, entry);
        }
    }
    serde_json::from_value(value).map_err(|error| {
        refused(format!(
            "{name}: {}",
            error.to_string().replace("expected f64", "expected a number")
        ))
    })
}

fn report_dict<'py>(py: Python<'py>, report: &StepReport) -> PyResult<Bound<'py, PyAny>> {
    let contacts = &report.contacts;
    let dict = PyDict::new(py);
    dict.set_item("time", report.time)?;
    dict.set_item("status", name_of(&report.status))?;
    dict.set_item("relative_residual", report.relative_residual)?;
    let numbers: Vec<usize> = contacts.iter().map(|contact| contact.contact).collect();
    dict.set_item("contacts", numbers)?;
    dict.set_item("gaps", out(py, contacts.iter().map(|one| one.gap).collect::<Vec<_>>()))?;
    let rows = |vector: fn(&percussion_integrators::ContactReport) -> [f64; 3]| {
        out_rows(py, contacts.iter().flat_map(vector).collect(), 3)
    };
    dict.set_item("impulses", rows(|contact| contact.impulse.into())?)?;
    dict.set_item("velocities", rows(|contact| contact.velocity.into())?)?;
    dict.set_item("moments", rows(|contact| contact.moment.into())?)?;
    dict.set_item("penetration", report.penetration)?;
    dict.set_item("constraint_error", report.constraint_error)?;
    dict.set_item("constraint_impulses", out(py, report.constraint_impulses.clone()))?;
    dict.set_item("energy_before", report.energy_before)?;
    dict.set_item("energy_after", report.energy_after)?;
    dict.set_item("impacts", report.impacts.len())?;
    dict.set_item("work", plain(py, &work(report.work))?)?;
    Ok(dict.into_any())
}

/// The counters of a step, by name.
fn work(work: Work) -> Value {
    match work {
        Work::Polygons(work) => json!({
            "active_set_passes": work.active_set_passes,
            "outer_iterations": work.outer_iterations,
            "lcp_solves": work.lcp_solves,
            "lcp_size": work.lcp_size,
            "pivots": work.pivots,
        }),
        Work::RoundCones(work) => json!({"passes": work.passes, "sweeps": work.sweeps}),
        Work::Pieces(work) => {
            json!({"pieces": work.pieces, "newton_iterations": work.newton_iterations})
        }
        _ => json!({}),
    }
}
