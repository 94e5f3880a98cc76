//! Friction of a force that does not depend on contact forces.

use nalgebra::{DMatrix, DVector, DVectorView};

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

    /// The axis `d` (length `n_v`) with `{D β} = {d p, |p| ≤ h η}`, if all directions are along one line: the longest of
    /// them. `None` if they span more.
    ///
    /// ```
    /// use nalgebra::{DMatrix, dvector};
    /// use percussion_integrators::BoundedFriction;
    ///
    /// let hinge = BoundedFriction::along(&DMatrix::from_column_slice(3, 1, &[0.0, 0.0, 1.0]), 0.2);
    /// assert_eq!(hinge.axis(), Some(dvector![0.0, 0.0, 1.0]));
    /// assert_eq!(BoundedFriction::along(&DMatrix::identity(3, 2), 0.2).axis(), None);
    /// ```
    #[must_use]
    pub fn axis(&self) -> Option<DVector<f64>> {
        let columns = || self.directions.column_iter();
        let longer = |a: DVectorView<'_, f64>, b: DVectorView<'_, f64>| b.norm() > a.norm();
        let longest = columns().reduce(|a, b| if longer(a, b) { b } else { a })?.clone_owned();
        let square = longest.norm_squared();
        // Rounding of a sum of n products.
        let rounding = 4.0 * longest.len() as f64 * f64::EPSILON * longest.norm();
        let is_along = |column: DVectorView<'_, f64>| {
            let part = if square > 0.0 { column.dot(&longest) / square } else { 0.0 };
            (column - &longest * part).norm() <= rounding
        };
        columns().all(is_along).then_some(longest)
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
