//! Initial worlds: a settling column, a dam break, a drum, a hopper, and 6 × 6 × 6 balls that are dropped.
//!
//! Each is a world with its grains in place and without contacts between them. Change the settings by
//! [`World::set_settings`].

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Error, Grain, Settings, Surface, Wall, World};

/// Density of the grains (kg/m³): glass.
const DENSITY: f64 = 2500.0;

/// Friction of grains and walls.
const FRICTION: f64 = 0.5;

/// Distance of grains in the initial lattices, in diameters.
const PITCH: f64 = 1.05;

/// Grains of `diameter` (m) fall together in a square column that is `across` grains wide.
///
/// The column of `layers` layers settles on a floor at `z = 0` between four walls.
///
/// # Errors
///
/// [`Error::Grain`] for a diameter that is not positive.
///
/// # Example
///
/// ```
/// use percussion_granular::scenes;
///
/// let mut world = scenes::column(0.01, 3, 4)?;
/// for _ in 0..200 {
///     world.step()?;
/// }
/// assert_eq!(world.grains().len(), 36);
/// assert!(world.overlap() < 1e-5, "of 1 cm");
/// # Ok::<(), percussion_granular::Error>(())
/// ```
pub fn column(diameter: f64, across: u32, layers: u32) -> Result<World, Error> {
    let width = PITCH * diameter * f64::from(across);
    let mut walls = trough(width);
    walls.push(plane(Vector3::new(width, 0.0, 0.0), -Vector3::x()));
    let mut world = World::new(settings(diameter), walls)?;
    fill(&mut world, diameter, [across, across, layers], Vector3::zeros(), |_| true)?;
    Ok(world)
}

/// A block of grains collapses into a trough: `long` grains along the trough, `wide` across it, `high` upright.
///
/// The trough has a wall behind the block at `x = 0`, one on either side, and is open toward `+x`.
///
/// # Errors
///
/// As [`column`](fn@column).
pub fn dam_break(diameter: f64, [long, wide, high]: [u32; 3]) -> Result<World, Error> {
    let width = PITCH * diameter * f64::from(wide);
    let walls = trough(width);
    let mut world = World::new(settings(diameter), walls)?;
    fill(&mut world, diameter, [long, wide, high], Vector3::zeros(), |_| true)?;
    Ok(world)
}

/// A drum of `radius` (m) around the `y` axis, `wide` grains long and half full, turns with `speed` (rad/s).
///
/// Its end plates turn with it.
///
/// # Errors
///
/// As [`column`](fn@column).
pub fn drum(diameter: f64, radius: f64, wide: u32, speed: f64) -> Result<World, Error> {
    let (pitch, spin) = (PITCH * diameter, Vector3::new(0.0, speed, 0.0));
    let width = pitch * f64::from(wide);
    let shell = Surface::Tube { point: Vector3::zeros(), axis: Vector3::y_axis(), radius };
    let shell = Wall::fixed(shell, FRICTION);
    let near = plane(Vector3::zeros(), Vector3::y());
    let far = plane(Vector3::new(0.0, width, 0.0), -Vector3::y());
    let walls = [shell, near, far].map(|wall| wall.turning(Vector3::zeros(), spin));
    let mut world = World::new(settings(diameter), walls.to_vec())?;
    let across = whole(2.0 * radius / pitch);
    let corner = Vector3::new(-radius, 0.0, -radius);
    // The lattice is displaced by up to a fiftieth of the diameter.
    let inside = radius - 0.55 * diameter;
    fill(&mut world, diameter, [across, wide, across / 2], corner, |x| x.xz().norm() < inside)?;
    Ok(world)
}

