//! The rocking block: rest, pivoting on either corner, and everything between.

use super::{
    Measurements, Study,
    planes::{self, Component, Plane},
};
use crate::{
    error::Error,
    experiments::{Options, Progress},
    impacts::ImpactScenario,
    outcome::ExperimentOutcome,
};
use percussion_impact::set_valued::Covering;

pub(in crate::experiments) fn run(
    id: &str,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let scenario = ImpactScenario::named("rocking-block")?;
    let study = Study::new(&scenario, Covering::default(), options, progress, [0.0, 0.5])?;
    let mut measurements = Measurements::new(id, &scenario.expected);
    study.measure(&mut measurements);
    let pivots = study.sequences.iter().map(|(_, outcome)| outcome);
    measurements.add("distance of rest from the samples", study.distance_of_rest());
    measurements.add("distance of the pivots from the samples", study.distance(pivots));
    measurements.add("distance of the pivots from the set", study.steered_distance()?);
    let lift = study.ends.iter().map(|end| end[0].max(end[2])).fold(0.0, f64::max);
    measurements.add("fastest lift of a corner", lift);
    let (rows, notes) = measurements.finish()?;
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
    Ok(ExperimentOutcome {
        id: id.to_owned(),
        title: scenario.title.clone(),
        summary: "A block falls flat on two corners. With both percussions at once it comes to rest; one \
                  after the other it pivots on the corner that was last; at arbitrary relative rates any \
                  share of either pivot can come about. Halm & Posa (2024), sections 2.2.2 and 5.4.1, \
                  figures 1, 9 and 12, Table 3."
            .to_owned(),
        rows,
        figures: vec![planes::figure(&study, &plane)],
        notes,
    })
}
