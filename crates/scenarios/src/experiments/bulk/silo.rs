//! A silo whose wall carries part of the grains.
//!
//! Grains settle in a tube, which then rises slowly, so that friction at the wall acts upward everywhere and is at its limit. If
//! the pressure on the wall is `K` times the vertical one, Janssen's balance of a layer gives the force on the floor `F` of
//! grains of the weight `W` and the height `H` in a tube of the radius `R` with the friction `μ_w`:
//!
//! ```math
//! \frac{F}{W} = \frac{1 - e^{-s}}{s}, \qquad s = \frac{2 K \mu_w H}{R}.
//! ```
//!
//! The force on the floor is measured and the equation solved for `K`, which must not depend on the friction of the wall.
//!
//! # Source
//!
//! H. A. Janssen, "Versuche über Getreidedruck in Silozellen", *Zeitschrift des Vereines deutscher Ingenieure* 39 (1895)
//! 1045–1049.

use nalgebra::Vector3;
use percussion_granular::{Partner, Surface, Wall, World, statistics::ContactAverages};
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
    /// Coefficient of friction between grains, and of the floor.
    friction: f64,
    /// Acceleration of gravity, down (m/s²).
    gravity: f64,
    /// Radius of the tube, in mean diameters.
    tube: f64,
    /// Pitch of the lattice at the start, in mean diameters.
    pitch: f64,
    /// Largest speed along each axis at the start (m/s).
    shake: f64,
    /// Speed of the rising tube (m/s).
    lift: f64,
    /// Published ratio `K` of the pressure on the wall to the vertical one.
    pressure_ratio: f64,
    /// The silos, which differ in their walls.
    silos: Vec<Silo>,
    step_size: f64,
    tolerance: f64,
    efforts: Efforts<Run>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Silo {
    /// Coefficient of friction of the wall.
    friction: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Number of layers at the start.
    layers: u32,
    /// Number of columns in each silo, which differ in the grains at the start; at least one.
    fillings: u32,
    max_sweeps: usize,
    /// Times at which the tube begins to rise, averages begin, and the run ends (s).
    times: [f64; 3],
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
    let (mut points, mut courses) = (Vec::new(), Vec::new());
    let count = parameters.silos.len() as f64 * f64::from(run.fillings);
    let mut done = 0.0;
    for (silo, known) in parameters.silos.iter().zip(&unchanged.silos) {
        let mut columns = Vec::new();
        for number in 0..run.fillings {
            let seed = options.seed + u64::from(number);
            columns.push(Column::run(parameters, &run, (silo.friction, seed), &mut |share| {
                progress((done + share) / count, experiment.title);
            })?);
            done += 1.0;
        }
        let column = Column::mean(columns);
        let name = format!("wall with friction {}", known.friction);
        let slenderness = 2.0 * column.height / unchanged.tube;
        let ratio = decay(column.carried) / (slenderness * column.mobilized * silo.friction);
        measurements.add(format!("{name}: grains"), column.grains);
        measurements.add(format!("{name}: height, in diameters"), column.height);
        measurements.add(format!("{name}: force on the floor over the weight"), column.carried);
        let law = part(unchanged.pressure_ratio * known.friction * slenderness);
        measurements
            .add(format!("{name}: force on the floor over that of Janssen"), column.carried / law);
        measurements.add(format!("{name}: pressure on the wall over the vertical one"), ratio);
        measurements.add(format!("{name}: friction of the wall over its limit"), column.mobilized);
        measurements
            .add(format!("{name}: weight that floor and wall do not carry"), column.missing);
        measurements.add(format!("{name}: mean relative residual"), column.residual);
        points.push([known.friction, column.carried]);
        courses.push(drawing::line(&name, column.course));
    }
    experiment.outcome(&fixture, measurements, vec![forces(points), course(courses)])
}

/// The part of the weight that the floor carries by Janssen, `(1 − e^(−s))/s`.
fn part(s: f64) -> f64 {
    -(-s).exp_m1() / s
}

/// The `s` of a [`part`] below 1, by Newton's method; 0 for a part from 1 on.
fn decay(carried: f64) -> f64 {
    let mut s = 2.0 * (1.0 - carried);
    for _ in 0..50 {
        if s <= 0.0 {
            return 0.0;
        }
        let slope = ((-s).exp() - part(s)) / s;
        s -= (part(s) - carried) / slope;
    }
    s
}

/// Averages over the grains in one silo.
#[derive(Debug, Default)]
struct Column {
    grains: f64,
    /// Height (diameters).
    height: f64,
    /// Force on the floor over the weight.
    carried: f64,
    /// Friction of the wall over its coefficient times its normal force.
    mobilized: f64,
    /// Part of the weight that neither carries.
    missing: f64,
    residual: f64,
    /// Force on the floor over the weight, over time (s).
    course: Vec<[f64; 2]>,
}

