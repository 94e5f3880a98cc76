//! Four balls: one lands, rolls and hits a row of three, up to seven contacts at once; Table I.
//!
//! The errors of Table I do not follow an order at its coarsest step. The order is therefore fitted over
//! finer steps, and the fit over the whole table is shown as well; the fixture gives the reason.

use percussion_collision::Shape;
use percussion_mechanism::{
    scenario::{Scenario, Setup},
    trajectory::Trajectory,
    view::of_trajectory,
};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use super::impulses;
use crate::{
    convergence::{order, position_error, velocity_error, velocity_variation},
    error::Error,
    experiments::{Effort, Experiment, Options, Progress, drawing, simulate, touch},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Steps of Table I (s); its reference is the step of the scenario.
    steps: Vec<f64>,
    /// Steps of the fit of the order (s), each half of the one before; the number used depends on the effort.
    fitted: Vec<f64>,
    /// Ratio of the finest fitted step to the step of the reference of the order of convergence.
    refinement: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let (scenario, fixture) = experiment.scenario::<Parameters>()?;
    let (scenario, Parameters { steps, fitted, refinement }) = (&scenario, &fixture.parameters);
    let setup = scenario.build()?;
    let exact = simulate(&setup, experiment.faults(), progress, [0.0, 0.1])?;
    let mut runs = Vec::new();
    for (i, &step) in steps.iter().enumerate() {
        let part = |i: usize| 0.1 + 0.2 * i as f64 / steps.len() as f64;
        let setup = scenario.with_step_size(step).build()?;
        runs.push(simulate(&setup, experiment.faults(), progress, [part(i), part(i + 1)])?);
    }
    let mut measurements = experiment.measurements(&fixture);
    for run in &runs {
        let step = run.step_size;
        measurements.add(format!("velocity error, h = {step}"), velocity_error(run, &exact));
        measurements.add(format!("position error, h = {step}"), position_error(run, &exact));
        measurements.add(format!("variation of the velocity, h = {step}"), velocity_variation(run));
    }
    let coarser = match options.effort {
        Effort::Quick => 2,
        Effort::Default => 1,
        Effort::Full => 0,
    };
    let fitted = &fitted[..fitted.len().saturating_sub(coarser)];
    let faults = experiment.faults();
    let fit = fit((scenario, faults), fitted, *refinement, progress, [0.3, 0.9])?;
    measurements.add("order of convergence of velocities", order(&fit.velocity_errors));
    measurements.add("order of convergence of positions", order(&fit.position_errors));
    let whole = self::fit((scenario, faults), steps, *refinement, progress, [0.9, 1.0])?;
    measurements.add("order of velocities over all of Table I", order(&whole.velocity_errors));
    measurements.add("order of positions over all of Table I", order(&whole.position_errors));
    let landing = touch(scenario, &exact, "ball 1–table", "thrown ball touches the table")?;
    let meeting = touch(scenario, &exact, "ball 1–ball 2", "thrown ball touches the row")?;
    measurements.add("thrown ball touches the table", landing);
    measurements.add("thrown ball touches the row", meeting);
    measurements.add("most contacts at once", exact.most_contacts() as f64);
    measurements.add("largest LCP", exact.largest_lcp() as f64);
    let quantity = format!("variation of the velocity, h = {}", exact.step_size);
    measurements.add(quantity, velocity_variation(&exact));
    measurements.add_dependability(&setup, &exact);
    let mut figures = collision_figure(&setup, &exact);
    figures.push(path_figure(scenario, &exact, "figure-7", "Elevation", [0, 2]));
    figures.push(path_figure(scenario, &exact, "figure-8", "Plan", [0, 1]));
    figures.push(convergence_figure(&fit));
    let play = experiment.play(of_trajectory(&setup, &exact));
    Ok(ExperimentOutcome { play, ..experiment.outcome(&fixture, measurements, figures)? })
}

/// Errors of several steps against one reference, as pairs of step and error.
struct Fit {
    velocity_errors: Vec<(f64, f64)>,
    position_errors: Vec<(f64, f64)>,
    /// Step of the reference (s).
    reference: f64,
}

fn fit(
    (scenario, faults): (&Scenario, Faults),
    steps: &[f64],
    refinement: f64,
    progress: &mut Progress<'_>,
    [from, to]: [f64; 2],
) -> Result<Fit, Error> {
    let reference = steps[steps.len() - 1] / refinement;
    let exact =
        simulate(&scenario.with_step_size(reference).build()?, faults, progress, [from, to])?;
    let mut fit = Fit { velocity_errors: Vec::new(), position_errors: Vec::new(), reference };
    for &step in steps {
        let run = simulate(&scenario.with_step_size(step).build()?, faults, progress, [to, to])?;
        fit.velocity_errors.push((step, velocity_error(&run, &exact)));
        fit.position_errors.push((step, position_error(&run, &exact)));
    }
    Ok(fit)
}

fn collision_figure(setup: &Setup, trajectory: &Trajectory) -> Vec<Figure> {
    let step = trajectory
        .contact("ball 1–ball 2")
        .and_then(|contact| impulses::strongest_step(trajectory, contact));
    let figure = |step| {
        let figure = impulses::figure(setup, trajectory, step);
        let caption = format!("{} Figure 6 of the paper.", figure.caption);
        Figure { id: "figure-6".to_owned(), caption, ..figure }
    };
    step.map(figure).into_iter().collect()
}

fn path_figure(
    scenario: &Scenario,
    trajectory: &Trajectory,
    id: &str,
    view: &str,
    axes: [usize; 2],
) -> Figure {
    let names = ["x", "y", "z"];
    let mut series = Vec::new();
    for (i, body) in scenario.bodies.iter().enumerate() {
        let radius = match body.shape {
            Some(Shape::Sphere { radius }) => radius,
            _ => 0.0,
        };
        for sample in [&trajectory.samples[0], trajectory.end()] {
            let center = drawing::center(scenario, sample, i, axes);
            series.push(drawing::circle(center, radius));
        }
        series.push(drawing::line(&body.name, drawing::path(scenario, trajectory, i, axes)));
    }
    Figure {
        id: id.to_owned(),
        title: format!("{view} view of the balls"),
        caption: format!(
            "Paths of the centers, and the balls at the start and at the end; h = {} s. Figure {} of the \
             paper.",
            trajectory.step_size,
            id.trim_start_matches("figure-")
        ),
        x: drawing::axis(names[axes[0]], "m"),
        y: drawing::axis(names[axes[1]], "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}

/// The errors over the step.
fn convergence_figure(fit: &Fit) -> Figure {
    let series = |label: &str, errors: &[(f64, f64)]| {
        let points: Vec<_> = errors.iter().map(|&(h, error)| [h, error]).collect();
        let label = format!("{label}, order {:.2}", order(errors));
        let dots = Series { label: label.clone(), mark: Mark::Dots, points: points.clone() };
        [drawing::line(&label, points), dots]
    };
    let mut all = Vec::from(series("velocity error", &fit.velocity_errors));
    all.extend(series("position error", &fit.position_errors));
    Figure {
        id: "convergence".to_owned(),
        title: "Errors against a finer reference".to_owned(),
        caption: format!(
            "Errors as in Table I, but against a reference with h = {} s, where first order is a tenth \
             of the error for a tenth of the step.",
            fit.reference
        ),
        x: drawing::axis("step", "s").logarithmic(),
        y: drawing::axis("relative error", "").logarithmic(),
        equal_aspect: false,
        map: None,
        series: all,
    }
}
