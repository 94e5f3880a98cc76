//! Impulses of the last step, from which the next one starts: [`Kept`] and [`Memory`].
//!
//! While the lists of pairs stay as they are, a slab [walks](Walk) along its pairs and its impulses at once. A new list has
//! other slabs and places, so all impulses are then sorted by the [names](Name) of their contacts. Both find the same
//! impulse for a name.

use nalgebra::Vector3;

use super::contact::{Local, With};

/// The name of a contact, which is constant while its features touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// The smaller identity, if there are two.
    pub(super) body: u64,
    pub(super) with: With,
    pub(super) local: Local,
}

/// An impulse of the last step.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// Number of the pair in the lists of its slab.
    pub(super) pair: u32,
    pub(super) local: Local,
    /// On body 1 in the world (N·s), not zero.
    pub(super) impulse: Vector3<f64>,
}

/// The impulses of all contacts, while they are not in the order of the pairs of the slabs.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Whether `sorted` has the impulses of the last step; otherwise the slabs have.
    pub(super) is_current: bool,
    sorted: Vec<(Name, Vector3<f64>)>,
}

impl Memory {
    /// Stores these impulses.
    pub(super) fn fill(&mut self, impulses: impl Iterator<Item = (Name, Vector3<f64>)>) {
        self.sorted.clear();
        self.sorted.extend(impulses);
        self.sorted.sort_unstable_by_key(|(name, _)| *name);
        self.is_current = true;
    }

    /// The impulses with the names of their contacts, sorted.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Name, Vector3<f64>)> {
        self.sorted.iter()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    pub(super) fn find(&self, name: &Name) -> Option<&Vector3<f64>> {
        let place = self.sorted.binary_search_by_key(name, |(name, _)| *name).ok()?;
        Some(&self.sorted[place].1)
    }
}

/// A place in the impulses of a slab, which moves along as pairs are asked for in their order.
pub(super) struct Walk<'a> {
    rest: &'a [Kept],
}

impl<'a> Walk<'a> {
    pub(super) const fn new(kept: &'a [Kept]) -> Self {
        Self { rest: kept }
    }

    pub(super) fn find(&mut self, pair: u32, local: &Local) -> Option<&'a Vector3<f64>> {
        let passed = self.rest.iter().take_while(|kept| kept.pair < pair).count();
        self.rest = &self.rest[passed..];
        let here = self.rest.iter().take_while(|kept| kept.pair == pair);
        here.into_iter().find(|kept| kept.local == *local).map(|kept| &kept.impulse)
    }
}
