//! Example 3: a ball strikes a row of four. Compliant contacts (A), PLUS (B), all contacts at once (C).

use percussion_impact::plus::{self, Participation, Plus, Trace};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::{Moment, dots, follow, law};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, settled},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    /// Largest turn of the slip direction within an interval (rad).
    theta_max: f64,
    /// Relative tolerance of the compliant motions.
    tolerance: f64,
    /// Factor on the modulus, for the row that measures its effect.
    stiffer: f64,
    /// Table 2: the phase of each contact in each round.
    rounds: Vec<[Phase; 4]>,
}

/// A phase, as the fixture writes it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Phase {
    Observing,
    Compressing,
    Expanding,
}

impl Phase {
    const fn is(self, phase: plus::Phase) -> bool {
        matches!(
            (self, phase),
            (Self::Observing, plus::Phase::Observing)
                | (Self::Compressing, plus::Phase::Compressing)
                | (Self::Expanding, plus::Phase::Expanding)
        )
    }
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let problem = scenario.build()?.problem;
    let mut measurements = experiment.measurements(&fixture);
    let plus = law(parameters.theta_max);
    let trace = plus.trace(&problem)?;
    measurements.add("entries of Table 2 that agree", agreeing(&trace, &parameters.rounds));
    measurements.add("rounds", trace.report.rounds as f64);
    let all = Plus { participation: Participation::All, ..plus };
    let row = |law: &Plus| Ok::<_, Error>(settled(law, &problem, &[])?.velocity);
    let (row_b, row_c) = (row(&plus)?, row(&all)?);
    let (reference, moments) = follow(&scenario, parameters.tolerance)?;
    progress(0.5, &scenario.title);
    let mut stiffer = scenario.clone();
    stiffer.compliant.modulus =
        scenario.compliant.modulus.map(|modulus| parameters.stiffer * modulus);
    let row_a = &reference.outcome.velocity;
    let (stiff, _) = follow(&stiffer, parameters.tolerance)?;
    let stiff = experiment.faults().outcome(stiff.outcome);
    let change = (stiff.velocity - row_a).amax();
    // The velocities of a body are those of x, y and its angle.
    let along = |velocity: &nalgebra::DVector<f64>, ball: usize| velocity[3 * ball];
    for (row, velocity) in [("A", row_a), ("B", &row_b), ("C", &row_c)] {
        for ball in 0..scenario.bodies.len() {
            let quantity = format!("row {row}: velocity of ball {}", ball + 1);
            measurements.add(quantity, along(velocity, ball));
        }
    }
    measurements.add("row A: largest change of a velocity with ten times the modulus", change);
    let rows = [("compliant (A)", row_a), ("PLUS (B)", &row_b), ("all at once (C)", &row_c)];
    let series = rows.map(|(label, velocity)| {
        let points = (0..scenario.bodies.len()).map(|k| [k as f64 + 1.0, along(velocity, k)]);
        dots(label, points.collect())
    });
    let velocities = Figure {
        id: "figure-14".to_owned(),
        title: "Velocities of the five balls after the impact".to_owned(),
        caption: "Compliant contacts pass nearly all of the velocity on to the last ball, PLUS all of it. \
                  With all contacts at once the four balls move on together. Figure 14 of the paper."
            .to_owned(),
        x: drawing::axis("ball", ""),
        y: drawing::axis("velocity", "m/s"),
        equal_aspect: false,
        map: None,
        series: series.to_vec(),
    };
    experiment.outcome(&fixture, measurements, vec![velocities, waves(&moments)])
}

/// Number of entries of Table 2 that agree with the trace.
fn agreeing(trace: &Trace, rounds: &[[Phase; 4]]) -> f64 {
    let mut count = 0;
    for interval in &trace.intervals {
        let Some(expected) = rounds.get(interval.round - 1) else { return f64::NAN };
        let states = interval.states.iter().zip(expected);
        count += states.filter(|(state, phase)| phase.is(state.phase)).count();
    }
    count as f64
}

/// Loading of the compliant contacts one after the other.
fn waves(moments: &[Moment]) -> Figure {
    let contact = |k: usize| {
        let depth = moments.iter().map(|m| [1e3 * m.time, 1e3 * m.depths[k].max(0.0)]);
        drawing::line(&format!("contact {} and {}", k + 1, k + 2), depth.collect())
    };
    Figure {
        id: "depths".to_owned(),
        title: "The wave through compliant contacts".to_owned(),
        caption:
            "Each contact is compressed while the one before it expands, which the rounds of the \
                  law represent."
                .to_owned(),
        x: drawing::axis("time", "ms"),
        y: drawing::axis("depth", "mm"),
        equal_aspect: false,
        map: None,
        series: (0..4).map(contact).collect(),
    }
}
