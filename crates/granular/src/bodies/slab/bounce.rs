//! Contacts of a slab that bounce, and how the materials of a contact touch: [`interaction`].

use super::{Copies, Slab, Start};
use crate::{
    bodies::{
        contact::{Contact, Motion},
        packs::Rebound,
    },
    grains::narrow,
    materials::Interaction,
    wall::Wall,
};

impl Slab {
    /// Lets contacts bounce, by the materials of the bodies and walls; boundaries have none.
    pub(super) fn bounce(&mut self, start: &Start<'_>, motions: &[Motion], copies: &Copies) {
        let Start { materials, settings, .. } = start;
        let Self { packs, contacts, boundary_pairs, pairs, .. } = self;
        let lists = [&**boundary_pairs, &**pairs];
        let restitution = |number: u32| {
            let found = interaction(start, lists, &contacts[number as usize]);
            found.map_or(0.0, |(interaction, _)| interaction.restitution)
        };
        let (below, step) = (materials.inelastic_below, settings.step_size);
        let (kick, gain) = (step * settings.gravity, |place| copies.gain(place));
        let law = settings.law;
        packs.bounce(motions, &Rebound { restitution, gain, below, kick, step, law });
    }
}

/// How the materials of a contact touch, and its wall; nothing for boundaries, which have no material.
pub(super) fn interaction<'a>(
    start: &Start<'a>,
    [boundary_pairs, pairs]: [&[[u32; 2]]; 2],
    contact: &Contact,
) -> Option<(&'a Interaction, Option<&'a Wall>)> {
    let Start { bodies, boundaries, walls, materials, .. } = start;
    let (pair, material) = (contact.pair as usize, |body: u32| bodies[body as usize].form.material);
    let Some(&[body, number]) = boundary_pairs.get(pair) else {
        let [one, other] = pairs[pair - boundary_pairs.len()].map(material);
        return Some((materials.between(one, other), None));
    };
    let wall = walls.of(walls.piece(number.checked_sub(narrow(boundaries.len()))?));
    Some((materials.between(material(body), wall.material), Some(wall)))
}
