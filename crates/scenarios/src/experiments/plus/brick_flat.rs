//! Example 2: four corners of a brick in unison.

use percussion_impact::plus::{Motion, Plus, Workspace};
use percussion_mechanism::{impacts::ImpactScenario, scenario::Inertia};
use percussion_record::{Axis, ExperimentOutcome, Figure};
use serde::Deserialize;

use super::{Moment, follow, law, points};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    /// Largest turn of the slip direction within an interval (rad).
    theta_max: f64,
    /// Relative tolerance of the compliant motion.
    tolerance: f64,
    /// Edges of the brick (m).
    edges: [f64; 3],
}

impl Parameters {
    /// All assignments of the edges to the axes.
    fn orientations(&self) -> impl Iterator<Item = [f64; 3]> {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        orders.into_iter().map(|order| order.map(|edge| self.edges[edge]))
    }
}

/// One contact of each side, in the order of the file: left front, left back, right front, right back.
const SIDES: [(&str, usize); 2] = [("left", 0), ("right", 2)];

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let mut measurements = experiment.measurements(&fixture);
    let problem = scenario.build()?.problem;
    let plus = law(parameters.theta_max);
    let trace = plus.trace(&problem)?;
    let path = points(&problem, &trace);
    let total = &path[path.len() - 1][1];
    let (mut unequal, mut unison) = (0.0_f64, 0);
    for edges in parameters.orientations() {
        let (difference, slides_then_rolls) =
            unison_of(&turned(&scenario, edges), &plus, experiment.faults())?;
        unequal = unequal.max(difference);
        unison += usize::from(slides_then_rolls);
    }
    progress(0.3, &scenario.title);
    let (reference, moments) = follow(&scenario, parameters.tolerance)?;
    for (side, k) in SIDES {
        measurements.add(format!("percussion x, {side}"), total[3 * k + 1]);
        measurements.add(format!("percussion z, {side}"), total[3 * k]);
        let impulse = &reference.outcome.impulses[k];
        measurements.add(format!("compliant percussion x, {side}"), impulse.tangent[0]);
        measurements.add(format!("compliant percussion z, {side}"), impulse.normal);
    }
    measurements.add("largest difference of mirror images, six orientations", unequal);
    measurements.add("orientations in which all slide, then roll in the expansion", unison as f64);
    experiment.outcome(&fixture, measurements, vec![accumulated(&path, &moments), depths(&moments)])
}

/// The brick with its edges along other axes.
fn turned(scenario: &ImpactScenario, edges: [f64; 3]) -> ImpactScenario {
    let mut turned = scenario.clone();
    let mass = scenario.bodies[0].mass.unwrap_or_default();
    let squares = edges.map(|edge| edge * edge);
    let sum: f64 = squares.iter().sum();
    turned.bodies[0].inertia =
        Inertia::Diagonal(squares.map(|square| mass * (sum - square) / 12.0));
    for contact in &mut turned.contacts {
        for (center, edge) in contact.disc.center.iter_mut().zip(edges) {
            *center = center.signum() * 0.5 * edge;
        }
    }
    if let Some(coordinates) = &mut turned.bodies[0].coordinates {
        coordinates[2] = 0.5 * edges[2] + turned.contacts[0].disc.radius;
    }
    turned
}

/// Largest difference between front and back, and whether all contacts slide, and then roll in the expansion.
fn unison_of(scenario: &ImpactScenario, plus: &Plus, faults: Faults) -> Result<(f64, bool), Error> {
    let problem = scenario.build()?.problem;
    let mut workspace = Workspace::default();
    plus.resolve_with(&problem, &mut workspace)?;
    let mut p = workspace.impulse().clone();
    // An error that both of them share would cancel.
    faults.impulses(&mut p.as_mut_slice()[..3]);
    let mirrored = |k: usize| {
        let (front, back) = (3 * k, 3 * (k + 1));
        let normal = (p[front] - p[back]).abs();
        let along = (p[front + 1] - p[back + 1]).abs();
        normal.max(along).max((p[front + 2] + p[back + 2]).abs())
    };
    let trace = plus.trace(&problem)?;
    let motions = trace.intervals.iter().map(|interval| {
        let first = interval.states[0].motion;
        let all = interval.states.iter().all(|state| state.motion == first);
        (interval.round, all.then_some(first))
    });
    let expected =
        [(1, Some(Motion::Sliding)), (2, Some(Motion::Sliding)), (2, Some(Motion::Rolling))];
    Ok((mirrored(0).max(mirrored(2)), motions.eq(expected)))
}

fn accumulated(plus: &[[Vec<f64>; 2]], moments: &[Moment]) -> Figure {
    let mut series = Vec::new();
    for (side, k) in SIDES {
        let compliant = moments.iter().map(|m| [m.impulses[3 * k + 1], m.impulses[3 * k]]);
        series.push(drawing::line(&format!("compliant, {side}"), compliant.collect()));
        let path = plus.iter().map(|[_, p]| [p[3 * k + 1], p[3 * k]]).collect();
        series.push(drawing::line(&format!("PLUS, {side}"), path));
    }
    figure(
        "figure-12",
        "Impulses of the left and right corners",
        "Their growth during the impact. The bend is where the corners stop: friction no longer changes direction after it. Figure 12 \
         of the paper.",
        [drawing::axis("impulse along x", "N·s"), drawing::axis("impulse along z", "N·s")],
        series,
    )
}

fn depths(moments: &[Moment]) -> Figure {
    let series = SIDES.map(|(side, k)| {
        let depth = moments.iter().map(|m| [1e3 * m.time, 1e3 * m.depths[k].max(0.0)]);
        drawing::line(side, depth.collect())
    });
    figure(
        "figure-13",
        "Depth of compliant corners",
        "Friction turns the brick, which drives the corners of one side deeper than those of the other. Figure \
         13 of the paper.",
        [drawing::axis("time", "ms"), drawing::axis("depth", "mm")],
        series.to_vec(),
    )
}

fn figure(
    id: &str,
    title: &str,
    caption: &str,
    [x, y]: [Axis; 2],
    series: Vec<percussion_record::Series>,
) -> Figure {
    let (id, title, caption) = (id.to_owned(), title.to_owned(), caption.to_owned());
    Figure { id, title, caption, x, y, equal_aspect: false, map: None, series }
}
