//! A house of seven cards: whether it stands, the load on its feet, and the least friction of one lean-to.

use percussion_collision::Shape;
use percussion_mechanism::{
    scenario::Scenario,
    trajectory::{Sample, Trajectory},
    view::of_trajectory,
};
use percussion_record::{ExperimentOutcome, Figure, Series};
use serde::Deserialize;

use super::{LAWS, longest_way, with_friction};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, simulate},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Coefficient of friction at which the house falls.
    slippery: f64,
    /// Initial bounds of the least friction of a lean-to.
    between: [f64; 2],
    /// Number of bisections.
    halvings: usize,
    /// Simulated duration of a lean-to (s).
    duration: f64,
    /// Largest displacement of a card that stands (m).
    stands: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let (scenario, fixture) = experiment.scenario::<Parameters>()?;
    let parameters = &fixture.parameters;
    let friction = scenario.friction.unwrap_or_default();
    let mut measurements = experiment.measurements(&fixture);
    let (mut depth, mut residual): (f64, f64) = (0.0, 0.0);
    let mut play = None;
    for (i, (law, name)) in LAWS.into_iter().enumerate() {
        let from = 0.25 * i as f64;
        let house = with_friction(&scenario, law, friction).build()?;
        let run = simulate(&house, experiment.faults(), progress, [from, from + 0.25])?;
        measurements.add(format!("longest way of a card, {name}"), longest_way(&run));
        measurements.add(format!("weight on the feet, {name}"), weight(&run));
        depth = depth.max(run.deepest_penetration());
        residual = residual.max(run.largest_residual());
        if i == 0 {
            play = experiment.play(of_trajectory(&house, &run));
        }
    }
    measurements.add("deepest penetration while it stands", depth);
    let falling = with_friction(&scenario, LAWS[0].0, parameters.slippery);
    let fall = simulate(&falling.build()?, experiment.faults(), progress, [0.5, 0.75])?;
    let quantity = format!("fall of the roof with friction {}", parameters.slippery);
    measurements.add(quantity, -roof(&fall));
    let least = parameters.least_friction(&scenario, experiment.faults(), progress)?;
    measurements.add("least friction of one lean-to", least);
    measurements.add("largest relative residual", residual.max(fall.largest_residual()));
    let figure = figure(&falling, parameters.slippery, &fall);
    Ok(ExperimentOutcome { play, ..experiment.outcome(&fixture, measurements, vec![figure])? })
}

/// Mean normal force of the last step on the table (N).
fn weight(run: &Trajectory) -> f64 {
    let on_table = |contact: usize| run.contact_names[contact].contains("table");
    let last = run.reports.iter().rev().take(1).flat_map(|step| &step.contacts);
    let impulses =
        last.filter(|contact| on_table(contact.contact)).map(|contact| contact.impulse.x);
    impulses.sum::<f64>() / run.step_size
}

/// Vertical displacement of the last card of the roof (m).
fn roof(run: &Trajectory) -> f64 {
    let displacement = &run.end().displacement;
    displacement[displacement.len() - 2]
}

impl Parameters {
    /// The least friction at which two cards without load stand, by bisection.
    fn least_friction(
        &self,
        scenario: &Scenario,
        faults: Faults,
        progress: &mut Progress<'_>,
    ) -> Result<f64, Error> {
        let [mut falls, mut stands] = self.between;
        let mut lean_to = scenario.clone();
        lean_to.duration = self.duration;
        lean_to.bodies.truncate(2);
        let kept = |name: &String| {
            lean_to.bodies.iter().any(|body| body.name == *name) || *name == "table"
        };
        if let Some(contacts) = &mut lean_to.contacts {
            contacts.retain(|contact| contact.between.iter().all(kept));
        }
        for halving in 0..self.halvings {
            let from = 0.75 + 0.25 * halving as f64 / self.halvings as f64;
            let middle = 0.5 * (falls + stands);
            let lean_to = with_friction(&lean_to, LAWS[0].0, middle).build()?;
            let run = simulate(&lean_to, faults, progress, [from, from])?;
            if longest_way(&run) <= self.stands { stands = middle } else { falls = middle }
        }
        Ok(0.5 * (falls + stands))
    }
}

/// The house that falls, at its start and its end.
fn figure(scenario: &Scenario, friction: f64, run: &Trajectory) -> Figure {
    let cards = |sample: &Sample, label: &str| -> Vec<Series> {
        let card = |(body, card): (usize, &percussion_mechanism::scenario::Body)| {
            let Some(Shape::Rod { length, radius }) = card.shape else { return None };
            let center = drawing::center(scenario, sample, body, [0, 1]);
            let angle = sample.coordinates[3 * body + 2];
            Some(drawing::line(label, drawing::rod(center, angle, length, radius)))
        };
        scenario.bodies.iter().enumerate().filter_map(card).collect()
    };
    let mut series = vec![drawing::outline(vec![[-0.8, 0.0], [1.6, 0.0]])];
    series.extend(cards(&run.samples[0], "t = 0"));
    series.extend(cards(run.end(), &format!("t = {:.2} s", run.end().time)));
    Figure {
        id: "fall".to_owned(),
        title: "A house of cards comes down".to_owned(),
        caption: format!(
            "The house with friction {friction} at its start and {} s later.",
            run.end().time
        ),
        x: drawing::axis("x", "m"),
        y: drawing::axis("y", "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}
