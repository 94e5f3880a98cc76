//! Motions from free fall through all impacts to rest, event by event.
//!
//! # Source
//!
//! The triple pendulum: T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling simultaneous
//! frictional collisions in spatial multibody systems", *Proceedings of the Royal Society A* 471 (2015) 20140859,
//! example 4. The block: M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional
//! impacts", *International Journal of Robotics Research* 43 (2024), section 4.3.

use nalgebra::Vector3;
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_integrators::{
    Contact,
    event_driven::{Event, EventKind, Report},
};
use percussion_mechanism::trajectory::{Sample, Trajectory};
use percussion_record::{Figure, Mark, Series};

use crate::{
    error::Error,
    experiments::{Measurements, drawing},
};

mod bouncing_ball;
mod rocking_block;
mod triple_pendulum;

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    scenario!(
        "event-driven/bouncing-ball",
        event_driven::bouncing_ball,
        "A ball bounces infinitely often, rests and rolls"
    ),
    experiment!(
        "event-driven/rocking-block",
        event_driven::rocking_block,
        "A block falls on a corner and rocks to rest"
    ),
    experiment!(
        "event-driven/triple-pendulum",
        event_driven::triple_pendulum,
        "A triple pendulum swings against the ground and comes to rest"
    ),
];

/// One impact.
#[derive(Clone, Copy, Debug)]
struct Landing<'a> {
    time: f64,
    /// Impulse of its first contact (N·s).
    impulse: &'a [f64],
    lost: f64,
}

fn impacts(report: &Report) -> impl Iterator<Item = Landing<'_>> {
    report.events.iter().filter_map(|event| match &event.kind {
        EventKind::Impact { impulses, dissipated, .. } => {
            let impulse = impulses.first().map_or(&[][..], Vec::as_slice);
            Some(Landing { time: event.time, impulse, lost: *dissipated })
        }
        _ => None,
    })
}

/// The limit (s) and the ratio of the first accumulation.
fn accumulation(id: &str, report: &Report) -> Result<(f64, f64), Error> {
    let found = report.events.iter().find_map(|event| match event.kind {
        EventKind::Accumulation { limit, ratio, .. } => Some((limit, ratio)),
        _ => None,
    });
    found.ok_or_else(|| Error::NoEvent { scenario: id.to_owned(), event: "impacts accumulate" })
}

fn speed(sample: &Sample) -> f64 {
    sample.velocity.iter().fold(0.0, |speed, v| speed.max(v.abs()))
}

fn add_dependability(measurements: &mut Measurements<'_>, report: &Report) {
    measurements.add("depth of the deepest overlap", report.drift.penetration);
    measurements.add("energy that the account leaves over", report.energy.residual());
}

/// A quantity over time, with a dot at each impact.
fn over(
    trajectory: &Trajectory,
    report: &Report,
    (id, label, unit): (&str, &str, &str),
    value: impl Fn(&Sample) -> f64,
) -> Figure {
    let history = drawing::history(trajectory, &value);
    let at = |event: &Event| {
        let index = trajectory.samples.partition_point(|sample| sample.time < event.time);
        let sample = trajectory.samples.get(index)?;
        (!matches!(event.kind, EventKind::Mode { .. })).then(|| [event.time, value(sample)])
    };
    let dots = report.events.iter().filter_map(at).collect();
    Figure {
        id: id.to_owned(),
        title: format!("The {label} over time"),
        caption: "A dot at each impact; the last one is where the remaining impacts are summed or the contact is captured."
            .to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis(label, unit),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::line(label, history),
            Series { label: "impacts".to_owned(), mark: Mark::Dots, points: dots },
        ],
    }
}

fn energy(trajectory: &Trajectory, report: &Report) -> Figure {
    over(trajectory, report, ("energy", "energy", "J"), |sample| sample.energy)
}

/// A contact with the ground at `y = 0`.
fn contact(sphere: Sphere, name: &str, friction: f64) -> Result<Contact, Error> {
    let refused = |source| Error::Gap { contact: name.to_owned(), source };
    let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).map_err(refused)?;
    Ok(Contact::new(SpherePlane::new(sphere, ground).map_err(refused)?, friction))
}
