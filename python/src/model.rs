//! Models from files: robots (URDF) and scenarios (TOML), at any posture.

mod robot;

use std::{path::PathBuf, sync::Arc};

use nalgebra::DMatrix;
use percussion_collision::{Settings, Workspace};
use percussion_dynamics::{ContactSet, Dimension, System};
use percussion_integrators::{self as integrators, Actuator, Cone, FoundCone, schemes::Name};
use percussion_mechanism::{
    Error,
    mechanism::{Mechanism, Surfaces},
    scenario::{Scenario, Setup},
};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    arrays::{list, out, out_matrix, out_rows},
    errors::{checked, refused},
    impact::{ImpactProblem, single_law},
    interrupt::interruptible,
    trajectory::{event_motion_dict, trajectory_dict},
    values::settings,
};

/// The origin of a model, from which it can be built again.
#[derive(Clone, Debug)]
enum Source {
    /// The text of a scenario and the folder it was in.
    Scenario(String, PathBuf),
    /// A robot description with its position, in the form of `[robot]` in a scenario.
    Robot(PathBuf, Option<[f64; 3]>, Option<f64>, String),
}

/// An actuator in Python: its name, the names of its joints, and the ranges of its control and its force.
type ActuatorParts = (String, Vec<String>, [f64; 2], [f64; 2]);

/// A mechanism with its start and the scheme that its file names.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct ModelCore {
    setup: Arc<Setup>,
    warnings: Vec<String>,
    source: Source,
}

#[pymethods]
impl ModelCore {
    /// The model of a scenario in TOML.
    #[staticmethod]
    fn from_toml(py: Python<'_>, text: String, folder: PathBuf) -> PyResult<Self> {
        let made = py.detach(|| {
            let mut scenario = Scenario::from_toml_str(&text)?;
            if let Some(robot) = &mut scenario.robot {
                robot.urdf = folder.join(&robot.urdf);
            }
            let setup = scenario.build()?;
            Ok((setup.mechanism.warnings.clone(), setup))
        });
        let (warnings, setup) = checked::<_, Error>(made)?;
        Ok(Self { setup: Arc::new(setup), warnings, source: Source::Scenario(text, folder) })
    }

    /// The model of a robot (URDF or MJCF). `options` are the fields of a robot in a scenario, and `scheme`, `fixed_base`,
    /// `ground` and `restitution`.
    #[staticmethod]
    fn from_robot(
        py: Python<'_>,
        path: PathBuf,
        gravity: Option<[f64; 3]>,
        friction: Option<f64>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        Self::robot(py, path, gravity, friction, settings(options)?)
    }

    /// The same with the options as JSON.
    #[staticmethod]
    fn from_source(
        py: Python<'_>,
        path: PathBuf,
        gravity: Option<[f64; 3]>,
        friction: Option<f64>,
        options: &str,
    ) -> PyResult<Self> {
        Self::robot(py, path, gravity, friction, checked(serde_json::from_str(options))?)
    }

