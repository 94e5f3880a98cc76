//! The box that slides on a corner into a wall.

use percussion_impact::set_valued::Covering;
use percussion_record::ExperimentOutcome;
use serde::Deserialize;

use super::{
    Mode::{Lifts, Slides, Sticks},
    Study,
    planes::{self, Component, Plane},
};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
    published_code::PublishedCode,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    published_code: PublishedCode,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let scenario = experiment.impact(&fixture.parameters.impact)?;
    let study = Study::new(
        (&scenario, experiment.faults()),
        Covering::default(),
        options,
        progress,
        [0.0, 0.9],
    )?;
    let mut measurements = experiment.measurements(&fixture);
    study.measure(&mut measurements);
    study.measure_inexact(&mut measurements, &fixture.parameters.published_code, "")?;
    measurements.add("outcomes with all contacts at once", study.simultaneous.len() as f64);
    measurements.add("distance of rest from the samples", study.distance_of_rest());
    let sequences = || study.sequences.iter().map(|(_, outcome)| outcome);
    measurements.add("distance of wall first from the samples", study.distance(sequences()));
    measurements.add("distance of wall first from the set", study.steered_distance()?);
    let kinds: [&[_]; 3] = [&[Sticks, Sticks], &[Slides, Lifts], &[Slides, Slides]];
    measurements.add("kinds found: rest, wall lifts, wall slides", study.kinds(&kinds));
    let slide = |u: &[f64]| u[Component::Tangent(0).row()];
    let fastest = study.ends.iter().map(|end| slide(end)).fold(0.0, f64::max);
    let of_sequence = sequences().map(|outcome| slide(study.contact_velocity(outcome).as_slice()));
    let of_sequence = of_sequence.fold(0.0, f64::max);
    measurements.add("sliding along the floor after wall first", of_sequence);
    measurements.add("fastest sliding along the floor", fastest);
    measurements
        .add("faster sliding than wall first (1 for yes)", f64::from(fastest > of_sequence));
    let caption = "With both contacts at once the box stops; with the wall first it leaves the wall and continues to slide, \
                   and at some rates it slides faster. Figure 11 of the paper.";
    let planes = [
        Plane {
            id: "figure-11-normal".to_owned(),
            title: "Normal velocities of the box after it hits the wall".to_owned(),
            caption: caption.to_owned(),
            x: Component::Normal(0),
            y: Component::Normal(1),
        },
        Plane {
            id: "figure-11-floor".to_owned(),
            title: "The corner on the floor".to_owned(),
            caption: caption.to_owned(),
            x: Component::Tangent(0),
            y: Component::Normal(0),
        },
        Plane {
            id: "figure-11-wall".to_owned(),
            title: "The corner at the wall".to_owned(),
            caption: caption.to_owned(),
            x: Component::Tangent(1),
            y: Component::Normal(1),
        },
    ];
    let figures = planes.iter().map(|plane| planes::figure(&study, plane)).collect();
    experiment.outcome(&fixture, measurements, figures)
}
