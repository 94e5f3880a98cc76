//! A block that falls on a corner and rocks to rest.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{PlanarBodies, PlanarBody, gap::Sphere};
use percussion_impact::poisson::Poisson;
use percussion_integrators::{Model, State};
use percussion_mechanism::event_motion::{EventMotion, follow};
use percussion_record::ExperimentOutcome;
use serde::Deserialize;

use super::{accumulation, add_dependability, contact, energy, impacts, over, speed};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    gravity: f64,
    mass: f64,
    inertia: f64,
    corner: [f64; 2],
    friction: f64,
    angle: f64,
    height: f64,
    duration: f64,
    interval: f64,
    /// Fraction of the energy of rocking that an impact leaves.
    share: f64,
    /// Loss of energy (J) above which an impact is more than rounding.
    least_loss: f64,
}

impl Block {
    /// The block on its two corners, and its initial state.
    fn model(&self) -> Result<(Model, State), Error> {
        let body = PlanarBody::new(self.mass, self.inertia);
        let block = PlanarBodies::new(vec![body], Vector2::new(0.0, -self.gravity))?;
        let [half_width, half_height] = self.corner;
        let corner = |(name, x): (&str, f64)| {
            let sphere = Sphere::on_body(0, Vector3::new(x, -half_height, 0.0), 0.0);
            contact(sphere, name, self.friction)
        };
        let corners = [("left corner", -half_width), ("right corner", half_width)].map(corner);
        let contacts = corners.into_iter().collect::<Result<_, Error>>()?;
        let (sin, cos) = self.angle.sin_cos();
        let lowest = half_height * cos + half_width * sin.abs();
        let coordinates = vec![0.0, lowest + self.height, self.angle];
        let start = State { time: 0.0, coordinates, velocity: vec![0.0; 3] };
        Ok((Model::new(Box::new(block), contacts)?, start))
    }
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Block>()?;
    let parameters = &fixture.parameters;
    let (model, start) = parameters.model()?;
    let mut tell = |fraction| progress(fraction, "A block rocks");
    let span = (parameters.duration, parameters.interval);
    let EventMotion { mut trajectory, mut report, .. } =
        follow(&model, &Poisson::default(), &start, span, &mut tell)?;
    experiment.faults().motion(&model, &mut trajectory, &mut report);
    let impacts: Vec<_> = impacts(&report).collect();
    let (limit, _) = accumulation(experiment.id, &report)?;
    let [landing, flat, ..] = impacts[..] else {
        return Err(Error::NoEvent {
            scenario: experiment.id.to_owned(),
            event: "the block lands flat",
        });
    };
    // The share that differs most from the expected one, among all impacts whose loss is larger than
    // rounding.
    let expected = parameters.share;
    let shares = impacts[1..].windows(2).filter(|pair| pair[1].lost > parameters.least_loss);
    let share = shares.map(|pair| pair[1].lost / pair[0].lost).fold(expected, |worst, share| {
        if (share - expected).abs() > (worst - expected).abs() { share } else { worst }
    });
    let mut measurements = experiment.measurements(&fixture);
    measurements.add("corner lands", landing.time);
    measurements.add("energy lost in the landing", landing.lost);
    measurements.add("block is flat for the first time", flat.time);
    measurements.add("share of the energy of rocking that the next impact leaves", share);
    measurements.add("time at which impacts accumulate", limit);
    measurements.add("energy lost in all", report.energy.impacts + report.energy.friction);
    measurements.add("speed at rest", speed(trajectory.end()));
    add_dependability(&mut measurements, &report);
    let angle = over(&trajectory, &report, ("angle", "angle", "rad"), |s| s.coordinates[2]);
    experiment.outcome(&fixture, measurements, vec![angle, energy(&trajectory, &report)])
}
