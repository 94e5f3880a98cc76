//! Averages of grains: in columns ([`CellAverages`]) and cells ([`BoxAverages`]), the [`SolidProfile`] over the height,
//! the [`RadialDistribution`], contacts and forces ([`ContactAverages`]), [`Flow`] through planes and [`surface_angle`].

mod contacts;
mod flow;
mod grid;

use nalgebra::Vector3;

pub use self::{
    contacts::ContactAverages,
    flow::{Flow, surface_angle, surface_angle_of_all},
    grid::{BoxAverages, BoxCell},
};

use crate::{Domain, Error, Grains};

/// Averages over time in square columns over the `x`-`y` plane.
#[derive(Clone, Debug, PartialEq)]
pub struct CellAverages {
    size: [f64; 2],
    cells: [usize; 2],
    sums: Vec<Sum>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    count: u64,
    velocity: Vector3<f64>,
    spin: f64,
}

/// The averages in one column.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cell {
    /// Middle of the column (m).
    pub at: [f64; 2],
    /// Number of grains that were counted, over all times.
    pub count: u64,
    /// Mean velocity (m/s).
    pub velocity: Vector3<f64>,
    /// Mean magnitude of the angular velocity (rad/s).
    pub spin: f64,
}

impl CellAverages {
    /// Empty averages, over `[0, size[0]] × [0, size[1]]` (m) with this many columns along each axis.
    #[must_use]
    pub fn new(size: [f64; 2], cells: [usize; 2]) -> Self {
        Self { size, cells, sums: vec![Sum::default(); cells[0] * cells[1]] }
    }

    /// Counts all grains inside.
    pub fn add(&mut self, grains: &Grains) {
        for (index, position) in grains.positions().iter().enumerate() {
            let place = [0, 1].map(|k| position[k] / self.size[k] * self.cells[k] as f64);
            let [Some(i), Some(j)] = [0, 1].map(|k| whole(place[k], self.cells[k])) else {
                continue;
            };
            let sum = &mut self.sums[i + j * self.cells[0]];
            sum.count += 1;
            sum.velocity += grains.velocity(index);
            sum.spin += grains.angular_velocity(index).norm();
        }
    }

    /// Width of a column along each axis (m).
    #[must_use]
    pub fn cell(&self) -> [f64; 2] {
        [0, 1].map(|k| self.size[k] / self.cells[k] as f64)
    }

    /// The columns in which grains were counted; `x` varies fastest.
    pub fn iter(&self) -> impl Iterator<Item = Cell> {
        let filled = self.sums.iter().enumerate().filter(|(_, sum)| sum.count > 0);
        filled.map(|(place, sum)| {
            let (i, j) = (place % self.cells[0], place / self.cells[0]);
            let middle =
                |k: usize, i: usize| (i as f64 + 0.5) / self.cells[k] as f64 * self.size[k];
            let count = sum.count as f64;
            Cell {
                at: [middle(0, i), middle(1, j)],
                count: sum.count,
                velocity: sum.velocity / count,
                spin: sum.spin / count,
            }
        })
    }
}

/// Fraction of the volume that is filled by grains, as a function of the height.
///
/// Each ball is cut exactly: between heights `a` and `b` from its center its volume is `π (r² t − t³/3)` from
/// `t = a` to `t = b`.
///
/// # Example
///
/// A ball of 0.5 m in a box of 1 m² fills the same fraction of the lower half of its height as of the upper
/// half.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Grain, Settings, World, statistics::SolidProfile};
///
/// let mut world = World::new(Settings::default(), vec![])?;
/// world.add(&Grain::at(Vector3::new(0.5, 0.5, 0.5), 0.5, 1.0))?;
/// let mut profile = SolidProfile::new(1.0, 1.0, 2)?;
/// profile.add(world.grains());
/// let sixth = std::f64::consts::PI / 6.0;
/// assert!(profile.values().iter().all(|[_, part]| (part - sixth).abs() < 1e-15));
/// # Ok::<(), percussion_granular::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SolidProfile {
    area: f64,
    thickness: f64,
    /// Volume of grains in each layer, over all times (m³).
    volumes: Vec<f64>,
    times: f64,
}

impl SolidProfile {
    /// An empty profile, from `z = 0` to `height` (m) over a base of this `area` (m²), with this many layers.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the area or the height is not positive, or if there are no layers.
    pub fn new(area: f64, height: f64, layers: usize) -> Result<Self, Error> {
        for (name, value) in [("area", area), ("height", height), ("layers", layers as f64)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Setting { name, value, expected: "a finite number > 0" });
            }
        }
        let thickness = height / layers as f64;
        Ok(Self { area, thickness, volumes: vec![0.0; layers], times: 0.0 })
    }

    /// Counts all grains, including those beside the base.
    pub fn add(&mut self, grains: &Grains) {
        self.times += 1.0;
        for (position, &radius) in grains.positions().iter().zip(grains.radii()) {
            // The part of the ball below a height above its center.
            let below = |height: f64| {
                let t = height.clamp(-radius, radius);
                std::f64::consts::PI * (radius * radius * t - t.powi(3) / 3.0)
            };
            let layers = (0_u32..).zip(&mut self.volumes);
            for (layer, volume) in layers {
                let lower = f64::from(layer) * self.thickness - position.z;
                *volume += below(lower + self.thickness) - below(lower);
            }
        }
    }

    /// Pairs `[z, part]` with the midpoint `z` of each layer (m) and the fraction of it that is filled by
    /// grains; zero before the first time.
    #[must_use]
    pub fn values(&self) -> Vec<[f64; 2]> {
        let whole = (self.area * self.thickness * self.times).max(f64::MIN_POSITIVE);
        let layers = (0_u32..).zip(&self.volumes);
        layers
            .map(|(layer, volume)| [(f64::from(layer) + 0.5) * self.thickness, volume / whole])
            .collect()
    }
}

