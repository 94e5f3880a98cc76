//! Everything that is refused, and how.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test stops at the first surprise; exact values"
)]

mod common;

use common::falling::{bodies, model, state};
use common::{ConstantSystem, LinearGap};
use nalgebra::{DMatrix, DVector, Vector3, dmatrix, dvector};
use percussion_dynamics::{Anchor, Dimension, constraint::BallJoint};
use percussion_integrators::stewart_trinkle::Settings;
use percussion_integrators::{
    Contact, Error, Model, ModelError, Simulation, State, stewart_trinkle::StewartTrinkle,
};

fn refusal(settings: Settings, state: State) -> Error {
    Simulation::<StewartTrinkle>::new(model(), settings, state).unwrap_err()
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let name = |settings: Settings| match refusal(settings, state()) {
        Error::Setting { name, .. } => name,
        other => panic!("{other}"),
    };
    for step_size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(Settings { step_size, ..Settings::planar() }), "step_size");
    }
    for directions in [0, 1, 3, 4, 8] {
        assert_eq!(name(Settings { directions, ..Settings::planar() }), "directions");
    }
    for tolerance in [0.0, f64::NAN] {
        assert_eq!(
            name(Settings { tolerance: Some(tolerance), ..Settings::planar() }),
            "tolerance"
        );
    }
    let settings = Settings { outer_iteration_limit: 0, ..Settings::planar() };
    assert_eq!(name(settings), "outer_iteration_limit");
    let settings = Settings { penetration_tolerance: Some(-1.0), ..Settings::planar() };
    assert_eq!(name(settings), "penetration_tolerance");
}

#[test]
fn odd_or_no_directions_are_refused_in_space() {
    for directions in [0, 1, 3, 7] {
        let system = ConstantSystem {
            mass_matrix: DMatrix::identity(3, 3),
            force: DVector::zeros(3),
            dimension: Dimension::Space,
        };
        let model = Model::new(Box::new(system), vec![]).unwrap();
        let settings = Settings { directions, ..Settings::default() };
        let error = Simulation::<StewartTrinkle>::new(model, settings, state()).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "directions", .. }));
    }
}

#[test]
fn initial_penetration_is_refused_beyond_the_accepted_depth() {
    let at = |height| State { coordinates: vec![0.0, height, 0.0], ..state() };
    match refusal(Settings::planar(), at(0.4)) {
        Error::InitialPenetration { contact: 0, depth, accepted } => {
            assert!((depth - 0.1).abs() < 1e-15);
            assert_eq!(accepted, 1e-9);
        }
        other => panic!("{other}"),
    }
    let settings = Settings { penetration_tolerance: Some(0.2), ..Settings::planar() };
    let mut integrator = Simulation::<StewartTrinkle>::new(model(), settings, at(0.4)).unwrap();
    assert!(integrator.step().unwrap().penetration <= 1e-10);
}

#[test]
fn a_joint_that_does_not_hold_at_the_start_is_refused() {
    let joint =
        BallJoint::new(Anchor::on_body(0, Vector3::zeros()), Anchor::in_world(Vector3::zeros()));
    let model = model().with_constraints(vec![Box::new(joint.unwrap())]).unwrap();
    let error = Simulation::<StewartTrinkle>::new(model, Settings::planar(), state()).unwrap_err();
    assert_eq!(error, Error::InitialConstraint { constraint: 0, violation: 0.5, accepted: 1e-9 });
}

#[test]
fn joints_that_contradict_each_other_stop_the_motion_with_an_error() {
    let joint = |x: f64| {
        let anchor = Anchor::on_body(0, Vector3::new(x, 0.0, 0.0));
        Box::new(BallJoint::new(anchor, Anchor::in_world(Vector3::new(x, 0.5, 0.0))).unwrap())
    };
    // A second joint a little off cannot hold while the first does, but is accepted at the start.
    let anchor = Anchor::in_world(Vector3::new(0.0, 0.5 + 1e-3, 0.0));
    let off = BallJoint::new(Anchor::on_body(0, Vector3::zeros()), anchor).unwrap();
    let model = Model::new(bodies(), vec![]).unwrap();
    let model = model.with_constraints(vec![joint(0.0), Box::new(off)]).unwrap();
    let settings = Settings { penetration_tolerance: Some(1e-2), ..Settings::planar() };
    let mut integrator = Simulation::<StewartTrinkle>::new(model, settings, state()).unwrap();
    let before = integrator.state().clone();
    match integrator.step().unwrap_err() {
        Error::OuterIterationLimit { violation, .. } => assert!((violation - 5e-4).abs() < 1e-6),
        other => panic!("{other}"),
    }
    assert_eq!(integrator.state(), &before);
}

