//! Checkpoints of several ranks: [`save_together`] and [`restore_together`].
//!
//! Each rank writes its part, a file of its own in the folder `….parts` beside the checkpoint; when all are on the disk, rank
//! 0 replaces the checkpoint by the list of them and deletes those that no list names any more. A run that is killed at any
//! moment leaves a list whose parts are complete. The checkpoint of a single rank is the whole world, as by
//! [`save`](super::save).
//!
//! Any number of ranks can continue. If there are as many as before, each takes its part and continues with the same
//! bits. Otherwise each rank reads all parts, one after the other, and takes the grains in its box with the impulses of
//! their contacts, so that no rank holds more than its grains and one part.
//!
//! # Format
//!
//! As in [`checkpoint`](super), with version 2 for a list (note, serial number, number of parts) and version 3 for a part: the
//! numbers of boxes along each axis, the cuts along each axis, lanes of lent and of borrowed grains (rank and identities),
//! copies (identity and number), and the bytes of the file of a world.

use std::{
    collections::BTreeMap,
    fs, io, iter,
    path::{Path, PathBuf},
};

use super::{
    Checkpoint, Error, Fault, access, beside,
    bytes::{Reader, Writer},
    decode, encode, entries, entry, is_world, pack, previous, replace, unpack,
};
use crate::{
    Domain, Share, State,
    decomposition::{Lane, Partition},
    grains::narrow,
};

const LIST: u32 = 2;
const PART: u32 = 3;

/// What a rank has read of a checkpoint.
#[derive(Debug)]
#[non_exhaustive]
pub struct RestoredShare {
    /// Data of the caller.
    pub note: String,
    /// The grains and pairs of this rank, for [`Domain::restore`].
    pub share: Share,
    /// Whether each rank continues with its own part and the boxes of the checkpoint, and not with a new division.
    pub is_own: bool,
    /// The file that was read first.
    pub file: PathBuf,
    /// Error of a newer file that was skipped, on the rank that met it.
    pub refused: Option<Error>,
}

impl RestoredShare {
    /// Renames the newer checkpoint that was skipped, if there is one, as [`Restored::set_aside`](super::Restored::set_aside)
    /// does. Only rank 0 may call it.
    ///
    /// # Errors
    ///
    /// [`Error::Access`].
    pub fn set_aside(&self, path: &Path) -> Result<Option<PathBuf>, Error> {
        let is_damaged = matches!(self.refused, Some(Error::Damaged { .. } | Error::Elsewhere));
        if is_damaged && self.file != path { super::put_aside(path) } else { Ok(None) }
    }
}

/// A list of parts.
struct List {
    note: String,
    serial: u64,
    ranks: u64,
}

/// Writes a checkpoint of all ranks to `path`, and keeps the one that was there as `….previous`. All ranks must see the same
/// files.
///
/// # Errors
///
/// [`Error::Access`], or [`Error::Elsewhere`] if another rank has failed, so that all ranks return an error. The previous
/// checkpoint is then still there. [`Error::Exchange`].
pub fn save_together(path: &Path, note: &str, domain: &mut impl Domain) -> Result<(), Error> {
    let note = note.to_owned();
    if domain.size() == 1 {
        return super::save(path, &Checkpoint { note, state: domain.share().state });
    }
    let mut serial = vec![if domain.rank() == 0 { next_serial(path) } else { 0 }];
    domain.broadcast(&mut serial)?;
    let serial = serial[0];
    let part = part(path, serial, domain.rank() as u64);
    let written = fs::create_dir_all(folder(path)).and_then(|()| {
        let bytes = encode_part(&note, domain.share());
        replace(&part, &bytes)
    });
    agree(domain, written.map_err(|source| access(&part, source)))??;
    let listed = if domain.rank() == 0 {
        let list = encode_list(&List { note, serial, ranks: domain.size() as u64 });
        replace(path, &list).map_err(|source| access(path, source))
    } else {
        Ok(())
    };
    agree(domain, listed)??;
    if domain.rank() == 0 {
        clean(path);
    }
    Ok(())
}

