//! The velocity with which the passes of a step begin: [`Guess`].
//!
//! It is `v`, at which the point of contacts is that of the forces too; or `v` and its change in the last step, if that change
//! would take another pass and was foreseen by the one before it. Impacts foresee nothing, steady forces do.

use crate::trees::Tree;

/// The changes of velocity in the last steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Guess {
    /// Change in the last step; empty before the first.
    change: Vec<f64>,
    /// Difference of the changes in the last two steps.
    missed: Vec<f64>,
    /// Whether this difference is less than half of the last change.
    is_foreseen: bool,
}

impl Guess {
    /// Writes the guess of the velocity at the end of a step that starts at `velocity`. The change of a velocity `is_small` if it takes
    /// no other pass; in a tree without others the guess is `v`.
    pub(super) fn write(
        &self,
        velocity: &[f64],
        (trees, is_small): (&[Tree], impl Fn(usize, f64) -> bool),
        guess: &mut [f64],
    ) {
        guess.copy_from_slice(velocity);
        if !self.is_foreseen {
            return;
        }
        for own in trees.iter().map(|tree| tree.velocities.clone()) {
            if !own.clone().all(|k| is_small(k, self.change[k])) {
                own.for_each(|k| guess[k] += self.change[k]);
            }
        }
    }

    /// Enters a step from `start` to `end` (velocities), with the displacements `strides` to which changes are relative.
    pub(super) fn enter(&mut self, start: &[f64], end: &[f64], strides: &[f64]) {
        self.change.resize(start.len(), 0.0);
        let changes = || start.iter().zip(end).map(|(start, end)| end - start);
        self.missed.clear();
        self.missed.extend(changes().zip(&self.change).map(|(now, last)| now - last));
        self.change.iter_mut().zip(changes()).for_each(|(last, now)| *last = now);
        let largest = |changes: &[f64]| {
            let relative =
                changes.iter().zip(strides).map(|(change, stride)| change.abs() / stride);
            relative.fold(0.0, f64::max)
        };
        self.is_foreseen = largest(&self.missed) < 0.5 * largest(&self.change);
    }

    /// Forgets the last step.
    pub(super) const fn forget(&mut self) {
        self.is_foreseen = false;
    }
}
