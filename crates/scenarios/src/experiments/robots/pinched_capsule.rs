//! A capsule that two jaws pinch.

use percussion_mechanism::{scenario::Drive, trajectory::Sample};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::SCHEMES;
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
};

const ROBOT: &str = include_str!("../../../fixtures/robots/pinched-capsule.xml");

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

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let Parameters { gravity, friction, load, step_size, duration, settled } = fixture.parameters;
    let text = ROBOT.replace("friction=\"0.7\"", &format!("friction=\"{friction}\""));
    let mut measurements = experiment.measurements(&fixture);
    let mut series = Vec::new();
    for (k, method) in SCHEMES.into_iter().enumerate() {
        let robot = super::robot("pinched-capsule.xml", &text, Drive::Controls);
        let mut scenario = super::scenario(robot, gravity, (step_size, duration))?;
        scenario.integrator.method = method;
        let mut setup = scenario.build()?;
        super::load(&mut setup, load)?;
        let run = simulate(&setup, progress, [0.5 * k as f64, 0.5 * (k + 1) as f64])?;
        let jaws = ["left jaw", "right jaw"].map(|jaw| super::force(&run, jaw));
        let normal = jaws.iter().map(|jaw| jaw.x).sum::<f64>();
        let tangential = jaws.iter().map(|jaw| jaw.y.hypot(jaw.z)).sum();
        measurements.add(format!("normal force of a jaw, {method}"), 0.5 * normal);
        measurements.add(format!("friction of both jaws, {method}"), tangential);
        super::add_stillness(&mut measurements, &run, settled, method);
        let fall = |sample: &Sample| 1e9 * (run.samples[0].coordinates[4] - sample.coordinates[4]);
        series.push(drawing::line(method.as_str(), drawing::history(&run, fall)));
    }
    let figure = Figure {
        id: "fall".to_owned(),
        title: "A capsule between two jaws".to_owned(),
        caption: "How far the capsule has fallen since the start.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("fall", "nm"),
        equal_aspect: false,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}
