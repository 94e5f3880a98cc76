//! Spheres run out of round holes in a flat floor.
//!
//! The floor has a hole in each square of a grid, because the box repeats itself sideways, so that there are no side walls.
//! The flow does not depend on the height above the hole, as long as there are some hole diameters of it.
//!
//! By dimensions the mass flow through a hole of `R` grain diameters is `ρ_b √g d^(5/2) f(R)` with the bulk density `ρ_b`.
//! Two laws for `f` were fitted to measurements:
//!
//! ```math
//! f_1(R) = C\,(R - k)^{5/2}, \qquad
//! f_2(R) = C_\infty\,(R - 1)^{5/2}\,\bigl(1 - \tfrac12 e^{-b (R - 1)}\bigr).
//! ```
//!
//! The first, with `C = 0.58` and `k = 1.4`, is of holes that are large beside the grains. The second holds for small ones too: where
//! few grains are side by side the stream is thinner than in a large hole, down to half. Between 4 and 8 diameters the
//! ratio `f_2/f_1` stays between 0.74 and 0.80 with `C_∞ = 0.57`, which is why a law with the power `5/2` and a smaller `C` fits these holes.
//!
//! # Source
//!
//! W. A. Beverloo, H. A. Leniger, J. van de Velde, "The flow of granular solids through orifices", *Chemical Engineering
//! Science* 15 (1961) 260–269; C. Mankoc, A. Janda, R. Arévalo, J. M. Pastor, I. Zuriguel, A. Garcimartín, D. Maza, "The flow
//! rate of granular materials through an orifice", *Granular Matter* 9 (2007) 407–414.

use nalgebra::{Unit, Vector3};
use percussion_granular::{Frustum, Periods, Surface, Wall, World};
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
    friction: f64,
    /// Acceleration of gravity, down (m/s²).
    gravity: f64,
    /// Diameters of the holes, in mean diameters of the grains.
    holes: Vec<f64>,
    /// Distance between the edges of neighboring holes, in mean diameters.
    between: f64,
    /// Pitch of the lattice at the start, in mean diameters.
    pitch: f64,
    /// Largest speed along each axis at the start (m/s).
    shake: f64,
    step_size: f64,
    tolerance: f64,
    /// Solid fraction at rest, which the bulk density of the laws has.
    solid_fraction: f64,
    beverloo: Beverloo,
    mankoc: Mankoc,
    efforts: Efforts<Run>,
}

/// `C` and `k`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Beverloo {
    factor: f64,
    margin: f64,
}

/// Decay `b` of the thinning.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mankoc {
    decay: f64,
}

