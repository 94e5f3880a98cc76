//! Elimination of the bilateral constraints from the step.
//!
//! With `S = G M⁻¹ Gᵀ` the constraints, linearized about the velocity `v̂`, are the equations
//!
//! ```math
//! G v' = b = G \hat v - \varphi(\hat q)/h, \qquad
//! v' = v_u + M^{-1} G^\mathsf{T} p_b, \qquad p_b = S^{+} (b - G v_u),
//! ```
//!
//! with `b = 0` in the rows of a constraint that hold for velocities only, such as rolling. This is so
//! for any velocity `v_u` that the contact impulses leave, and the Delassus operator of the contacts
//! loses what the constraints take up: `W − (G M⁻¹ A)ᵀ S⁺ (G M⁻¹ A)`.
//!
//! Redundant equations make `S` singular, so `S⁺` is a generalised inverse. `S` is first scaled to a
//! unit diagonal. Its entries are then dot products of unit vectors, known to `n_v eps`, so that its
//! eigenvalues are known to `m_b n_v eps`, and those below are taken as zero.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use crate::model::Model;

#[derive(Debug)]
pub(crate) struct Bilateral {
    /// First row of each constraint, and the number of rows.
    first_rows: Vec<usize>,
    /// `φ(q̂)`.
    pub(crate) value: DVector<f64>,
    /// `G` (`m_b × n_v`).
    jacobian: DMatrix<f64>,
    /// `M⁻¹ Gᵀ` (`n_v × m_b`).
    inverse_mass_rows: DMatrix<f64>,
    /// `b` (m/s).
    target: DVector<f64>,
    /// `S⁺`.
    inverse: DMatrix<f64>,
    /// `p_b` of the last projection.
    pub(crate) impulses: DVector<f64>,
}

impl Bilateral {
    pub(crate) fn new(model: &Model) -> Self {
        let mut first_rows = vec![0];
        for constraint in model.constraints() {
            let next = first_rows[first_rows.len() - 1] + constraint.row_count(model.system());
            first_rows.push(next);
        }
        let (rows, columns) = (first_rows[first_rows.len() - 1], model.system().velocity_count());
        Self {
            first_rows,
            value: DVector::zeros(rows),
            jacobian: DMatrix::zeros(rows, columns),
            inverse_mass_rows: DMatrix::zeros(columns, rows),
            target: DVector::zeros(rows),
            inverse: DMatrix::zeros(rows, rows),
            impulses: DVector::zeros(rows),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// Evaluates all constraints and returns the largest `|φ_i|` of each.
    pub(crate) fn violations(&mut self, model: &Model, coordinates: &[f64]) -> Vec<f64> {
        self.evaluate(model, coordinates);
        let largest = |rows: &[usize]| self.value.rows(rows[0], rows[1] - rows[0]).amax();
        self.first_rows.windows(2).map(largest).collect()
    }

    fn evaluate(&mut self, model: &Model, coordinates: &[f64]) {
        for (constraint, rows) in model.constraints().iter().zip(self.first_rows.windows(2)) {
            constraint.evaluate(
                model.system(),
                coordinates,
                &mut self.value.as_mut_slice()[rows[0]..rows[1]],
                &mut self.jacobian,
                rows[0],
            );
        }
    }

    /// Linearizes about `coordinates` = `q ⊕ h guess`, with the mass matrix at `mass_coordinates`.
    pub(crate) fn linearize(
        &mut self,
        model: &Model,
        coordinates: &[f64],
        mass_coordinates: &[f64],
        guess: &DVector<f64>,
        step_size: f64,
    ) {
        if self.is_empty() {
            return;
        }
        self.evaluate(model, coordinates);
        self.inverse_mass_rows.tr_copy_from(&self.jacobian);
        model.system().apply_inverse_mass(mass_coordinates, &mut self.inverse_mass_rows);
        self.target.copy_from(&self.value);
        self.target.gemv(1.0, &self.jacobian, guess, -1.0 / step_size);
        for (constraint, rows) in model.constraints().iter().zip(self.first_rows.windows(2)) {
            let holonomic = constraint.holonomic_count(model.system());
            self.target.rows_range_mut(rows[0] + holonomic..rows[1]).fill(0.0);
        }
        self.inverse =
            generalized_inverse(&self.jacobian * &self.inverse_mass_rows, self.jacobian.ncols());
    }

    /// Replaces `v_u` by `v'` and keeps the multipliers.
    pub(crate) fn project(&mut self, velocity: &mut DVector<f64>) {
        if self.is_empty() {
            return;
        }
        let missing = &self.target - &self.jacobian * &*velocity;
        self.impulses = &self.inverse * missing;
        velocity.gemv(1.0, &self.inverse_mass_rows, &self.impulses, 1.0);
    }

    /// Reduces the Delassus operator `W = Aᵀ M⁻¹ A` of the contact rows `A` (`n_v × r`).
    pub(crate) fn reduce(&self, rows: &DMatrix<f64>, delassus: &mut DMatrix<f64>) {
        if self.is_empty() {
            return;
        }
        let coupling = self.inverse_mass_rows.tr_mul(rows);
        delassus.gemm_tr(-1.0, &coupling, &(&self.inverse * &coupling), 1.0);
    }
}

fn generalized_inverse(matrix: DMatrix<f64>, velocity_count: usize) -> DMatrix<f64> {
    let scale = matrix.diagonal().map(|s| if s > 0.0 { 1.0 / s.sqrt() } else { 0.0 });
    let scale = DMatrix::from_diagonal(&scale);
    let rows = matrix.nrows();
    let mut eigen = SymmetricEigen::new(&scale * matrix * &scale);
    let smallest = (rows * velocity_count) as f64 * f64::EPSILON;
    eigen.eigenvalues.apply(|e| *e = if *e > smallest { 1.0 / *e } else { 0.0 });
    &scale * eigen.recompose() * &scale
}

#[cfg(test)]
mod tests {
    use nalgebra::dmatrix;

    use super::*;

    #[test]
    fn the_inverse_of_a_regular_matrix_is_its_inverse() {
        let inverse = generalized_inverse(dmatrix![4.0, 1.0; 1.0, 9.0], 3);
        assert!((inverse * dmatrix![4.0, 1.0; 1.0, 9.0] - DMatrix::identity(2, 2)).amax() < 1e-14);
    }

    #[test]
    fn equal_equations_share_the_impulse() {
        let inverse = generalized_inverse(dmatrix![2.0, 2.0; 2.0, 2.0], 3);
        assert!((inverse - DMatrix::from_element(2, 2, 0.125)).amax() < 1e-15);
    }

    #[test]
    fn an_equation_without_effect_has_no_impulse() {
        assert_eq!(generalized_inverse(dmatrix![0.0], 3), dmatrix![0.0]);
    }
}
