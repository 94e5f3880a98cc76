//! The break of two billiard balls at every angle, and the indeterminacy of its outcome.

use percussion_impact::propagative::{Outcomes, Propagative};
use percussion_mechanism::{impacts::ImpactScenario, scenario::Inertia};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    /// Angles at which the indeterminacy of equal balls is compared (°).
    angles: Vec<u8>,
    /// Angle of the break that is drawn (°).
    drawn: f64,
    /// Angle at which the normals are orthogonal (°).
    square: f64,
    /// Angle at which the cue ball only grazes (°).
    grazing: f64,
    /// Number of steps of a curve over the angle.
    steps: u32,
    /// The balls, those of equal size first.
    sizes: Vec<Sizes>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sizes {
    label: String,
    /// Radii of the two others, relative to that of the cue ball.
    radii: [f64; 2],
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let faults = experiment.faults();
    let equal = parameters.sizes[0].radii;
    let mut measurements = experiment.measurements(&fixture);
    for degrees in &parameters.angles {
        let hit = Break::new((&scenario, faults), f64::from(*degrees), equal)?;
        measurements.add(format!("ξ of equal balls at {degrees}°"), hit.outcomes.indeterminacy);
    }
    let (mut square, mut departure) = (0.0_f64, 0.0_f64);
    let mut series = Vec::new();
    for (index, Sizes { label, radii }) in parameters.sizes.iter().enumerate() {
        progress(index as f64 / parameters.sizes.len() as f64, label);
        let hit = Break::new((&scenario, faults), parameters.square, *radii)?;
        square = square.max(hit.outcomes.indeterminacy);
        let closest = closest_angle(*radii);
        let mut points = Vec::new();
        let steps = parameters.steps;
        for step in 0..=steps {
            let share = f64::from(step) / f64::from(steps);
            let degrees = closest + (180.0 - closest) * share;
            let hit = Break::new((&scenario, faults), degrees, *radii)?;
            departure = departure.max(hit.departure);
            points.push([degrees, hit.outcomes.indeterminacy]);
        }
        series.push(drawing::line(label, points));
    }
    measurements.add(format!("largest ξ of unequal balls at {}°", parameters.square), square);
    let grazing = Break::new((&scenario, faults), parameters.grazing, equal)?;
    measurements.add("ξ of equal balls just below 180°", grazing.outcomes.indeterminacy);
    measurements.add("largest departure of m_c ⟨Dφ_a, Dφ_b⟩ from cos θ", departure);
    let break_drawn = schematic(&scenario, parameters.drawn, equal)?;
    experiment.outcome(&fixture, measurements, vec![break_drawn, indeterminacy(series)])
}

/// The angle at which the two others touch each other (°).
fn closest_angle([a, b]: [f64; 2]) -> f64 {
    let (to_a, to_b) = (1.0 + a, 1.0 + b);
    let cosine = (to_a * to_a + to_b * to_b - (a + b) * (a + b)) / (2.0 * to_a * to_b);
    cosine.acos().to_degrees()
}

/// One break and its outcomes.
struct Break {
    scenario: ImpactScenario,
    outcomes: Outcomes,
    /// Difference between the mass of the cue ball times the product of the gradients of the gaps, and `cos θ`.
    departure: f64,
}

impl Break {
    fn new(
        (scenario, faults): (&ImpactScenario, Faults),
        degrees: f64,
        sizes: [f64; 2],
    ) -> Result<Self, Error> {
        let mut scenario = scenario.clone();
        let theta = degrees.to_radians();
        let cue = scenario.contacts[0].disc.radius;
        let (mass, inertia) = (scenario.bodies[0].mass, scenario.bodies[0].inertia.tensor().m33);
        for (index, (size, side)) in sizes.into_iter().zip([1.0, -1.0]).enumerate() {
            let mut angle = [0.5 * side * theta];
            // Only one of both, because the same error of both would leave the angle between them.
            if index == 0 {
                faults.positions(&mut angle);
            }
            let (sin, cos) = angle[0].sin_cos();
            let distance = cue * (1.0 + size);
            let ball = &mut scenario.bodies[index + 1];
            ball.mass = mass.map(|mass| mass * size.powi(3));
            ball.inertia = Inertia::Scalar(inertia * size.powi(5));
            ball.coordinates = Some(vec![distance * cos, distance * sin, 0.0]);
            scenario.contacts[index].disc.radius = cue * size;
        }
        let problem = scenario.build()?.problem;
        let product = problem.delassus()[(problem.rows(0).start, problem.rows(1).start)];
        let departure = (mass.unwrap_or(f64::NAN) * product - theta.cos()).abs();
        Ok(Self { outcomes: Propagative::default().outcomes(&problem)?, scenario, departure })
    }
}

/// Both outcomes of the break of the fixture, side by side.
fn schematic(scenario: &ImpactScenario, degrees: f64, sizes: [f64; 2]) -> Result<Figure, Error> {
    let hit = Break::new((scenario, Faults(None)), degrees, sizes)?;
    let radius = scenario.contacts[0].disc.radius;
    let (mut series, mut series_of_arrows) = (Vec::new(), Vec::new());
    let start = hit.scenario.build()?.problem.velocity().clone();
    let after = hit.outcomes.branches.iter().map(|branch| &branch.outcome.velocity);
    for (picture, velocity) in std::iter::once(&start).chain(after).enumerate() {
        let shift = 7.0 * radius * picture as f64;
        for (ball, body) in hit.scenario.bodies.iter().enumerate() {
            let at = body.coordinates.as_deref().unwrap_or(&[0.0; 3]);
            let center = [at[0] + shift, at[1]];
            series.push(drawing::circle(center, radius));
            let [u, v] = [velocity[3 * ball], velocity[3 * ball + 1]];
            if u.hypot(v) > 1e-9 {
                // 1 m/s is drawn four radii long.
                let scale = 4.0 * radius;
                series_of_arrows.extend([center, [center[0] + scale * u, center[1] + scale * v]]);
            }
        }
    }
    let label = "velocities".to_owned();
    series.push(Series { label, mark: Mark::Arrows, points: series_of_arrows });
    Ok(Figure {
        id: "figure-4".to_owned(),
        title: "One break, two outcomes".to_owned(),
        caption: format!(
            "At θ = {degrees}°, from the left: before the impact, and the two outcomes, which differ in the ball that the \
             cue ball hits first. Figure 4 of the paper."
        ),
        x: drawing::axis("x, pictures side by side", "m"),
        y: drawing::axis("y", "m"),
        equal_aspect: true,
        map: None,
        series,
    })
}

fn indeterminacy(series: Vec<Series>) -> Figure {
    Figure {
        id: "figure-5".to_owned(),
        title: "Indeterminacy of the break".to_owned(),
        caption: "The distance ξ of the two outcomes in the kinetic metric over the momentum before, from \
                  the angle at which the two balls touch each other. It vanishes at 90°, where the \
                  normals are orthogonal, for all balls, and at 180°, where the cue ball only grazes. \
                  Different balls have one outcome also where two reflections resolve one order and the \
                  other, which takes three, contains them and so is not minimal. \
                  Figure 5 of the paper."
            .to_owned(),
        x: drawing::axis("angle between the balls", "°"),
        y: drawing::axis("indeterminacy ξ", ""),
        equal_aspect: false,
        map: None,
        series,
    }
}
