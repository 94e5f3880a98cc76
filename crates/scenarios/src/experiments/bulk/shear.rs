//! Spheres in homogeneous simple shear, without walls and gravity.
//!
//! The box repeats itself along all axes, and the images above it move along `x` (Lees and Edwards). Its volume is fixed, and
//! the pressure `P = σ_zz` is what the contacts and the motion of the grains make of it. For rigid grains there is no other
//! time than that of the shear, so that stress over pressure can only depend on the inertial number:
//!
//! ```math
//! I = \dot\gamma\, d \sqrt{\rho / P}, \qquad
//! \mu(I) = \mu_s + \frac{\mu_2 - \mu_s}{I_0 / I + 1}.
//! ```
//!
//! # Source
//!
//! P. Jop, Y. Forterre, O. Pouliquen, "A constitutive law for dense granular flows", *Nature* 441 (2006) 727–730, equation 1.

use nalgebra::{Matrix3, Vector3};
use percussion_granular::{Correction, Periods, Settings, World, statistics::ContactAverages};
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
    friction: f64,
    /// Parts of the box that grains fill, a flow for each.
    solid_fractions: Vec<f64>,
    grains: Sheared,
    law: Law,
    efforts: Efforts<Run>,
}

/// The grains of a flow, and its steps.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sheared {
    matter: Matter,
    /// Shear rate (1/s).
    shear_rate: f64,
    step_size: f64,
    tolerance: f64,
    /// Steps in which the overlaps of the random start are removed.
    relaxation: u32,
    /// Strain at which averages begin.
    averages_from: f64,
}

/// The published law of the stress ratio.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Law {
    /// Angles whose tangents are `μ_s` and `μ_2` (degrees).
    slow: f64,
    fast: f64,
    /// `I_0`.
    inertial_number: f64,
}

impl Law {
    fn stress_ratio(&self, inertial_number: f64) -> f64 {
        let [slow, fast] = [self.slow, self.fast].map(|angle| angle.to_radians().tan());
        slow + (fast - slow) / (self.inertial_number / inertial_number + 1.0)
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    /// Number of grains.
    pub(super) grains: u32,
    max_sweeps: usize,
    /// Strain at the end.
    strain: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let run = parameters.efforts.at(options.effort);
    let mut measurements = experiment.measurements(&fixture);
    measurements.add("grains", f64::from(run.grains));
    let (mut points, mut courses) = (Vec::new(), Vec::new());
    let count = parameters.solid_fractions.len() as f64;
    for (index, &solid_fraction) in parameters.solid_fractions.iter().enumerate() {
        let mixture = Mixture { friction: parameters.friction, solid_fraction, seed: options.seed };
        let flow = Flow::run(&parameters.grains, &run, mixture, &mut |part| {
            progress((index as f64 + part) / count, experiment.title);
        })?;
        let name = format!("solid fraction {solid_fraction}");
        let beyond = flow.stress_ratio - parameters.law.stress_ratio(flow.inertial_number);
        measurements.add(format!("{name}: inertial number"), flow.inertial_number);
        measurements.add(format!("{name}: stress ratio"), flow.stress_ratio);
        measurements.add(format!("{name}: stress ratio beyond the law"), beyond);
        measurements.add(format!("{name}: stress along the flow over pressure"), flow.ratios[0]);
        measurements
            .add(format!("{name}: stress along the vorticity over pressure"), flow.ratios[1]);
        measurements.add(format!("{name}: contacts per grain"), flow.contacts);
        measurements.add(format!("{name}: deepest overlap, in diameters"), flow.overlap);
        measurements.add(format!("{name}: mean relative residual"), flow.residual);
        points.push([flow.inertial_number, flow.stress_ratio]);
        courses.push(drawing::line(&name, flow.course));
    }
    experiment.outcome(&fixture, measurements, vec![law(parameters, points), course(courses)])
}

/// What differs between flows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixture {
    pub(super) friction: f64,
    /// Part of the box that grains fill.
    pub(super) solid_fraction: f64,
    /// Seed of the start.
    pub(super) seed: u64,
}

/// Averages of one flow.
pub(super) struct Flow {
    pub(super) inertial_number: f64,
    /// `σ_xz` over the pressure `σ_zz`.
    pub(super) stress_ratio: f64,
    /// `σ_xx` and `σ_yy` over the pressure.
    ratios: [f64; 2],
    contacts: f64,
    /// Deepest overlap (diameters).
    pub(super) overlap: f64,
    pub(super) residual: f64,
    /// Stress ratio over the strain, means of [`PIECE`].
    pub(super) course: Vec<[f64; 2]>,
}

/// Strain over which the course is averaged.
const PIECE: f64 = 0.25;

