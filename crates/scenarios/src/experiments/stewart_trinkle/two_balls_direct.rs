//! A ball thrown at another, which it hits in flight.

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
    finish(experiment, &fixture, (&setup, &trajectory), measurements)
}
