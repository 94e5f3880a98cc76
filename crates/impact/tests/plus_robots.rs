//! PLUS at impacts of a legged robot: joints at their limits and feet, knees and corners of the trunk on the floor, many of
//! them redundant and nearly at rest. Every interval is compared with Table 1 of the paper by code of its own.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Contact, Mass, Problem,
    plus::{Interval, Motion, Phase, Plus, State, Status, Workspace},
};
use serde_json::Value;

/// Impacts of Unitree's A1 (of the package `example-robot-data` 4.4), which fell from 0.5 m without drives,
/// as event-driven motion states them. The first and that with restitution have μ = 0.3, the others 0.8. Dropping constraints leaves
/// an interval of each unsolved; in that with restitution, spreading the impulses of redundant contacts divides by none.
const IMPACTS: [(&str, &str); 5] = [
    ("trunk corners", include_str!("robots/trunk-corners.json")),
    ("limit and three feet", include_str!("robots/limit-and-three-feet.json")),
    ("limits and eight corners", include_str!("robots/limits-and-eight-corners.json")),
    ("feet and corners, e = 0.2", include_str!("robots/feet-and-corners-restitution.json")),
    ("limits, knees and feet", include_str!("robots/limits-knees-and-feet.json")),
];

fn read(text: &str) -> Problem {
    let document: Value = serde_json::from_str(text).unwrap();
    let numbers = |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).unwrap() };
    let rows: Vec<_> = document["mass_matrix"].as_array().unwrap().iter().map(numbers).collect();
    let mass = DMatrix::from_fn(rows.len(), rows.len(), |i, j| rows[i][j]);
    let contacts = document["contacts"].as_array().unwrap().iter().map(|contact| {
        let row = |value| DVector::from_vec(numbers(value));
        let tangents = contact["tangents"].as_array().unwrap().iter().map(row).collect();
        Contact::new(row(&contact["normal"]))
            .with_friction(contact["friction"].as_f64().unwrap(), tangents)
            .with_restitution(contact["restitution"].as_f64().unwrap())
    });
    let contacts = contacts.collect();
    let velocity = DVector::from_vec(numbers(&document["velocity"]));
    Problem::new(Mass::Matrix(mass), velocity, contacts).unwrap()
}

/// An interval that reaches its end.
struct Whole {
    states: Vec<State>,
    impulse: DVector<f64>,
    end: DVector<f64>,
}

impl Whole {
    fn of(interval: &Interval<'_>) -> Option<Self> {
        (interval.fraction >= 1.0).then(|| Self {
            states: interval.states.to_vec(),
            impulse: DVector::from_column_slice(interval.impulse),
            end: DVector::from_column_slice(interval.contact_velocity),
        })
    }

    /// Largest violation of Table 1, in parts of the largest impulse and speed of the interval.
    fn violation(&self, problem: &Problem, speed: f64) -> f64 {
        let size = self.impulse.amax();
        let mut worst = 0.0_f64;
        for (index, (contact, state)) in problem.contacts().iter().zip(&self.states).enumerate() {
            let rows = problem.rows(index);
            let (normal, tangents) = (rows.start, rows.len() - 1);
            let push = self.impulse[normal];
            let rubs = self.impulse.rows(normal + 1, tangents).into_owned();
            let slips = self.end.rows(normal + 1, tangents).into_owned();
            if state.phase == Phase::Observing {
                worst = worst.max(push.abs() / size).max(rubs.norm() / size);
                continue;
            }
            worst = worst.max(-push / size).max((rubs.norm() - contact.friction * push) / size);
            if state.phase == Phase::Compressing && state.motion != Motion::Free {
                worst = worst.max(self.end[normal].abs() / speed);
            }
            match state.motion {
                Motion::Rolling => worst = worst.max(slips.norm() / speed),
                // Friction does all the work that its cone allows.
                Motion::ImpendingSlip => {
                    let work = rubs.dot(&slips) + contact.friction * push * slips.norm();
                    worst = worst.max(work.abs() / (size * speed));
                }
                Motion::Free | Motion::Sliding | _ => {}
            }
        }
        worst
    }
}

#[test]
fn intervals_of_robots_satisfy_the_table() {
    for (name, text) in IMPACTS {
        let problem = read(text);
        let (mut wholes, mut workspace) = (Vec::new(), Workspace::default());
        let report = Plus::default()
            .observe(&problem, &mut workspace, &mut |interval| wholes.extend(Whole::of(interval)))
            .unwrap();
        assert_eq!(report.status, Status::Resolved, "{name}: {report:?}");
        let speed = wholes.iter().fold(problem.free_contact_velocity().amax(), |most, whole| {
            most.max((problem.delassus() * &whole.impulse).amax())
        });
        for (index, whole) in wholes.iter().enumerate() {
            let violation = whole.violation(&problem, speed);
            assert!(violation < 1e-9, "{name}, interval {index}: {violation:e}");
        }
    }
}
