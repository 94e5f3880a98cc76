//! Example 1: a brick strikes on a corner, slides, its slip direction turns, and it stops or continues to slide.

use percussion_impact::plus::{Plus, Status, Workspace};
use percussion_mechanism::impacts::ImpactScenario;
use percussion_record::{ExperimentOutcome, Figure, Series};
use serde::Deserialize;

use super::{Moment, dots, events, follow, law, points};
use crate::{
    error::Error,
    experiments::{Experiment, Measurements, Options, Progress, drawing},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// The impacts, which differ in the coefficient of friction.
    impacts: [String; 3],
    /// Largest turns whose intervals the paper counts (rad).
    turns: Vec<f64>,
    /// Largest turns between which the order of convergence is measured (rad).
    halved: Vec<f64>,
    /// Transition velocity for it (m/s).
    undelayed: f64,
    /// An impulse whose relative change over these turns is smaller than this does not depend on them.
    unchanged: f64,
    /// Relative tolerance of the compliant motions.
    tolerance: f64,
}

/// The trajectories of the authors' program for the three impacts: time, velocity and impulse (x, y, z), depth.
const STORED: [&str; 3] = [
    include_str!("../../../fixtures/plus/brick-corner/friction-0.125.csv"),
    include_str!("../../../fixtures/plus/brick-corner/friction-0.225.csv"),
    include_str!("../../../fixtures/plus/brick-corner/friction-0.325.csv"),
];

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Indices of the components along `x`, `y`, `z` in the order normal, tangents `x` and `y`.
const WORLD: [usize; 3] = [1, 2, 0];

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenarios = parameters.impacts.iter().map(|name| experiment.impact(name));
    let scenarios = scenarios.collect::<Result<Vec<_>, _>>()?;
    let names = experiment.unchanged::<Parameters>()?;
    let mut measurements = experiment.measurements(&fixture);
    let (mut paths, mut accumulated, mut coarse) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (scenario, stored)) in scenarios.iter().zip(STORED).enumerate() {
        progress(index as f64 / scenarios.len() as f64, &scenario.title);
        let friction = names.impacts[index].trim_start_matches("brick-corner-");
        let (reference, moments) = follow(scenario, parameters.tolerance)?;
        let compliant = &reference.outcome.impulses[0];
        let case = (friction, &names.turns[..], experiment.faults());
        measure(&mut measurements, case, scenario, parameters, compliant)?;
        let end = &moments[moments.len() - 1];
        let prefix = format!("μ = {friction}: compliant");
        for (name, k) in NAMES.into_iter().zip(WORLD) {
            measurements.add(format!("{prefix} velocity {name}"), end.contact_velocity[k]);
            measurements.add(format!("{prefix} percussion {name}"), end.impulses[k]);
        }
        for (what, distance) in
            ["velocity", "percussion", "depth"].into_iter().zip(distances(stored, &moments))
        {
            let quantity = format!("{prefix} {what} on the way: distance from the authors");
            measurements.add(quantity, 100.0 * distance);
        }
        draw(friction, scenario, parameters, &moments, &mut paths, &mut accumulated)?;
        if index + 1 == scenarios.len() {
            coarse = coarser(scenario, parameters, &moments)?;
        }
    }
    let (first, last) = (&scenarios[0], &scenarios[scenarios.len() - 1]);
    let transition = drawing::circle([0.0, 0.0], law(parameters.turns[0]).v_transition);
    paths.push(transition.clone());
    let problem = first.build()?.problem;
    let before = problem.contact_velocity(problem.velocity());
    let caption = format!(
        "PLUS with θ_max = {} and compliant contacts, from ({}, {}). The corner continues to slide, stops in the expansion, or \
         stops in the compression; the circle is the transition velocity. Figure 8 of the paper.",
        parameters.turns[0],
        before[1],
        // Avoids a negative zero.
        before[2] + 0.0
    );
    let mut figures = vec![slip("figure-8", "Tangential velocity of the corner", &caption, paths)];
    figures.extend(accumulated);
    coarse.push(transition);
    let title = format!("Fewer intervals, friction {}", last.contacts[0].friction);
    let caption = "The larger the turn that an interval allows, the coarser the path. Figure 10 of the paper.";
    figures.push(slip("figure-10", &title, caption, coarse));
    experiment.outcome(&fixture, measurements, figures)
}

