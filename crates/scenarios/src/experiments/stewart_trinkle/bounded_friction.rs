//! Friction of bearings (section 3.5): a disc is braked on a slope and held there, another one stops spinning in the air.

use percussion_mechanism::{
    scenario::Scenario,
    trajectory::{Sample, Trajectory},
    view::of_trajectory,
};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Speed below which a disc has stopped (m/s, rad/s).
    rest: f64,
}

/// Velocity indices: the motion of the wheel along the slope, and the rotation of the spinner.
const WHEEL: usize = 0;
const SPINNER: usize = 5;

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let (scenario, fixture) = experiment.scenario::<Parameters>()?;
    let (scenario, rest) = (&scenario, fixture.parameters.rest);
    let setup = scenario.build()?;
    let trajectory = simulate(&setup, experiment.faults(), progress, [0.0, 1.0])?;
    let mut measurements = experiment.measurements(&fixture);
    let wheel = stop(scenario, &trajectory, (WHEEL, rest), "the wheel stops")?;
    let spinner = stop(scenario, &trajectory, (SPINNER, rest), "the spinner stops")?;
    let after = trajectory.samples.iter().filter(|sample| sample.time >= wheel.time);
    let creep = after.map(|sample| sample.velocity[WHEEL].abs()).fold(0.0, f64::max);
    let contacts = trajectory.reports.last().map(|step| step.contacts.as_slice());
    let along: f64 = contacts.unwrap_or_default().iter().map(|one| one.impulse.y.abs()).sum();
    measurements.add("wheel stops", wheel.time);
    measurements.add("way of the wheel", wheel.coordinates[0]);
    measurements.add("largest speed of the wheel after that", creep);
    measurements
        .add("force of the slope along it while the wheel is held", along / trajectory.step_size);
    measurements.add("spinner stops", spinner.time);
    measurements.add_dependability(&setup, &trajectory);
    let play = experiment.play(of_trajectory(&setup, &trajectory));
    let outcome = experiment.outcome(&fixture, measurements, vec![figure(&trajectory)])?;
    Ok(ExperimentOutcome { play, ..outcome })
}

/// The first sample at which an entry of the velocity has nearly stopped.
fn stop<'t>(
    scenario: &Scenario,
    trajectory: &'t Trajectory,
    (entry, rest): (usize, f64),
    event: &'static str,
) -> Result<&'t Sample, Error> {
    let stopped = |sample: &&Sample| sample.velocity[entry].abs() <= rest;
    let none = || Error::NoEvent { scenario: scenario.name.clone(), event };
    trajectory.samples.iter().find(stopped).ok_or_else(none)
}

fn figure(trajectory: &Trajectory) -> Figure {
    Figure {
        id: "speeds".to_owned(),
        title: "Speeds of the discs".to_owned(),
        caption: "The velocity of the wheel along the slope (m/s) and the angular velocity of the spinner (rad/s): straight lines to \
                  rest."
            .to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("speed", "m/s, rad/s"),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::line("wheel", drawing::history(trajectory, |s| s.velocity[WHEEL])),
            drawing::line("spinner", drawing::history(trajectory, |s| s.velocity[SPINNER])),
        ],
    }
}
