//! A block that slides up a slope and stops where friction just holds it, or just does not.

use percussion_mechanism::{
    trajectory::{Sample, Trajectory},
    view::of_trajectory,
};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::{LAWS, with_friction};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// The coefficients of friction, as fractions of the tangent of the slope.
    parts: Vec<f64>,
    /// Speed below which the block has stopped (m/s).
    stopped: f64,
    /// Start time of the drawn speeds (s).
    drawn: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let (scenario, fixture) = experiment.scenario::<Parameters>()?;
    let &Parameters { ref parts, stopped, .. } = &fixture.parameters;
    let threshold = scenario.friction.unwrap_or_default();
    let mut measurements = experiment.measurements(&fixture);
    let (mut depth, mut residual): (f64, f64) = (0.0, 0.0);
    let (mut figures, mut play) = (Vec::new(), None);
    for (i, (law, name)) in LAWS.into_iter().enumerate() {
        let mut runs = Vec::new();
        for (j, &part) in parts.iter().enumerate() {
            let count = (LAWS.len() * parts.len()) as f64;
            let from = (parts.len() * i + j) as f64 / count;
            let sliding = with_friction(&scenario, law, part * threshold);
            let setup = sliding.build()?;
            let run = simulate(&setup, experiment.faults(), progress, [from, from + 1.0 / count])?;
            depth = depth.max(run.deepest_penetration());
            residual = residual.max(run.largest_residual());
            if (i, j) == (0, 0) {
                play = experiment.play(of_trajectory(&setup, &run));
            }
            runs.push(run);
        }
        let stop = runs[0].samples.iter().find(|sample| speed(sample) <= stopped);
        // A block that does not stop has no reading, but the other rows do.
        let time = stop.map_or(f64::NAN, |stop| stop.time);
        measurements.add(format!("time until it stops, {name}"), time);
        let way = stop.map_or(f64::NAN, |stop| stop.displacement[0].hypot(stop.displacement[1]));
        measurements.add(format!("way until it stops, {name}"), way);
        for (part, run) in parts.iter().zip(&runs).skip(1) {
            let quantity = format!("speed at the end with {part} of the friction, {name}");
            measurements.add(quantity, speed(run.end()));
        }
        if i == 0 {
            figures.push(figure(&fixture.parameters, time, &runs));
        }
    }
    measurements.add("deepest penetration at step ends", depth);
    measurements.add("largest relative residual", residual);
    Ok(ExperimentOutcome { play, ..experiment.outcome(&fixture, measurements, figures)? })
}

fn speed(sample: &Sample) -> f64 {
    sample.velocity[0].hypot(sample.velocity[1])
}

/// The speed after the stop, in millimeters per second, where the runs differ.
fn figure(parameters: &Parameters, stop: f64, runs: &[Trajectory]) -> Figure {
    let series = parameters.parts.iter().zip(runs).map(|(part, run)| {
        let late = run.samples.iter().filter(|sample| sample.time >= parameters.drawn);
        let points = late.map(|sample| [sample.time, 1e3 * speed(sample)]).collect();
        drawing::line(&format!("{part} of the friction at the threshold"), points)
    });
    Figure {
        id: "speed".to_owned(),
        title: "A block on a slope near the threshold of friction".to_owned(),
        caption: format!("Speed of the block after it stopped at {stop:.3} s, by Coulomb's law."),
        x: drawing::axis("time", "s"),
        y: drawing::axis("speed", "mm/s"),
        equal_aspect: false,
        map: None,
        series: series.collect(),
    }
}
