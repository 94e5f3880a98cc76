//! The curved path of a contact that slides in space, by the Runge–Kutta pair of Dormand and Prince.
//!
//! The state is `y = (u_t, p, Λ_t, A)` with the normal work `A`; with `dp = ‖u_t‖ dτ`
//!
//! ```math
//! \dot u_t = \lVert u_t \rVert w_{tn} - \mu W_{tt} u_t, \quad \dot p = \lVert u_t \rVert, \quad
//! \dot \Lambda_t = -\mu u_t, \quad \dot A = \lVert u_t \rVert u_n ,
//! ```
//!
//! which is regular and homogeneous in `u_t`: sliding ends exponentially, along a straight line.
//!
//! # Source
//!
//! J. R. Dormand, P. J. Prince, "A family of embedded Runge–Kutta formulae", *Journal of Computational
//! and Applied Mathematics* 6 (1980) 19–26;
//! J. A. Batlle, "The sliding velocity flow of rough collisions in multibody systems", *Journal of
//! Applied Mechanics* 63 (1996) 804–809 (the flow of the sliding velocity).

use nalgebra::{Vector2, Vector3, Vector6};

use super::path::{Leg, LegEnd, Path, Walk};
use crate::outcome::Phase;

/// Follows the sliding until the sliding or the impact ends.
///
/// Steps keep errors below `tolerance` times the natural size of impulses and work. The error of the sliding
/// velocity stays below `tolerance` times the velocity itself until this is a hundredth of the speed before
/// the impact; the rest of the path has a hundredth of the effect.
pub(super) fn follow(path: &mut Path<'_>, tolerance: f64, step_limit: usize) -> Walk {
    let speed = path.start.norm();
    let percussion = speed / path.delassus[(0, 0)];
    let rate = path.delassus.amax() * (1.0 + path.friction);
    let mut state = State::of(path);
    let mut step = 0.01 / rate;
    for _ in 0..step_limit {
        let (next, error) = state.advance(path, step);
        let sliding = state.sliding().norm().min(next.sliding().norm()).max(0.01 * speed);
        let size = error_size(&error, sliding, percussion, speed) / tolerance;
        if size > 1.0 || size.is_nan() {
            step *= (0.9 * size.powf(-0.2)).clamp(0.1, 0.9);
            continue;
        }
        if next.event(path) >= 0.0 {
            // The event lies between `state` and `next`; the rest of the step is computed again.
            state = state.to_event(path, step);
            state.leave(path);
            path.legs.push(leg(path, path.next_end()));
            if path.is_over() {
                return Walk::Ended;
            }
            path.turn();
            state.0[5] = 0.0;
        } else {
            state = next;
            state.leave(path);
            step *= (0.9 * size.max(1e-10).powf(-0.2)).min(5.0);
        }
        if state.sliding().norm() <= tolerance * speed {
            path.legs.push(leg(path, LegEnd::Slip));
            return Walk::On;
        }
    }
    path.legs.push(leg(path, LegEnd::Limit));
    Walk::Limit
}

const fn leg(path: &Path<'_>, end: LegEnd) -> Leg {
    let percussion = path.percussion;
    Leg { phase: Phase::Slide, percussion, tangential: [0.0; 2], end, is_curved: true }
}

fn error_size(error: &Vector6<f64>, sliding: f64, percussion: f64, speed: f64) -> f64 {
    let velocity = error.fixed_rows::<2>(0).norm() / sliding;
    let percussions = error.fixed_rows::<3>(2).norm() / percussion;
    velocity.max(percussions).max(error[5].abs() / (percussion * speed))
}

/// `y`.
#[derive(Clone, Copy, Debug)]
struct State(Vector6<f64>);

impl State {
    fn of(path: &Path<'_>) -> Self {
        let (u, p) = (path.tangential_velocity(), path.percussion);
        Self(Vector6::new(u.x, u.y, p.x, p.y, p.z, path.work))
    }

    fn sliding(&self) -> Vector2<f64> {
        self.0.fixed_rows::<2>(0).into_owned()
    }

    fn percussion(&self) -> Vector3<f64> {
        self.0.fixed_rows::<3>(2).into_owned()
    }

    fn leave(&self, path: &mut Path<'_>) {
        path.percussion = self.percussion();
        path.work = self.0[5];
    }

    fn event(&self, path: &Path<'_>) -> f64 {
        path.event(path.normal_velocity(&self.percussion()), self.0[2], self.0[5])
    }

    fn slope(&self, path: &Path<'_>) -> Vector6<f64> {
        let (u, w) = (self.sliding(), &path.delassus);
        let speed = u.norm();
        let drag = w.fixed_view::<2, 2>(1, 1) * u * path.friction;
        let push = Vector2::new(w[(1, 0)], w[(2, 0)]) * speed - drag;
        let friction = -path.friction * u;
        let power = speed * path.normal_velocity(&self.percussion());
        Vector6::new(push.x, push.y, speed, friction.x, friction.y, power)
    }

    /// The state after `step`, and the difference to the embedded formula of order 4.
    fn advance(&self, path: &Path<'_>, step: f64) -> (Self, Vector6<f64>) {
        let mut slopes = [Vector6::zeros(); 7];
        for (stage, row) in STAGES.iter().enumerate() {
            let sum: Vector6<f64> = row.iter().zip(&slopes).map(|(a, slope)| slope * *a).sum();
            slopes[stage] = Self(self.0 + sum * step).slope(path);
        }
        let last: Vector6<f64> = STAGES[6].iter().zip(&slopes).map(|(a, slope)| slope * *a).sum();
        let error: Vector6<f64> = ERROR.iter().zip(&slopes).map(|(e, slope)| slope * *e).sum();
        (Self(self.0 + last * step), error * step)
    }

    /// The state where the event function passes zero; it is negative at the start and not negative at
    /// `step`.
    fn to_event(self, path: &Path<'_>, step: f64) -> Self {
        let (mut low, mut high) = (0.0, step);
        let mut end = self.advance(path, high).0;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let candidate = self.advance(path, middle).0;
            if candidate.event(path) >= 0.0 {
                (high, end) = (middle, candidate);
            } else {
                low = middle;
            }
        }
        end
    }
}

/// Rows of the tableau; the last holds the weights of order 5.
pub(crate) const STAGES: [&[f64]; 7] = [
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Weights of order 5 minus those of order 4.
pub(crate) const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];