/// Reads the checkpoint at `path` or, if that is missing or damaged for any rank, the previous one; of another number of
/// ranks, each takes the grains in its box of `partition`.
///
/// # Errors
///
/// [`Error`] of the newer file if neither is usable, or [`Error::Elsewhere`] if this rank could read it and another could not.
pub fn restore_together(
    path: &Path,
    partition: &Partition,
    domain: &mut impl Domain,
) -> Result<RestoredShare, Error> {
    let read = read(path, path, partition, domain);
    let refused = match agree(domain, read)? {
        Ok(Read { note, share, is_own }) => {
            return Ok(RestoredShare { note, share, is_own, file: path.into(), refused: None });
        }
        Err(error) => error,
    };
    let file = previous(path);
    let read = self::read(&file, path, partition, domain);
    match agree(domain, read)? {
        Ok(Read { note, share, is_own }) => {
            Ok(RestoredShare { note, share, is_own, file, refused: Some(refused) })
        }
        Err(_) => Err(refused),
    }
}

/// Whether all ranks have succeeded: the result of this one, or that another has failed.
fn agree<T>(domain: &mut impl Domain, result: Result<T, Error>) -> Result<Result<T, Error>, Error> {
    let mut failed = [if result.is_ok() { 0.0 } else { 1.0 }];
    domain.largest(&mut failed)?;
    Ok(match result {
        Ok(_) if failed[0] > 0.0 => Err(Error::Elsewhere),
        result => result,
    })
}

/// What this rank has read.
struct Read {
    note: String,
    share: Share,
    is_own: bool,
}

/// Note and share of this rank from the list or world in `file`; `path` is where the newest list is.
fn read(
    file: &Path,
    path: &Path,
    partition: &Partition,
    domain: &impl Domain,
) -> Result<Read, Error> {
    let (rank, size) = (domain.rank(), domain.size());
    let damaged = |path: &Path| {
        let path = path.to_owned();
        move |fault| Error::Damaged { path, fault }
    };
    let bytes = fs::read(file).map_err(|source| access(file, source))?;
    let (version, _) = unpack(&bytes).map_err(damaged(file))?;
    if is_world(version) {
        let Checkpoint { note, state } = decode(&bytes).map_err(damaged(file))?;
        let whole = Share::alone(state);
        let share = match size {
            1 => whole,
            _ => assemble(rank, partition, 1, &|_| Ok(whole.clone()))?,
        };
        return Ok(Read { note, share, is_own: size == 1 });
    }
    let List { note, serial, ranks } = decode_list(&bytes).map_err(damaged(file))?;
    let share = |rank: u64| {
        let part = part(path, serial, rank);
        let bytes = fs::read(&part).map_err(|source| access(&part, source))?;
        decode_part(&bytes).map_err(damaged(&part))
    };
    if ranks == size as u64 {
        return Ok(Read { note, share: share(rank as u64)?, is_own: true });
    }
    let share = assemble(rank, partition, ranks, &share)?;
    Ok(Read { note, share, is_own: false })
}

