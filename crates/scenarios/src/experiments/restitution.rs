//! Restitution at arbitrary relative rates: outcomes that closed forms give, and the sets they belong to.
//!
//! # Source
//!
//! Ours, after M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), who leave restitution open, and W. J. Stronge, "Rigid
//! body collisions with friction", *Proceedings of the Royal Society of London A* 431 (1990) 169–181.

mod cradle;
mod rocking_block;

use nalgebra::DVector;
use percussion_impact::{
    Problem,
    outcome_set::{Collect, Order},
    set_valued::{PostImpactSet, Sampler, SetValuedRouth, Settings, Termination},
};
use percussion_mechanism::impacts::ImpactScenario;

use crate::{
    error::Error,
    experiments::{Effort, Options},
    fault::Faults,
};

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!(
        "restitution/cradle",
        restitution::cradle,
        "A ball strikes a row of two, elastic, at arbitrary rates"
    ),
    experiment!(
        "restitution/rocking-block",
        restitution::rocking_block,
        "A block bounces on two corners, at arbitrary rates"
    ),
];

/// The impact with this restitution at all contacts.
fn with_restitution(scenario: &ImpactScenario, restitution: f64) -> Result<Problem, Error> {
    let mut scenario = scenario.clone();
    scenario.contacts.iter_mut().for_each(|contact| contact.restitution = restitution);
    Ok(scenario.build()?.problem)
}

/// The outcome of steps with these increments (N·s), or NaN if the impact is not over then.
fn steered(problem: &Problem, steps: &[[f64; 2]], faults: Faults) -> Result<DVector<f64>, Error> {
    let mut sampler = Sampler::new(problem, &Settings { step: 1.0, ..Settings::default() })?;
    for increments in steps {
        sampler.step(increments)?;
    }
    let over = sampler.termination() == Termination::Separated;
    let mut end = if over { sampler.velocity().clone() } else { sampler.velocity() * f64::NAN };
    faults.velocities(end.as_mut_slice());
    Ok(end)
}

/// The outcomes of random rates, and how their samples ended.
fn sampled(
    problem: &Problem,
    step: f64,
    options: &Options,
    faults: Faults,
) -> Result<PostImpactSet<Collect>, Error> {
    let samples = if options.effort == Effort::Quick { 1 << 10 } else { 1 << 14 };
    let settings = Settings {
        step,
        steps: faults.steps(200),
        samples,
        seed: options.seed,
        ..Settings::default()
    };
    Ok(SetValuedRouth::new(settings).post_impact_set(
        problem,
        Collect::new(1 << 14, Order::First),
        |_| (),
    )?)
}

/// The velocities after the impact of the samples that were kept.
fn ends(set: &PostImpactSet<Collect>, faults: Faults) -> Vec<DVector<f64>> {
    let mut ends: Vec<_> =
        set.summary.outcomes().iter().map(|outcome| outcome.velocity.clone()).collect();
    ends.iter_mut().for_each(|end| faults.velocities(end.as_mut_slice()));
    ends
}

/// The samples that end within the limit of steps (%).
fn share_that_ends(set: &PostImpactSet<Collect>) -> f64 {
    100.0 * (set.statistics.terminated as f64 / set.statistics.samples as f64)
}

/// By how much the kinetic energy of any outcome exceeds that before the impact, as a fraction of it.
fn largest_gain(problem: &Problem, velocities: &[DVector<f64>]) -> f64 {
    let before = problem.kinetic_energy(problem.velocity());
    let energies = velocities.iter().map(|velocity| problem.kinetic_energy(velocity));
    (energies.fold(f64::NEG_INFINITY, f64::max) / before - 1.0).max(0.0)
}