impl Flow {
    pub(super) fn run(
        sheared: &Sheared,
        run: &Run,
        mixture: Mixture,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let Sheared { matter, shear_rate, step_size, .. } = *sheared;
        let (mut world, edge) = start(sheared, run, mixture)?;
        let strain_of_step = shear_rate * step_size;
        let steps = super::steps(run.strain, strain_of_step);
        let mut flow = Self {
            inertial_number: 0.0,
            stress_ratio: 0.0,
            ratios: [0.0; 2],
            contacts: 0.0,
            overlap: 0.0,
            residual: 0.0,
            course: Vec::new(),
        };
        let mut counted = 0.0;
        let (mut mean, mut piece) = (Matrix3::zeros(), Matrix3::zeros());
        for step in 1..=steps {
            let report = world.step()?;
            progress(f64::from(step) / f64::from(steps));
            let contacts = ContactAverages::of(&world);
            let stress = (contacts.virial + motion(&world, shear_rate)) / edge.powi(3);
            piece += stress;
            let strain = f64::from(step) * strain_of_step;
            if (strain / PIECE).floor() > ((strain - strain_of_step) / PIECE).floor() {
                flow.course.push([strain, -piece[(0, 2)] / piece[(2, 2)]]);
                piece = Matrix3::zeros();
            }
            if strain > sheared.averages_from {
                mean += stress;
                counted += 1.0;
                flow.contacts += contacts.coordination;
                flow.residual += report.relative_residual;
                flow.overlap = flow.overlap.max(report.overlap / matter.diameter());
            }
        }
        mean /= counted;
        flow.contacts /= counted;
        flow.residual /= counted;
        let pressure = mean[(2, 2)];
        flow.inertial_number = shear_rate * matter.diameter() * (matter.density / pressure).sqrt();
        flow.stress_ratio = -mean[(0, 2)] / pressure;
        flow.ratios = [0, 1].map(|k| mean[(k, k)] / pressure);
        Ok(flow)
    }
}

/// A box of grains that move with the mean velocity of the shear, and its edge (m).
fn start(sheared: &Sheared, run: &Run, mixture: Mixture) -> Result<(World, f64), Error> {
    let Sheared { matter, shear_rate, step_size, .. } = *sheared;
    let Mixture { friction, solid_fraction, seed } = mixture;
    let random = &mut Random::new(seed);
    let mut grains: Vec<_> =
        (0..run.grains).map(|_| matter.grain(Vector3::zeros(), random)).collect();
    let volume: f64 = grains.iter().map(|grain| grain.mass / matter.density).sum();
    let edge = (volume / solid_fraction).cbrt();
    let sweeps = (run.max_sweeps, sheared.tolerance);
    let settings = super::settings((step_size, 0.0), friction, sweeps);
    let periods = Periods::new(Vector3::repeat(-0.5 * edge), [Some(edge); 3]);
    // Grains at random places are moved apart, without velocities.
    let apart = Settings { correction: Correction::Position { part: 1.0, sweeps: 50 }, ..settings };
    let mut relaxed = World::periodic(apart, vec![], periods)?;
    for grain in &mut grains {
        grain.position = 0.5 * edge * random.vector();
        relaxed.add(grain)?;
    }
    for _ in 0..sheared.relaxation {
        relaxed.step()?;
    }
    let mut world = World::periodic(settings, vec![], periods.sheared(shear_rate * edge))?;
    for place in 0..relaxed.grains().len() {
        let mut grain = relaxed.grains().grain(place);
        grain.velocity.x = shear_rate * grain.position.z;
        world.add(&grain)?;
    }
    Ok((world, edge))
}

/// `Σ m v vᵀ` with velocities relative to the mean shear (J).
fn motion(world: &World, shear_rate: f64) -> Matrix3<f64> {
    let grains = world.grains();
    let part = |(k, position): (usize, &Vector3<f64>)| {
        let velocity = grains.velocity(k) - Vector3::new(shear_rate * position.z, 0.0, 0.0);
        grains.mass(k) * velocity * velocity.transpose()
    };
    grains.positions().iter().enumerate().map(part).sum()
}

fn law(parameters: &Parameters, points: Vec<[f64; 2]>) -> Figure {
    let last = points.iter().map(|point| point[0]).fold(0.1, f64::max);
    let curve = (1..=60).map(|k| 1.2 * last * f64::from(k) / 60.0);
    let curve = curve.map(|at| [at, parameters.law.stress_ratio(at)]).collect();
    Figure {
        id: "law".to_owned(),
        title: "Stress ratio over the inertial number".to_owned(),
        caption: "Averages of each flow, and the law of Jop, Forterre and Pouliquen with the constants of glass beads."
            .to_owned(),
        x: drawing::axis("inertial number", ""),
        y: drawing::axis("stress ratio", ""),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::line("law of glass beads", curve),
            Series { label: "these flows".to_owned(), mark: Mark::Dots, points },
        ],
    }
}

pub(super) fn course(series: Vec<Series>) -> Figure {
    Figure {
        id: "course".to_owned(),
        title: "Stress ratio over the strain".to_owned(),
        caption: format!("Means over a strain of {PIECE}."),
        x: drawing::axis("strain", ""),
        y: drawing::axis("stress ratio", ""),
        equal_aspect: false,
        map: None,
        series,
    }
}
