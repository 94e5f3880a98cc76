//! The account of the energy: what no motion may gain, and that wrong motions are caught.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod adaptive;
mod explicit;
mod scenes;

use nalgebra::Vector3;
use percussion_dynamics::System;
use percussion_integrators::State;

use explicit::Explicit;
use scenes::{Course, Draws, Scene, Scheme};

/// The bodies of a scene, with an explicit gyroscopic torque.
fn explicit(scene: &Scene) -> Box<dyn System> {
    Box::new(Explicit { bodies: scene.system(), push: 0.0 })
}

/// Scenes of a property: 10 000 with `PERCUSSION_SLOW=1`.
fn scene_count(quick: u64) -> u64 {
    if std::env::var_os("PERCUSSION_SLOW").is_some() { 10_000 } else { quick }
}

/// `T_0 + V_0 − min V`, above which no kinetic energy can be.
fn available(scene: &Scene, course: &Course) -> f64 {
    let State { coordinates, velocity, .. } = &scene.start;
    scene.system().energy(coordinates, velocity) - course.lowest_potential
}

/// What gravity gives the bodies at rest in a step, and rounding.
fn of_a_step(scene: &Scene, available: f64) -> f64 {
    let weights = scene.bodies.iter().map(|body| body.mass).sum::<f64>();
    weights * scene.gravity.norm_squared() * scene.step * scene.step + 1e-9 * (1.0 + available)
}

/// Whatever is thrown among planes, by whatever scheme: a motion that is not reported as gaining energy has at no step
/// end more than a tenth of what there is above the energy of its start.
#[test]
fn no_motion_completes_with_energy_from_nowhere() {
    for scheme in Scheme::IN_STEPS {
        let mut completed = 0;
        let count = scene_count(150);
        for seed in 0..count {
            let scene = Scene::random(seed);
            let course = scheme.follow(&scene, 1.0);
            let available = available(&scene, &course);
            let gained = course.largest() - course.energies[0];
            let allowed = 0.1 * available + of_a_step(&scene, available);
            assert!(course.breached || gained <= allowed, "{scheme:?}, seed {seed}: {gained} J");
            completed += u64::from(!course.breached && course.refused.is_none());
        }
        // The account must not cry wolf: what it reports are laws that gain energy and steps that resolve nothing.
        assert!(completed * 10 >= count * 8, "{scheme:?}: {completed} of {count} completed");
    }
}

/// In these scenes inelastic schemes gain nothing at all and are not suspected. In others they may gain when they
/// remove penetrations that a rod makes as it turns: 0.07 J by Stewart and Trinkle's scheme from the seed 1019.
#[test]
fn inelastic_schemes_gain_nothing() {
    for scheme in [Scheme::StewartTrinkle, Scheme::ImpulseVelocity] {
        for seed in 0..150 {
            let scene = Scene::random(seed);
            let course = scheme.follow(&scene, 1.0);
            assert!(!course.breached, "{scheme:?}, seed {seed}: {:?}", course.worst);
            let gained = course.largest() - course.energies[0];
            let allowed = of_a_step(&scene, available(&scene, &course));
            assert!(gained <= allowed, "{scheme:?}, seed {seed}: {gained} J");
        }
    }
}

/// From event to event the energy is that of the start, less what the account says.
#[test]
fn event_driven_motions_gain_nothing() {
    for seed in 0..scene_count(24) {
        let scene = Scene { restitution: 0.0, ..Scene::random(seed) };
        let course = Scheme::EventDriven.follow(&scene, 0.3);
        assert!(!course.breached, "seed {seed}");
        let gained = course.largest() - course.energies[0];
        // Tolerances of 1e-10 over some thousand steps.
        assert!(gained <= 1e-6 * (1.0 + course.energies[0].abs()), "seed {seed}: {gained} J");
    }
}

/// The explicit gyroscopic torque, which made 1385 J of 402 J.
#[test]
fn a_scheme_that_takes_the_gyroscopic_torque_explicitly_is_caught() {
    let mut scene = Scene::random(0);
    let inertia = nalgebra::Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
    scene.bodies = vec![percussion_dynamics::Body::new(1.0, inertia)];
    scene.spheres = vec![vec![]];
    scene.gravity = Vector3::zeros();
    scene.step = 0.01;
    scene.start = State {
        time: 0.0,
        coordinates: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        velocity: vec![0.0, 0.0, 0.0, 1.0, 20.0, 1.0],
    };
    for scheme in [Scheme::StewartTrinkle, Scheme::ImpulseVelocity] {
        let right = scheme.follow(&scene, 1.0);
        assert!(!right.breached, "{scheme:?}: {:?}", right.worst);
        let wrong = scheme.follow_model(&scene, scene.model_of(explicit(&scene)), 1.0);
        assert!(wrong.breached, "{scheme:?}: {:?}", wrong.worst);
        assert!(wrong.largest() > 1.2 * right.energies[0], "{scheme:?}: {}", wrong.largest());
    }
}