/// The share of a rank with its box of a new partition, from the shares of `count` former ranks.
///
/// Its pairs are those that had an impulse, in one slab, for the search that the next step makes.
fn assemble(
    rank: usize,
    partition: &Partition,
    count: u64,
    share: &dyn Fn(u64) -> Result<Share, Error>,
) -> Result<Share, Error> {
    let mut own: BTreeMap<u64, Row> = BTreeMap::new();
    let mut head = None;
    for former in 0..count {
        let Share { state, borrowed, .. } = share(former)?;
        let ghosts = ghosts(&borrowed);
        for (place, identity) in state.identities.iter().enumerate() {
            let here = partition.owner(&state.positions[place].into()) == rank;
            if here && ghosts.binary_search(identity).is_err() {
                own.insert(*identity, Row::of(&state, place));
            }
        }
        head.get_or_insert(emptied(state));
    }
    let mut copies: BTreeMap<u64, Row> = BTreeMap::new();
    let mut pairs: Vec<Across<u64>> = Vec::new();
    let mut wall_pairs: Vec<(GrainAndWall, [[f64; 3]; 2])> = Vec::new();
    for former in 0..count {
        let Share { state, .. } = share(former)?;
        // Places in pairs are those at the last search.
        let known: BTreeMap<u32, usize> =
            state.previous.iter().enumerate().map(|(now, then)| (*then, now)).collect();
        for Across { grains, node, impulse, moment } in listed(&state) {
            let [Some(a), Some(b)] = grains.map(|place| known.get(&place).copied()) else {
                continue;
            };
            let [one, other] = [a, b].map(|place| state.identities[place]);
            if is_zero(&impulse) || !own.contains_key(&one.min(other)) {
                continue;
            }
            let partner = if one < other { b } else { a };
            if !own.contains_key(&one.max(other)) {
                copies.insert(one.max(other), Row::of(&state, partner));
            }
            pairs.push(Across { grains: [one, other], node, impulse, moment }.ascending());
        }
        let moments = padded(&state.wall_moments);
        let walls = state.wall_pairs.iter().zip(&state.wall_impulses).zip(moments);
        for (([place, wall], impulse), moment) in walls {
            let Some(&now) = known.get(place) else { continue };
            let identity = state.identities[now];
            if !is_zero(impulse) && own.contains_key(&identity) {
                wall_pairs.push(((identity, *wall), [*impulse, moment]));
            }
        }
    }
    wall_pairs.sort_unstable_by_key(|(key, _)| *key);
    let Some(mut state) = head else {
        return Err(Error::Damaged {
            path: PathBuf::new(),
            fault: Fault::Entry { entry: "parts" },
        });
    };
    let mut places = BTreeMap::new();
    for (place, (identity, row)) in (0_u32..).zip(own.iter().chain(&copies)) {
        row.put(&mut state, *identity, place);
        places.insert(*identity, place);
    }
    put_pairs(&mut state, &pairs, &places);
    let roll = state.materials.roll();
    for ((identity, wall), [impulse, moment]) in wall_pairs {
        state.wall_pairs.push([places[&identity], wall]);
        state.wall_impulses.push(impulse);
        state.wall_moments.extend(roll.then_some(moment));
    }
    state.slabs =
        vec![[state.identities.len(), state.pairs.len(), state.wall_pairs.len()].map(narrow)];
    let identities: Vec<u64> = copies.into_keys().collect();
    // Whose grains these are the search finds out.
    let borrowed = match identities.is_empty() {
        true => Vec::new(),
        false => vec![Lane { rank, identities }],
    };
    let (lent, copies) = (Vec::new(), Vec::new());
    Ok(Share { state, partition: partition.clone(), lent, borrowed, copies })
}

/// Identity of a grain, and a wall.
type GrainAndWall = (u64, u32);

/// A pair of grains, by identities or places, with the image of the second grain, zero for that in the box.
struct Across<G> {
    grains: [G; 2],
    node: [i8; 3],
    /// On the first grain, as the moment.
    impulse: [f64; 3],
    moment: [f64; 3],
}

impl<G: Ord> Across<G> {
    /// The same pair with the smaller grain first.
    fn ascending(self) -> Self {
        let Self { grains: [a, b], node, impulse, moment } = self;
        if a < b {
            return Self { grains: [a, b], node, impulse, moment };
        }
        let [impulse, moment] = [impulse, moment].map(|vector| vector.map(|part| -part));
        Self { grains: [b, a], node: node.map(|steps| -steps), impulse, moment }
    }
}

