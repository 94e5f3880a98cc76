//! A stack of boxes with small gaps falls, closes its gaps and comes to rest; its hardest contact problem is stored in a file.

use percussion_complementarity::friction::{
    Law, Method, Problem, block_gauss_seidel, document::Document,
};
use percussion_integrators::{
    Simulation, StepReport, Work,
    impulse_velocity::{ImpulseVelocity, Settings},
};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::{LAWS, boxes::Stack};
use crate::{
    error::Error,
    experiments::{Experiment, Measurements, Options, Progress, drawing},
    fault::Faults,
};

/// The contact problem of a step with all corners pressed, as [`Document`] writes it.
pub(super) const PROBLEM: &str = include_str!("../../../fixtures/maximum-dissipation/stack.json");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    stack: Stack,
    step_size: f64,
    duration: f64,
    /// Memory of the extrapolated sweeps.
    memory: usize,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let mut measurements = experiment.measurements(&fixture);
    let mut series = Vec::new();
    for (i, (law, name)) in LAWS.into_iter().enumerate() {
        progress(0.4 * i as f64, "A stack of boxes comes to rest");
        let (steps, end) = simulate(parameters, law, experiment.faults())?;
        let last = &steps[steps.len() - 1];
        let force = |corner: usize| {
            let contact = parameters.stack.on_ground(end.contacts(), corner);
            let at = last.contacts.iter().find(|one| Some(one.contact) == contact);
            at.map_or(0.0, |one| one.impulse.x / parameters.step_size)
        };
        let mut velocity = end.state().velocity.clone();
        experiment.faults().velocities(&mut velocity);
        let speed = velocity.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        let residual = steps.iter().map(|step| step.relative_residual).fold(0.0, f64::max);
        let gain = steps.iter().map(|step| step.energy_after - step.energy_before);
        measurements.add(format!("force on the left lower corner, {name}"), force(0));
        measurements.add(format!("force on the right lower corner, {name}"), force(1));
        measurements.add(format!("speed at the end, {name}"), speed);
        measurements.add(format!("deepest penetration at the end, {name}"), last.penetration);
        measurements.add(format!("largest relative residual, {name}"), residual);
        measurements
            .add(format!("largest increase of energy in a step, {name}"), gain.fold(0.0, f64::max));
        series.push(drawing::line(
            name,
            steps.iter().map(|step| [step.time, sweeps(step) as f64]).collect(),
        ));
    }
    progress(0.8, "Its hardest contact problem");
    measure_problem(parameters.memory, experiment.faults(), &mut measurements)?;
    let figure = Figure {
        id: "sweeps".to_owned(),
        title: format!("Sweeps of each step of a stack of {} boxes", parameters.stack.count),
        caption: "Sweeps over the contacts from the impulses of the last step to the requested relative residual."
            .to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("sweeps", ""),
        equal_aspect: false,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}

fn simulate(
    parameters: &Parameters,
    law: Law,
    faults: Faults,
) -> Result<(Vec<StepReport>, Simulation<ImpulseVelocity>), Error> {
    let (model, state) = parameters.stack.build()?;
    let defaults = Settings::default();
    let tolerance = faults.tolerance(defaults.tolerance);
    let settings = Settings { step_size: parameters.step_size, law, tolerance, ..defaults };
    let mut simulation = Simulation::<ImpulseVelocity>::new(model, settings, state)?;
    let mut steps = Vec::new();
    simulation.run(parameters.duration, |_, report| steps.push(report.clone()))?;
    faults.last_step(simulation.model(), simulation.state(), &mut steps);
    Ok((steps, simulation))
}

fn sweeps(step: &StepReport) -> usize {
    match step.work {
        Work::RoundCones(work) => work.sweeps,
        _ => 0,
    }
}

/// Results of plain sweeps, extrapolated sweeps and the default method for the stored problem.
fn measure_problem(
    memory: usize,
    faults: Faults,
    measurements: &mut Measurements<'_>,
) -> Result<(), Error> {
    let problem: Problem = PROBLEM.parse::<Document>()?.problem()?;
    let sweeps = |memory: usize| {
        let settings = block_gauss_seidel::Settings { memory, ..Default::default() };
        Method::BlockGaussSeidel(settings)
    };
    measurements.add("contacts of the stored problem", problem.contact_count() as f64);
    for (name, method) in [
        ("plain sweeps", sweeps(0)),
        ("extrapolated sweeps", sweeps(memory)),
        ("the default", Method::default()),
    ] {
        let solved = method
            .solve(&problem)
            .map_err(percussion_complementarity::friction::document::Error::from)?;
        let (report, mut impulses) = (solved.report, solved.impulses);
        impulses.iter_mut().for_each(|impulse| faults.contact_impulse(impulse));
        measurements.add(format!("sweeps of the stored problem, {name}"), report.iterations as f64);
        measurements.add(
            format!("relative residual of the stored problem, {name}"),
            problem.relative_residual(&impulses),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file holds the problem of the step whose solve from zero takes the most sweeps; set the variable to write it again.
    #[test]
    fn the_stored_problem_is_one_of_the_stack() {
        let experiment = crate::experiment("maximum-dissipation/stack").unwrap();
        let parameters = experiment.fixture::<Parameters>().unwrap().parameters;
        let (model, state) = parameters.stack.build().unwrap();
        let settings =
            Settings { step_size: parameters.step_size, warm_start: false, ..Settings::default() };
        let mut simulation = Simulation::<ImpulseVelocity>::new(model, settings, state).unwrap();
        let (mut most, mut hardest) = (0, None);
        for _ in 0..100 {
            let sweeps = sweeps(&simulation.step().unwrap());
            if sweeps > most {
                (most, hardest) = (sweeps, simulation.document());
            }
        }
        let hardest = Document { start: None, method: None, ..hardest.unwrap() };
        let stored: Document = PROBLEM.parse().unwrap();
        if std::env::var_os("PERCUSSION_WRITE_FIXTURES").is_some() {
            let path =
                concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/maximum-dissipation/stack.json");
            std::fs::write(path, format!("{hardest}\n")).unwrap();
            return;
        }
        // Another machine may round differently, and another solver may reach the same step by another path.
        let (one, other) = (hardest.problem().unwrap(), stored.problem().unwrap());
        assert_eq!(one.contact_count(), other.contact_count());
        assert!((one.dense() - other.dense()).amax() < 1e-3 * other.dense().amax());
    }
}
