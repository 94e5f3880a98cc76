//! The bodies of a collection, in the file of a world.

use super::bytes::{Reader, Writer};
use crate::bodies::BodyState;

/// Writes them.
pub(super) fn put(bytes: &mut Writer, state: &BodyState) {
    bytes.list(&state.molds, |bytes, mold| bytes.put(mold.to_le_bytes()));
    bytes.lists_of_numbers(&state.sizes);
    bytes.list(&state.materials, |bytes, material| bytes.put([*material]));
    bytes.lists_of_numbers(&state.positions);
    bytes.lists_of_numbers(&state.orientations);
    bytes.lists_of_numbers(&state.velocities);
    bytes.lists_of_numbers(&state.spins);
    bytes.list(&state.identities, |bytes, identity| bytes.put(identity.to_le_bytes()));
    bytes.list(&state.travel, |bytes, way| bytes.number(*way));
    bytes.lists_of_places(&state.slabs);
    bytes.lists_of_places(&state.wall_pairs);
    bytes.lists_of_places(&state.pairs);
    bytes.list(&state.names, |bytes, name| {
        name.iter().for_each(|number| bytes.put(number.to_le_bytes()));
    });
    bytes.lists_of_numbers(&state.impulses);
    bytes.numbers(&state.skin);
    bytes.put([u8::from(state.current)]);
}

/// Reads them.
pub(super) fn take(bytes: &mut Reader<'_>) -> Option<BodyState> {
    Some(BodyState {
        molds: bytes.list(4, Reader::place)?,
        sizes: bytes.lists_of_numbers()?,
        materials: bytes.list(1, Reader::byte)?,
        positions: bytes.lists_of_numbers()?,
        orientations: bytes.lists_of_numbers()?,
        velocities: bytes.lists_of_numbers()?,
        spins: bytes.lists_of_numbers()?,
        identities: bytes.list(8, Reader::long)?,
        travel: bytes.list(8, Reader::number)?,
        slabs: bytes.lists_of_places()?,
        wall_pairs: bytes.lists_of_places()?,
        pairs: bytes.lists_of_places()?,
        names: bytes.list(72, |bytes| {
            let mut name = [0; 9];
            for number in &mut name {
                *number = bytes.long()?;
            }
            Some(name)
        })?,
        impulses: bytes.lists_of_numbers()?,
        skin: bytes.numbers()?,
        current: bytes.flag()?,
    })
}
