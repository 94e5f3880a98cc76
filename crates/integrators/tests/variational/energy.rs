//! The modified energy of smooth motion, and the ledger that keeps it through impacts.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Vector2, Vector3};
use percussion_dynamics::{
    Anchor, Articulated, Body, FreeBodies, Joint, Link, MassProperties, PlanarBodies, PlanarBody,
    constraint::{Distance, EqualityConstraint},
    gap::{Plane, Sphere, SpherePlane, SphereSphere},
};
use percussion_impact::propagative::Propagative;
use percussion_integrators::variational::Settings;
use percussion_integrators::{
    Contact, Drive, Force, Impact, Model, Simulation, variational::Variational,
};

use crate::support::{chain, ends_on_floor, floor, integrator, settings, state};

/// Largest distances of the energy and of the modified energy from their values at the start.
fn largest_errors(mut motion: Simulation<Variational>, steps: usize) -> [f64; 2] {
    let first = motion.modified_energy();
    let (mut start, mut worst) = (None, [0.0_f64; 2]);
    for _ in 0..steps {
        let report = motion.step().unwrap();
        let start = *start.get_or_insert(report.energy_before);
        worst[0] = worst[0].max((report.energy_after - start).abs());
        worst[1] = worst[1].max((motion.modified_energy() - first).abs());
    }
    worst
}

fn assert_orders(motion: impl Fn(f64) -> Simulation<Variational>, step: f64) {
    let (coarse, fine) =
        (largest_errors(motion(step), 500), largest_errors(motion(0.5 * step), 1000));
    let order = |k: usize| (coarse[k] / fine[k]).log2();
    assert!((order(0) - 2.0).abs() < 0.1, "{coarse:?} {fine:?}");
    assert!((order(1) - 4.0).abs() < 0.2, "{coarse:?} {fine:?}");
    assert!(coarse[1] < 0.1 * coarse[0], "{coarse:?}");
}

#[test]
fn the_modified_energy_of_a_triple_pendulum_is_kept_to_fourth_order() {
    let swing = |h| {
        let model = Model::lagrangian(Box::new(chain(3, false, 10.0)), vec![]).unwrap();
        integrator(model, settings(h), state(&[0.3, 0.5, -0.4], &[0.0, 1.0, -0.5]))
    };
    assert_orders(swing, 4e-3);
}

#[test]
fn the_modified_energy_of_a_closed_loop_is_kept_to_fourth_order() {
    let turn = |h| {
        let tip = Anchor::on_body(1, Vector3::new(1.0, 0.0, 0.0));
        let pivot = Anchor::in_world(Vector3::new(1.5, -0.5, 0.0));
        let q: [f64; 2] = [0.3, -0.9];
        let [x, y] = [q[0].cos() + (q[0] + q[1]).cos(), q[0].sin() + (q[0] + q[1]).sin()];
        let bar = Distance::new(tip, pivot, (x - 1.5).hypot(y + 0.5)).unwrap();
        let bars: Vec<Box<dyn EqualityConstraint>> = vec![Box::new(bar)];
        let model = Model::lagrangian(Box::new(chain(2, false, 10.0)), vec![]).unwrap();
        integrator(model.with_constraints(bars).unwrap(), settings(h), state(&q, &[0.0; 2]))
    };
    assert_orders(turn, 4e-3);
}

#[test]
fn the_modified_energy_of_a_tumbling_body_is_kept_to_fourth_order() {
    let tumble = |h| {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
        let body = Body::new(1.0, inertia);
        let model = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -10.0)).unwrap();
        let model = Model::free_bodies(model, vec![]).unwrap();
        let start = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        integrator(model, settings(h), state(&start, &[0.1, 0.0, 0.0, 0.3, 2.0, 0.1]))
    };
    assert_orders(tumble, 0.04);
}

/// Two hinged rods that bounce, with impacts that keep the share `restitution` of the normal velocity.
fn bouncing(restitution: f64, settings: Settings) -> Simulation<Variational> {
    let model = Model::lagrangian(Box::new(chain(2, true, 10.0)), ends_on_floor(2)).unwrap();
    let law = Box::new(Propagative { restitution, ..Propagative::default() });
    let start = state(&[0.0, 1.0, 0.3, -0.5], &[0.7, 0.0, 1.0, -1.0]);
    Simulation::<Variational>::with_law(model, law, settings, start).unwrap()
}

/// Largest distances from the start, over steps with impacts: of the energy, of the modified energy less what
/// the law has taken, and of the energy from the modified one.
fn largest_through_impacts(motion: &mut Simulation<Variational>, steps: usize) -> [f64; 3] {
    let first = motion.modified_energy();
    let (mut start, mut changes, mut worst) = (None, 0.0, [0.0_f64; 3]);
    for _ in 0..steps {
        let report = motion.step().unwrap();
        changes += report.impacts.iter().map(|impact| impact.energy_change).sum::<f64>();
        let (energy, modified) = (report.energy_after, motion.modified_energy());
        let start = *start.get_or_insert(report.energy_before);
        let errors = [energy - changes - start, modified - changes - first, energy - modified];
        worst = [0, 1, 2].map(|k| worst[k].max(errors[k].abs()));
    }
    worst
}

