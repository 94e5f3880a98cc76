//! Newton's cradle: reversal of velocities, energy over a range of velocities, rows of up to ten balls.
//!
//! # Source
//!
//! V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence, uniqueness, and design
//! consequences", *IEEE Transactions on Automation Science and Engineering* 11 (2014) 154–168, figure 2.

use nalgebra::DVector;
use percussion_impact::{
    Law, Outcome, Problem, Status,
    newton::Newton,
    propagative::{Order, Propagative},
};
use percussion_mechanism::impacts::{Body, Contact, Disc, ImpactScenario, Partner};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Measurements, Options, Progress, drawing, settled},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    /// Energy restitutions of figure 2; the first is the one without loss.
    restitutions: Vec<f64>,
    /// Decimal logarithms of the least and the largest speed (m/s).
    speeds: [i32; 2],
    /// Numbers of balls of the shortest and of the longest row.
    rows: [usize; 2],
    /// Number of balls that strike the rest of the longest row.
    struck: usize,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let balls = scenario.build()?.problem;
    let mut measurements = experiment.measurements(&fixture);

    progress(0.0, "Velocities of three balls");
    let faults = experiment.faults();
    let reversal = Reversal::of(&balls)?;
    measurements.add("largest distance from the reversed velocities", reversal.distance);
    measurements.add("largest distance between the two orders", reversal.between_orders);
    measurements.add("outcomes of any velocity, at most", reversal.outcomes);

    progress(0.2, "Energy at every velocity");
    // Ten per decade.
    let [slowest, fastest] = parameters.speeds;
    let speed = |k: i32| 10_f64.powf(f64::from(k) / 10.0 + f64::from(slowest));
    let speeds: Vec<f64> = (0..=10 * (fastest - slowest)).map(speed).collect();
    let mut losses = Vec::new();
    for &restitution in &parameters.restitutions {
        let law = Propagative { restitution, ..Propagative::default() };
        let loss = |&speed: &f64| Ok([speed, -gain(&law, &balls, [speed, 0.0, 0.0], faults)?]);
        losses.push(speeds.iter().map(loss).collect::<Result<Vec<_>, Error>>()?);
    }
    // Among losses that should be equal, the one farthest from the first expected loss.
    let farthest = |curve: &[[f64; 2]], from: f64| {
        let distance = |loss: f64| (loss - from).abs();
        let losses = curve.iter().map(|point| point[1]);
        losses.reduce(|a, b| if distance(b) > distance(a) { b } else { a }).unwrap_or(f64::NAN)
    };
    for (index, (curve, restitution)) in losses.iter().zip(&parameters.restitutions).enumerate() {
        let what = if index == 0 { "largest change of energy" } else { "energy lost" };
        let quantity = format!("{what} with R = {restitution}");
        let loss = farthest(curve, fixture.checked(&quantity));
        measurements.add(quantity, loss);
    }

    progress(0.4, "Restitution at all contacts at once");
    let bouncing = with_restitution(&scenario, 1.0)?;
    let [simultaneous, propagating] = changes(&bouncing, &balls, faults, &mut measurements)?;

    progress(0.6, "Rows of up to ten balls");
    let (mut at_end, mut all) = (0.0_f64, 0.0_f64);
    let [shortest, longest] = parameters.rows;
    for count in shortest..=longest {
        let row = row_of(count, &scenario).build()?.problem;
        let first = DVector::from_fn(count, |i, _| f64::from(u8::from(i == 0)));
        at_end = at_end.max(distance_from_reversal(&row, &first, faults)?);
        // From 1 to −1 m/s, each ball slower than the one before.
        let approach = |i| 1.0 - 2.0 * i as f64 / (count - 1) as f64;
        let approaching = DVector::from_fn(count, |i, _| approach(i) + 0.1 * approach(i).powi(2));
        all = all.max(distance_from_reversal(&row, &approaching, faults)?);
    }
    let quantity = |what| {
        format!(
            "{shortest} to {longest} balls {what}: largest distance from the reversed velocities"
        )
    };
    measurements.add(quantity("struck at one end"), at_end);
    measurements.add(quantity("that all approach"), all);
    let struck = |ball: usize, _| f64::from(u8::from(ball < parameters.struck));
    let struck = DVector::from_fn(longest, struck);
    let mut row = row_of(longest, &scenario);
    row.contacts = faults.contacts(row.contacts);
    let row = row.build()?.problem.with_velocity(struck)?;
    let found = Propagative::default().outcomes(&row)?;
    let ways: usize = found.branches.iter().map(|branch| branch.sequences.len()).sum();
    measurements.add("ways two balls pass through eight", ways as f64);
    let figures = vec![
        losses_figure(&losses, &parameters.restitutions),
        gains_figure(simultaneous, propagating),
    ];
    experiment.outcome(&fixture, measurements, figures)
}

