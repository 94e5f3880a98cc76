//! The periodic box of a world with the pairs across its faces, in the file of a world.

use super::{
    Fault,
    bytes::{Reader, Writer},
    entry,
};
use crate::{Periods, State};

/// Writes the box and the pairs.
pub(super) fn put(bytes: &mut Writer, periods: &Periods, state: &State) {
    bytes.vector(&periods.low);
    for edge in periods.edges {
        bytes.put([u8::from(edge.is_some())]);
        bytes.number(edge.unwrap_or_default());
    }
    bytes.numbers(&[periods.shear, periods.offset]);
    bytes.lists_of_places(&state.image_pairs);
    bytes.list(&state.image_nodes, |bytes, node| bytes.put(node.map(i8::cast_unsigned)));
    bytes.lists_of_numbers(&state.image_impulses);
}

/// Reads the box and the pairs into `state`.
pub(super) fn take(bytes: &mut Reader<'_>, state: &mut State) -> Result<(), Fault> {
    state.periods = Some(entry("periods", periods(bytes))?);
    state.image_pairs = entry("image_pairs", bytes.lists_of_places())?;
    let node = |bytes: &mut Reader<'_>| Some(bytes.take()?.map(u8::cast_signed));
    state.image_nodes = entry("image_nodes", bytes.list(3, node))?;
    state.image_impulses = entry("image_impulses", bytes.lists_of_numbers())?;
    Ok(())
}

fn periods(bytes: &mut Reader<'_>) -> Option<Periods> {
    let mut periods = Periods::new(bytes.vector()?, [None; 3]);
    for edge in &mut periods.edges {
        let repeats = bytes.flag()?;
        let length = bytes.number()?;
        *edge = repeats.then_some(length);
    }
    [periods.shear, periods.offset] = bytes.numbers()?;
    Some(periods)
}
