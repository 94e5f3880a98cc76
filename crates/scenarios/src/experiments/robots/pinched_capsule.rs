//! A capsule that two jaws pinch.

use percussion_record::ExperimentOutcome;

use super::held::Held;
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
};

const HELD: Held = Held {
    file: ("pinched-capsule.xml", include_str!("../../../fixtures/robots/pinched-capsule.xml")),
    friction: "0.7",
    // After the two jaws, and two coordinates of the capsule.
    height: 4,
    figure: ("A capsule between two jaws", "How far the capsule has fallen since the start."),
};

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    HELD.run(experiment, progress, |measurements, run, method| {
        let jaws = ["left jaw", "right jaw"].map(|jaw| super::force(run, jaw));
        let normal = jaws.iter().map(|jaw| jaw.x).sum::<f64>();
        let tangential = jaws.iter().map(|jaw| jaw.y.hypot(jaw.z)).sum();
        measurements.add(format!("normal force of a jaw, {method}"), 0.5 * normal);
        measurements.add(format!("friction of both jaws, {method}"), tangential);
    })
}