/// The example `variational_energy` takes a million steps of longer chains.
#[test]
fn the_energy_of_a_bouncing_chain_does_not_walk() {
    let [energy, modified, distance] =
        largest_through_impacts(&mut bouncing(1.0, settings(4e-3)), 10_000);
    // Without ledger the modified energy walks until it is as wrong as the energy.
    assert!(modified < 0.1 * energy, "{modified:e} of {energy:e} J");
    assert!(energy < 2.0 * distance + modified, "{energy:e} {distance:e} {modified:e}");

    let alone = Settings { correction_limit: 0.0, ..settings(4e-3) };
    let [energy, modified, _] = largest_through_impacts(&mut bouncing(1.0, alone), 10_000);
    assert!(modified > 0.5 * energy, "{modified:e} of {energy:e} J");
}

#[test]
fn the_ledger_takes_losses_as_the_law_has_them() {
    let [energy, modified, _] = largest_through_impacts(&mut bouncing(0.9, settings(2e-3)), 1000);
    assert!(modified < 0.1 * energy, "{modified:e} of {energy:e} J");
}

/// A ball on parabolas has no error of its own and does not pay for the oscillation of the energy of a pendulum
/// beside it; what it pays, because its impacts cut the steps of the pendulum, is of third order.
#[test]
fn a_ball_does_not_pay_for_the_pendulum_beside_it() {
    let rod = MassProperties::solid_box(1.0, &Vector3::new(1.0, 0.1, 0.1)).unwrap();
    let rod = rod.translated(&Vector3::new(0.5, 0.0, 0.0));
    let pendulum = Link::new("pendulum", Joint::revolute(Vector3::z())).with_mass(rod);
    let ball = MassProperties::point(1.0).unwrap();
    let ball = Link::new("ball", Joint::prismatic(Vector3::y())).with_mass(ball);
    let system = Articulated::new(vec![pendulum, ball], Vector3::new(0.0, -10.0, 0.0)).unwrap();
    let tip = SpherePlane::new(Sphere::on_body(1, Vector3::zeros(), 0.0), floor()).unwrap();
    let model = Model::lagrangian(Box::new(system), vec![Contact::new(tip, 0.0)]).unwrap();
    let mut motion = integrator(model, settings(0.01), state(&[0.4, 0.01], &[0.0, 0.0]));
    let (mut impacts, mut first, mut of_all, mut of_ball) = (0, None, 0.0_f64, 0.0_f64);
    for _ in 0..2000 {
        let report = motion.step().unwrap();
        let first = *first.get_or_insert(report.energy_before);
        of_all = of_all.max((report.energy_after - first).abs());
        let (height, speed) = (motion.state().coordinates[1], motion.state().velocity[1]);
        of_ball = of_ball.max((0.5 * speed * speed + 10.0 * height - 0.1).abs());
        impacts += report.impacts.len();
    }
    assert!(impacts > 100, "{impacts}");
    assert!(of_ball < 0.2 * of_all, "{of_ball:e} of {of_all:e} J");
}

/// Three balls on strings that touch at the bottom, the last on a short string, so that the first passes its energy
/// on to a motion of another modified energy.
#[test]
fn a_corrected_impact_leaves_balls_that_rest_side_by_side() {
    let link = |(i, length): (usize, f64)| {
        let ball = MassProperties::point(1.0).unwrap();
        let at = Isometry3::translation(0.2 * i as f64, length, 0.0);
        Link::new(i.to_string(), Joint::revolute(Vector3::z()))
            .at(at)
            .with_mass(ball.translated(&Vector3::new(length, 0.0, 0.0)))
    };
    let lengths = [1.0, 1.0, 0.5];
    let links = lengths.into_iter().enumerate().map(link).collect();
    let system = Articulated::new(links, Vector3::new(0.0, -10.0, 0.0)).unwrap();
    let ball = |i: usize| Sphere::on_body(i, Vector3::new(lengths[i], 0.0, 0.0), 0.1);
    let pair = |i| Contact::new(SphereSphere::new(ball(i), ball(i + 1)).unwrap(), 0.0);
    let model = Model::lagrangian(Box::new(system), vec![pair(0), pair(1)]).unwrap();
    let start = state(&[-0.5 * PI - 0.7, -0.5 * PI, -0.5 * PI], &[0.0; 3]);
    let mut motion = integrator(model, settings(0.02), start);
    let mut impacts = Vec::new();
    motion.run(0.6, |_, report| impacts.extend(report.impacts.clone())).unwrap();
    assert_eq!(impacts.len(), 1);
    let Impact { velocity_after: after, impulses, correction, .. } = &impacts[0];
    assert!(impulses.iter().all(|percussion| *percussion > 0.0), "{impulses:?}");
    assert!((after[0] - after[1]).abs() < 1e-12, "{after}");
    // `h²/24 · (g/l' − g/l) v²` more than the energy `½ v²`, of which two thirds are normal motion.
    let expected = 0.5 * 1.5 * 0.02_f64.powi(2) / 12.0 * 10.0;
    assert!(((correction - 1.0) / expected - 1.0).abs() < 0.05, "{correction}");
}

