//! The four examples of Uchida, Sherman and Delp, and contacts in impending slip: PLUS compared with
//! compliant contacts and with closed forms.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling simultaneous frictional
//! collisions in spatial multibody systems", *Proceedings of the Royal Society A* 471 (2015) 20140859.

use percussion_impact::{
    Problem,
    plus::{Motion, Phase, Plus, Trace},
};
use percussion_mechanism::impacts::{ImpactScenario, compliant::Reference};
use percussion_record::{Mark, Series};

use crate::error::Error;

mod ball_row;
mod brick_corner;
mod brick_flat;
mod tabletop;
mod triple_pendulum;

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!("plus/brick-corner", plus::brick_corner, "A brick strikes on a corner"),
    experiment!("plus/brick-flat", plus::brick_flat, "A brick lands flat while it slides"),
    experiment!("plus/ball-row", plus::ball_row, "A ball strikes a row of four"),
    experiment!(
        "plus/triple-pendulum",
        plus::triple_pendulum,
        "A triple pendulum strikes the ground"
    ),
    experiment!("plus/tabletop", plus::tabletop, "Contacts that cannot hold"),
];

/// One moment of a compliant impact.
#[derive(Clone, Debug)]
struct Moment {
    time: f64,
    contact_velocity: Vec<f64>,
    impulses: Vec<f64>,
    depths: Vec<f64>,
}

/// The law of the examples: their parameters are the defaults.
fn law(theta_max: f64) -> Plus {
    Plus { theta_max, ..Plus::default() }
}

/// An impact with compliant contacts, as its file describes them, and its steps at a relative tolerance.
fn follow(scenario: &ImpactScenario, tolerance: f64) -> Result<(Reference, Vec<Moment>), Error> {
    let settings =
        percussion_mechanism::impacts::compliant::Settings { tolerance, ..scenario.compliant };
    let mut moments = Vec::new();
    let reference = scenario.compliant(&settings, &mut |moment| {
        moments.push(Moment {
            time: moment.time,
            contact_velocity: moment.contact_velocity.to_vec(),
            impulses: moment.impulses.to_vec(),
            depths: moment.gaps.iter().map(|gap| -gap).collect(),
        });
    })?;
    Ok((reference, moments))
}

/// The contact velocities and impulses of PLUS at the start and after each interval.
fn points(problem: &Problem, trace: &Trace) -> Vec<[Vec<f64>; 2]> {
    let start = problem.contact_velocity(problem.velocity()).as_slice().to_vec();
    let mut total = vec![0.0; start.len()];
    let mut points = vec![[start, total.clone()]];
    for interval in &trace.intervals {
        for (total, part) in total.iter_mut().zip(&interval.impulse) {
            *total += part;
        }
        points.push([interval.contact_velocity.clone(), total.clone()]);
    }
    points
}

/// Events within the impact of PLUS: the indices of [`points`] at which the compression ends and at which
/// contact `k` stops sliding.
fn events(trace: &Trace, k: usize) -> [Option<usize>; 2] {
    let end =
        trace.intervals.iter().position(|interval| interval.states[k].phase == Phase::Expanding);
    let stop = trace.intervals.windows(2).position(|pair| {
        pair[0].states[k].motion == Motion::Sliding && pair[1].states[k].motion != Motion::Sliding
    });
    [end, stop.map(|index| index + 1)]
}

fn dots(label: &str, points: Vec<[f64; 2]>) -> Series {
    Series { label: label.to_owned(), mark: Mark::Dots, points }
}