/// Steps of which the course has the mean.
const PIECE: u32 = 10;

impl Column {
    /// The mean of several columns, with the course of the first.
    fn mean(columns: Vec<Self>) -> Self {
        let share = 1.0 / columns.len() as f64;
        let mut mean = Self::default();
        for column in columns {
            mean.grains += share * column.grains;
            mean.height += share * column.height;
            mean.carried += share * column.carried;
            mean.mobilized += share * column.mobilized;
            mean.missing += share * column.missing;
            mean.residual += share * column.residual;
            if mean.course.is_empty() {
                mean.course = column.course;
            }
        }
        mean
    }

    fn run(
        parameters: &Parameters,
        run: &Run,
        (friction, seed): (f64, u64),
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let diameter = parameters.matter.diameter();
        let mut world = filled(parameters, run, (friction, seed))?;
        let mass = super::mass(&world);
        let weight = mass * parameters.gravity;
        let step_size = parameters.step_size;
        let [lift, begin, end] = run.times.map(|time| super::steps(time, step_size));
        let counted = f64::from(end - begin);
        let (mut floor, mut normal, mut upward, mut residual) = (0.0, 0.0, 0.0, 0.0);
        let (mut piece, mut course) = (0.0, Vec::new());
        for step in 1..=end {
            if step == lift {
                world.drive_wall(TUBE, parameters.lift * Vector3::z(), Vector3::zeros())?;
            }
            let report = world.step()?;
            progress(f64::from(step) / f64::from(end));
            let forces = ContactAverages::of(&world).wall_forces;
            piece += forces[FLOOR].z / weight / f64::from(PIECE);
            if step.is_multiple_of(PIECE) {
                course.push([f64::from(step) * step_size, piece]);
                piece = 0.0;
            }
            if step > begin {
                residual += report.relative_residual / counted;
                floor += forces[FLOOR].z / weight / counted;
                upward += forces[TUBE].z / weight / counted;
                let touches = world.touches().filter(|touch| touch.partner == Partner::Wall(TUBE));
                let push: f64 = touches.map(|touch| touch.impulse.dot(&touch.normal)).sum();
                normal += push / step_size / weight / counted;
            }
        }
        let height = 2.0 * world.grains().first_moment().z / mass / diameter;
        Ok(Self {
            grains: world.grains().len() as f64,
            height,
            carried: floor,
            mobilized: upward / (friction * normal),
            missing: 1.0 - floor - upward,
            residual,
            course,
        })
    }
}

/// Indices of the walls.
const TUBE: usize = 0;
const FLOOR: usize = 1;

/// A tube of grains that have not settled yet.
fn filled(parameters: &Parameters, run: &Run, (wall, seed): (f64, u64)) -> Result<World, Error> {
    let Parameters { matter, friction, step_size, .. } = *parameters;
    let diameter = matter.diameter();
    let inner = parameters.tube * diameter;
    let sweeps = (run.max_sweeps, parameters.tolerance);
    let settings = super::settings((step_size, parameters.gravity), friction, sweeps);
    let tube = Surface::Tube { point: Vector3::zeros(), axis: Vector3::z_axis(), radius: inner };
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), friction);
    let mut world = World::new(settings, vec![Wall::fixed(tube, wall), floor])?;
    let pitch = parameters.pitch * diameter;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let across = (2.0 * inner / pitch).floor() as u32;
    let half = 0.5 * f64::from(across) * pitch;
    let low = Vector3::new(-half, -half, 0.0);
    let room = inner - 0.5 * pitch;
    let counts = [across, across, run.layers];
    let random = (&mut Random::new(seed), parameters.shake);
    matter.fill(&mut world, (low, Vector3::repeat(pitch)), counts, random, |at| {
        at.xy().norm() < room
    })?;
    Ok(world)
}

fn forces(points: Vec<[f64; 2]>) -> Figure {
    Figure {
        id: "forces".to_owned(),
        title: "Force on the floor over the friction of the wall".to_owned(),
        caption: "Over the weight of the grains.".to_owned(),
        x: drawing::axis("coefficient of friction of the wall", ""),
        y: drawing::axis("force over weight", ""),
        equal_aspect: false,
        map: None,
        series: vec![Series { label: "these silos".to_owned(), mark: Mark::Dots, points }],
    }
}

fn course(series: Vec<Series>) -> Figure {
    Figure {
        id: "course".to_owned(),
        title: "Force on the floor over time".to_owned(),
        caption: format!("Over the weight, means of {PIECE} steps."),
        x: drawing::axis("time", "s"),
        y: drawing::axis("force over weight", ""),
        equal_aspect: false,
        map: None,
        series,
    }
}
