//! Distances between two simulations of the same motion with different steps, and the order in which
//! they shrink.
//!
//! In each step the scheme uses the velocity found for the end of the step, `q' = q ⊕ h v'`. Its velocity is
//! therefore the piecewise constant function `v_h(t) = v'` within the step, and its positions are piecewise
//! linear. With `n` the number of velocities and `Σ h v'` for positions and angles,
//!
//! ```math
//! e_v = \int_0^T \lVert v_h(t) - v(t) \rVert_\infty \, dt, \qquad
//! e_q = \max_t \lVert q_h(t) - q(t) \rVert_\infty .
//! ```
//!
//! When the finer step divides the coarser one, the integrand is constant within each fine step, so the sum
//! over fine steps *is* the integral, without quadrature error. The positions differ most at the end of a
//! fine step.
//!
//! Other interpretations of the integral give other numbers. For the coarsest row of Table I (published
//! 0.5050) this one gives 0.4957; a comparison only at the ends of the coarse steps gives 0.347, velocities
//! linear within a step give 0.420, and the velocity at the start of each step gives 0.528. Only this one is
//! near the table in all rows.
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with
//! inelastic collisions and Coulomb friction", *International Journal for Numerical Methods in
//! Engineering* 39 (1996) 2673–2691, Table I.

use percussion_mechanism::trajectory::Trajectory;

/// `∫ ‖v_h − v‖∞ dt` (m, rad) between `coarse` and `fine`, over the time both cover.
///
/// Exact when the fine step divides the coarse one. Zero when the systems have no velocity in common.
#[must_use]
pub fn velocity_error(coarse: &Trajectory, fine: &Trajectory) -> f64 {
    let error = |end: &[f64; 2]| {
        let middle = 0.5 * (end[0] + end[1]);
        match (sample_after(coarse, middle), sample_after(fine, middle)) {
            (Some(a), Some(b)) => {
                (end[1] - end[0]) * distance(&coarse.samples[a].velocity, &fine.samples[b].velocity)
            }
            _ => 0.0,
        }
    };
    fine.samples.windows(2).map(|pair| error(&[pair[0].time, pair[1].time])).sum()
}

/// `max ‖q_h − q‖∞` (m, rad) between `coarse` and `fine` at the step ends of `fine`, with positions
/// and angles as [displacements](percussion_mechanism::trajectory::Sample::displacement) from the common start.
#[must_use]
pub fn position_error(coarse: &Trajectory, fine: &Trajectory) -> f64 {
    let error = |sample: &percussion_mechanism::trajectory::Sample| match interpolate(
        coarse,
        sample.time,
    ) {
        Some(displacement) => distance(&displacement, &sample.displacement),
        None => 0.0,
    };
    fine.samples.iter().map(error).fold(0.0, f64::max)
}

/// `max_i Σ_k |v_{k+1,i} − v_{k,i}|` (m/s, rad/s): the largest total variation of a component of the velocity.
///
/// This is the column "velocity variation" of Table I. The sum of the largest changes,
/// `Σ_k ‖v_{k+1} − v_k‖∞`, would be 27.1 in the last row of the table, where 19.0690 is printed.
#[must_use]
pub fn velocity_variation(trajectory: &Trajectory) -> f64 {
    let count = trajectory.samples.first().map_or(0, |sample| sample.velocity.len());
    let variation = |i: usize| {
        let pairs = trajectory.samples.windows(2);
        pairs.map(|pair| (pair[1].velocity[i] - pair[0].velocity[i]).abs()).sum()
    };
    (0..count).map(variation).fold(0.0, f64::max)
}

/// The order `p` of the least-squares fit `error = c hᵖ` through `(h, error)` pairs, all positive.
///
/// NaN for fewer than two different steps.
///
/// # Example
///
/// ```
/// use percussion_scenarios::convergence::order;
///
/// let halved = [(0.02, 0.12), (0.01, 0.06), (0.005, 0.03)];
/// assert!((order(&halved) - 1.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn order(errors: &[(f64, f64)]) -> f64 {
    let count = errors.len() as f64;
    let logs = || errors.iter().map(|(h, error)| (h.ln(), error.ln()));
    let mean_x = logs().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs().map(|(_, y)| y).sum::<f64>() / count;
    let slope = logs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>();
    slope / logs().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}

