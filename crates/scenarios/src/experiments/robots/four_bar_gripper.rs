//! A gripper whose fingers are carried by four-bars.

use percussion_record::ExperimentOutcome;

use super::held::Held;
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
};

const HELD: Held = Held {
    file: ("four-bar-gripper.xml", include_str!("../../../fixtures/robots/four-bar-gripper.xml")),
    friction: "0.7",
    // After the two fingers with two rods each, and two coordinates of the box.
    height: 8,
    figure: (
        "A box between two fingers on four-bars",
        "How far the box has fallen since the start.",
    ),
};

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    HELD.run(experiment, progress, |measurements, run, method| {
        // How the pads share friction is not determined: each touches with four corners.
        let pads = ["left finger", "right finger"].map(|pad| super::force(run, pad).x);
        measurements.add(format!("normal force of a pad, {method}"), 0.5 * (pads[0] + pads[1]));
        let loops = run.reports.iter().map(|step| step.constraint_error);
        let largest = loops.fold(0.0, f64::max);
        measurements.add(format!("largest error of a loop, {method}"), largest);
    })
}
