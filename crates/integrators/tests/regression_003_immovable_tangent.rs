//! Friction where a body cannot move along one of the tangents of its contact.
//!
//! Symptom: under Stewart–Trinkle a block on rails stuck for every friction coefficient, also for zero, and the step counted as
//! solved. Cause: responses to friction across the rails were rounding of 1e-33 instead of zero; Lemke's method took an
//! impulse of any size from them, and the residual was measured relative to it.
//! Expected: the block accelerates with `g_x − μ g_z`, for any number of friction directions and any direction of the
//! tangents.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::Vector3;
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{Contact, Model, State, schemes::Choice, stewart_trinkle};

#[test]
fn a_block_on_rails_feels_its_friction() {
    let gravity = Vector3::new(5.0, 0.0, -10.0);
    for turn in [0.0_f64, 0.3, 1.0, 2.0] {
        for directions in [4, 6, 8, 10, 16] {
            for friction in [0.0, 1e-6, 0.1, 0.3, 0.6] {
                let carrier = Link::new("carrier", Joint::prismatic(Vector3::x()))
                    .with_mass(MassProperties::point(1.0).unwrap());
                let block = Link::new("block", Joint::prismatic(Vector3::z()))
                    .on("carrier")
                    .with_mass(MassProperties::point(2.0).unwrap());
                let system = Articulated::new(vec![carrier, block], gravity).unwrap();
                let tangent = Vector3::new(turn.cos(), turn.sin(), 0.0);
                let floor =
                    Plane::with_tangent(&Vector3::z(), &Vector3::zeros(), &tangent).unwrap();
                let gap = SpherePlane::new(Sphere::of_body(1, 0.0), floor).unwrap();
                let model =
                    Model::new(Box::new(system), vec![Contact::new(gap, friction)]).unwrap();
                let settings = stewart_trinkle::Settings { directions, ..Default::default() };
                let scheme = Choice::StewartTrinkle(settings).with_step_size(0.01);
                let start = State { time: 0.0, coordinates: vec![0.0; 2], velocity: vec![0.0; 2] };
                let mut motion = scheme.begin(model, start).unwrap();
                motion.run(0.1, |_, _| ()).unwrap();
                // Of 3 kg, only 2 press on the floor.
                let expected = 0.1 * (5.0 - friction * 2.0 * 10.0 / 3.0).max(0.0);
                let speed = motion.state().velocity[0];
                // A polygon of `k` corners that may point elsewhere has at least `cos(π/k)` of the friction.
                let slack = 0.1 * friction * 20.0 / 3.0
                    * (1.0 - (std::f64::consts::PI / directions as f64).cos());
                assert!(
                    speed >= expected - 1e-9 && speed <= expected + slack + 1e-9,
                    "turn {turn}, {directions} directions, friction {friction}: {speed} m/s for {expected}"
                );
            }
        }
    }
}
