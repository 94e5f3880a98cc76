//! Mass, center of mass and inertia of rigid bodies: [`MassProperties`].

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

#[cfg(test)]
mod tests;

/// Allowed violation of the triangle inequality, as a fraction of the largest moment. The inequality is an equality
/// for flat and thin bodies, and model files with six significant digits round each of the three moments by up to
/// 5e-6 of the largest.
const TRIANGLE_TOLERANCE: f64 = 1.5e-5;

/// Allowed negative rounding of the smallest moment of a thin rod, relative to the largest: some thousand units, for
/// tensors that have been rotated and added.
const ROUNDING: f64 = 1e-12;

/// The reason why mass properties are refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MassPropertiesError {
    /// The mass is not positive, not finite, or so small that its inverse overflows.
    #[error("mass is {value:?}, expected a positive finite number (kg)")]
    Mass {
        /// Mass given (kg).
        value: f64,
    },
    /// A dimension of a solid is negative or not finite.
    #[error("{field} is {value:?}, expected a finite number of at least 0 (m)")]
    Size {
        /// Name of the dimension.
        field: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// The inner radius of a hollow solid is larger than the outer one.
    #[error("inner radius is {inner}, expected at most the outer radius {outer} (m)")]
    Inside {
        /// Inner radius (m).
        inner: f64,
        /// Outer radius (m).
        outer: f64,
    },
    /// An entry of the center of mass or of the inertia is NaN or infinite.
    #[error("{field} has an entry {value:?}, expected finite numbers")]
    NotFinite {
        /// Name of the field.
        field: &'static str,
        /// First such entry.
        value: f64,
    },
    /// The inertia is not symmetric.
    #[error("inertia differs from its transpose by {difference}, expected symmetry (kg·m²)")]
    Asymmetric {
        /// Largest difference between the tensor and its transpose (kg·m²).
        difference: f64,
    },
    /// No distribution of mass has these principal moments.
    #[error(
        "principal moments are {}, {} and {}, expected none negative and none above the sum of the \
         others (kg·m²)", .moments[0], .moments[1], .moments[2]
    )]
    Moments {
        /// Principal moments, smallest first (kg·m²).
        moments: [f64; 3],
    },
    /// The composite has no parts.
    #[error("a composite needs at least one part, got none")]
    NoParts,
}

/// Mass, center of mass and inertia tensor of a rigid body.
///
/// The body is physically possible, unless it was made by [`with_any_moments`](Self::with_any_moments): the mass is positive
/// and the principal moments `I_1 ≤ I_2 ≤ I_3` satisfy `I_1 ≥ 0` (to `1e-12 I_3`, rounding) and `I_3 ≤ I_1 + I_2` (to
/// `1.5e-5 I_3`, numbers of six digits). Equality holds for plates, thin rods and points.
///
/// Solids have closed forms, and [`MassProperties::composite`] joins them by the parallel axis theorem: about a
/// point at the distance `d` from the center of mass,
///
/// ```math
/// I_d = I + m\,(d^\mathsf{T} d\, 1 - d\, d^\mathsf{T}).
/// ```
///
/// The axis of solids of revolution is the body's **`x` axis**, as for the ends of
/// [`rounded_rod_plane`](crate::gap::rounded_rod_plane).
///
/// # Source
///
/// J. L. Meriam, L. G. Kraige, J. N. Bolton, *Engineering Mechanics: Dynamics*, 8th ed., Wiley 2015,
/// appendix B (parallel axes) and table D/4 (solids). The capsule is a cylinder and two hemispheres.
///
/// # Example
///
/// Two balls of 1 kg and radius 0.1 m, 2 m apart: `2 (2/5 · 0.01 + 1) = 2.008 kg·m²` across.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::MassProperties;
///
/// let ball = MassProperties::solid_sphere(1.0, 0.1)?;
/// let ends = [ball.translated(&Vector3::x()), ball.translated(&-Vector3::x())];
/// let dumbbell = MassProperties::composite(&ends)?;
/// assert_eq!(dumbbell.mass(), 2.0);
/// assert!((dumbbell.inertia()[(1, 1)] - 2.008).abs() < 1e-15);
/// # Ok::<(), percussion_dynamics::MassPropertiesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    mass: f64,
    center_of_mass: Vector3<f64>,
    inertia: Matrix3<f64>,
}