impl Mankoc {
    /// `f_2(R)` with `C_∞ = 1`.
    fn shape(self, hole: f64) -> f64 {
        (hole - 1.0).powf(2.5) * (1.0 - 0.5 * (-self.decay * (hole - 1.0)).exp())
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Number of layers at the start.
    layers: u32,
    max_sweeps: usize,
    /// Start and end of the measurement (s), multiples of [`super::REMOVAL`] steps.
    window: [f64; 2],
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let (parameters, unchanged) = (&fixture.parameters, experiment.unchanged::<Parameters>()?);
    let run = parameters.efforts.at(options.effort);
    // The laws know the grains and gravity of the file, whatever was changed.
    let diameter = unchanged.matter.diameter();
    let unit = unchanged.matter.density
        * unchanged.solid_fraction
        * unchanged.gravity.sqrt()
        * diameter.powf(2.5);
    let mut measurements = experiment.measurements(&fixture);
    let mut points = Vec::new();
    let count = parameters.holes.len() as f64;
    for (index, &hole) in unchanged.holes.iter().enumerate() {
        let outlet =
            Outlet::run(parameters, &run, (parameters.holes[index], options.seed), &mut |part| {
                progress((index as f64 + part) / count, experiment.title);
            })?;
        let name = format!("hole of {hole} diameters");
        let reduced = outlet.flow / unit;
        measurements.add(format!("{name}: mass flow"), outlet.flow);
        measurements.add(format!("{name}: grains that left"), outlet.left);
        measurements.add(format!("{name}: mean relative residual"), outlet.residual);
        let beverloo = unchanged.beverloo;
        let large = beverloo.factor * (hole - beverloo.margin).powf(2.5);
        measurements.add(format!("{name}: mass flow over Beverloo's law"), reduced / large);
        points.push([hole, reduced]);
    }
    let shape = |hole: f64| unchanged.mankoc.shape(hole);
    // Of all holes together, so that those through which few grains leave count little.
    let [flows, shapes] = points
        .iter()
        .fold([0.0; 2], |[flows, shapes], [hole, flow]| [flows + flow, shapes + shape(*hole)]);
    let factor = flows / shapes;
    measurements.add("factor of large holes", factor);
    let apart = |[hole, flow]: &[f64; 2]| (flow / (factor * shape(*hole)) - 1.0).abs();
    let worst = points.iter().map(apart).fold(0.0, f64::max);
    measurements.add("largest relative distance from the law of small holes", worst);
    let (small, margin) = fit(&points);
    measurements.add("Beverloo's law fitted to these holes: factor", small);
    measurements.add("Beverloo's law fitted to these holes: margin, in grain diameters", margin);
    experiment.outcome(&fixture, measurements, vec![figure(&unchanged, &points, factor)])
}

/// The flow out of one hole.
struct Outlet {
    /// Mass per time (kg/s).
    flow: f64,
    /// Number of grains that left in the window.
    left: f64,
    residual: f64,
}

impl Outlet {
    fn run(
        parameters: &Parameters,
        run: &Run,
        (hole, seed): (f64, u64),
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let Parameters { matter, step_size, .. } = *parameters;
        let mut world = world(parameters, run, (hole, seed))?;
        let [begin, end] = run.window.map(|time| super::steps(time, step_size));
        let (mut residual, mut left) = (0.0, 0.0);
        for step in 1..=end {
            residual += world.step()?.relative_residual / f64::from(end);
            if step.is_multiple_of(super::REMOVAL) {
                let gone = world.remove(|grain| grain.position.z < -2.0 * matter.diameter());
                left += if step > begin { gone as f64 } else { 0.0 };
            }
            progress(f64::from(step) / f64::from(end));
        }
        let time = f64::from(end - begin) * step_size;
        Ok(Self { flow: left * matter.mean_mass() / time, left, residual })
    }
}

/// Layers of grains over a floor with a hole.
fn world(parameters: &Parameters, run: &Run, (hole, seed): (f64, u64)) -> Result<World, Error> {
    let Parameters { matter, friction, step_size, .. } = *parameters;
    let diameter = matter.diameter();
    let edge = (hole + parameters.between) * diameter;
    let periods = Periods::new(Vector3::repeat(-0.5 * edge), [Some(edge), Some(edge), None]);
    let floor = Frustum {
        base: Vector3::zeros(),
        axis: Unit::new_normalize(Vector3::z()),
        height: 0.0,
        radii: [0.5 * hole * diameter, edge],
    };
    let sweeps = (run.max_sweeps, parameters.tolerance);
    let settings = super::settings((step_size, parameters.gravity), friction, sweeps);
    let floor = Wall::fixed(Surface::Frustum(floor), friction);
    let mut world = World::periodic(settings, vec![floor], periods)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let across = ((hole + parameters.between) / parameters.pitch).floor() as u32;
    let pitch = Vector3::new(edge, edge, f64::from(across) * parameters.pitch * diameter)
        / f64::from(across);
    let low = Vector3::new(-0.5 * edge, -0.5 * edge, 0.0);
    let random = &mut Random::new(seed);
    let counts = [across, across, run.layers];
    matter.fill(&mut world, (low, pitch), counts, (random, parameters.shake), |_| true)?;
    Ok(world)
}

/// Factor and margin of Beverloo's law by least squares of the power `2/5` of the flow, which is linear.
fn fit(points: &[[f64; 2]]) -> (f64, f64) {
    let roots: Vec<_> = points.iter().map(|[hole, flow]| [*hole, flow.powf(0.4)]).collect();
    let [slope, margin] = super::line(&roots);
    (slope.powf(2.5), margin)
}

fn figure(parameters: &Parameters, points: &[[f64; 2]], factor: f64) -> Figure {
    let last = points.iter().map(|point| point[0]).fold(2.0, f64::max);
    let curve = |law: &dyn Fn(f64) -> f64| -> Vec<[f64; 2]> {
        let holes = (0..=60).map(|k| 2.0 + (last - 1.0) * f64::from(k) / 60.0);
        holes.map(|hole| [hole, law(hole).powf(0.4)]).collect()
    };
    let Beverloo { factor: large, margin } = parameters.beverloo;
    let measured = points.iter().map(|[hole, flow]| [*hole, flow.powf(0.4)]).collect();
    Figure {
        id: "flow".to_owned(),
        title: "Mass flow over the diameter of the hole".to_owned(),
        caption: "The power 2/5 of the flow over that of the bulk density, of gravity and of the diameter of a grain: a straight line by \
                  Beverloo's law."
            .to_owned(),
        x: drawing::axis("hole", "grain diameters"),
        y: drawing::axis("flow to the power 2/5", ""),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::line("Beverloo", curve(&|hole| large * (hole - margin).max(0.0).powf(2.5))),
            drawing::line("law of small holes", curve(&|hole| factor * parameters.mankoc.shape(hole))),
            Series { label: "these holes".to_owned(), mark: Mark::Dots, points: measured },
        ],
    }
}
