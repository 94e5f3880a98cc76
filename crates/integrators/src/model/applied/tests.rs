//! Motions under an applied force against closed forms.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};

use super::AppliedForceError;
use crate::{
    Contact, Model, State,
    schemes::{Choice, Name},
    stewart_trinkle,
};

/// A block of 2 kg on a floor with `μ = 0.5` at 10 m/s².
fn block() -> Model {
    let block =
        PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0)).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let foot = SpherePlane::new(Sphere::of_body(0, 0.0), floor).unwrap();
    Model::new(Box::new(block), vec![Contact::new(foot, 0.5)]).unwrap()
}

fn rest() -> State {
    State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0; 3] }
}

#[test]
fn a_block_slides_once_the_push_is_above_its_friction() {
    for scheme in Choice::all().into_iter().filter(|scheme| scheme.name() != Name::Variational) {
        let scheme = match scheme {
            Choice::StewartTrinkle(_) => {
                Choice::StewartTrinkle(stewart_trinkle::Settings::planar())
            }
            other => other,
        };
        let (model, push) = block().with_applied_force();
        let mut motion = scheme.with_step_size(0.01).begin(model, rest()).unwrap();
        push.set(&[9.0, 0.0, 0.0]).unwrap();
        motion.run(0.2, |_, _| ()).unwrap();
        assert!(motion.state().velocity[0].abs() < 1e-10, "{}: 9 N are held", scheme.name());
        push.set(&[14.0, 0.0, 0.0]).unwrap();
        let mut breached = false;
        motion.run(0.7, |_, report| breached |= report.energy.is_breached()).unwrap();
        // (14 − 10) N on 2 kg for 0.5 s.
        let speed = motion.state().velocity[0];
        assert!((speed - 1.0).abs() < 1e-9, "{}: {speed}", scheme.name());
        assert!(!breached, "{}: the push does the work that the block gains", scheme.name());
    }
}

#[test]
fn without_a_force_the_bits_are_those_of_the_model() {
    let spinning = || {
        let properties = MassProperties::solid_box(2.0, &Vector3::new(0.1, 0.2, 0.3)).unwrap();
        let bodies = vec![Body::from_mass_properties(&properties)];
        let bodies = FreeBodies::new(bodies, Vector3::new(0.0, 0.0, -10.0)).unwrap();
        Model::free_bodies(bodies, vec![]).unwrap()
    };
    let start = State {
        time: 0.0,
        coordinates: vec![0.0, 0.0, 9.0, 1.0, 0.0, 0.0, 0.0],
        velocity: vec![0.0, 0.0, 0.0, 1.0, 9.0, 1.0],
    };
    let end = |model: Model| {
        let scheme = Name::ImpulseVelocity.stepping().unwrap().with_step_size(0.01);
        let mut motion = scheme.begin(model, start.clone()).unwrap();
        motion.run(0.3, |_, _| ()).unwrap();
        motion.state().clone()
    };
    let (driven, force) = spinning().with_applied_force();
    assert_eq!(end(driven), end(spinning()));
    let (driven, again) = spinning().with_applied_force();
    again.set(&[0.0, 0.0, 20.0, 0.0, 0.0, 0.0]).unwrap();
    let floating = end(driven);
    assert!(floating.velocity[2].abs() < 1e-12, "20 N hold 2 kg: {}", floating.velocity[2]);
    drop(force);
}

#[test]
fn forces_that_are_none_are_refused_and_the_one_before_stays() {
    let (_, force) = block().with_applied_force();
    let length = AppliedForceError::Length { expected: 3, found: 2 };
    assert_eq!(force.set(&[1.0; 2]), Err(length));
    let error = force.set(&[1.0, f64::INFINITY, 0.0]).unwrap_err();
    assert_eq!(error.to_string(), "applied force[1] is inf, expected a finite number");
}