/// Adds pairs by identities to the state, in the order of their places.
fn put_pairs(state: &mut State, pairs: &[Across<u64>], places: &BTreeMap<u64, u32>) {
    let placed = |pair: &Across<u64>| {
        let grains = pair.grains.map(|identity| places[&identity]);
        Across { grains, node: pair.node, impulse: pair.impulse, moment: pair.moment }.ascending()
    };
    let mut pairs: Vec<Across<u32>> = pairs.iter().map(placed).collect();
    pairs.sort_unstable_by_key(|pair| (pair.grains, pair.node));
    let roll = state.materials.roll();
    for Across { grains, node, impulse, moment } in pairs {
        if node == [0; 3] {
            state.pairs.push(grains);
            state.impulses.push(impulse);
            state.moments.extend(roll.then_some(moment));
        } else {
            state.image_pairs.push(grains);
            state.image_nodes.push(node);
            state.image_impulses.push(impulse);
            state.image_moments.extend(roll.then_some(moment));
        }
    }
}

/// The pairs of a state by places, within the box and then across its faces.
fn listed(state: &State) -> impl Iterator<Item = Across<u32>> {
    let inside = state.pairs.iter().zip(&state.impulses).zip(padded(&state.moments));
    let inside = inside.map(|((pair, impulse), moment)| (pair, &[0; 3], impulse, moment));
    let images = state.image_pairs.iter().zip(&state.image_nodes).zip(&state.image_impulses);
    let images = images.zip(padded(&state.image_moments));
    let images = images.map(|(((pair, node), impulse), moment)| (pair, node, impulse, moment));
    inside.chain(images).map(|(pair, node, impulse, moment)| Across {
        grains: *pair,
        node: *node,
        impulse: *impulse,
        moment,
    })
}

/// Moments, and zeros where there are none.
fn padded(moments: &[[f64; 3]]) -> impl Iterator<Item = [f64; 3]> + '_ {
    moments.iter().copied().chain(iter::repeat([0.0; 3]))
}

fn is_zero(impulse: &[f64; 3]) -> bool {
    impulse.iter().all(|part| *part == 0.0)
}

/// The data of one grain of a state.
struct Row {
    position: [f64; 3],
    orientation: [f64; 4],
    velocity: [f64; 3],
    spin: [f64; 3],
    yields: [f64; 2],
    radius: f64,
    material: u8,
}

impl Row {
    fn of(state: &State, place: usize) -> Self {
        Self {
            position: state.positions[place],
            orientation: state.orientations[place],
            velocity: state.velocities[place],
            spin: state.spins[place],
            yields: state.yields[place],
            radius: state.radii[place],
            material: state.grain_materials[place],
        }
    }

    fn put(&self, state: &mut State, identity: u64, place: u32) {
        state.positions.push(self.position);
        state.orientations.push(self.orientation);
        state.velocities.push(self.velocity);
        state.spins.push(self.spin);
        state.yields.push(self.yields);
        state.radii.push(self.radius);
        state.grain_materials.push(self.material);
        state.identities.push(identity);
        state.previous.push(place);
    }
}

/// A state without grains and pairs, whose list of pairs is not valid.
fn emptied(state: State) -> State {
    let State {
        settings, walls, materials, servos, periods, skin, next_identity, steps, time, ..
    } = state;
    let empty = State::empty(settings, walls, materials);
    State { servos, periods, skin, next_identity, steps, time, ..empty }
}

fn ghosts(borrowed: &[Lane]) -> Vec<u64> {
    let mut ghosts: Vec<u64> = borrowed.iter().flat_map(|lane| &lane.identities).copied().collect();
    ghosts.sort_unstable();
    ghosts
}

/// The folder of the parts of the checkpoint at `path`.
fn folder(path: &Path) -> PathBuf {
    beside(path, ".parts")
}

fn part(path: &Path, serial: u64, rank: u64) -> PathBuf {
    folder(path).join(format!("{serial}-{rank}"))
}

