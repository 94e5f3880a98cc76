//! Example 3: a ball strikes a row of four. Compliant contacts (A), PLUS (B), all contacts at once (C).

use percussion_impact::{
    Plus,
    plus::{Participation, Phase, Trace},
};

use super::{Measurements, Moment, Options, Progress, dots, drawing, finish, follow, law};
use crate::{
    error::Error, experiments::settled, figure::Figure, impacts::ImpactScenario,
    outcome::ExperimentOutcome,
};

/// Table 2: what each contact does in each round.
const TABLE_2: [[Phase; 4]; 5] = {
    const C: Phase = Phase::Compressing;
    const E: Phase = Phase::Expanding;
    const O: Phase = Phase::Observing;
    [[C, O, O, O], [E, C, O, O], [O, E, C, O], [O, O, E, C], [O, O, O, E]]
};

pub(in crate::experiments) fn run(
    id: &str,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let scenario = ImpactScenario::named("ball-row")?;
    let problem = scenario.build()?.problem;
    let mut measurements = Measurements::new(id, &scenario.expected);
    let plus = law(0.01);
    let trace = plus.trace(&problem)?;
    measurements.add("entries of Table 2 that agree", agreeing(&trace));
    measurements.add("rounds", trace.report.rounds as f64);
    let all = Plus { participation: Participation::All, ..plus };
    let row = |law: &Plus| Ok::<_, Error>(settled(law, &problem, &[])?.velocity);
    let (row_b, row_c) = (row(&plus)?, row(&all)?);
    let (reference, moments) = follow(&scenario)?;
    progress(0.5, &scenario.title);
    let mut stiffer = scenario.clone();
    stiffer.compliant.modulus = scenario.compliant.modulus.map(|modulus| 10.0 * modulus);
    let row_a = &reference.outcome.velocity;
    let change = (follow(&stiffer)?.0.outcome.velocity - row_a).amax();
    // The velocities of a body are x, y and its angle.
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
        caption: "Compliant contacts pass nearly all of the velocity on to the last ball, PLUS all of it; \
                  with all contacts at once the four balls move on as one. Figure 14 of the paper."
            .to_owned(),
        x: drawing::axis("ball", ""),
        y: drawing::axis("velocity", "m/s"),
        equal_aspect: false,
        map: None,
        series: series.to_vec(),
    };
    finish(
        id,
        &scenario.title,
        "A ball strikes a row of four that touch. The law resolves it in five rounds, as an impulse moves \
         through the row; where all contacts take part at once, the row is one body. Uchida, Sherman & Delp \
         (2015), example 3, figure 14 and Table 2.",
        measurements,
        vec![velocities, waves(&moments)],
    )
}

/// Number of entries of Table 2 that the trace has.
fn agreeing(trace: &Trace) -> f64 {
    let mut count = 0;
    for interval in &trace.intervals {
        let Some(expected) = TABLE_2.get(interval.round - 1) else { return f64::NAN };
        count +=
            interval.states.iter().zip(expected).filter(|(s, phase)| s.phase == **phase).count();
    }
    count as f64
}

/// How the compliant contacts load one after the other.
fn waves(moments: &[Moment]) -> Figure {
    let contact = |k: usize| {
        let depth = moments.iter().map(|m| [1e3 * m.time, 1e3 * m.depths[k].max(0.0)]);
        drawing::line(&format!("contact {} and {}", k + 1, k + 2), depth.collect())
    };
    Figure {
        id: "depths".to_owned(),
        title: "The wave through compliant contacts".to_owned(),
        caption: "Each contact is pressed while the one before it lets go, which is what the rounds of the \
                  law stand for."
            .to_owned(),
        x: drawing::axis("time", "ms"),
        y: drawing::axis("depth", "mm"),
        equal_aspect: false,
        map: None,
        series: (0..4).map(contact).collect(),
    }
}
