//! A contact that trembled was closed by an accumulation far beyond the end of the motion.
//!
//! Symptom: an event-driven motion of 1.45 s recorded impacts that accumulate at 12 894 s and ended as completed.
//! Cause: intervals between landings that shrink by their rounding were summed as a geometric series.
//! Expected: rebounds are summed only where their ratio is certainly below one and the limit lies before the end; an
//! elastic ball goes on bouncing, however little it rises, and keeps its energy.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{PlanarBodies, PlanarBody};
use percussion_impact::newton::Newton;
use percussion_integrators::event_driven::{EventKind, Report, Settings, Status, integrate};
use percussion_integrators::{Contact, Model, State};

const GRAVITY: f64 = 9.81;

/// A point of 1 kg on the floor that leaves it at `speed` (m/s), for `end` seconds.
fn bounce(restitution: f64, speed: f64, end: f64) -> Report {
    let ball = PlanarBody::new(1.0, 1.0);
    let balls = PlanarBodies::new(vec![ball], Vector2::new(0.0, -GRAVITY)).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let gap = SpherePlane::new(Sphere::of_body(0, 0.0), floor).unwrap();
    let contact = Contact::new(gap, 0.0).with_restitution(restitution);
    let model = Model::new(Box::new(balls), vec![contact]).unwrap();
    let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0, speed, 0.0] };
    let (law, settings) = (Newton::default(), Settings::default());
    integrate(&model, &law, &settings, &start, end, &mut |_| ()).unwrap()
}

fn limits(report: &Report) -> Vec<f64> {
    let limit = |event: &percussion_integrators::event_driven::Event| match event.kind {
        EventKind::Accumulation { limit, .. } => Some(limit),
        _ => None,
    };
    report.events.iter().filter_map(limit).collect()
}

/// Rises of 0.5 nm, which the proximity does not tell from a closed contact, last 20 µs each.
#[test]
fn an_elastic_ball_that_trembles_keeps_its_energy() {
    let speed = 1e-4;
    let flight = 2.0 * speed / GRAVITY;
    let report = bounce(1.0, speed, 100.5 * flight);
    assert_eq!(report.status, Status::EndReached);
    assert_eq!(limits(&report), [0.0; 0]);
    assert_eq!(report.counters.impacts, 100);
    // Landings are found to some 1e-4 of their height, by which a hundred of them err in the same direction at most.
    let energy = 0.5 * speed * speed;
    assert!((report.energy.end / energy - 1.0).abs() < 1e-2, "{} {energy}", report.energy.end);
}

/// Its bounces would end after `2 u/g · 1/(1 − e)`, ten times after the end of the motion.
#[test]
fn an_accumulation_after_the_end_of_the_motion_is_not_recorded() {
    let (e, speed) = (0.9, 1e-4);
    let flight = 2.0 * speed / GRAVITY;
    let limit = flight / (1.0 - e);
    let before = bounce(e, speed, 0.9 * limit);
    assert_eq!((before.status, limits(&before)), (Status::EndReached, vec![]));
    let after = bounce(e, speed, 1.1 * limit);
    let [found] = limits(&after)[..] else { panic!("{:?}", after.events) };
    // The limit is the sum of intervals, each found to the rounding of the time of a landing of 20 µs.
    assert!((found / limit - 1.0).abs() < 1e-3, "{found} {limit}");
}
