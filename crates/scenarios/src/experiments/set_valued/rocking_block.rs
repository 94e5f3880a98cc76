//! The rocking block: rest, pivoting on either corner, and everything between; compared with compliant corners.
//!
//! Outcomes are compared in the plane of both normal velocities. There the hull of the set is the triangle of
//! rest and both pivots. With the speed `u` of pivoting, an outcome lies outside by the largest of `−u_A`,
//! `−u_B` and `u_A + u_B − u`. Compliant outcomes lie outside by 10⁻⁵ m/s in all, for two reasons. A
//! compliant corner is not quite at rest when the impact counts as over, by the 10⁻³ m/k of its criterion.
//! And the block turns by about 10⁻⁴ rad while the impulses build up, which changes velocities by the same
//! fraction.

use nalgebra::DVector;
use percussion_impact::set_valued::Covering;
use percussion_mechanism::impacts::ImpactScenario;
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};

use super::{
    Study,
    planes::{self, Component, Plane},
};
use crate::{
    compliant_block::{Published, Run, Sweeps},
    error::Error,
    experiments::{Effort, Experiment, Options, Progress, drawing},
};

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Published>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let study = Study::new(
        (&scenario, experiment.faults()),
        Covering::default(),
        options,
        progress,
        [0.0, 0.5],
    )?;
    let mut measurements = experiment.measurements(&fixture);
    study.measure(&mut measurements);
    study.measure_inexact(&mut measurements, &parameters.published_code, "")?;
    let pivots = study.sequences.iter().map(|(_, outcome)| outcome);
    measurements.add("distance of rest from the samples", study.distance_of_rest());
    measurements.add("distance of the pivots from the samples", study.distance(pivots));
    measurements.add("distance of the pivots from the set", study.steered_distance()?);
    let lift = study.ends.iter().map(|end| end[0].max(end[2])).fold(0.0, f64::max);
    measurements.add("fastest lift of a corner", lift);

    let mut sweeps = parameters.sweeps;
    if options.effort == Effort::Quick {
        sweeps.runs = parameters.quick_runs;
    }
    progress(0.5, "Compliant corners of different stiffness");
    let mut stiffness = sweeps.stiffness_of(&scenario)?;
    let ends = stiffness.iter_mut().map(|run| &mut run.contact_velocity);
    ends.for_each(|velocity| experiment.faults().velocities(velocity));
    progress(0.75, "A tilted block on compliant corners");
    let angle = sweeps.angle_of(&scenario)?;
    let pivot = study.sequences.iter().map(|(_, outcome)| study.contact_velocity(outcome).amax());
    let pivot = pivot.fold(0.0, f64::max);
    let farthest = |runs: &[Run]| {
        let outside = |run: &Run| {
            let [a, _, b, _] = run.contact_velocity;
            (-a).max(-b).max(a + b - pivot).max(0.0)
        };
        runs.iter().map(outside).fold(0.0, f64::max)
    };
    let fastest = |runs: &[Run]| {
        let lift = |run: &Run| run.contact_velocity[0].max(run.contact_velocity[2]);
        runs.iter().map(lift).fold(0.0, f64::max)
    };
    measurements
        .add("compliant corners of different stiffness: outside the hull", farthest(&stiffness));
    measurements.add("compliant corners of different stiffness: fastest lift", fastest(&stiffness));
    measurements.add("tilted block on compliant corners: fastest lift", fastest(&angle));
    measurements.add("tilted block on compliant corners: outside the hull", farthest(&angle));
    let alone = angle.iter().map(|run| run.first_alone).fold(0.0, f64::max);
    measurements.add("tilted block: first percussion before the second begins", 100.0 * alone);
    let plane = Plane {
        id: "figure-9".to_owned(),
        title: "The block after the impact".to_owned(),
        caption:
            "Either corner may lift, up to the speed of pivoting on the other, and never both. \
                  Figure 9 of the paper."
                .to_owned(),
        x: Component::Normal(0),
        y: Component::Normal(1),
    };
    let figures = vec![
        pictures(&scenario, &study),
        planes::figure(&study, &plane),
        compliant(&study, &sweeps, &stiffness, &angle),
    ];
    experiment.outcome(&fixture, measurements, figures)
}

/// Compliant outcomes over the set of the rigid model.
fn compliant(study: &Study, sweeps: &Sweeps, stiffness: &[Run], angle: &[Run]) -> Figure {
    let plane = Plane {
        id: "figure-12".to_owned(),
        title: "Compliant corners compared with the set".to_owned(),
        caption: format!(
            "Normal velocities after the impact: the samples of the set of the rigid model, which is two segments, and the outcomes \
             on springs with dampers, with corners of different stiffness and with equal corners at a tilt of up to \
             {}°. The latter exceed the set a little, because the block continues to fall between its impacts. Figure 12 of \
             the paper.",
            sweeps.largest_angle
        ),
        x: Component::Normal(0),
        y: Component::Normal(1),
    };
    let mut figure = planes::figure(study, &plane);
    // The set is two segments; dots show that it has no width.
    figure.series.retain(|series| series.label == planes::OUTCOMES);
    let sweep = |label: &str, runs: &[Run]| Series {
        label: label.to_owned(),
        mark: Mark::Dots,
        points: runs.iter().map(|run| [run.contact_velocity[0], run.contact_velocity[2]]).collect(),
    };
    figure.series.push(sweep("tilt", angle));
    figure.series.push(sweep("stiffness ratio", stiffness));
    figure.equal_aspect = true;
    figure
}

/// The block before the impact and after it by three rules, with the velocities of its corners.
fn pictures(scenario: &ImpactScenario, study: &Study) -> Figure {
    let (mut series, mut arrows) = (Vec::new(), Vec::new());
    let [width, height, _] = scenario.contacts[0].disc.center.map(f64::abs);
    let middle = scenario.bodies[0].coordinates.as_ref().map_or(height, |start| start[1]);
    let around = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let corners = around.map(|[x, y]| [x * width, middle + y * height]);
    let mut picture = |index: usize, velocity: &DVector<f64>| {
        let shift = 1.8 * index as f64;
        series.push(drawing::outline(corners.map(|[x, y]| [x + shift, y]).to_vec()));
        for [x, y] in corners.into_iter().take(4) {
            let spin = velocity[2];
            let [u, v] = [velocity[0] - spin * (y - middle), velocity[1] + spin * x];
            if u.hypot(v) > 1e-9 {
                arrows.extend([[x + shift, y], [x + shift + 2.0 * u, y + 2.0 * v]]);
            }
        }
    };
    let outcomes = study.simultaneous.iter().chain(study.sequences.iter().map(|(_, one)| one));
    picture(0, study.problem().velocity());
    for (index, outcome) in outcomes.enumerate() {
        picture(index + 1, &outcome.velocity);
    }
    series.push(drawing::outline(vec![[-0.8, 0.0], [6.2, 0.0]]));
    let label = "velocities of corners, 2 m for 1 m/s".to_owned();
    series.push(Series { label, mark: Mark::Arrows, points: arrows });
    Figure {
        id: "figure-1".to_owned(),
        title: "One block, three outcomes".to_owned(),
        caption: "From the left: before the impact; after both corners at once, at rest; after the left \
                  corner first and after the right corner first, pivoting on the other. Figure 1 of the \
                  paper."
            .to_owned(),
        x: drawing::axis("x, pictures side by side", "m"),
        y: drawing::axis("y", "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}
