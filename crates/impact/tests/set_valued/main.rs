//! The set-valued law: limits it must reproduce, invariances, determinism, and what it refuses.

mod determinism;
mod invariances;
mod limits;
mod refusals;
mod restitution;

use nalgebra::{DMatrix, DVector, dvector};
use percussion_impact::{
    Contact, Mass, Problem,
    set_valued::{PostImpactSet, Sample, SetValuedRouth, Settings, Summary},
};

/// A block of 1 m × 2 m and 1 kg falls flat, from a height of 1 cm, on two corners with `μ = 1`.
fn rocking_block() -> Problem {
    bouncing_block(0.0)
}

/// The block with restitution.
fn bouncing_block(restitution: f64) -> Problem {
    let corner = |x: f64| {
        Contact::new(dvector![0.0, 1.0, x])
            .with_friction(1.0, vec![dvector![1.0, 0.0, 1.0]])
            .with_restitution(restitution)
    };
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]));
    let speed = (2.0 * 9.81 * 0.01_f64).sqrt();
    let velocity = dvector![0.0, -speed, 0.0];
    Problem::new(mass, velocity, vec![corner(-0.5), corner(0.5)]).expect("a problem")
}

/// A ball of 1 kg and 1 m with the moment of inertia 2/5 kg·m² in space, on a floor with `μ = 0.4`.
/// Velocities: of the center, then angular; the floor is below, at `z = −1 m`.
fn ball(velocity: DVector<f64>) -> Problem {
    turned_ball(velocity, 0.0)
}

/// The ball with restitution.
fn bouncing_ball(velocity: DVector<f64>) -> Problem {
    let ball = ball(velocity);
    let contacts = ball.contacts().iter().map(|one| one.clone().with_restitution(0.5)).collect();
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 1.0, 0.4, 0.4, 0.4]));
    Problem::new(mass, ball.velocity().clone(), contacts).expect("a problem")
}

/// The ball with the tangents turned by an angle about the normal.
fn turned_ball(velocity: DVector<f64>, angle: f64) -> Problem {
    let row = |entries: [f64; 6]| DVector::from_column_slice(&entries);
    let (sin, cos) = angle.sin_cos();
    let (x, y) = (row([1.0, 0.0, 0.0, 0.0, -1.0, 0.0]), row([0.0, 1.0, 0.0, 1.0, 0.0, 0.0]));
    let tangents = vec![&x * cos + &y * sin, &y * cos - &x * sin];
    let floor = Contact::new(row([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])).with_friction(0.4, tangents);
    let mass = Mass::Matrix(DMatrix::from_diagonal(&row([1.0, 1.0, 1.0, 0.4, 0.4, 0.4])));
    Problem::new(mass, velocity, vec![floor]).expect("a problem")
}

/// The velocities of all samples, in the order of their indices.
#[derive(Clone, Debug, Default, PartialEq)]
struct Velocities(Vec<(u64, DVector<f64>)>);

impl Summary for Velocities {
    fn record(&mut self, sample: &Sample<'_>) {
        self.0.push((sample.index, sample.velocity.clone()));
    }

    fn merge(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }
}

fn velocities(problem: &Problem, settings: Settings) -> PostImpactSet<Velocities> {
    SetValuedRouth::new(settings)
        .post_impact_set(problem, Velocities::default(), |_| ())
        .expect("the settings are right")
}

fn settings(step: f64, steps: usize, samples: u64) -> Settings {
    Settings { step, steps, samples, ..Settings::default() }
}
