//! A layer of grains that comes to rest on a slope.
//!
//! The layer repeats itself along and across rough ground, so that it has no ends, and flows down. The slope becomes less, until it
//! stops. The ground takes from its momentum what the component of gravity along the slope does not bring: for the acceleration `a` of
//! the layer on a slope `θ` the friction of the ground is
//!
//! ```math
//! \frac{F_x}{F_z} = \tan θ - \frac{a}{g \cos θ},
//! ```
//!
//! of which the mean over the last moments before the stop is the tangent of the angle of repose: the slope at which the layer would have
//! stopped by itself. A heap has the same angle, but a surface of few grains, which differs from heap to heap.
//!
//! # Source
//!
//! L. E. Silbert, D. Ertas, G. S. Grest, T. C. Halsey, D. Levine, S. J. Plimpton, "Granular flow down an inclined plane: Bagnold
//! scaling and rheology", *Physical Review E* 64 (2001) 051302 (the geometry).

use nalgebra::Vector3;
use percussion_granular::{Periods, Settings, World};
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
    /// Acceleration of gravity (m/s²).
    gravity: f64,
    /// The layers, which differ in their friction.
    layers: Vec<Layer>,
    /// Coefficient of friction of the ground.
    ground: f64,
    /// Pitch of the lattice at the start, in mean diameters.
    pitch: f64,
    /// Largest speed along each axis at the start (m/s).
    shake: f64,
    step_size: f64,
    tolerance: f64,
    /// Time before the slope changes (s), and how fast it becomes less (°/s).
    hold: f64,
    rate: f64,
    /// Mean speed at which a layer has stopped, in `√(g d)`.
    stop: f64,
    /// Time before the stop over which the friction is averaged (s).
    window: f64,
    efforts: Efforts<Run>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    friction: f64,
    /// Slope at the start (°).
    slope: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Number of rods in a period of the ground.
    rods: u32,
    /// Numbers of grains along the slope, across it and upward at the start.
    lattice: [u32; 3],
    max_sweeps: usize,
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
    let (mut points, mut courses) = (Vec::new(), Vec::new());
    let count = parameters.layers.len() as f64;
    for (index, (layer, known)) in parameters.layers.iter().zip(&unchanged.layers).enumerate() {
        let stop = Stop::run(parameters, &run, (*layer, options.seed), &mut |part| {
            progress((index as f64 + part) / count, experiment.title);
        })?;
        let name = format!("friction {}", known.friction);
        measurements.add(format!("{name}: angle of repose"), stop.angle);
        measurements.add(format!("{name}: slope at the stop"), stop.slope);
        measurements.add(format!("{name}: height, in diameters"), stop.height);
        measurements.add(format!("{name}: mean relative residual"), stop.residual);
        points.push([known.friction, stop.angle]);
        courses.push(drawing::line(&name, stop.course));
    }
    let published = |layer: &Layer| {
        let name = format!("friction {}: angle of repose", layer.friction);
        let row = fixture.expected.iter().find(|row| row.quantity == name)?;
        Some([layer.friction, row.published?])
    };
    let published = unchanged.layers.iter().filter_map(published).collect();
    experiment.outcome(&fixture, measurements, vec![angles(points, published), course(courses)])
}

/// Steps between two changes of the slope.
const PIECE: u32 = 25;

/// A layer that has stopped.
struct Stop {
    /// Angle of repose, and slope of the ground at the stop (°).
    angle: f64,
    slope: f64,
    /// Height (diameters).
    height: f64,
    residual: f64,
    /// Mean speed (`√(g d)`) over the slope (°).
    course: Vec<[f64; 2]>,
}

