//! The angular velocity after a step with an implicit gyroscopic torque.
//!
//! With the inertia `I` in world axes at the start of a step of length `h` and a constant torque `τ`, the
//! implicit midpoint rule
//!
//! ```math
//! I (\omega^+ - \omega) + h\, \omega_m \times I \omega_m = h \tau, \qquad
//! \omega_m = \tfrac12 (\omega + \omega^+)
//! ```
//!
//! multiplied by `ω_m` gives `½ ω⁺ᵀ I ω⁺ − ½ ωᵀ I ω = h τ · ω_m`, because `ω_m × I ω_m` is perpendicular to `ω_m`.
//! Multiplication by `I ω_m` gives the same for `‖I ω‖²`. Without torque a step of any length therefore conserves
//! the kinetic energy and the magnitude of the angular momentum. If the body then rotates by `h ω⁺` about `ω⁺`
//! itself, by any angle, the inertia in world axes rotates about the same axis and `½ ω⁺ᵀ I ω⁺` does not change. The
//! direction of the angular momentum in the world is conserved to first order. The explicit rule instead gains about
//! `½ h² ‖ω̇‖²_I` per step, and grows without bound.
//!
//! **Solution.** In principal axes and with `y_i = √I_i ω_i` the midpoint `x` solves
//!
//! ```math
//! x_i + \tfrac{h}{2} \gamma_i x_j x_k = c_i, \qquad
//! \gamma_i = \frac{I_k - I_j}{\sqrt{I_1 I_2 I_3}}, \qquad
//! c_i = y_i + \tfrac{h}{2} \tau_i / \sqrt{I_i}
//! ```
//!
//! for cyclic `i, j, k`, and `y⁺ = 2 x − y`. Newton's method starts at `x = c`. The equation has a solution for
//! every `h`, because its left side times `x` is `‖x‖²`. With `β = max |γ_i|` the derivative changes by at most
//! `h β` per unit of `x`, its inverse at `c` is at most `1/(1 − a)` for `a = h β ‖c‖`, and the residual there is
//! `½ a ‖c‖`. For `a ≤ 1/4` the constant of Kantorovich's theorem is at most `(4/3)² a²/2 = 1/18 < 1/2`: the method
//! converges quadratically, to rounding within five iterations.
//!
//! If it does not converge, the step is divided into 2, 4, 8, … equal parts with the same inertia, each of which
//! conserves the energy in the same way. With at least `4 h β (‖y‖ + h ‖τ‖_{I⁻¹})` parts the theorem applies to all
//! of them.
//!
//! # Source
//!
//! The balance of energy and the bound are derived here. E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical
//! Integration*, 2nd ed., Springer 2006, section IV.2.1 (the midpoint rule keeps quadratic invariants);
//! L. V. Kantorovich, G. P. Akilov, *Functional Analysis*, 2nd ed., Pergamon 1982, section XVIII.1.

use nalgebra::{Matrix3, Vector3};

/// Maximum number of equal parts of a step. A body of `β ‖y‖ h = 256`, which would rotate by some hundred radians
/// within the step, is still guaranteed to be solved.
pub(super) const PARTS_LIMIT: usize = 1024;

/// Maximum number of iterations of Newton's method. Under the conditions of the theorem in the [module head](self)
/// five suffice. Otherwise, if the method has not converged after twice as many, the step is divided into shorter
/// parts.
const NEWTON_LIMIT: usize = 10;

/// The principal axes and moments of one body, or the information that all axes are principal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Principal {
    /// All moments are the same, so that the gyroscopic torque is zero.
    Isotropic,
    /// Axes as columns in body axes, the square roots of the moments (`√(kg·m²)`) and `γ`.
    Axes { axes: Matrix3<f64>, roots: Vector3<f64>, coupling: Vector3<f64> },
}

impl Principal {
    /// Principal axes of a symmetric positive definite tensor in body axes (kg·m²).
    pub(super) fn of(inertia: &Matrix3<f64>) -> Self {
        if *inertia == Matrix3::from_diagonal_element(inertia[(0, 0)]) {
            return Self::Isotropic;
        }
        // Scaled to size one, so that no product overflows: γ is in 1/√(kg·m²).
        let scale = inertia.amax();
        let scaled = inertia / scale;
        let eigen = (0.5 * (scaled + scaled.transpose())).symmetric_eigen();
        // Rounding may make the least of very different moments zero or negative; it is then undetermined.
        let moments = eigen.eigenvalues.map(|moment| moment.max(f64::EPSILON));
        let roots = moments.map(f64::sqrt);
        let volume = roots.x * roots.y * roots.z * scale.sqrt();
        let coupling = Vector3::new(
            (moments.z - moments.y) / volume,
            (moments.x - moments.z) / volume,
            (moments.y - moments.x) / volume,
        );
        Self::Axes { axes: oriented(eigen.eigenvectors), roots: roots * scale.sqrt(), coupling }
    }
}

/// The same axes as a right-handed frame, in which products of components are cross products.
fn oriented(mut axes: Matrix3<f64>) -> Matrix3<f64> {
    if axes.column(0).cross(&axes.column(1)).dot(&axes.column(2)) < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    axes
}

