//! All minimal sequences of reflections, by increasing length; sequences with the same future are merged.
//!
//! A sequence is extended by every contact with approach. It stores its own momentum and those of all its
//! proper subsequences; an extension by `w` adds its own momentum and the images of the stored ones under
//! `Γ(w)`. A sequence is discarded as soon as one of these momenta has no approach (no extension is minimal),
//! or if one of them is its own momentum (whatever ends the sequence also ends the subsequence). So the
//! search also terminates where reflections repeat cyclically, and every sequence that it finds is minimal.
//!
//! Sequences of the same length with the same momentum and the same momenta of subsequences have the same
//! extensions, so one [`Node`] represents all of them, and the paths through the nodes are the sequences.
//! Equal balls that all approach have thousands of nodes and billions of sequences.
//!
//! If every pair of normals has `⟨u, v⟩ = −cos(π/m)` and the normals are independent, the reflections
//! generate a finite Coxeter group. A sequence that reflects only at contacts with approach is then a
//! shortest word of its product among all with the same effect on the momentum, and every subsequence is
//! shorter. Therefore all sequences are minimal, and subsequences need not be followed.
//!
//! # Source
//!
//! J. E. Humphreys, *Reflection Groups and Coxeter Groups*, Cambridge University Press 1990, sections 1.6 to
//! 1.12 and 5.13 (lengths, fundamental domains).

use nalgebra::DMatrix;

use super::{
    mirrors::Mirrors,
    pairs::Pair,
    states::{NONE, States, index},
};

/// Tolerance for a product to equal `−cos(π/m)`: its rounding, with a margin.
const GROUP_TOLERANCE: f64 = 1e-12;

/// Number of listing steps that take as long as storing one reflection of a sequence.
const SHOWN: usize = 10;

/// Sequences of one length that have the same extensions.
#[derive(Clone, Copy, Debug)]
struct Node {
    state: u32,
    /// Place of the ascending list of momenta of proper subsequences.
    shadows: [usize; 2],
    /// Place of the list of its extensions.
    edges: [usize; 2],
    /// Number of sequences; [`u64::MAX`] means at least this many.
    sequences: u64,
    /// Outcome if the node is an end.
    outcome: u32,
    /// The previous node with the same momentum.
    before: u32,
}

#[derive(Debug, Default)]
pub(super) struct Search {
    states: States,
    nodes: Vec<Node>,
    /// For each state, the newest node with this momentum.
    newest: Vec<u32>,
    shadows: Vec<u32>,
    /// Mirror of an extension and the node it leads to.
    edges: Vec<(u32, u32)>,
    /// State and number of sequences of each outcome.
    outcomes: Vec<(u32, u64)>,
    /// For each node whether it leads to the outcome that is listed.
    leads: Vec<bool>,
    /// Current sequence, with the place of the edge after it.
    way: Vec<(u32, usize)>,
    work: usize,
}

