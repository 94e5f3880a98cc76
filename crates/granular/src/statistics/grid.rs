//! Averages in the cells of a box: [`BoxAverages`].

use nalgebra::Vector3;

use super::whole;
use crate::{Domain, Error, Grains, Periods};

/// Averages over time in equal cells of a box. A grain counts in the cell of its center, with its whole volume, so that
/// cells should be several diameters wide.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxAverages {
    corners: [Vector3<f64>; 2],
    counts: [usize; 3],
    times: f64,
    /// Volume (m³) and momentum (kg·m/s) with mass (kg) of each cell, over all times.
    sums: Vec<(f64, Vector3<f64>, f64)>,
}

/// The averages in one cell of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoxCell {
    /// Middle of the cell (m).
    pub at: Vector3<f64>,
    /// Fraction of the volume that grains fill.
    pub solid_fraction: f64,
    /// Mean velocity, by mass (m/s); 0 without grains.
    pub velocity: Vector3<f64>,
}

impl BoxAverages {
    /// Empty averages between two corners (m), with this many cells along each axis.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if an edge is not positive or there are no cells.
    pub fn new(corners: [Vector3<f64>; 2], counts: [usize; 3]) -> Result<Self, Error> {
        let least = (corners[1] - corners[0]).min();
        if !(least > 0.0 && least.is_finite()) {
            let expected = "a finite number > 0";
            return Err(Error::Setting { name: "edge of the box", value: least, expected });
        }
        let count = counts.iter().product();
        if count == 0 {
            return Err(Error::Setting { name: "cells", value: 0.0, expected: "≥ 1" });
        }
        Ok(Self { corners, counts, times: 0.0, sums: vec![(0.0, Vector3::zeros(), 0.0); count] })
    }

    /// Counts the grains at this time, at their positions.
    pub fn add(&mut self, grains: &Grains) {
        self.add_where(grains, None, |_| true);
    }

    /// Counts the grains of this rank at this time; [`unite`](Self::unite) adds those of the others. In a world that repeats
    /// itself, grains count where they are in the box.
    pub fn add_own(&mut self, domain: &impl Domain) {
        let world = domain.world();
        self.add_where(world.grains(), world.periods(), |identity| domain.is_own(identity));
    }

    /// Adds what the other ranks have counted; all have counted equally often.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    pub fn unite(&mut self, domain: &mut impl Domain) -> Result<(), Error> {
        let mut sums: Vec<f64> =
            self.sums.iter().flat_map(|(v, p, m)| [*v, p.x, p.y, p.z, *m]).collect();
        domain.sum(&mut sums)?;
        for (sum, parts) in self.sums.iter_mut().zip(sums.chunks_exact(5)) {
            *sum = (parts[0], Vector3::new(parts[1], parts[2], parts[3]), parts[4]);
        }
        Ok(())
    }

    fn add_where(
        &mut self,
        grains: &Grains,
        periods: Option<Periods>,
        counts: impl Fn(u64) -> bool,
    ) {
        self.times += 1.0;
        let [low, high] = self.corners;
        for (index, position) in grains.positions().iter().enumerate() {
            if !counts(grains.identities()[index]) {
                continue;
            }
            let position = periods.map_or(*position, |periods| periods.wrapped(position));
            let place = |k: usize| {
                let share = (position[k] - low[k]) / (high[k] - low[k]);
                whole(share * self.counts[k] as f64, self.counts[k])
            };
            let (Some(i), Some(j), Some(k)) = (place(0), place(1), place(2)) else { continue };
            let (volume, momentum, mass) =
                &mut self.sums[i + self.counts[0] * (j + self.counts[1] * k)];
            *volume += 4.0 / 3.0 * std::f64::consts::PI * grains.radii()[index].powi(3);
            *momentum += grains.mass(index) * grains.velocity(index);
            *mass += grains.mass(index);
        }
    }

    /// Number of times that were counted.
    #[must_use]
    pub const fn times(&self) -> f64 {
        self.times
    }

    /// The number of times and the sums of this rank, which a checkpoint stores for a run that is resumed. Their order depends
    /// only on the number of cells.
    pub fn sums(&mut self) -> (&mut f64, impl Iterator<Item = &mut f64>) {
        let sums = self.sums.iter_mut().flat_map(|(volume, momentum, mass)| {
            std::iter::once(volume).chain(momentum.iter_mut()).chain(std::iter::once(mass))
        });
        (&mut self.times, sums)
    }

    /// All cells; `x` varies fastest.
    pub fn iter(&self) -> impl Iterator<Item = BoxCell> {
        let edges = self.corners[1] - self.corners[0];
        let cell = Vector3::from_fn(|k, _| edges[k] / self.counts[k] as f64);
        let volume = cell.product() * self.times;
        self.sums.iter().enumerate().map(move |(index, (filled, momentum, mass))| {
            let [long, wide, _] = self.counts;
            let node = [index % long, index / long % wide, index / (long * wide)];
            let middle = Vector3::from(node.map(|n| n as f64 + 0.5)).component_mul(&cell);
            BoxCell {
                at: self.corners[0] + middle,
                solid_fraction: if volume > 0.0 { filled / volume } else { 0.0 },
                velocity: if *mass > 0.0 { momentum / *mass } else { Vector3::zeros() },
            }
        })
    }
}
