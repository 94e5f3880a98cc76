//! A layer of grains that flows steadily down rough ground.
//!
//! The layer repeats itself along and across the slope, the ground is of fixed balls. Stresses grow linearly with the depth below the
//! surface, and the ratio of shear stress to pressure is that of the slope everywhere. If the ratio depends on the inertial number
//! `I = γ̇ d √(ρ/P)` alone, `I` is the same at every depth, and so is the solid fraction:
//!
//! ```math
//! \dot γ = A \sqrt{\frac{g (h - z)}{d^2}}, \qquad v = v_0 + \tfrac23 A \sqrt{\frac{g}{d^2}}\,\bigl(h^{3/2} - (h - z)^{3/2}\bigr),
//! \qquad A = I \sqrt{φ \cos θ}.
//! ```
//!
//! `A`, which the source calls Bagnold's constant, is measured by the fit of this profile to the layers of the flow that are away from
//! the ground and the surface. The height `h` of the flow follows from the height of its center of mass.
//!
//! # Source
//!
//! L. E. Silbert, D. Ertas, G. S. Grest, T. C. Halsey, D. Levine, S. J. Plimpton, "Granular flow down an inclined plane: Bagnold
//! scaling and rheology", *Physical Review E* 64 (2001) 051302.

use nalgebra::{Isometry3, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Periods, Settings, Wall, World, statistics::SolidProfile};
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
    /// Acceleration of gravity (m/s²).
    gravity: f64,
    /// Slope of the ground (°).
    slope: f64,
    /// Pitch of the lattice at the start, in mean diameters.
    pitch: f64,
    /// Largest speed along each axis at the start, beside that of the flow (m/s).
    shake: f64,
    /// `A` at the start.
    begin: f64,
    step_size: f64,
    tolerance: f64,
    /// Distance from ground and surface of what is measured (diameters).
    margin: f64,
    efforts: Efforts<Run>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Edges of the ground, in diameters: so many balls along and across.
    ground: [u32; 2],
    /// Numbers of grains along the slope, across it and upward at the start.
    lattice: [u32; 3],
    max_sweeps: usize,
    /// Time until averages begin, and until the end (`√(d/g)`).
    times: [f64; 2],
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
    let mut report = |part: f64| progress(part, experiment.title);
    let flow = Flow::run(parameters, &run, options.seed, &mut report)?;
    measurements.add("grains", f64::from(run.lattice.iter().product::<u32>()));
    measurements.add("height, in diameters", flow.height);
    measurements.add("solid fraction", flow.solid_fraction);
    measurements.add("A", flow.constant);
    measurements.add("inertial number", flow.inertial_number);
    measurements.add("slip at the ground, in √(g d)", flow.slip);
    measurements.add("speed at the surface, in √(g d)", flow.fastest);
    measurements
        .add("largest deviation from the profile, of the speed at the surface", flow.deviation);
    measurements.add("acceleration, in g", flow.acceleration);
    measurements.add("mean relative residual", flow.residual);
    experiment.outcome(&fixture, measurements, vec![velocities(&flow), fractions(&flow)])
}

/// Layers in which a diameter is divided for averages.
const LAYERS: f64 = 2.0;

/// What a steady flow is like; lengths in diameters, times in `√(d/g)`.
struct Flow {
    height: f64,
    solid_fraction: f64,
    constant: f64,
    inertial_number: f64,
    slip: f64,
    fastest: f64,
    deviation: f64,
    acceleration: f64,
    residual: f64,
    /// Speed over the height, and by the law with the fitted constant.
    speeds: Vec<[f64; 2]>,
    law: Vec<[f64; 2]>,
    fractions: Vec<[f64; 2]>,
}

