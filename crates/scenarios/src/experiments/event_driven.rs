//! Motions from free fall through all impacts to rest, event by event.
//!
//! # Source
//!
//! The triple pendulum: T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling simultaneous
//! frictional collisions in spatial multibody systems", *Proceedings of the Royal Society A* 471 (2015) 20140859,
//! example 4. The block: M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional
//! impacts", *International Journal of Robotics Research* 43 (2024), section 4.3.

use percussion_impact::{Plus, Poisson};
use percussion_integrators::event_driven::{EventKind, Report};

use super::{Measurements, Options, Progress, drawing};
use crate::{
    document,
    error::Error,
    event_motion::{EventMotion, follow},
    figure::{Figure, Mark, Series},
    outcome::ExperimentOutcome,
    scenario::Scenario,
    trajectory::{Sample, Trajectory},
};

mod models;

use models::{Block, Pendulum};

pub(super) fn ball(
    scenario: &Scenario,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let mut tell = |fraction| progress(fraction, "A ball bounces");
    let EventMotion { trajectory, report, .. } =
        scenario.simulate_events(&Poisson::default(), &mut tell)?;
    let mut measurements = Measurements::new(&scenario.name, &scenario.expected);
    let (limit, ratio) = accumulation(&scenario.name, &report)?;
    measurements.add("first landing", report.events.first().map_or(f64::NAN, |event| event.time));
    measurements.add("time at which impacts accumulate", limit);
    measurements.add("ratio of the last times between impacts", ratio);
    measurements.add("energy lost in impacts", report.energy.impacts);
    measurements.add("speed of rolling", trajectory.end().velocity[0]);
    add_dependability(&mut measurements, &report);
    let (rows, notes) = measurements.finish()?;
    let height =
        over(&trajectory, &report, ("height", "height of the center", "m"), |s| s.coordinates[1]);
    Ok(ExperimentOutcome {
        id: scenario.name.clone(),
        title: scenario.title.clone(),
        summary: "A disc is thrown and keeps 0.8 of its speed at each landing. Infinitely many landings are over \
                  after nine times the first fall; when rebounds rise to less than 1e-9 m the rest of them is \
                  summed as a geometric series, and the disc stays on the floor and rolls."
            .to_owned(),
        rows,
        figures: vec![height, energy(&trajectory, &report)],
        notes,
    })
}

pub(super) fn block(
    id: &str,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let text = include_str!("../../fixtures/event-driven/rocking-block.toml");
    let parameters: Block = document::parse(text, "rocking-block")?;
    let (model, start) = parameters.model()?;
    let mut tell = |fraction| progress(fraction, "A block rocks");
    let span = (parameters.duration, parameters.interval);
    let EventMotion { trajectory, report, .. } =
        follow(&model, &Poisson::default(), &start, span, &mut tell)?;
    let impacts: Vec<_> = impacts(&report).collect();
    let (limit, _) = accumulation(id, &report)?;
    let [landing, flat, ..] = impacts[..] else {
        return Err(Error::NoEvent { scenario: id.to_owned(), event: "the block lands flat" });
    };
    // The most different from 0.49 of all impacts that lose more than rounding lets tell.
    let shares = impacts[1..].windows(2).filter(|pair| pair[1].lost > 1e-4);
    let share = shares.map(|pair| pair[1].lost / pair[0].lost).fold(0.49, |worst: f64, share| {
        if (share - 0.49).abs() > (worst - 0.49).abs() { share } else { worst }
    });
    let mut measurements = Measurements::new(id, &parameters.expected);
    measurements.add("corner lands", landing.time);
    measurements.add("energy lost in the landing", landing.lost);
    measurements.add("block is flat for the first time", flat.time);
    measurements.add("share of the energy of rocking that the next impact leaves", share);
    measurements.add("time at which impacts accumulate", limit);
    measurements.add("energy lost in all", report.energy.impacts + report.energy.friction);
    measurements.add("speed at rest", speed(trajectory.end()));
    add_dependability(&mut measurements, &report);
    let (rows, notes) = measurements.finish()?;
    let angle = over(&trajectory, &report, ("angle", "angle", "rad"), |s| s.coordinates[2]);
    Ok(ExperimentOutcome {
        id: id.to_owned(),
        title: "A block falls on a corner and rocks to rest".to_owned(),
        summary: "A tilted block falls freely on one corner, turns about it until it is flat, and rocks from corner \
                  to corner. Each impact leaves 0.49 of the energy of rocking, and infinitely many of them are \
                  over after a finite time; then it rests on both corners."
            .to_owned(),
        rows,
        figures: vec![angle, energy(&trajectory, &report)],
        notes,
    })
}

