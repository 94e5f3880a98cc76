//! The laws of grains in bulk: what has been measured of many grains, and must come out of their contacts.
//!
//! Every experiment is small enough for seconds, and its larger form (`--full`) takes minutes. Worlds repeat themselves
//! along the axes on which nothing depends, so that few grains have no side walls.

mod internal_friction;
mod outlet;
mod packing;
mod shear;
mod silo;

use nalgebra::Vector3;
use percussion_granular::{Grain, Settings, World};
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
    experiment!("bulk/silo", bulk::silo, "The wall of a silo carries part of the grains"),
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

impl<R: Copy> Efforts<R> {
    const fn at(&self, effort: Effort) -> R {
        match effort {
            Effort::Quick => self.quick,
            Effort::Default => self.default,
            Effort::Full => self.full,
        }
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
#[derive(Clone, Copy, Debug)]
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

    fn grain(&self, position: Vector3<f64>, random: &mut Random) -> Grain {
        let radius = self.radius * (1.0 + self.spread * random.sign());
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        Grain::at(position, radius, self.density * volume)
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

/// Number of steps nearest to a time.
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
