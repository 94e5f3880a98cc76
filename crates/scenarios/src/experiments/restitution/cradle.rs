//! A ball strikes a row of two: the arc of outcomes between the two extreme orders.

use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use super::{ends, largest_gain, sampled, share_that_ends, steered, with_restitution};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    /// Restitution at both contacts, of energy: `e²` of it is given back.
    restitution: f64,
    /// Largest increment of the random rates (N·s).
    step: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let problem = with_restitution(&scenario, parameters.restitution)?;
    let faults = experiment.faults();
    let mut measurements = experiment.measurements(&fixture);

    progress(0.0, "Rates that closed forms follow");
    let rates: [(&str, &[[f64; 2]]); 3] = [
        ("first contact first", &[[100.0, 0.0], [0.0, 100.0]]),
        ("first contact three times as fast", &[[300.0, 100.0]]),
        ("second contact as fast as it may", &[[100.0, 1e6]]),
    ];
    let mut marked = Vec::new();
    for (name, steps) in rates {
        let velocity = steered(&problem, steps, faults)?;
        for (ball, speed) in ["first", "second", "third"].into_iter().zip(velocity.iter()) {
            measurements.add(format!("{name}: velocity of the {ball} ball"), *speed);
        }
        marked.push([velocity[0], velocity[2]]);
    }

    progress(0.3, "Random rates");
    let set = sampled(&problem, parameters.step, options, faults)?;
    let outcomes = ends(&set, faults);
    measurements.add("samples that end", share_that_ends(&set));
    let momentum = problem.momentum(problem.velocity()).sum();
    let change = outcomes.iter().map(|one| (problem.momentum(one).sum() - momentum).abs());
    measurements.add("largest change of momentum", change.fold(0.0, f64::max));
    measurements.add("largest gain of energy", largest_gain(&problem, &outcomes));
    let least = outcomes.iter().map(|one| one[0]).fold(f64::INFINITY, f64::min);
    measurements.add("slowest first ball of the samples", least);
    let pieces = set.statistics.pieces as f64 / set.statistics.samples as f64;
    measurements.add("pieces between events of a sample", pieces);

    let dots = Series {
        label: "random rates".to_owned(),
        mark: Mark::Dots,
        points: outcomes.iter().take(2000).map(|one| [one[0], one[2]]).collect(),
    };
    let ends = Series { label: "closed forms".to_owned(), mark: Mark::Dots, points: marked };
    let figure = Figure {
        id: "arc".to_owned(),
        title: "Three elastic balls at arbitrary rates".to_owned(),
        caption: "Every outcome has the momentum and the energy of before; the order of the balls leaves an arc of \
                  60 degrees, from the last ball alone to the last two together."
            .to_owned(),
        x: drawing::axis("velocity of the first ball", "m/s"),
        y: drawing::axis("velocity of the third ball", "m/s"),
        equal_aspect: true,
        map: None,
        series: vec![dots, ends],
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}
