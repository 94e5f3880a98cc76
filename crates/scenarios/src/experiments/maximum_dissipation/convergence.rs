//! Residual of every method over its sweeps or steps, on three stored problems.
//!
//! Each point of a curve is one solve from zero impulses, limited to that number of sweeps or steps. The
//! figure shows the best residual so far, as the method reports it.

use percussion_complementarity::friction::{
    Law, Method, Problem, alternating_directions, block_gauss_seidel, document::Document,
    interior_point, projected_gradient,
};
use percussion_mechanism::document;
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Effort, Experiment, Options, Progress, drawing},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Maximum number of sweeps or steps.
    limit: usize,
    /// Maximum number at effort `quick`.
    quick_limit: usize,
    /// Relative residual required of the default method.
    tolerance: f64,
    /// Relative residual; the sweeps or steps until it is first reached are counted.
    milestone: f64,
}

/// Names, titles and files of the problems.
const PROBLEMS: [(&str, &str, &str); 3] = [
    (
        "stack",
        "A pushed stack of three cubes",
        include_str!("../../../fixtures/maximum-dissipation/convergence/stack.toml"),
    ),
    (
        "card-house",
        "A house of cards with two levels",
        include_str!("../../../fixtures/maximum-dissipation/convergence/card-house.toml"),
    ),
    (
        "packing",
        "Thirty contacts of random bodies",
        include_str!("../../../fixtures/maximum-dissipation/convergence/packing.toml"),
    ),
];

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let is_quick = options.effort == Effort::Quick;
    let limit = if is_quick { parameters.quick_limit } else { parameters.limit };
    let mut measurements = experiment.measurements(&fixture);
    let mut figures = Vec::new();
    for (index, (name, title, text)) in PROBLEMS.into_iter().enumerate() {
        progress(index as f64 / PROBLEMS.len() as f64, title);
        let problem = document::parse::<Document>(text, name)?.problem()?;
        for (law, law_name) in
            [(Law::Coulomb, "Coulomb"), (Law::MaximumDissipation, "maximum dissipation")]
        {
            let method = Method::default().with_tolerance(parameters.tolerance);
            let problem = problem.by_law(law);
            let mut solved = method.solve(&problem)?;
            let impulses = solved.impulses.iter_mut();
            impulses.for_each(|impulse| experiment.faults().contact_impulse(impulse));
            measurements.add(
                format!("{name}: relative residual of the default method, {law_name}"),
                problem.relative_residual(&solved.impulses),
            );
        }
        let mut series = Vec::new();
        for (label, law, method) in methods() {
            let curve = curve(&problem.clone().with_law(law), method, limit)?;
            let reached = curve.iter().find(|(_, residual)| *residual <= parameters.milestone);
            measurements.add(
                format!("{name}: sweeps or steps to the milestone, {label}"),
                reached.map_or(f64::INFINITY, |(count, _)| *count as f64),
            );
            // Residuals below the last digits of a double are drawn at that level.
            let point = |(count, residual): (usize, f64)| [count as f64, residual.max(1e-17)];
            series.push(drawing::line(label, curve.into_iter().map(point).collect()));
        }
        figures.push(Figure {
            id: name.to_owned(),
            title: title.to_owned(),
            caption: "Best relative residual so far of every method, from zero impulses: the steeper, the faster. A step of \
                      the interior point or of alternating directions solves a linear system, a sweep does not."
                .to_owned(),
            x: drawing::axis("sweeps or steps", "").logarithmic(),
            y: drawing::axis("relative residual", "").logarithmic(),
            equal_aspect: false,
            map: None,
            series,
        });
    }
    experiment.outcome(&fixture, measurements, figures)
}

/// Every method with its name and law; the sweeps also without extrapolation and by maximum dissipation.
fn methods() -> [(&'static str, Law, Method); 6] {
    let sweeps = block_gauss_seidel::Settings { tolerance: 0.0, ..Default::default() };
    let plain = block_gauss_seidel::Settings { memory: 0, ..sweeps };
    let interior = interior_point::Settings { tolerance: 0.0, ..Default::default() };
    let alternating = alternating_directions::Settings { tolerance: 0.0, ..Default::default() };
    let gradient = projected_gradient::Settings { tolerance: 0.0, ..Default::default() };
    [
        ("sweeps", Law::Coulomb, Method::BlockGaussSeidel(plain)),
        ("sweeps, maximum dissipation", Law::MaximumDissipation, Method::BlockGaussSeidel(plain)),
        ("sweeps, extrapolated", Law::Coulomb, Method::BlockGaussSeidel(sweeps)),
        ("interior point", Law::Coulomb, Method::InteriorPoint(interior)),
        ("alternating directions", Law::Coulomb, Method::AlternatingDirections(alternating)),
        ("projected gradient", Law::Coulomb, Method::ProjectedGradient(gradient)),
    ]
}

/// Number of sweeps or steps, and the relative residual after them, until the residual is near round-off.
fn curve(problem: &Problem, method: Method, limit: usize) -> Result<Vec<(usize, f64)>, Error> {
    let mut points = Vec::new();
    let mut count = 1;
    while count <= limit {
        let residual = limited(method, count).solve(problem)?.report.relative_residual;
        points.push((count, residual));
        if residual <= 1e-15 {
            break;
        }
        // About eight points per octave, once the counts are large enough.
        count += (count / 8).max(1);
    }
    Ok(points)
}

fn limited(mut method: Method, count: usize) -> Method {
    match &mut method {
        Method::BlockGaussSeidel(settings) => settings.max_sweeps = count,
        Method::InteriorPoint(settings) => settings.max_steps = count,
        Method::AlternatingDirections(settings) => settings.max_steps = count,
        Method::ProjectedGradient(settings) => settings.max_steps = count,
        _ => (),
    }
    method
}
