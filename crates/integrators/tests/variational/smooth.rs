//! Motion without contacts: order, energy, momentum, forces, loops.

use std::f64::consts::PI;

use nalgebra::{DMatrix, Vector2, Vector3};
use percussion_dynamics::{
    Anchor, Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody, System,
    constraint::{BallJoint, Distance, EqualityConstraint},
};
use percussion_integrators::{Drive, Force, Model, Simulation, State, variational::Variational};

use crate::support::{chain, integrator, settings, state};

/// The state of a triple pendulum after 1 s in `count` steps.
fn swung(count: u32) -> State {
    let model = Model::lagrangian(Box::new(chain(3, false, 10.0)), vec![]).unwrap();
    let start = state(&[0.3, 0.5, -0.4], &[0.0, 1.0, -0.5]);
    let mut motion = integrator(model, settings(1.0 / f64::from(count)), start);
    motion
        .run(1.0, |_, report| assert!(report.relative_residual <= 1e-10, "more than rounding"))
        .unwrap();
    motion.state().clone()
}

#[test]
fn the_error_falls_with_the_square_of_the_step() {
    let exact = swung(12_800);
    let error = |count| {
        let found = swung(count);
        let apart =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        apart(&found.coordinates, &exact.coordinates).max(apart(&found.velocity, &exact.velocity))
    };
    // The next term of the error, of order 4, is 1/50 of the first at 100 steps and the reference is
    // off by (1/16)² of the finer error: together a hundredth of the order at 400 and 800.
    let order = (error(400) / error(800)).log2();
    assert!((order - 2.0).abs() < 0.02, "order {order}");
}

#[test]
fn the_energy_of_a_pendulum_stays_within_the_square_of_the_step() {
    // 10⁶ steps are run by the bench.
    let largest = |h: f64| {
        let model = Model::lagrangian(Box::new(chain(1, false, 10.0)), vec![]).unwrap();
        let mut motion = integrator(model, settings(h), state(&[0.4], &[0.0]));
        let mut energies = Vec::new();
        motion.run(20_000.0 * h, |_, report| energies.push(report.energy_after)).unwrap();
        let first = energies[0];
        let halves = energies.split_at(energies.len() / 2);
        let error = |part: &[f64]| part.iter().map(|e| (e - first).abs()).fold(0.0, f64::max);
        let (early, late) = (error(halves.0), error(halves.1));
        // No drift: the second half is no worse than the first but for how the steps fall.
        assert!(late < 1.01 * early, "{late:e} after {early:e} J");
        early
    };
    let (coarse, fine) = (largest(0.02), largest(0.01));
    assert!((coarse / fine - 4.0).abs() < 0.1, "{coarse:e}, {fine:e}");
}

#[test]
fn the_motion_is_reversible() {
    let model = || Model::lagrangian(Box::new(chain(3, false, 10.0)), vec![]).unwrap();
    let start = state(&[0.3, 0.5, -0.4], &[0.7, 1.0, -0.5]);
    let mut there = integrator(model(), settings(0.01), start.clone());
    there.run(1.0, |_, _| ()).unwrap();
    let mut turned = there.state().clone();
    turned.velocity.iter_mut().for_each(|v| *v = -*v);
    let mut back = integrator(model(), settings(0.01), State { time: 0.0, ..turned });
    back.run(1.0, |_, _| ()).unwrap();
    // 200 steps of residuals of 1e-13, magnified by the motion.
    for (found, expected) in back.state().coordinates.iter().zip(&start.coordinates) {
        assert!((found - expected).abs() < 1e-10);
    }
}

#[test]
fn a_free_chain_keeps_its_momentum_to_the_last_bits() {
    let model = Model::lagrangian(Box::new(chain(4, true, 0.0)), vec![]).unwrap();
    let start = state(&[0.0, 0.0, 0.2, 0.5, -1.0, 0.3], &[1.0, 0.5, 2.0, -3.0, 1.0, 4.0]);
    let mut motion = integrator(model, settings(0.01), start);
    let momentum = |motion: &Simulation<Variational>| {
        let (q, p) = (&motion.state().coordinates, motion.momentum());
        [p[0], p[1], q[0] * p[1] - q[1] * p[0] + p[2]]
    };
    let before = momentum(&motion);
    for _ in 0..1000 {
        motion.step().unwrap();
    }
    let after = momentum(&motion);
    assert_eq!(before[..2], after[..2]);
    assert!((before[2] - after[2]).abs() < 1e-12 * before[2].abs(), "{before:?} {after:?}");
}

/// `x'' = −ω² x` by the midpoint rule turns the phase by `2 atan(ω h/2)` a step.
#[test]
fn an_oscillator_has_the_frequency_of_the_midpoint_rule() {
    let joint = Joint::prismatic(Vector3::x()).with_spring(&[8.0], &[0.0]);
    let mass = MassProperties::point(2.0).unwrap();
    let system = Articulated::new(vec![Link::new("m", joint).with_mass(mass)], Vector3::zeros());
    let model = Model::lagrangian(Box::new(system.unwrap()), vec![]).unwrap();
    let (h, omega) = (0.1, 2.0_f64);
    let mut motion = integrator(model, settings(h), state(&[1.0], &[0.0]));
    for _ in 0..100 {
        motion.step().unwrap();
    }
    let phase = 100.0 * 2.0 * (0.5 * omega * h).atan();
    assert!((motion.state().coordinates[0] - phase.cos()).abs() < 1e-12);
    assert!((motion.state().velocity[0] + omega * phase.sin()).abs() < 1e-12);
}

