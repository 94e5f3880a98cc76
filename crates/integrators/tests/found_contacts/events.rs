//! Event-driven motion in a scene: closed forms, and features that replace one another.

use nalgebra::Vector3;
use percussion_collision::{Collider, Shape};
use percussion_dynamics::FreeBodies;
use percussion_impact::newton::Newton;
use percussion_integrators::{
    Model, State,
    event_driven::{Event, EventKind, Mode, Report, Settings, Status, integrate},
};

use crate::blocks::{G, at, box_on, cuboids, ground, leaning, model};

fn motion(model: &Model, start: &State, end: f64) -> Report {
    let (law, settings) = (Newton::default(), Settings::default());
    let report = integrate(model, &law, &settings, start, end, &mut |_| ()).unwrap();
    assert_eq!(report.status, Status::EndReached, "{report:?}");
    assert!(report.energy.residual().abs() < 1e-7, "{report:?}");
    report
}

/// `v²/(2 μ g) = 0.9 m`, after 0.6 s.
#[test]
fn a_box_slides_to_rest() {
    let half = Vector3::new(0.5, 0.4, 0.1);
    let colliders = vec![box_on(0, half, 0.5), ground(Vector3::z(), 0.5)];
    let start = at(&[Vector3::new(0.0, 0.0, 0.1)], vec![3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let report = motion(&model(cuboids(2.0, &[half]), colliders), &start, 1.0);
    let end = &report.state;
    assert!((end.coordinates[0] - 0.9).abs() < 1e-9, "{report:?}");
    assert!((report.energy.friction - 9.0).abs() < 1e-8, "{report:?}");
    let slid = |event: &&Event| matches!(event.kind, EventKind::Mode { from: Mode::Sliding, .. });
    let stops: Vec<_> = report.events.iter().filter(slid).map(|event| event.time).collect();
    assert!(stops.len() == 3 && stops.iter().all(|t| (t - 0.6).abs() < 1e-8), "{report:?}");
}

/// Four corners land at once and share the impulse; each landing keeps half of the speed, and the last is at 1.5 s.
#[test]
fn a_box_falls_flat_and_bounces() {
    let half = Vector3::new(0.5, 0.4, 0.1);
    let bouncing = |collider: Collider| collider.with_restitution(0.5).unwrap();
    let colliders = vec![bouncing(box_on(0, half, 0.5)), bouncing(ground(Vector3::z(), 0.5))];
    let start = at(&[Vector3::new(0.0, 0.0, 1.35)], vec![0.0; 6]);
    let report = motion(&model(cuboids(2.0, &[half]), colliders), &start, 2.0);
    let (mut first, mut limit) = (None, None);
    for event in &report.events {
        match &event.kind {
            EventKind::Impact { contacts, impulses, .. } if first.is_none() => {
                first = Some(event.time);
                assert_eq!(contacts.len(), 4, "{event:?}");
                let sum: f64 = impulses.iter().map(|impulse| impulse[0]).sum();
                assert!((sum - 2.0 * 7.5).abs() < 1e-8, "{event:?}");
            }
            EventKind::Accumulation { limit: of_series, .. } => limit = Some(*of_series),
            _ => (),
        }
    }
    assert!((first.unwrap() - 0.5).abs() < 1e-9, "{first:?}");
    assert!((limit.unwrap() - 1.5).abs() < 1e-8, "{limit:?}");
}

/// It sticks on a slope of 25° with μ = 0.6, and slides with `g (sin α − μ cos α)` with μ = 0.3.
#[test]
fn a_box_on_a_slope_sticks_or_slides() {
    let half = Vector3::new(0.5, 0.4, 0.1);
    let (sin, cos) = 25.0_f64.to_radians().sin_cos();
    for (friction, acceleration) in [(0.6, 0.0), (0.3, G * (sin - 0.3 * cos))] {
        let bodies = cuboids(2.0, &[half]).bodies().to_vec();
        let system = FreeBodies::new(bodies, G * Vector3::new(sin, 0.0, -cos)).unwrap();
        let colliders = vec![box_on(0, half, friction), ground(Vector3::z(), friction)];
        let start = at(&[Vector3::new(0.0, 0.0, 0.1)], vec![0.0; 6]);
        let report = motion(&model(system, colliders), &start, 0.5);
        let way = 0.5 * acceleration * 0.25;
        assert!((report.state.coordinates[0] - way).abs() < 1e-8, "{friction} {report:?}");
    }
}

/// A rectangle at rest beyond the edge of a table turns about the edge; until it slips its energy tells how fast.
#[test]
fn a_rectangle_tips_over_an_edge() {
    let (model, start) = leaning(0.05);
    let moment = (0.4 * 0.4 + 0.2 * 0.2) / 12.0;
    let report = motion(&model, &start, 0.2);
    let (y, angle) = (report.state.coordinates[1], report.state.coordinates[2]);
    let spin = report.state.velocity[2];
    // ½ (I + m r²) ω² = m g (0.1 − y) with r² = 0.05² + 0.1².
    let expected = 2.0 * G * (0.1 - y) / (moment + 0.05 * 0.05 + 0.1 * 0.1);
    assert!(angle < -0.1 && (spin * spin - expected).abs() < 1e-6, "{report:?}");
    // It slips off later, falls, and nothing holds it up.
    let report = motion(&model, &start, 1.2);
    assert!(report.state.coordinates[1] < -1.0, "{report:?}");
}

/// A box slides over the edge of a table, turns on it and falls.
#[test]
fn a_box_slides_off_a_table() {
    let half = Vector3::new(0.2, 0.15, 0.1);
    let table = Collider::fixed(Shape::Box { half_extents: Vector3::new(1.0, 1.0, 0.05) })
        .unwrap()
        .with_friction(0.2)
        .unwrap();
    let colliders = vec![box_on(0, half, 0.2), table];
    let start = at(&[Vector3::new(0.5, 0.1, 0.15)], vec![2.0, 0.1, 0.0, 0.0, 0.0, 0.0]);
    let report = motion(&model(cuboids(1.0, &[half]), colliders), &start, 1.0);
    assert!(report.state.coordinates[0] > 1.2 && report.state.coordinates[2] < -0.5, "{report:?}");
}
