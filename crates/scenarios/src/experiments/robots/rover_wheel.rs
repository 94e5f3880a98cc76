//! The driven wheel of a rover, which rolls under one torque and slips under a larger one.

use percussion_integrators::schemes::Name;
use percussion_mechanism::{scenario::Drive, trajectory::Sample};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
};

const ROBOT: &str = include_str!("../../../fixtures/robots/rover-wheel.xml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    gravity: [f64; 3],
    friction: f64,
    /// The torque with which it rolls, and that with which it slips (N·m).
    load: [f64; 2],
    step_size: f64,
    duration: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let Parameters { gravity, friction, load, step_size, duration } = fixture.parameters;
    let text = ROBOT.replace("friction=\"0.5\"", &format!("friction=\"{friction}\""));
    let mut measurements = experiment.measurements(&fixture);
    let mut series = Vec::new();
    for (k, (torque, word)) in load.into_iter().zip(["rolling", "slipping"]).enumerate() {
        let robot = super::robot("rover-wheel.xml", &text, Drive::Controls);
        let mut scenario = super::scenario(robot, gravity, (step_size, duration))?;
        scenario.integrator.method = Name::MoreauJean;
        let mut setup = scenario.build()?;
        super::load(&mut setup, torque)?;
        let run = simulate(
            &setup,
            experiment.faults(),
            progress,
            [0.5 * k as f64, 0.5 * (k + 1) as f64],
        )?;
        // The velocities are those of the two slides and of the axle.
        let end = &run.end().velocity;
        measurements.add(format!("speed after {word}"), end[0]);
        measurements.add(format!("spin after {word}"), end[2]);
        let speed = |sample: &Sample| sample.velocity[0];
        series.push(drawing::line(word, drawing::history(&run, speed)));
    }
    let figure = Figure {
        id: "speed".to_owned(),
        title: "A driven wheel rolls and slips".to_owned(),
        caption: "Speed of the rover under the two torques.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("speed", "m/s"),
        equal_aspect: false,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}
