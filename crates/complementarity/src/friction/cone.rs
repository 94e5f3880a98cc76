//! Coulomb's friction cone `K_μ = {‖p_T‖ ≤ μ p_N}` and the projection on it.

use nalgebra::{Matrix2, Matrix3, Vector3};

/// The point of `K_μ` (components normal, tangent, tangent; `friction` μ ≥ 0) nearest to `point`.
///
/// # Example
///
/// A purely tangential pull is projected on the boundary of the cone of 45°.
///
/// ```
/// use nalgebra::vector;
/// use percussion_complementarity::friction::cone;
///
/// assert_eq!(cone::project(&vector![0.0, 2.0, 0.0], 1.0), vector![1.0, 1.0, 0.0]);
/// assert_eq!(cone::project(&vector![-2.0, 1.0, 0.0], 1.0), vector![0.0, 0.0, 0.0]);
/// // Without friction the cone is the normal.
/// assert_eq!(cone::project(&vector![-2.0, 0.0, 0.0], 0.0), vector![0.0, 0.0, 0.0]);
/// ```
#[must_use]
pub fn project(point: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    let (normal, length) = (point.x, length(point.y, point.z));
    // A point with a negative normal is outside the cone, even if μ times the normal rounds to −0.
    if normal >= 0.0 && length <= friction * normal {
        *point
    } else if normal <= 0.0 && friction * length <= -normal {
        Vector3::zeros()
    } else {
        let normal = if friction < 1e8 {
            (normal + friction * length) / (1.0 + friction * friction)
        } else {
            // The square of such a friction coefficient could overflow, and the 1 beside it is below rounding.
            (normal / friction + length) / friction
        };
        // The length is not zero: points on the axis are in the cone or below its apex.
        let scale = friction * normal / length;
        Vector3::new(normal, scale * point.y, scale * point.z)
    }
}

/// The derivative of [`project`] at `point`, one of its limits where there is none.
pub(super) fn derivative(point: &Vector3<f64>, friction: f64) -> Matrix3<f64> {
    let (normal, length) = (point.x, length(point.y, point.z));
    if friction == 0.0 {
        return Matrix3::from_diagonal(&Vector3::new(f64::from(normal > 0.0), 0.0, 0.0));
    }
    if normal >= 0.0 && length <= friction * normal {
        return Matrix3::identity();
    }
    if normal <= 0.0 && friction * length <= -normal {
        return Matrix3::zeros();
    }
    // 1/(1 + μ²), μ/(1 + μ²) and μ²/(1 + μ²).
    let [along, across, beside] = if friction < 1e8 {
        let along = 1.0 / (1.0 + friction * friction);
        [along, friction * along, friction * friction * along]
    } else {
        [1.0 / friction / friction, 1.0 / friction, 1.0]
    };
    let direction = point.yz() / length;
    let outer = direction * direction.transpose();
    let turned = across * normal / length + beside;
    let tangents = beside * outer + turned * (Matrix2::identity() - outer);
    let mut derivative = Matrix3::zeros();
    derivative[(0, 0)] = along;
    for i in 0..2 {
        derivative[(0, i + 1)] = across * direction[i];
        derivative[(i + 1, 0)] = across * direction[i];
        for j in 0..2 {
            derivative[(i + 1, j + 1)] = tangents[(i, j)];
        }
    }
    derivative
}

/// `√(y² + z²)` of numbers of any size.
#[inline]
pub(super) fn length(y: f64, z: f64) -> f64 {
    let square = y * y + z * z;
    // Squares in this range have neither lost digits to underflow nor overflowed.
    if square > 1e-280 && square < 1e300 { square.sqrt() } else { far_length(y, z) }
}

#[cold]
fn far_length(y: f64, z: f64) -> f64 {
    let size = y.abs().max(z.abs());
    if size > 0.0 && size.is_finite() {
        let (y, z) = (y / size, z / size);
        size * (y * y + z * z).sqrt()
    } else {
        // Zero, infinite or not a number.
        y.abs() + z.abs()
    }
}

/// `‖v‖` of a vector of any size.
#[inline]
pub(super) fn norm(v: &Vector3<f64>) -> f64 {
    let square = v.norm_squared();
    if square > 1e-280 && square < 1e300 { square.sqrt() } else { length(v.x, length(v.y, v.z)) }
}

/// De Saxcé's modified velocity `û = u + μ ‖u_T‖ n`.
///
/// # Source
///
/// G. De Saxcé, Z.-Q. Feng, "The bipotential method: a constructive approach to design the complete
/// contact law with friction and improved numerical algorithms", *Mathematical and Computer Modelling*
/// 28 (1998) 225–245.
#[must_use]
pub fn modified_velocity(velocity: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    let slip = length(velocity.y, velocity.z);
    Vector3::new(velocity.x + friction * slip, velocity.y, velocity.z)
}

