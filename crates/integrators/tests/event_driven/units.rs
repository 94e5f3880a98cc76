//! The same motion in other units of mass, length and time: the same events and steps, the same answer.

use nalgebra::Vector2;
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane, SphereSphere, rounded_rod_plane},
};
use percussion_impact::newton::Newton;
use percussion_integrators::{
    Contact, Model, State,
    event_driven::{Event, EventKind, Report, Settings, integrate},
};

/// Units of length, mass and time.
type Units = [f64; 3];

/// Factors from 1e-12 to 1e12, one at a time and mixed. None is a power of two, so that every number rounds otherwise.
fn units() -> Vec<Units> {
    let mut all = vec![[1e-4, 1.0, 1.0], [1e-5, 3e7, 2e-3], [7e8, 1e-9, 1e9], [1e-12, 1e12, 1e-12]];
    for k in 0..3 {
        for factor in [1e-12, 1e12] {
            let mut one = [1.0; 3];
            one[k] = factor;
            all.push(one);
        }
    }
    all
}

fn floor() -> Plane {
    Plane::new(&nalgebra::Vector3::y(), &nalgebra::Vector3::zeros()).unwrap()
}

/// A rod that falls onto its ends, slides and comes to rest, beside a ball that bounces on it and then on the floor.
fn model([length, mass, time]: Units) -> (Model, State) {
    let inertia = mass * length * length;
    let bodies = vec![
        PlanarBody::new(2.0 * mass, 0.3 * inertia),
        PlanarBody::new(0.7 * mass, 0.02 * inertia),
    ];
    let system =
        PlanarBodies::new(bodies, Vector2::new(0.0, -9.81 * length / time / time)).unwrap();
    let mut contacts: Vec<_> = rounded_rod_plane(0, 1.0 * length, 0.1 * length, floor())
        .unwrap()
        .into_iter()
        .map(|end| Contact::new(end, 0.4).with_restitution(0.3))
        .collect();
    let ball = Sphere::of_body(1, 0.2 * length);
    contacts
        .push(Contact::new(SpherePlane::new(ball, floor()).unwrap(), 0.3).with_restitution(0.5));
    let end = Sphere::on_body(0, nalgebra::Vector3::x() * (0.5 * length), 0.1 * length);
    contacts.push(Contact::new(SphereSphere::new(ball, end).unwrap(), 0.2).with_restitution(0.4));
    let speed = length / time;
    let start = State {
        time: 0.0,
        coordinates: vec![0.0, 0.6 * length, 0.35, 0.75 * length, 1.7 * length, 0.0],
        velocity: vec![0.5 * speed, 0.0, 0.8 / time, 0.1 * speed, -0.3 * speed, 0.0],
    };
    (Model::new(Box::new(system), contacts).unwrap(), start)
}

fn run(units: Units) -> Report {
    let (model, start) = model(units);
    integrate(&model, &Newton::default(), &Settings::default(), &start, 1.5 * units[2], &mut |_| ())
        .unwrap()
}

/// What happened, without its numbers.
fn kind(event: &Event) -> String {
    match &event.kind {
        EventKind::Impact { contacts, .. } => format!("impact {contacts:?}"),
        EventKind::Accumulation { contacts, landings, .. } => {
            format!("accumulation {contacts:?} {landings}")
        }
        EventKind::Jam { contacts, .. } => format!("jam {contacts:?}"),
        EventKind::Settling { contacts, .. } => format!("settling {contacts:?}"),
        EventKind::Mode { contact, from, to } => format!("{contact}: {from:?} {to:?}"),
        other => format!("{other:?}"),
    }
}

/// A state as multiples of its units.
fn dimensionless(report: &Report, [length, _, time]: Units) -> Vec<f64> {
    let positions = report.state.coordinates.iter().enumerate();
    let positions = positions.map(|(k, q)| if k % 3 == 2 { *q } else { q / length });
    let speeds = report.state.velocity.iter().enumerate();
    let speeds = speeds.map(|(k, v)| if k % 3 == 2 { v * time } else { v * time / length });
    positions.chain(speeds).collect()
}

#[test]
fn units_of_mass_length_and_time_change_no_event_and_no_answer() {
    let reference = run([1.0; 3]);
    assert!(reference.counters.impacts > 10, "{:?}", reference.counters);
    let kinds: Vec<_> = reference.events.iter().map(kind).collect();
    let state = dimensionless(&reference, [1.0; 3]);
    for units in units() {
        let report = run(units);
        assert_eq!(report.status, reference.status, "{units:?}");
        assert_eq!(report.events.iter().map(kind).collect::<Vec<_>>(), kinds, "{units:?}");
        let (found, expected) = (report.counters.steps, reference.counters.steps);
        // Rounding decides whether a step at the edge of the tolerance is taken, at each phase anew.
        assert!(found.abs_diff(expected) <= kinds.len(), "{units:?}: {found} {expected} steps");
        for (found, expected) in dimensionless(&report, units).iter().zip(&state) {
            // The tolerance of a step is 1e-10; errors of rounding grow as the steps that they change.
            assert!((found - expected).abs() < 1e-8, "{units:?}: {found} {expected}");
        }
        let scales = [report.scales.length, report.scales.mass, report.scales.time];
        let of_reference = [reference.scales.length, reference.scales.mass, reference.scales.time];
        for k in 0..3 {
            let ratio = scales[k] / (of_reference[k] * units[k]);
            assert!((ratio - 1.0).abs() < 1e-13, "{units:?}: {ratio}");
        }
    }
}