#[test]
fn models_that_are_not_conservative_have_no_ledger() {
    let damped = Joint::planar().with_damping(&[0.0, 0.0, 0.01]);
    let rod = MassProperties::solid_box(1.0, &Vector3::new(1.0, 0.1, 0.1)).unwrap();
    let link = Link::new("rod", damped).with_mass(rod);
    let system = Articulated::new(vec![link], Vector3::new(0.0, -10.0, 0.0)).unwrap();
    let tips = || {
        let tip = |x| {
            let tip = Sphere::on_body(0, Vector3::new(x, 0.0, 0.0), 0.0);
            Contact::new(SpherePlane::new(tip, floor()).unwrap(), 0.0)
        };
        vec![tip(-0.5), tip(0.5)]
    };
    let damped = Model::lagrangian(Box::new(system), tips()).unwrap();
    let idle = Drive {
        index: 2,
        position: 0.0,
        speed: 0.0,
        since: 0.0,
        proportional: 0.0,
        derivative: 0.0,
    };
    let drives: Vec<Box<dyn Force>> = vec![Box::new(idle)];
    let driven = Model::lagrangian(Box::new(chain(1, true, 10.0)), ends_on_floor(1)).unwrap();
    for model in [damped, driven.with_forces(drives)] {
        assert!(!model.is_conservative());
        let start = state(&[0.0, 1.0, 0.3], &[0.0, 0.0, 2.0]);
        let mut motion = integrator(model, settings(0.01), start);
        let mut impacts = Vec::new();
        motion.run(1.0, |_, report| impacts.extend(report.impacts.clone())).unwrap();
        assert!(!impacts.is_empty());
        let untouched = |i: &Impact| (i.energy_error, i.correction) == (0.0, 1.0);
        assert!(impacts.iter().all(untouched));
    }
}

/// The ball beside it keeps its height to rounding: what friction takes is not asked back.
#[test]
fn friction_starts_the_ledger_anew() {
    let body = PlanarBody::new(1.0, 1.0);
    let bodies = PlanarBodies::new(vec![body; 2], Vector2::new(0.0, -10.0)).unwrap();
    let on_floor = |i, friction| {
        Contact::new(SpherePlane::new(Sphere::of_body(i, 0.0), floor()).unwrap(), friction)
    };
    let contacts = vec![on_floor(0, 0.5), on_floor(1, 0.0)];
    let model = Model::lagrangian(Box::new(bodies), contacts).unwrap();
    let start = state(&[0.0, 0.0, 0.0, 0.0, 0.05, 0.0], &[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let mut motion = integrator(model, settings(0.01), start);
    let mut impacts = 0;
    motion
        .run(1.0, |state, report| {
            impacts += report.impacts.len();
            let energy = 0.5 * state.velocity[4].powi(2) + 10.0 * state.coordinates[4];
            assert!((energy - 0.5).abs() < 1e-9, "{energy}");
        })
        .unwrap();
    assert!(impacts >= 5 && motion.state().velocity[0].abs() < 1e-12, "{impacts}");
}

/// A body runs along one wall into another, 60° from it. Its speed stays, but not its speed along the spring: a
/// weak spring along the first wall loses modified energy, one across it gains.
#[test]
fn a_correction_that_would_pull_is_left_to_the_next_impact() {
    let impact = |stiffness: [f64; 3]| {
        let joint = Joint::planar().with_spring(&stiffness, &[0.0; 3]);
        let ball = MassProperties::solid_sphere(1.0, 0.1).unwrap();
        let system =
            Articulated::new(vec![Link::new("ball", joint).with_mass(ball)], Vector3::zeros());
        let normals = [Vector3::y(), Vector3::new(0.75_f64.sqrt(), 0.5, 0.0)];
        let wall = |normal| {
            let plane = Plane::new(&normal, &Vector3::zeros()).unwrap();
            Contact::new(
                SpherePlane::new(Sphere::on_body(0, Vector3::zeros(), 0.0), plane).unwrap(),
                0.0,
            )
        };
        let model = Model::lagrangian(Box::new(system.unwrap()), normals.map(wall).into()).unwrap();
        let mut motion = integrator(model, settings(0.1), state(&[0.0; 3], &[-1.0, 0.0, 0.0]));
        motion.step().unwrap().impacts[0].clone()
    };
    let left = impact([1.0, 0.0, 0.0]);
    // `h²/24 · k · (1 − ¼)` of the squared speeds along the spring.
    assert!((left.energy_error - 0.75 * 0.01 / 24.0).abs() < 1e-12, "{left:?}");
    assert_eq!((left.correction, left.impulses[0]), (1.0, 0.0));
    let corrected = impact([0.0, 1.0, 0.0]);
    assert!((corrected.energy_error + 0.75 * 0.01 / 24.0).abs() < 1e-12, "{corrected:?}");
    assert!(corrected.correction > 1.0 && corrected.impulses.iter().all(|push| *push > 0.0));
}
