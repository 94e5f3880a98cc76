//! Where a run computes: [`Machine`], and [`Alone`] for one process.

use anyhow::Result;
use nalgebra::Vector3;
use percussion_granular::{Domain, Error, Settings, Wall, World};

/// The processes of a run.
pub trait Machine {
    /// The world, or the part of it that this process steps.
    type Domain: Domain;

    /// Number of this rank.
    fn rank(&self) -> usize;

    /// Creates the domain of this rank; grains come in between two `corners` (m), and space is not divided along an axis
    /// along which it `repeats` itself. Called once.
    ///
    /// # Errors
    ///
    /// Those of [`World::new`], and reasons why space cannot be divided.
    fn domain(
        &mut self,
        settings: Settings,
        walls: Vec<Wall>,
        corners: [Vector3<f64>; 2],
        repeats: [bool; 3],
    ) -> Result<Self::Domain, Error>;

    /// Whether the division of the work and the speed are recorded in `ranks.csv`.
    fn is_recorded(&self) -> bool;

    /// Called when all input has been accepted and the steps begin.
    fn begin(&mut self) {}
}

/// One process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Machine for Alone {
    type Domain = World;

    fn rank(&self) -> usize {
        0
    }

    fn domain(
        &mut self,
        settings: Settings,
        walls: Vec<Wall>,
        _: [Vector3<f64>; 2],
        _: [bool; 3],
    ) -> Result<World, Error> {
        World::new(settings, walls)
    }

    fn is_recorded(&self) -> bool {
        false
    }
}