/// The serial numbers of the parts that are there, and their files.
fn parts(path: &Path) -> Vec<(u64, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder(path)) else { return Vec::new() };
    let part = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        entry.file_type().ok().filter(fs::FileType::is_file)?;
        let name = entry.file_name().into_string().ok()?;
        let (serial, _) = name.split_once('-')?;
        Some((serial.parse().ok()?, entry.path()))
    };
    entries.filter_map(part).collect()
}

/// A number that no part has.
fn next_serial(path: &Path) -> u64 {
    parts(path).iter().map(|(serial, _)| serial + 1).max().unwrap_or_default()
}

/// Deletes the parts that neither list names; what cannot be deleted is tried again the next time.
fn clean(path: &Path) {
    let serial = |file: &Path| {
        let bytes = fs::read(file).ok()?;
        decode_list(&bytes).ok().map(|list| list.serial)
    };
    let named = [serial(path), serial(&previous(path))];
    for (serial, file) in parts(path) {
        if !named.contains(&Some(serial)) {
            let _ = fs::remove_file(file);
        }
    }
}

fn encode_list(list: &List) -> Vec<u8> {
    let mut bytes = Writer::default();
    bytes.list(list.note.as_bytes(), |bytes, byte| bytes.put([*byte]));
    bytes.put(list.serial.to_le_bytes());
    bytes.put(list.ranks.to_le_bytes());
    pack(LIST, &bytes.0)
}

fn decode_list(file: &[u8]) -> Result<List, Fault> {
    let bytes = &mut Reader(entries(file, LIST)?);
    let note = entry("note", bytes.list(1, Reader::byte))?;
    let note = entry("note", String::from_utf8(note).ok())?;
    let serial = entry("serial", bytes.long())?;
    Ok(List { note, serial, ranks: entry("ranks", bytes.long())? })
}

fn encode_part(note: &str, share: Share) -> Vec<u8> {
    let Share { state, partition, lent, borrowed, copies } = share;
    let mut bytes = Writer::default();
    let (counts, cuts) = partition.cuts();
    counts.iter().for_each(|count| bytes.put((*count as u64).to_le_bytes()));
    cuts.iter().for_each(|cuts| bytes.list(cuts, |bytes, cut| bytes.number(*cut)));
    for lanes in [lent, borrowed] {
        bytes.list(&lanes, |bytes, lane| {
            bytes.put((lane.rank as u64).to_le_bytes());
            bytes.list(&lane.identities, |bytes, identity| bytes.put(identity.to_le_bytes()));
        });
    }
    bytes.list(&copies, |bytes, copy| copy.iter().for_each(|word| bytes.put(word.to_le_bytes())));
    let world = encode(&Checkpoint { note: note.to_owned(), state });
    bytes.0.extend(world);
    pack(PART, &bytes.0)
}

fn decode_part(file: &[u8]) -> Result<Share, Fault> {
    let bytes = &mut Reader(entries(file, PART)?);
    let count = |bytes: &mut Reader<'_>| usize::try_from(bytes.long()?).ok();
    let mut counts = [0; 3];
    for number in &mut counts {
        *number = entry("boxes", count(bytes))?;
    }
    let mut cuts = [const { Vec::new() }; 3];
    for cuts in &mut cuts {
        *cuts = entry("cuts", bytes.list(8, Reader::number))?;
    }
    let partition = entry("cuts", Partition::nested(counts, cuts).ok())?;
    let mut lanes = || {
        entry(
            "lanes",
            bytes.list(16, |bytes| {
                Some(Lane { rank: count(bytes)?, identities: bytes.list(8, Reader::long)? })
            }),
        )
    };
    let (lent, borrowed) = (lanes()?, lanes()?);
    let ranks = partition.len();
    let known = lent.iter().chain(&borrowed).all(|lane| lane.rank < ranks);
    entry("lanes", known.then_some(()))?;
    let copies = entry("copies", bytes.list(16, |bytes| Some([bytes.long()?, bytes.long()?])))?;
    let Checkpoint { state, .. } = decode(bytes.0)?;
    Ok(Share { state, partition, lent, borrowed, copies })
}
