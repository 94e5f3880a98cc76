//! Maximum step of an interval that a sliding point allows: step fractions (2.13) and (2.14).
//!
//! Within an interval the sliding velocity changes from `a` to `a + d` along a straight line, while its
//! friction keeps the direction opposite to `a`. The interval therefore ends where the line is closest to
//! zero, if it passes zero within the transition velocity, and where the direction has turned by `θ_max`:
//!
//! ```math
//! \alpha_\mathrm{CP} = -\frac{a \cdot d}{\lVert d \rVert^2}, \qquad
//! \alpha_\mathrm{DC} = \frac{\lVert a \rVert^2 \sin\theta_{\max}}
//!     {\lvert a \times d \rvert \cos\theta_{\max} - a \cdot d\, \sin\theta_{\max}} .
//! ```
//!
//! The second is the positive root of the quadratic equation (2.14), which becomes linear when the tangent of
//! the angle is used instead of its cosine.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact", *Proceedings of the Royal
//! Society A* 471 (2015) 20140859, equations (2.12) to (2.14).

/// The limits of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limits {
    /// Sliding speed that counts as none (m/s).
    pub(crate) transition: f64,
    /// Of `θ_max`.
    pub(crate) sine: f64,
    pub(crate) cosine: f64,
    least: f64,
}

/// What limits the step of a sliding point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Nothing: it reaches the end, within the transition velocity or without much of a turn.
    Nothing,
    /// Its closest point to rest, (2.13).
    Closest,
    /// The turn of its direction, (2.14).
    Turn,
    /// `α_min`, which is longer than (2.14) allows.
    Least,
}

impl Limits {
    pub(crate) fn new(v_transition: f64, theta_max: f64, alpha_min: f64) -> Self {
        let (sine, cosine) = theta_max.sin_cos();
        Self { transition: v_transition, sine, cosine, least: alpha_min }
    }

    /// Maximum step along `change` from the sliding velocity `start`: in `(0, 1]`.
    pub(super) fn fraction(&self, start: [f64; 2], change: [f64; 2]) -> f64 {
        self.bounded(start, change).0
    }

    /// The same, with what limits it.
    pub(crate) fn bounded(&self, start: [f64; 2], change: [f64; 2]) -> (f64, Limit) {
        let end = [start[0] + change[0], start[1] + change[1]];
        if end[0] * end[0] + end[1] * end[1] < self.transition * self.transition {
            return (1.0, Limit::Nothing);
        }
        self.before_the_end(start, change)
    }

    /// The same, wherever the end is.
    pub(crate) fn before_the_end(&self, start: [f64; 2], change: [f64; 2]) -> (f64, Limit) {
        let (fraction, limit) = self.within(start, change, 1.0);
        if fraction < 1.0 { (fraction, limit) } else { (1.0, Limit::Nothing) }
    }

    /// The same for an unbounded interval: infinite when nothing limits the step.
    pub(super) fn unbounded_fraction(&self, start: [f64; 2], change: [f64; 2]) -> f64 {
        self.unbounded(start, change).0
    }

    /// The same, with what limits it.
    pub(crate) fn unbounded(&self, start: [f64; 2], change: [f64; 2]) -> (f64, Limit) {
        self.within(start, change, f64::INFINITY)
    }

    /// A step that `α_min` makes longer than `θ_max` allows does not pass the closest point either, so
    /// friction does no positive work.
    fn within(&self, start: [f64; 2], change: [f64; 2], end: f64) -> (f64, Limit) {
        let along = start[0] * change[0] + start[1] * change[1];
        let across = (start[0] * change[1] - start[1] * change[0]).abs();
        let size = (change[0] * change[0] + change[1] * change[1]).sqrt();
        let closest = if along < 0.0 { -along / (size * size) } else { f64::INFINITY };
        if closest < end && across / size < self.transition {
            return (closest, Limit::Closest);
        }
        let turning = across * self.cosine - along * self.sine;
        if turning <= 0.0 {
            return (f64::INFINITY, Limit::Nothing);
        }
        let square = start[0] * start[0] + start[1] * start[1];
        let (turned, least) = (square * self.sine / turning, self.least.min(closest));
        if turned >= least { (turned, Limit::Turn) } else { (least, Limit::Least) }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use proptest::prelude::*;

    use super::Limits;

    #[test]
    fn a_line_through_zero_stops_there() {
        let limits = Limits::new(0.1, 0.01, 1e-6);
        assert!((limits.fraction([2.0, 0.0], [-8.0, 0.0]) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn an_end_within_the_transition_velocity_is_the_end() {
        let limits = Limits::new(0.1, 0.01, 1e-6);
        assert!((limits.fraction([2.0, 0.0], [-2.05, 0.0]) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn sliding_that_keeps_its_direction_is_not_limited() {
        let limits = Limits::new(0.1, 0.01, 1e-6);
        assert!((limits.fraction([2.0, 1.0], [-1.0, -0.5]) - 1.0).abs() < 1e-15);
        assert!(limits.unbounded_fraction([2.0, 1.0], [1.0, 0.5]).is_infinite());
    }

    #[test]
    fn the_least_step_does_not_pass_the_closest_point() {
        let limits = Limits::new(1e-9, 0.01, 0.5);
        assert!((limits.fraction([1.0, 0.0], [-4.0, 4.0]) - 0.125).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn the_direction_turns_by_the_largest_angle(
            start in prop::array::uniform2(-1.0..1.0),
            change in prop::array::uniform2(-5.0..5.0),
            theta in 0.001..=FRAC_PI_2,
        ) {
            let fraction = Limits::new(1e-12, theta, 0.0).fraction(start, change);
            prop_assert!(fraction > 0.0 && fraction <= 1.0);
            let end = [start[0] + fraction * change[0], start[1] + fraction * change[1]];
            let dot = start[0] * end[0] + start[1] * end[1];
            let cross: f64 = start[0] * end[1] - start[1] * end[0];
            let turned = cross.abs().atan2(dot);
            if fraction < 1.0 {
                prop_assert!((turned - theta).abs() < 1e-6, "{} is not {}", turned, theta);
            } else {
                prop_assert!(turned <= theta + 1e-6);
            }
        }
    }
}
