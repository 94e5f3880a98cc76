//! One ball thrown at another: directly, and after it has landed and rolled.

use nalgebra::Vector3;

use super::{Measurements, Options, Progress, drawing, impulses, simulate, touch};
use crate::{
    error::Error,
    figure::Figure,
    outcome::ExperimentOutcome,
    scenario::{Scenario, Setup},
    trajectory::{Sample, Trajectory},
};

const BETWEEN_BALLS: &str = "ball 1–ball 2";
const LANDING: &str = "ball 1–table";

pub(super) fn direct(
    scenario: &Scenario,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let trajectory = simulate(scenario, progress, [0.0, 1.0])?;
    let setup = scenario.build()?;
    let mut measurements = Measurements::new(&scenario.name, &scenario.expected);
    let meeting = touch(scenario, &trajectory, BETWEEN_BALLS, "balls touch")?;
    let landing = trajectory.contact(LANDING);
    let early = trajectory.reports.iter().take_while(|report| report.time < meeting);
    let from_table: f64 = early
        .flat_map(|report| &report.contacts)
        .filter(|contact| Some(contact.contact) == landing)
        .map(|contact| contact.impulse.x)
        .fold(0.0, |sum, impulse| sum + impulse);
    measurements.add("balls touch", meeting);
    measurements.add("impulse of the table on the thrown ball before that", from_table);
    let summary = "A ball is thrown at a second one at rest on a table and hits it in flight. \
                   Stewart & Trinkle (1996), section 4; the paper prints no numbers for it.";
    outcome(scenario, &setup, &trajectory, measurements, summary)
}

pub(super) fn bounce(
    scenario: &Scenario,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let trajectory = simulate(scenario, progress, [0.0, 1.0])?;
    let setup = scenario.build()?;
    let mut measurements = Measurements::new(&scenario.name, &scenario.expected);
    let landing = touch(scenario, &trajectory, LANDING, "thrown ball touches the table")?;
    let meeting = touch(scenario, &trajectory, BETWEEN_BALLS, "balls touch")?;
    measurements.add("thrown ball touches the table", landing);
    measurements.add("balls touch", meeting);
    let before = trajectory.samples.iter().rfind(|sample| sample.time < meeting);
    let rolling = before.unwrap_or(&trajectory.samples[0]);
    let [v_x, v_y, _, spin_x, spin_y, _] = [0, 1, 2, 3, 4, 5].map(|i| rolling.velocity[i]);
    let radius = rolling.coordinates[2];
    measurements.add("speed of rolling after the bounce", v_x.hypot(v_y));
    // The lowest point moves at v + ω × (0, 0, −r).
    measurements
        .add("speed of slip when rolling", (v_x - spin_y * radius).hypot(v_y + spin_x * radius));
    let summary = "A ball is thrown, lands on a table, rolls, and hits a second ball at rest. \
                   Stewart & Trinkle (1996), section 4; the paper prints no numbers for it.";
    outcome(scenario, &setup, &trajectory, measurements, summary)
}

fn outcome(
    scenario: &Scenario,
    setup: &Setup,
    trajectory: &Trajectory,
    mut measurements: Measurements<'_>,
    summary: &str,
) -> Result<ExperimentOutcome, Error> {
    measurements.add(
        "largest relative error of the momentum balance",
        momentum_error(scenario, setup, trajectory),
    );
    measurements.add("energy lost", trajectory.samples[0].energy - trajectory.end().energy);
    measurements.add_dependability(trajectory);
    let (rows, notes) = measurements.finish()?;
    let mut figures = drawing::overview(scenario, trajectory);
    figures.extend(impulse_figure(scenario, setup, trajectory));
    Ok(ExperimentOutcome {
        id: scenario.name.clone(),
        title: scenario.title.clone(),
        summary: summary.to_owned(),
        rows,
        figures,
        notes,
    })
}

/// Largest entry, over all steps, of the change of linear momentum less the impulses of gravity and of
/// the table, relative to the linear momentum at the start.
fn momentum_error(scenario: &Scenario, setup: &Setup, trajectory: &Trajectory) -> f64 {
    let momentum = |sample: &Sample| -> Vector3<f64> {
        let of_body = |(i, body): (usize, &crate::scenario::Body)| {
            body.mass * Vector3::from_column_slice(&sample.velocity[6 * i..6 * i + 3])
        };
        scenario.bodies.iter().enumerate().map(of_body).sum()
    };
    let mass: f64 = scenario.bodies.iter().map(|body| body.mass).sum();
    let weight = mass * trajectory.step_size * Vector3::from_column_slice(&scenario.gravity);
    let is_plane = |contact: usize| {
        scenario.planes.iter().any(|plane| plane.name == setup.partners[contact][1])
    };
    let error = |(step, pair): (usize, &[Sample])| {
        let from_table: Vector3<f64> = impulses::of_step(setup, trajectory, step)
            .iter()
            .filter(|one| is_plane(one.contact))
            .map(|one| one.impulse)
            .sum();
        (momentum(&pair[1]) - momentum(&pair[0]) - weight - from_table).amax()
    };
    let largest = trajectory.samples.windows(2).enumerate().map(error).fold(0.0, f64::max);
    largest / momentum(&trajectory.samples[0]).amax()
}

fn impulse_figure(scenario: &Scenario, setup: &Setup, trajectory: &Trajectory) -> Option<Figure> {
    let step = impulses::strongest_step(trajectory, trajectory.contact(BETWEEN_BALLS)?)?;
    Some(impulses::figure(scenario, setup, trajectory, step))
}
