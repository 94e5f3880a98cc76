//! The rod on a table and the four balls of Stewart and Trinkle, simulated by their scheme and by the scheme with round cones.

use percussion_integrators::{StepReport, schemes::Name};
use percussion_mechanism::{scenario::Scenario, trajectory::Trajectory};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    convergence,
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Step size of the rod (s).
    rod_step_size: f64,
    /// Step sizes of the balls (s), each half of the one before.
    ball_step_sizes: Vec<f64>,
    /// Friction directions of the balls in the scheme of Stewart and Trinkle.
    directions: usize,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let mut measurements = experiment.measurements(&fixture);

    let rod = experiment.other_scenario("stewart-trinkle/rod-on-table")?;
    let rod = rod.map(|rod| rod.with_step_size(parameters.rod_step_size));
    let [polygons, cones] = both(&rod, experiment.faults(), progress, [0.0, 0.4])?;
    for (quantity, contact) in
        [("first end touches", "rod–table (end −)"), ("second end touches", "rod–table (end +)")]
    {
        let [theirs, ours] = [(&rod[0], &polygons), (&rod[1], &cones)]
            .map(|(rod, run)| struck(rod, run, contact, quantity));
        let (theirs, ours) = (theirs?, ours?);
        measurements.add(format!("rod: {quantity}, difference"), ours - theirs);
    }
    let apart = |k: usize| cones.end().coordinates[k] - polygons.end().coordinates[k];
    measurements.add("rod: final horizontal position, difference", apart(0));
    measurements.add("rod: deepest penetration", cones.deepest_penetration());
    measurements.add("rod: largest relative residual", cones.largest_residual());

    let mut balls = experiment.other_scenario("stewart-trinkle/four-balls")?;
    for scenario in &mut balls {
        scenario.integrator.directions = Some(parameters.directions);
    }
    for (i, &step) in parameters.ball_step_sizes.iter().enumerate() {
        let part = |i: usize| 0.4 + 0.6 * i as f64 / parameters.ball_step_sizes.len() as f64;
        let balls = balls.each_ref().map(|balls| balls.with_step_size(step));
        let [polygons, cones] =
            both(&balls, experiment.faults(), progress, [part(i), part(i + 1)])?;
        let distance = convergence::position_error(&cones, &polygons);
        measurements.add(format!("balls: largest distance of positions, h = {step}"), distance);
        measurements
            .add(format!("balls: deepest penetration, h = {step}"), cones.deepest_penetration());
    }
    experiment.outcome(&fixture, measurements, vec![figure(&polygons, &cones)])
}

/// The end of the first step in which a contact pushes (s).
///
/// Gaps do not show it: the scheme closes them at velocity level, except for their curvature within a step.
fn struck(
    scenario: &Scenario,
    trajectory: &Trajectory,
    contact: &str,
    event: &'static str,
) -> Result<f64, Error> {
    let contact = trajectory.contact(contact);
    let pushes = |step: &&StepReport| {
        step.contacts.iter().any(|one| Some(one.contact) == contact && one.impulse.x > 0.0)
    };
    let step = trajectory.reports.iter().find(pushes);
    let none = || Error::NoEvent { scenario: scenario.name.clone(), event };
    step.map(|step| step.time).ok_or_else(none)
}

/// The motion of the first scenario by the scheme of Stewart and Trinkle, and of the second by the scheme with round cones.
fn both(
    [scenario, other]: &[Scenario; 2],
    faults: Faults,
    progress: &mut Progress<'_>,
    [from, to]: [f64; 2],
) -> Result<[Trajectory; 2], Error> {
    let middle = 0.5 * (from + to);
    let mut other = other.clone();
    other.integrator.method = Name::ImpulseVelocity;
    let by_first = simulate(&scenario.build()?, faults, progress, [from, middle])?;
    Ok([by_first, simulate(&other.build()?, faults, progress, [middle, to])?])
}

fn figure(polygons: &Trajectory, cones: &Trajectory) -> Figure {
    let spin = |trajectory| drawing::history(trajectory, |sample| sample.velocity[2]);
    Figure {
        id: "rod-spin".to_owned(),
        title: "Angular velocity of the rod by both schemes".to_owned(),
        caption: "The rod on a table. Both schemes have the impacts in the same steps.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("angular velocity", "rad/s"),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::line("Stewart and Trinkle", spin(polygons)),
            drawing::line("impulse–velocity", spin(cones)),
        ],
    }
}
