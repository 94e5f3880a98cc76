//! The orthonormal frame of one contact: [`ContactFrame`].

use nalgebra::Vector3;

/// If the angle between a tangent reference and the normal is smaller than this (rad), the reference is not used.
///
/// It is about the square root of the rounding unit. At smaller angles the orthogonalized reference has lost more
/// than half of its digits, and its direction would depend on rounding errors.
const SMALLEST_ANGLE: f64 = 1e-8;

/// The reason why a contact frame could not be built.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactFrameError {
    /// An entry of a vector is NaN or infinite.
    #[error("{field} has an entry {value:?}, expected finite numbers")]
    NotFinite {
        /// Name of the vector.
        field: &'static str,
        /// First such entry.
        value: f64,
    },
    /// A direction vector is zero.
    #[error("{field} is zero, expected a direction")]
    Zero {
        /// Name of the vector.
        field: &'static str,
    },
    /// The normal of a frame in the plane has a component perpendicular to the plane.
    #[error("normal of a planar frame has z = {z}, expected 0")]
    OutOfPlane {
        /// The `z` entry of the normal.
        z: f64,
    },
}

/// A right-handed orthonormal contact frame `(n, t, o)` in world axes.
///
/// `n` points from body 2 to body 1, so that a positive normal velocity separates.
/// In the plane only `tangent_1` is used, and it is `n` rotated by −90° about `z`: for the floor
/// normal `(0, 1, 0)` it is `(1, 0, 0)`.
///
/// The tangent is a reference direction that is orthogonalized twice against the normal. It is then orthogonal up to
/// rounding, however small the angle between the reference and the normal.
///
/// # Source
///
/// B. N. Parlett, *The Symmetric Eigenvalue Problem*, SIAM 1998, section 6.9 (why twice is enough).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFrame {
    /// Unit normal, from body 2 to body 1.
    pub normal: Vector3<f64>,
    /// First unit tangent `t`.
    pub tangent_1: Vector3<f64>,
    /// Second unit tangent `o = n × t`.
    pub tangent_2: Vector3<f64>,
}

impl ContactFrame {
    /// The frame with the direction of `normal` and with `t` as close as possible to `reference`: the part of
    /// `reference` orthogonal to `n`, normalized.
    ///
    /// If `reference` is zero or within `1e-8` rad of `±n`, the world axis with the smallest `|n_i|` is used instead
    /// (among equal ones the first of `x`, `y`, `z`). Lengths do not matter. Except in that case, the frame rotates
    /// with its arguments.
    ///
    /// # Errors
    ///
    /// [`ContactFrameError::NotFinite`] for either vector, [`ContactFrameError::Zero`].
    ///
    /// # Example
    ///
    /// A table with its normal up and the tangent along `x`; the second tangent is then `y`.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_dynamics::ContactFrame;
    ///
    /// let frame = ContactFrame::from_normal(&Vector3::new(0.0, 0.0, 2.0), &Vector3::new(1.0, 0.0, 1.0))?;
    /// assert_eq!(frame.tangent_1, Vector3::new(1.0, 0.0, 0.0));
    /// assert_eq!(frame.tangent_2, Vector3::new(0.0, 1.0, 0.0));
    /// # Ok::<(), percussion_dynamics::ContactFrameError>(())
    /// ```
    pub fn from_normal(
        normal: &Vector3<f64>,
        reference: &Vector3<f64>,
    ) -> Result<Self, ContactFrameError> {
        check_finite("tangent reference", reference)?;
        Ok(Self::from_unit_normal(&direction("normal", normal)?, reference))
    }

    /// The frame of a contact in the plane: `t` is `n` rotated by −90° about `z`, and `o = −e_z`.
    ///
    /// # Errors
    ///
    /// [`ContactFrameError::NotFinite`], [`ContactFrameError::Zero`], [`ContactFrameError::OutOfPlane`].
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_dynamics::ContactFrame;
    ///
    /// let floor = ContactFrame::planar(&Vector3::new(0.0, 1.0, 0.0))?;
    /// assert_eq!(floor.tangent_1, Vector3::new(1.0, 0.0, 0.0));
    /// # Ok::<(), percussion_dynamics::ContactFrameError>(())
    /// ```
    pub fn planar(normal: &Vector3<f64>) -> Result<Self, ContactFrameError> {
        let normal = direction("normal", normal)?;
        if normal.z != 0.0 {
            return Err(ContactFrameError::OutOfPlane { z: normal.z });
        }
        Ok(Self::from_planar_unit_normal(&normal))
    }

