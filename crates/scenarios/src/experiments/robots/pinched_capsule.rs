//! A capsule that two jaws pinch.

use nalgebra::Vector3;
use percussion_integrators::Course;
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
        let model = setup.mechanism.model.clone();
        let pressed = model
            .actuators()
            .iter()
            .map(|motor| motor.clone().with_control(Course::constant(load)));
        let pressed = pressed.collect();
        setup.mechanism.model =
            model.with_actuators(pressed).map_err(percussion_mechanism::Error::from)?;
        let run = simulate(&setup, progress, [0.5 * k as f64, 0.5 * (k + 1) as f64])?;
        let [normal, tangential] = forces(&run, step_size);
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

/// The normal forces of all contacts in the last step, and the sizes of the frictions of the jaws together (N).
fn forces(run: &Trajectory, step_size: f64) -> [f64; 2] {
    let Some(last) = run.reports.last() else { return [f64::NAN; 2] };
    let of_jaw = |jaw: &str| {
        let own =
            last.contacts.iter().filter(|one| run.contact_names[one.contact].starts_with(jaw));
        own.fold(Vector3::zeros(), |sum: Vector3<f64>, contact| sum + contact.impulse) / step_size
    };
    // Both contacts of a jaw have the same tangents.
    let jaws = ["left jaw", "right jaw"].map(of_jaw);
    [jaws.iter().map(|jaw| jaw.x).sum(), jaws.iter().map(|jaw| jaw.y.hypot(jaw.z)).sum()]
}
