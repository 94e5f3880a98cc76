//! Free rotation of a body: [`turn`].
//!
//! Without torque the angular momentum `L = R Π` is constant, while `Π = I ω` in the axes of the body changes
//! by Euler's equations. With the mean `Π_m = ½ (Π + Π')` and `ω_m = I⁻¹ Π_m` a step is
//!
//! ```math
//! \Pi' - \Pi = h\, \Pi_m \times \omega_m,\qquad R' = R\, \operatorname{cay}(h\, \omega_m),
//! ```
//!
//! This is the midpoint rule. It conserves the energy `½ Π·ω`, and `L` because `Π' = cay(h ω_m)ᵀ Π`. It is of
//! second order.
//!
//! - **Needs** `h ‖ω‖ ≤ 1/2`. In principal axes the equation is `ω_m = ω + (h/2) c(ω_m)` with components
//!   `c_1 = (I_2 − I_3)/I_1 ω_2 ω_3` …, whose factors are at most 1 by the triangle inequality of moments. It
//!   therefore has one solution near `ω`, and Newton's method finds it in three or four steps.
//!
//! # Source
//!
//! M. A. Austin, P. S. Krishnaprasad, L.-S. Wang, "Almost Poisson integration of rigid body systems", *Journal of
//! Computational Physics* 107 (1993) 105–117.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::products::{product, times};

/// Maximum number of iterations: Newton's method is quadratic, and no allowed rotation needs more.
const MOST_ITERATIONS: usize = 20;

/// Orientation and angular velocity in the world (rad/s) after `step` seconds without torque, with the inertia in
/// the axes of the body (kg·m²).
pub(super) fn turn(
    orientation: &UnitQuaternion<f64>,
    spin: &Vector3<f64>,
    inertia: &Matrix3<f64>,
    step: f64,
) -> (UnitQuaternion<f64>, Vector3<f64>) {
    let start = orientation.inverse_transform_vector(spin);
    let mean = mean_spin(&start, inertia, step);
    let cayley = UnitQuaternion::new_normalize(Quaternion::from_parts(1.0, 0.5 * step * mean));
    // Normalized, because the norms of products of rotations drift.
    let turned = UnitQuaternion::new_normalize((orientation * cayley).into_inner());
    (turned, turned * (2.0 * mean - start))
}

/// The `ω_m` for `ω` at the start: `I (ω_m − ω) = (h/2) (I ω_m) × ω_m`.
fn mean_spin(start: &Vector3<f64>, inertia: &Matrix3<f64>, step: f64) -> Vector3<f64> {
    // The equation is divided by the size of the inertia, so that no determinant overflows.
    let (half, inertia) = (0.5 * step, inertia / inertia.trace());
    let mut mean = *start;
    for _ in 0..MOST_ITERATIONS {
        let momentum = times(&inertia, &mean);
        let excess = times(&inertia, &(mean - start)) - half * momentum.cross(&mean);
        let turned = product(&mean.cross_matrix(), &inertia);
        let slope = inertia - half * (momentum.cross_matrix() - turned);
        let Some(inverse) = slope.try_inverse() else { break };
        let change = times(&inverse, &excess);
        mean -= change;
        if change.amax() <= 4.0 * f64::EPSILON * mean.amax() {
            break;
        }
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(
        inertia: &Matrix3<f64>,
        start: Vector3<f64>,
        step: f64,
        count: usize,
    ) -> (UnitQuaternion<f64>, Vector3<f64>) {
        let first = (UnitQuaternion::from_euler_angles(0.3, -1.0, 2.0), start);
        (0..count).fold(first, |(q, spin), _| turn(&q, &spin, inertia, step))
    }

    #[test]
    fn energy_and_angular_momentum_stay() {
        let inertia = Matrix3::new(2.0, 0.3, 0.1, 0.3, 3.0, -0.2, 0.1, -0.2, 3.5);
        let start = Vector3::new(1.0, -2.0, 3.0);
        let of = |(q, spin): (UnitQuaternion<f64>, Vector3<f64>)| {
            let body = q.inverse_transform_vector(&spin);
            (q * (inertia * body), 0.5 * body.dot(&(inertia * body)))
        };
        let (momentum, energy) = of(run(&inertia, start, 0.05, 0));
        let (momentum_after, energy_after) = of(run(&inertia, start, 0.05, 1000));
        // A few roundings per step.
        assert!((momentum_after - momentum).norm() < 1e-12 * momentum.norm());
        assert!((energy_after / energy - 1.0).abs() < 1e-12, "{energy} {energy_after}");
    }

    #[test]
    fn a_symmetric_top_precesses_at_the_rate_of_the_midpoint_rule() {
        // In its axes the angular velocity turns about the third axis by 2 atan(h Ω/2) a step, Ω = (I₃ − I₁)/I₁ ω₃.
        let inertia = Matrix3::from_diagonal(&Vector3::new(2.0, 2.0, 3.0));
        let (step, count) = (0.01, 400_u32);
        let first = UnitQuaternion::from_euler_angles(0.3, -1.0, 2.0);
        let body = Vector3::new(0.4, 0.0, 5.0);
        let (q, spin) = run(&inertia, first * body, step, count as usize);
        let found = q.inverse_transform_vector(&spin);
        let angle = f64::from(count) * 2.0 * (0.5 * step * 0.5 * 5.0_f64).atan();
        let expected = Vector3::new(0.4 * angle.cos(), 0.4 * angle.sin(), 5.0);
        assert!((found - expected).norm() < 1e-12, "{found} {expected}");
        // And its axis turns about the angular momentum, at an angle that stays.
        let momentum = first * (inertia * body);
        let tilt = |q: &UnitQuaternion<f64>| (q * Vector3::z()).dot(&momentum.normalize());
        assert!((tilt(&q) - tilt(&first)).abs() < 1e-13);
    }

    #[test]
    fn the_error_falls_with_the_square_of_the_step() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 2.5));
        let start = Vector3::new(0.5, 3.0, 0.2);
        let at = |count: u32| run(&inertia, start, 1.0 / f64::from(count), count as usize).0;
        let exact = at(12_800);
        let [coarse, fine] = [200, 400].map(|count| at(count).angle_to(&exact));
        assert!((coarse / fine - 4.0).abs() < 0.02, "{coarse} {fine}");
    }
}
