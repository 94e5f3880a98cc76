//! An object that a robot holds by friction: the same measurement for every gripper.

use percussion_integrators::schemes::Name;
use percussion_mechanism::{
    scenario::Drive,
    trajectory::{Sample, Trajectory},
};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::SCHEMES;
use crate::{
    error::Error,
    experiments::{Experiment, Measurements, Progress, drawing, simulate},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    gravity: [f64; 3],
    friction: f64,
    load: f64,
    step_size: f64,
    duration: f64,
    settled: f64,
}

/// A robot and the object in its grip.
pub(super) struct Held {
    /// Name and text of the file.
    pub(super) file: (&'static str, &'static str),
    /// The friction in the file as it is written there, which the parameter replaces.
    pub(super) friction: &'static str,
    /// The coordinate that is the height of the object.
    pub(super) height: usize,
    /// Title and caption of the figure.
    pub(super) figure: (&'static str, &'static str),
}

impl Held {
    /// Moves the robot by all schemes under the load; `measure` adds the forces of a run.
    pub(super) fn run(
        &self,
        experiment: &Experiment,
        progress: &mut Progress<'_>,
        measure: impl Fn(&mut Measurements<'_>, &Trajectory, Name),
    ) -> Result<ExperimentOutcome, Error> {
        let fixture = experiment.fixture::<Parameters>()?;
        let Parameters { gravity, friction, load, step_size, duration, settled } =
            fixture.parameters;
        let (name, text) = self.file;
        let written = |friction: &str| format!("friction=\"{friction}\"");
        let text = text.replace(&written(self.friction), &written(&friction.to_string()));
        let mut measurements = experiment.measurements(&fixture);
        let mut series = Vec::new();
        for (k, method) in SCHEMES.into_iter().enumerate() {
            let robot = super::robot(name, &text, Drive::Controls);
            let mut scenario = super::scenario(robot, gravity, (step_size, duration))?;
            scenario.integrator.method = method;
            let mut setup = scenario.build()?;
            super::load(&mut setup, load)?;
            let run = simulate(
                &setup,
                experiment.faults(),
                progress,
                [0.5 * k as f64, 0.5 * (k + 1) as f64],
            )?;
            measure(&mut measurements, &run, method);
            super::add_stillness(&mut measurements, &run, settled, method);
            let start = run.samples[0].coordinates[self.height];
            let fall = |sample: &Sample| 1e9 * (start - sample.coordinates[self.height]);
            series.push(drawing::line(method.as_str(), drawing::history(&run, fall)));
        }
        let (title, caption) = self.figure;
        let figure = Figure {
            id: "fall".to_owned(),
            title: title.to_owned(),
            caption: caption.to_owned(),
            x: drawing::axis("time", "s"),
            y: drawing::axis("fall", "nm"),
            equal_aspect: false,
            map: None,
            series,
        };
        experiment.outcome(&fixture, measurements, vec![figure])
    }
}