/// Rods among planes, whose energy grew by many powers of ten, are never reported as completed. With the implicit torque
/// it does not grow so: fast rods that turn by a radian and more in a step may gain when penetrations are removed.
#[test]
fn rods_among_planes_that_explode_are_caught() {
    let mut exploded = 0;
    for seed in 0..40 {
        let mut scene = Scene::random(seed);
        scene.start.velocity.iter_mut().for_each(|v| *v *= 3.0);
        let wrong =
            Scheme::ImpulseVelocity.follow_model(&scene, scene.model_of(explicit(&scene)), 1.0);
        let available = available(&scene, &wrong);
        let grown = wrong.largest() - wrong.energies[0] > 10.0 * available;
        assert!(!grown || wrong.breached, "seed {seed}: {} J", wrong.largest());
        exploded += usize::from(grown && wrong.largest() > 1e6 * (1.0 + available));
        let right = Scheme::ImpulseVelocity.follow(&scene, 1.0);
        let available = self::available(&scene, &right);
        let gained = right.largest() - right.energies[0];
        assert!(gained <= available, "seed {seed}: {gained} J of {available} J");
        assert!(right.breached || gained <= 0.2 * available, "seed {seed}: {gained} J");
    }
    assert!(exploded > 0, "no scene explodes");
}

/// A body that overlaps a plane by 5 cm at its start is thrown out at 50 m/s in a step of 1 ms.
#[test]
fn an_overlap_of_the_start_that_throws_a_body_out_is_caught() {
    let mut draws = Draws(7);
    let mut scene = Scene::random(0);
    while scene.bodies.len() != 1 {
        scene = Scene::random(draws.0);
        draws.0 += 1;
    }
    scene.start.velocity.fill(0.0);
    (scene.error_reduction, scene.step) = (1.0, 1e-3);
    let system = scene.system();
    let gaps = |scene: &Scene| {
        let q = &scene.start.coordinates;
        let gaps = scene.contacts().iter().map(|c| c.gap.gap(&system, q)).collect::<Vec<_>>();
        gaps.into_iter().fold(f64::INFINITY, f64::min)
    };
    scene.planes.truncate(1);
    scene.start.coordinates[2] -= gaps(&scene) + 0.05;
    assert!((gaps(&scene) + 0.05).abs() < 1e-12);
    let thrown = Scheme::ImpulseVelocity.follow(&scene, 0.1);
    assert!(thrown.breached, "{:?}", thrown.worst);
    // An overlap that is within the rounding of positions is not.
    scene.start.coordinates[2] += 0.05 - 1e-12;
    let rests = Scheme::ImpulseVelocity.follow(&scene, 0.1);
    assert!(!rests.breached, "{:?}", rests.worst);
}

/// Symptom: a rod wedged between a ball and leaning walls went from 47 J to 21 409 J within one step of 20 ms by the
/// variational scheme. Cause: within a piece of a step that was as short as rounding, closed contacts that overlapped
/// by 1e-12 m, as their tolerance allows, were to be parted. Expected: overlaps are removed at the rate of whole steps.
#[test]
fn closed_contacts_of_a_short_piece_are_not_thrown_apart() {
    let scene = Scene::random(39);
    let course = Scheme::Variational.follow(&scene, 1.0);
    assert!(!course.breached, "{:?}", course.worst);
    let gained = course.largest() - course.energies[0];
    assert!(gained <= 0.1 * available(&scene, &course), "{gained} J");
}

/// A thin rod that turns by more than a radian in a step is not resolved by the variational scheme: its energy goes up
/// and down by a third without any contact.
#[test]
fn motion_that_is_not_resolved_is_caught() {
    let scene = Scene::random(84);
    let course = Scheme::Variational.follow(&scene, 0.05);
    assert!(course.breached, "{:?}", course.worst);
    assert!(course.largest() > 1.3 * course.energies[0]);
}
