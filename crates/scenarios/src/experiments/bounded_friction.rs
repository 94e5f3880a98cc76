//! Friction of bearings (section 3.5): a disc is braked on a slope and held there, another one stops to spin in the air.

use super::{Measurements, Options, Progress, drawing, simulate};
use crate::{
    error::Error,
    figure::Figure,
    outcome::ExperimentOutcome,
    scenario::Scenario,
    trajectory::{Sample, Trajectory},
};

/// Speed below which a disc has stopped (m/s, rad/s): velocities are found to some 1e-8.
const REST: f64 = 1e-6;

/// Entries of the velocity: the wheel along the slope, and the turning of the spinner.
const WHEEL: usize = 0;
const SPINNER: usize = 5;

pub(super) fn run(
    _id: &str,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let text = include_str!("../../fixtures/stewart-trinkle/bounded-friction.toml");
    let scenario = &Scenario::from_toml_str(text)?;
    let trajectory = simulate(scenario, progress, [0.0, 1.0])?;
    let mut measurements = Measurements::new(&scenario.name, &scenario.expected);
    let wheel = stop(scenario, &trajectory, WHEEL, "the wheel stops")?;
    let spinner = stop(scenario, &trajectory, SPINNER, "the spinner stops")?;
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
    measurements.add_dependability(&trajectory);
    let (rows, notes) = measurements.finish()?;
    Ok(ExperimentOutcome {
        id: scenario.name.clone(),
        title: scenario.title.clone(),
        summary: "A disc rolls up a slope while its bearing brakes it, stops and is held; another one \
                  falls and stops to spin. Bearings and contacts are unknowns of the same linear \
                  complementarity problem. Stewart & Trinkle (1996), section 3.5; the paper prints no \
                  numbers for it."
            .to_owned(),
        rows,
        figures: vec![figure(&trajectory)],
        notes,
    })
}

/// The first sample at which an entry of the velocity is next to nothing.
fn stop<'t>(
    scenario: &Scenario,
    trajectory: &'t Trajectory,
    entry: usize,
    event: &'static str,
) -> Result<&'t Sample, Error> {
    let stopped = |sample: &&Sample| sample.velocity[entry].abs() <= REST;
    let none = || Error::NoEvent { scenario: scenario.name.clone(), event };
    trajectory.samples.iter().find(stopped).ok_or_else(none)
}

fn figure(trajectory: &Trajectory) -> Figure {
    Figure {
        id: "speeds".to_owned(),
        title: "Speeds of the discs".to_owned(),
        caption: "The wheel along the slope (m/s) and the turning of the spinner (rad/s): straight lines to \
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
