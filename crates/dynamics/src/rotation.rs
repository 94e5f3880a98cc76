//! Rotations as unit quaternions `(w, x, y, z)`, and their change with an angular velocity.
//!
//! A quaternion `φ = (w, x, y, z)` represents the rotation from body to world axes. With the angular velocity `ω` in **world**
//! axes its rate is
//!
//! ```math
//! \dot\varphi = \tfrac12 \begin{pmatrix} -x & -y & -z \\ w & z & -y \\ -z & w & x \\ y & -x & w
//! \end{pmatrix} \omega .
//! ```
//!
//! A tangent vector `d` (rad) is a world angular velocity times a time. Two maps move a quaternion along it. Both
//! are normalized, and both have the above rate at `d = 0`:
//!
//! - [`exponential`] rotates by the angle `‖d‖` about `d`: exact for a constant angular velocity;
//! - [`normalized_euler`] adds `φ̇ h` and normalizes. It rotates by `2 atan(‖d‖/2)` about `d`, which is too small by
//!   `‖d‖³/12`, and agrees with schemes that update `q` linearly in `v`.
//!
//! [`difference`] and [`normalized_euler_difference`] are their inverses; [`RotationUpdate`] selects one of them.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts" (the rate matrix), after J. Diebel, "Representing attitude: Euler angles, unit
//! quaternions, and rotation vectors", 2006.
//! E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, 2nd ed., Springer 2006,
//! section VII.5 (quaternions and the exponential map).

use nalgebra::{Matrix3, Matrix4x3, Quaternion, UnitQuaternion, Vector3};

/// Smallest norm of a quaternion that [`normalize`] accepts. Below it the components are only rounding errors of
/// quantities of size one, and the direction is meaningless.
pub const SMALLEST_NORM: f64 = 1e-12;

/// The reason why four numbers are not a rotation.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A component is NaN or infinite.
    #[error("quaternion component {index} (of w, x, y, z) is {value:?}, expected a finite number")]
    NotFinite {
        /// Index of the component: 0 is `w`.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The norm is below [`SMALLEST_NORM`].
    #[error("quaternion has norm {norm:e}, expected at least 1e-12")]
    TooSmall {
        /// Norm found.
        norm: f64,
    },
}

/// The maps that move a rotation along a tangent vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RotationUpdate {
    /// [`exponential`], the default.
    #[default]
    Exponential,
    /// [`normalized_euler`].
    NormalizedEuler,
}

impl RotationUpdate {
    /// Moves `quaternion` along the tangent vector `tangent` (rad, world axes).
    #[must_use]
    pub fn apply(self, quaternion: &[f64; 4], tangent: &Vector3<f64>) -> [f64; 4] {
        match self {
            Self::Exponential => exponential(quaternion, tangent),
            Self::NormalizedEuler => normalized_euler(quaternion, tangent),
        }
    }

    /// The tangent vector (rad, world axes) from `from` to `to`: the inverse of [`apply`](Self::apply).
    #[must_use]
    pub fn difference(self, from: &[f64; 4], to: &[f64; 4]) -> Vector3<f64> {
        match self {
            Self::Exponential => difference(from, to),
            Self::NormalizedEuler => normalized_euler_difference(from, to),
        }
    }
}

/// The unit quaternion in the direction of `quaternion`.
///
/// # Errors
///
/// [`Error::NotFinite`], or [`Error::TooSmall`] below a norm of [`SMALLEST_NORM`].
///
/// # Example
///
/// ```
/// use percussion_dynamics::rotation;
///
/// assert_eq!(rotation::normalize(&[3.0, 0.0, 4.0, 0.0])?, [0.6, 0.0, 0.8, 0.0]);
/// assert!(rotation::normalize(&[0.0; 4]).is_err());
/// # Ok::<(), rotation::Error>(())
/// ```
pub fn normalize(quaternion: &[f64; 4]) -> Result<[f64; 4], Error> {
    if let Some((index, &value)) = quaternion.iter().enumerate().find(|(_, c)| !c.is_finite()) {
        return Err(Error::NotFinite { index, value });
    }
    // Division by the largest component prevents an overflow of the square of the norm.
    let largest = quaternion.iter().fold(0.0_f64, |a, c| a.max(c.abs()));
    let scaled = quaternion.map(|c| if largest > 1.0 { c / largest } else { c });
    let norm = norm(&scaled);
    if norm < SMALLEST_NORM {
        return Err(Error::TooSmall { norm });
    }
    Ok(scaled.map(|c| c / norm))
}

