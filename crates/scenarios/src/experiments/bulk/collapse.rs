//! Columns that collapse over rough ground.
//!
//! A column of the length `L₀` and the height `H₀` stands between a smooth wall and a gate, which vanishes; the scene repeats
//! itself across. The deposit reaches to `L`. Measured runouts and heights at the wall follow powers of the aspect ratio `a`,
//!
//! ```math
//! \frac{L - L_0}{L_0} = \lambda\,a \quad (a < 2.3), \qquad \frac{H}{L_0} = a \quad (a < 0.7), \quad 0.79\,a^{1/3} \quad (a > 0.7),
//! \qquad a = \frac{H_0}{L_0},
//! ```
//!
//! with a factor `λ` of the material: 1.2 for sand, rice and sugar, 1.67 for disks and glass beads that slide at 22° and not at 30°.
//! Some diameters of the height do not run, because a layer of one or two grains stops first. Therefore the factor is that
//! of a line through columns of different heights, `λ (a − a_0)`.
//!
//! # Source
//!
//! E. Lajeunesse, J. B. Monnier, G. M. Homsy, "Granular slumping on a horizontal surface", *Physics of Fluids* 17 (2005) 103302
//! (height). G. Lube, H. E. Huppert, R. S. J. Sparks, A. Freundt, "Collapses of two-dimensional granular columns", *Physical Review
//! E* 72 (2005) 041301 (sand). K. Kumar, "Multi-scale multiphase modelling of granular flows", thesis, University of Cambridge, 2015,
//! chapter 4 (disks beside glass beads).

use nalgebra::Vector3;
use percussion_granular::{Grains, Periods, Wall, World};
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
    /// Coefficient of friction between grains and of the ground.
    friction: f64,
    /// Acceleration of gravity, down (m/s²).
    gravity: f64,
    /// Pitch of the lattice at the start, in mean diameters.
    pitch: f64,
    /// Largest speed along each axis at the start (m/s).
    shake: f64,
    step_size: f64,
    tolerance: f64,
    /// Time to settle and time after the gate has vanished, in times `√(H/g)` of the lattice and of the column.
    times: [f64; 2],
    /// The deposit ends where as many grains lie farther out as fill so many rows across.
    rows: f64,
    /// Width at the wall over which heights are averaged, in lengths of the column.
    wall: f64,
    /// Largest aspect ratio of columns whose runouts are on the line.
    linear: f64,
    /// Published `a` from which the height at the wall is less than that of the column, and the power of `a` from there on.
    plateau: f64,
    power: f64,
    /// Published runouts.
    laws: Vec<Law>,
    efforts: Efforts<Run>,
}

/// The smaller one of `linear · a` and `beyond · a^(2/3)`, in lengths of the column.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Law {
    material: String,
    linear: f64,
    beyond: f64,
}

