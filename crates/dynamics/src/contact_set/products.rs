//! Products of the rows of one contact with a velocity or with its impulse, all rows at once.
//!
//! Each sum has the order of a row alone, and thus its bits. Sums of different rows do not wait for one another.

use std::array;

use super::ContactSet;
use crate::system::Dimension;

impl ContactSet {
    /// Adds the velocity of a contact with these `rows`, of which more may follow.
    pub(super) fn add_velocity(&self, rows: &[f64], velocity: &[f64], sums: &mut [f64]) {
        match self.dimension {
            Dimension::Plane => add_velocity::<2>(rows, velocity, sums),
            Dimension::Space => add_velocity::<3>(rows, velocity, sums),
        }
    }

    /// Adds the generalized impulse of a contact with these `rows`, of which more may follow.
    pub(super) fn add_impulse(&self, rows: &[f64], impulse: &[f64], sums: &mut [f64]) {
        match self.dimension {
            Dimension::Plane => add_impulse::<2>(rows, impulse, sums),
            Dimension::Space => add_impulse::<3>(rows, impulse, sums),
        }
    }
}

/// The first rows of this length.
fn split<const C: usize>(rows: &[f64], length: usize) -> [&[f64]; C] {
    array::from_fn(|row| &rows[row * length..][..length])
}

fn add_velocity<const C: usize>(rows: &[f64], velocity: &[f64], sums: &mut [f64]) {
    let rows = split::<C>(rows, velocity.len());
    let mut own = [0.0; C];
    for (k, velocity) in velocity.iter().enumerate() {
        for (sum, row) in own.iter_mut().zip(rows) {
            *sum += row[k] * velocity;
        }
    }
    sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
}

fn add_impulse<const C: usize>(rows: &[f64], impulse: &[f64], sums: &mut [f64]) {
    let rows = split::<C>(rows, sums.len());
    let impulse: [f64; C] = array::from_fn(|row| impulse[row]);
    for (k, sum) in sums.iter_mut().enumerate() {
        for (row, impulse) in rows.iter().zip(impulse) {
            *sum += row[k] * impulse;
        }
    }
}
