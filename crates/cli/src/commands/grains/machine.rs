//! Where a run computes: [`Machine`], and [`Alone`] and [`Shaped`] for one process.

use std::sync::Arc;

use anyhow::Result;
use nalgebra::Vector3;
use percussion_granular::{Collection, Domain, Error, Settings, Wall, World, bodies::Mold};

/// The processes of a run.
pub trait Machine {
    /// The world, or the part of it that this process steps.
    type Domain: Domain;

    /// Number of this rank; by default that of the only one.
    fn rank(&self) -> usize {
        0
    }

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

    /// [`domain`](Self::domain) for grains with the shapes of `molds`, where the smallest has the volume of a ball of diameter
    /// `smallest` (m).
    ///
    /// # Errors
    ///
    /// As [`domain`](Self::domain); always where grains are balls.
    fn shaped(
        &mut self,
        settings: Settings,
        walls: Vec<Wall>,
        molds: Vec<Arc<Mold>>,
        smallest: f64,
    ) -> Result<Self::Domain, Error> {
        let _ = (settings, walls, smallest);
        let (name, value) = ("number of shapes of grains", molds.len() as f64);
        Err(Error::Setting {
            name,
            value,
            expected: "0 here: grains with a shape need one process",
        })
    }

    /// Whether the division of the work and the speed are recorded in `ranks.csv`; by default not.
    fn is_recorded(&self) -> bool {
        false
    }

    /// Called when all input has been accepted and the steps begin.
    fn begin(&mut self) {}
}

/// One process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Machine for Alone {
    type Domain = World;

    fn domain(
        &mut self,
        settings: Settings,
        walls: Vec<Wall>,
        _: [Vector3<f64>; 2],
        _: [bool; 3],
    ) -> Result<World, Error> {
        World::new(settings, walls)
    }
}

/// One process, for grains with shapes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shaped;

impl Machine for Shaped {
    type Domain = Collection;

    fn domain(
        &mut self,
        settings: Settings,
        walls: Vec<Wall>,
        _: [Vector3<f64>; 2],
        _: [bool; 3],
    ) -> Result<Collection, Error> {
        Collection::new(settings, walls, Vec::new(), f64::MIN_POSITIVE)
    }

    fn shaped(
        &mut self,
        settings: Settings,
        walls: Vec<Wall>,
        molds: Vec<Arc<Mold>>,
        smallest: f64,
    ) -> Result<Collection, Error> {
        Collection::new(settings, walls, molds, smallest)
    }
}
