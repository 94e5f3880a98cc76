//! The position at which what rests is evaluated: [`Anchor`].
//!
//! Rows of contacts, masses and distances of surfaces depend on the position only. While a tree of bodies rests, or creeps, its
//! positions differ by so little that all of these are the same to far more digits than a step is solved to. They are then evaluated
//! at one position, the anchor of the tree, and stay as they are, and energies are those of the anchor with the work of gravity from
//! there.
//!
//! Gravity acts at an anchor of its own, whose tolerances are [smaller](OF_WEIGHTS), as some motions start from what nearly cancels it;
//! forces of joints have the coordinates and velocities themselves. Coriolis forces are left out where a step moves a tree by no more
//! than the tolerance `δ` for its positions: with the speed `v ≤ δ/h` and the size `L` of bodies they change its momentum in a step by
//! `h m v²/L ≤ m v δ/L`, a part of `δ/L` of the momentum itself.
//!
//! Positions are compared with the anchor and not with one another, so that nothing adds up: rows are never those of a position that
//! is farther away than the tolerances.

use percussion_dynamics::System;

use crate::trees::{Tree, trees};

/// Tolerances for the position of gravity, in those of the others.
pub(super) const OF_WEIGHTS: f64 = 0.01;

/// A position of each tree, which holds those near it.
#[derive(Debug)]
pub(super) struct Anchor {
    trees: Vec<Tree>,
    /// Whether each holds the point of the contacts of the step.
    holds: Vec<bool>,
    /// Coordinates, and whether there are any yet.
    position: Vec<f64>,
    is_dropped: bool,
    /// Largest difference of a position that is held, along each velocity (m, rad).
    tolerances: Vec<f64>,
    difference: Vec<f64>,
}

impl Anchor {
    /// Anchors that hold nothing yet.
    pub(super) fn new(system: &dyn System, tolerances: Vec<f64>) -> Self {
        let trees = trees(system);
        Self {
            holds: vec![false; trees.len()],
            trees,
            position: vec![0.0; system.coordinate_count()],
            is_dropped: false,
            difference: vec![0.0; tolerances.len()],
            tolerances,
        }
    }

    /// Holds nothing in this step.
    pub(super) fn lift(&mut self) {
        self.holds.fill(false);
    }

    /// Replaces the coordinates of trees whose anchors hold them by those of the anchors, and anchors the others where they are.
    pub(super) fn drop_at(&mut self, system: &dyn System, position: &mut [f64]) {
        self.holds.fill(self.is_dropped);
        self.is_dropped = true;
        self.hold(system, position);
        for (tree, holds) in self.trees.iter().zip(&self.holds) {
            if !holds {
                let place = tree.coordinates.clone();
                self.position[place.clone()].copy_from_slice(&position[place]);
            }
        }
    }

    /// Writes zero for the velocities of trees that are held, as far as those move them by less than the tolerances in a step of this
    /// `length` (s).
    pub(super) fn still(&self, length: f64, velocity: &mut [f64]) {
        for (tree, _) in self.trees.iter().zip(&self.holds).filter(|(_, holds)| **holds) {
            let own = &mut velocity[tree.velocities.clone()];
            let mut pairs = own.iter().zip(&self.tolerances[tree.velocities.clone()]);
            if pairs.all(|(velocity, tolerance)| (length * velocity).abs() <= *tolerance) {
                own.fill(0.0);
            }
        }
    }

