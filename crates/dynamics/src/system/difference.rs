//! Rates along a motion by differences, for surfaces, joints and systems without a closed form.
//!
//! A function `f(s)` of the motion `q ⊕ s v` has the rate `f'(0)`. The central differences
//!
//! ```math
//! D_k = \frac{f(h_k) - f(-h_k)}{2 h_k}, \qquad h_k = 2^{-k} T,
//! ```
//!
//! have errors in even powers of `h_k`, which Richardson's extrapolation removes one after another, and a rounding
//! error `ε F/h_k` for terms of `f` of the size of `F`. Steps are halved until two extrapolations agree to that
//! rounding; otherwise the pair that agrees best is used. No length or time has to be given: `T` is the time in
//! which the bodies move by the extent of the system, which is longer than the motion is smooth, and the halvings
//! find the required step.
//!
//! - **Needs** a smooth `f` at 0. If `f` is not finite, the step is too long.
//! - **Cost** two values of `f` for each step, usually about ten steps; at most 48.
//!
//! # Source
//!
//! C. J. F. Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", *Advances in Engineering Software* 4 (1982)
//! 75–76.

use nalgebra::Vector3;

use crate::system::System;

/// Maximum number of steps. The last one, `2^-48 T`, is `4e-15` of the time in which bodies cross the system; a
/// difference over a shorter one would be rounding only.
const STEPS: usize = 48;

/// Number of extrapolations of one step: errors up to `h^10` are removed. More would add more rounding than they
/// remove.
const ORDERS: usize = 5;

/// Two extrapolations agree if they differ by less than this multiple of `ε F/h`: `f(h)` and `f(−h)` bring a few
/// roundings each, and the weights of the extrapolations sum to less than 2.
const ROUNDINGS: f64 = 8.0;

/// Writes `f'(0)` for the function `f` of the coordinates `q ⊕ s v` to `rate`.
///
/// `f` takes coordinates (length `n_q`), writes its value (the length of `rate`), and returns the size of the terms
/// whose sum the value is; its rounding errors are relative to that size. The rate is NaN where `f` is. `length` (m)
/// is one of the surfaces or points that `f` concerns, or 0 if there is none; it can only lengthen the first step.
pub fn along<S: System + ?Sized>(
    system: &S,
    coordinates: &[f64],
    velocity: &[f64],
    length: f64,
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
    rate: &mut [f64],
) {
    rate.fill(0.0);
    let longest = longest_step(system, coordinates, velocity, length);
    if !(longest > 0.0 && longest.is_finite()) {
        return;
    }
    let (mut moved, mut tangent) = (vec![0.0; coordinates.len()], vec![0.0; velocity.len()]);
    let at = |s: f64, value: &mut [f64]| {
        for (t, v) in tangent.iter_mut().zip(velocity) {
            *t = s * v;
        }
        system.retract(coordinates, &tangent, &mut moved);
        f(&moved, value)
    };
    derivative(at, longest, rate);
}

/// Writes `f'(0)` to `rate`, with decreasing steps that begin with `longest`; `f` writes a value and returns the
/// size of its terms.
fn derivative(mut f: impl FnMut(f64, &mut [f64]) -> f64, longest: f64, rate: &mut [f64]) {
    let count = rate.len();
    let (mut ahead, mut behind) = (vec![0.0; count], vec![0.0; count]);
    let mut before: Vec<Vec<f64>> = Vec::new();
    let mut best = f64::INFINITY;
    let mut h = longest;
    for _ in 0..STEPS {
        let terms = f(h, &mut ahead).max(f(-h, &mut behind));
        let first = ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let mut now: Vec<Vec<f64>> = vec![first];
        let mut factor = 1.0;
        for order in 0..before.len().min(ORDERS - 1) {
            factor *= 4.0;
            let next: Vec<f64> = now[order]
                .iter()
                .zip(&before[order])
                .map(|(fine, coarse)| fine + (fine - coarse) / (factor - 1.0))
                .collect();
            let change =
                largest_change(&next, &now[order]).max(largest_change(&next, &before[order]));
            if change < best {
                best = change;
                rate.copy_from_slice(&next);
            }
            now.push(next);
        }
        // A value that is not finite does not change `best`.
        if best <= ROUNDINGS * f64::EPSILON * terms / h {
            return;
        }
        before = now;
        h *= 0.5;
    }
    if best.is_infinite() {
        rate.fill(f64::NAN);
    }
}

