//! Communication of a world with others during a step: [`Link`]; and [`Alone`], for a single world.

use crate::{
    correction::Shift,
    grains::{Grains, Motion},
    settings::Error,
};

/// Work on items that no other world shares, in two phases, 0 and 1, while messages are on their way.
pub(crate) type Meanwhile<'a, T> = &'a mut dyn FnMut(usize, &mut [T]);

/// The other worlds, which contain the grains of the other subdomains. All of them call the same methods in
/// the same order.
pub(crate) trait Link {
    /// Replaces each value by its sum over all worlds, in an order that depends on their number alone.
    fn sum(&mut self, values: &mut [f64]) -> Result<(), Error>;

    /// The maximum of the values of all worlds.
    fn largest(&mut self, value: f64) -> Result<f64, Error>;

    /// Transfers grains to their owners and renews the copies of grains within `halo` (m) of the border.
    fn regroup(&mut self, grains: &mut Grains, halo: f64) -> Result<(), Error>;

    /// Records the places of the grains after a search.
    fn settle(&mut self, grains: &Grains);

    /// Places of the grains that other worlds have too; `None` without other worlds.
    fn shared(&self) -> Option<impl Iterator<Item = u32>>;

    /// Whether the grain at this place belongs to this world.
    fn owns(&self, place: u32) -> bool;

    /// Whether the contact of grains at these places is solved in this world.
    fn solves(&self, grains: &Grains, places: [u32; 2]) -> bool;

    /// Divides the mass of grains that are in several worlds among their copies.
    fn divide(&mut self, motions: &mut [Motion]);

    /// Reverses [`divide`](Self::divide).
    fn unite(&mut self, motions: &mut [Motion]);

    /// Sets all copies of a grain to their mean velocities, and calls both phases of `meanwhile` in order.
    fn merge_motions(
        &mut self,
        motions: &mut [Motion],
        meanwhile: Meanwhile<'_, Motion>,
    ) -> Result<(), Error>;

    /// Sets all copies of a grain to their mean shift, and calls both phases of `meanwhile` in order.
    fn merge_shifts(
        &mut self,
        shifts: &mut [Shift],
        meanwhile: Meanwhile<'_, Shift>,
    ) -> Result<(), Error>;
}

/// No other worlds.
pub(crate) struct Alone;

impl Link for Alone {
    fn largest(&mut self, value: f64) -> Result<f64, Error> {
        Ok(value)
    }

    fn sum(&mut self, _: &mut [f64]) -> Result<(), Error> {
        Ok(())
    }

    fn regroup(&mut self, _: &mut Grains, _: f64) -> Result<(), Error> {
        Ok(())
    }

    fn settle(&mut self, _: &Grains) {}

    fn shared(&self) -> Option<impl Iterator<Item = u32>> {
        None::<std::iter::Empty<u32>>
    }

    fn owns(&self, _: u32) -> bool {
        true
    }

    fn solves(&self, _: &Grains, _: [u32; 2]) -> bool {
        true
    }

    fn divide(&mut self, _: &mut [Motion]) {}

    fn unite(&mut self, _: &mut [Motion]) {}

    fn merge_motions(
        &mut self,
        motions: &mut [Motion],
        meanwhile: Meanwhile<'_, Motion>,
    ) -> Result<(), Error> {
        (0..2).for_each(|phase| meanwhile(phase, motions));
        Ok(())
    }

    fn merge_shifts(
        &mut self,
        shifts: &mut [Shift],
        meanwhile: Meanwhile<'_, Shift>,
    ) -> Result<(), Error> {
        (0..2).for_each(|phase| meanwhile(phase, shifts));
        Ok(())
    }
}
