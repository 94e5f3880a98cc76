//! The velocities themselves, up to a limit.

use std::collections::BTreeMap;

use nalgebra::DVector;

use crate::set_valued::{Sample, Summary};

/// Which outcomes are kept when there are more than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Those with the smallest indices. Samples are independent, so this choice is as good as any.
    First,
    /// A random choice: the outcomes whose indices have the smallest hashes with this seed. All outcomes are
    /// equally likely to be kept, and the choice depends only on seed, limit and indices.
    Random {
        /// Seed of the hash.
        seed: u64,
    },
}

/// Keeps outcomes up to a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Collect {
    limit: usize,
    order: Order,
    /// By priority and index.
    kept: BTreeMap<(u64, u64), DVector<f64>>,
}

/// An outcome that was kept.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Collected<'a> {
    /// Index of the sample; [`SetValuedRouth::sample`](crate::set_valued::SetValuedRouth::sample) gives its path.
    pub index: u64,
    /// `v⁺` (length `n_v`, m/s and rad/s).
    pub velocity: &'a DVector<f64>,
}

impl Collect {
    /// An empty collection of at most `limit` outcomes.
    #[must_use]
    pub const fn new(limit: usize, order: Order) -> Self {
        Self { limit, order, kept: BTreeMap::new() }
    }

    /// The outcomes that were kept, by increasing index.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Collected<'_>> {
        let kept = self.kept.iter();
        let mut kept: Vec<_> =
            kept.map(|(&(_, index), velocity)| Collected { index, velocity }).collect();
        kept.sort_by_key(|outcome| outcome.index);
        kept
    }

    fn priority(&self, index: u64) -> (u64, u64) {
        match self.order {
            Order::First => (0, index),
            Order::Random { seed } => (scramble(index ^ scramble(seed)), index),
        }
    }

    fn has_room_for(&self, priority: (u64, u64)) -> bool {
        self.kept.len() < self.limit
            || self.kept.last_key_value().is_some_and(|(&last, _)| priority < last)
    }

    fn keep(&mut self, priority: (u64, u64), velocity: DVector<f64>) {
        self.kept.insert(priority, velocity);
        if self.kept.len() > self.limit {
            self.kept.pop_last();
        }
    }
}

impl Summary for Collect {
    fn record(&mut self, sample: &Sample<'_>) {
        let priority = self.priority(sample.index);
        if self.has_room_for(priority) {
            self.keep(priority, sample.velocity.clone());
        }
    }

    fn merge(&mut self, later: Self) {
        for (priority, velocity) in later.kept {
            if self.has_room_for(priority) {
                self.keep(priority, velocity);
            }
        }
    }
}

/// A bijection of the integers that leaves no pattern of its argument: the output function of
/// `SplitMix64` (Steele, Lea and Flood 2014).
const fn scramble(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
