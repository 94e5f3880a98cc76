//! Code shared by the experiments in which one ball is thrown at another.

use nalgebra::Vector3;
use percussion_mechanism::{
    scenario::Setup,
    trajectory::{Sample, Trajectory},
    view::of_trajectory,
};
use percussion_record::{ExperimentOutcome, Figure};

use super::impulses;
use crate::{
    error::Error,
    experiments::{Experiment, Measurements, drawing},
    fixture::{Fixture, NoParameters},
};

pub(super) const BETWEEN_BALLS: &str = "ball 1–ball 2";
pub(super) const LANDING: &str = "ball 1–table";

/// Adds the rows that both throws must have.
pub(super) fn finish(
    experiment: &Experiment,
    fixture: &Fixture<NoParameters>,
    (setup, trajectory): (&Setup, &Trajectory),
    mut measurements: Measurements<'_>,
) -> Result<ExperimentOutcome, Error> {
    measurements
        .add("largest relative error of the momentum balance", momentum_error(setup, trajectory));
    measurements.add("energy lost", trajectory.samples[0].energy - trajectory.end().energy);
    measurements.add_dependability(setup, trajectory);
    let mut figures = drawing::overview(setup, trajectory);
    figures.extend(impulse_figure(setup, trajectory));
    let play = experiment.play(of_trajectory(setup, trajectory));
    Ok(ExperimentOutcome { play, ..experiment.outcome(fixture, measurements, figures)? })
}

/// Largest entry, over all steps, of the change of linear momentum minus the impulses of gravity and of the
/// table, relative to the linear momentum at the start.
fn momentum_error(setup: &Setup, trajectory: &Trajectory) -> f64 {
    let Setup { scenario, mechanism, .. } = setup;
    let momentum = |sample: &Sample| -> Vector3<f64> {
        let of_body = |(i, body): (usize, &percussion_mechanism::scenario::Body)| {
            body.mass * Vector3::from_column_slice(&sample.velocity[6 * i..6 * i + 3])
        };
        scenario.bodies.iter().enumerate().map(of_body).sum()
    };
    let mass: f64 = scenario.bodies.iter().map(|body| body.mass).sum();
    let weight = mass * trajectory.step_size * Vector3::from_column_slice(&scenario.gravity);
    let is_plane = |contact: usize| {
        scenario.planes.iter().any(|plane| plane.name == mechanism.contacts[contact].between[1])
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

fn impulse_figure(setup: &Setup, trajectory: &Trajectory) -> Option<Figure> {
    let step = impulses::strongest_step(trajectory, trajectory.contact(BETWEEN_BALLS)?)?;
    Some(impulses::figure(setup, trajectory, step))
}
