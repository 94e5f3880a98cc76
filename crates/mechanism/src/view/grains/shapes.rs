//! How a [`GrainFilm`] shows grains with shapes.

use std::collections::BTreeMap;

use percussion_granular::bodies::Mold;
use percussion_record::view::{Shapes, Solid};

use super::{Frame, Shown, is_shown, solids};

/// Maximum number of grains with shapes that a film keeps over all times: they take twice the space of balls.
pub(super) const SHAPE_LIMIT: usize = 2000;

/// The shapes of a film, none where all grains are balls.
#[derive(Clone, Debug, Default)]
pub(super) struct Shaped {
    /// Of grains of radius 1 m.
    solids: Vec<Vec<Solid>>,
    /// Of the grains that were shown, by identity.
    pub(super) kinds: BTreeMap<u64, u16>,
}

impl Shaped {
    pub(super) fn new<'a>(molds: impl Iterator<Item = &'a Mold>) -> Self {
        let solids = molds.map(|mold| {
            let unit = 2.0 / mold.diameter();
            let parts = mold.parts().filter_map(|(shape, pose)| solids::solid(shape, &pose));
            parts.map(|solid| scaled(solid, unit)).collect()
        });
        Self { solids: solids.collect(), kinds: BTreeMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.solids.is_empty()
    }

    /// The same shapes without grains.
    pub(super) fn cleared(&self) -> Self {
        Self { solids: self.solids.clone(), kinds: BTreeMap::new() }
    }

    /// Takes over the shapes of grains, and returns their orientations.
    pub(super) fn keep(&mut self, shown: &[Shown], share: u64) -> BTreeMap<u64, [f64; 4]> {
        if self.is_empty() {
            return BTreeMap::new();
        }
        let kept = shown.iter().filter(|grain| is_shown(grain.identity, share));
        kept.map(|grain| {
            self.kinds.insert(grain.identity, grain.mold);
            (grain.identity, grain.turn)
        })
        .collect()
    }

    /// The shapes of the grains in `frames`, in the order of `identities`.
    pub(super) fn view<'a>(
        &self,
        identities: impl Iterator<Item = &'a u64> + Clone,
        frames: &[Frame],
    ) -> Option<Shapes> {
        if self.is_empty() {
            return None;
        }
        let kind = |identity| self.kinds.get(identity).copied().unwrap_or_default();
        let turns = frames.iter().flat_map(|frame| {
            identities.clone().map(|identity| frame.turns.get(identity).copied())
        });
        Some(Shapes::new(self.solids.clone(), identities.clone().map(kind).collect(), turns))
    }
}

fn scaled(mut solid: Solid, factor: f64) -> Solid {
    let grow = |point: &mut [f64; 3]| point.iter_mut().for_each(|entry| *entry *= factor);
    match &mut solid {
        Solid::Ball { center, radius } => {
            grow(center);
            *radius *= factor;
        }
        Solid::Box { half_edges, center } => {
            grow(half_edges);
            grow(center);
        }
        Solid::Polyhedron { corners, .. } => corners.iter_mut().for_each(grow),
        Solid::Capsule { ends, radius } | Solid::Cylinder { ends, radius } => {
            ends.iter_mut().for_each(grow);
            *radius *= factor;
        }
        _ => {}
    }
    solid
}