impl Flow {
    fn run(
        parameters: &Parameters,
        run: &Run,
        seed: u64,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let Parameters { matter, gravity, step_size, .. } = *parameters;
        let diameter = matter.diameter();
        let unit = (diameter / gravity).sqrt();
        let mut world = world(parameters, run, seed)?;
        let mass = super::mass(&world);
        let [begin, end] = run.times.map(|time| super::steps(time * unit, step_size));
        let area = f64::from(run.ground[0] * run.ground[1]) * diameter.powi(2);
        let layers = LAYERS * 2.0 * f64::from(run.lattice[2]);
        let mut solid = SolidProfile::new(
            area,
            layers / LAYERS * diameter,
            super::steps(layers, 1.0) as usize,
        )?;
        let mut sums = vec![[0.0; 2]; super::steps(layers, 1.0) as usize];
        let (mut residual, mut height, mut times, mut first) = (0.0, 0.0, 0.0, 0.0);
        for step in 0..end {
            residual += world.step()?.relative_residual;
            if step == begin {
                first = world.grains().momentum().x / mass;
            }
            if step >= begin && step % SAMPLE == 0 {
                let grains = world.grains();
                times += 1.0;
                height += grains.first_moment().z / mass / diameter;
                solid.add(grains);
                for (index, at) in grains.positions().iter().enumerate() {
                    let layer = super::steps((LAYERS * at.z / diameter - 0.5).max(0.0), 1.0);
                    if let Some([moved, mass]) = sums.get_mut(layer as usize) {
                        *moved += grains.mass(index) * grains.velocity(index).x;
                        *mass += grains.mass(index);
                    }
                }
                progress(f64::from(step) / f64::from(end));
            }
        }
        let time = f64::from(end - begin) * step_size;
        let acceleration = (world.grains().momentum().x / mass - first) / time / gravity;
        let speed = |(layer, [moved, mass]): (usize, &[f64; 2])| {
            let at = (layer as f64 + 0.5) / LAYERS;
            (*mass > 0.0).then_some([at, moved / mass / (gravity * diameter).sqrt()])
        };
        let flow = Self {
            height: 2.0 * height / times,
            acceleration,
            residual: residual / f64::from(end),
            speeds: sums.iter().enumerate().filter_map(speed).collect(),
            fractions: solid.values().into_iter().map(|[z, part]| [z / diameter, part]).collect(),
            ..Self::nothing()
        };
        Ok(flow.fitted(parameters))
    }

    const fn nothing() -> Self {
        Self {
            height: 0.0,
            solid_fraction: 0.0,
            constant: 0.0,
            inertial_number: 0.0,
            slip: 0.0,
            fastest: 0.0,
            deviation: 0.0,
            acceleration: 0.0,
            residual: 0.0,
            speeds: Vec::new(),
            law: Vec::new(),
            fractions: Vec::new(),
        }
    }

    /// Fits the law to the layers away from ground and surface.
    fn fitted(mut self, parameters: &Parameters) -> Self {
        let height = self.height;
        let (low, high) = (parameters.margin, height - parameters.margin);
        let inside = |z: f64| z > low && z < high;
        let fractions: Vec<f64> =
            self.fractions.iter().filter(|[z, _]| inside(*z)).map(|[_, part]| *part).collect();
        self.solid_fraction = fractions.iter().sum::<f64>() / fractions.len() as f64;
        // The speed is linear in this function of the height.
        let shape = |z: f64| 2.0 / 3.0 * (height.powf(1.5) - (height - z).max(0.0).powf(1.5));
        let inner = self.speeds.iter().filter(|[z, _]| inside(*z));
        let points: Vec<[f64; 2]> = inner.map(|[z, v]| [shape(*z), *v]).collect();
        let [constant, zero] = super::line(&points);
        let law = |x: f64| constant * (x - zero);
        self.constant = constant;
        self.slip = law(0.0);
        self.fastest = law(shape(height));
        let off = points.iter().map(|[x, v]| (v - law(*x)).abs()).fold(0.0, f64::max);
        self.deviation = off / self.fastest;
        let cosine = parameters.slope.to_radians().cos();
        self.inertial_number = constant / (self.solid_fraction * cosine).sqrt();
        let line = self.speeds.iter().filter(|[z, _]| *z < height);
        self.law = line.map(|[z, _]| [*z, law(shape(*z))]).collect();
        self
    }
}

/// Steps between two samples.
const SAMPLE: u32 = 10;

