//! What only some worlds have, in the file of a world: materials, servos and moments.

use nalgebra::Unit;

use super::{
    Fault,
    bytes::{Reader, Writer},
    entry, images,
};
use crate::{Interaction, Materials, Servo, State};

/// Whether the state has nothing of this.
pub(super) fn is_plain(state: &State) -> bool {
    state.materials.is_empty()
        && state.servos.is_empty()
        && state.grain_materials.iter().all(|material| *material == 0)
        && state.walls.iter().all(|wall| wall.material == 0)
}

/// Writes it, and before it the periodic box.
pub(super) fn put(bytes: &mut Writer, state: &State) {
    bytes.put([u8::from(state.periods.is_some())]);
    if let Some(periods) = &state.periods {
        images::put(bytes, periods, state);
    }
    bytes.number(state.materials.inelastic_below);
    bytes.list(state.materials.table(), |bytes, pair| {
        let Interaction { friction, restitution, rolling, spinning } = pair;
        bytes.numbers(&[*friction, *restitution, *rolling, *spinning]);
    });
    bytes.list(&state.grain_materials, |bytes, material| bytes.put([*material]));
    bytes.list(&state.walls, |bytes, wall| bytes.put([wall.material]));
    bytes.list(&state.servos, |bytes, servo| {
        let Servo { walls, direction, force, mass, largest_speed, velocity } = servo;
        for wall in [walls.start, walls.end] {
            bytes.put((wall as u64).to_le_bytes());
        }
        bytes.vector(direction);
        bytes.numbers(&[*force, *mass, *largest_speed, *velocity]);
    });
    for moments in [&state.moments, &state.wall_moments, &state.image_moments] {
        bytes.lists_of_numbers(moments);
    }
}

/// Reads it into `state`.
pub(super) fn take(bytes: &mut Reader<'_>, state: &mut State) -> Result<(), Fault> {
    if entry("periods", bytes.flag())? {
        images::take(bytes, state)?;
    }
    state.materials = entry("materials", materials(bytes))?;
    state.grain_materials = entry("grain_materials", bytes.list(1, Reader::byte))?;
    let of_walls = entry("walls", bytes.list(1, Reader::byte))?;
    entry("walls", (of_walls.len() == state.walls.len()).then_some(()))?;
    for (wall, material) in state.walls.iter_mut().zip(of_walls) {
        wall.material = material;
    }
    state.servos = entry("servos", bytes.list(72, servo))?;
    state.moments = entry("moments", bytes.lists_of_numbers())?;
    state.wall_moments = entry("wall_moments", bytes.lists_of_numbers())?;
    state.image_moments = entry("image_moments", bytes.lists_of_numbers())?;
    Ok(())
}

fn materials(bytes: &mut Reader<'_>) -> Option<Materials> {
    let inelastic_below = bytes.number()?;
    let pair = |bytes: &mut Reader<'_>| {
        let [friction, restitution, rolling, spinning] = bytes.numbers()?;
        Some(Interaction { friction, restitution, rolling, spinning })
    };
    Materials::of_table(inelastic_below, bytes.list(32, pair)?)
}

fn servo(bytes: &mut Reader<'_>) -> Option<Servo> {
    let mut wall = || usize::try_from(bytes.long()?).ok();
    let walls = wall()?..wall()?;
    // Normalizing again could change the last bit.
    let direction = Unit::new_unchecked(bytes.vector()?);
    let [force, mass, largest_speed, velocity] = bytes.numbers()?;
    Some(Servo { walls, direction, force, mass, largest_speed, velocity })
}
