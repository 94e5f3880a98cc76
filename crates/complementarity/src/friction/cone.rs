//! Coulomb's friction cone `K_μ = {‖p_T‖ ≤ μ p_N}` and the projection on it.

use nalgebra::Vector3;

/// The point of `K_μ` (components normal, tangent, tangent; `friction` μ ≥ 0) nearest to `point`.
///
/// # Example
///
/// Sideways pull alone is answered from the edge of the cone of 45°.
///
/// ```
/// use nalgebra::vector;
/// use percussion_complementarity::friction::cone;
///
/// assert_eq!(cone::project(&vector![0.0, 2.0, 0.0], 1.0), vector![1.0, 1.0, 0.0]);
/// assert_eq!(cone::project(&vector![-2.0, 1.0, 0.0], 1.0), vector![0.0, 0.0, 0.0]);
/// ```
#[must_use]
pub fn project(point: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    let (normal, length) = (point.x, point.yz().norm());
    if length <= friction * normal {
        *point
    } else if friction * length <= -normal {
        Vector3::zeros()
    } else {
        let normal = (normal + friction * length) / (1.0 + friction * friction);
        let scale = if length > 0.0 { friction * normal / length } else { 0.0 };
        Vector3::new(normal, scale * point.y, scale * point.z)
    }
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
    let slip = velocity.yz().norm();
    Vector3::new(velocity.x + friction * slip, velocity.y, velocity.z)
}

#[cfg(test)]
mod tests {
    use nalgebra::vector;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Moreau: a point is the sum of its projections on a cone and on the polar cone, orthogonal.
        #[test]
        fn what_is_taken_away_is_polar_and_orthogonal(
            n in -9.0..9.0, t in -9.0..9.0, o in -9.0..9.0, friction in 0.0..5.0
        ) {
            let point = vector![n, t, o];
            let nearest = project(&point, friction);
            let rest = nearest - point;
            prop_assert!(nearest.yz().norm() <= friction * nearest.x + 1e-13);
            prop_assert!(friction * rest.yz().norm() <= rest.x + 1e-12);
            prop_assert!(nearest.dot(&rest).abs() <= 1e-12);
            prop_assert!((project(&nearest, friction) - nearest).norm() <= 1e-14 * (1.0 + point.norm()));
        }
    }

    #[test]
    fn a_frictionless_cone_is_the_normal() {
        assert_eq!(project(&vector![2.0, 3.0, 4.0], 0.0), vector![2.0, 0.0, 0.0]);
        assert_eq!(project(&vector![-2.0, 3.0, 4.0], 0.0), vector![0.0, 0.0, 0.0]);
    }
}
