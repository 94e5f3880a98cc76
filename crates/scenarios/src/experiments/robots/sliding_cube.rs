//! A cube that slides flat on a plane.

use percussion_mechanism::{
    scenario::Drive,
    trajectory::{Sample, Trajectory},
};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::SCHEMES;
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
};

const ROBOT: &str = include_str!("../../../fixtures/robots/sliding-cube.xml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    gravity: [f64; 3],
    friction: f64,
    speed: f64,
    step_size: f64,
    duration: f64,
    /// Speed below which the cube has stopped (m/s).
    rest: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let Parameters { gravity, friction, speed: start, step_size, duration, rest } =
        fixture.parameters;
    let text = ROBOT.replace("friction=\"0.5\"", &format!("friction=\"{friction}\""));
    let mut measurements = experiment.measurements(&fixture);
    let mut series = Vec::new();
    for (k, method) in SCHEMES.into_iter().enumerate() {
        let mut robot = super::robot("sliding-cube.xml", &text, Drive::Limp);
        robot.velocity = Some(vec![start, 0.0, 0.0]);
        let mut scenario = super::scenario(robot, gravity, (step_size, duration))?;
        scenario.integrator.method = method;
        let setup = scenario.build()?;
        let run = simulate(
            &setup,
            experiment.faults(),
            progress,
            [0.5 * k as f64, 0.5 * (k + 1) as f64],
        )?;
        let stop = run.samples.iter().find(|sample| speed(sample) <= rest);
        let stop =
            stop.ok_or_else(|| Error::NoEvent { scenario: scenario.name.clone(), event: "stop" })?;
        let start = &run.samples[0].coordinates;
        measurements.add(format!("way until it stops, {method}"), stop.coordinates[0] - start[0]);
        measurements.add(format!("time until it stops, {method}"), stop.time);
        measurements.add(format!("largest lift, {method}"), lift(&run));
        measurements.add(format!("largest tilt, {method}"), tilt(&run));
        series.push(drawing::line(method.as_str(), drawing::history(&run, speed)));
    }
    let figure = Figure {
        id: "speed".to_owned(),
        title: "A cube slides to rest".to_owned(),
        caption: "Speed of the cube, which friction decreases evenly.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("speed", "m/s"),
        equal_aspect: false,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}

fn speed(sample: &Sample) -> f64 {
    sample.velocity[0].hypot(sample.velocity[1])
}

/// How far the center leaves its height at the start (m).
fn lift(run: &Trajectory) -> f64 {
    let start = run.samples[0].coordinates[2];
    let heights = run.samples.iter().map(|sample| (sample.coordinates[2] - start).abs());
    heights.fold(0.0, f64::max)
}

/// How far the cube turns about a horizontal axis (rad).
fn tilt(run: &Trajectory) -> f64 {
    let angle = |sample: &Sample| 2.0 * sample.coordinates[4].hypot(sample.coordinates[5]);
    run.samples.iter().map(angle).fold(0.0, f64::max)
}
