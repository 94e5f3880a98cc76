//! What is refused, and that nothing has moved then.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    Anchor, Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody,
    constraint::{BallJoint, EqualityConstraint},
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::variational::Settings;
use percussion_integrators::{
    Contact, Error, Force, Model, ModelError, Simulation, State, variational::Variational,
};

use crate::support::{chain, elastic, ends_on_floor, floor, settings, state};

fn rod() -> Model {
    Model::lagrangian(Box::new(chain(1, true, 10.0)), ends_on_floor(1)).unwrap()
}

fn refused(settings: Settings, state: State) -> Error {
    Simulation::<Variational>::with_law(rod(), elastic(), settings, state).unwrap_err()
}

#[test]
fn every_setting_out_of_range_is_named() {
    let start = state(&[0.0, 1.0, 0.0], &[0.0; 3]);
    let good = Settings::default();
    let cases = [
        ("step_size", Settings { step_size: 0.0, ..good }),
        ("step_size", Settings { step_size: f64::NAN, ..good }),
        ("gap_tolerance", Settings { gap_tolerance: Some(-1.0), ..good }),
        ("rest_speed", Settings { rest_speed: Some(f64::INFINITY), ..good }),
        ("tolerance", Settings { tolerance: 1.0, ..good }),
        ("touching", Settings { touching: Some(1e-13), ..good }),
        ("newton_limit", Settings { newton_limit: 0, ..good }),
        ("impact_limit", Settings { impact_limit: 0, ..good }),
        ("step_limit", Settings { step_limit: 0, ..good }),
        ("directions", Settings { directions: 5, ..good }),
        ("correction_limit", Settings { correction_limit: 1.0, ..good }),
        ("correction_limit", Settings { correction_limit: f64::NAN, ..good }),
    ];
    for (expected, settings) in cases {
        match refused(settings, start.clone()) {
            Error::Setting { name, .. } => assert_eq!(name, expected),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn bad_starts_are_refused() {
    let good = Settings::default();
    let start = |q: &[f64], v: &[f64]| refused(good, state(q, v));
    assert!(matches!(start(&[0.0; 2], &[0.0; 3]), Error::Model(ModelError::Coordinates(_))));
    let error = start(&[0.0, 1.0, 0.0], &[0.0, f64::INFINITY, 0.0]);
    assert!(matches!(error, Error::Model(ModelError::Velocity { index: 1, .. })));
    let error = start(&[0.0, -0.1, 0.0], &[0.0; 3]);
    assert!(matches!(error, Error::InitialPenetration { contact: 0, .. }));
}

#[test]
fn bad_models_are_refused() {
    let ball = MassProperties::solid_sphere(1.0, 0.1).unwrap();
    let link = Link::new("ball", Joint::free()).with_mass(ball);
    let floating = Articulated::new(vec![link], Vector3::zeros()).unwrap();
    let model = Model::lagrangian(Box::new(floating), vec![]).unwrap();
    let upright = state(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0; 6]);
    let begin = |model| Simulation::<Variational>::new(model, settings(0.1), upright.clone());
    let error = begin(model).unwrap_err();
    assert!(matches!(error, Error::Quaternions { coordinates: 7, velocities: 6 }));

    let body = || {
        let body = PlanarBody::new(1.0, 1.0);
        Box::new(PlanarBodies::new(vec![body], Vector2::zeros()).unwrap())
    };
    let touching = |body: usize| {
        Contact::new(SpherePlane::new(Sphere::of_body(body, 0.1), floor()).unwrap(), 0.0)
    };
    let error = Model::lagrangian(body(), vec![touching(3)]).unwrap_err();
    assert!(matches!(error, ModelError::Gap { contact: 0, .. }));
    let pin = |body| {
        let anchor = Anchor::on_body(body, Vector3::zeros());
        BallJoint::new(anchor, Anchor::in_world(Vector3::x())).unwrap()
    };
    let pins = |body| -> Vec<Box<dyn EqualityConstraint>> { vec![Box::new(pin(body))] };
    let error = Model::lagrangian(body(), vec![]).unwrap().with_constraints(pins(7)).unwrap_err();
    assert!(matches!(error, ModelError::Constraint { constraint: 0, .. }));
    let apart = Model::lagrangian(body(), vec![]).unwrap().with_constraints(pins(0)).unwrap();
    let error = Simulation::<Variational>::with_law(
        apart,
        elastic(),
        settings(0.1),
        state(&[0.0; 3], &[0.0; 3]),
    )
    .unwrap_err();
    assert!(matches!(error, Error::InitialConstraint { constraint: 0, .. }));
}

#[test]
fn dependent_constraints_are_an_error_of_the_step() {
    let body = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -1.0)).unwrap();
    let pin = || {
        let anchor = Anchor::on_body(0, Vector3::zeros());
        let pin = BallJoint::new(anchor, Anchor::in_world(Vector3::zeros())).unwrap();
        Box::new(pin) as Box<dyn EqualityConstraint>
    };
    let model = Model::lagrangian(Box::new(body), vec![])
        .unwrap()
        .with_constraints(vec![pin(), pin()])
        .unwrap();
    let mut motion = Simulation::<Variational>::with_law(
        model,
        elastic(),
        settings(0.1),
        state(&[0.0; 3], &[0.0; 3]),
    )
    .unwrap();
    assert!(matches!(motion.step().unwrap_err(), Error::Singular { .. }));
}