fn slip(id: &str, title: &str, caption: &str, series: Vec<Series>) -> Figure {
    Figure {
        id: id.to_owned(),
        title: title.to_owned(),
        caption: caption.to_owned(),
        x: drawing::axis("sliding velocity along x", "m/s"),
        y: drawing::axis("sliding velocity along y", "m/s"),
        equal_aspect: true,
        map: None,
        series,
    }
}

/// Outcome, intervals, convergence and distance from the compliant impulse.
fn measure(
    measurements: &mut Measurements<'_>,
    (friction, turns, faults): (&str, &[f64], Faults),
    scenario: &ImpactScenario,
    parameters: &Parameters,
    compliant: &percussion_impact::Impulse,
) -> Result<(), Error> {
    let problem = scenario.build()?.problem;
    let mut workspace = Workspace::default();
    let mut resolve = |law: Plus| -> Result<_, Error> {
        let report = law.resolve_with(&problem, &mut workspace)?;
        // An impact that is not resolved has no meaningful intervals.
        let intervals =
            if report.status == Status::Resolved { report.intervals as f64 } else { f64::NAN };
        Ok((workspace.contact_velocity().to_vec(), workspace.impulse().clone(), intervals))
    };
    for (name, &theta_max) in turns.iter().zip(&parameters.turns) {
        let (_, _, intervals) = resolve(law(theta_max))?;
        let quantity = format!("μ = {friction}: intervals with θ_max = {name}");
        measurements.add(quantity, intervals);
    }
    let (mut velocity, impulse, _) = resolve(law(parameters.turns[0]))?;
    faults.velocities(&mut velocity);
    for (name, k) in NAMES.into_iter().zip(WORLD) {
        measurements.add(format!("μ = {friction}: velocity {name}"), velocity[k]);
        measurements.add(format!("μ = {friction}: percussion {name}"), impulse[k]);
    }
    let compliant = nalgebra::DVector::from_iterator(
        impulse.len(),
        std::iter::once(compliant.normal).chain(compliant.tangent.iter().copied()),
    );
    let distance = 100.0 * (&impulse - &compliant).norm() / compliant.norm();
    measurements.add(format!("μ = {friction}: distance from the compliant percussion"), distance);
    let outcome = |&theta_max: &f64| {
        let undelayed = Plus { v_transition: parameters.undelayed, ..law(theta_max) };
        Ok(resolve(undelayed)?.1)
    };
    let mut outcomes = parameters.halved.iter().map(outcome).collect::<Result<Vec<_>, Error>>()?;
    let changes = |outcomes: &[nalgebra::DVector<f64>]| -> Vec<f64> {
        outcomes.windows(2).map(|pair| (&pair[1] - &pair[0]).norm()).collect()
    };
    let largest = |changes: &[f64]| changes.iter().fold(0.0_f64, |most, one| most.max(*one));
    let is_unchanged = largest(&changes(&outcomes)) < parameters.unchanged * compliant.norm();
    // An error that all of them share would cancel.
    if let Some(finest) = outcomes.last_mut() {
        faults.impulses(finest.as_mut_slice());
    }
    let changes = changes(&outcomes);
    if is_unchanged {
        // If a corner rolls before the compression ends, the result does not depend on how it stopped.
        measurements
            .add(format!("μ = {friction}: change of the percussion with θ_max"), largest(&changes));
    } else {
        let ratio = changes[0] / changes[changes.len() - 1];
        let order = ratio.log2() / (changes.len() - 1) as f64;
        measurements.add(format!("μ = {friction}: order of convergence in θ_max"), order);
    }
    Ok(())
}

