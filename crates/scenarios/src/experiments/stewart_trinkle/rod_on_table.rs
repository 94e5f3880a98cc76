//! The spinning rod. One end hits the table where finite forces have no solution (Painlevé), then the other
//! end hits it, and then the rod slides and comes to rest.

use percussion_collision::Shape;
use percussion_mechanism::{
    scenario::Scenario,
    trajectory::{Sample, Trajectory},
    view::of_trajectory,
};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate, touch},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Steps of the velocity figures (s).
    steps: Vec<f64>,
    /// Step of the motion whose poses are drawn (s), one of `steps`.
    pose_step: f64,
    /// Times at which the rod is drawn, in addition to the start, both touches and the end (s).
    poses: Vec<f64>,
    /// Speed below which the rod counts as at rest (m/s, rad/s).
    rest: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let (scenario, fixture) = experiment.scenario::<Parameters>()?;
    let (scenario, parameters) = (&scenario, &fixture.parameters);
    let setup = scenario.build()?;
    let fine = simulate(&setup, experiment.faults(), progress, [0.0, 0.5])?;
    let mut measurements = experiment.measurements(&fixture);
    let first = touch(scenario, &fine, "rod–table (end −)", "first end touches")?;
    let second = touch(scenario, &fine, "rod–table (end +)", "second end touches")?;
    let rest = fine.rest(parameters.rest).map(|sample| sample.time);
    let rest =
        rest.ok_or_else(|| Error::NoEvent { scenario: scenario.name.clone(), event: "rest" })?;
    measurements.add("first end touches", first);
    measurements.add("second end touches", second);
    measurements.add("rest begins", rest);
    measurements.add("duration of sliding on both ends", rest - second);
    measurements.add("final horizontal position", fine.end().coordinates[0]);
    measurements.add("final angle", fine.end().coordinates[2]);
    measurements.add_dependability(&setup, &fine);
    let flight = fine.samples.windows(2).take_while(|pair| pair[1].time < first);
    let gain = flight.map(|pair| pair[1].energy - pair[0].energy).fold(f64::NEG_INFINITY, f64::max);
    measurements.add("largest increase of energy in free flight", gain.max(0.0));

    let mut runs = Vec::new();
    let steps = &parameters.steps;
    for (i, &step) in steps.iter().enumerate() {
        let part = |i: usize| 0.5 + 0.5 * i as f64 / steps.len() as f64;
        let setup = scenario.with_step_size(step).build()?;
        runs.push(simulate(&setup, experiment.faults(), progress, [part(i), part(i + 1)])?);
    }
    // The step as the file gives it, so that no arithmetic changes it.
    let is_drawn = |run: &&Trajectory| run.step_size.to_bits() == parameters.pose_step.to_bits();
    let drawn = runs.iter().find(is_drawn).unwrap_or(&fine);
    for (end, event) in [("−", "first end touches"), ("+", "second end touches")] {
        let step_end = touch(scenario, drawn, &format!("rod–table (end {end})"), event)?;
        let quantity = format!("{event}, start of the step, h = {}", drawn.step_size);
        measurements.add(quantity, step_end - drawn.step_size);
    }
    for run in &runs[..runs.len() - 1] {
        let quantity = format!("largest increase of energy in a step, h = {}", run.step_size);
        measurements.add(quantity, run.largest_energy_increase().max(0.0));
    }
    let [x, y, angle] = [0, 1, 2];
    let figures = vec![
        pose_figure(scenario, drawn, &parameters.poses, [first, second]),
        velocity_figure("figure-3", "Vertical velocity", "m/s", &runs, y),
        velocity_figure("figure-4", "Angular velocity", "rad/s", &runs, angle),
        velocity_figure("figure-5", "Horizontal velocity", "m/s", &runs, x),
    ];
    let play = experiment.play(of_trajectory(&setup, &fine));
    Ok(ExperimentOutcome { play, ..experiment.outcome(&fixture, measurements, figures)? })
}

/// The rod at the start, in flight, at both impacts and at rest.
fn pose_figure(
    scenario: &Scenario,
    trajectory: &Trajectory,
    between: &[f64],
    events: [f64; 2],
) -> Figure {
    let mut times = [&[0.0, scenario.duration], between, &events].concat();
    times.sort_by(f64::total_cmp);
    let (length, radius) = match scenario.bodies[0].shape {
        Some(Shape::Rod { length, radius }) => (length, radius),
        _ => (0.0, 0.0),
    };
    let mut series = vec![drawing::outline(vec![[-0.6, 0.0], [0.4, 0.0]])];
    for time in times {
        let sample = nearest(trajectory, time);
        let center = drawing::center(scenario, sample, 0, [0, 1]);
        let outline = drawing::rod(center, sample.coordinates[2], length, radius);
        series.push(drawing::line(&format!("t = {:.4} s", sample.time), outline));
    }
    Figure {
        id: "figure-2".to_owned(),
        title: "Falling and spinning rod".to_owned(),
        caption: format!(
            "The rod at several times, computed with h = {} s. Figure 2 of the paper.",
            trajectory.step_size
        ),
        x: drawing::axis("x", "m"),
        y: drawing::axis("y", "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}

fn velocity_figure(id: &str, what: &str, unit: &str, runs: &[Trajectory], entry: usize) -> Figure {
    let number = id.trim_start_matches("figure-");
    let series = runs.iter().map(|run| {
        drawing::line(
            &format!("h = {} s", run.step_size),
            drawing::history(run, |s| s.velocity[entry]),
        )
    });
    Figure {
        id: id.to_owned(),
        title: format!("{what} of the rod for different steps"),
        caption: format!(
            "The curves approach each other as the step shrinks, without chatter. Figure {number} of \
             the paper."
        ),
        x: drawing::axis("time", "s"),
        y: drawing::axis(&what.to_lowercase(), unit),
        equal_aspect: false,
        map: None,
        series: series.collect(),
    }
}

/// The sample nearest to `time`.
fn nearest(trajectory: &Trajectory, time: f64) -> &Sample {
    let after = trajectory.samples.partition_point(|sample| sample.time < time);
    let later = &trajectory.samples[after.min(trajectory.samples.len() - 1)];
    let earlier = &trajectory.samples[after.saturating_sub(1)];
    if time - earlier.time < later.time - time { earlier } else { later }
}
