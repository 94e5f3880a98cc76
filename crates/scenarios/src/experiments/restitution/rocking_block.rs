//! A block falls flat on two corners with restitution: bounces, pivots, and the sets between them.

use nalgebra::DVector;
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
    /// Restitutions of both corners.
    restitutions: Vec<f64>,
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
    let faults = experiment.faults();
    let mut measurements = experiment.measurements(&fixture);
    let mut series = Vec::new();
    // The names of the rows do not change with the coefficients.
    for (index, (name, &e)) in
        ["none", "half", "full"].into_iter().zip(&parameters.restitutions).enumerate()
    {
        progress(index as f64 / 3.0, "Random rates");
        let problem = with_restitution(&scenario, e)?;
        let right = problem.rows(1).start;
        let normals = |velocity: &DVector<f64>| {
            let contact = problem.contact_velocity(velocity);
            [contact[0], contact[right]]
        };
        let both = normals(&steered(&problem, &[[100.0, 100.0]], faults)?);
        measurements.add(format!("{name}: both corners alike, speed of a corner"), both[0]);
        let [first, second] = normals(&steered(&problem, &[[100.0, 0.0], [0.0, 100.0]], faults)?);
        measurements.add(format!("{name}: left corner first, speed of the left"), first);
        measurements.add(format!("{name}: left corner first, speed of the right"), second);

        let set = sampled(&problem, parameters.step, options, faults)?;
        let outcomes = ends(&set, faults);
        measurements.add(format!("{name}: samples that end"), share_that_ends(&set));
        measurements
            .add(format!("{name}: largest gain of energy"), largest_gain(&problem, &outcomes));
        measurements.add(format!("{name}: steps of a sample"), set.statistics.mean_lcps());
        series.push(Series {
            label: format!("e = {e}"),
            mark: Mark::Dots,
            points: outcomes.iter().take(2000).map(normals).collect(),
        });
    }
    let figure = Figure {
        id: "sets".to_owned(),
        title: "The block after the impact, by restitution".to_owned(),
        caption: "Normal velocities of both corners at arbitrary rates. Without restitution one corner at least stays."
            .to_owned(),
        x: drawing::axis("separation of the left corner", "m/s"),
        y: drawing::axis("separation of the right corner", "m/s"),
        equal_aspect: true,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}
