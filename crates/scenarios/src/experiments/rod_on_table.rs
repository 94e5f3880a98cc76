//! The spinning rod: one end hits the table where finite forces have no solution (Painlevé), then the
//! other end, then the rod slides and rests.

use super::{Measurements, Options, Progress, drawing, simulate, touch};
use crate::{
    error::Error,
    figure::Figure,
    outcome::ExperimentOutcome,
    scenario::{Scenario, Shape},
    trajectory::{Sample, Trajectory},
};

/// Steps of the velocity figures (s), the coarsest "about 1/25 of a second" as in the paper.
const STEPS: [f64; 4] = [0.04, 0.01, 0.0025, 0.000625];

/// Which of the [`STEPS`] the poses are drawn with, as in the paper, whose times of touching belong to them.
const POSE_STEP: usize = 2;

/// Speed below which the rod rests (m/s, rad/s).
///
/// Positions are found to 1e-10, so velocities to 1e-10/h = 1.6e-7 at the step of the file.
const REST: f64 = 1e-6;

pub(super) fn run(
    scenario: &Scenario,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fine = simulate(scenario, progress, [0.0, 0.5])?;
    let mut measurements = Measurements::new(&scenario.name, &scenario.expected);
    let first = touch(scenario, &fine, "rod–table (end −)", "first end touches")?;
    let second = touch(scenario, &fine, "rod–table (end +)", "second end touches")?;
    let rest = fine.rest(REST).map(|sample| sample.time);
    let rest =
        rest.ok_or_else(|| Error::NoEvent { scenario: scenario.name.clone(), event: "rest" })?;
    measurements.add("first end touches", first);
    measurements.add("second end touches", second);
    measurements.add("rest begins", rest);
    measurements.add("duration of sliding on both ends", rest - second);
    measurements.add("final horizontal position", fine.end().coordinates[0]);
    measurements.add("final angle", fine.end().coordinates[2]);
    measurements.add_dependability(&fine);
    let flight = fine.samples.windows(2).take_while(|pair| pair[1].time < first);
    let gain = flight.map(|pair| pair[1].energy - pair[0].energy).fold(f64::NEG_INFINITY, f64::max);
    measurements.add("largest increase of energy in free flight", gain.max(0.0));

    let mut runs = Vec::new();
    for (i, &step) in STEPS.iter().enumerate() {
        let part = |i: usize| 0.5 + 0.5 * i as f64 / STEPS.len() as f64;
        runs.push(simulate(&scenario.with_step_size(step), progress, [part(i), part(i + 1)])?);
    }
    let drawn = &runs[POSE_STEP];
    for (end, event) in [("−", "first end touches"), ("+", "second end touches")] {
        let step_end = touch(scenario, drawn, &format!("rod–table (end {end})"), event)?;
        let quantity = format!("{event}, start of the step, h = {}", drawn.step_size);
        measurements.add(quantity, step_end - drawn.step_size);
    }
    for run in &runs[..3] {
        let quantity = format!("largest increase of energy in a step, h = {}", run.step_size);
        measurements.add(quantity, run.largest_energy_increase().max(0.0));
    }
    let (rows, notes) = measurements.finish()?;
    Ok(ExperimentOutcome {
        id: scenario.name.clone(),
        title: scenario.title.clone(),
        summary: "A rod falls on a table, turning. Where its first end touches, rigid-body mechanics \
                  with Coulomb friction and finite forces has no solution; the time-stepping scheme \
                  answers with an impulse. The second end follows, the rod slides a little and rests. \
                  Stewart & Trinkle (1996), section 4, figures 2–5."
            .to_owned(),
        rows,
        figures: vec![
            pose_figure(scenario, &runs[POSE_STEP], [first, second]),
            velocity_figure("figure-3", "Vertical velocity", "m/s", &runs, |s| s.velocity[1]),
            velocity_figure("figure-4", "Angular velocity", "rad/s", &runs, |s| s.velocity[2]),
            velocity_figure("figure-5", "Horizontal velocity", "m/s", &runs, |s| s.velocity[0]),
        ],
        notes,
    })
}

/// The rod at the start, in flight, at both impacts and at rest.
fn pose_figure(scenario: &Scenario, trajectory: &Trajectory, events: [f64; 2]) -> Figure {
    let [first, second] = events;
    let times = [0.0, 0.15, 0.25, 0.32, first, 0.45, 0.5, second, scenario.duration];
    let (length, radius) = match scenario.bodies[0].shape {
        Some(Shape::Rod(rod)) => (rod.length, rod.radius),
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

fn velocity_figure(
    id: &str,
    what: &str,
    unit: &str,
    runs: &[Trajectory],
    value: fn(&Sample) -> f64,
) -> Figure {
    let number = id.trim_start_matches("figure-");
    let series = runs.iter().map(|run| {
        drawing::line(&format!("h = {} s", run.step_size), drawing::history(run, value))
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