#[cfg(test)]
mod tests {
    use nalgebra::vector;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Moreau: a point is the sum of its projections on a cone and on the polar cone, and the two are
        /// orthogonal.
        #[test]
        fn what_is_taken_away_is_polar_and_orthogonal(
            n in -9.0..9.0, t in -9.0..9.0, o in -9.0..9.0, any in 0.0..5.0, flat in 0..3
        ) {
            let friction = if flat == 0 { 0.0 } else { any };
            let point = vector![n, t, o];
            let nearest = project(&point, friction);
            let rest = nearest - point;
            prop_assert!(nearest.yz().norm() <= friction * nearest.x + 1e-13);
            prop_assert!(friction * rest.yz().norm() <= rest.x + 1e-12);
            prop_assert!(nearest.dot(&rest).abs() <= 1e-12);
            prop_assert!((project(&nearest, friction) - nearest).norm() <= 1e-14 * (1.0 + point.norm()));
        }
    }

    proptest! {
        /// Differences over 1e-6 have an error of that size, as no edge is closer.
        #[test]
        fn the_derivative_is_that_of_the_projection(
            n in -9.0..9.0, t in -9.0..9.0, o in -9.0..9.0, any in 0.0..5.0, flat in 0..3
        ) {
            let friction = if flat == 0 { 0.0 } else { any };
            let point = vector![n, t, o];
            let length = point.yz().norm();
            let to_edges: [f64; 4] = [length - friction * n, friction * length + n, length, if flat == 0 { n } else { 1.0 }];
            prop_assume!(to_edges.iter().all(|distance| distance.abs() > 1e-3));
            let derivative = derivative(&point, friction);
            for k in 0..3 {
                let mut step = Vector3::zeros();
                step[k] = 1e-6;
                let difference = project(&(point + step), friction) - project(&(point - step), friction);
                let error = (difference / 2e-6 - derivative.column(k)).norm();
                prop_assert!(error < 1e-5, "{error} {derivative}");
            }
        }
    }

    /// Symptom: `(−2, 0, 0)` was its own projection for `μ = 0`, so that frictionless contacts pulled. Cause: `0 ≤ 0·(−2)` is
    /// `0 ≤ −0`. Expected: a cone without friction is the normal, and what points below it is projected to zero.
    #[test]
    fn a_frictionless_cone_is_the_normal() {
        assert_eq!(project(&vector![2.0, 3.0, 4.0], 0.0), vector![2.0, 0.0, 0.0]);
        assert_eq!(project(&vector![-2.0, 3.0, 4.0], 0.0), vector![0.0, 0.0, 0.0]);
        assert_eq!(project(&vector![-2.0, 0.0, 0.0], 0.0), vector![0.0, 0.0, 0.0]);
        assert_eq!(project(&vector![-2.0, 0.0, 0.0], -0.0), vector![0.0, 0.0, 0.0]);
        assert_eq!(project(&vector![2.0, 0.0, 0.0], 0.0), vector![2.0, 0.0, 0.0]);
        assert_eq!(project(&vector![0.0, 3.0, 4.0], 0.0), vector![0.0, 0.0, 0.0]);
        assert_eq!(project(&vector![-1e-320, 0.0, 0.0], 0.3), vector![0.0, 0.0, 0.0]);
    }

    /// Squares of these entries overflow or underflow; by exact powers of two the answer is that of entries near one.
    #[test]
    fn points_of_any_size_are_projected_alike() {
        for (point, friction) in [
            (vector![1.0, 3.0, -4.0], 0.5),
            (vector![-1.0, 3.0, 4.0], 0.5),
            (vector![-3.0, 3.0, 4.0], 0.5),
            (vector![-3.0, 0.5, 0.1], 1e8),
        ] {
            let expected = project(&point, friction);
            for exponent in [-900, -600, 600, 900] {
                let unit = 2.0_f64.powi(exponent);
                let found = project(&(point * unit), friction) / unit;
                assert!((found - expected).norm() <= 1e-15 * expected.norm(), "{exponent} {found}");
            }
        }
    }

    /// The projection on a cone of nearly 180° keeps the tangents and lifts the point to the boundary.
    #[test]
    fn wide_cones_keep_tangents() {
        for friction in [1e7, 1e8, 1e150, 1e300] {
            let found = project(&vector![-2.0, 3.0, 4.0], friction);
            // The relative error of the tangents is (2 + 5/μ)/(5 μ).
            assert!((found.yz() - vector![3.0, 4.0]).norm() <= 2.1 / friction + 1e-15, "{found}");
            assert!((found.x * friction / 5.0 - 1.0).abs() <= 1.0 / friction + 1e-15, "{found}");
        }
    }

    /// From the smallest normal numbers to the largest, also where a square is zero, subnormal or infinite.
    #[test]
    fn lengths_of_any_size_are_exact_to_rounding() {
        for exponent in (-1020..=1020).step_by(4) {
            let unit = 2.0_f64.powi(exponent);
            let found = [
                length(3.0 * unit, -4.0 * unit) / 5.0,
                length(-4.0 * unit, 3.0 * unit) / 5.0,
                length(0.0, -unit),
                norm(&(vector![2.0, -3.0, 6.0] * unit)) / 7.0,
                norm(&(vector![-6.0, 2.0, 3.0] * unit)) / 7.0,
                norm(&(vector![0.0, 0.0, 1.0] * unit)),
                far_length(3.0 * unit, 4.0 * unit) / 5.0,
            ];
            for (i, found) in found.into_iter().enumerate() {
                assert!((found / unit - 1.0).abs() < 1e-15, "{i}: {found:e} for 2^{exponent}");
            }
        }
        assert_eq!((length(0.0, 0.0), norm(&Vector3::zeros())), (0.0, 0.0));
        let infinite = [
            length(f64::INFINITY, -1.0),
            length(-1.0, f64::NEG_INFINITY),
            length(0.0, f64::INFINITY),
            length(f64::INFINITY, 0.0),
            norm(&vector![1.0, f64::INFINITY, 1.0]),
        ];
        assert!(infinite.iter().all(|x| x.is_infinite() && *x > 0.0), "{infinite:?}");
        assert!(length(f64::NAN, 1.0).is_nan() && norm(&vector![1.0, 1.0, f64::NAN]).is_nan());
    }

    /// `û_N = u_N + μ ‖u_T‖`, by hand.
    #[test]
    fn the_modified_velocity_opens_with_the_slip() {
        let found = modified_velocity(&vector![-1.0, 3.0, -4.0], 0.5);
        assert_eq!(found, vector![1.5, 3.0, -4.0]);
    }
}