#[test]
fn a_mass_matrix_that_is_not_positive_definite_is_refused() {
    for mass_matrix in [
        dmatrix![1.0, 0.0, 0.0; 0.0, -1.0, 0.0; 0.0, 0.0, 1.0],
        dmatrix![1.0, 0.5, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 1.0],
        dmatrix![1.0, 0.0, 0.0; 0.0, f64::NAN, 0.0; 0.0, 0.0, 1.0],
    ] {
        let force = DVector::zeros(3);
        let system = ConstantSystem { mass_matrix, force, dimension: Dimension::Plane };
        let model = Model::new(Box::new(system), vec![]).unwrap();
        let error =
            Simulation::<StewartTrinkle>::new(model, Settings::planar(), state()).unwrap_err();
        assert_eq!(error, Error::Model(ModelError::MassMatrix));
    }
}

#[test]
fn forces_and_gaps_that_are_not_numbers_stop_the_motion_with_an_error() {
    let system = |force| ConstantSystem {
        mass_matrix: DMatrix::identity(2, 2),
        force,
        dimension: Dimension::Plane,
    };
    let start = State { time: 0.0, coordinates: vec![1.0, 0.0], velocity: vec![-1.0, 0.0] };
    for (force, what) in [(f64::NAN, "velocity under smooth forces"), (1e200, "energy")] {
        let model = Model::new(Box::new(system(dvector![force, 0.0])), vec![]).unwrap();
        let mut integrator =
            Simulation::<StewartTrinkle>::new(model, Settings::planar(), start.clone()).unwrap();
        let error = integrator.step().unwrap_err();
        assert_eq!(error, Error::NotFinite { quantity: what, time: 0.0 });
        assert_eq!(integrator.state(), &start);
    }

    let rows = vec![vec![1.0, 0.0], vec![0.0, f64::NAN]];
    let contact = Contact::new(LinearGap { rows, offset: -1.0 }, 0.5);
    let model = Model::new(Box::new(system(dvector![0.0, 0.0])), vec![contact]).unwrap();
    let mut integrator =
        Simulation::<StewartTrinkle>::new(model, Settings::planar(), start.clone()).unwrap();
    assert!(matches!(integrator.step().unwrap_err(), Error::NotFinite { .. }));
    assert_eq!(integrator.state(), &start);
}

#[test]
fn an_outer_iteration_without_enough_iterations_is_an_error() {
    let settings = Settings { outer_iteration_limit: 1, ..Settings::planar() };
    let sliding = State { velocity: vec![1.0, 0.0, 0.0], ..state() };
    let mut integrator =
        Simulation::<StewartTrinkle>::new(model(), settings, sliding.clone()).unwrap();
    let error = integrator.step().unwrap_err();
    assert!(matches!(error, Error::OuterIterationLimit { limit: 1, .. }), "{error}");
    assert_eq!(integrator.state(), &sliding);
}

#[test]
fn a_run_without_an_end_is_refused() {
    let mut integrator =
        Simulation::<StewartTrinkle>::new(model(), Settings::planar(), state()).unwrap();
    assert!(matches!(integrator.run(f64::NAN, |_, _| ()), Err(Error::Time { .. })));
    assert!(matches!(integrator.run(1e300, |_, _| ()), Err(Error::StepLimit { .. })));
    assert_eq!(integrator.state(), &state());
}

#[test]
fn settings_of_the_solver_are_checked_by_the_solver() {
    let mut settings = Settings::planar();
    settings.lemke.tolerance = f64::NAN;
    let mut integrator = Simulation::<StewartTrinkle>::new(model(), settings, state()).unwrap();
    assert!(matches!(integrator.step().unwrap_err(), Error::Lemke(_)));
}
