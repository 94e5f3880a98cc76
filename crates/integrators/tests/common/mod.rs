//! A system with constant coefficients, for which the paper proves that energy does not grow.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses a part of this module"
)]

pub mod falling;

use nalgebra::{Cholesky, DMatrix, DVector, Isometry3, Vector3};
use percussion_dynamics::{
    Dimension, System,
    gap::{ContactRows, GapFunction},
};

/// `M v̇ = f` with constant `M` and `f`, and `q̇ = v`.
#[derive(Debug)]
pub struct ConstantSystem {
    pub mass_matrix: DMatrix<f64>,
    pub force: DVector<f64>,
    pub dimension: Dimension,
}

impl System for ConstantSystem {
    fn coordinate_count(&self) -> usize {
        self.force.len()
    }

    fn velocity_count(&self) -> usize {
        self.force.len()
    }

    fn dimension(&self) -> Dimension {
        self.dimension
    }

    fn body_count(&self) -> usize {
        0
    }

    fn pose(&self, _: &[f64], _: usize) -> Isometry3<f64> {
        Isometry3::identity()
    }

    fn mass_matrix(&self, _: &[f64], mass_matrix: &mut DMatrix<f64>) {
        mass_matrix.copy_from(&self.mass_matrix);
    }

    fn apply_inverse_mass(&self, _: &[f64], columns: &mut DMatrix<f64>) {
        Cholesky::new(self.mass_matrix.clone()).unwrap().solve_mut(columns);
    }

    fn smooth_forces(&self, _: &[f64], _: &[f64], _: f64, forces: &mut [f64]) {
        forces.copy_from_slice(self.force.as_slice());
    }

    fn coordinate_rate(&self, _: &[f64], velocity: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(velocity);
    }

    fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]) {
        for ((m, q), d) in moved.iter_mut().zip(coordinates).zip(tangent) {
            *m = q + d;
        }
    }

    fn add_point_row(
        &self,
        _: &[f64],
        _: usize,
        _: &Vector3<f64>,
        _: &Vector3<f64>,
        _: f64,
        _: &mut [f64],
    ) {
    }

    fn potential_energy(&self, coordinates: &[f64]) -> f64 {
        -self.force.iter().zip(coordinates).map(|(f, q)| f * q).sum::<f64>()
    }

    fn kinetic_energy(&self, _: &[f64], velocity: &[f64]) -> f64 {
        let velocity = DVector::from_column_slice(velocity);
        0.5 * velocity.dot(&(&self.mass_matrix * &velocity))
    }
}

/// A gap that is linear in the coordinates, `g = row 0 · q + offset`, with constant rows.
#[derive(Clone, Debug)]
pub struct LinearGap {
    /// Normal and tangent rows.
    pub rows: Vec<Vec<f64>>,
    pub offset: f64,
}

impl GapFunction for LinearGap {
    fn gap(&self, _: &dyn System, coordinates: &[f64]) -> f64 {
        self.rows[0].iter().zip(coordinates).map(|(n, q)| n * q).sum::<f64>() + self.offset
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        for (i, row) in self.rows.iter().enumerate() {
            rows.row_mut(i).copy_from_slice(row);
        }
        self.gap(system, coordinates)
    }
}