impl Law {
    fn runout(&self, aspect: f64) -> f64 {
        (self.linear * aspect).min(self.beyond * aspect.powf(2.0 / 3.0))
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Numbers of grains along the column and across it at the start.
    base: [u32; 2],
    /// Numbers of layers at the start, a column for each, from the lowest to the highest; the first two are below the largest
    /// [linear](Parameters::linear) ratio.
    layers: Vec<u32>,
    /// Length of the rough ground, in lengths of the column.
    ground: f64,
    max_sweeps: usize,
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
    let count = run.layers.len() as f64;
    let mut deposits = Vec::new();
    for (index, &layers) in run.layers.iter().enumerate() {
        deposits.push(Deposit::run(parameters, &run, (layers, options.seed), &mut |part| {
            progress((index as f64 + part) / count, experiment.title);
        })?);
    }
    let last = deposits.len() - 1;
    for (name, deposit) in [("lowest column", &deposits[0]), ("highest column", &deposits[last])] {
        let height = deposit.top / height(parameters, deposit.aspect);
        measurements.add(format!("{name}: grains"), deposit.grains);
        measurements.add(format!("{name}: height over length"), deposit.aspect);
        measurements.add(format!("{name}: runout over length"), deposit.runout);
        measurements.add(format!("{name}: height of the deposit over that of the law"), height);
        measurements.add(format!("{name}: kinetic energy per grain, over m g d"), deposit.moving);
        measurements.add(format!("{name}: mean relative residual"), deposit.residual);
    }
    let points: Vec<_> = deposits.iter().map(|one| [one.aspect, one.runout]).collect();
    let linear = points.iter().filter(|[aspect, _]| *aspect < parameters.linear).copied();
    let [slope, zero] = super::line(&linear.collect::<Vec<_>>());
    measurements.add("runout per height", slope);
    let middles = deposits.iter().map(|one| [one.aspect, one.middle]);
    let middles: Vec<_> = middles.filter(|[aspect, _]| *aspect < parameters.linear).collect();
    let [per_height, _] = super::line(&middles);
    measurements.add("mean distance from the wall per height", per_height);
    let idle = zero * f64::from(run.base[0]) * parameters.pitch;
    measurements.add("height that does not run, in diameters", idle);
    let [[low, short], [high, long]] = [points[last - 1], points[last]];
    let exponent = (long / short).ln() / (high / low).ln();
    measurements.add("exponent of the runout between the two highest columns", exponent);
    let figures = vec![runouts(&parameters.laws, points, [slope, zero]), profiles(deposits)];
    experiment.outcome(&fixture, measurements, figures)
}

/// The published height at the wall over the length of the column.
fn height(parameters: &Parameters, aspect: f64) -> f64 {
    let Parameters { plateau, power, .. } = *parameters;
    if aspect < plateau { aspect } else { plateau * (aspect / plateau).powf(power) }
}

/// A column that has collapsed.
struct Deposit {
    grains: f64,
    /// Height over length before.
    aspect: f64,
    /// Runout and height at the wall over length.
    runout: f64,
    top: f64,
    /// Distance of the center of mass from the wall over length.
    middle: f64,
    /// Kinetic energy per grain over `m g d`.
    moving: f64,
    residual: f64,
    /// Height over the distance from the wall, both in lengths of the column.
    profile: Vec<[f64; 2]>,
}

impl Deposit {
    fn run(
        parameters: &Parameters,
        run: &Run,
        (layers, seed): (u32, u64),
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let Parameters { matter, gravity, step_size, pitch, .. } = *parameters;
        let diameter = matter.diameter();
        let mut world = world(parameters, run, (layers, seed))?;
        let [long, wide] = edges(parameters, run);
        let [settle, fall] = parameters.times;
        let lattice = f64::from(layers) * pitch * diameter;
        let settled = super::steps(settle * (lattice / gravity).sqrt(), step_size);
        for step in 0..settled {
            world.step()?;
            progress(0.4 * f64::from(step) / f64::from(settled));
        }
        let mass = super::mass(&world);
        let height = 2.0 * world.grains().first_moment().z / mass;
        let solid_fraction = mass / matter.density / (long * wide * height);
        // Beyond all grains.
        world.set_wall(GATE, gate(1e3 * long))?;
        let end = super::steps(fall * (height / gravity).sqrt(), step_size);
        let mut residual = 0.0;
        for step in 0..end {
            residual += world.step()?.relative_residual / f64::from(end);
            progress(0.4 + 0.6 * f64::from(step + 1) / f64::from(end));
        }
        let grains = world.grains();
        let profile = profile(grains, diameter, solid_fraction * wide);
        let first = at_wall(grains, parameters.wall * long);
        Ok(Self {
            grains: grains.len() as f64,
            aspect: height / long,
            runout: front(grains, parameters.rows * wide / diameter) / long - 1.0,
            top: first / long,
            middle: grains.first_moment().x / mass / long,
            moving: grains.kinetic_energy() / (mass * gravity * diameter),
            residual,
            profile: profile.iter().map(|point| point.map(|x| x * diameter / long)).collect(),
        })
    }
}

/// Length and width of the column (m).
fn edges(parameters: &Parameters, run: &Run) -> [f64; 2] {
    run.base.map(|count| f64::from(count) * parameters.pitch * parameters.matter.diameter())
}

/// Index of the gate.
const GATE: usize = 0;

/// A smooth plane at `x` (m) that holds what is before it.
fn gate(at: f64) -> Wall {
    Wall::plane(at * Vector3::x(), -Vector3::x(), 0.0)
}

/// A lattice of grains between wall and gate, over rough ground.
fn world(parameters: &Parameters, run: &Run, (layers, seed): (u32, u64)) -> Result<World, Error> {
    let Parameters { matter, friction, gravity, pitch, .. } = *parameters;
    let diameter = matter.diameter();
    let [long, wide] = edges(parameters, run);
    let sweeps = (run.max_sweeps, parameters.tolerance);
    let settings = super::settings((parameters.step_size, gravity), friction, sweeps);
    let random = &mut Random::new(seed);
    let mut walls = vec![gate(long), Wall::plane(Vector3::zeros(), Vector3::x(), 0.0)];
    let rods = super::steps(run.ground * long, super::GAP * diameter);
    walls.extend(super::rough((rods, 0), (diameter, wide), friction, random));
    let periods = Periods::new(Vector3::zeros(), [None, Some(wide), None]);
    let mut world = World::periodic(settings, walls, periods)?;
    let lattice = (Vector3::zeros(), Vector3::repeat(pitch * diameter));
    let counts = [run.base[0], run.base[1], layers];
    matter.fill(&mut world, lattice, counts, (random, parameters.shake), |_| true)?;
    Ok(world)
}

/// Height over the distance from the wall, both in diameters: of the volume of grains in strips of one diameter, as solid as
/// `solid` (solid fraction times width, m) says.
fn profile(grains: &Grains, diameter: f64, solid: f64) -> Vec<[f64; 2]> {
    // The number of whole diameters from the wall.
    let place = |x: &Vector3<f64>| super::steps(x.x - 0.5 * diameter, diameter) as usize;
    let places = || grains.positions().iter().map(place);
    let mut heights = vec![0.0; places().max().unwrap_or(0) + 2];
    for (place, radius) in places().zip(grains.radii()) {
        heights[place] += super::ball(*radius) / (solid * diameter * diameter);
    }
    let middle = |(place, height): (usize, f64)| [place as f64 + 0.5, height];
    heights.into_iter().enumerate().map(middle).collect()
}

/// The outer end (m) of the grain beyond which there are `beyond` grains: those that have rolled away from the others are no deposit.
fn front(grains: &Grains, beyond: f64) -> f64 {
    let mut ends: Vec<_> =
        grains.positions().iter().zip(grains.radii()).map(|(x, radius)| x.x + radius).collect();
    ends.sort_by(|one, other| other.total_cmp(one));
    ends.get(super::steps(beyond, 1.0) as usize).copied().unwrap_or(0.0)
}

/// Twice the mean height (m) of the grains up to a distance from the wall (m), the height of an even column.
fn at_wall(grains: &Grains, distance: f64) -> f64 {
    let near = grains.positions().iter().filter(|x| x.x < distance);
    let (sum, count) = near.fold((0.0, 0.0), |(sum, count), x| (sum + x.z, count + 1.0));
    2.0 * sum / count
}

/// The runouts with the line through them, and the published ones.
fn runouts(laws: &[Law], points: Vec<[f64; 2]>, [slope, zero]: [f64; 2]) -> Figure {
    let last = points.iter().map(|point| point[0]).fold(1.0, f64::max);
    let curve = |label: &str, law: &dyn Fn(f64) -> f64| {
        let aspects = (0..=60).map(|k| 1.1 * last * f64::from(k) / 60.0);
        drawing::line(label, aspects.map(|aspect| [aspect, law(aspect)]).collect())
    };
    let published = |law: &Law| curve(&law.material, &|aspect| law.runout(aspect));
    let mut series: Vec<_> = laws.iter().map(published).collect();
    series.push(curve("line of these columns", &|aspect| (slope * (aspect - zero)).max(0.0)));
    series.push(Series { label: "these columns".to_owned(), mark: Mark::Dots, points });
    Figure {
        id: "runouts".to_owned(),
        title: "Runout over the height of the column".to_owned(),
        caption:
            "Both over the length of the column. The line is that of the columns below a = 2.3."
                .to_owned(),
        x: drawing::axis("height over length", ""),
        y: drawing::axis("runout over length", ""),
        equal_aspect: false,
        map: None,
        series,
    }
}

fn profiles(deposits: Vec<Deposit>) -> Figure {
    let series = deposits.into_iter().map(|one| {
        let label = format!("height over length {:.2}", one.aspect);
        drawing::line(&label, one.profile)
    });
    Figure {
        id: "profiles".to_owned(),
        title: "The deposits from the side".to_owned(),
        caption: "Heights of strips of one diameter; both axes in lengths of the column."
            .to_owned(),
        x: drawing::axis("distance from the wall over length", ""),
        y: drawing::axis("height over length", ""),
        equal_aspect: true,
        map: None,
        series: series.collect(),
    }
}
