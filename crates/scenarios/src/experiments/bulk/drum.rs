//! Grains in a drum that turns, without end walls: the drum repeats itself along its axis.
//!
//! The shell is of rods along the axis, side by side on a circle, which turn with the drum. A single grain in the gap between two rods is
//! carried around, or rolls over the one in front of it. In the frame of the drum gravity and the centrifugal force act on the grain; at
//! the Froude number `Fr = ω² r/g` of its center their sum deviates from the radius by at most `arcsin(1/Fr)`. The gap holds the grain
//! as long as the sum points between the rods, at whose centers the grain sees the angle `± ψ`. The rod behind it then pushes all the way
//! around, if
//!
//! ```math
//! \mathrm{Fr} \ge \frac1{\sin ψ} = \frac{d + d_\mathrm{rod}}{s}
//! ```
//!
//! for the distance `s` of the rods. Friction does not change this as long as `μ tan ψ < 1`: where the rod behind stops pushing it has no
//! friction, and that of the other one would turn the grain.
//!
//! With many grains the drum is half full. Their center of mass lies under the dynamic angle, which is judged by the same drum in
//! another program, and the surface flows down it.
//!
//! # Source
//!
//! The condition is ours. Figures that are shown: G. D. R. Midi, "On dense granular flows", *European Physical Journal E* 14 (2004) 341–365;
//! J. Mellmann, "The transverse motion of solids in rotating cylinders", *Powder Technology* 118 (2001) 251–270.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Grain, Partner, Periods, Wall, World};
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
    /// Distance of the axes of neighboring rods, and diameter of a rod (m).
    spacing: f64,
    rod: f64,
    /// Steps of the single grain in a turn of the drum, number of rods around it, and between which Froude numbers it is tried.
    steps: u32,
    around: u32,
    range: [f64; 2],
    /// Number of times by which that range is halved.
    halvings: u32,
    /// Froude number of the drum with many grains, at its shell.
    froude: f64,
    pitch: f64,
    shake: f64,
    step_size: f64,
    tolerance: f64,
    efforts: Efforts<Run>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Number of rods around the drum with many grains.
    rods: u32,
    /// Period along the axis (mean diameters).
    wide: u32,
    max_sweeps: usize,
    /// Turns until averages begin, and until the end.
    turns: [f64; 2],
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
    measurements
        .add("single grain: Froude number from which on it is carried", carried(parameters)?);
    let bed =
        Bed::run(parameters, &run, options.seed, &mut |part| progress(part, experiment.title))?;
    measurements.add("bed: grains", bed.grains as f64);
    measurements.add("bed: radius of the drum, in diameters", bed.radius);
    measurements.add("bed: dynamic angle", bed.angle);
    measurements.add("bed: speed at the surface, in √(g d)", bed.fastest);
    measurements.add("bed: velocity gradient of the layer, in √(g/d)", bed.gradient);
    measurements.add("bed: torque of gravity over that of the shell", bed.balance);
    measurements.add("bed: mean relative residual", bed.residual);
    experiment.outcome(&fixture, measurements, vec![profile(&bed)])
}

/// A shell of rods that turns about `y`.
struct Shell {
    /// Of the axes of the rods (m).
    radius: f64,
    count: u32,
    /// Angular velocity (rad/s); grains at the bottom move against `x`.
    speed: f64,
}

impl Shell {
    fn new(parameters: &Parameters, count: u32, froude: f64) -> Self {
        let radius = 0.5 * parameters.spacing / (0.5 * TAU / f64::from(count)).sin();
        let shell = Self { radius, count, speed: 0.0 };
        let held = shell.held(parameters);
        Self { speed: (froude * parameters.gravity / held).sqrt(), ..shell }
    }

    /// Distance from the axis of a grain that rests in a gap (m).
    fn held(&self, parameters: &Parameters) -> f64 {
        let apart = parameters.matter.radius + 0.5 * parameters.rod;
        let middle = self.radius * (0.5 * TAU / f64::from(self.count)).cos();
        middle - (apart.powi(2) - (0.5 * parameters.spacing).powi(2)).sqrt()
    }

    /// Place at this distance from the axis; the angle is 0 half a gap after the first rod, at the bottom.
    fn place(distance: f64, angle: f64) -> Vector3<f64> {
        let (sine, cosine) = angle.sin_cos();
        Vector3::new(-distance * sine, 0.0, -distance * cosine)
    }

    /// Axis of a rod after a time (s).
    fn rod(&self, index: u32, time: f64) -> Vector3<f64> {
        let gap = TAU / f64::from(self.count);
        Self::place(self.radius, gap * (f64::from(index) + 0.5) + self.speed * time)
    }