/// A lattice of grains over ground of balls, with the velocities of a steady flow.
fn world(parameters: &Parameters, run: &Run, seed: u64) -> Result<World, Error> {
    let Parameters { matter, gravity, pitch, step_size, friction, slope, begin, .. } = *parameters;
    let diameter = matter.diameter();
    let [long, wide] = run.ground.map(|count| f64::from(count) * diameter);
    let settings =
        super::settings((step_size, gravity), friction, (run.max_sweeps, parameters.tolerance));
    let (sine, cosine) = slope.to_radians().sin_cos();
    let settings = Settings { gravity: gravity * Vector3::new(sine, 0.0, -cosine), ..settings };
    let random = &mut Random::new(seed);
    let walls = balls(run.ground, diameter, friction, random);
    let periods = Periods::new(Vector3::zeros(), [Some(long), Some(wide), None]);
    let mut world = World::periodic(settings, walls, periods)?;
    let [along, across, layers] = run.lattice;
    let even = [long / f64::from(along), wide / f64::from(across)];
    let pitch = Vector3::new(even[0], even[1], pitch * diameter);
    let mut still = World::new(settings, vec![])?;
    let shake = (random, parameters.shake);
    matter.fill(&mut still, (Vector3::zeros(), pitch), run.lattice, shake, |_| true)?;
    // The flow becomes as high as its solid fraction makes it; its velocities are those of the place in the lattice.
    let top = f64::from(layers) * pitch.z / diameter;
    for index in 0..still.grains().len() {
        let mut grain = still.grains().grain(index);
        let below = (1.0 - grain.position.z / diameter / top).max(0.0);
        let height = top * DENSER;
        let speed = 2.0 / 3.0 * begin * height.powf(1.5) * (1.0 - below.powf(1.5));
        grain.velocity.x += speed * (gravity * diameter).sqrt();
        world.add(&grain)?;
    }
    Ok(world)
}

/// Height of the flow over that of the lattice, about.
const DENSER: f64 = 0.65;

/// Balls of the diameter of a grain on a square lattice below `z = 0`, each displaced by up to a quarter of a diameter; those
/// of the other end lie beyond the first and the last ones.
fn balls([long, wide]: [u32; 2], diameter: f64, friction: f64, random: &mut Random) -> Vec<Wall> {
    let mut walls = Vec::new();
    for node in 0..long * wide {
        let place = Vector3::new(f64::from(node % long) + 0.5, f64::from(node / long) + 0.5, -0.75);
        let place = place + 0.25 * random.vector();
        let images = |count: u32, at: f64| {
            let count = f64::from(count);
            [at - count, at, at + count]
                .into_iter()
                .filter(move |x| *x > -BEYOND && *x < count + BEYOND)
        };
        for x in images(long, place.x) {
            for y in images(wide, place.y) {
                let at = diameter * Vector3::new(x, y, place.z);
                let ball = Shape::Sphere { radius: 0.5 * diameter };
                walls.push(Wall::solid(ball, Isometry3::from(at), friction));
            }
        }
    }
    walls
}

/// Distance beyond the ground up to which the balls of the other end are (diameters).
const BEYOND: f64 = 2.5;

fn velocities(flow: &Flow) -> Figure {
    Figure {
        id: "velocities".to_owned(),
        title: "Speed over the height".to_owned(),
        caption:
            "The line is the law with the constant that is fitted away from ground and surface."
                .to_owned(),
        x: drawing::axis("height in diameters", ""),
        y: drawing::axis("speed over √(g d)", ""),
        equal_aspect: false,
        map: None,
        series: vec![
            Series { label: "grains".to_owned(), mark: Mark::Dots, points: flow.speeds.clone() },
            drawing::line("law", flow.law.clone()),
        ],
    }
}

fn fractions(flow: &Flow) -> Figure {
    let points = flow.fractions.iter().filter(|[_, part]| *part > 0.0).copied().collect();
    Figure {
        id: "solid-fraction".to_owned(),
        title: "Solid fraction over the height".to_owned(),
        caption: "Nearly the same at all heights.".to_owned(),
        x: drawing::axis("height in diameters", ""),
        y: drawing::axis("solid fraction", ""),
        equal_aspect: false,
        map: None,
        series: vec![drawing::line("grains", points)],
    }
}