    /// The origin of the model: a kind and the arguments of `from_toml` or `from_source`.
    #[getter]
    fn source<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.source.clone() {
            Source::Scenario(text, folder) => {
                Ok(("scenario", (text, folder)).into_pyobject(py)?.into_any())
            }
            Source::Robot(path, gravity, friction, options) => {
                Ok(("robot", (path, gravity, friction, options)).into_pyobject(py)?.into_any())
            }
        }
    }

    #[getter]
    fn name(&self) -> &str {
        &self.setup.scenario.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.setup.scenario.title
    }

    /// Content of the file that has no effect or was filled in.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    #[getter]
    fn is_planar(&self) -> bool {
        self.system().dimension() == Dimension::Plane
    }

    /// The name and the mass of each body.
    #[getter]
    fn bodies(&self) -> Vec<(String, f64)> {
        self.mechanism().parts.iter().map(|part| (part.name.clone(), part.mass)).collect()
    }

    /// The actuators that act: name, joints, and the ends of the ranges of control and force.
    #[getter]
    fn actuators(&self) -> Vec<ActuatorParts> {
        let mechanism = self.mechanism();
        let all = mechanism.model.actuators().iter().enumerate();
        let row = |(number, actuator): (usize, &Actuator)| {
            let named = mechanism.actuators.iter().find(|one| one.number == Some(number));
            let (name, joints) = named.map_or_else(
                || (number.to_string(), Vec::new()),
                |named| (named.name.clone(), named.joints.clone()),
            );
            (name, joints, actuator.control_range, actuator.force_range)
        };
        all.map(row).collect()
    }

    /// The names of the contacts that are known beforehand.
    #[getter]
    fn contact_names(&self) -> Vec<String> {
        self.mechanism().contacts.iter().map(|contact| contact.name.clone()).collect()
    }

    /// The coordinates at the start.
    fn coordinates<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        out(py, self.mechanism().state.coordinates.clone()).into_any()
    }

    /// The velocity at the start.
    fn velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        out(py, self.mechanism().state.velocity.clone()).into_any()
    }

    /// The scheme of the file with its settings: its name and the settings as a dict.
    fn scheme<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::values::plain(py, &self.setup.scenario.stepping())
    }

    /// The name of the scheme of the file, the duration and the step of its samples (s).
    #[getter]
    fn plan(&self) -> (&'static str, f64, f64) {
        let scenario = &self.setup.scenario;
        (scenario.integrator.method.as_str(), scenario.duration, scenario.integrator.step_size)
    }

    fn mass_matrix<'py>(
        &self,
        py: Python<'py>,
        coordinates: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let coordinates = self.position(coordinates)?;
        let system = self.system();
        let count = system.velocity_count();
        let mut matrix = DMatrix::zeros(count, count);
        system.mass_matrix(&coordinates, &mut matrix);
        Ok(out_matrix(py, &matrix)?.into_any())
    }

    /// Gravity, springs, dampers and the terms of Coriolis, `k` in `M v̇ = k`.
    fn smooth_forces<'py>(
        &self,
        py: Python<'py>,
        coordinates: Option<&Bound<'py, PyAny>>,
        velocity: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (coordinates, velocity) = (self.position(coordinates)?, self.rate(velocity)?);
        let mut forces = vec![0.0; velocity.len()];
        self.system().smooth_forces(&coordinates, &velocity, 0.0, &mut forces);
        Ok(out(py, forces).into_any())
    }

    /// Kinetic and potential energy (J).
    fn energy(
        &self,
        coordinates: Option<&Bound<'_, PyAny>>,
        velocity: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(f64, f64)> {
        let (coordinates, velocity) = (self.position(coordinates)?, self.rate(velocity)?);
        let system = self.system();
        Ok((system.kinetic_energy(&coordinates, &velocity), system.potential_energy(&coordinates)))
    }

    /// The position and the unit quaternion, `w` first, of each body in the world.
    fn poses<'py>(
        &self,
        py: Python<'py>,
        coordinates: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let coordinates = self.position(coordinates)?;
        let system = self.system();
        let mut rows = Vec::new();
        for body in 0..system.body_count() {
            let pose = system.pose(&coordinates, body);
            rows.extend(pose.translation.vector.iter());
            rows.extend([pose.rotation.w, pose.rotation.i, pose.rotation.j, pose.rotation.k]);
        }
        Ok(out_rows(py, rows, 7)?.into_any())
    }

    /// The contacts with a gap of at most `proximity` (m): names, gaps, Jacobian, friction, restitution.
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        coordinates: Option<&Bound<'py, PyAny>>,
        proximity: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let coordinates = self.position(coordinates)?;
        if !(proximity.is_finite() && proximity >= 0.0) {
            return Err(refused(format!(
                "`proximity` is {proximity}, expected a finite number of at least 0 (m)"
            )));
        }
        let system = self.system();
        let (set, names) = py.detach(|| near(self.mechanism(), &coordinates, proximity))?;
        let mut jacobian = DMatrix::zeros(0, 0);
        set.contact_jacobian(&mut jacobian);
        let columns = system.velocity_count();
        if set.is_empty() {
            jacobian = DMatrix::zeros(0, columns);
        }
        let (friction, restitution) = (set.friction().to_vec(), set.restitution().to_vec());
        let dict = PyDict::new(py);
        dict.set_item("names", names)?;
        dict.set_item("gaps", out(py, set.gaps()))?;
        dict.set_item("jacobian", out_matrix(py, &jacobian)?)?;
        dict.set_item("friction", out(py, friction))?;
        dict.set_item("restitution", out(py, restitution))?;
        Ok(dict.into_any())
    }

    /// The impact of the contacts at a position, with a velocity before it.
    fn impact(
        &self,
        coordinates: Option<&Bound<'_, PyAny>>,
        velocity: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ImpactProblem> {
        let (coordinates, velocity) = (self.position(coordinates)?, self.rate(velocity)?);
        let mut setup = Setup::clone(&self.setup);
        (setup.mechanism.state.coordinates, setup.mechanism.state.velocity) =
            (coordinates, velocity);
        Ok(ImpactProblem::of(checked(setup.impact())?))
    }

    /// Simulates the model from event to event, with samples at multiples of the step, and the law `law` for its impacts.
    fn simulate_events<'py>(
        &self,
        py: Python<'py>,
        law: &str,
        given: &Bound<'py, PyDict>,
        duration: Option<f64>,
        step_size: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let law = single_law(law, given)?;
        let setup = self.built(py, Some(Name::EventDriven), duration, step_size)?;
        let result = interruptible(py, |progress| {
            setup.simulate_events(law.as_ref(), &mut |share| progress(share))
        })?;
        match result {
            Ok(motion) => event_motion_dict(py, &motion),
            Err(error) => Err(crate::errors::named(py, "StepError", error)),
        }
    }

    /// Simulates the model as its file specifies, or for another duration or with another step if these are given.
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        scheme: Option<&str>,
        duration: Option<f64>,
        step_size: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let setup = self.changed(py, scheme, duration, step_size)?;
        let result = interruptible(py, |progress| setup.simulate(&mut |share| progress(share)))?;
        match result {
            Ok(trajectory) => trajectory_dict(py, &trajectory),
            Err(error) => Err(crate::errors::named(py, "StepError", error)),
        }
    }
}

