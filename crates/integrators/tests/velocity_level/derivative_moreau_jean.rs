//! The derivative of a step of `moreau-jean` against central differences of steps.

use percussion_integrators::{
    Simulation,
    moreau_jean::{
        MoreauJean, Settings,
        derivative::{Error, derivative},
    },
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

use crate::derivative::{Family, number};

/// The end of the step, the impulses, and the numbers of the contacts.
fn end(family: &Family, settings: &Settings, s: f64) -> Option<(Vec<f64>, Vec<usize>)> {
    let (model, start) = family.at(s).ok()?;
    let mut simulation = Simulation::<MoreauJean>::new(model, *settings, start).ok()?;
    let report = simulation.step().ok()?;
    let state = simulation.state();
    let impulses = report.contacts.iter().flat_map(|contact| {
        let [x, y, z] = contact.impulse.into();
        [x, y, z]
    });
    let motion = state.coordinates.iter().chain(&state.velocity).copied();
    let contacts = report.contacts.iter().map(|contact| contact.contact);
    Some((motion.chain(impulses).collect(), contacts.collect()))
}

/// A body on feet with friction and restitution.
fn random(random: &mut ChaCha8Rng) -> Family {
    let mut family = Family::random(random);
    for restitution in &mut family.restitution {
        *restitution = (0.4 * number(random)).max(0.0);
    }
    family
}

/// Masses, gravity, friction, restitution, coordinates and velocities change at once, along a random direction. The
/// gyroscopic torque depends on the velocity at the end of the step.
#[test]
fn the_derivative_of_a_step_is_the_limit_of_differences() {
    let cases = std::env::var("PERCUSSION_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let mut draw = ChaCha8Rng::seed_from_u64(8);
    let (mut regular, mut absent, mut noisy, mut worst) = (0, 0, 0, 0.0_f64);
    let (mut modes, mut redundant) = ([0; 3], 0);
    for case in 0..cases {
        let family = random(&mut draw);
        let implicitness = [0.5, 0.75, 1.0][case % 3];
        let settings = Settings {
            step_size: 0.01,
            implicitness,
            tolerance: 1e-12,
            iteration_tolerance: Some(1e-14),
            ..Settings::default()
        };
        let found = match derivative(&mut |s| family.at(s), &settings, 1e-5) {
            Ok(found) => found,
            Err(Error::Derivative(_) | Error::Contacts { .. } | Error::Grazing { .. }) => {
                absent += 1;
                continue;
            }
            // The solver did not reach the tolerance.
            Err(Error::Step { .. }) => continue,
            Err(other) => panic!("{case}: {other}"),
        };
        let step = 1e-4;
        let sides = [step, -step, 2.0 * step, -2.0 * step].map(|s| end(&family, &settings, s));
        let [Some(a), Some(b), Some(far_a), Some(far_b)] = sides else { continue };
        let back = derivative(&mut |s| family.at(-s), &settings, 1e-5).unwrap();
        if found.reach.step.min(back.reach.step) < 20.0 * step
            || [&b.1, &far_a.1, &far_b.1].into_iter().any(|contacts| *contacts != a.1)
        {
            continue;
        }
        // The distribution of impulses that are not unique is the choice of the solver.
        let compared = if found.redundant { 13 } else { a.0.len() };
        redundant += usize::from(found.redundant);
        let changes = found.contacts.iter().flat_map(|(_, _, change)| change.iter());
        let all: Vec<f64> =
            found.coordinates.iter().chain(&found.velocity).chain(changes).copied().collect();
        assert_eq!(all.len(), a.0.len(), "{case}");
        let size = all.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        let near = |k: usize| (a.0[k] - b.0[k]) / (2.0 * step);
        let far = |k: usize| (far_a.0[k] - far_b.0[k]) / (4.0 * step);
        // Where the operator is nearly singular, the tolerance of the solver shows in the differences.
        if (0..compared).any(|k| (near(k) - far(k)).abs() > 2e-6 * size) {
            noisy += 1;
            continue;
        }
        for (k, found) in all.iter().enumerate().take(compared) {
            // Without the error of second order.
            let difference = (4.0 * near(k) - far(k)) / 3.0;
            let off = (found - difference).abs() / size;
            worst = worst.max(off);
            assert!(off <= 1e-6, "{case}, entry {k}: {found} {difference}");
        }
        regular += 1;
        for (contact, impulse, _) in &found.contacts {
            let limit = family.friction[*contact] * impulse.x;
            let slides = impulse.yz().norm() > limit * (1.0 - 1e-9);
            let mode = if impulse.x <= 0.0 { 0 } else { 2 - usize::from(slides) };
            modes[mode] += 1;
        }
    }
    eprintln!(
        "{regular} regular {modes:?}, {redundant} redundant, {absent} absent, {noisy} noisy, off by {worst:e}"
    );
    assert!(modes.iter().all(|count| *count > cases / 20), "{modes:?}");
    assert!(regular > cases * 8 / 10, "{regular}");
}

/// The restitution of a contact that pushes and grazes before the step acts on one side only.
#[test]
fn a_grazing_contact_is_refused() {
    let mut family = random(&mut ChaCha8Rng::seed_from_u64(8));
    family.graze();
    let settings = Settings { step_size: 0.01, ..Settings::default() };
    let refused = derivative(&mut |s| family.at(s), &settings, 1e-5);
    assert!(matches!(refused, Err(Error::Grazing { contact: 0, .. })), "{refused:?}");
}
