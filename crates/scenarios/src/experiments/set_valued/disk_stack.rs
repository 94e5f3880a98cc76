//! The stack of three disks, with five contacts, in three interpretations of the published code.

use percussion_impact::set_valued::Covering;
use percussion_record::ExperimentOutcome;
use serde::Deserialize;

use super::{
    Mode::Lifts,
    Study,
    planes::{self, Component, Plane},
};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
    published_code::PublishedCode,
};

// Indices of the contacts in the fixture.
const LEFT_GROUND: usize = 0;
const RIGHT_GROUND: usize = 1;
const TOP_LEFT: usize = 2;
const TOP_RIGHT: usize = 3;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    published_code: PublishedCode,
    /// Name of the impact with the mass that the published code sets first.
    light: String,
    /// Name of the impact with the tangents of the published code.
    oblique: String,
}

/// Caption of the planes of figure 14.
const CAPTION: &str = "All contacts at once bring the stack to rest; samples open it on one side or the other. Figure 14 of \
                       the paper.";

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let Parameters { impact, light, oblique, published_code } = &fixture.parameters;
    let scenario = experiment.impact(impact)?;
    let mut study = Study::new(
        (&scenario, experiment.faults()),
        Covering::default(),
        options,
        progress,
        [0.0, 0.4],
    )?;
    let mut measurements = experiment.measurements(&fixture);
    study.measure(&mut measurements);
    study.measure_inexact(&mut measurements, published_code, "")?;
    measurements.add("outcomes with all contacts at once", study.simultaneous.len() as f64);
    measurements.add("distance of rest from the samples", study.distance_of_rest());
    let one_side = |end: &[f64]| {
        let lifts = |contact| study.mode(end, contact) == Lifts;
        lifts(LEFT_GROUND) != lifts(RIGHT_GROUND)
    };
    measurements.add("one lower disk lifts", study.share(one_side));
    let both = |study: &Study, contacts: [usize; 2]| {
        study.share(|end| contacts.iter().all(|&k| study.mode(end, k) == Lifts))
    };
    let (upper, lower) = ([TOP_LEFT, TOP_RIGHT], [LEFT_GROUND, RIGHT_GROUND]);
    measurements.add("top disk leaves both others", both(&study, upper));
    measurements.add("both lower disks lift", both(&study, lower));

    let light = experiment.impact(light)?;
    let light = Study::new(
        (&light, experiment.faults()),
        Covering::default(),
        options,
        progress,
        [0.4, 0.6],
    )?;
    measurements.add("LCPs per sample, 1 kg", light.statistics.mean_lcps());

    let oblique = experiment.impact(oblique)?;
    let oblique = Study::new(
        (&oblique, experiment.faults()),
        Covering::default(),
        options,
        progress,
        [0.6, 0.95],
    )?;
    measurements.add("LCPs per sample, published tangents", oblique.statistics.mean_lcps());
    oblique.measure_inexact(&mut measurements, published_code, ", published tangents")?;
    measurements.add("samples that end, published tangents", oblique.terminated());
    measurements.add("top disk leaves both others, published tangents", both(&oblique, upper));
    measurements.add("both lower disks lift, published tangents", both(&oblique, lower));

    // The path of a sequence bounces between the contacts about sixty times and would hide the rest of a figure.
    study.sequences.clear();
    let plane = |id: &str, title: &str, x, y| Plane {
        id: format!("figure-14-{id}"),
        title: title.to_owned(),
        caption: CAPTION.to_owned(),
        x,
        y,
    };
    let planes = [
        plane(
            "top",
            "The top disk leaves the left or the right one",
            Component::Normal(TOP_LEFT),
            Component::Normal(TOP_RIGHT),
        ),
        plane(
            "ground",
            "The lower disks leave the ground",
            Component::Normal(LEFT_GROUND),
            Component::Normal(RIGHT_GROUND),
        ),
        plane(
            "left",
            "The left disk on the ground",
            Component::Tangent(LEFT_GROUND),
            Component::Normal(LEFT_GROUND),
        ),
    ];
    let figures = planes.iter().map(|plane| planes::figure(&study, plane)).collect();
    experiment.outcome(&fixture, measurements, figures)
}
