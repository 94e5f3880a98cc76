//! A house of seven cards: whether it stands, what its feet carry, and the least friction of one lean-to.

use super::{LAWS, longest_way, with_friction};
use crate::{
    error::Error,
    experiments::{Measurements, Options, Progress, drawing, simulate},
    figure::{Figure, Series},
    outcome::ExperimentOutcome,
    scenario::{Scenario, Shape},
    trajectory::{Sample, Trajectory},
};

/// Friction at which the house falls.
const SLIPPERY: f64 = 0.15;

/// Bounds of the friction of a lean-to, the number of times they are halved, and how long it is looked at (s).
const BISECTION: ([f64; 2], usize, f64) = ([0.1, 0.3], 10, 0.2);

/// Way of a card that stands (m): residuals of 1e-8 of 0.02 m/s over 250 steps make some 1e-10 m.
const STANDS: f64 = 1e-6;

pub(in crate::experiments) fn run(
    id: &str,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let scenario = Scenario::named(id)?;
    let friction = scenario.friction.unwrap_or_default();
    let mut measurements = Measurements::new(id, &scenario.expected);
    let (mut depth, mut residual): (f64, f64) = (0.0, 0.0);
    for (i, (law, name)) in LAWS.into_iter().enumerate() {
        let from = 0.25 * i as f64;
        let house = with_friction(&scenario, law, friction);
        let run = simulate(&house, progress, [from, from + 0.25])?;
        measurements.add(format!("longest way of a card, {name}"), longest_way(&run));
        measurements.add(format!("weight on the feet, {name}"), weight(&run));
        depth = depth.max(run.deepest_penetration());
        residual = residual.max(run.largest_residual());
    }
    measurements.add("deepest penetration while it stands", depth);
    let falling = with_friction(&scenario, LAWS[0].0, SLIPPERY);
    let fall = simulate(&falling, progress, [0.5, 0.75])?;
    measurements.add("fall of the roof with friction 0.15", -roof(&fall));
    measurements.add("least friction of one lean-to", least_friction(&scenario, progress)?);
    measurements.add("largest relative residual", residual.max(fall.largest_residual()));
    let (rows, notes) = measurements.finish()?;
    Ok(ExperimentOutcome {
        id: id.to_owned(),
        title: scenario.title.clone(),
        summary: "Seven cards in two storeys, held by friction alone. With a coefficient of 0.6 nothing moves, by either \
                  law; with 0.15 not even one lean-to of two cards stands, and the house comes down. The least friction \
                  of a lean-to follows from the balance of moments."
            .to_owned(),
        rows,
        figures: vec![figure(&falling, &fall)],
        notes,
    })
}

/// Mean normal force of the last step on the table (N).
fn weight(run: &Trajectory) -> f64 {
    let on_table = |contact: usize| run.contact_names[contact].contains("table");
    let last = run.reports.iter().rev().take(1).flat_map(|step| &step.contacts);
    let impulses =
        last.filter(|contact| on_table(contact.contact)).map(|contact| contact.impulse.x);
    impulses.sum::<f64>() / run.step_size
}

/// Vertical way of the last card of the roof (m).
fn roof(run: &Trajectory) -> f64 {
    let displacement = &run.end().displacement;
    displacement[displacement.len() - 2]
}

/// The least friction at which two cards without load stand, by bisection.
fn least_friction(scenario: &Scenario, progress: &mut Progress<'_>) -> Result<f64, Error> {
    let ([mut falls, mut stands], halvings, duration) = BISECTION;
    let mut lean_to = scenario.clone();
    lean_to.duration = duration;
    lean_to.bodies.truncate(2);
    let kept =
        |name: &String| lean_to.bodies.iter().any(|body| body.name == *name) || *name == "table";
    if let Some(contacts) = &mut lean_to.contacts {
        contacts.retain(|contact| contact.between.iter().all(kept));
    }
    for halving in 0..halvings {
        let from = 0.75 + 0.25 * halving as f64 / halvings as f64;
        let middle = 0.5 * (falls + stands);
        let run = simulate(&with_friction(&lean_to, LAWS[0].0, middle), progress, [from, from])?;
        if longest_way(&run) <= STANDS { stands = middle } else { falls = middle }
    }
    Ok(0.5 * (falls + stands))
}

/// The house that falls, at its start and its end.
fn figure(scenario: &Scenario, run: &Trajectory) -> Figure {
    let cards = |sample: &Sample, label: &str| -> Vec<Series> {
        let card = |(body, card): (usize, &crate::scenario::Body)| {
            let Some(Shape::Rod(rod)) = card.shape else { return None };
            let center = drawing::center(scenario, sample, body, [0, 1]);
            let angle = sample.coordinates[3 * body + 2];
            Some(drawing::line(label, drawing::rod(center, angle, rod.length, rod.radius)))
        };
        scenario.bodies.iter().enumerate().filter_map(card).collect()
    };
    let mut series = vec![drawing::outline(vec![[-0.8, 0.0], [1.6, 0.0]])];
    series.extend(cards(&run.samples[0], "t = 0"));
    series.extend(cards(run.end(), &format!("t = {:.2} s", run.end().time)));
    Figure {
        id: "fall".to_owned(),
        title: "A house of cards comes down".to_owned(),
        caption: "The house with friction 0.15 at its start and half a second later.".to_owned(),
        x: drawing::axis("x", "m"),
        y: drawing::axis("y", "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}
