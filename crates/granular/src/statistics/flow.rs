//! Mass that passes a plane ([`Flow`]) and the slope of a free surface ([`surface_angle`]).

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use crate::{Grains, World};

/// Mass of the grains whose centers pass a plane, positive along its normal.
///
/// Grains are followed by their identities, so that corrections of overlaps, insertion and removal do not count. A grain
/// that passes and is removed within the same step is not seen.
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
    /// Nothing has passed the plane through `point` (m) with `normal`, and grains are where they are in `world`.
    #[must_use]
    pub fn new(point: Vector3<f64>, normal: Vector3<f64>, world: &World) -> Self {
        let mut flow = Self { point, normal, beyond: Vec::new(), passed: 0.0 };
        flow.look(world);
        flow.passed = 0.0;
        flow
    }

    /// Looks at the grains after a step.
    pub fn look(&mut self, world: &World) {
        let grains = world.grains();
        let known = self.beyond.len() as u64;
        self.beyond.resize(usize::try_from(world.next_identity()).unwrap_or(usize::MAX), false);
        for (index, (identity, place)) in
            grains.identities().iter().zip(grains.positions()).enumerate()
        {
            let is_beyond = self.normal.dot(&(place - self.point)) > 0.0;
            let Some(was) = usize::try_from(*identity).ok().and_then(|k| self.beyond.get_mut(k))
            else {
                continue;
            };
            if *identity < known && is_beyond != *was {
                self.passed += if is_beyond { grains.mass(index) } else { -grains.mass(index) };
            }
            *was = is_beyond;
        }
    }

    /// The mass that has passed (kg).
    #[must_use]
    pub const fn passed(&self) -> f64 {
        self.passed
    }
}

/// The angle of the free surface to the horizontal `x`-`y` plane (rad), of the plane `z = a + b x + c y`, or with a `center`
/// in `x` and `y` (m) of the cone `z = a − b r`, which fits the highest grains best: those of columns that are two of the
/// largest diameters wide. `None` where there are fewer than four columns or all are in a row.
#[must_use]
pub fn surface_angle(grains: &Grains, center: Option<[f64; 2]>) -> Option<f64> {
    let widest = 2.0 * grains.radii().iter().copied().fold(0.0, f64::max);
    let mut tops: BTreeMap<[i64; 2], Vector3<f64>> = BTreeMap::new();
    for (place, radius) in grains.positions().iter().zip(grains.radii()) {
        #[expect(clippy::cast_possible_truncation, reason = "casts saturate")]
        let column = [0, 1].map(|k| (place[k] / (2.0 * widest)).floor() as i64);
        let top = place + *radius * Vector3::z();
        let highest = tops.entry(column).or_insert(top);
        if top.z > highest.z {
            *highest = top;
        }
    }
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
