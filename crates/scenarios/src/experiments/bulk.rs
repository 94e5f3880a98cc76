//! The laws of grains in bulk: what has been measured of many grains, and must come out of their contacts.
//!
//! Every experiment is small enough for seconds, and its larger form (`--full`) takes minutes. Worlds repeat themselves
//! along the axes on which nothing depends, so that few grains have no side walls.

mod chute;
mod collapse;
mod drum;
mod internal_friction;
mod outlet;
mod packing;
mod repose;
mod shear;
mod silo;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Grain, Settings, Wall, World};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use serde::Deserialize;

use crate::{error::Error, experiments::Effort};

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!(
        "bulk/packing",
        bulk::packing,
        "Spheres settle to a random packing, which friction makes looser"
    ),
    experiment!("bulk/shear", bulk::shear, "Spheres in shear follow the law of glass beads"),
    experiment!(
        "bulk/internal-friction",
        bulk::internal_friction,
        "Internal friction of spheres over the friction of their contacts"
    ),
    experiment!("bulk/repose", bulk::repose, "A layer of grains comes to rest on a slope"),
    experiment!("bulk/chute", bulk::chute, "A layer of grains flows down a slope by Bagnold's law"),
    experiment!("bulk/silo", bulk::silo, "The wall of a silo carries part of the grains"),
    experiment!("bulk/collapse", bulk::collapse, "Columns collapse and run out by their height"),
    experiment!("bulk/drum", bulk::drum, "A drum without end walls turns"),
    experiment!("bulk/outlet", bulk::outlet, "Spheres run out of holes by the law of Beverloo"),
];

/// What an experiment has for each [`Effort`].
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Efforts<R> {
    quick: R,
    default: R,
    full: R,
}

impl<R: Clone> Efforts<R> {
    fn at(&self, effort: Effort) -> R {
        let run = match effort {
            Effort::Quick => &self.quick,
            Effort::Default => &self.default,
            Effort::Full => &self.full,
        };
        run.clone()
    }
}

/// Settings of a step with gravity down (m/s²), and pairs listed so far ahead as pays for grains that stream.
fn settings(
    (step_size, gravity): (f64, f64),
    friction: f64,
    (max_sweeps, tolerance): (usize, f64),
) -> Settings {
    let gravity = Vector3::new(0.0, 0.0, -gravity);
    let skin = 0.15;
    Settings { step_size, gravity, friction, max_sweeps, tolerance, skin, ..Settings::default() }
}

/// Numbers that depend on the seed alone.
struct Random(ChaCha8Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number from −1 to 1.
    fn sign(&mut self) -> f64 {
        // 53 bits fit into a double.
        (self.0.next_u64() >> 11) as f64 * 2.0_f64.powi(-52) - 1.0
    }

    /// A vector with such entries.
    fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.sign())
    }
}

/// Balls whose radii are equally likely within a range.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Matter {
    /// Mean radius (m).
    radius: f64,
    /// Largest deviation of a radius, relative to the mean.
    spread: f64,
    /// Density (kg/m³).
    density: f64,
}

impl Matter {
    fn diameter(&self) -> f64 {
        2.0 * self.radius
    }

    /// Mean mass of a grain (kg), with the mean `1 + s²` of the third power of a radius that deviates by up to `s` from 1.
    fn mean_mass(&self) -> f64 {
        self.density * ball(self.radius) * (1.0 + self.spread.powi(2))
    }

    fn grain(&self, position: Vector3<f64>, random: &mut Random) -> Grain {
        let radius = self.radius * (1.0 + self.spread * random.sign());
        Grain::at(position, radius, self.density * ball(radius))
    }

    /// Adds grains at the nodes of a lattice from the corner `low`, with this `pitch` (m), that `keep` accepts; each is
    /// displaced at random where its cell leaves room, and moves with up to `speed` (m/s) along each axis.
    fn fill(
        &self,
        world: &mut World,
        (low, pitch): (Vector3<f64>, Vector3<f64>),
        counts: [u32; 3],
        (random, speed): (&mut Random, f64),
        keep: impl Fn(&Vector3<f64>) -> bool,
    ) -> Result<(), Error> {
        let room = 0.5 * (pitch.add_scalar(-self.diameter() * (1.0 + self.spread)));
        for k in 0..counts.iter().product() {
            let node = [k % counts[0], k / counts[0] % counts[1], k / (counts[0] * counts[1])];
            let middle = Vector3::from(node.map(f64::from)).add_scalar(0.5);
            let position = low + middle.component_mul(&pitch);
            let shake = random.vector().component_mul(&room.sup(&Vector3::zeros()));
            let mut grain = self.grain(position + shake, random);
            grain.velocity = speed * random.vector();
            if keep(&position) {
                world.add(&grain)?;
            }
        }
        Ok(())
    }
}

/// Volume of a ball (m³).
fn ball(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)
}

/// Rough ground below `z = 0`, over which grains neither roll nor slide as over a plane: rods of the diameter of a grain along `y` at
/// random depths, one and a half diameters apart from `x = 0` on, and a plane below the gaps between them.
///
/// Walls do not repeat themselves: `beyond` rods before the first and behind the last one are those of the other end.
fn rough(
    (rods, beyond): (u32, u32),
    (diameter, wide): (f64, f64),
    friction: f64,
    random: &mut Random,
) -> Vec<Wall> {
    let depths: Vec<_> = (0..rods).map(|_| (0.5 + 0.25 * random.sign()) * diameter).collect();
    let depths = depths.iter().cycle().skip((rods - beyond) as usize);
    let along = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let rod = |(number, depth): (u32, &f64)| {
        let at = (f64::from(number) - f64::from(beyond) + 0.5) * GAP * diameter;
        let place = Translation3::new(at, 0.5 * wide, -depth);
        let shape = Shape::Capsule { half_length: 2.0 * wide, radius: 0.5 * diameter };
        Wall::solid(shape, Isometry3::from_parts(place, along), friction)
    };
    let mut walls: Vec<Wall> = (0..rods + 2 * beyond).zip(depths).map(rod).collect();
    walls.push(Wall::plane(-0.5 * diameter * Vector3::z(), Vector3::z(), friction));
    walls
}

/// Distance of the rods of rough ground from one another, in diameters.
const GAP: f64 = 1.5;

/// Whole number nearest to a time over the step, or to another such ratio; 0 if that is negative.
fn steps(time: f64, step_size: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let steps = (time / step_size).round() as u32;
    steps
}

/// Steps between two removals of grains, each of which makes the next step search for pairs.
const REMOVAL: u32 = 10;

/// Mass of all grains (kg).
fn mass(world: &World) -> f64 {
    (0..world.grains().len()).map(|k| world.grains().mass(k)).sum()
}

/// Slope and zero of the line through points by least squares.
fn line(points: &[[f64; 2]]) -> [f64; 2] {
    let count = points.len() as f64;
    let mean = [0, 1].map(|k| points.iter().map(|point| point[k]).sum::<f64>() / count);
    let (across, along) = points.iter().fold((0.0, 0.0), |(across, along), [x, y]| {
        (across + (x - mean[0]) * (y - mean[1]), along + (x - mean[0]).powi(2))
    });
    let slope = across / along;
    [slope, mean[0] - mean[1] / slope]
}