/// Grains in a silo that is `across` grains wide and `wide` deep run out of a slot of width `outlet` (m) between
/// two plates at 45°.
///
/// The plates end at `z = 0`; the caller should [remove](World::remove) grains that fall below this height.
///
/// # Errors
///
/// As [`column`](fn@column).
pub fn hopper(
    diameter: f64,
    outlet: f64,
    [across, wide, layers]: [u32; 3],
) -> Result<World, Error> {
    let pitch = PITCH * diameter;
    let [half, depth] = [0.5 * pitch * f64::from(across), pitch * f64::from(wide)];
    let mut walls = vec![
        plane(Vector3::new(-half, 0.0, 0.0), Vector3::x()),
        plane(Vector3::new(half, 0.0, 0.0), -Vector3::x()),
        plane(Vector3::zeros(), Vector3::y()),
        plane(Vector3::new(0.0, depth, 0.0), -Vector3::y()),
    ];
    // Each plate is a thick box whose upper face rises outward from the edge of the slot.
    let half_extents = Vector3::new(2.0 * half, depth, 2.0 * diameter);
    for side in [-1.0, 1.0] {
        let turn = UnitQuaternion::from_axis_angle(
            &Vector3::y_axis(),
            -side * std::f64::consts::FRAC_PI_4,
        );
        let edge = Vector3::new(0.5 * side * outlet, 0.5 * depth, 0.0);
        let corner = Vector3::new(-side * half_extents.x, 0.0, half_extents.z);
        let pose = Isometry3::from_parts(Translation3::from(edge - turn * corner), turn);
        walls.push(Wall::solid(Shape::Box { half_extents }, pose, FRICTION));
    }
    let mut world = World::new(settings(diameter), walls)?;
    // Above the highest point of the plates.
    let corner = Vector3::new(-half, 0.0, half + diameter);
    fill(&mut world, diameter, [across, wide, layers], corner, |_| true)?;
    Ok(world)
}

/// The benchmark named 666 for hard contact: a lattice of 6 × 6 × 6 balls of 10 kg without friction falls
/// onto a plane.
///
/// Radius 0.1 m, pitch 0.21 m, lowest centers at 1.101 m, each moved at random by up to 1 mm along each axis,
/// time step 1 ms, 10 s. The tolerance is `1e-6` in at most 500 sweeps, so that the energy does not grow from
/// step to step.
///
/// # Errors
///
/// None; the signature is that of the other scenes.
///
/// # Source
///
/// D. Kang, J. Hwangbo, SimBenchmark, `benchmark/include/666Benchmark.hpp`,
/// <https://github.com/leggedrobotics/SimBenchmark>.
pub fn six_by_six_by_six() -> Result<World, Error> {
    let settings =
        Settings { friction: 0.0, tolerance: 1e-6, max_sweeps: 500, ..Settings::default() };
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.0);
    let mut world = World::new(settings, vec![floor])?;
    let mut random = ChaCha8Rng::seed_from_u64(42);
    for node in lattice([6, 6, 6]) {
        let shake = Vector3::from_fn(|_, _| random.random_range(0.0..0.001));
        let position = Vector3::new(0.0, 0.0, 1.101) + 0.21 * node + shake;
        world.add(&Grain::at(position, 0.1, 10.0))?;
    }
    Ok(world)
}

/// A tenth of the time that a grain takes to fall by its diameter, at most a millisecond.
fn settings(diameter: f64) -> Settings {
    let defaults = Settings::default();
    let fall = (2.0 * diameter / defaults.gravity.norm()).sqrt();
    Settings { step_size: defaults.step_size.min(0.1 * fall), friction: FRICTION, ..defaults }
}

fn plane(point: Vector3<f64>, normal: Vector3<f64>) -> Wall {
    Wall::plane(point, normal, FRICTION)
}

/// A floor, a wall at `x = 0` and two at `y = 0` and `y = width`.
fn trough(width: f64) -> Vec<Wall> {
    vec![
        plane(Vector3::zeros(), Vector3::z()),
        plane(Vector3::zeros(), Vector3::x()),
        plane(Vector3::zeros(), Vector3::y()),
        plane(Vector3::new(0.0, width, 0.0), -Vector3::y()),
    ]
}

/// Adds grains at the nodes of a cubic lattice that begins at `corner`, each displaced a little, where
/// `inside` returns true.
fn fill(
    world: &mut World,
    diameter: f64,
    counts: [u32; 3],
    corner: Vector3<f64>,
    inside: impl Fn(&Vector3<f64>) -> bool,
) -> Result<(), Error> {
    let mass = DENSITY * std::f64::consts::PI / 6.0 * diameter.powi(3);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for node in lattice(counts) {
        let shake = Vector3::from_fn(|_, _| random.random_range(-0.02..0.02));
        let position = corner + diameter * (PITCH * (node + Vector3::repeat(0.5)) + shake);
        if inside(&position) {
            world.add(&Grain::at(position, 0.5 * diameter, mass))?;
        }
    }
    Ok(())
}

/// The nodes of a lattice, layer by layer from below.
fn lattice([long, wide, high]: [u32; 3]) -> impl Iterator<Item = Vector3<f64>> {
    (0..high).flat_map(move |k| {
        (0..wide).flat_map(move |j| (0..long).map(move |i| Vector3::new(i, j, k).map(f64::from)))
    })
}

/// The whole part of a number of grains.
fn whole(number: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    let whole = number as u32;
    whole
}
