//! A ball thrown at another, which it hits after it has landed and rolled.

use percussion_record::ExperimentOutcome;

use super::thrown::{BETWEEN_BALLS, LANDING, finish};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, simulate, touch},
    fixture::NoParameters,
};

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let (scenario, fixture) = experiment.scenario::<NoParameters>()?;
    let (scenario, setup) = (&scenario, scenario.build()?);
    let trajectory = simulate(&setup, experiment.faults(), progress, [0.0, 1.0])?;
    let mut measurements = experiment.measurements(&fixture);
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
    finish(experiment, &fixture, (&setup, &trajectory), measurements)
}