impl MassProperties {
    /// A body of `mass` (kg) with its center of mass (m) and inertia tensor **about the center of
    /// mass** (kg·m²), both in body axes.
    ///
    /// # Errors
    ///
    /// See [`MassPropertiesError`].
    pub fn new(
        mass: f64,
        center_of_mass: Vector3<f64>,
        inertia: Matrix3<f64>,
    ) -> Result<Self, MassPropertiesError> {
        let body = Self::with_any_moments(mass, center_of_mass, inertia)?;
        let moments = principal_moments(&inertia);
        let [small, middle, large] = moments;
        if large > small + middle + TRIANGLE_TOLERANCE * large {
            return Err(MassPropertiesError::Moments { moments });
        }
        Ok(body)
    }

    /// The same without the condition that no moment is larger than the sum of the others.
    ///
    /// No distribution of mass has such moments, but their kinetic energy is still positive, so that motion is well
    /// defined. Files of robots have them, from figures that were typed or identified one by one.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), with [`MassPropertiesError::Moments`] for negative moments alone.
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use percussion_dynamics::MassProperties;
    ///
    /// let typed = Matrix3::from_diagonal(&Vector3::new(0.1, 0.1, 1.0));
    /// assert!(MassProperties::new(2.0, Vector3::zeros(), typed).is_err());
    /// assert!(MassProperties::with_any_moments(2.0, Vector3::zeros(), typed).is_ok());
    /// assert!(MassProperties::with_any_moments(2.0, Vector3::zeros(), -typed).is_err());
    /// ```
    pub fn with_any_moments(
        mass: f64,
        center_of_mass: Vector3<f64>,
        inertia: Matrix3<f64>,
    ) -> Result<Self, MassPropertiesError> {
        if !(mass.is_normal() && mass > 0.0) {
            return Err(MassPropertiesError::Mass { value: mass });
        }
        check_finite("center of mass", center_of_mass.as_slice())?;
        check_finite("inertia", inertia.as_slice())?;
        let difference = (inertia - inertia.transpose()).amax();
        if difference > ROUNDING * inertia.amax() {
            return Err(MassPropertiesError::Asymmetric { difference });
        }
        let moments = principal_moments(&inertia);
        let [small, _, large] = moments;
        if small < -ROUNDING * large {
            return Err(MassPropertiesError::Moments { moments });
        }
        Ok(Self { mass, center_of_mass, inertia })
    }

    /// A point of `mass` (kg) at the origin, without inertia.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`].
    pub fn point(mass: f64) -> Result<Self, MassPropertiesError> {
        Self::axial(mass, 0.0, 0.0)
    }

    /// A solid box with edges `sizes` (m) along the axes: `I_xx = m (b² + c²)/12`.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`].
    pub fn solid_box(mass: f64, sizes: &Vector3<f64>) -> Result<Self, MassPropertiesError> {
        sizes.iter().try_for_each(|&size| check_size("edge", size))?;
        let [a, b, c] = [0, 1, 2].map(|i| sizes[i] * sizes[i]);
        let diagonal = Vector3::new(b + c, c + a, a + b) * (mass / 12.0);
        Self::new(mass, Vector3::zeros(), Matrix3::from_diagonal(&diagonal))
    }

    /// A solid ball of `radius` (m): `2/5 m r²`.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`].
    pub fn solid_sphere(mass: f64, radius: f64) -> Result<Self, MassPropertiesError> {
        Self::spherical_shell(mass, 0.0, radius)
    }

    /// A thin spherical shell of `radius` (m): `2/3 m r²`.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`].
    pub fn hollow_sphere(mass: f64, radius: f64) -> Result<Self, MassPropertiesError> {
        Self::spherical_shell(mass, radius, radius)
    }

