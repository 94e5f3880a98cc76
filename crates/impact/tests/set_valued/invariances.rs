//! Samples do not depend on the order of contacts, the sign of tangents or the units, and never gain
//! energy.

#[path = "../support/mod.rs"]
mod support;

use nalgebra::{DMatrix, DVector, dvector};
use percussion_impact::{
    Contact, Mass, Problem,
    set_valued::{Sampler, SetValuedRouth, Settings},
};
use proptest::prelude::*;
use support::Data;

use super::{rocking_block, settings, turned_ball, velocities};

/// Velocity after three steps with these increments for each contact.
fn after(data: &Data, increments: &[Vec<f64>; 3]) -> DVector<f64> {
    let problem = data.problem();
    let mut sampler = Sampler::new(&problem, &settings(1.0, 3, 1)).expect("settings are right");
    for increments in increments {
        sampler.step(increments).expect("increments are right");
    }
    sampler.velocity().clone()
}

/// Friction below what makes the velocity after a step ambiguous for bodies like these.
fn with_little_friction(mut data: Data) -> Data {
    for contact in &mut data.contacts {
        contact.friction *= 0.1;
    }
    data
}

fn increments() -> impl Strategy<Value = [Vec<f64>; 3]> {
    prop::array::uniform3(prop::collection::vec(0.0..0.5, 4))
}

fn first(increments: &[Vec<f64>; 3], count: usize) -> [Vec<f64>; 3] {
    increments.clone().map(|step| step[..count].to_vec())
}

proptest! {
    #![proptest_config(support::config())]

    #[test]
    fn the_order_of_contacts_does_not_matter(data in support::data(4), steps in increments()) {
        let data = with_little_friction(data);
        let count = data.contacts.len();
        let steps = first(&steps, count);
        let mut other = data.clone();
        other.contacts.reverse();
        let reversed = steps.clone().map(|step| step.into_iter().rev().collect());
        let (a, b) = (after(&data, &steps), after(&other, &reversed));
        prop_assert!((&a - &b).amax() <= 1e-8 * (1.0 + a.amax()), "{a} {b}");
    }

    #[test]
    fn the_signs_of_tangents_do_not_matter(data in support::data(4), steps in increments()) {
        let data = with_little_friction(data);
        let steps = first(&steps, data.contacts.len());
        let mut other = data.clone();
        for contact in &mut other.contacts {
            contact.tangents.iter_mut().for_each(|tangent| *tangent = -tangent.clone());
        }
        let (a, b) = (after(&data, &steps), after(&other, &steps));
        prop_assert!((&a - &b).amax() <= 1e-8 * (1.0 + a.amax()), "{a} {b}");
    }

    /// Planar, spatial and frictionless contacts mixed, joints, any friction.
    #[test]
    fn steps_are_solved_and_dissipate(data in support::data(4)) {
        let problem = data.problem();
        let law = SetValuedRouth::new(settings(0.2, 20, 16));
        let statistics = law.post_impact_set(&problem, (), |_| ()).unwrap().statistics;
        prop_assert_eq!(statistics.unsolved, 0, "{:?}", statistics);
        let energy = problem.kinetic_energy(problem.velocity());
        prop_assert!(statistics.figures.energy_gain <= 1e-10 * energy, "{:?}", statistics);
        prop_assert!(statistics.figures.adhesion == 0.0, "{:?}", statistics);
        prop_assert!(statistics.figures.cone_violation <= 1e-9, "{:?}", statistics);
    }
}

/// Powers of two make the arithmetic exact, so samples must agree to the last bit: other units of mass
/// and speed, and of length (which scales what turns).
#[test]
fn units_do_not_matter() {
    let block = rocking_block();
    let original = velocities(&block, settings(0.3, 10, 500));
    let (mass, speed, length) = (8.0, 0.25, 4.0);
    let corner = |x: f64| {
        let tangents = vec![dvector![1.0, 0.0, length]];
        Contact::new(dvector![0.0, 1.0, x * length]).with_friction(1.0, tangents)
    };
    let inertia = dvector![1.0, 1.0, 5.0 / 12.0 * length * length] * mass;
    let scaled = Problem::new(
        Mass::Matrix(DMatrix::from_diagonal(&inertia)),
        block.velocity() * speed,
        vec![corner(-0.5), corner(0.5)],
    )
    .unwrap();
    let set = velocities(&scaled, settings(0.3 * mass * speed, 10, 500));
    assert_eq!(set.statistics.lcps, original.statistics.lcps);
    for ((_, a), (_, b)) in original.summary.0.iter().zip(&set.summary.0) {
        let back = dvector![b[0], b[1], b[2] * length] / speed;
        assert!((a - back).amax() < 1e-14, "{a} {b}");
    }
}

/// Friction of at most 0.4 N·s along directions that miss by at most `π/k` each way: of a change of at
/// most 0.4 m/s in the velocity of the center the part `2π/k`, and 5/2 as much in the spin.
#[test]
fn in_space_a_turned_frame_matters_less_than_the_directions_are_apart() {
    let velocity = dvector![2.0, 0.7, -1.0, 1.0, 0.5, 0.0];
    let directions = 90;
    let settings = Settings { directions, ..settings(0.1, 100, 16) };
    let straight = velocities(&turned_ball(velocity.clone(), 0.0), settings).summary.0;
    for angle in [0.01, 0.3, 1.0] {
        let turned = velocities(&turned_ball(velocity.clone(), angle), settings).summary.0;
        let apart = std::f64::consts::TAU / directions as f64;
        for ((_, a), (_, b)) in straight.iter().zip(&turned) {
            let difference = (a - b).amax();
            assert!(difference <= 2.5 * 0.4 * apart, "{angle}: {difference}");
        }
    }
    // A turn by whole directions permutes them.
    let turned =
        velocities(&turned_ball(velocity, std::f64::consts::TAU / 6.0), settings).summary.0;
    for ((_, a), (_, b)) in straight.iter().zip(&turned) {
        assert!((a - b).amax() < 1e-12, "{a} {b}");
    }
}

#[test]
fn a_hundred_thousand_steps_never_gain_energy() {
    let set = velocities(&rocking_block(), Settings { seed: 9, ..settings(0.05, 40, 10_000) });
    let statistics = set.statistics;
    assert!(statistics.mean_lcps() > 10.0, "{statistics:?}");
    assert!(statistics.figures.energy_gain < 1e-16, "{statistics:?}");
    assert!(statistics.figures.residual < 1e-13, "{statistics:?}");
}