/// The matrix `N` of the rate `φ̇ = N ω` (4 × 3; ½ of the matrix in the [module head](self)).
///
/// # Example
///
/// A rotation about `z` at 2 rad/s changes the `z` component of the identity at 1 per second.
///
/// ```
/// use nalgebra::{Vector3, Vector4};
/// use percussion_dynamics::rotation::rate_matrix;
///
/// let rate = rate_matrix(&[1.0, 0.0, 0.0, 0.0]) * Vector3::new(0.0, 0.0, 2.0);
/// assert_eq!(rate, Vector4::new(0.0, 0.0, 0.0, 1.0));
/// ```
#[must_use]
pub fn rate_matrix(quaternion: &[f64; 4]) -> Matrix4x3<f64> {
    let [w, x, y, z] = *quaternion;
    0.5 * Matrix4x3::new(-x, -y, -z, w, z, -y, -z, w, x, y, -x, w)
}

/// Rotates `quaternion` by the angle `‖tangent‖` (rad) about the world axis `tangent`.
///
/// The components are accurate to about `eps (1 + ‖tangent‖)`. The vector part of tiny angles, including subnormal
/// ones, has a relative accuracy of a few `eps`.
///
/// # Example
///
/// A half turn about `x`, applied to the identity.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::rotation::exponential;
/// use std::f64::consts::PI;
///
/// let half_turn = exponential(&[1.0, 0.0, 0.0, 0.0], &Vector3::new(PI, 0.0, 0.0));
/// assert!(half_turn[0].abs() < 1e-15 && (half_turn[1] - 1.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn exponential(quaternion: &[f64; 4], tangent: &Vector3<f64>) -> [f64; 4] {
    let half_angle = 0.5 * tangent.norm();
    // Below 1e-8 the next term of sin(a)/a = 1 − a²/6 + … is under half a unit of rounding.
    let sinc = if half_angle < 1e-8 { 1.0 } else { half_angle.sin() / half_angle };
    let vector = 0.5 * sinc * tangent;
    unit_product(&[half_angle.cos(), vector.x, vector.y, vector.z], quaternion)
}

/// One step `φ + N d` followed by normalization, the update of schemes that move all coordinates linearly.
///
/// Rotates by `2 atan(‖d‖/2)` about `d`, which is always less than a half turn.
///
/// # Example
///
/// `d = 2` rad rotates by `2 atan 1`, a quarter turn.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::rotation::normalized_euler;
///
/// let turned = normalized_euler(&[1.0, 0.0, 0.0, 0.0], &Vector3::new(0.0, 0.0, 2.0));
/// let half = 0.5_f64.sqrt();
/// assert!((turned[0] - half).abs() < 1e-15 && (turned[3] - half).abs() < 1e-15);
/// ```
#[must_use]
pub fn normalized_euler(quaternion: &[f64; 4], tangent: &Vector3<f64>) -> [f64; 4] {
    // N d is the product of (0, d/2) and φ, so φ + N d is the product of (1, d/2) and φ.
    let d = 0.5 * tangent;
    unit_product(&[1.0, d.x, d.y, d.z], quaternion)
}