/// Index of the end of the step that contains `time`, which must not itself be the end of a step.
fn sample_after(trajectory: &Trajectory, time: f64) -> Option<usize> {
    let index = trajectory.samples.partition_point(|sample| sample.time < time);
    (index > 0 && index < trajectory.samples.len()).then_some(index)
}

/// Displacement at `time`, interpolated linearly within a step; `None` after the end.
fn interpolate(trajectory: &Trajectory, time: f64) -> Option<Vec<f64>> {
    // The same step end computed with two step sizes can differ in the last digits of the time. A time up to
    // a millionth of a step before a step end therefore still belongs to the step that ends there.
    let index = trajectory
        .samples
        .partition_point(|sample| sample.time < time - 1e-6 * trajectory.step_size);
    let to = trajectory.samples.get(index)?;
    let Some(from) = index.checked_sub(1).map(|before| &trajectory.samples[before]) else {
        return Some(to.displacement.clone());
    };
    let part = ((time - from.time) / (to.time - from.time)).clamp(0.0, 1.0);
    let between = |(a, b): (&f64, &f64)| a + part * (b - a);
    Some(from.displacement.iter().zip(&to.displacement).map(between).collect())
}

/// `‖a − b‖∞`.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_mechanism::trajectory::Sample;

    /// A motion with one velocity per step end, the first for the start.
    fn motion(step_size: f64, velocities: &[f64]) -> Trajectory {
        let mut displacement = 0.0;
        let sample = |(k, velocity): (usize, &f64)| {
            displacement += if k == 0 { 0.0 } else { step_size * velocity };
            Sample {
                time: k as f64 * step_size,
                coordinates: vec![displacement],
                velocity: vec![*velocity],
                displacement: vec![displacement],
                gaps: Vec::new(),
                energy: 0.0,
            }
        };
        let samples = velocities.iter().enumerate().map(sample).collect();
        Trajectory {
            step_size,
            contact_names: Vec::new(),
            found: None,
            samples,
            reports: Vec::new(),
        }
    }

    /// Computed by hand: one step of 1 s with velocity 2, compared with four steps of 0.25 s with 1, 2, 4, 0.
    #[test]
    fn errors_of_one_step_against_four_are_those_found_by_hand() {
        let coarse = motion(1.0, &[0.0, 2.0]);
        let fine = motion(0.25, &[0.0, 1.0, 2.0, 4.0, 0.0]);
        assert!((velocity_error(&coarse, &fine) - 0.25 * (1.0 + 0.0 + 2.0 + 2.0)).abs() < 1e-15);
        // Distances after each fine step: 0.5 − 0.25, 1 − 0.75, 1.5 − 1.75, 2 − 1.75.
        assert!((position_error(&coarse, &fine) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn a_motion_has_no_distance_from_itself_and_the_variation_of_its_jumps() {
        let fine = motion(0.25, &[0.0, 1.0, 2.0, 4.0, 0.0]);
        assert!(velocity_error(&fine, &fine).abs() < 1e-15);
        assert!(position_error(&fine, &fine).abs() < 1e-15);
        assert!((velocity_variation(&fine) - 8.0).abs() < 1e-15);
    }

    /// Computed by hand: the components vary by 1 + 0 + 3 and 0 + 2 + 0; the largest changes sum to 6.
    #[test]
    fn the_variation_is_that_of_one_component() {
        let mut turn = motion(1.0, &[0.0, 1.0, 1.0, -2.0]);
        for (sample, other) in turn.samples.iter_mut().zip([0.5, 0.5, 2.5, 2.5]) {
            sample.velocity.push(other);
        }
        assert!((velocity_variation(&turn) - 4.0).abs() < 1e-15);
    }

    #[test]
    fn one_step_has_no_order() {
        assert!(order(&[(0.1, 0.2)]).is_nan());
    }
}