/// Adds the rows of the change of energy by Newton's law at all contacts at once, and returns this change and that by
/// reflections over the velocity of the last ball, behind two of which one moves at 1 m/s (%).
fn changes(
    bouncing: &Problem,
    balls: &Problem,
    faults: Faults,
    measurements: &mut Measurements<'_>,
) -> Result<[Vec<[f64; 2]>; 2], Error> {
    let fleeing: Vec<f64> = (0..=1000).map(|k| f64::from(k) / 1000.0).collect();
    let change = |law: &dyn Law, problem: &Problem| {
        let point = |&w: &f64| Ok([w, gain(law, problem, [1.0, 0.0, w], faults)?]);
        fleeing.iter().map(point).collect::<Result<Vec<_>, Error>>()
    };
    let simultaneous = change(&Newton::default(), bouncing)?;
    let propagating = change(&Propagative::default(), balls)?;
    let largest =
        |points: &[[f64; 2]]| points.iter().map(|point| point[1]).fold(f64::NEG_INFINITY, f64::max);
    let quantity = "largest gain of energy by restitution at all contacts at once";
    measurements.add(quantity, largest(&simultaneous));
    measurements.add("change of energy by it, two balls at rest", simultaneous[0][1]);
    // The center of mass is at rest, where a gain of energy is the largest part of it.
    let moving = |&w: &f64| {
        let velocity = [(2.0 - w) / 3.0, (-1.0 - w) / 3.0, (2.0 * w - 1.0) / 3.0];
        Ok([w, gain(&Newton::default(), bouncing, velocity, faults)?])
    };
    let moving = fleeing.iter().map(moving).collect::<Result<Vec<_>, Error>>()?;
    measurements.add("largest gain of energy by it at any velocities", largest(&moving));
    Ok([simultaneous, propagating])
}

/// Results of the impacts of three balls with many velocities.
#[derive(Default)]
struct Reversal {
    distance: f64,
    between_orders: f64,
    outcomes: f64,
}

impl Reversal {
    /// Evaluates a grid of velocities; distances are measured where all balls approach, because all velocities are reversed there.
    fn of(balls: &Problem) -> Result<Self, Error> {
        let mut seen = Self::default();
        let grid: Vec<f64> =
            (-5..=5).map(|k| f64::from(k) / 5.0 + 0.01 * f64::from(k * k)).collect();
        for &a in &grid {
            for &b in &grid {
                for &c in &grid {
                    let velocity = DVector::from_column_slice(&[a, b, c]);
                    let hit = balls.with_velocity(velocity)?;
                    let outcomes = Propagative::default().outcomes(&hit)?;
                    seen.outcomes = seen.outcomes.max(outcomes.branches.len() as f64);
                    if a > b && b > c {
                        let first = |order| resolve(Order::Fixed(order), &hit);
                        let (u, v) = (first(vec![0, 1])?, first(vec![1, 0])?);
                        let reversed = DVector::from_column_slice(&[c, b, a]);
                        seen.distance = seen.distance.max((&u.velocity - reversed).amax());
                        let between = (u.velocity - v.velocity).amax();
                        seen.between_orders = seen.between_orders.max(between);
                    }
                }
            }
        }
        Ok(seen)
    }
}

fn resolve(order: Order, problem: &Problem) -> Result<Outcome, Error> {
    settled(&Propagative { order, ..Propagative::default() }, problem, &[])
}

