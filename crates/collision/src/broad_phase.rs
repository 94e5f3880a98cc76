//! Overlapping pairs of a few hundred boxes: [`BroadPhase`].

use std::fmt::{self, Debug, Formatter};

#[cfg(feature = "hulls")]
use crate::adapter::Tree;
use crate::solid::Aabb;

/// A tree of boxes that is kept between calls.
///
/// **Cost** about `n log n + k` for `n` boxes with `k` overlaps; without the feature `hulls`, `k` is the number of
/// overlaps along `x`.
/// Nothing is allocated after the first calls.
/// **Deterministic**: the pairs are sorted.
#[derive(Clone, Default)]
pub(crate) struct BroadPhase {
    tree: Tree,
}

impl BroadPhase {
    /// Writes the sorted pairs `[i, j]`, `i < j`, of overlapping boxes.
    pub(crate) fn pairs(&mut self, boxes: &[Aabb], pairs: &mut Vec<[usize; 2]>) {
        self.tree.pairs(boxes, pairs);
        // The boxes of the tree may be larger than the given ones.
        pairs.retain(|[i, j]| boxes[*i].overlaps(&boxes[*j]));
        pairs.sort_unstable();
    }
}

impl Debug for BroadPhase {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BroadPhase").finish_non_exhaustive()
    }
}

/// Sorts boxes by their lower ends along `x`, and compares those that overlap along `x`.
#[cfg(not(feature = "hulls"))]
#[derive(Clone, Default)]
struct Tree {
    order: Vec<usize>,
}

#[cfg(not(feature = "hulls"))]
impl Tree {
    /// Writes the pairs of boxes that overlap along `x`, in an unspecified order.
    fn pairs(&mut self, boxes: &[Aabb], pairs: &mut Vec<[usize; 2]>) {
        self.order.clear();
        self.order.extend(0..boxes.len());
        self.order.sort_unstable_by(|i, j| boxes[*i].low.x.total_cmp(&boxes[*j].low.x));
        pairs.clear();
        for (place, &i) in self.order.iter().enumerate() {
            let later = self.order[place + 1..].iter();
            let near = later.take_while(|j| boxes[**j].low.x <= boxes[i].high.x);
            pairs.extend(near.map(|&j| [i.min(j), i.max(j)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn the_tree_finds_what_comparing_all_boxes_finds_while_they_move() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut broad_phase = BroadPhase::default();
        let mut found = Vec::new();
        for count in [0, 1, 2, 3, 300, 300, 120, 300] {
            for _ in 0..3 {
                let mut vector =
                    |low: f64, high: f64| Vector3::from_fn(|_, _| rng.random_range(low..high));
                let boxes: Vec<Aabb> = (0..count)
                    .map(|_| {
                        let (low, edges) = (vector(-5.0, 5.0), vector(0.0, 2.0));
                        Aabb { low, high: low + edges }
                    })
                    .collect();
                broad_phase.pairs(&boxes, &mut found);
                let all: Vec<_> = (0..count)
                    .flat_map(|i| (i + 1..count).map(move |j| [i, j]))
                    .filter(|[i, j]| boxes[*i].overlaps(&boxes[*j]))
                    .collect();
                assert_eq!(found, all);
            }
        }
    }
}