    /// The trees.
    pub(super) fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Replaces the coordinates of trees that are held by those of their anchors, as far as they are within the tolerances.
    /// Anchors that do not hold a tree here hold it no longer.
    pub(super) fn hold(&mut self, system: &dyn System, position: &mut [f64]) {
        let Self { trees, holds, position: anchor, tolerances, difference, .. } = self;
        for (tree, holds) in trees.iter().zip(&mut *holds) {
            // No coordinate changes by more than the velocities do.
            let largest = tolerances[tree.velocities.clone()].iter().copied().fold(0.0, f64::max);
            let place = tree.coordinates.clone();
            let mut pairs = position[place.clone()].iter().zip(&anchor[place]);
            *holds = *holds && pairs.all(|(now, held)| (now - held).abs() <= largest);
        }
        if !holds.contains(&true) {
            return;
        }
        system.difference(anchor, position, difference);
        for (tree, holds) in trees.iter().zip(holds) {
            let velocities = tree.velocities.clone();
            let mut pairs = difference[velocities.clone()].iter().zip(&tolerances[velocities]);
            *holds &= pairs.all(|(difference, tolerance)| difference.abs() <= *tolerance);
            if *holds {
                let place = tree.coordinates.clone();
                position[place.clone()].copy_from_slice(&anchor[place]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Vector3};
    use percussion_dynamics::{Body, FreeBodies};

    use super::*;

    /// Two bodies at these heights.
    fn at(heights: [f64; 2]) -> Vec<f64> {
        heights.into_iter().flat_map(|z| [0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0]).collect()
    }

    fn heights(position: &[f64]) -> [f64; 2] {
        [position[2], position[9]]
    }

    fn are_same(a: [f64; 2], b: [f64; 2]) -> bool {
        a.map(f64::to_bits) == b.map(f64::to_bits)
    }

    #[test]
    fn an_anchor_holds_what_is_near_it_and_follows_what_is_not() {
        let bodies = vec![Body::new(1.0, Matrix3::identity()); 2];
        let system = FreeBodies::new(bodies, Vector3::zeros()).unwrap();
        let mut anchor = Anchor::new(&system, vec![1e-3; 12]);
        let dropped = |anchor: &mut Anchor, heights_now: [f64; 2]| {
            let mut position = at(heights_now);
            anchor.drop_at(&system, &mut position);
            heights(&position)
        };
        assert!(are_same(dropped(&mut anchor, [1.0, 2.0]), [1.0, 2.0]));
        assert!(are_same(dropped(&mut anchor, [1.0009, 2.5]), [1.0, 2.5]));
        let held = |anchor: &mut Anchor, heights_now: [f64; 2]| {
            let mut position = at(heights_now);
            anchor.hold(&system, &mut position);
            heights(&position)
        };
        // The second body is not held in this step, wherever it is.
        assert!(are_same(held(&mut anchor, [0.9995, 2.5]), [1.0, 2.5]));
        assert!(are_same(held(&mut anchor, [0.9995, 2.5001]), [1.0, 2.5001]));
        // What leaves is held no longer.
        assert!(are_same(held(&mut anchor, [1.0011, 2.5]), [1.0011, 2.5]));
        assert!(are_same(held(&mut anchor, [1.0001, 2.5]), [1.0001, 2.5]));
        // Small steps do not add up.
        for step in 0..10_000 {
            let way = 1e-4 * f64::from(step);
            let [first, second] = dropped(&mut anchor, [1.0 + way, 2.5]);
            assert!((first - 1.0 - way).abs() <= 1e-3 && (second - 2.5).abs() < 1e-15);
        }
        anchor.lift();
        assert!(are_same(held(&mut anchor, [1.9999, 2.5001]), [1.9999, 2.5001]));
        assert!(dropped(&mut anchor, [f64::NAN, 2.5])[0].is_nan());
    }

    /// Velocities of what is held and moves by at most 1 mm in a step of 0.1 s are zero.
    #[test]
    fn only_what_is_held_and_slow_is_still() {
        let bodies = vec![Body::new(1.0, Matrix3::identity()); 3];
        let system = FreeBodies::new(bodies, Vector3::zeros()).unwrap();
        let mut anchor = Anchor::new(&system, vec![1e-3; 18]);
        let at = |heights: [f64; 3]| -> Vec<f64> {
            heights.into_iter().flat_map(|z| [0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0]).collect()
        };
        anchor.drop_at(&system, &mut at([1.0, 2.0, 3.0]));
        anchor.drop_at(&system, &mut at([1.0, 2.0, 3.1]));
        let still = |anchor: &Anchor, speeds: [f64; 3]| {
            let mut velocity: Vec<f64> =
                speeds.into_iter().flat_map(|v| [0.0, v, 0.0, 0.0, 0.0, 1e-4]).collect();
            anchor.still(0.1, &mut velocity);
            [1, 7, 13].map(|k| velocity[k] == 0.0)
        };
        assert_eq!(still(&anchor, [0.009, 0.011, 0.009]), [true, false, false]);
        assert_eq!(still(&anchor, [-0.009, -0.011, 0.0]), [true, false, true]);
        assert_eq!(still(&anchor, [f64::NAN; 3]), [false; 3]);
        anchor.lift();
        assert_eq!(still(&anchor, [0.009, 0.001, 0.009]), [false; 3]);
    }
}
