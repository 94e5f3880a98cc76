//! A hand of three fingers with tendons, which holds a ball.

use percussion_record::ExperimentOutcome;

use super::held::Held;
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
};

const HELD: Held = Held {
    file: ("hand.xml", include_str!("../../../fixtures/robots/hand.xml")),
    friction: "0.8",
    // After three fingers with two joints each, and two coordinates of the ball.
    height: 8,
    figure: ("A ball in a hand of three fingers", "How far the ball has fallen since the start."),
};

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    HELD.run(experiment, progress, |measurements, run, method| {
        let pads = ["first tip", "second tip", "third tip"].map(|pad| super::force(run, pad));
        let normal = pads.iter().map(|pad| pad.x).sum::<f64>() / 3.0;
        let tangential = pads.iter().map(|pad| pad.y.hypot(pad.z)).sum();
        measurements.add(format!("normal force of a pad, {method}"), normal);
        measurements.add(format!("friction on the ball, {method}"), tangential);
    })
}
