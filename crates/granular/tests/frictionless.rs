//! Contacts without friction never pull and never rub, whatever law the other contacts have.
//!
//! Judged from the definitions and from what a step reports: the part of an impulse along its normal is not negative, what is
//! left of it is rounding, and the momentum of all bodies changes by gravity and these impulses alone.

use std::sync::Arc;

use nalgebra::{UnitQuaternion, Vector3};
use percussion_complementarity::friction::Law;
use percussion_granular::bodies::{Ball, Bodies, Body, Boundary, Form, Partner, Settings};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALID: &str = "valid bodies that move slowly";

/// Clumps and bricks, packed so that many touch, between planes; a third of all forms has no friction.
fn world(law: Law, seed: u64) -> Bodies {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let forms: Vec<_> = [0.0, 0.4, 0.9]
        .into_iter()
        .flat_map(|friction| {
            let ball = |x: f64| Ball { center: Vector3::new(x, 0.0, 0.0), radius: 0.08 };
            let clump = Form::clump(&[ball(-0.05), ball(0.05)], 1500.0, friction);
            let brick = Form::cuboid(Vector3::new(0.1, 0.08, 0.06), 2.0, friction);
            [Arc::new(clump.expect(VALID)), Arc::new(brick.expect(VALID))]
        })
        .collect();
    let size = 0.72;
    let planes = (0..3).flat_map(|axis| {
        let normal = Vector3::from_fn(|k, _| if k == axis { 1.0 } else { 0.0 });
        [(Vector3::zeros(), normal), (Vector3::repeat(size), -normal)]
    });
    let planes = planes.enumerate().map(|(k, (point, normal))| {
        let friction = if k % 2 == 0 { 0.0 } else { 0.5 };
        Boundary::plane(point, normal, friction).expect(VALID)
    });
    let settings = Settings { law, step_size: 5e-3, ..Settings::default() };
    let mut bodies = Bodies::new(settings, planes.collect()).expect(VALID);
    for k in 0_u32..27 {
        let node = Vector3::new(k % 3, k / 3 % 3, k / 9).map(f64::from);
        let mut vector = |most: f64| Vector3::from_fn(|_, _| random.random_range(-most..most));
        let body = Body {
            orientation: UnitQuaternion::from_scaled_axis(vector(3.0)),
            velocity: vector(2.0),
            angular_velocity: vector(10.0),
            ..Body::at(&forms[(k % 6) as usize], 0.24 * (node + Vector3::repeat(0.5)))
        };
        bodies.add(body).expect(VALID);
    }
    bodies
}

#[test]
fn frictionless_contacts_neither_pull_nor_rub() {
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        let (mut frictionless, mut pushing) = (0, 0);
        for seed in 0..4 {
            let mut bodies = world(law, seed);
            for _ in 0..40 {
                let momentum = |bodies: &Bodies| -> Vector3<f64> {
                    bodies.bodies().iter().map(Body::momentum).sum()
                };
                let mass: f64 = bodies.bodies().iter().map(|body| body.form.mass()).sum();
                let before = momentum(&bodies);
                bodies.step().expect(VALID);
                let mut change = 5e-3 * mass * Settings::default().gravity;
                let mut total = before.norm() + change.norm();
                for touch in bodies.touches() {
                    let size = touch.impulse.norm();
                    if matches!(touch.partner, Partner::Boundary(_)) {
                        change += touch.impulse;
                    }
                    total += size;
                    // A turn into the frame and out of it leaves roundings of the whole impulse.
                    let rounding = 1e-14 * size;
                    let push = touch.impulse.dot(&touch.normal);
                    assert!(
                        push >= -rounding,
                        "{law:?} {seed}: {push:e} of {size:e} at {}",
                        touch.friction
                    );
                    if touch.friction == 0.0 {
                        let rub = (touch.impulse - push * touch.normal).norm();
                        assert!(rub <= rounding, "{law:?} {seed}: {rub:e} of {size:e}");
                        frictionless += 1;
                        pushing += usize::from(push > 0.0);
                    }
                }
                // Every contact is added to two bodies, some hundred times in the sweeps.
                let error = momentum(&bodies) - before - change;
                assert!(error.norm() <= 1e-11 * total, "{law:?} {seed}: {error} of {total}");
            }
        }
        assert!(frictionless > 1000 && pushing > 300, "{law:?}: {frictionless} {pushing}");
    }
}