    fn spin(&self) -> Vector3<f64> {
        self.speed * Vector3::y()
    }

    fn walls(&self, parameters: &Parameters, wide: f64) -> Vec<Wall> {
        let along = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
        let wall = |index| {
            let shape = Shape::Capsule { half_length: 2.0 * wide, radius: 0.5 * parameters.rod };
            let axis = self.rod(index, 0.0);
            let pose = Isometry3::from_parts(Translation3::from(axis), along);
            Wall::solid(shape, pose, parameters.friction).turning(axis, self.spin())
        };
        (0..self.count).map(wall).collect()
    }

    /// Gives every rod the velocity by which it is on the circle at the end of the step.
    fn drive(&self, world: &mut World) -> Result<(), Error> {
        let step = world.settings().step_size;
        let time = world.steps() as f64 * step;
        for index in 0..self.count {
            let way = self.rod(index, time + step) - self.rod(index, time);
            world.drive_wall(index as usize, way / step, self.spin())?;
        }
        Ok(())
    }
}

/// The Froude number from which on a grain in a gap is pushed by both rods all the way around, by halving the range.
fn carried(parameters: &Parameters) -> Result<f64, Error> {
    let [mut low, mut high] = parameters.range;
    for _ in 0..parameters.halvings {
        let middle = 0.5 * (low + high);
        if is_carried(parameters, middle)? { high = middle } else { low = middle }
    }
    Ok(0.5 * (low + high))
}

