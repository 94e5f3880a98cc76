//! The internal friction of spheres over the friction of their contacts.
//!
//! Slow homogeneous shear has a stress ratio of its own for every coefficient of friction between the grains. It is the
//! tangent of the angle at which a thick layer stops to flow, the angle of repose without walls, ground and avalanches. The flows are
//! those of `bulk/shear`, each at a solid fraction at which its inertial number is small, and what the stress ratio has
//! beyond its limit at that number is taken off by the published law:
//!
//! ```math
//! \eta_s = \frac{\sigma_{xz}}{P} - \frac{\alpha}{(I_0 / I)^{\beta} + 1}.
//! ```
//!
//! # Source
//!
//! S. Chialvo, J. Sun, S. Sundaresan, "Bridging the rheology of granular flows in three regimes", *Physical Review E* 85 (2012)
//! 021305.

use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use super::{
    Efforts,
    shear::{self, Flow, Mixture, Run, Sheared},
};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// The flows, which differ in their friction.
    flows: Vec<Slow>,
    grains: Sheared,
    law: Law,
    efforts: Efforts<Run>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slow {
    friction: f64,
    /// Part of the box that grains fill.
    solid_fraction: f64,
}

/// What the stress ratio has beyond its limit for slow flows: `α`, `I_0` and `β`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Law {
    amplitude: f64,
    inertial_number: f64,
    exponent: f64,
}

impl Law {
    fn beyond(self, inertial_number: f64) -> f64 {
        self.amplitude / ((self.inertial_number / inertial_number).powf(self.exponent) + 1.0)
    }
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let (parameters, unchanged) = (&fixture.parameters, experiment.unchanged::<Parameters>()?);
    let run = parameters.efforts.at(options.effort);
    let mut measurements = experiment.measurements(&fixture);
    measurements.add("grains", f64::from(run.grains));
    let (mut points, mut courses) = (Vec::new(), Vec::new());
    let count = parameters.flows.len() as f64;
    for (index, (slow, known)) in parameters.flows.iter().zip(&unchanged.flows).enumerate() {
        let Slow { friction, solid_fraction } = *slow;
        let mixture = Mixture { friction, solid_fraction, seed: options.seed };
        let flow = Flow::run(&parameters.grains, &run, mixture, &mut |part| {
            progress((index as f64 + part) / count, experiment.title);
        })?;
        let name = format!("friction {}", known.friction);
        let slowest = flow.stress_ratio - parameters.law.beyond(flow.inertial_number);
        measurements.add(format!("{name}: inertial number"), flow.inertial_number);
        measurements.add(format!("{name}: stress ratio"), flow.stress_ratio);
        measurements.add(format!("{name}: stress ratio of slow flow"), slowest);
        measurements.add(format!("{name}: angle of slow flow"), slowest.atan().to_degrees());
        measurements.add(format!("{name}: deepest overlap, in diameters"), flow.overlap);
        measurements.add(format!("{name}: mean relative residual"), flow.residual);
        points.push([known.friction, slowest.atan().to_degrees()]);
        courses.push(drawing::line(&name, flow.course));
    }
    let angles = angles(&fixture, points);
    experiment.outcome(&fixture, measurements, vec![angles, shear::course(courses)])
}

fn angles(fixture: &crate::fixture::Fixture<Parameters>, points: Vec<[f64; 2]>) -> Figure {
    let published = |flow: &Slow| {
        let name = format!("friction {}: stress ratio of slow flow", flow.friction);
        let row = fixture.expected.iter().find(|row| row.quantity == name)?;
        Some([flow.friction, row.published?.atan().to_degrees()])
    };
    let published = fixture.parameters.flows.iter().filter_map(published).collect();
    Figure {
        id: "angles".to_owned(),
        title: "Angle of slow flow over friction".to_owned(),
        caption: "At which thick layers stop to flow, beside the published ones.".to_owned(),
        x: drawing::axis("coefficient of friction", ""),
        y: drawing::axis("angle", "°"),
        equal_aspect: false,
        map: None,
        series: vec![
            Series { label: "these flows".to_owned(), mark: Mark::Dots, points },
            Series { label: "published".to_owned(), mark: Mark::Dots, points: published },
        ],
    }
}
