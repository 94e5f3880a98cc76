//! Friction of a force that does not depend on contact forces.

use nalgebra::{DMatrix, DVectorView};

use super::ModelError;

/// Friction of a bounded force that does not depend on contact forces, such as that of a gear box.
///
/// Its impulse over a step is `D β` with `β ≥ 0` and `Σ β ≤ h η`, with maximum dissipation.
///
/// # Source
///
/// D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and
/// Coulomb friction", *International Journal for Numerical Methods in Engineering* 39 (1996) 2673–2691, section 3.5.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundedFriction {
    /// Directions `D` (`n_v × k`, `k ≥ 1`, closed under negation): generalized forces of unit size.
    pub directions: DMatrix<f64>,
    /// Bound `η ≥ 0` of the force (N, or N·m where the directions are torques).
    pub bound: f64,
}

impl BoundedFriction {
    /// Friction of at most `bound` along each of `axes` (`n_v × a`) in both directions, with the sum
    /// over the axes bounded: the directions are `[axes, −axes]`.
    #[must_use]
    pub fn along(axes: &DMatrix<f64>, bound: f64) -> Self {
        let (rows, count) = axes.shape();
        let directions = DMatrix::from_fn(rows, 2 * count, |row, column| {
            if column < count { axes[(row, column)] } else { -axes[(row, column - count)] }
        });
        Self { directions, bound }
    }

    pub(super) fn check(&self, joint: usize, velocity_count: usize) -> Result<(), ModelError> {
        let (rows, columns) = self.directions.shape();
        if rows != velocity_count || columns == 0 {
            return Err(ModelError::DirectionShape {
                joint,
                expected: velocity_count,
                rows,
                columns,
            });
        }
        for (column, direction) in self.directions.column_iter().enumerate() {
            let opposite = |other: &DVectorView<'_, f64>| {
                // The sum of infinities of opposite sign is NaN, so they are refused as well.
                direction.iter().zip(other.iter()).all(|(a, b)| a + b == 0.0)
            };
            if !self.directions.column_iter().any(|other| opposite(&other)) {
                return Err(ModelError::DirectionOpposite { joint, column });
            }
        }
        if !(self.bound.is_finite() && self.bound >= 0.0) {
            return Err(ModelError::Bound { joint, value: self.bound });
        }
        Ok(())
    }
}