fn is_carried(parameters: &Parameters, froude: f64) -> Result<bool, Error> {
    let Parameters { matter, gravity, friction, .. } = *parameters;
    let shell = Shell::new(parameters, parameters.around, froude);
    let step_size = TAU / shell.speed / f64::from(parameters.steps);
    let settings = super::settings((step_size, gravity), friction, (200, 1e-10));
    let wide = 4.0 * matter.diameter();
    let periods = Periods::new(Vector3::zeros(), [None, Some(wide), None]);
    let mut world = World::periodic(settings, shell.walls(parameters, wide), periods)?;
    let place = Shell::place(shell.held(parameters), 0.0) + 0.5 * wide * Vector3::y();
    let mass = matter.density * super::ball(matter.radius);
    let mut grain = Grain::at(place, matter.radius, mass);
    grain.velocity = shell.spin().cross(&place);
    grain.angular_velocity = shell.spin();
    world.add(&grain)?;
    for step in 0..parameters.steps {
        shell.drive(&mut world)?;
        world.step()?;
        let pushes = world.touches().filter(|touch| touch.impulse.dot(&touch.normal) > 0.0).count();
        // A step or two pass before all moves alike.
        if step > parameters.steps / 20 && pushes < 2 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A drum half full of grains.
struct Bed {
    grains: usize,
    /// Diameters.
    radius: f64,
    /// °.
    angle: f64,
    fastest: f64,
    gradient: f64,
    balance: f64,
    residual: f64,
    /// Speed down the slope (`√(g d)`) over the distance from the axis, up across the surface (diameters).
    speeds: Vec<[f64; 2]>,
}

impl Bed {
    fn run(
        parameters: &Parameters,
        run: &Run,
        seed: u64,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let Parameters { matter, gravity, step_size, .. } = *parameters;
        let diameter = matter.diameter();
        let shell = Shell::new(parameters, run.rods, parameters.froude);
        let mut world = half_full(parameters, run, &shell, seed)?;
        let (mass, turn) = (super::mass(&world), TAU / shell.speed);
        let [begin, end] = run.turns.map(|turns| super::steps(turns * turn, step_size));
        let (mut residual, mut samples, mut center) = (0.0, 0.0, Vector3::zeros());
        let (mut torque, mut kept) = ([0.0; 2], Vec::new());
        for step in 0..end {
            shell.drive(&mut world)?;
            residual += world.step()?.relative_residual;
            if step < begin {
                continue;
            }
            let at = world.grains().first_moment() / mass;
            torque[0] += mass * gravity * at.x;
            torque[1] += torque_of_shell(&world);
            if step % SAMPLE == 0 {
                samples += 1.0;
                center += at;
                let grains = world.grains();
                let all = grains.positions().iter().enumerate();
                kept.extend(all.map(|(index, place)| (*place, grains.velocity(index))));
                progress(f64::from(step) / f64::from(end));
            }
        }
        let center = center / samples;
        let angle = (-center.x).atan2(-center.z);
        let down = Vector3::new(angle.cos(), 0.0, -angle.sin());
        let speeds = speeds(&kept, (down, diameter), (gravity * diameter).sqrt());
        let [fastest, gradient] = layer(&speeds);
        Ok(Self {
            grains: world.grains().len(),
            radius: shell.radius / diameter,
            angle: angle.to_degrees(),
            fastest,
            gradient,
            balance: -torque[0] / torque[1],
            residual: residual / f64::from(end),
            speeds,
        })
    }
}

/// Steps between two samples.
const SAMPLE: u32 = 20;

/// Torque of the shell on the grains about the axis (N·m), along `y`.
fn torque_of_shell(world: &World) -> f64 {
    let grains = world.grains();
    let torque = |touch: percussion_granular::Touch| {
        let Partner::Wall(_) = touch.partner else { return 0.0 };
        // Grains have moved since, by much less than a diameter.
        let at = grains.positions()[touch.grain] - grains.radii()[touch.grain] * touch.normal;
        at.cross(&touch.impulse).y / world.settings().step_size
    };
    world.touches().map(torque).sum()
}

/// A lattice in the lower half of the drum, which turns with it.
fn half_full(parameters: &Parameters, run: &Run, shell: &Shell, seed: u64) -> Result<World, Error> {
    let Parameters { matter, gravity, friction, pitch, step_size, .. } = *parameters;
    let diameter = matter.diameter();
    let wide = f64::from(run.wide) * diameter;
    let settings =
        super::settings((step_size, gravity), friction, (run.max_sweeps, parameters.tolerance));
    let periods = Periods::new(Vector3::zeros(), [None, Some(wide), None]);
    let mut world = World::periodic(settings, shell.walls(parameters, wide), periods)?;
    let inside = shell.radius - 0.5 * (parameters.rod + pitch * diameter) - 0.1 * diameter;
    let layers = super::steps((2.0 * inside / diameter / pitch).floor(), 1.0);
    let across = super::steps((f64::from(run.wide) / pitch).floor(), 1.0);
    let pitch = Vector3::new(pitch * diameter, wide / f64::from(across), pitch * diameter);
    let low =
        Vector3::new(-0.5 * f64::from(layers) * pitch.x, 0.0, -0.5 * f64::from(layers) * pitch.z);
    let keep = |at: &Vector3<f64>| at.x.hypot(at.z) < inside && at.z < FILLED * diameter;
    let shake = (&mut Random::new(seed), parameters.shake);
    matter.fill(&mut world, (low, pitch), [layers, across, layers], shake, keep)?;
    Ok(world)
}

/// Height of the lattice above the axis (diameters), which is half of the drum when it has settled.
const FILLED: f64 = 6.0;

/// Mean speeds down the slope in layers across it, half a diameter thick, within two diameters of the axis along it.
fn speeds(
    kept: &[(Vector3<f64>, Vector3<f64>)],
    (down, diameter): (Vector3<f64>, f64),
    unit: f64,
) -> Vec<[f64; 2]> {
    let up = Vector3::new(-down.z, 0.0, down.x);
    let mut layers = std::collections::BTreeMap::<i64, [f64; 2]>::new();
    for (place, velocity) in kept.iter().filter(|(at, _)| at.dot(&down).abs() < 2.0 * diameter) {
        #[expect(clippy::cast_possible_truncation, reason = "within the drum")]
        let layer = (2.0 * place.dot(&up) / diameter).floor() as i64;
        let [sum, count] = layers.entry(layer).or_default();
        *sum += velocity.dot(&down) / unit;
        *count += 1.0;
    }
    let most = layers.values().map(|[_, count]| *count).fold(0.0, f64::max);
    let filled = layers.into_iter().filter(|(_, [_, count])| *count > 0.3 * most);
    filled.map(|(layer, [sum, count])| [0.5 * (layer as f64 + 0.5), sum / count]).collect()
}

/// Largest speed, and the slope of the line through the layers with a quarter to three quarters of it.
fn layer(speeds: &[[f64; 2]]) -> [f64; 2] {
    let fastest = speeds.iter().map(|[_, speed]| *speed).fold(0.0, f64::max);
    let inner = speeds.iter().filter(|[_, v]| (0.25 * fastest..0.75 * fastest).contains(v));
    let [gradient, _] = super::line(&inner.copied().collect::<Vec<_>>());
    [fastest, gradient]
}

fn profile(bed: &Bed) -> Figure {
    Figure {
        id: "speeds".to_owned(),
        title: "Speed down the slope".to_owned(),
        caption: "Within two diameters of the axis along the slope; 0 is at the axis of the drum."
            .to_owned(),
        x: drawing::axis("distance across the surface, in diameters", ""),
        y: drawing::axis("speed over √(g d)", ""),
        equal_aspect: false,
        map: None,
        series: vec![Series {
            label: "grains".to_owned(),
            mark: Mark::Line,
            points: bed.speeds.clone(),
        }],
    }
}
