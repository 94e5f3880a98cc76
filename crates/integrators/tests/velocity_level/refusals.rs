//! What is refused, and what becomes of problems that are not solved.

use percussion_complementarity::friction::{
    Law, Method, Status, block_gauss_seidel, interior_point,
};
use percussion_integrators::impulse_velocity::Settings;
use percussion_integrators::moreau_jean;
use percussion_integrators::{
    Drive, Error, Feature, Simulation, Unsolved, impulse_velocity::ImpulseVelocity,
    moreau_jean::MoreauJean,
};

use crate::scenes::{at, ball, ball_at, balls};

#[test]
fn settings_out_of_range_are_named() {
    let refusal = |settings| {
        Simulation::<ImpulseVelocity>::new(ball(0.3), settings, ball_at(0.1, [0.0; 6]))
            .unwrap_err()
            .to_string()
    };
    let defaults = Settings::default();
    assert!(
        refusal(Settings { step_size: 0.0, ..defaults }).starts_with("setting `step_size` is 0.0")
    );
    assert!(refusal(Settings { tolerance: f64::NAN, ..defaults }).contains("`tolerance` is NaN"));
    assert!(
        refusal(Settings { error_reduction: -0.1, ..defaults })
            .contains("`error_reduction` is -0.1")
    );
    let interior = Method::InteriorPoint(interior_point::Settings::default());
    let error = refusal(Settings { method: interior, law: Law::MaximumDissipation, ..defaults });
    assert_eq!(
        error,
        "contact solver: `law` is maximum-dissipation, expected coulomb: this solver has no rule for others"
    );

    let refusal = |settings| {
        Simulation::<MoreauJean>::new(ball(0.3), settings, ball_at(0.1, [0.0; 6]))
            .unwrap_err()
            .to_string()
    };
    let defaults = moreau_jean::Settings::default();
    for (settings, name) in [
        (moreau_jean::Settings { step_size: f64::INFINITY, ..defaults }, "step_size"),
        (moreau_jean::Settings { implicitness: 1.5, ..defaults }, "implicitness"),
        (moreau_jean::Settings { iteration_limit: 1, ..defaults }, "iteration_limit"),
        (moreau_jean::Settings { gap_tolerance: Some(-1e-3), ..defaults }, "gap_tolerance"),
        (
            moreau_jean::Settings { iteration_tolerance: Some(0.0), ..defaults },
            "iteration_tolerance",
        ),
    ] {
        assert!(refusal(settings).starts_with(&format!("setting `{name}` is")));
    }
}

#[test]
fn models_and_states_that_do_not_fit_are_refused() {
    let (position, speed, since, proportional, derivative) = (0.0, 0.0, 0.0, 1.0, 1.0);
    let drive = Drive { index: 0, position, speed, since, proportional, derivative };
    let model = ball(0.3).with_forces(vec![Box::new(drive)]);
    let error =
        Simulation::<ImpulseVelocity>::new(model, Settings::default(), ball_at(0.1, [0.0; 6]))
            .unwrap_err();
    assert_eq!(error, Error::NoRule { feature: Feature::Forces });
    let mut state = ball_at(0.1, [0.0; 6]);
    state.velocity[2] = f64::NAN;
    let error =
        Simulation::<ImpulseVelocity>::new(ball(0.3), Settings::default(), state).unwrap_err();
    assert!(matches!(error, Error::Model(_)), "{error}");
    let mut integrator =
        Simulation::<ImpulseVelocity>::new(ball(0.3), Settings::default(), ball_at(0.1, [0.0; 6]))
            .unwrap();
    assert!(matches!(integrator.run(f64::NAN, |_, _| ()), Err(Error::Time { .. })));
    assert!(matches!(integrator.run(1e9, |_, _| ()), Err(Error::StepLimit { .. })));
}

/// Velocities near the largest double overflow in the first step.
#[test]
fn numbers_that_overflow_are_an_error_of_the_step() {
    let start = ball_at(0.1, [1e308, 1e308, -1e308, 1e308, 0.0, 0.0]);
    let mut integrator =
        Simulation::<ImpulseVelocity>::new(ball(0.3), Settings::default(), start.clone()).unwrap();
    assert!(integrator.step().is_err());
    assert_eq!(integrator.state(), &start);
    let mut integrator =
        Simulation::<MoreauJean>::new(ball(0.3), moreau_jean::Settings::default(), start.clone())
            .unwrap();
    assert!(integrator.step().is_err());
    assert_eq!(integrator.state(), &start);
}

#[test]
fn a_step_that_is_not_solved_is_refused_or_taken_and_hands_over_its_problem() {
    let start = || at(&[[0.0, 0.0, 0.1], [0.12, 0.0, 0.25], [0.1, 0.1, 0.4]], [0.5, 0.1, -2.0]);
    let method = Method::BlockGaussSeidel(block_gauss_seidel::Settings {
        max_sweeps: 1,
        ..Default::default()
    });
    let settings = Settings { step_size: 0.05, method, tolerance: 0.0, ..Settings::default() };
    let mut strict =
        Simulation::<ImpulseVelocity>::new(balls(3, 0.4, 9.81, |_| ()), settings, start()).unwrap();
    let error = strict.step().unwrap_err();
    let Error::Unsolved { status, relative_residual, .. } = error else { panic!("{error}") };
    assert_eq!(status, Status::IterationLimit);
    assert_eq!(strict.state(), &start());
    let replayed = strict.document().unwrap().solve().unwrap().report;
    assert_eq!((replayed.status, replayed.relative_residual), (status, relative_residual));

    let settings = Settings { unsolved: Unsolved::Accept, ..settings };
    let mut lenient =
        Simulation::<ImpulseVelocity>::new(balls(3, 0.4, 9.81, |_| ()), settings, start()).unwrap();
    let report = lenient.step().unwrap();
    assert_eq!(report.status, Status::IterationLimit);
    assert!(lenient.state().time > strict.state().time);
}
