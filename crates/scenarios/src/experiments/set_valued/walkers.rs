//! The two walkers, of which one step of the model has several solutions.
//!
//! The trailing foot stands still when the leading one arrives. Pushed or not, it can keep the
//! conditions of a step: lifting, sliding and sticking are three solutions of the same linear
//! complementarity problem, and a path of Lemke's method ends in the one that its covering vector
//! leads to. Paths end in solutions of positive index only, and sliding was never among them, whatever
//! the covering vector. The set therefore is sampled with three kinds of covering vectors, and from every velocity on some of the paths all
//! solutions of one more step, long enough to be the last, are enumerated.
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, SIAM 2009, chapter 6
//! (index of solutions).

use nalgebra::DVector;
use percussion_complementarity::lcp::enumerate;
use percussion_impact::{
    AnitescuPotra, Outcome, Problem,
    set_valued::{Covering, Sampler, Settings},
};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::{
    Mode::{Lifts, Slides, Sticks},
    Study,
    planes::{self, Component, Plane},
};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
};

/// Paths from which all solutions of a last step are enumerated.
const BRANCHED: u64 = 1 << 12;

const LEADING: usize = 0;
const TRAILING: usize = 1;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    /// The beginning of the names of the figures.
    figure: String,
    caption: String,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let mut study = Study::new(&scenario, Covering::Ones, options, progress, [0.0, 0.3])?;
    let mut measurements = experiment.measurements(&fixture);
    study.measure(&mut measurements);
    for (covering, quantity, part) in [
        (Covering::Scaled, "LCPs per sample, covering vector in units of the problem", [0.3, 0.6]),
        (Covering::Random, "LCPs per sample, random covering vectors", [0.6, 0.9]),
    ] {
        let other = Study::new(&scenario, covering, options, progress, part)?;
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
    branch(&mut study)?;
    let kinds: [&[_]; 3] = [&[Sticks, Lifts], &[Sticks, Slides], &[Sticks, Sticks]];
    measurements.add("kinds found: trailing foot lifts, slides, sticks", study.kinds(&kinds));
    let all = study.simultaneous.iter();
    measurements.add("distance of all contacts at once from the set", study.distance(all));
    let figures = figures(&study, &parameters.figure, parameters.caption.trim());
    experiment.outcome(&fixture, measurements, figures)
}

/// Adds, from each velocity on some of the paths, all solutions of a last step with full increments.
fn branch(study: &mut Study) -> Result<(), Error> {
    let problem = &study.impact.problem;
    let mut sampler = Sampler::new(problem, &study.settings)?;
    for index in 0..BRANCHED.min(study.settings.samples) {
        let path = sampler.path(index);
        let steps = path.steps.iter().map(|step| &step.velocity);
        let ahead = steps.clone().len();
        for velocity in std::iter::once(&path.start).chain(steps).take(ahead) {
            let start = problem.contact_velocity(velocity).as_slice().to_vec();
            for end in last_steps(problem, velocity, study.settings.step)? {
                study.paths.push(vec![start.clone(), end.clone()]);
                study.ends.push(end);
            }
        }
    }
    Ok(())
}

/// The contact velocities after all solutions of a step that ends the impact.
///
/// A step with the increments `h` whose solution needs no more than those is an inelastic impact of all
/// contacts at once.
fn last_steps(
    problem: &Problem,
    velocity: &DVector<f64>,
    increment: f64,
) -> Result<Vec<Vec<f64>>, Error> {
    let problem = problem.with_velocity(velocity.clone())?;
    let law = AnitescuPotra::default();
    let outcomes = law.all(&problem, &enumerate::Settings::default())?.outcomes;
    let short = |outcome: &&Outcome| outcome.impulses.iter().all(|one| one.normal <= increment);
    let end = |outcome: &Outcome| problem.contact_velocity(&outcome.velocity).as_slice().to_vec();
    Ok(outcomes.iter().filter(short).map(end).collect())
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
    // One covering vector in fifty finds the rarer solution.
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
    // A foot that never slides has nothing to show but rounding.
    let slides =
        |component: Component| study.ends.iter().any(|end| end[component.row()].abs() > 1e-9);
    let shown = planes.into_iter().filter(|(_, _, x, y)| slides(*x) || slides(*y));
    shown.map(draw).collect()
}
