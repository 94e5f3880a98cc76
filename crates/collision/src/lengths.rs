//! Lengths that can be computed with, and directions.

use nalgebra::Vector3;

/// Largest length (m) that a shape may have, and a position may hold. The iteration for a distance
/// forms eighth powers of the ratio of a position to a size, which stay finite.
pub(crate) const LARGEST: f64 = 1e12;

/// Smallest length (m) that a shape may have, for the same reason.
pub(crate) const SMALLEST: f64 = 1e-12;

/// The direction of `vector`, free of overflow; `None` for zero and for what is not finite.
pub(crate) fn unit(vector: &Vector3<f64>) -> Option<Vector3<f64>> {
    let largest = vector.amax();
    let finite = vector.iter().all(|entry| entry.is_finite());
    (finite && largest > 0.0).then(|| vector.map(|entry| entry / largest).normalize())
}
