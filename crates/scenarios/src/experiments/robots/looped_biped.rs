//! A biped with four closed loops that sinks onto its limits.

use percussion_integrators::schemes::Name;
use percussion_mechanism::{scenario::Drive, trajectory::Sample};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
};

const ROBOT: &str = include_str!("../../../fixtures/robots/looped-biped.xml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    gravity: [f64; 3],
    friction: f64,
    length: f64,
    step_size: f64,
    duration: f64,
    tolerance: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let Parameters { gravity, friction, length, step_size, duration, tolerance } =
        fixture.parameters;
    let text = ROBOT.replace("0 0 -0.4\"", &format!("0 0 -{length}\""));
    let robot = super::robot("looped-biped.xml", &text, Drive::Hold);
    let mut scenario = super::standing(robot, "crouch", gravity, (step_size, duration))?;
    scenario.friction = Some(friction);
    scenario.integrator.method = Name::StewartTrinkle;
    scenario.integrator.tolerance = Some(tolerance);
    let run = simulate(&scenario.build()?, experiment.faults(), progress, [0.0, 1.0])?;
    let mut measurements = experiment.measurements(&fixture);
    measurements.add("height of the trunk at the end", run.end().coordinates[2]);
    measurements.add("force of the feet at the end", super::carried(&run));
    let loops = run.reports.iter().map(|step| step.constraint_error);
    measurements.add("largest error of a loop", loops.fold(0.0, f64::max));
    // The contacts that are known beforehand are the limits.
    let gaps = run.samples.iter().flat_map(|sample| &sample.gaps);
    measurements.add("farthest passing of a limit", gaps.fold(0.0, |far, gap| f64::max(far, -gap)));
    measurements.add("deepest penetration at step ends", run.deepest_penetration());
    let height = |sample: &Sample| sample.coordinates[2];
    let figure = Figure {
        id: "height".to_owned(),
        title: "A biped sinks onto its limits".to_owned(),
        caption: "Height of the trunk, which its servos cannot carry.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("height", "m"),
        equal_aspect: false,
        map: None,
        series: vec![drawing::line("trunk", drawing::history(&run, height))],
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}