/// The angular velocity after a step of `step` (s) from `spin` (rad/s) under `torque` (N·m), both in the axes of the
/// frame `axes` (columns are the principal axes). The error is the number of parts that did not suffice.
///
/// Values that are not finite are returned as such.
pub(super) fn advance(
    axes: &Matrix3<f64>,
    roots: &Vector3<f64>,
    coupling: &Vector3<f64>,
    (spin, torque): (&Vector3<f64>, &Vector3<f64>),
    step: f64,
) -> Result<Vector3<f64>, usize> {
    let start = axes.tr_mul(spin).component_mul(roots);
    let torque = axes.tr_mul(torque).component_div(roots);
    let mut parts = 1_u32;
    while parts as usize <= PARTS_LIMIT {
        let part = step / f64::from(parts);
        let end = (0..parts).try_fold(start, |y, _| {
            let middle = midpoint(&(y + 0.5 * part * torque), coupling, part)?;
            Some(2.0 * middle - y)
        });
        if let Some(end) = end {
            return Ok(axes * end.component_div(roots));
        }
        parts *= 2;
    }
    Err(PARTS_LIMIT)
}

/// Solves `x_i + ½ h γ_i x_j x_k = c_i` by Newton's method from `x = c`; `None` if it does not converge.
fn midpoint(c: &Vector3<f64>, coupling: &Vector3<f64>, step: f64) -> Option<Vector3<f64>> {
    if !c.iter().all(|entry| entry.is_finite()) {
        return Some(*c);
    }
    let g = 0.5 * step * coupling;
    let mut x = *c;
    for _ in 0..NEWTON_LIMIT {
        let turned = Vector3::new(g.x * x.y * x.z, g.y * x.z * x.x, g.z * x.x * x.y);
        #[rustfmt::skip]
        let derivative = Matrix3::new(
            1.0,       g.x * x.z, g.x * x.y,
            g.y * x.z, 1.0,       g.y * x.x,
            g.z * x.y, g.z * x.x, 1.0,
        );
        let change = derivative.lu().solve(&(c - x - turned))?;
        x += change;
        // The iteration ends with a correction of a few roundings of the terms of the residual.
        if change.amax() <= 16.0 * f64::EPSILON * x.amax().max(turned.amax()) {
            return Some(x);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advanced(moments: [f64; 3], spin: [f64; 3], torque: [f64; 3], step: f64) -> Vector3<f64> {
        let inertia = Matrix3::from_diagonal(&Vector3::from(moments));
        let Principal::Axes { axes, roots, coupling } = Principal::of(&inertia) else {
            panic!("the moments differ")
        };
        let (spin, torque) = (Vector3::from(spin), Vector3::from(torque));
        advance(&axes, &roots, &coupling, (&spin, &torque), step).unwrap()
    }

    fn residual(moments: [f64; 3], spin: [f64; 3], torque: [f64; 3], step: f64) -> f64 {
        let inertia = Matrix3::from_diagonal(&Vector3::from(moments));
        let end = advanced(moments, spin, torque, step);
        let (spin, torque) = (Vector3::from(spin), Vector3::from(torque));
        let middle = 0.5 * (spin + end);
        let turned = step * middle.cross(&(inertia * middle));
        (inertia * (end - spin) + turned - step * torque).amax()
    }

    /// Checks the equation of the module head, with the moments in any order.
    #[test]
    fn the_midpoint_rule_holds() {
        for moments in [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [1.0, 1.0, 2.0]] {
            let error = residual(moments, [1.0, 20.0, -3.0], [5.0, -1.0, 2.0], 0.01);
            // Terms are of the size of 60 N·m·s.
            assert!(error < 60.0 * 32.0 * f64::EPSILON, "{moments:?}: {error:e}");
        }
    }

    /// Steps from a thousandth of a radian to a thousand radians conserve the energy and the angular momentum.
    #[test]
    fn a_step_of_any_length_keeps_energy_and_momentum() {
        let moments = [1.0, 2.0, 3.0];
        let of = |w: &Vector3<f64>| {
            let squares = w.component_mul(w);
            let weighted = |power: i32| -> f64 {
                squares.iter().zip(moments).map(|(w, i)| w * f64::powi(i, power)).sum()
            };
            [weighted(1), weighted(2)]
        };
        for step in [1e-4, 1e-2, 1.0, 10.0] {
            let spin = [1.0, 20.0, 1.0];
            let [energy, momentum] = of(&Vector3::from(spin));
            let [energy_after, momentum_after] = of(&advanced(moments, spin, [0.0; 3], step));
            // Each of up to 1024 parts has about ten roundings.
            assert!((energy_after / energy - 1.0).abs() < 1e-12, "{step}: {energy_after}");
            assert!((momentum_after / momentum - 1.0).abs() < 1e-12, "{step}: {momentum_after}");
        }
    }

    /// A slender rod hardly rotates about its own axis, so a step of a radian needs no parts; the rate about the
    /// axis does not change.
    #[test]
    fn a_slender_rod_is_solved() {
        let end = advanced([1e-10, 1.0, 1.0], [0.5, 10.0, 0.0], [0.0; 3], 0.1);
        assert!((end.x - 0.5).abs() < 1e-9, "{end}");
        assert!((end.y.hypot(end.z) - 10.0).abs() < 1e-12, "{end}");
    }

    #[test]
    fn a_step_that_no_division_solves_is_reported() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
        let Principal::Axes { axes, roots, coupling } = Principal::of(&inertia) else {
            panic!("the moments differ")
        };
        let spin = Vector3::new(1e9, 2e9, 1e9);
        let ended = advance(&axes, &roots, &coupling, (&spin, &Vector3::zeros()), 1.0);
        assert_eq!(ended, Err(PARTS_LIMIT));
    }

    #[test]
    fn balls_have_no_gyroscopic_torque() {
        assert_eq!(Principal::of(&Matrix3::from_diagonal_element(0.3)), Principal::Isotropic);
    }
}