    /// A spherical shell between the radii `inner` and `outer` (m): `2/5 m (b⁵ − a⁵)/(b³ − a³)`, evaluated without
    /// cancellation when it is thin.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`], [`MassPropertiesError::Inside`].
    pub fn spherical_shell(mass: f64, inner: f64, outer: f64) -> Result<Self, MassPropertiesError> {
        check_radii(inner, outer)?;
        // With the ratio s = a/b: (b⁵ − a⁵)/(b³ − a³) = b² (1 + s + s² + s³ + s⁴)/(1 + s + s²).
        let s = if outer > 0.0 { inner / outer } else { 0.0 };
        let ratio = (1.0 + s * (1.0 + s * (1.0 + s * (1.0 + s)))) / (1.0 + s * (1.0 + s));
        let moment = 0.4 * mass * outer * outer * ratio;
        Self::axial(mass, moment, moment)
    }

    /// A solid half ball of `radius` (m), its flat side through the origin and its dome towards `+x`:
    /// center of mass at `3/8 r`, `2/5 m r²` about the axis, `83/320 m r²` across.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`].
    pub fn solid_hemisphere(mass: f64, radius: f64) -> Result<Self, MassPropertiesError> {
        check_size("radius", radius)?;
        let square = mass * radius * radius;
        let body = Self::axial(mass, 0.4 * square, 83.0 / 320.0 * square)?;
        Ok(body.translated(&(Vector3::x() * (0.375 * radius))))
    }

    /// A solid cylinder of `radius` and `length` (m): `½ m r²` about the axis,
    /// `m (3 r² + l²)/12` across.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`].
    pub fn solid_cylinder(
        mass: f64,
        radius: f64,
        length: f64,
    ) -> Result<Self, MassPropertiesError> {
        Self::tube(mass, 0.0, radius, length)
    }

    /// A tube between the radii `inner` and `outer` (m) of the given `length` (m):
    /// `½ m (a² + b²)` about the axis, `m (3 (a² + b²) + l²)/12` across. Equal radii make a thin tube.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`], [`MassPropertiesError::Inside`].
    pub fn tube(
        mass: f64,
        inner: f64,
        outer: f64,
        length: f64,
    ) -> Result<Self, MassPropertiesError> {
        check_radii(inner, outer)?;
        check_size("length", length)?;
        let squares = inner * inner + outer * outer;
        Self::axial(mass, 0.5 * mass * squares, mass * (3.0 * squares + length * length) / 12.0)
    }

    /// A solid capsule: a cylinder of `radius` and `length` (m) closed by two half balls, so
    /// `length + 2 radius` from tip to tip. With the masses `m_c`, `m_s` of cylinder and balls in
    /// the ratio `l : 4r/3`, `½ m_c r² + 2/5 m_s r²` about the axis and
    /// `m_c (3 r² + l²)/12 + m_s (2/5 r² + 3/8 r l + ¼ l²)` across.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`].
    pub fn capsule(mass: f64, radius: f64, length: f64) -> Result<Self, MassPropertiesError> {
        check_size("radius", radius)?;
        check_size("length", length)?;
        let (r, l) = (radius, length);
        let volume = l + 4.0 / 3.0 * r;
        let cylinder = if volume > 0.0 { mass * (l / volume) } else { 0.0 };
        let balls = mass - cylinder;
        Self::axial(
            mass,
            (0.5 * cylinder + 0.4 * balls) * r * r,
            cylinder * (3.0 * r * r + l * l) / 12.0
                + balls * (0.4 * r * r + 0.375 * r * l + 0.25 * l * l),
        )
    }

    /// A thin rod of `length` (m): zero about its axis, `m l²/12` across.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::Mass`], [`MassPropertiesError::Size`].
    pub fn thin_rod(mass: f64, length: f64) -> Result<Self, MassPropertiesError> {
        Self::tube(mass, 0.0, 0.0, length)
    }