/// Number of grains at a distance from a grain, relative to the number if all positions were equally likely:
/// `g(r)`.
///
/// Pairs are counted in a box, each with the weight `V / V(d)` where `V(d)` is the volume of the intersection
/// of the box and the box moved by the distance vector `d` of the pair. This compensates for the pairs that
/// the faces of the box cut off, and leaves no bias.
///
/// # Source
///
/// J. Ohser, "On estimators for the reduced second moment measure of point processes", *Mathematische
/// Operationsforschung und Statistik* 14 (1983) 63–71 (the translation correction).
#[derive(Clone, Debug, PartialEq)]
pub struct RadialDistribution {
    corners: [Vector3<f64>; 2],
    width: f64,
    weights: Vec<f64>,
    /// Sum over the times of `N (N − 1)`.
    pairs: f64,
}

impl RadialDistribution {
    /// An empty distribution, in the box between two corners (m), with `bins` bins of distance from 0 to
    /// `reach` (m).
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the reach is not positive or exceeds an edge of the box, or if there are no
    /// bins.
    pub fn new(corners: [Vector3<f64>; 2], reach: f64, bins: usize) -> Result<Self, Error> {
        let least = (corners[1] - corners[0]).min();
        if !(reach > 0.0 && reach <= least) {
            let expected = "a number > 0 and at most the edges of the box";
            return Err(Error::Setting { name: "reach", value: reach, expected });
        }
        if bins == 0 {
            return Err(Error::Setting { name: "bins", value: 0.0, expected: "≥ 1" });
        }
        let width = reach / bins as f64;
        Ok(Self { corners, width, weights: vec![0.0; bins], pairs: 0.0 })
    }

    /// Counts the pairs of grains at this time.
    pub fn add(&mut self, grains: &Grains) {
        let inside = grains.positions().iter().filter(|place| self.has(place)).copied();
        let places = inside.collect();
        self.count(places);
    }

    /// Counts the pairs of the grains of all ranks at this time, on rank 0; [`unite`](Self::unite) gives the result to
    /// all. In a world that repeats itself, grains are where they are in its box.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    pub fn add_all(&mut self, domain: &mut impl Domain) -> Result<(), Error> {
        let (grains, periods) = (domain.world().grains(), domain.world().periods());
        let place = |at: &Vector3<f64>| periods.map_or(*at, |periods| periods.wrapped(at));
        let all = grains.identities().iter().zip(grains.positions().iter().map(place));
        let own = all.filter(|(identity, place)| domain.is_own(**identity) && self.has(place));
        let words = own.flat_map(|(_, place)| [place.x, place.y, place.z].map(f64::to_bits));
        let places = domain.gather(words.collect())?.concat();
        let place = |words: &[u64]| Vector3::from_fn(|k, _| f64::from_bits(words[k]));
        self.count(places.chunks_exact(3).map(place).collect());
        Ok(())
    }

    /// Adds what the other ranks have counted.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    pub fn unite(&mut self, domain: &mut impl Domain) -> Result<(), Error> {
        domain.sum(&mut self.weights)?;
        let mut pairs = [self.pairs];
        domain.sum(&mut pairs)?;
        [self.pairs] = pairs;
        Ok(())
    }

    /// The sums so far, which a checkpoint stores for a run that is resumed. Their order depends only on the number of bins.
    pub fn sums(&mut self) -> impl Iterator<Item = &mut f64> {
        std::iter::once(&mut self.pairs).chain(&mut self.weights)
    }

    /// Whether a point is in the box.
    fn has(&self, place: &Vector3<f64>) -> bool {
        let [low, high] = self.corners;
        (0..3).all(|k| low[k] <= place[k] && place[k] <= high[k])
    }

    /// Counts the pairs of these points, all in the box.
    fn count(&mut self, mut places: Vec<Vector3<f64>>) {
        let [low, high] = self.corners;
        // Sorted along x, so that partners are near in the list.
        places.sort_by(|a, b| a.x.total_cmp(&b.x));
        let edges = high - low;
        let reach = self.width * self.weights.len() as f64;
        for (i, a) in places.iter().enumerate() {
            for b in &places[i + 1..] {
                let d = b - a;
                if d.x > reach {
                    break;
                }
                let Some(bin) = whole(d.norm() / self.width, self.weights.len()) else { continue };
                let common = (edges - d.abs()).product();
                self.weights[bin] += 2.0 * edges.product() / common;
            }
        }
        let count = places.len() as f64;
        self.pairs += count * (count - 1.0);
    }

    /// Pairs `[r, g(r)]` with the midpoint `r` of each bin (m); all zero before the first pair.
    #[must_use]
    pub fn values(&self) -> Vec<[f64; 2]> {
        let volume = (self.corners[1] - self.corners[0]).product();
        let value = |(bin, weight): (usize, &f64)| {
            let [inner, outer] = [bin as f64, bin as f64 + 1.0].map(|k| k * self.width);
            let shell = 4.0 / 3.0 * std::f64::consts::PI * (outer.powi(3) - inner.powi(3));
            let expected = self.pairs * shell / volume;
            let value = if expected > 0.0 { weight / expected } else { 0.0 };
            [0.5 * (inner + outer), value]
        };
        self.weights.iter().enumerate().map(value).collect()
    }
}

/// The whole part of `place` if it is in `0..count`.
fn whole(place: f64, count: usize) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    let whole = || place as usize;
    (place >= 0.0 && place < count as f64).then(whole)
}