    /// The axes in the order of contact components: normal, tangent 1, tangent 2.
    #[must_use]
    pub fn axes(&self) -> [Vector3<f64>; 3] {
        [self.normal, self.tangent_1, self.tangent_2]
    }

    /// The rates of the axes when the rate of the normal is `normal_rate`, for a frame created by
    /// [`from_normal`](Self::from_normal) from a `reference` that also has a rate.
    ///
    /// If a world axis was used instead of the reference, it is also used here.
    #[must_use]
    pub fn rates(
        &self,
        normal_rate: &Vector3<f64>,
        [reference, reference_rate]: [&Vector3<f64>; 2],
    ) -> [Vector3<f64>; 3] {
        let (n, t) = (self.normal, self.tangent_1);
        let (reference, reference_rate) = if orthogonal_part(&n, reference).is_some() {
            (*reference, *reference_rate)
        } else {
            (Vector3::ith(n.abs().imin(), 1.0), Vector3::zeros())
        };
        // The tangent is along x = r − (n · r) n. The component of its rate along itself is zero, and t · n = 0
        // gives the component along n.
        let along = n.dot(&reference);
        let along_rate = normal_rate.dot(&reference) + n.dot(&reference_rate);
        let x_rate = reference_rate - along_rate * n - along * normal_rate;
        let second = self.tangent_2 * self.tangent_2.dot(&x_rate);
        let tangent_rate = second / (reference - along * n).norm() - n * normal_rate.dot(&t);
        [*normal_rate, tangent_rate, normal_rate.cross(&t) + n.cross(&tangent_rate)]
    }

    /// The rates of the axes of a frame created by [`planar`](Self::planar).
    #[must_use]
    pub fn planar_rates(normal_rate: &Vector3<f64>) -> [Vector3<f64>; 3] {
        let tangent_rate = Vector3::new(normal_rate.y, -normal_rate.x, 0.0);
        [*normal_rate, tangent_rate, Vector3::zeros()]
    }

    pub(crate) fn from_unit_normal(normal: &Vector3<f64>, reference: &Vector3<f64>) -> Self {
        let tangent_1 = orthogonal_part(normal, reference).unwrap_or_else(|| {
            let axis = Vector3::ith(normal.abs().imin(), 1.0);
            // The smallest entry of a unit vector is at most 1/√3, so this axis is never close to `n`.
            (axis - normal * axis.dot(normal)).normalize()
        });
        Self { normal: *normal, tangent_1, tangent_2: normal.cross(&tangent_1) }
    }

    pub(crate) fn from_planar_unit_normal(normal: &Vector3<f64>) -> Self {
        let tangent_1 = Vector3::new(normal.y, -normal.x, 0.0);
        Self { normal: *normal, tangent_1, tangent_2: -Vector3::z() }
    }
}

/// The unit vector along the part of `reference` orthogonal to the unit `normal`, if it has one.
fn orthogonal_part(normal: &Vector3<f64>, reference: &Vector3<f64>) -> Option<Vector3<f64>> {
    let reference = scaled_direction(reference)?;
    let part = reference - normal * reference.dot(normal);
    if part.norm() < SMALLEST_ANGLE {
        return None;
    }
    // The first pass leaves an error of up to eps/1e-8 along the normal; the second removes it.
    let part = part.normalize();
    Some((part - normal * part.dot(normal)).normalize())
}

/// The unit vector along `vector`, which must be finite and not zero.
pub(crate) fn direction(
    field: &'static str,
    vector: &Vector3<f64>,
) -> Result<Vector3<f64>, ContactFrameError> {
    check_finite(field, vector)?;
    scaled_direction(vector).ok_or(ContactFrameError::Zero { field })
}

/// Normalizes without overflow or underflow; `None` for zero.
fn scaled_direction(vector: &Vector3<f64>) -> Option<Vector3<f64>> {
    let largest = vector.amax();
    (largest > 0.0).then(|| vector.map(|c| c / largest).normalize())
}

pub(crate) fn check_finite(
    field: &'static str,
    vector: &Vector3<f64>,
) -> Result<(), ContactFrameError> {
    match vector.iter().find(|entry| !entry.is_finite()) {
        Some(&value) => Err(ContactFrameError::NotFinite { field, value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
