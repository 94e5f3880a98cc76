//! A [`GrainFilm`] as bytes, so that the page of a run that was resumed plays all of it.
//!
//! Little-endian: the eight bytes `percfilm`, the numbers of the film, the radii by identity, and the frames; where grains have
//! shapes, then their numbers by identity, and for each frame the orientations.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::{Frame, GRAIN_FRAME_LIMIT, GrainFilm};

const MAGIC: &[u8; 8] = b"percfilm";

impl GrainFilm {
    /// What was filmed, as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let whole = |bytes: &mut Vec<u8>, number: u64| bytes.extend(number.to_le_bytes());
        let real = |bytes: &mut Vec<u8>, number: f64| bytes.extend(number.to_le_bytes());
        for number in [self.share, self.contacts as u64] {
            whole(&mut bytes, number);
        }
        real(&mut bytes, self.overlap);
        whole(&mut bytes, self.radii.len() as u64);
        for (identity, radius) in &self.radii {
            whole(&mut bytes, *identity);
            real(&mut bytes, *radius);
        }
        whole(&mut bytes, self.frames.len() as u64);
        for frame in &self.frames {
            let counts = [frame.step, frame.contacts as u64, frame.grains as u64];
            counts.into_iter().for_each(|number| whole(&mut bytes, number));
            for number in [frame.time, frame.kinetic_energy, frame.overlap] {
                real(&mut bytes, number);
            }
            whole(&mut bytes, frame.poses.len() as u64);
            bytes.extend(frame.poses.iter().flatten().flat_map(|number| number.to_le_bytes()));
            whole(&mut bytes, frame.centers.len() as u64);
            for (identity, center) in &frame.centers {
                whole(&mut bytes, *identity);
                center.iter().for_each(|number| real(&mut bytes, *number));
            }
        }
        if self.shaped.is_empty() {
            return bytes;
        }
        whole(&mut bytes, self.shaped.kinds.len() as u64);
        for (identity, kind) in &self.shaped.kinds {
            whole(&mut bytes, *identity);
            whole(&mut bytes, u64::from(*kind));
        }
        for frame in &self.frames {
            whole(&mut bytes, frame.turns.len() as u64);
            for (identity, turn) in &frame.turns {
                whole(&mut bytes, *identity);
                turn.iter().for_each(|number| real(&mut bytes, *number));
            }
        }
        bytes
    }

    /// Takes over what was filmed before, up to step `steps`, from the bytes of a film of the same scene; returns
    /// whether the bytes are such a film. If not, nothing changes.
    ///
    /// Frames are as far apart as this film keeps them, which may leave some out.
    #[must_use]
    pub fn restore(&mut self, bytes: &[u8], steps: u64) -> bool {
        let is_shaped = !self.shaped.is_empty();
        let Some(read) = read(bytes, self.walls.len(), is_shaped) else { return false };
        let Read { share, radii, kinds, mut frames, overlap, contacts } = read;
        frames.retain(|frame| frame.step <= steps && frame.step.is_multiple_of(self.stride));
        if frames.is_empty() || frames.len() > GRAIN_FRAME_LIMIT {
            return false;
        }
        self.shaped.kinds = kinds;
        *self = Self {
            share,
            radii,
            shaped: std::mem::take(&mut self.shaped),
            frames,
            overlap,
            contacts,
            walls: std::mem::take(&mut self.walls),
            ..*self
        };
        true
    }
}

/// What a film has read.
struct Read {
    share: u64,
    radii: BTreeMap<u64, f64>,
    kinds: BTreeMap<u64, u16>,
    frames: Vec<Frame>,
    overlap: f64,
    contacts: usize,
}

fn read(bytes: &[u8], walls: usize, is_shaped: bool) -> Option<Read> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let rest = &mut rest;
    let (share, contacts, overlap) = (whole(rest)?, count(rest)?, real(rest)?);
    if !share.is_power_of_two() {
        return None;
    }
    let mut radii = BTreeMap::new();
    for _ in 0..whole(rest)? {
        radii.insert(whole(rest)?, real(rest)?);
    }
    let mut frames = Vec::new();
    for _ in 0..whole(rest)? {
        let (step, contacts, grains) = (whole(rest)?, count(rest)?, count(rest)?);
        let (time, kinetic_energy, overlap) = (real(rest)?, real(rest)?, real(rest)?);
        if whole(rest)? != walls as u64 {
            return None;
        }
        let mut poses = Vec::with_capacity(walls);
        for _ in 0..walls {
            let mut pose = [0.0; 7];
            for number in &mut pose {
                *number = f32::from_le_bytes(take(rest)?);
            }
            poses.push(pose);
        }
        let mut centers = BTreeMap::new();
        for _ in 0..whole(rest)? {
            let identity = whole(rest)?;
            radii.get(&identity)?;
            centers.insert(identity, Vector3::new(real(rest)?, real(rest)?, real(rest)?));
        }
        frames.push(Frame {
            step,
            time,
            centers,
            turns: BTreeMap::new(),
            poses,
            kinetic_energy,
            overlap,
            contacts,
            grains,
        });
    }
    let mut kinds = BTreeMap::new();
    if is_shaped {
        for _ in 0..whole(rest)? {
            kinds.insert(whole(rest)?, u16::try_from(whole(rest)?).ok()?);
        }
        for frame in &mut frames {
            for _ in 0..whole(rest)? {
                let identity = whole(rest)?;
                kinds.get(&identity)?;
                let turn = [real(rest)?, real(rest)?, real(rest)?, real(rest)?];
                frame.turns.insert(identity, turn);
            }
        }
    }
    rest.is_empty().then_some(Read { share, radii, kinds, frames, overlap, contacts })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(*bytes)
}

fn whole(rest: &mut &[u8]) -> Option<u64> {
    take(rest).map(u64::from_le_bytes)
}

fn count(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(whole(rest)?).ok()
}

fn real(rest: &mut &[u8]) -> Option<f64> {
    take(rest).map(f64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use percussion_granular::World;

    use super::*;
    use crate::grains::{Run, Scene};

    #[test]
    fn a_film_that_is_restored_goes_on_and_a_cut_one_is_refused() {
        let folder = std::path::Path::new(".");
        let mut run = Run::new(Scene::built_in("drum").unwrap(), folder).unwrap();
        let start = run.clone();
        let mut film = GrainFilm::new(run.world(), 200);
        let step = |run: &mut Run, film: &mut GrainFilm| {
            let report = run.step().unwrap();
            film.look(run.world(), &report);
        };
        (0..75).for_each(|_| step(&mut run, &mut film));
        let bytes = film.to_bytes();
        let state = run.world().state();
        (75..200).for_each(|_| step(&mut run, &mut film));
        let whole = film.view("Drum", "All.");

        let mut again = GrainFilm::new(start.world(), 200);
        let mut resumed = start.resume(World::from_state(state).unwrap()).unwrap();
        for cut in (0..bytes.len()).step_by(997) {
            assert!(!again.restore(&bytes[..cut], 75), "{cut} bytes");
        }
        // What was filmed after the checkpoint is filmed again.
        assert!(again.restore(&film.to_bytes(), 75));
        assert!(again.restore(&bytes, 75));
        (75..200).for_each(|_| step(&mut resumed, &mut again));
        assert!(again.view("Drum", "All.") == whole, "the same page");
        assert_eq!(whole.motions[0].times.len(), 101);
    }
}