/// The largest difference of entries, infinite if one of them is not finite.
fn largest_change(a: &[f64], b: &[f64]) -> f64 {
    let change = |(a, b): (&f64, &f64)| {
        let change = (a - b).abs();
        if change.is_finite() { change } else { f64::INFINITY }
    };
    a.iter().zip(b).map(change).fold(0.0, f64::max)
}

/// A time (s) in which the bodies move by about the extent of the system or more; 0 if nothing moves.
///
/// The extent is that of the origins of the bodies and `length`. If it is zero, the time is that of a rotation by 1
/// rad or, if nothing rotates, that in which coordinates double.
fn longest_step<S: System + ?Sized>(
    system: &S,
    coordinates: &[f64],
    velocity: &[f64],
    length: f64,
) -> f64 {
    let fastest = velocity.iter().map(|v| v.abs()).fold(0.0, f64::max);
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(-f64::INFINITY));
    let (mut linear, mut angular) = (0.0_f64, 0.0_f64);
    for body in 0..system.body_count() {
        let origin = system.pose(coordinates, body).translation.vector;
        (low, high) = (low.inf(&origin), high.sup(&origin));
        let of_body = system.body_velocity(coordinates, velocity, body);
        linear = linear.max(of_body.linear.norm());
        angular = angular.max(of_body.angular.norm());
    }
    let spread = if low.x <= high.x { (high - low).norm() } else { 0.0 };
    let extent = spread + length.abs();
    let speed = linear + angular * extent;
    if extent > 0.0 && speed > 0.0 {
        extent / speed
    } else if angular > 0.0 {
        1.0 / angular
    } else if fastest > 0.0 {
        let farthest = coordinates.iter().map(|q| q.abs()).fold(0.0, f64::max);
        if farthest > 0.0 { farthest / fastest } else { 1.0 / fastest }
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate_of(f: impl Fn(f64) -> f64, longest: f64) -> f64 {
        let mut rate = [f64::NAN];
        let at = |s: f64, value: &mut [f64]| {
            value[0] = f(s);
            value[0].abs()
        };
        derivative(at, longest, &mut rate);
        rate[0]
    }

    #[test]
    fn a_first_step_of_any_length_finds_the_rate() {
        for longest in [1e-2, 1.0, 1e3, 1e9] {
            for scale in [1e-12, 1.0, 1e12] {
                // Rounding 1e-16 over a step of some 0.1 of the time in which the function changes.
                let rate = rate_of(|s| (0.3 + s / scale).exp().sin(), longest * scale) * scale;
                let exact = 0.3_f64.exp() * 0.3_f64.exp().cos();
                assert!((rate - exact).abs() < 1e-12, "{longest:e} {scale:e}: {:e}", rate - exact);
            }
        }
    }

    #[test]
    fn steps_that_leave_the_domain_are_too_long() {
        let rate = rate_of(|s| (1.0 - s * s).sqrt() + 2.0 * s, 1e4);
        assert!((rate - 2.0).abs() < 1e-12, "{rate}");
    }

    #[test]
    fn constants_have_the_rate_0_and_values_that_are_not_finite_have_none() {
        assert!(rate_of(|_| 3.0, 1.0).abs() < f64::MIN_POSITIVE);
        assert!(rate_of(|_| f64::NAN, 1.0).is_nan());
    }
}
