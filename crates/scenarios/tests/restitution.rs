//! The five examples of Halm and Posa with restitution: sets at arbitrary rates beside sequences of single impacts and beside
//! another method, which follows a path in small steps and does not locate events.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Law, Mass, Problem,
    routh::{Restitution, Routh},
    sequential::{Order, Sequential},
    set_valued::{Sampler, Settings, Termination},
};
use percussion_scenarios::fixtures;

const EXAMPLES: [&str; 5] =
    ["rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack"];
/// Steps of both walkers have several solutions, of which small steps follow another one: their outcomes are 0.25 and 0.08 of
/// the speed away from the samples, however small the steps are.
const WITH_UNIQUE_STEPS: [&str; 3] = ["rocking-block", "box-and-wall", "disk-stack"];
const RESTITUTION: f64 = 0.5;

/// An example with restitution, and the settings of its samples.
fn example(name: &str) -> (Problem, Settings) {
    let impact = fixtures::problem(name).expect("it is built in");
    let problem = impact.problem;
    let contacts = problem.contacts().iter();
    let contacts = contacts.map(|contact| contact.clone().with_restitution(RESTITUTION));
    let n = problem.dimension();
    let unit = |column: usize| DVector::from_fn(n, |row, _| f64::from(u8::from(row == column)));
    let columns: Vec<_> = (0..n).map(|column| problem.momentum(&unit(column))).collect();
    let mass = Mass::Matrix(DMatrix::from_columns(&columns));
    let joints = problem.bilateral_jacobian().clone();
    let velocity = problem.velocity().clone();
    let problem = Problem::with_joints(mass, velocity, contacts.collect(), joints);
    (problem.expect("a valid problem"), Settings { steps: 100, ..impact.set_valued })
}

#[test]
fn one_contact_at_a_time_is_the_sequence_of_single_impacts() {
    for name in EXAMPLES {
        let (problem, settings) = example(name);
        let count = problem.contacts().len();
        let mut compared = 0;
        for first in 0..count {
            let order: Vec<_> = (0..count).map(|turn| (first + turn) % count).collect();
            let inner = Routh { restitution: Restitution::Energetic, ..Routh::default() };
            let law = Sequential { order: Order::Cycle(order.clone()), ..Sequential::new(inner) };
            let sequence = law.resolve(&problem).expect("settings are right");
            if !sequence.trace.status.came_to_its_end() {
                continue;
            }
            let mut sampler = Sampler::new(&problem, &settings).expect("settings are right");
            for &contact in order.iter().cycle().take(1000) {
                if sampler.termination() != Termination::Limit {
                    break;
                }
                let mut increments = vec![0.0; count];
                increments[contact] = 1e4 * settings.step;
                sampler.step(&increments).expect("the increments are right");
            }
            assert_eq!(sampler.termination(), Termination::Separated, "{name} {order:?}");
            let size = problem.velocity().amax();
            let off = (sampler.velocity() - &sequence.velocity).amax() / size;
            assert!(off < 1e-7, "{name} {order:?}: {off:e}");
            compared += 1;
        }
        assert!(compared > 0, "{name}");
    }
}

/// The velocity of contacts after steps with these increments, in `parts` small steps for each. A contact that approaches, or
/// that has stored energy, pushes at its rate; its friction is what stops its slip, or the limit.
fn small_steps(problem: &Problem, increments: &[Vec<f64>], parts: usize) -> DVector<f64> {
    let w = problem.delassus();
    let mut velocity = problem.free_contact_velocity();
    let mut energies = vec![0.0; problem.contacts().len()];
    for step in increments {
        for _ in 0..parts {
            let before = velocity.clone();
            for (contact, data) in problem.contacts().iter().enumerate() {
                let row = problem.rows(contact).start;
                if before[row] >= 0.0 && energies[contact] <= 0.0 {
                    continue;
                }
                let push = step[contact] / parts as f64;
                let start = velocity[row];
                velocity.axpy(push, &w.column(row), 1.0);
                for tangent in problem.rows(contact).skip(1) {
                    let bound = data.friction * push;
                    let stop = -velocity[tangent] / w[(tangent, tangent)];
                    velocity.axpy(stop.clamp(-bound, bound), &w.column(tangent), 1.0);
                }
                let mean = 0.5 * (start + velocity[row]);
                let part = if mean < 0.0 { data.restitution.powi(2) } else { 1.0 };
                energies[contact] = (energies[contact] - part * push * mean).max(0.0);
            }
        }
    }
    velocity
}

#[test]
fn samples_are_the_limit_of_small_steps() {
    let mut all = Vec::new();
    for name in WITH_UNIQUE_STEPS {
        let (problem, settings) = example(name);
        let mut sampler = Sampler::new(&problem, &settings).expect("settings are right");
        let size = problem.free_contact_velocity().amax();
        let (mut coarse, mut fine, mut compared) = (0.0, 0.0, 0);
        for index in 0..40 {
            let path = sampler.path(index);
            if path.termination != Termination::Separated {
                continue;
            }
            let increments: Vec<_> = path.steps.into_iter().map(|step| step.increments).collect();
            let off = |parts: usize| {
                let other = small_steps(&problem, &increments, parts);
                (other - sampler.contact_velocity()).amax() / size
            };
            coarse += off(1000);
            fine += off(10_000);
            compared += 1;
        }
        let (coarse, fine) = (coarse / f64::from(compared), fine / f64::from(compared));
        eprintln!("{name}: {coarse:.1e} and {fine:.1e} of the speed in {compared} samples");
        assert!(compared >= 20, "{name}: {compared} samples end");
        all.push((name, coarse, fine));
    }
    for (name, coarse, fine) in all {
        // The error is proportional to the steps.
        assert!(fine < 0.2 * coarse && fine < 2e-3, "{name}: {coarse:e} {fine:e}");
    }
}

#[test]
fn no_sample_gains_energy_and_those_that_end_separate() {
    for name in EXAMPLES {
        let (problem, settings) = example(name);
        let mut sampler = Sampler::new(&problem, &settings).expect("settings are right");
        let before = problem.kinetic_energy(problem.velocity());
        let size = problem.free_contact_velocity().amax();
        let mut ended = 0;
        for index in 0..1000 {
            sampler.run(index);
            assert_ne!(sampler.termination(), Termination::Unsolved, "{name} {index}");
            let stored: f64 = sampler.stored_energies().unwrap_or_default().iter().sum();
            let after = problem.kinetic_energy(sampler.velocity()) + stored;
            assert!(after <= before * (1.0 + 1e-9), "{name} {index}: {before} {after}");
            if sampler.outcome().is_some() {
                ended += 1;
                let least = (0..problem.contacts().len())
                    .map(|contact| sampler.contact_velocity()[problem.rows(contact).start])
                    .fold(f64::INFINITY, f64::min);
                assert!(least >= -2e-9 * size, "{name} {index}: {least:e}");
            }
        }
        eprintln!("{name}: {ended} of 1000 samples end");
        assert!(ended > 900, "{name}: {ended}");
    }
}