impl Stop {
    fn run(
        parameters: &Parameters,
        run: &Run,
        (layer, seed): (Layer, u64),
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let Parameters { gravity, step_size, hold, rate, .. } = *parameters;
        let diameter = parameters.matter.diameter();
        let mut world = world(parameters, run, (layer, seed))?;
        let mass = super::mass(&world);
        let settings = *world.settings();
        let unit = (gravity * diameter).sqrt();
        let piece = f64::from(PIECE) * step_size;
        let back = super::steps(parameters.window, piece) as usize;
        let (mut slope, mut residual, mut steps) = (layer.slope, 0.0, 0.0);
        let mut course = vec![[slope, 0.0]];
        // A layer that is still moving on level ground does not stop.
        while slope > 0.0 {
            for _ in 0..PIECE {
                residual += world.step()?.relative_residual;
                steps += 1.0;
            }
            let speed = world.grains().momentum().x / mass / unit;
            course.push([slope, speed]);
            if steps * step_size > hold {
                slope -= rate * piece;
                if speed < parameters.stop {
                    break;
                }
                world.set_settings(tilted(settings, gravity, slope))?;
            }
            progress((1.0 - slope / layer.slope).clamp(0.0, 1.0));
        }
        progress(1.0);
        let last = course.len() - 1;
        let [[before, fast], [after, slow]] = [course[last.saturating_sub(back)], course[last]];
        let middle = (0.5 * (before + after)).to_radians();
        let acceleration = (slow - fast) * unit / (back as f64 * piece);
        let friction = middle.tan() - acceleration / (gravity * middle.cos());
        Ok(Self {
            angle: friction.atan().to_degrees(),
            slope: after,
            height: 2.0 * world.grains().first_moment().z / mass / diameter,
            residual: residual / steps,
            course,
        })
    }
}

/// The settings on a slope (°).
fn tilted(settings: Settings, gravity: f64, slope: f64) -> Settings {
    let (sin, cos) = slope.to_radians().sin_cos();
    Settings { gravity: gravity * Vector3::new(sin, 0.0, -cos), ..settings }
}

/// A lattice of grains over rough ground.
fn world(parameters: &Parameters, run: &Run, (layer, seed): (Layer, u64)) -> Result<World, Error> {
    let Parameters { matter, gravity, pitch, step_size, ground, .. } = *parameters;
    let diameter = matter.diameter();
    let long = f64::from(run.rods) * super::GAP * diameter;
    let wide = f64::from(run.lattice[1]) * pitch * diameter;
    let sweeps = (run.max_sweeps, parameters.tolerance);
    let settings = super::settings((step_size, gravity), layer.friction, sweeps);
    let random = &mut Random::new(seed);
    let walls = super::rough((run.rods, 2), (diameter, wide), ground, random);
    let periods = Periods::new(Vector3::zeros(), [Some(long), Some(wide), None]);
    let mut world = World::periodic(tilted(settings, gravity, layer.slope), walls, periods)?;
    let along = long / f64::from(run.lattice[0]);
    let pitch = Vector3::new(along, pitch * diameter, pitch * diameter);
    let shake = (random, parameters.shake);
    matter.fill(&mut world, (Vector3::zeros(), pitch), run.lattice, shake, |_| true)?;
    Ok(world)
}

fn angles(points: Vec<[f64; 2]>, published: Vec<[f64; 2]>) -> Figure {
    Figure {
        id: "angles".to_owned(),
        title: "Angle of repose over friction".to_owned(),
        caption: "Beside the published angles of internal friction.".to_owned(),
        x: drawing::axis("coefficient of friction", ""),
        y: drawing::axis("angle", "°"),
        equal_aspect: false,
        map: None,
        series: vec![
            Series { label: "these layers".to_owned(), mark: Mark::Dots, points },
            Series { label: "published".to_owned(), mark: Mark::Dots, points: published },
        ],
    }
}

fn course(series: Vec<Series>) -> Figure {
    Figure {
        id: "course".to_owned(),
        title: "Mean speed over the slope".to_owned(),
        caption: "From right to left: the layers start at rest on a slope that stays for a while, and then becomes less.".to_owned(),
        x: drawing::axis("slope", "°"),
        y: drawing::axis("mean speed over √(g d)", ""),
        equal_aspect: false,
        map: None,
        series,
    }
}
