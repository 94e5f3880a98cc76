//! When the passes of a step end: [`Passes`].
//!
//! Changes of successive passes fall by a factor `q`, so that after a change `Δ` the coordinates miss those at which the changes would
//! end by `Δ q/(1 − q)`. Passes end where `Δ` is within the tolerances, or this is within [`STEADY`] of them. The first factor of a step
//! is not used: the first pass begins without the impulses of what meets in the step, and is far from where later ones converge.
//!
//! # Source
//!
//! E. Hairer, G. Wanner, *Solving Ordinary Differential Equations II*, 2nd ed., Springer 1996, section IV.8 (the end of simplified
//! Newton iterations).

/// Part of the tolerances that may be missed by what is not computed. The response of contacts and constraints keeps the kinetic energy
/// of a change from growing, but hands it to other coordinates, which may be lighter.
pub(super) const STEADY: f64 = 0.1;

/// The changes of the passes of a step so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passes {
    count: usize,
    /// Largest change of a coordinate by the last pass (m, rad).
    pub(super) change: f64,
    /// Largest change in tolerances.
    in_tolerances: f64,
    /// Whether the masses of the first pass make the next ones hardly converge.
    pub(super) slow: bool,
}

impl Passes {
    pub(super) const fn new() -> Self {
        Self { count: 0, change: f64::INFINITY, in_tolerances: f64::INFINITY, slow: false }
    }

    /// Whether the next pass takes masses of its own.
    pub(super) const fn is_fresh(&self) -> bool {
        self.slow || self.count == 0
    }

    /// Enters the `changes` of all coordinates by a pass, with their tolerances, and the displacements of which they should be small
    /// parts. Returns whether it was the last one.
    pub(super) fn enter(&mut self, changes: &[f64], tolerances: &[f64], strides: &[f64]) -> bool {
        let Self { change: change_before, in_tolerances: before, .. } = *self;
        self.count += 1;
        self.change = largest(changes.iter().copied());
        self.in_tolerances = largest(changes.iter().zip(tolerances).map(|(c, t)| c / t));
        // In large steps masses are far from those at the guess.
        let is_far = largest(changes.iter().zip(strides).map(|(c, s)| c / s)) > 0.01;
        self.slow |= is_far || self.change > 0.25 * change_before;
        let factor = if self.count > 2 { self.in_tolerances / before } else { 1.0 };
        let rest = self.in_tolerances * factor / (1.0 - factor);
        self.in_tolerances <= 1.0 || !self.slow && factor < 0.25 && rest <= STEADY
    }
}

/// The largest size; what is not a number is the largest.
fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    let larger = |most: f64, size: f64| if size <= most || most.is_nan() { most } else { size };
    numbers.map(f64::abs).fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of passes whose changes are these, in tolerances.
    fn count(changes: impl IntoIterator<Item = f64>) -> usize {
        let mut passes = Passes::new();
        let mut counted = 0;
        for change in changes {
            counted += 1;
            if passes.enter(&[0.1 * change, 0.0], &[0.1, 0.1], &[f64::INFINITY; 2]) {
                return counted;
            }
        }
        usize::MAX
    }

    #[test]
    fn the_rest_after_the_last_pass_is_within_the_tolerances() {
        for factor in [1e-6_f64, 1e-3, 0.01, 0.2, 0.24, 0.5, 0.9] {
            for first in [0.9, 10.0, 1e3, 1e6] {
                let change = |pass: usize| first * factor.powi(i32::try_from(pass).unwrap());
                let last = change(count((0..1000).map(change)) - 1);
                let rest = last * factor / (1.0 - factor);
                assert!(last <= 1.0 || rest <= STEADY, "{first} {factor}: {last}");
            }
        }
        assert_eq!(count([1e6, 3e3, 17.0, 0.1]), 3);
        assert_eq!(count([1e6, 17.0, 0.1]), 3, "the first factor tells nothing");
        assert_eq!(count([1e6, 17.0, 15.0, 0.1]), 4);
        assert_eq!(count([1e6, 17.0, 2.0, 1.1, 1.0]), 5);
    }

    #[test]
    fn what_is_not_a_number_ends_nothing() {
        assert_eq!(count([f64::NAN, 1e3, f64::NAN]), usize::MAX);
        assert_eq!(count([1e6, 1e3, f64::NAN, 0.5]), 4);
        assert_eq!(count([0.0]), 1);
    }

    #[test]
    fn far_changes_take_masses_of_their_own() {
        let mut passes = Passes::new();
        assert!(passes.is_fresh());
        assert!(!passes.enter(&[0.009], &[1e-9], &[1.0]) && !passes.is_fresh());
        assert!(!passes.enter(&[0.003], &[1e-9], &[1.0]) && passes.is_fresh(), "by a third");
        let mut passes = Passes::new();
        assert!(!passes.enter(&[0.011], &[1e-9], &[1.0]) && passes.is_fresh());
    }
}
