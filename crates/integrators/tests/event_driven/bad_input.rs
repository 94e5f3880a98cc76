//! What is refused, by name; limits as statuses; numbers at the edge of doubles.

use percussion_impact::{newton::Newton, plus::Plus, propagative::Propagative};
use percussion_integrators::State;
use percussion_integrators::event_driven::{Error, Report, Settings, Status, integrate};

use crate::support::{at, ball, block};

fn falling() -> State {
    at(vec![0.0, 1.1, 0.0], vec![0.0; 3])
}

fn with(settings: Settings, start: &State, end: f64) -> Result<Report, Error> {
    let model = ball(0.0, 0.3, 0.5);
    integrate(&model, &Newton::default(), &settings, start, end, &mut |_| ())
}

#[test]
fn bad_input_is_refused_by_name() {
    let default = Settings::default;
    for (expected, settings) in [
        ("relative_tolerance", Settings { relative_tolerance: 0.0, ..default() }),
        ("relative_tolerance", Settings { relative_tolerance: f64::NAN, ..default() }),
        ("absolute_tolerance", Settings { absolute_tolerance: Some(-1.0), ..default() }),
        ("proximity", Settings { proximity: Some(-1.0), ..default() }),
        ("gap_tolerance", Settings { gap_tolerance: Some(0.0), ..default() }),
        ("velocity_tolerance", Settings { velocity_tolerance: Some(f64::NAN), ..default() }),
        ("acceleration_tolerance", Settings { acceleration_tolerance: Some(0.0), ..default() }),
        ("sample_interval", Settings { sample_interval: Some(0.0), ..default() }),
        ("implicit_tolerance", Settings { implicit_tolerance: 1e-2, ..default() }),
        ("implicit_tolerance", Settings { implicit_tolerance: f64::NAN, ..default() }),
        ("end_energy", Settings { end_energy: Some(f64::NAN), ..default() }),
        ("impact_limit", Settings { impact_limit: 0, ..default() }),
        ("mode_limit", Settings { mode_limit: 0, ..default() }),
        ("step_limit", Settings { step_limit: 0, ..default() }),
        ("work_limit", Settings { work_limit: 0, ..default() }),
    ] {
        match with(settings, &falling(), 1.0).unwrap_err() {
            Error::Setting { name, .. } => assert_eq!(name, expected),
            other => panic!("{other}"),
        }
    }
    for end in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(with(default(), &falling(), end), Err(Error::End { .. })));
    }
    let deep = State { coordinates: vec![0.0, 0.05, 0.0], ..falling() };
    match with(default(), &deep, 1.0).unwrap_err() {
        Error::Penetration { contact: 0, depth, .. } => assert!((depth - 0.05).abs() < 1e-15),
        other => panic!("{other}"),
    }
}

/// A law that does not apply, or whose settings are wrong, is an error that names the time.
#[test]
fn a_law_that_does_not_apply_is_an_error() {
    let model = ball(0.0, 0.3, 0.5);
    let settings = Settings::default();
    let law = Propagative::default();
    let refused = integrate(&model, &law, &settings, &falling(), 1.0, &mut |_| ()).unwrap_err();
    assert!(
        matches!(refused, Error::Law { time, .. } if (time - 0.4515).abs() < 1e-4),
        "{refused}"
    );
    let law = Plus { v_transition: 0.0, ..Plus::default() };
    let refused = integrate(&model, &law, &settings, &falling(), 1.0, &mut |_| ()).unwrap_err();
    assert!(matches!(refused, Error::Law { .. }), "{refused}");
}

#[test]
fn limits_are_statuses() {
    let status = |settings: Settings| {
        let report = with(settings, &falling(), 3.0).unwrap();
        (report.status, report.counters.impacts, report.counters.mode_changes)
    };
    let default = Settings::default;
    assert_eq!(status(Settings { impact_limit: 2, ..default() }), (Status::ImpactLimit, 2, 0));
    assert_eq!(status(Settings { step_limit: 3, ..default() }).0, Status::StepLimit);
    // Rocking changes the modes of two corners at each impact.
    let settings = Settings { mode_limit: 4, ..default() };
    let model = block(0.0, [-0.5, 0.5], 1.0, 0.0);
    let start = at(vec![0.0, 1.0, 0.0], vec![-1.0, 0.5, 1.0]);
    let law = Newton::default();
    let report = integrate(&model, &law, &settings, &start, 3.0, &mut |_| ()).unwrap();
    assert_eq!(report.status, Status::ModeLimit);
}

/// Whatever the size of the numbers, a motion ends, and says how.
#[test]
fn numbers_at_the_edge_of_doubles_end_with_a_status() {
    let settings = Settings { step_limit: 300, ..Settings::default() };
    for size in [1e-300, 1e10, 1e100, 1e300] {
        for velocity in [vec![size, -size, size], vec![0.0, -size, 0.0]] {
            let start = State { velocity, ..falling() };
            let report = with(settings, &start, 1.0);
            assert!(matches!(report, Ok(_) | Err(Error::Impact { .. } | Error::Law { .. })));
        }
    }
}

/// Samples come at multiples of their interval, events between them.
#[test]
fn samples_come_at_multiples_of_their_interval() {
    let mut times = Vec::new();
    let settings = Settings { sample_interval: Some(0.25), ..Settings::default() };
    let model = ball(0.0, 0.3, 0.0);
    let law = Newton::default();
    integrate(&model, &law, &settings, &falling(), 1.0, &mut |moment| times.push(moment.time))
        .unwrap();
    assert!(times.is_sorted());
    for k in 0..=4 {
        let time = 0.25 * f64::from(k);
        assert!(times.iter().any(|t| (t - time).abs() < 1e-15), "{times:?}");
    }
}
