//! The point of a box that is nearest to a center and to the solutions of linear equations.
//!
//! Minimizes `½ ‖y − c‖² + ‖J y − b‖²/2μ` over `l ≤ y ≤ h`. With multipliers `λ` of the equations, the
//! minimum is at `y = clamp(c + Jᵀλ)`, where `F(λ) = J y − b + μ λ = 0`. `F` is the gradient of a convex,
//! piecewise quadratic function `ψ`, the negative of the dual. On each piece the same `y` are free, and
//! Newton's step solves `(J_A J_Aᵀ + μ) d = −F` with their columns. A full step that stays on its piece ends
//! at the minimum.

use nalgebra::{DMatrix, DVector};

/// Maximum number of Newton steps; usually there are no more than variables that reach a bound.
const LIMIT: usize = 200;

/// Bounds of each variable.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) lower: DVector<f64>,
    pub(super) upper: DVector<f64>,
}

impl Bounds {
    /// Returns the nearest point within the bounds.
    pub(super) fn clamp(&self, mut y: DVector<f64>) -> DVector<f64> {
        for ((y, lower), upper) in y.iter_mut().zip(&self.lower).zip(&self.upper) {
            *y = y.max(*lower).min(*upper);
        }
        y
    }

    /// The minimizer; `damping` (`μ`) must be positive.
    pub(super) fn project(
        &self,
        center: &DVector<f64>,
        jacobian: &DMatrix<f64>,
        value: &DVector<f64>,
        damping: f64,
    ) -> DVector<f64> {
        let minimizer = |lambda: &DVector<f64>| self.clamp(center + jacobian.tr_mul(lambda));
        let psi = |lambda: &DVector<f64>, y: &DVector<f64>| {
            lambda.dot(&(jacobian * y - value)) + 0.5 * damping * lambda.norm_squared()
                - 0.5 * (y - center).norm_squared()
        };
        let mut lambda = DVector::zeros(value.len());
        let mut y = minimizer(&lambda);
        let mut free = self.free(&y);
        for _ in 0..LIMIT {
            let gradient = jacobian * &y - value + &lambda * damping;
            let mut columns = jacobian.clone();
            let fixed = free.iter().enumerate().filter(|(_, free)| !**free);
            fixed.for_each(|(k, _)| columns.column_mut(k).fill(0.0));
            let identity = DMatrix::identity(value.len(), value.len());
            let curvature = &columns * columns.transpose() + identity * damping;
            let Some(factor) = curvature.cholesky() else { break };
            let direction = -factor.solve(&gradient);
            let (before, slope) = (psi(&lambda, &y), gradient.dot(&direction));
            let mut length = 1.0;
            let mut trial = &lambda + &direction;
            while psi(&trial, &minimizer(&trial)) > before + 1e-4 * length * slope && length > 1e-9
            {
                length *= 0.5;
                trial = &lambda + &direction * length;
            }
            lambda = trial;
            y = minimizer(&lambda);
            let was_free = std::mem::replace(&mut free, self.free(&y));
            // Where the remaining gain is only rounding, the line search makes no progress.
            if length <= 1e-9 || (length >= 1.0 && free == was_free) {
                break;
            }
        }
        y
    }

    fn free(&self, y: &DVector<f64>) -> Vec<bool> {
        let bounds = self.lower.iter().zip(&self.upper);
        y.iter().zip(bounds).map(|(y, (lower, upper))| lower < y && y < upper).collect()
    }
}