/// The rotation vector (rad, world axes) of `quaternion`, of length at most π; the inverse of
/// [`exponential`] from the identity.
///
/// `φ` and `−φ` are the same rotation and give the same vector, except at a half turn, where both directions of the
/// axis are valid.
///
/// # Example
///
/// ```
/// use percussion_dynamics::rotation::logarithm;
/// use std::f64::consts::FRAC_PI_2;
///
/// let half = 0.5_f64.sqrt();
/// assert!((logarithm(&[half, 0.0, half, 0.0]).y - FRAC_PI_2).abs() < 1e-15);
/// ```
#[must_use]
pub fn logarithm(quaternion: &[f64; 4]) -> Vector3<f64> {
    let sign = if quaternion[0] < 0.0 { -1.0 } else { 1.0 };
    let [w, x, y, z] = quaternion.map(|c| sign * c);
    let vector = Vector3::new(x, y, z);
    let sine = vector.norm();
    // Below 1e-8 the next term of atan(s)/s = 1 − s²/3 + … is under half a unit of rounding.
    if sine < 1e-8 { vector * (2.0 / w) } else { vector * (2.0 * sine.atan2(w) / sine) }
}

/// The tangent vector `d` (rad, world axes) with `exponential(from, d) = ±to`, of length at most π.
///
/// # Example
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::rotation::{difference, exponential};
///
/// let from = [0.6, 0.0, 0.8, 0.0];
/// let to = exponential(&from, &Vector3::new(0.1, 0.2, 0.3));
/// assert!((difference(&from, &to) - Vector3::new(0.1, 0.2, 0.3)).norm() < 1e-15);
/// ```
#[must_use]
pub fn difference(from: &[f64; 4], to: &[f64; 4]) -> Vector3<f64> {
    logarithm(&unit_product(to, &conjugate(from)))
}

/// The tangent vector `d` (rad, world axes) with `normalized_euler(from, d) = ±to`.
///
/// It grows without bound as the angle between the two rotations approaches a half turn, and is not finite there.
///
/// # Example
///
/// A quarter turn is `2 tan(π/4) = 2`.
///
/// ```
/// use percussion_dynamics::rotation::normalized_euler_difference;
///
/// let half = 0.5_f64.sqrt();
/// let d = normalized_euler_difference(&[1.0, 0.0, 0.0, 0.0], &[half, half, 0.0, 0.0]);
/// assert!((d.x - 2.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn normalized_euler_difference(from: &[f64; 4], to: &[f64; 4]) -> Vector3<f64> {
    let [w, x, y, z] = unit_product(to, &conjugate(from));
    Vector3::new(x, y, z) * (2.0 / w)
}

/// The rotation matrix `R` of a unit quaternion: columns are the body axes in the world.
///
/// # Example
///
/// A quarter turn about `z` maps the body's `x` axis to the world's `y` axis.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::rotation::rotation_matrix;
///
/// let half = 0.5_f64.sqrt();
/// let carried = rotation_matrix(&[half, 0.0, 0.0, half]) * Vector3::new(1.0, 0.0, 0.0);
/// assert!((carried - Vector3::new(0.0, 1.0, 0.0)).norm() < 1e-15);
/// ```
#[must_use]
pub fn rotation_matrix(quaternion: &[f64; 4]) -> Matrix3<f64> {
    *unit_quaternion(quaternion).to_rotation_matrix().matrix()
}

/// The rotation as a `nalgebra` type, with `quaternion` normalized.
pub(crate) fn unit_quaternion(quaternion: &[f64; 4]) -> UnitQuaternion<f64> {
    let [w, x, y, z] = *quaternion;
    UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
}

fn conjugate(quaternion: &[f64; 4]) -> [f64; 4] {
    let [w, x, y, z] = *quaternion;
    [w, -x, -y, -z]
}

fn norm(quaternion: &[f64; 4]) -> f64 {
    quaternion.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// The normalized Hamilton product: first `b`, then `a`, both about world axes.
fn unit_product(a: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
    let (a0, b0) = (a[0], b[0]);
    let (av, bv) = (Vector3::new(a[1], a[2], a[3]), Vector3::new(b[1], b[2], b[3]));
    let vector = a0 * bv + b0 * av + av.cross(&bv);
    let product = [a0 * b0 - av.dot(&bv), vector.x, vector.y, vector.z];
    let norm = norm(&product);
    product.map(|c| c / norm)
}

#[cfg(test)]
mod tests;
