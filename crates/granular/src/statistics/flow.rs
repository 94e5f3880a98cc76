//! Mass that passes a plane ([`Flow`]) and the slope of a free surface ([`surface_angle`]).

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use crate::{Domain, Error, Grains, World};

/// Mass of the grains whose centers pass a plane, positive along its normal.
///
/// Grains are followed by their identities, so that corrections of overlaps, insertion and removal do not count. A grain
/// that passes and is removed within the same step is not seen.
///
/// In a world that repeats itself along the normal, the plane does, too, and a grain that passes any of its images counts.
/// A normal between an axis that repeats and others has no such images: what it counts is then without meaning.
#[derive(Clone, Debug)]
pub struct Flow {
    point: Vector3<f64>,
    normal: Vector3<f64>,
    /// Identities of the grains beyond the plane, by which those that pass are known.
    beyond: Vec<bool>,
    /// kg.
    passed: f64,
}

impl Flow {
    /// Nothing has passed the plane through `point` (m) with `normal`, and grains are where they are in `domain`.
    #[must_use]
    pub fn new(point: Vector3<f64>, normal: Vector3<f64>, domain: &impl Domain) -> Self {
        let mut flow = Self { point, normal, beyond: Vec::new(), passed: 0.0 };
        flow.see(domain);
        flow
    }

    /// Takes over on which side the grains are, without counting: after grains were moved to other ranks.
    pub fn see(&mut self, domain: &impl Domain) {
        let passed = self.passed;
        self.look(domain);
        self.passed = passed;
    }

    /// Looks at the grains after a step. Those of this rank are counted; copies are only followed, because they may be its
    /// own after the next step.
    pub fn look(&mut self, domain: &impl Domain) {
        let world: &World = domain.world();
        let grains = world.grains();
        let edge = self.edge(world);
        let known = self.beyond.len() as u64;
        self.beyond.resize(usize::try_from(world.next_identity()).unwrap_or(usize::MAX), false);
        for (index, (identity, place)) in
            grains.identities().iter().zip(grains.positions()).enumerate()
        {
            let mut distance = self.normal.dot(&(place - self.point));
            if let Some(edge) = edge {
                distance -= (distance / edge).round() * edge;
            }
            let is_beyond = distance > 0.0;
            let Some(was) = usize::try_from(*identity).ok().and_then(|k| self.beyond.get_mut(k))
            else {
                continue;
            };
            // Halfway between two images of the plane a grain is nearer to the next one from then on, but has passed none. A
            // grain moves by less than its radius in a step, which is less than a quarter of an edge.
            let is_near = edge.is_none_or(|edge| distance.abs() < 0.25 * edge);
            if *identity < known && is_beyond != *was && is_near && domain.is_own(*identity) {
                self.passed += if is_beyond { grains.mass(index) } else { -grains.mass(index) };
            }
            *was = is_beyond;
        }
    }

    /// Distance of two images of the plane along its normal (in units of its length, m), in a world that repeats itself
    /// along it.
    fn edge(&self, world: &World) -> Option<f64> {
        let axis = self.normal.iamax();
        world.periods()?.edges[axis].map(|edge| self.normal[axis].abs() * edge)
    }

    /// The mass that has passed as grains of this rank (kg).
    #[must_use]
    pub const fn passed(&self) -> f64 {
        self.passed
    }

    /// The same, for a run that is resumed (kg).
    pub const fn passed_mut(&mut self) -> &mut f64 {
        &mut self.passed
    }
}

/// The angle of the free surface to the horizontal `x`-`y` plane (rad), of the plane `z = a + b x + c y`, or with a `center`
/// in `x` and `y` (m) of the cone `z = a − b r`, which fits the highest grains best: those of columns that are two of the
/// largest diameters wide. `None` where there are fewer than four columns or all are in a row.
#[must_use]
pub fn surface_angle(grains: &Grains, center: Option<[f64; 2]>) -> Option<f64> {
    let widest = 2.0 * grains.radii().iter().copied().fold(0.0, f64::max);
    slope(&tops(grains, widest, |_| true), widest, center)
}

/// [`surface_angle`] of the grains of all ranks.
///
/// # Errors
///
/// [`Error::Unreachable`].
pub fn surface_angle_of_all(
    domain: &mut impl Domain,
    center: Option<[f64; 2]>,
) -> Result<Option<f64>, Error> {
    let grains = domain.world().grains();
    let mut widest = [2.0 * grains.radii().iter().copied().fold(0.0, f64::max)];
    domain.largest(&mut widest)?;
    let [widest] = widest;
    let own = tops(domain.world().grains(), widest, |identity| domain.is_own(identity));
    let words = own.iter().flat_map(|([i, j], top)| {
        let numbers = [top.x, top.y, top.z].map(f64::to_bits);
        [i.cast_unsigned(), j.cast_unsigned(), numbers[0], numbers[1], numbers[2]]
    });
    let all = domain.gather(words.collect())?.concat();
    let mut highest = BTreeMap::new();
    for words in all.chunks_exact(5) {
        let [x, y, z] = [2, 3, 4].map(|k| f64::from_bits(words[k]));
        raise(&mut highest, [0, 1].map(|k| words[k].cast_signed()), Vector3::new(x, y, z));
    }
    let mut answer: Vec<u64> =
        slope(&highest, widest, center).iter().map(|a| a.to_bits()).collect();
    domain.broadcast(&mut answer)?;
    Ok(answer.first().map(|word| f64::from_bits(*word)))
}

/// The highest points of the counted grains in columns that are two of the `widest` diameter wide.
type Tops = BTreeMap<[i64; 2], Vector3<f64>>;

fn tops(grains: &Grains, widest: f64, counts: impl Fn(u64) -> bool) -> Tops {
    let mut tops = BTreeMap::new();
    let all = grains.identities().iter().zip(grains.positions().iter().zip(grains.radii()));
    for (_, (place, radius)) in all.filter(|(identity, _)| counts(**identity)) {
        #[expect(clippy::cast_possible_truncation, reason = "casts saturate")]
        let column = [0, 1].map(|k| (place[k] / (2.0 * widest)).floor() as i64);
        raise(&mut tops, column, place + *radius * Vector3::z());
    }
    tops
}

fn raise(tops: &mut Tops, column: [i64; 2], top: Vector3<f64>) {
    let highest = tops.entry(column).or_insert(top);
    if top.z > highest.z {
        *highest = top;
    }
}

/// The angle of the surface that fits the points best.
fn slope(tops: &Tops, widest: f64, center: Option<[f64; 2]>) -> Option<f64> {
    if tops.len() < 4 {
        return None;
    }
    let (mut matrix, mut side) = (Matrix3::zeros(), Vector3::zeros());
    let middle = tops.values().sum::<Vector3<f64>>() / tops.len() as f64;
    for top in tops.values() {
        let row = match center {
            Some([x, y]) => Vector3::new(1.0, (top.x - x).hypot(top.y - y) / widest, 0.0),
            None => Vector3::new(1.0, (top.x - middle.x) / widest, (top.y - middle.y) / widest),
        };
        matrix += row * row.transpose();
        side += (top.z - middle.z) / widest * row;
    }
    if center.is_some() {
        matrix[(2, 2)] = 1.0;
    }
    // A row of columns leaves one direction open.
    let scale = matrix.norm();
    let values = matrix.symmetric_eigenvalues();
    if values.min() <= 1e-9 * scale {
        return None;
    }
    let solution = matrix.cholesky()?.solve(&side);
    Some(solution.y.hypot(solution.z).atan())
}