impl Search {
    /// Runs the search; returns whether it finished within the limit of examined momenta. Results of earlier
    /// searches are discarded. Outcomes count as one if they agree after multiplication by `restitution`.
    pub(super) fn run(&mut self, mirrors: &Mirrors, restitution: f64, limit: usize) -> bool {
        self.states.clear();
        self.nodes.clear();
        self.newest.clear();
        self.shadows.clear();
        self.edges.clear();
        self.outcomes.clear();
        self.work = 0;
        let start = self.states.find(mirrors, &mirrors.start);
        self.add(start, [0, 0], 1);
        if self.states.is_feasible(start) {
            self.end(mirrors, restitution, 0);
            return true;
        }
        let is_group = is_group(mirrors);
        let mut level = 0..1;
        while !level.is_empty() {
            for parent in level.clone() {
                self.nodes[parent].edges = [self.edges.len(); 2];
                for k in 0..mirrors.start.len() {
                    let state = self.nodes[parent].state;
                    if mirrors.is_approached(self.states.value(state, mirrors.start.len()), k) {
                        self.extend(mirrors, parent, k, level.end, is_group);
                        if self.work > limit {
                            return false;
                        }
                    }
                }
                self.nodes[parent].edges[1] = self.edges.len();
            }
            level = level.end..self.nodes.len();
            for node in level.clone() {
                if self.states.is_feasible(self.nodes[node].state) {
                    self.end(mirrors, restitution, node);
                    if self.work > limit {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Adds the extension of node `parent` by mirror `k`, a node at an index of at least `level`, unless it
    /// cannot be minimal.
    fn extend(&mut self, mirrors: &Mirrors, parent: usize, k: usize, level: usize, is_group: bool) {
        let Node { state, shadows: [from, to], sequences, .. } = self.nodes[parent];
        let reached = self.states.image(mirrors, state, k);
        let first = self.shadows.len();
        self.work += 1;
        if !is_group {
            self.shadows.push(state);
            for place in from..to {
                let shadow = self.shadows[place];
                let image = self.states.image(mirrors, shadow, k);
                self.shadows.extend([shadow, image]);
            }
            self.work += 2 * (to - from);
            let added = &mut self.shadows[first..];
            added.sort_unstable();
            let minimal =
                !added.iter().any(|&shadow| shadow == reached || self.states.is_feasible(shadow));
            if !minimal {
                self.shadows.truncate(first);
                return;
            }
            let mut last = first;
            for place in first + 1..self.shadows.len() {
                if self.shadows[place] != self.shadows[last] {
                    last += 1;
                    self.shadows[last] = self.shadows[place];
                }
            }
            self.shadows.truncate(last + 1);
        }
        let list = &self.shadows[first..];
        let mut same = self.newest.get(reached as usize).copied().unwrap_or(NONE);
        while same != NONE {
            let Node { shadows: [from, to], before, .. } = self.nodes[same as usize];
            self.work += 1 + list.len();
            if (same as usize) < level {
                same = NONE;
            } else if self.shadows[from..to] == *list {
                break;
            } else {
                same = before;
            }
        }
        let child = if same == NONE {
            self.add(reached, [first, self.shadows.len()], sequences)
        } else {
            self.shadows.truncate(first);
            let all = &mut self.nodes[same as usize].sequences;
            *all = all.saturating_add(sequences);
            same
        };
        self.edges.push((index(k), child));
    }

    fn add(&mut self, state: u32, shadows: [usize; 2], sequences: u64) -> u32 {
        let node = index(self.nodes.len());
        self.newest.resize(self.states.len(), NONE);
        let before = std::mem::replace(&mut self.newest[state as usize], node);
        let (edges, outcome) = ([0, 0], NONE);
        self.nodes.push(Node { state, shadows, edges, sequences, outcome, before });
        node
    }

    /// Adds the sequences of a node without approach to the count of their outcome.
    fn end(&mut self, mirrors: &Mirrors, restitution: f64, node: usize) {
        let m = mirrors.start.len();
        let Node { state, sequences, .. } = self.nodes[node];
        let value = self.states.value(state, m);
        let agrees = |known: u32| {
            let pairs = self.states.value(known, m).iter().zip(value).zip(&mirrors.thresholds);
            pairs.into_iter().all(|((a, b), threshold)| (a - b).abs() * restitution <= *threshold)
        };
        self.work += self.outcomes.len();
        let outcome = self.outcomes.iter().position(|(known, _)| agrees(*known));
        let outcome = outcome.unwrap_or(self.outcomes.len());
        if outcome == self.outcomes.len() {
            self.outcomes.push((state, 0));
        }
        let all = &mut self.outcomes[outcome].1;
        *all = all.saturating_add(sequences);
        self.nodes[node].outcome = index(outcome);
    }

    /// The number of sequences of each outcome; [`u64::MAX`] means at least this many.
    pub(super) fn outcomes(&self) -> impl ExactSizeIterator<Item = u64> {
        self.outcomes.iter().map(|(_, sequences)| *sequences)
    }

    /// Passes the sequences of mirrors that lead to `outcome` to `show` in lexicographic order, at most
    /// `most` of them, and subtracts the steps used from `budget`. Returns false, without any sequence, if
    /// the budget does not suffice for one; if it suffices for some only, the others are omitted.
    pub(super) fn list(
        &mut self,
        outcome: usize,
        most: usize,
        budget: &mut usize,
        mut show: impl FnMut(&[(u32, usize)]),
    ) -> bool {
        let Some(rest) = budget.checked_sub(self.nodes.len() + self.edges.len()) else {
            *budget = 0;
            return false;
        };
        *budget = rest;
        self.leads.clear();
        self.leads.resize(self.nodes.len(), false);
        for (place, node) in self.nodes.iter().enumerate().rev() {
            let [from, to] = node.edges;
            let mut children = self.edges[from..to].iter();
            self.leads[place] = node.outcome == index(outcome)
                || children.any(|(_, child)| self.leads[*child as usize]);
        }
        let mut left = most;
        self.way.clear();
        let mut node = 0;
        let mut edge = self.nodes[0].edges[0];
        loop {
            if self.nodes[node].outcome == index(outcome) {
                show(&self.way);
                let taken = SHOWN * (self.way.len() + 1);
                left = if *budget < taken { 0 } else { left - 1 };
                *budget = budget.saturating_sub(taken);
            }
            // Down the next edge that leads there, or back up to the last node that has one.
            loop {
                let end = self.nodes[node].edges[1];
                let next = (edge..end).find(|&e| self.leads[self.edges[e].1 as usize]);
                if let (Some(next), true) = (next, left > 0) {
                    let (mirror, child) = self.edges[next];
                    self.way.push((mirror, next));
                    node = child as usize;
                    edge = self.nodes[node].edges[0];
                    break;
                }
                let Some((_, taken)) = self.way.pop() else { return true };
                node = self.way.last().map_or(0, |&(_, edge)| self.edges[edge].1 as usize);
                edge = taken + 1;
            }
        }
    }
}

/// Whether the reflections generate a finite Coxeter group: all pairs of normals have
/// `⟨u, v⟩ = −cos(π/m)`, and they are independent.
fn is_group(mirrors: &Mirrors) -> bool {
    let m = mirrors.start.len();
    let is_regular = |i: usize, j: usize| {
        let pair = Pair { contacts: [j, i], cosine: mirrors.cosine(i, j).clamp(-1.0, 1.0) };
        pair.reflections(GROUP_TOLERANCE).is_some_and(|m| m >= 2)
    };
    (0..m).all(|i| (0..i).all(|j| is_regular(i, j)))
        && (m < 3 || DMatrix::from_fn(m, m, |i, j| mirrors.cosine(i, j)).cholesky().is_some())
}
