//! Mass, centre of mass and inertia of rigid bodies.

use nalgebra::{Matrix3, Vector3};

/// Principal moments (kg·m²) of a finite symmetric tensor, smallest first.
///
/// Only the part `½ (A + Aᵀ)` counts. Accurate to about `eps` times the largest moment.
#[must_use]
pub(crate) fn principal_moments(tensor: &Matrix3<f64>) -> Vector3<f64> {
    let scale = tensor.amax();
    if scale == 0.0 {
        return Vector3::zeros();
    }
    // Scaled to size one, so that no square inside the eigenvalue iteration overflows.
    let scaled = tensor / scale;
    let mut moments = (0.5 * (scaled + scaled.transpose())).symmetric_eigenvalues();
    moments.as_mut_slice().sort_by(f64::total_cmp);
    moments * scale
}
