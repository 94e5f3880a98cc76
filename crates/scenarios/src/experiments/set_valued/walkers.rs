//! The two walkers, for which one step of the model has several solutions.
//!
//! The trailing foot stands still when the leading one arrives. Whether it is pushed or not, it can satisfy
//! the conditions of a step: lifting, sliding and sticking are three solutions of the same linear
//! complementarity problem. A path of Lemke's method ends in the solution to which its covering vector leads.
//! Paths end only in solutions of positive index, and sliding was never among them, for any covering vector.
//! The set is therefore sampled with three kinds of covering vectors, and once more with a draw among all
//! solutions of each step ([`Solutions::Drawn`]). The kinds of outcomes and the distances are measured on the
//! latter samples alone; no other outcomes are added to them.
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, SIAM 2009, chapter 6
//! (index of solutions).

use nalgebra::DVector;
use percussion_impact::set_valued::{Covering, Sampler, Settings, Solutions};
use percussion_mechanism::impacts::ImpactScenario;
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::{
    Mode::{Lifts, Slides, Sticks},
    Study,
    planes::{self, Component, Plane},
    samples,
};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
    fault::Faults,
    published_code::PublishedCode,
};

/// Maximum number of samples with a draw among all solutions of each step.
const DRAWN: u64 = 1 << 10;

const LEADING: usize = 0;
const TRAILING: usize = 1;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    published_code: PublishedCode,
    /// The prefix of the names of the figures.
    figure: String,
    caption: String,
    /// The samples on which kinds and distances are measured.
    #[serde(default)]
    solutions: Solutions,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let mut study = Study::new(
        (&scenario, experiment.faults()),
        Covering::Ones,
        options,
        progress,
        [0.0, 0.3],
    )?;
    let mut measurements = experiment.measurements(&fixture);
    study.measure(&mut measurements);
    study.measure_inexact(&mut measurements, &fixture.parameters.published_code, "")?;
    for (covering, quantity, part) in [
        (Covering::Scaled, "LCPs per sample, covering vector in units of the problem", [0.3, 0.6]),
        (Covering::Random, "LCPs per sample, random covering vectors", [0.6, 0.9]),
    ] {
        let other =
            Study::new((&scenario, experiment.faults()), covering, options, progress, part)?;
        measurements.add(quantity, other.statistics.mean_lcps());
        study.ends.extend(other.ends);
        study.paths.extend(other.paths);
    }
    measurements.add(
        "leading foot lifts and trailing foot does not",
        study.share(|end| study.mode(end, LEADING) == Lifts && study.mode(end, TRAILING) != Lifts),
    );
    let solutions = study.simultaneous.len() as f64;
    measurements.add("solutions of a first step that ends the impact", solutions);
    measurements.add("spread of those that Lemke’s method finds", spread(&study)?);
    let drawn = draw((&scenario, experiment.faults()), parameters.solutions, options, progress)?;
    let choices = drawn.statistics.choices;
    let steps = (choices.enumerated + choices.covered) as f64;
    measurements.add("steps with several solutions", 100.0 * choices.several as f64 / steps);
    measurements.add("steps that could not be enumerated", choices.covered as f64);
    let kinds: [&[_]; 3] = [&[Sticks, Lifts], &[Sticks, Slides], &[Sticks, Sticks]];
    measurements.add("kinds found: trailing foot lifts, slides, sticks", drawn.kinds(&kinds));
    let all = study.simultaneous.iter();
    measurements.add("distance of all contacts at once from the set", drawn.distance(all));
    study.ends.extend(drawn.ends);
    study.paths.extend(drawn.paths);
    let figures = figures(&study, &parameters.figure, parameters.caption.trim());
    experiment.outcome(&fixture, measurements, figures)
}

/// The example sampled again, by default with a draw among all solutions of each step.
fn draw(
    (scenario, faults): (&ImpactScenario, Faults),
    solutions: Solutions,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<Study, Error> {
    let settings = Settings {
        samples: DRAWN.min(samples(scenario, options.effort)),
        seed: options.seed,
        solutions,
        ..scenario.set_valued
    };
    Study::sample((scenario, faults), settings, progress, [0.9, 1.0])
}

/// Largest difference of a contact velocity after a first step that ends the impact, between random
/// covering vectors (m/s).
fn spread(study: &Study) -> Result<f64, Error> {
    let settings = Settings { covering: Covering::Random, ..study.settings };
    let mut sampler = Sampler::new(study.problem(), &settings)?;
    let percussions = study.simultaneous.iter().flat_map(|outcome| &outcome.impulses);
    let enough = 2.0 * percussions.map(|one| one.normal).fold(0.0, f64::max);
    let increments = vec![enough; study.impact.contacts.len()];
    let mut ends: Vec<DVector<f64>> = Vec::new();
    // About one covering vector in fifty leads to the rarer solution.
    for index in 0..1000 {
        sampler.restart(index);
        sampler.step(&increments)?;
        ends.push(sampler.contact_velocity().clone());
    }
    Ok(ends.iter().map(|end| (end - &ends[0]).amax()).fold(0.0, f64::max))
}

fn figures(study: &Study, figure: &str, caption: &str) -> Vec<Figure> {
    let planes = [
        (
            "normal",
            "Normal velocities of both feet",
            Component::Normal(LEADING),
            Component::Normal(TRAILING),
        ),
        ("leading", "The leading foot", Component::Tangent(LEADING), Component::Normal(LEADING)),
        (
            "trailing",
            "The trailing foot",
            Component::Tangent(TRAILING),
            Component::Normal(TRAILING),
        ),
    ];
    let draw = |(id, title, x, y): (&str, &str, Component, Component)| {
        let id = format!("{figure}-{id}");
        planes::figure(
            study,
            &Plane { id, title: title.to_owned(), caption: caption.to_owned(), x, y },
        )
    };
    // For a foot that never slides the figure would show only rounding.
    let slides =
        |component: Component| study.ends.iter().any(|end| end[component.row()].abs() > 1e-9);
    let shown = planes.into_iter().filter(|(_, _, x, y)| slides(*x) || slides(*y));
    shown.map(draw).collect()
}
