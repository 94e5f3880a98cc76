//! Spheres settle under gravity to a random packing.
//!
//! Grains fall from a loose, shaken lattice into a box without side walls, because it repeats itself along `x` and `y`. The
//! solid fraction is weighed: mass per volume of the interior, over the density of the matter. The interior begins and
//! ends three diameters from the floor and from the surface, beyond the layers that a flat floor orders.
//!
//! Without friction the packing is as dense as a random one can be; with friction contacts can carry from fewer
//! neighbours, and it stays looser.

use nalgebra::Vector3;
use percussion_granular::{
    Periods, Wall, World,
    statistics::{ContactAverages, SolidProfile},
};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use super::{Efforts, Matter, Random};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    matter: Matter,
    /// Acceleration of gravity, down (m/s²).
    gravity: f64,
    /// Coefficients of friction, a packing for each.
    friction: Vec<f64>,
    /// Pitch of the lattice at the start (m).
    pitch: f64,
    /// Largest speed along each axis at the start (m/s).
    shake: f64,
    step_size: f64,
    tolerance: f64,
    /// Distance of the interior from the floor and from the surface, in mean diameters.
    margin: f64,
    efforts: Efforts<Run>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Numbers of grains along each axis of the lattice.
    lattice: [u32; 3],
    max_sweeps: usize,
    /// Duration (s).
    duration: f64,
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
    measurements.add("grains", f64::from(run.lattice.iter().product::<u32>()));
    let (mut profiles, mut points) = (Vec::new(), Vec::new());
    let count = parameters.friction.len() as f64;
    for (index, (friction, name)) in parameters.friction.iter().zip(&unchanged.friction).enumerate()
    {
        let packing = Packing::settle(parameters, &run, (*friction, options.seed), &mut |part| {
            progress((index as f64 + part) / count, experiment.title);
        })?;
        let weighed = packing.solid_fraction * parameters.matter.density / unchanged.matter.density;
        let name = format!("friction {name}");
        measurements.add(format!("{name}: solid fraction"), weighed);
        measurements.add(format!("{name}: contacts per grain"), packing.contacts);
        measurements.add(format!("{name}: deepest overlap, in diameters"), packing.overlap);
        measurements.add(format!("{name}: kinetic energy per grain, over m g d"), packing.moving);
        measurements.add(format!("{name}: relative residual at the end"), packing.residual);
        points.push([*friction, weighed]);
        profiles.push(drawing::line(&name, packing.profile));
    }
    experiment.outcome(&fixture, measurements, vec![profile(profiles), fractions(&fixture, points)])
}

/// Layers per diameter of the profile.
const LAYERS: f64 = 10.0;

/// A packing at the end of a run.
struct Packing {
    /// In the interior.
    solid_fraction: f64,
    /// Contacts per grain; a contact of two grains counts for both.
    contacts: f64,
    /// Deepest overlap (diameters).
    overlap: f64,
    /// Kinetic energy per grain over `m g d`.
    moving: f64,
    residual: f64,
    /// Solid fraction over the height (diameters).
    profile: Vec<[f64; 2]>,
}

impl Packing {
    fn settle(
        parameters: &Parameters,
        run: &Run,
        (friction, seed): (f64, u64),
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let Parameters { matter, gravity, pitch, step_size, .. } = *parameters;
        let sweeps = (run.max_sweeps, parameters.tolerance);
        let settings = super::settings((step_size, gravity), friction, sweeps);
        let [x, y] = [0, 1].map(|k| f64::from(run.lattice[k]) * pitch);
        let periods = Periods::new(Vector3::zeros(), [Some(x), Some(y), None]);
        let floor = Wall::plane(Vector3::zeros(), Vector3::z(), friction);
        let mut world = World::periodic(settings, vec![floor], periods)?;
        let lattice = (Vector3::zeros(), Vector3::repeat(pitch));
        let random = &mut Random::new(seed);
        matter.fill(&mut world, lattice, run.lattice, (random, parameters.shake), |_| true)?;
        let steps = super::steps(run.duration, step_size);
        let mut residual = 0.0;
        for step in 1..=steps {
            residual = world.step()?.relative_residual;
            progress(f64::from(step) / f64::from(steps));
        }
        Self::measure(&world, parameters, (x * y, residual))
    }

    fn measure(
        world: &World,
        parameters: &Parameters,
        (area, residual): (f64, f64),
    ) -> Result<Self, Error> {
        let (grains, diameter) = (world.grains(), parameters.matter.diameter());
        let mass = super::mass(world);
        // An even packing is twice as high as its center of mass.
        let height = 2.0 * grains.first_moment().z / mass;
        let layer = diameter / LAYERS;
        let layers = (0..).take_while(|k| f64::from(*k) * layer < height).count();
        let mut profile = SolidProfile::new(area, layers as f64 * layer, layers)?;
        profile.add(grains);
        let profile = profile.values();
        let margin = parameters.margin * diameter;
        let inside = profile.iter().filter(|[z, _]| *z > margin && *z < height - margin);
        let solid_fraction =
            inside.clone().map(|[_, part]| part).sum::<f64>() / inside.count() as f64;
        Ok(Self {
            solid_fraction,
            contacts: ContactAverages::of(world).coordination,
            overlap: world.overlap() / diameter,
            moving: grains.kinetic_energy() / (mass * parameters.gravity * diameter),
            residual,
            profile: profile.into_iter().map(|[z, part]| [z / diameter, part]).collect(),
        })
    }
}

fn profile(series: Vec<Series>) -> Figure {
    Figure {
        id: "profile".to_owned(),
        title: "Solid fraction over the height".to_owned(),
        caption: "Layers of a tenth of a diameter. A flat floor orders the grains over some three diameters.".to_owned(),
        x: drawing::axis("height", "diameters"),
        y: drawing::axis("solid fraction", ""),
        equal_aspect: false,
        map: None,
        series,
    }
}

/// The solid fractions beside those that judge them.
fn fractions(fixture: &crate::fixture::Fixture<Parameters>, points: Vec<[f64; 2]>) -> Figure {
    let published = |friction: &f64| {
        let name = format!("friction {friction}: solid fraction");
        let row = fixture.expected.iter().find(|row| row.quantity == name)?;
        Some([*friction, row.published?])
    };
    let published = fixture.parameters.friction.iter().filter_map(published).collect();
    Figure {
        id: "fractions".to_owned(),
        title: "Solid fraction over friction".to_owned(),
        caption: "Of the interior, beside the published ones.".to_owned(),
        x: drawing::axis("coefficient of friction", ""),
        y: drawing::axis("solid fraction", ""),
        equal_aspect: false,
        map: None,
        series: vec![
            Series { label: "these packings".to_owned(), mark: Mark::Dots, points },
            Series { label: "published".to_owned(), mark: Mark::Dots, points: published },
        ],
    }
}
