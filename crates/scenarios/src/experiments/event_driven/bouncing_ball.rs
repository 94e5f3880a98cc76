//! A ball that bounces infinitely often, rests and rolls.

use percussion_impact::poisson::Poisson;
use percussion_mechanism::{event_motion::EventMotion, view::of_event_motion};
use percussion_record::ExperimentOutcome;

use super::{accumulation, add_dependability, energy, over};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
    fixture::NoParameters,
};

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let (scenario, fixture) = experiment.scenario::<NoParameters>()?;
    let mut tell = |fraction| progress(fraction, "A ball bounces");
    let setup = scenario.build()?;
    let mut motion = setup.simulate_events(&Poisson::default(), &mut tell)?;
    let EventMotion { trajectory, report, .. } = &mut motion;
    experiment.faults().motion(&setup.mechanism.model, trajectory, report);
    let (trajectory, report) = (&*trajectory, &*report);
    let mut measurements = experiment.measurements(&fixture);
    let (limit, ratio) = accumulation(&scenario.name, report)?;
    measurements.add("first landing", report.events.first().map_or(f64::NAN, |event| event.time));
    measurements.add("time at which impacts accumulate", limit);
    measurements.add("ratio of the last times between impacts", ratio);
    measurements.add("energy lost in impacts", report.energy.impacts);
    measurements.add("speed of rolling", trajectory.end().velocity[0]);
    add_dependability(&mut measurements, report);
    let height =
        over(trajectory, report, ("height", "height of the center", "m"), |s| s.coordinates[1]);
    let figures = vec![height, energy(trajectory, report)];
    let play = experiment.play(of_event_motion(&setup, &motion));
    Ok(ExperimentOutcome { play, ..experiment.outcome(&fixture, measurements, figures)? })
}
