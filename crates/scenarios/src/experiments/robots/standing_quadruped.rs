//! A quadruped that stands on its servos.

use percussion_mechanism::{scenario::Drive, trajectory::Sample};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::SCHEMES;
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
};

const ROBOT: &str = include_str!("../../../fixtures/robots/standing-quadruped.xml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    gravity: [f64; 3],
    friction: f64,
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
    let Parameters { gravity, friction, step_size, duration, settled } = fixture.parameters;
    let mut measurements = experiment.measurements(&fixture);
    let mut series = Vec::new();
    for (k, method) in SCHEMES.into_iter().enumerate() {
        let robot = super::robot("standing-quadruped.xml", ROBOT, Drive::Hold);
        let mut scenario = super::standing(robot, "home", gravity, (step_size, duration))?;
        scenario.friction = Some(friction);
        scenario.integrator.method = method;
        let setup = scenario.build()?;
        let run = simulate(
            &setup,
            experiment.faults(),
            progress,
            [0.5 * k as f64, 0.5 * (k + 1) as f64],
        )?;
        let force = super::carried(&run);
        measurements.add(format!("force of the feet at the end, {method}"), force);
        super::add_stillness(&mut measurements, &run, settled, method);
        let height = |sample: &Sample| 1e3 * sample.coordinates[2];
        series.push(drawing::line(method.as_str(), drawing::history(&run, height)));
    }
    let figure = Figure {
        id: "height".to_owned(),
        title: "A quadruped stands on its servos".to_owned(),
        caption: "Height of the trunk, which sinks until the servos carry it.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("height", "mm"),
        equal_aspect: false,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}