/// Largest differences of velocity, impulse and depth from the stored values, relative to the largest stored values.
fn distances(stored: &str, moments: &[Moment]) -> [f64; 3] {
    let (mut distance, mut size) = ([0.0_f64; 3], [0.0_f64; 3]);
    for line in stored.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let numbers: Vec<f64> = line.split(',').filter_map(|text| text.parse().ok()).collect();
        let Some(ours) = at(moments, numbers[0]) else { continue };
        for (group, range) in [1..4, 4..7, 7..8].into_iter().enumerate() {
            let norm =
                |list: &mut dyn Iterator<Item = f64>| list.map(|x| x * x).sum::<f64>().sqrt();
            let apart = norm(&mut range.clone().map(|i| numbers[i] - ours[i - 1]));
            distance[group] = distance[group].max(apart);
            size[group] = size[group].max(norm(&mut range.map(|i| numbers[i])));
        }
    }
    [0, 1, 2].map(|group| distance[group] / size[group])
}

/// Velocity, impulse (x, y, z) and depth at `time`; `None` after the end, where the contact is open.
fn at(moments: &[Moment], time: f64) -> Option<[f64; 7]> {
    let after = moments.iter().position(|moment| moment.time >= time)?;
    let row = |moment: &Moment| {
        let [x, y, z] = WORLD;
        let (u, p) = (&moment.contact_velocity, &moment.impulses);
        [u[x], u[y], u[z], p[x], p[y], p[z], moment.depths[0]]
    };
    if after == 0 {
        return Some(row(&moments[0]));
    }
    let (from, to) = (&moments[after - 1], &moments[after]);
    let share = (time - from.time) / (to.time - from.time).max(f64::MIN_POSITIVE);
    let (a, b) = (row(from), row(to));
    Some(std::array::from_fn(|i| a[i] + share * (b[i] - a[i])))
}

/// The path of the slip velocity, and the tangential impulses over the normal one.
fn draw(
    friction: &str,
    scenario: &ImpactScenario,
    parameters: &Parameters,
    moments: &[Moment],
    paths: &mut Vec<Series>,
    accumulated: &mut Vec<Figure>,
) -> Result<(), Error> {
    let problem = scenario.build()?.problem;
    let trace = law(parameters.turns[0]).trace(&problem)?;
    let plus = points(&problem, &trace);
    let compliant = moments.iter().map(|m| [m.contact_velocity[1], m.contact_velocity[2]]);
    paths.push(drawing::line(&format!("compliant, μ = {friction}"), compliant.collect()));
    let sparse = plus.iter().step_by(6).map(|[u, _]| [u[1], u[2]]);
    paths.push(dots(&format!("PLUS, μ = {friction}"), sparse.collect()));
    let mut series = Vec::new();
    for (name, k) in [("x", 1), ("y", 2)] {
        let compliant = moments.iter().map(|m| [m.impulses[0], m.impulses[k]]);
        series.push(drawing::line(&format!("compliant, {name}"), compliant.collect()));
        let sparse = plus.iter().step_by(6).map(|[_, p]| [p[0], p[k]]);
        series.push(dots(&format!("PLUS, {name}"), sparse.collect()));
    }
    for (label, event) in ["compression ends", "stops sliding"].into_iter().zip(events(&trace, 0)) {
        if let Some(index) = event {
            let p = &plus[index][1];
            series.push(dots(label, vec![[p[0], p[1]], [p[0], p[2]]]));
        }
    }
    let letter = ["a", "b", "c"][accumulated.len().min(2)];
    accumulated.push(Figure {
        id: format!("figure-9{letter}"),
        title: format!("Growth of the impulses, friction {friction}"),
        caption:
            "Tangential impulses over the normal one, which increases throughout. Figure 9 of the \
                  paper."
                .to_owned(),
        x: drawing::axis("normal percussion", "N·s"),
        y: drawing::axis("tangential percussion", "N·s"),
        equal_aspect: false,
        map: None,
        series,
    });
    Ok(())
}

fn coarser(
    scenario: &ImpactScenario,
    parameters: &Parameters,
    moments: &[Moment],
) -> Result<Vec<Series>, Error> {
    let problem = scenario.build()?.problem;
    let compliant = moments.iter().map(|m| [m.contact_velocity[1], m.contact_velocity[2]]);
    let mut series = vec![drawing::line("compliant", compliant.collect())];
    for &theta_max in &parameters.turns {
        let path = points(&problem, &law(theta_max).trace(&problem)?);
        let path = path.iter().map(|[u, _]| [u[1], u[2]]).collect();
        series.push(drawing::line(&format!("PLUS, θ_max = {theta_max}"), path));
    }
    Ok(series)
}
