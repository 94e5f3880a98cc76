//! Pairs of overlapping boxes: [`Tree`].
//!
//! The boxes are halved at the median of their centers along the longest edge of the box around the centers, until
//! few are left. A box then descends only into parts whose common box it overlaps.
//!
//! - **Cost** `n log n + k` for `n` boxes of which `k` pairs overlap, whatever their sizes, as long as a box overlaps
//!   few others.
//! - **Deterministic**.
//!
//! # Source
//!
//! C. Ericson, *Real-Time Collision Detection*, Morgan Kaufmann 2005, chapter 6 (median splits, nodes in preorder).

use nalgebra::Vector3;

/// Maximum number of boxes that are not halved further.
const LEAF: usize = 6;

/// A box with edges along the axes (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Aabb {
    pub(super) low: Vector3<f64>,
    pub(super) high: Vector3<f64>,
}

impl Aabb {
    fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    fn around(boxes: impl Iterator<Item = Self>) -> Self {
        let nothing =
            Self { low: Vector3::repeat(f64::INFINITY), high: Vector3::repeat(-f64::INFINITY) };
        boxes.fold(nothing, |all, one| Self {
            low: all.low.inf(&one.low),
            high: all.high.sup(&one.high),
        })
    }
}

/// A tree of boxes; a caller keeps it for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    order: Vec<usize>,
    /// In preorder.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Place in `order` of the boxes of a leaf; empty for an inner node.
    first: usize,
    end: usize,
    /// The node after all that are below this one.
    next: usize,
}

impl Tree {
    /// Calls `visit` with each pair `i < j` of overlapping boxes once, in an unspecified order.
    pub(super) fn pairs(&mut self, boxes: &[Aabb], mut visit: impl FnMut(usize, usize)) {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..boxes.len());
        self.nodes.clear();
        self.split(boxes, &mut order, 0);
        for (i, one) in boxes.iter().enumerate() {
            let mut at = 0;
            while let Some(node) = self.nodes.get(at) {
                if !node.bounds.overlaps(one) {
                    at = node.next;
                    continue;
                }
                for &j in &order[node.first..node.end] {
                    if i < j && one.overlaps(&boxes[j]) {
                        visit(i, j);
                    }
                }
                at += 1;
            }
        }
        self.order = order;
    }

    /// Appends the nodes of the boxes `part`, which are `order[first..]`.
    fn split(&mut self, boxes: &[Aabb], part: &mut [usize], first: usize) {
        let bounds = Aabb::around(part.iter().map(|&i| boxes[i]));
        let at = self.nodes.len();
        let is_leaf = part.len() <= LEAF;
        let end = if is_leaf { first + part.len() } else { first };
        self.nodes.push(Node { bounds, first, end, next: at + 1 });
        if !is_leaf {
            let center = |i: usize| boxes[i].low + boxes[i].high;
            let centers = part.iter().map(|&i| Aabb { low: center(i), high: center(i) });
            let Aabb { low, high } = Aabb::around(centers);
            let axis = (high - low).imax();
            let middle = part.len() / 2;
            part.select_nth_unstable_by(middle, |&i, &j| {
                center(i)[axis].total_cmp(&center(j)[axis]).then(i.cmp(&j))
            });
            let (lower, upper) = part.split_at_mut(middle);
            self.split(boxes, lower, first);
            self.split(boxes, upper, first + middle);
        }
        self.nodes[at].next = self.nodes.len();
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn overlapping_pairs_are_those_of_all_pairs() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut tree = Tree::default();
        for count in [0, 1, 2, LEAF, LEAF + 1, 20, 300, 300] {
            // Some boxes are far larger than the others, some are points, and many share a coordinate.
            let mut vector = |edge: f64| Vector3::from_fn(|_, _| rng.random_range(0.0..edge));
            let boxes: Vec<Aabb> = (0..count)
                .map(|i| {
                    let mut low = vector(10.0);
                    low.z = if i % 3 == 0 { 5.0 } else { low.z };
                    let edge = [0.0, 1.0, 1.0, 1.0, 8.0][i % 5];
                    Aabb { low, high: low + vector(1.0) * edge }
                })
                .collect();
            let mut found = Vec::new();
            tree.pairs(&boxes, |i, j| found.push([i, j]));
            found.sort_unstable();
            let all = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
            let overlapping: Vec<_> = all.filter(|[i, j]| boxes[*i].overlaps(&boxes[*j])).collect();
            assert_eq!(found, overlapping, "{count}");
        }
    }
}
