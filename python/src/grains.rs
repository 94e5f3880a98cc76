//! Scenes of many grains, step by step.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard},
};

use nalgebra::Vector3;
use percussion_granular::{Report, Settings, World};
use percussion_mechanism::{
    grains::{BUILT_IN, Measures, Run, Scene},
    view::GrainFilm,
};
use percussion_report::viewer;
use pyo3::{prelude::*, types::PyDict};

use crate::{
    arrays::{out, out_rows},
    errors::{checked, named, refused},
    interrupt::repeat,
};

/// A scene that moves.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct GrainsCore {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    run: Run,
    measures: Measures,
    film: GrainFilm,
    lines: Vec<Line>,
}

/// What is kept of a step.
#[derive(Debug)]
struct Line {
    time: f64,
    kinetic_energy: f64,
    grains: usize,
    report: Report,
}

#[pymethods]
impl GrainsCore {
    /// The built-in scene of this name, or that of a text whose meshes are in a folder, at its start. Lengths are multiplied by
    /// `factor`; the page that plays the steps covers `duration` (s). The last argument has the maximum number of sweeps and the tolerance.
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        text: Option<&str>,
        folder: PathBuf,
        factor: f64,
        duration: Option<f64>,
        sweeps: (Option<usize>, Option<f64>),
    ) -> PyResult<Self> {
        let (max_sweeps, tolerance) = sweeps;
        for (argument, value) in [("factor", Some(factor)), ("duration", duration)] {
            if let Some(value) = value
                && !(value > 0.0 && value.is_finite())
            {
                let message = format!("`{argument}` is {value}, expected a positive number");
                return Err(refused(message));
            }
        }
        let run = py.detach(|| {
            let scene = match text {
                Some(text) => Scene::from_toml_str(text)?,
                None => Scene::built_in(name)?,
            };
            Run::new(scene.scaled(factor)?, &folder)
        });
        let mut run = checked(run)?;
        let settings = *run.world().settings();
        checked(run.set_settings(Settings {
            max_sweeps: max_sweeps.unwrap_or(settings.max_sweeps),
            tolerance: tolerance.unwrap_or(settings.tolerance),
            ..settings
        }))?;
        let steps = steps_until(&run, duration.unwrap_or(run.scene().duration));
        let measures = checked(Measures::new(&run))?;
        let film = GrainFilm::new(run.world(), steps);
        Ok(Self { state: Mutex::new(State { run, measures, film, lines: Vec::new() }) })
    }

    #[getter]
    fn title(&self) -> PyResult<String> {
        Ok(self.state()?.run.scene().title.clone())
    }

    /// The time that the scene is to reach (s).
    #[getter]
    fn duration(&self) -> PyResult<f64> {
        Ok(self.state()?.run.scene().duration)
    }

    #[getter]
    fn step_size(&self) -> PyResult<f64> {
        Ok(self.state()?.run.world().settings().step_size)
    }

    /// The relative residual at which sweeps end.
    #[getter]
    fn tolerance(&self) -> PyResult<f64> {
        Ok(self.state()?.run.world().settings().tolerance)
    }

    #[getter]
    fn turned_away(&self) -> PyResult<u64> {
        Ok(self.state()?.run.turned_away())
    }

    /// Steps to the time `until` (s) and returns the number of steps made.
    fn advance(&self, py: Python<'_>, until: f64) -> PyResult<u64> {
        if !until.is_finite() {
            return Err(refused(format!("`until` is {until}, expected a finite number (s)")));
        }
        let last = steps_until(&self.state()?.run, until);
        let first = self.state()?.run.world().steps();
        let count = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX);
        let step = || self.state().map_err(|error| error.to_string())?.step();
        match repeat(py, count, step)? {
            Ok(()) => Ok(self.state()?.run.world().steps() - first),
            Err(error) => Err(named(py, "StepError", error)),
        }
    }

    /// The grains that are there now.
    fn grains<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = self.state()?;
        let world = state.run.world();
        let grains = world.grains();
        let all = || 0..grains.len();
        let rows = |vectors: Vec<Vector3<f64>>| {
            out_rows(py, vectors.iter().flat_map(|vector| vector.iter()).copied().collect(), 3)
        };
        let dict = PyDict::new(py);
        dict.set_item("time", world.time())?;
        dict.set_item("identities", grains.identities().to_vec())?;
        dict.set_item("positions", rows(grains.positions().to_vec())?)?;
        dict.set_item("velocities", rows(all().map(|one| grains.velocity(one)).collect())?)?;
        let spins = all().map(|one| grains.angular_velocity(one)).collect();
        dict.set_item("angular_velocities", rows(spins)?)?;
        dict.set_item("radii", out(py, grains.radii()))?;
        dict.set_item("masses", out(py, all().map(|one| grains.mass(one)).collect::<Vec<_>>()))?;
        Ok(dict)
    }

    /// One entry for each step so far.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = self.state()?;
        let numbers =
            |entry: fn(&Line) -> f64| out(py, state.lines.iter().map(entry).collect::<Vec<_>>());
        let dict = PyDict::new(py);
        dict.set_item("times", numbers(|line| line.time))?;
        dict.set_item("kinetic_energies", numbers(|line| line.kinetic_energy))?;
        dict.set_item("grain_counts", numbers(|line| line.grains as f64))?;
        dict.set_item("contact_counts", numbers(|line| line.report.contacts as f64))?;
        dict.set_item("sweeps", numbers(|line| line.report.sweeps as f64))?;
        dict.set_item("relative_residuals", numbers(|line| line.report.relative_residual))?;
        dict.set_item("overlaps", numbers(|line| line.report.overlap))?;
        Ok(dict)
    }

    /// The table of what the scene measures: the names of its columns and its rows.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
        let state = self.state()?;
        let names: Vec<_> = state.measures.columns().into_iter().map(|(name, _)| name).collect();
        let rows = state.measures.rows().concat();
        let table = out_rows(py, rows, names.len())?.into_any();
        Ok((names, table))
    }

    /// The page that plays the steps so far.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let state = self.state()?;
        Ok(py.detach(|| {
            let scene = state.run.scene();
            let size = state.run.world().settings().step_size;
            viewer::page(&state.film.view(&scene.title, &format!("Steps of {size} s.")))
        }))
    }
}

impl GrainsCore {
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| refused("the scene was left in the middle of a step"))
    }
}

impl State {
    fn step(&mut self) -> Result<(), String> {
        let Self { run, measures, film, lines } = self;
        let report = run.step_watched(&mut |world: &mut World, _| {
            // One process has no other ranks that it could fail to reach.
            let _ = measures.look(world);
        });
        let report = report.map_err(|error| error.to_string())?;
        let world = run.world();
        film.look(world, &report);
        let grains = world.grains();
        let (time, kinetic_energy) = (world.time(), grains.kinetic_energy());
        lines.push(Line { time, kinetic_energy, grains: grains.len(), report });
        Ok(())
    }
}

/// The number of the step that ends nearest to a time (s).
fn steps_until(run: &Run, time: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let steps = (time / run.world().settings().step_size).round() as u64;
    steps
}

/// The names of the built-in scenes.
#[pyfunction]
pub(crate) fn grain_scenes() -> Vec<&'static str> {
    BUILT_IN.iter().map(|(name, _)| *name).collect()
}