    /// All `parts` as one body, in their common axes.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError::NoParts`]; [`MassPropertiesError::Mass`] or [`MassPropertiesError::NotFinite`] if a sum overflows.
    pub fn composite(parts: &[Self]) -> Result<Self, MassPropertiesError> {
        if parts.is_empty() {
            return Err(MassPropertiesError::NoParts);
        }
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        let center: Vector3<f64> =
            parts.iter().map(|part| part.center_of_mass * (part.mass / mass)).sum();
        let inertia = parts.iter().map(|part| part.inertia_about(&center)).sum();
        Self::new(mass, center, inertia)
    }

    /// The same body translated by `offset` (m, body axes).
    #[must_use]
    pub fn translated(&self, offset: &Vector3<f64>) -> Self {
        Self { center_of_mass: self.center_of_mass + offset, ..*self }
    }

    /// The same body rotated about the origin.
    #[must_use]
    pub fn rotated(&self, rotation: &UnitQuaternion<f64>) -> Self {
        let matrix = rotation.to_rotation_matrix().into_inner();
        Self {
            mass: self.mass,
            center_of_mass: matrix * self.center_of_mass,
            inertia: matrix * self.inertia * matrix.transpose(),
        }
    }

    /// Mass (kg).
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Center of mass (m, body axes).
    #[must_use]
    pub fn center_of_mass(&self) -> Vector3<f64> {
        self.center_of_mass
    }

    /// Inertia tensor about the center of mass (kg·m², body axes).
    #[must_use]
    pub fn inertia(&self) -> Matrix3<f64> {
        self.inertia
    }

    /// Inertia tensor about `point` (m, body axes), by the parallel axis theorem (kg·m²).
    #[must_use]
    pub fn inertia_about(&self, point: &Vector3<f64>) -> Matrix3<f64> {
        let d = point - self.center_of_mass;
        self.inertia
            + self.mass * (Matrix3::from_diagonal_element(d.norm_squared()) - d * d.transpose())
    }

    /// Principal moments about the center of mass, smallest first (kg·m²).
    #[must_use]
    pub fn principal_moments(&self) -> [f64; 3] {
        principal_moments(&self.inertia)
    }

    /// A body of revolution about `x`, centered at the origin.
    fn axial(mass: f64, about_axis: f64, across: f64) -> Result<Self, MassPropertiesError> {
        let diagonal = Vector3::new(about_axis, across, across);
        Self::new(mass, Vector3::zeros(), Matrix3::from_diagonal(&diagonal))
    }
}

/// Principal moments of a finite symmetric tensor, smallest first.
///
/// Only the symmetric part `½ (A + Aᵀ)` is used. Accurate to about `eps` times the largest moment.
pub(crate) fn principal_moments(tensor: &Matrix3<f64>) -> [f64; 3] {
    let scale = tensor.amax();
    if scale == 0.0 {
        return [0.0; 3];
    }
    // Scaled to size one, so that no square inside the eigenvalue iteration overflows.
    let scaled = tensor / scale;
    let eigenvalues = (0.5 * (scaled + scaled.transpose())).symmetric_eigenvalues();
    let mut moments = [0, 1, 2].map(|i| eigenvalues[i] * scale);
    moments.sort_by(f64::total_cmp);
    moments
}

fn check_size(field: &'static str, value: f64) -> Result<(), MassPropertiesError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(MassPropertiesError::Size { field, value })
    }
}

fn check_radii(inner: f64, outer: f64) -> Result<(), MassPropertiesError> {
    check_size("inner radius", inner)?;
    check_size("radius", outer)?;
    if inner > outer { Err(MassPropertiesError::Inside { inner, outer }) } else { Ok(()) }
}

fn check_finite(field: &'static str, entries: &[f64]) -> Result<(), MassPropertiesError> {
    match entries.iter().find(|entry| !entry.is_finite()) {
        Some(&value) => Err(MassPropertiesError::NotFinite { field, value }),
        None => Ok(()),
    }
}
