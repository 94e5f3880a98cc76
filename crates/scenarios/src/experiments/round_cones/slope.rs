//! A block that slides up a slope and stops where friction just holds it, or just does not.

use super::{LAWS, with_friction};
use crate::{
    error::Error,
    experiments::{Measurements, Options, Progress, drawing, simulate},
    figure::Figure,
    outcome::ExperimentOutcome,
    scenario::Scenario,
    trajectory::{Sample, Trajectory},
};

/// The coefficients of friction, in parts of the tangent of the slope.
const PARTS: [f64; 3] = [1.0, 1.001, 0.999];

/// Speed below which the block has stopped (m/s): residuals are 1e-8 of 2 m/s.
const STOPPED: f64 = 1e-6;

pub(in crate::experiments) fn run(
    id: &str,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let scenario = Scenario::named(id)?;
    let threshold = scenario.friction.unwrap_or_default();
    let mut measurements = Measurements::new(id, &scenario.expected);
    let (mut depth, mut residual): (f64, f64) = (0.0, 0.0);
    let mut curves = Vec::new();
    for (i, (law, name)) in LAWS.into_iter().enumerate() {
        let mut runs = Vec::new();
        for (j, part) in PARTS.into_iter().enumerate() {
            let from = (3 * i + j) as f64 / 6.0;
            let sliding = with_friction(&scenario, law, part * threshold);
            let run = simulate(&sliding, progress, [from, from + 1.0 / 6.0])?;
            depth = depth.max(run.deepest_penetration());
            residual = residual.max(run.largest_residual());
            runs.push(run);
        }
        let stop = runs[0].samples.iter().find(|sample| speed(sample) <= STOPPED);
        let stop = stop.ok_or_else(|| Error::NoEvent { scenario: id.to_owned(), event: "stop" })?;
        measurements.add(format!("time until it stops, {name}"), stop.time);
        let way = stop.displacement[0].hypot(stop.displacement[1]);
        measurements.add(format!("way until it stops, {name}"), way);
        for (part, run) in PARTS.into_iter().zip(&runs).skip(1) {
            let quantity = format!("speed at the end with {part} of the friction, {name}");
            measurements.add(quantity, speed(run.end()));
        }
        curves.push((name, runs));
    }
    measurements.add("deepest penetration at step ends", depth);
    measurements.add("largest relative residual", residual);
    let (rows, notes) = measurements.finish()?;
    Ok(ExperimentOutcome {
        id: id.to_owned(),
        title: scenario.title.clone(),
        summary: "A block slides up a slope of 25 degrees at 2 m/s and stops. With a thousandth more friction than the \
                  tangent of the slope it stays, with a thousandth less it slides back, slowly and evenly."
            .to_owned(),
        rows,
        figures: vec![figure(&curves[0].1)],
        notes,
    })
}

fn speed(sample: &Sample) -> f64 {
    sample.velocity[0].hypot(sample.velocity[1])
}

/// The speed after the stop, in millimeters per second, where the runs differ.
fn figure(runs: &[Trajectory]) -> Figure {
    let series = PARTS.into_iter().zip(runs).map(|(part, run)| {
        let late = run.samples.iter().filter(|sample| sample.time >= 0.25);
        let points = late.map(|sample| [sample.time, 1e3 * speed(sample)]).collect();
        drawing::line(&format!("friction {part} tan 25°"), points)
    });
    Figure {
        id: "speed".to_owned(),
        title: "A block on a slope near the threshold of friction".to_owned(),
        caption: "Speed of the block after it stopped at 0.241 s, by Coulomb's law.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("speed", "mm/s"),
        equal_aspect: false,
        map: None,
        series: series.collect(),
    }
}
