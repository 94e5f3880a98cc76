//! The range of lengths in which computations do not overflow, and directions.

use nalgebra::Vector3;

/// Points closer to a surface than this fraction of the size of the solid are on it: the direction of the difference
/// would be only rounding.
pub(crate) const ON_SURFACE: f64 = 1e-12;

/// Maximum length (m) of a shape or of an entry of a position. The iteration for a distance forms eighth powers of
/// the ratio of a position to a size, which stay finite.
pub(crate) const LARGEST: f64 = 1e12;

/// Minimum length (m) of a shape, for the same reason.
pub(crate) const SMALLEST: f64 = 1e-12;

/// The direction of `vector`, without overflow; `None` for zero and for values that are not finite.
pub(crate) fn unit(vector: &Vector3<f64>) -> Option<Vector3<f64>> {
    let largest = vector.amax();
    let finite = vector.iter().all(|entry| entry.is_finite());
    (finite && largest > 0.0).then(|| vector.map(|entry| entry / largest).normalize())
}
