//! PLUS with 64 contacts of one body and of a stack, with the status of the answer.

use std::hint::black_box;

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_benches::row::{Accuracy, Reach, Row, timed};
use percussion_impact::{
    Contact, Law, Mass, Problem,
    certificate::Certificate,
    plus::{Plus, Status},
};

use super::{Outcome, Task};

const VALID: &str = "the impact is valid";

pub(crate) fn tasks() -> Vec<Task> {
    let plate = Task::of_row("plus/plate-64", &[], |_| {
        measure("plus/plate-64", &plate(), "a plate lands on 8 × 8 points")
    });
    let stack = Task::of_row("plus/stack-64", &[], |_| {
        measure("plus/stack-64", &stack(16), "16 cubes land on one another, 4 corners each")
    });
    vec![plate, stack]
}

fn measure(name: &str, problem: &Problem, what: &str) -> Outcome {
    let law = Plus::default();
    let mut outcome = None;
    let mut run = || timed(|| outcome = Some(law.resolve(black_box(problem))));
    let first = run();
    let rounds = if first > 0.5 { 2 } else { 20 };
    let mut times = vec![first];
    times.extend((0..rounds).map(|_| run()));
    let outcome = outcome.transpose()?.ok_or("the impact was not resolved")?;
    let certificate = Certificate::check(problem, &outcome)?;
    let status = law.trace(problem)?.report.status;
    let is_budget = status == Status::WorkLimit;
    let fault = certificate.momentum_residual.max(certificate.adhesion);
    let percussion = outcome.impulses.iter().fold(1.0_f64, |most, p| most.max(p.normal));
    let fault = (fault / percussion).max(certificate.approach);
    let row = Row {
        accuracy: Some(Accuracy {
            what: "approach (m/s), cone or momentum violated",
            ours: fault.max(certificate.cone_violation / percussion),
            peer: None,
        }),
        reach: Some(Reach::OursAtMost(0.05)),
        note: format!(
            "{what}; status {status:?}{}",
            if is_budget { ": the answer of the budget" } else { "" }
        ),
        ..Row::of_times(name, &times)
    };
    Ok(row.print()?)
}

/// The row of a velocity at `arm` from the center of body `body` along `direction`.
fn add(row: &mut DVector<f64>, body: usize, arm: &Vector3<f64>, direction: &Vector3<f64>) {
    let turn = arm.cross(direction);
    for axis in 0..3 {
        row[6 * body + axis] += direction[axis];
        row[6 * body + 3 + axis] += turn[axis];
    }
}

/// A contact that `upper` makes with `lower` or with the ground, at an arm from each center, with friction 0.5.
fn contact(bodies: usize, sides: &[(usize, Vector3<f64>, f64)]) -> Contact {
    let row = |axis: Vector3<f64>| {
        let mut row = DVector::zeros(6 * bodies);
        for (body, arm, sign) in sides {
            add(&mut row, *body, arm, &(*sign * axis));
        }
        row
    };
    Contact::new(row(Vector3::z())).with_friction(0.5, vec![row(Vector3::x()), row(Vector3::y())])
}

/// A plate of 1 × 1 × 0.1 m and 1 kg that comes down obliquely, with a grid of 8 × 8 points on its lower face.
fn plate() -> Problem {
    let mass = DVector::from_vec(vec![1.0, 1.0, 1.0, 1.01 / 12.0, 1.01 / 12.0, 2.0 / 12.0]);
    let contacts = (0..64_u8).map(|k| {
        let at = |index: u8| f64::from(index) / 7.0 - 0.5;
        contact(1, &[(0, Vector3::new(at(k % 8), at(k / 8), -0.05), 1.0)])
    });
    let velocity = DVector::from_vec(vec![-1.0, 0.2, -1.0, 0.1, 0.2, 0.3]);
    let mass = Mass::Matrix(DMatrix::from_diagonal(&mass));
    Problem::new(mass, velocity, contacts.collect()).expect(VALID)
}

/// A stack of cubes of 1 m and 1 kg, each with four corners on the one below, that falls at 1 m/s and moves sideways.
fn stack(cubes: usize) -> Problem {
    let mass = DVector::from_fn(6 * cubes, |i, _| if i % 6 < 3 { 1.0 } else { 1.0 / 6.0 });
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let contacts = (0..cubes).flat_map(|cube| {
        corners.map(|(x, y)| {
            let below = (cube > 0).then(|| (cube - 1, Vector3::new(x, y, 0.5), -1.0));
            let sides: Vec<_> =
                [(cube, Vector3::new(x, y, -0.5), 1.0)].into_iter().chain(below).collect();
            contact(cubes, &sides)
        })
    });
    let velocity = DVector::from_fn(6 * cubes, |i, _| match i % 6 {
        0 => 0.3,
        2 => -1.0,
        _ => 0.0,
    });
    let mass = Mass::Matrix(DMatrix::from_diagonal(&mass));
    Problem::new(mass, velocity, contacts.collect()).expect(VALID)
}