#[derive(Debug)]
struct Broken;

impl Force for Broken {
    fn add(&self, _: &[f64], _: &[f64], time: f64, force: &mut [f64]) {
        force[0] = if time > 0.5 { f64::NAN } else { 0.0 };
    }
}

#[test]
fn a_step_that_fails_leaves_the_state() {
    let model = rod().with_forces(vec![Box::new(Broken)]);
    let start = state(&[0.0, 9.0, 0.0], &[0.1, 0.0, 2.0]);
    let mut motion =
        Simulation::<Variational>::with_law(model, elastic(), settings(0.1), start).unwrap();
    let error = motion.run(1.0, |_, _| ()).unwrap_err();
    assert!(matches!(error, Error::NotFinite { quantity: "momentum", .. }), "{error}");
    let (state, momentum) = (motion.state().clone(), motion.momentum().clone());
    assert!((state.time - 0.5).abs() < 1e-12);
    assert!(motion.step().is_err());
    assert_eq!((&state, &momentum), (motion.state(), motion.momentum()));
}

#[test]
fn limits_are_reported() {
    let few = Settings { newton_limit: 1, ..settings(0.1) };
    let start = state(&[0.0, 9.0, 0.3], &[0.1, 0.0, 2.0]);
    let mut motion = Simulation::<Variational>::with_law(
        Model::lagrangian(Box::new(chain(2, false, 10.0)), vec![]).unwrap(),
        elastic(),
        few,
        state(&[0.3, 0.4], &[1.0, 2.0]),
    )
    .unwrap();
    assert!(matches!(motion.step().unwrap_err(), Error::Newton { limit: 1, .. }));

    let mut motion =
        Simulation::<Variational>::with_law(rod(), elastic(), settings(0.1), start).unwrap();
    assert!(matches!(motion.run(1e9, |_, _| ()), Err(Error::StepLimit { .. })));
    assert!(matches!(motion.run(f64::NAN, |_, _| ()), Err(Error::Time { .. })));

    // Two walls 0.1 mm apart are hit a thousand times in a step.
    let ball = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros()).unwrap();
    let wall = |normal: Vector3<f64>| {
        let plane = Plane::new(&normal, &(-5e-5 * normal)).unwrap();
        Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), plane).unwrap(), 0.0)
    };
    let model =
        Model::lagrangian(Box::new(ball), vec![wall(Vector3::x()), wall(-Vector3::x())]).unwrap();
    let patient = Settings { chatter_limit: 5000, ..settings(0.1) };
    let mut motion = Simulation::<Variational>::with_law(
        model,
        elastic(),
        patient,
        state(&[0.0; 3], &[10.0, 0.0, 0.0]),
    )
    .unwrap();
    assert!(matches!(motion.step().unwrap_err(), Error::ImpactLimit { limit: 1000, .. }));
}
