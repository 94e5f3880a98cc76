//! Symptom: 194 of 300 random frictionless impacts under `MaximumDissipation::coulomb` were resolved with contacts that pull.
//! Cause: for `μ = 0` the projection on the friction cone took every normal for one of the cone: `0 ≤ 0 · (−2)` holds,
//! because that product is `−0`; solver, residual and tests shared it.
//! Expected: impulses that push, contacts that do not approach, one of the two zero; Newton's restitution.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Contact, Law, Mass, Problem, Status, energy::Energy::AsGiven,
    maximum_dissipation::MaximumDissipation,
};
use percussion_verify::{
    friction,
    impact::{self as judge, Energy},
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// The tolerance of the law, relative to the velocities before.
const TOLERANCE: f64 = 1e-10;

/// In `[−1, 1]`.
fn signed(random: &mut ChaCha8Rng) -> f64 {
    2.0 * f64::from(random.next_u32()) / f64::from(u32::MAX) - 1.0
}

#[test]
fn frictionless_impacts_do_not_pull() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut resolved = 0;
    for case in 0..300 {
        let n = 1 + case % 6;
        let factor = DMatrix::from_fn(n, n, |_, _| signed(&mut random));
        let mass = &factor * factor.transpose() + DMatrix::identity(n, n) * 0.1;
        let velocity = DVector::from_fn(n, |_, _| signed(&mut random));
        let mut rows = |count: usize| -> Vec<Vec<f64>> {
            (0..count).map(|_| (0..n).map(|_| signed(&mut random)).collect()).collect()
        };
        let contacts: Vec<_> = (0..=case % 3)
            .map(|k| judge::Contact {
                normal: rows(1).remove(0),
                // Round cones have two tangents or none.
                tangents: rows([0, 2][(case + k) % 2]),
                friction: 0.0,
                restitution: [0.0, 0.5, 1.0][(case / 3) % 3],
            })
            .collect();
        let row = |row: &Vec<f64>| DVector::from_column_slice(row);
        let stated = contacts
            .iter()
            .map(|contact| {
                Contact::new(row(&contact.normal))
                    .with_friction(0.0, contact.tangents.iter().map(row).collect())
                    .with_restitution(contact.restitution)
            })
            .collect();
        let entries = mass.transpose().as_slice().to_vec();
        let problem = Problem::new(Mass::Matrix(mass), velocity.clone(), stated).unwrap();
        let judge =
            judge::Impact::new(entries, velocity.as_slice().to_vec(), contacts, vec![]).unwrap();
        // The judge asks for the restitution as given, which contacts that separate before may let gain energy.
        let law = MaximumDissipation { energy: AsGiven, ..MaximumDissipation::coulomb() };
        let outcome = law.resolve(&problem).unwrap();
        let energy = match outcome.trace.status {
            Status::Resolved => Energy::Falls,
            Status::EnergyGained => Energy::MayGrow,
            _ => continue,
        };
        resolved += 1;
        let answer = judge::Outcome {
            velocity: outcome.velocity.as_slice().to_vec(),
            impulses: outcome
                .impulses
                .iter()
                .map(|p| [p.normal].into_iter().chain(p.tangent.iter().copied()).collect())
                .collect(),
            joint_impulses: vec![],
        };
        let mut verdict = judge.common(&answer, energy, TOLERANCE);
        verdict.merge(&judge.round_cones(&answer, friction::Law::Coulomb, TOLERANCE));
        assert!(verdict.holds(), "case {case}: {verdict}");
    }
    assert!(resolved >= 290, "{resolved} of 300 are feasible and answered");
}