impl ModelCore {
    /// The model with another scheme, duration or step where these are given.
    pub(crate) fn changed(
        &self,
        py: Python<'_>,
        scheme: Option<&str>,
        duration: Option<f64>,
        step_size: Option<f64>,
    ) -> PyResult<Setup> {
        let scheme: Option<Name> = checked(scheme.map(str::parse).transpose())?;
        let method = scheme.unwrap_or(self.setup.scenario.integrator.method);
        if method.stepping().is_none() {
            return Err(refused(format!("`scheme` is {method}, expected one that takes steps")));
        }
        self.built(py, scheme, duration, step_size)
    }

    /// The same for any scheme.
    fn built(
        &self,
        py: Python<'_>,
        scheme: Option<Name>,
        duration: Option<f64>,
        step_size: Option<f64>,
    ) -> PyResult<Setup> {
        let mut scenario = self.setup.scenario.clone();
        let integrator = &mut scenario.integrator;
        integrator.method = scheme.unwrap_or(integrator.method);
        integrator.step_size = step_size.unwrap_or(integrator.step_size);
        scenario.duration = duration.unwrap_or(scenario.duration);
        let setup = py.detach(|| scenario.build());
        checked(setup)
    }

    pub(crate) const fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    pub(crate) fn mechanism(&self) -> &Mechanism {
        &self.setup.mechanism
    }

    fn system(&self) -> &dyn System {
        self.mechanism().model.system()
    }

    /// The given coordinates, or those of the start.
    pub(crate) fn position(&self, coordinates: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        let Some(coordinates) = coordinates else {
            return Ok(self.mechanism().state.coordinates.clone());
        };
        let coordinates = list("coordinates", coordinates)?;
        self.system()
            .check_coordinates(&coordinates)
            .map_err(|error| refused(format!("`coordinates`: {error}")))?;
        Ok(coordinates)
    }

    /// The given velocity, or that of the start.
    pub(crate) fn rate(&self, velocity: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        let Some(velocity) = velocity else {
            return Ok(self.mechanism().state.velocity.clone());
        };
        let velocity = list("velocity", velocity)?;
        let expected = self.system().velocity_count();
        if velocity.len() != expected {
            let found = velocity.len();
            return Err(refused(format!(
                "`velocity` has the shape ({found},), expected ({expected},)"
            )));
        }
        if let Some(value) = velocity.iter().find(|value| !value.is_finite()) {
            return Err(refused(format!(
                "`velocity` has the entry {value}, expected finite numbers"
            )));
        }
        Ok(velocity)
    }
}

/// The contacts of a mechanism at `coordinates` that are within `proximity` (m), with their names.
fn near(
    mechanism: &Mechanism,
    coordinates: &[f64],
    proximity: f64,
) -> PyResult<(ContactSet, Vec<String>)> {
    let Mechanism { model, surfaces, .. } = mechanism;
    let system = model.system();
    let (mut set, mut names) = (ContactSet::for_system(system), Vec::new());
    for (contact, named) in model.contacts().iter().zip(&mechanism.contacts) {
        if contact.gap.gap(system, coordinates) <= proximity {
            check_round(contact.cone.as_ref(), &named.name)?;
            let (friction, restitution) = (contact.friction, contact.restitution);
            checked(set.push_gap(system, coordinates, &*contact.gap, friction, restitution))?;
            names.push(named.name.clone());
        }
    }
    if let Some(surfaces) = surfaces {
        add_found(surfaces, model, coordinates, proximity, (&mut set, &mut names))?;
    }
    Ok((set, names))
}

fn add_found(
    surfaces: &Surfaces,
    model: &integrators::Model,
    coordinates: &[f64],
    proximity: f64,
    (set, names): (&mut ContactSet, &mut Vec<String>),
) -> PyResult<()> {
    let system = model.system();
    let mut workspace = Workspace::default();
    let settings = Settings { proximity };
    let found = surfaces.scene().contacts(system, coordinates, &settings, &mut workspace);
    for contact in checked(found)? {
        let name = contact.id.name();
        let cone = FoundCone::between(name.surfaces, model.found_cones());
        check_round(cone, &surfaces.contact(&name))?;
        checked(set.push(system, coordinates, &contact.into()))?;
        names.push(surfaces.contact(&name));
    }
    Ok(())
}

/// Returns an error for a friction cone that is not round.
fn check_round(cone: Option<&Arc<Cone>>, name: &str) -> PyResult<()> {
    cone.map_or(Ok(()), |cone| {
        Err(refused(format!(
            "contact `{name}` has the section {}, expected a friction coefficient; `simulate` has sections",
            cone.section
        )))
    })
}