/// `v' = (1 − c h/2m)/(1 + c h/2m) v` by the midpoint rule.
#[test]
fn a_damper_takes_the_share_of_the_midpoint_rule() {
    let joint = Joint::prismatic(Vector3::x()).with_damping(&[4.0]);
    let mass = MassProperties::point(2.0).unwrap();
    let system = Articulated::new(vec![Link::new("m", joint).with_mass(mass)], Vector3::zeros());
    let model = Model::lagrangian(Box::new(system.unwrap()), vec![]).unwrap();
    let mut motion = integrator(model, settings(0.1), state(&[0.0], &[1.0]));
    motion.step().unwrap();
    assert!((motion.state().velocity[0] - 0.9 / 1.1).abs() < 1e-14);
}

#[test]
fn a_drive_brings_a_joint_to_its_path() {
    let drive = Drive {
        index: 0,
        position: 0.5,
        speed: 2.0,
        since: 0.0,
        proportional: 400.0,
        derivative: 40.0,
    };
    let forces: Vec<Box<dyn Force>> = vec![Box::new(drive)];
    let model =
        Model::lagrangian(Box::new(chain(1, false, 0.0)), vec![]).unwrap().with_forces(forces);
    let mut motion = integrator(model, settings(0.01), state(&[0.0], &[0.0]));
    motion.run(3.0, |_, _| ()).unwrap();
    // The slowest rate is some 11 per second, and e⁻³³ is far below what is asked.
    assert!((motion.state().coordinates[0] - 6.5).abs() < 1e-10);
    assert!((motion.state().velocity[0] - 2.0).abs() < 1e-10);
    motion.set_forces(vec![]);
    motion.run(4.0, |_, _| ()).unwrap();
    assert!((motion.state().velocity[0] - 2.0).abs() < 1e-10);
}

/// A rod hung up by a constraint moves like one hung up by a joint.
#[test]
fn a_constraint_does_what_a_joint_does() {
    let rod = PlanarBody::new(1.0, (1.0 + 0.01) / 12.0);
    let free = PlanarBodies::new(vec![rod], Vector2::new(0.0, -10.0)).unwrap();
    let end = Anchor::on_body(0, Vector3::new(-0.5, 0.0, 0.0));
    let pin = BallJoint::new(end, Anchor::in_world(Vector3::zeros())).unwrap();
    let pins: Vec<Box<dyn EqualityConstraint>> = vec![Box::new(pin)];
    let model = Model::lagrangian(Box::new(free), vec![]).unwrap().with_constraints(pins).unwrap();
    let angle = 0.4_f64;
    let start = state(&[0.5 * angle.cos(), 0.5 * angle.sin(), angle], &[0.0; 3]);
    let mut hung = integrator(model, settings(1e-3), start);
    let joined = Model::lagrangian(Box::new(chain(1, false, 10.0)), vec![]).unwrap();
    let mut joined = integrator(joined, settings(1e-3), state(&[angle], &[0.0]));
    hung.run(1.0, |_, report| assert!(report.constraint_error <= 1e-12)).unwrap();
    joined.run(1.0, |_, _| ()).unwrap();
    // Two schemes of second order.
    let apart = hung.state().coordinates[2] - joined.state().coordinates[0];
    assert!(apart.abs() < 2e-5, "{apart}");
}

/// A four-bar linkage closed by a rod of constant length keeps its length, and its energy to second order.
#[test]
fn a_closed_loop_keeps_its_energy() {
    let system = chain(2, false, 10.0);
    let tip = Anchor::on_body(1, Vector3::new(1.0, 0.0, 0.0));
    let pivot = Anchor::in_world(Vector3::new(1.5, -0.5, 0.0));
    let q = [0.3, -0.9];
    let mut row = DMatrix::zeros(1, 2);
    let mut value = [0.0];
    let distance = |length| Distance::new(tip, pivot, length).unwrap();
    distance(1.0).evaluate(&system, &q, &mut value, &mut row, 0);
    // The equation is a difference of squares or of lengths; either way its root is found by halving.
    let (mut low, mut high) = (1e-3, 10.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        distance(middle).evaluate(&system, &q, &mut value, &mut row, 0);
        if value[0] > 0.0 { low = middle } else { high = middle }
    }
    let before = system.energy(&q, &[0.0; 2]);
    let worst = |h: f64| {
        let loops: Vec<Box<dyn EqualityConstraint>> = vec![Box::new(distance(low))];
        let model = Model::lagrangian(Box::new(system.clone()), vec![]).unwrap();
        let model = model.with_constraints(loops).unwrap();
        let mut motion = integrator(model, settings(h), state(&q, &[0.0; 2]));
        let mut worst = 0.0_f64;
        motion
            .run(3.0, |_, report| {
                worst = worst.max((report.energy_after - before).abs());
                assert!(report.constraint_error <= 1e-12);
            })
            .unwrap();
        worst
    };
    let (coarse, fine) = (worst(1e-3), worst(5e-4));
    assert!(((coarse / fine).log2() - 2.0).abs() < 0.05, "{coarse:e} {fine:e}");
}

#[test]
fn the_period_of_a_pendulum_is_that_of_the_elliptic_integral() {
    // A rod about its end: ω₀² = 3 g/(2 l) but for the square of its width; K(sin 30°) = 1.6857503548.
    let omega = (10.0 * 0.5 / (1.01 / 12.0 + 0.25_f64)).sqrt();
    let quarter = 1.685_750_354_812_596 / omega;
    let model = Model::lagrangian(Box::new(chain(1, false, 10.0)), vec![]).unwrap();
    let count = 2000;
    let mut motion = integrator(
        model,
        settings(quarter / f64::from(count)),
        state(&[-PI / 2.0 + PI / 3.0], &[0.0]),
    );
    for _ in 0..count {
        motion.step().unwrap();
    }
    // (ω h)²/24 of the phase, 1e-7.
    assert!((motion.state().coordinates[0] + PI / 2.0).abs() < 1e-6);
}