pub(super) fn pendulum(
    id: &str,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let text = include_str!("../../fixtures/event-driven/triple-pendulum.toml");
    let parameters: Pendulum = document::parse(text, "triple-pendulum")?;
    let (model, start) = parameters.model(0.0)?;
    // Within the first impact it slides in one direction: a coarse step changes nothing.
    let law = Plus::default();
    let span = (parameters.flight, parameters.interval);
    let EventMotion { trajectory: flight, report: first, .. } =
        follow(&model, &law, &start, span, &mut |_| ())?;
    let never = || Error::NoEvent { scenario: id.to_owned(), event: "the sphere lands" };
    let landing = impacts(&first).next().ok_or_else(never)?;
    let after = flight.samples.iter().rfind(|sample| sample.time <= landing.time);
    let rates = after.map_or([f64::NAN; 3], |sample| [0, 1, 2].map(|pin| sample.velocity[pin]));

    let (damped, _) = parameters.model(parameters.damping)?;
    let mut tell = |fraction| progress(fraction, "A damped pendulum comes to rest");
    let span = (parameters.duration, parameters.interval);
    let EventMotion { trajectory, report, .. } = follow(&damped, &law, &start, span, &mut tell)?;
    let mut measurements = Measurements::new(id, &parameters.expected);
    measurements.add("sphere lands", landing.time);
    measurements.add("normal percussion of the first impact", landing.impulse[0]);
    measurements.add("friction percussion of the first impact", landing.impulse[1].abs());
    measurements.add("energy lost in the first impact", landing.lost);
    for (name, rate) in ["first", "second", "third"].into_iter().zip(rates) {
        measurements.add(format!("rate of the {name} pin after it"), rate);
    }
    measurements.add("impacts until it stays on the ground", report.counters.impacts as f64);
    measurements.add("speed at rest", speed(trajectory.end()));
    add_dependability(&mut measurements, &report);
    let (rows, notes) = measurements.finish()?;
    let height =
        over(&trajectory, &report, ("sphere", "height of the sphere above the ground", "m"), |s| {
            s.gaps[0]
        });
    Ok(ExperimentOutcome {
        id: id.to_owned(),
        title: "A triple pendulum swings against the ground and comes to rest".to_owned(),
        summary: "Three pinned cylinders with a sphere at the end swing from rest until the sphere hits the ground \
                  with friction and without loss along the normal: the first impact of example 4 of Uchida, Sherman & \
                  Delp (2015). With dampers in its pins it goes on through some two hundred impacts until the \
                  sphere stays where it is, and all of its energy is accounted for."
            .to_owned(),
        rows,
        figures: vec![height, angles(&trajectory), energy(&trajectory, &report)],
        notes,
    })
}

/// One impact.
#[derive(Clone, Copy, Debug)]
struct Landing<'a> {
    time: f64,
    /// Percussion of its first contact (N·s).
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

/// Something over time, with a dot at each impact.
fn over(
    trajectory: &Trajectory,
    report: &Report,
    (id, label, unit): (&str, &str, &str),
    value: impl Fn(&Sample) -> f64,
) -> Figure {
    let history = drawing::history(trajectory, &value);
    let at = |event: &percussion_integrators::event_driven::Event| {
        let index = trajectory.samples.partition_point(|sample| sample.time < event.time);
        let sample = trajectory.samples.get(index)?;
        (!matches!(event.kind, EventKind::Mode { .. })).then(|| [event.time, value(sample)])
    };
    let dots = report.events.iter().filter_map(at).collect();
    Figure {
        id: id.to_owned(),
        title: format!("The {label} over time"),
        caption: "A dot at each impact; the last one is where the impacts left are summed or capture sets in."
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

fn angles(trajectory: &Trajectory) -> Figure {
    let pin = |(pin, name): (usize, &str)| {
        drawing::line(name, drawing::history(trajectory, |sample| sample.coordinates[pin]))
    };
    let names = ["first pin", "second pin", "third pin"];
    Figure {
        id: "angles".to_owned(),
        title: "The angles of the pins over time".to_owned(),
        caption: "Relative to the link before, positive counterclockwise.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("angle", "rad"),
        equal_aspect: false,
        map: None,
        series: names.into_iter().enumerate().map(pin).collect(),
    }
}