/// Change of energy, in % of the energy before; the experiment shows that restitution at all contacts at once can gain energy.
fn gain(law: &dyn Law, balls: &Problem, velocity: [f64; 3], faults: Faults) -> Result<f64, Error> {
    let hit = balls.with_velocity(DVector::from_column_slice(&velocity))?;
    let before = hit.kinetic_energy(hit.velocity());
    let after = faults.outcome(settled(law, &hit, &[Status::EnergyGained])?).velocity;
    Ok(100.0 * (hit.kinetic_energy(&after) - before) / before)
}

fn with_restitution(scenario: &ImpactScenario, restitution: f64) -> Result<Problem, Error> {
    let mut scenario = scenario.clone();
    scenario.contacts.iter_mut().for_each(|contact| contact.restitution = restitution);
    Ok(scenario.build()?.problem)
}

/// A row of balls like those of `scenario`.
fn row_of(count: usize, scenario: &ImpactScenario) -> ImpactScenario {
    let (ball, contact) = (&scenario.bodies[0], &scenario.contacts[0]);
    let radius = contact.disc.radius;
    let name = |i: usize| format!("ball {}", i + 1);
    let disc = |i| Disc { body: name(i), ..contact.disc.clone() };
    let bodies = (0..count).map(|i| Body {
        name: name(i),
        coordinates: Some(vec![2.0 * radius * i as f64]),
        velocity: None,
        ..ball.clone()
    });
    let contacts = (1..count).map(|i| Contact {
        name: format!("balls {i} and {}", i + 1),
        disc: disc(i),
        on: Partner::Disc(disc(i - 1)),
        ..contact.clone()
    });
    ImpactScenario { bodies: bodies.collect(), contacts: contacts.collect(), ..scenario.clone() }
}

/// Largest distance of the outcomes in three orders from the reversed velocities (m/s).
fn distance_from_reversal(
    row: &Problem,
    velocity: &DVector<f64>,
    faults: Faults,
) -> Result<f64, Error> {
    let hit = row.with_velocity(velocity.clone())?;
    let count = velocity.len();
    let reversed = DVector::from_fn(count, |i, _| velocity[count - 1 - i]);
    let mut largest = 0.0_f64;
    for order in [Order::MostApproached, Order::LeastApproached, Order::Index] {
        let outcome = faults.outcome(resolve(order, &hit)?);
        largest = largest.max((outcome.velocity - &reversed).amax());
    }
    Ok(largest)
}

fn losses_figure(losses: &[Vec<[f64; 2]>], restitutions: &[f64]) -> Figure {
    let curve = |(points, restitution): (&Vec<[f64; 2]>, &f64)| {
        let left = |[speed, loss]: &[f64; 2]| [*speed, (1.0 - 0.01 * loss) * speed * speed];
        let points = points.iter().map(left).collect();
        drawing::line(&format!("R = {restitution}"), points)
    };
    Figure {
        id: "figure-2".to_owned(),
        title: "Energy that is left when a ball strikes two".to_owned(),
        caption:
            "Energy after the impact: parallel lines, so that for every R the same fraction is lost at all \
                  velocities, and with R = 1 none, where the game engine of figure 2b of the paper scatters."
                .to_owned(),
        x: drawing::axis("velocity", "m/s").logarithmic(),
        y: drawing::axis("energy left, over half the mass of a ball", "m²/s²").logarithmic(),
        equal_aspect: false,
        map: None,
        series: losses.iter().zip(restitutions).map(curve).collect(),
    }
}

fn gains_figure(simultaneous: Vec<[f64; 2]>, propagating: Vec<[f64; 2]>) -> Figure {
    let every = |points: Vec<[f64; 2]>| points.into_iter().step_by(20).collect();
    let dots = Series {
        label: "restitution 1 at all contacts at once (LCP)".to_owned(),
        mark: Mark::Dots,
        points: every(simultaneous),
    };
    Figure {
        id: "energy-gained".to_owned(),
        title: "Energy gained with restitution 1".to_owned(),
        caption: "The last ball already moves away from the one before it. Newton's law at all contacts at \
                  once, one LCP, creates energy; reflections from contact to contact conserve it."
            .to_owned(),
        x: drawing::axis("velocity of the last ball over that of the first", ""),
        y: drawing::axis("energy gained", "%"),
        equal_aspect: false,
        map: None,
        series: vec![dots, drawing::line("propagating, R = 1", propagating)],
    }
}
