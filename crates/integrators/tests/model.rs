//! What is refused of a model or a start, whatever the scheme.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::falling::{bodies, contact, model, state};
use nalgebra::{DMatrix, Vector3, dmatrix};
use percussion_dynamics::CoordinateError;
use percussion_dynamics::{Anchor, constraint::BallJoint};
use percussion_impact::newton::Newton;
use percussion_integrators::ModelError;
use percussion_integrators::{
    BoundedFriction, Model, Simulation, State, event_driven,
    impulse_velocity::ImpulseVelocity,
    inclusion,
    moreau_jean::MoreauJean,
    stewart_trinkle::{self, StewartTrinkle},
};

#[test]
fn friction_that_is_negative_or_not_a_number_is_refused() {
    let error = Model::new(bodies(), vec![contact(0, 0.5), contact(0, -0.1)]).unwrap_err();
    assert_eq!(error, ModelError::Friction { contact: 1, value: -0.1 });
    let error = Model::new(bodies(), vec![contact(0, f64::NAN)]).unwrap_err();
    assert!(matches!(error, ModelError::Friction { contact: 0, .. }));
}

#[test]
fn restitution_outside_of_its_range_is_refused() {
    for value in [-0.1, 1.1, f64::NAN] {
        let contacts = vec![contact(0, 0.5), contact(0, 0.5).with_restitution(value)];
        let error = Model::new(bodies(), contacts).unwrap_err();
        assert!(matches!(error, ModelError::Restitution { contact: 1, .. }), "{error}");
    }
}

#[test]
fn surfaces_and_joints_of_bodies_that_do_not_exist_are_refused() {
    let error = Model::new(bodies(), vec![contact(3, 0.5)]).unwrap_err();
    assert!(matches!(error, ModelError::Gap { contact: 0, .. }));
    assert!(error.to_string().contains("body 3"), "{error}");
    let joint =
        BallJoint::new(Anchor::on_body(3, Vector3::zeros()), Anchor::in_world(Vector3::zeros()));
    let error = model().with_constraints(vec![Box::new(joint.unwrap())]).unwrap_err();
    assert!(matches!(error, ModelError::Constraint { constraint: 0, .. }));
}

#[test]
fn bounded_friction_of_the_wrong_shape_is_refused() {
    let with = |directions: DMatrix<f64>, bound| {
        model().with_joint_friction(vec![BoundedFriction { directions, bound }]).unwrap_err()
    };
    assert_eq!(
        with(dmatrix![1.0, -1.0], 1.0),
        ModelError::DirectionShape { joint: 0, expected: 3, rows: 1, columns: 2 }
    );
    assert!(matches!(
        with(DMatrix::zeros(3, 0), 1.0),
        ModelError::DirectionShape { columns: 0, .. }
    ));
    let one_sided = dmatrix![1.0, -1.0, 0.0; 0.0, 0.0, 1.0; 0.0, 0.0, 0.0];
    assert_eq!(with(one_sided, 1.0), ModelError::DirectionOpposite { joint: 0, column: 2 });
    let infinite = dmatrix![f64::INFINITY, -f64::INFINITY; 0.0, 0.0; 0.0, 0.0];
    assert_eq!(with(infinite, 1.0), ModelError::DirectionOpposite { joint: 0, column: 0 });
    let pair = dmatrix![1.0, -1.0; 0.0, 0.0; 0.0, 0.0];
    assert_eq!(with(pair.clone(), -1.0), ModelError::Bound { joint: 0, value: -1.0 });
    assert!(matches!(with(pair, f64::NAN), ModelError::Bound { joint: 0, .. }));
}

/// What each scheme says of a start, in the order of the table in the documentation.
fn refusals(state: &State) -> [ModelError; 5] {
    let stepping = stewart_trinkle::Settings::planar();
    let settings = event_driven::Settings::default();
    let law = Newton::default();
    [
        match Simulation::<StewartTrinkle>::new(model(), stepping, state.clone()).unwrap_err() {
            percussion_integrators::Error::Model(error) => error,
            other => panic!("{other}"),
        },
        match Simulation::<ImpulseVelocity>::new(model(), Default::default(), state.clone()) {
            Err(percussion_integrators::Error::Model(error)) => error,
            other => panic!("{other:?}"),
        },
        match Simulation::<MoreauJean>::new(model(), Default::default(), state.clone()) {
            Err(percussion_integrators::Error::Model(error)) => error,
            other => panic!("{other:?}"),
        },
        match event_driven::integrate(&model(), &law, &settings, state, 1.0, &mut |_| ()) {
            Err(event_driven::Error::Model(error)) => error,
            other => panic!("{other:?}"),
        },
        match inclusion::build(&model(), &inclusion::Settings::default(), state, 1.0) {
            Err(inclusion::Error::Model(error)) => error,
            other => panic!("{other:?}"),
        },
    ]
}

#[test]
fn every_scheme_refuses_a_state_that_does_not_fit() {
    for error in refusals(&State { coordinates: vec![0.0; 2], ..state() }) {
        let expected = CoordinateError::Length { expected: 3, found: 2 };
        assert_eq!(error, ModelError::Coordinates(expected));
    }
    for error in refusals(&State { coordinates: vec![f64::NAN, 1.0, 0.0], ..state() }) {
        assert!(matches!(
            error,
            ModelError::Coordinates(CoordinateError::NotFinite { index: 0, .. })
        ));
    }
    for error in refusals(&State { velocity: vec![0.0; 4], ..state() }) {
        assert_eq!(error, ModelError::VelocityLength { expected: 3, found: 4 });
    }
    for error in refusals(&State { velocity: vec![0.0, 0.0, f64::INFINITY], ..state() }) {
        assert_eq!(error, ModelError::Velocity { index: 2, value: f64::INFINITY });
    }
    for error in refusals(&State { time: f64::NAN, ..state() }) {
        assert!(matches!(error, ModelError::Time { .. }));
    }
}
