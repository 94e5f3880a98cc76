//! Simulations, step by step.

use std::sync::{Arc, Mutex, MutexGuard};

use percussion_complementarity::friction::Status;
use percussion_integrators::{
    AppliedForce, State, StepReport, Work,
    schemes::{Any, Choice, Name},
};
use percussion_mechanism::mechanism::Surfaces;
use pyo3::{prelude::*, types::PyDict};
use serde_json::{Value, json};

use crate::{
    arrays::{list, out, out_rows},
    errors::{checked, named, refused},
    friction::FrictionProblem,
    interrupt::repeat,
    model::ModelCore,
    values::{name_of, plain, settings},
};

/// A running simulation.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct SimulationCore {
    /// Only one thread can make a step at a time.
    motion: Mutex<Any>,
    /// `None` for a scheme that accepts no force.
    force: Option<AppliedForce>,
    names: Vec<String>,
    surfaces: Option<Arc<Surfaces>>,
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
        given: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (coordinates, velocity) = (model.position(coordinates)?, model.rate(velocity)?);
        let choice = choice(model, scheme, given)?;
        let mechanism = model.mechanism();
        let state = State { time, coordinates, velocity };
        let (model, force) = if choice.name() == Name::Variational {
            (mechanism.model.clone(), None)
        } else {
            let (model, force) = mechanism.model.clone().with_applied_force();
            (model, Some(force))
        };
        let motion = checked(choice.begin(model, state))?;
        let names = mechanism.contacts.iter().map(|contact| contact.name.clone()).collect();
        let surfaces = mechanism.surfaces.clone().map(Arc::new);
        Ok(Self { motion: Mutex::new(motion), force, names, surfaces })
    }

    /// Makes one step and returns its report.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let result = py.detach(|| Ok::<_, PyErr>(self.motion()?.step()))?;
        match result {
            Ok(report) => report_dict(py, &report),
            Err(error) => Err(named(py, "StepError", error)),
        }
    }

    /// Makes this number of steps. Returns the number of steps made, the number that were not solved, the
    /// largest relative residual, the deepest penetration (m), and whether the energy stayed within the
    /// possible range.
    fn advance(&self, py: Python<'_>, steps: usize) -> PyResult<(usize, usize, f64, f64, bool)> {
        let mut sums = (0, 0, 0.0_f64, 0.0_f64, true);
        let step = || {
            let report = self.motion().map_err(|error| error.to_string())?.step();
            let report = report.map_err(|error| error.to_string())?;
            sums.0 += 1;
            sums.1 += usize::from(report.status != Status::Solved);
            sums.2 = sums.2.max(report.relative_residual);
            sums.3 = sums.3.max(report.penetration);
            sums.4 &= !report.energy.is_breached();
            Ok::<_, String>(())
        };
        match repeat(py, steps, step)? {
            Ok(()) => Ok(sums),
            Err(error) => Err(named(py, "StepError", error)),
        }
    }

    /// Applies a generalized force from the next step on.
    fn apply(&self, force: &Bound<'_, PyAny>) -> PyResult<()> {
        let entries = list("force", force)?;
        let Some(force) = &self.force else {
            return Err(refused(
                "the scheme variational takes no applied force, expected another one",
            ));
        };
        checked(force.set(&entries))
    }

    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.motion()?.state().time)
    }

    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out(py, self.motion()?.state().coordinates.clone()).into_any())
    }

    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out(py, self.motion()?.state().velocity.clone()).into_any())
    }

    /// Total energy (J).
    #[getter]
    fn energy(&self) -> PyResult<f64> {
        let motion = self.motion()?;
        let state = motion.state();
        Ok(motion.model().system().energy(&state.coordinates, &state.velocity))
    }

    /// The scheme with its settings.
    fn scheme<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.motion()?.scheme())
    }

    /// The names of the contacts by number, those found so far included.
    #[getter]
    fn contact_names(&self) -> PyResult<Vec<String>> {
        let motion = self.motion()?;
        let contacts = motion.contacts();
        let mut names = self.names.clone();
        if let Some(surfaces) = &self.surfaces {
            let found = (0..contacts.len()).filter_map(|number| contacts.name(number));
            names.extend(found.map(|name| surfaces.contact(&name)));
        }
        Ok(names)
    }

    /// The contact problem of the last step.
    fn problem(&self, py: Python<'_>) -> PyResult<Option<FrictionProblem>> {
        let document = py.detach(|| Ok::<_, PyErr>(self.motion()?.document()))?;
        document.map(FrictionProblem::of_document).transpose()
    }
}

impl SimulationCore {
    fn motion(&self) -> PyResult<MutexGuard<'_, Any>> {
        self.motion.lock().map_err(|_| refused("the motion was left in the middle of a step"))
    }
}

/// The scheme with the settings of the file, overridden by the given ones.
fn choice(model: &ModelCore, scheme: Option<&str>, given: &Bound<'_, PyDict>) -> PyResult<Choice> {
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
