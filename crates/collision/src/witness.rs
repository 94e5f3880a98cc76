//! The nearest points of two surfaces.

use nalgebra::Vector3;

/// A gap with the points that attain it: `points[0] − points[1] = gap · normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Witness {
    /// Signed distance (m).
    pub(crate) gap: f64,
    /// Points of the surfaces of body 1 and 2 (m, world).
    pub(crate) points: [Vector3<f64>; 2],
    /// Unit normal from body 2 to body 1.
    pub(crate) normal: Vector3<f64>,
}

impl Witness {
    /// The witness with this point of body 1.
    #[inline(always)]
    pub(crate) fn new(point_1: Vector3<f64>, normal: Vector3<f64>, gap: f64) -> Self {
        Self { gap, points: [point_1, point_1 - normal * gap], normal }
    }

    /// The same with the bodies exchanged.
    #[inline(always)]
    pub(crate) fn flipped(self) -> Self {
        Self { gap: self.gap, points: [self.points[1], self.points[0]], normal: -self.normal }
    }

    /// The midpoint, which is the position of the contact.
    #[inline(always)]
    pub(crate) fn middle(&self) -> Vector3<f64> {
        0.5 * (self.points[0] + self.points[1])
    }

    #[inline(always)]
    pub(crate) fn is_finite(&self) -> bool {
        let is_finite = |v: &Vector3<f64>| v.x.is_finite() & v.y.is_finite() & v.z.is_finite();
        self.gap.is_finite()
            & is_finite(&self.points[0])
            & is_finite(&self.points[1])
            & is_finite(&self.normal)
    }
}
