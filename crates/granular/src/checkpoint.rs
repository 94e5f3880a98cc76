//! Worlds on disk: [`save`] and [`restore`] a [`Checkpoint`].
//!
//! A file is written next to its final place, flushed to the disk and renamed, and the previous file is kept
//! under the name `….previous`. If a run is killed, one of the two is complete at any moment. A file that is
//! truncated or damaged is recognized by its length and checksum and refused; [`restore`] then takes the
//! previous one. [`Lock`] keeps a second process from writing to the same directory.
//!
//! The ranks of a [decomposed](crate::decomposition) world save and restore theirs by [`save_together`] and
//! [`restore_together`]: each rank has a file of its own, and any other number of ranks can continue.
//!
//! # Format
//!
//! All data are little-endian: the eight bytes `percgran`, the version (`u32`), the length of the rest
//! without the checksum in bytes (`u64`), the entries of the checkpoint in the order of their declaration,
//! and the CRC-32 of the entries (`u32`). A list is its number of entries (`u64`) and the entries; a text is
//! the list of its bytes in UTF-8. Numbers keep their bits, so that a restored world continues with the same
//! bits. The file of a world that [repeats itself](crate::Periods) has version 4 and in addition the box (corner, for each
//! axis whether it repeats and the edge, shear, offset) and its pairs, nodes and impulses across the faces. The file of a world
//! with [`Materials`] or servos has version 5 and in addition whether it repeats itself, then the same, and the speed
//! below which contacts are inelastic, the table, the materials of grains and walls, the [`Servo`](crate::Servo)s, and the moments of
//! pairs of grains, with walls and across faces, which are empty where nothing resists rolling. The file of a
//! [`Collection`](crate::Collection) has version 6 and in addition to version 5 its [`BodyState`](crate::bodies::BodyState).

#[cfg(feature = "bodies")]
mod bodies;
mod bytes;
mod extras;
mod images;
mod lock;
mod parts;
mod sums;
mod walls;

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

pub use self::{
    lock::Lock,
    parts::{RestoredShare, restore_together, save_together},
    sums::{restore_sums, save_sums},
};

use self::bytes::{Reader, Writer};
use crate::{Correction, Materials, Settings, State};

const MAGIC: [u8; 8] = *b"percgran";
const VERSION: u32 = 1;
/// Version of the file of a periodic world.
const PERIODIC: u32 = 4;
/// Version of the file of a world with materials or servos.
const EXTENDED: u32 = 5;
/// Version of the file of a collection of bodies.
#[cfg(feature = "bodies")]
const BODIES: u32 = 6;
/// Magic, version and length.
const HEAD: usize = 20;
/// Checksum.
const TAIL: usize = 4;

/// Content of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Data of the caller, such as the parameters of the scene.
    pub note: String,
    /// The world.
    pub state: State,
}

/// A checkpoint that was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Restored {
    /// Content of the file.
    pub checkpoint: Checkpoint,
    /// The file.
    pub file: PathBuf,
    /// Error of a newer file that was skipped.
    pub refused: Option<Error>,
}

/// Reasons why a checkpoint cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation of the operating system failed.
    #[error("cannot access `{}`: {source}", path.display())]
    Access {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file is not a checkpoint, or is incomplete.
    #[error("`{}` is no usable checkpoint: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Kind of damage.
        fault: Fault,
    },
    /// Another process writes to the directory, or another [`Lock`] of this process is for it.
    #[error(
        "`{}` is in use by {}, expected a directory that no other run writes to; \
         wait until that run has ended or choose another directory",
        directory.display(),
        process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
    )]
    InUse {
        /// The directory.
        directory: PathBuf,
        /// Identifier of the process that holds the lock, where it is known.
        process: Option<u32>,
    },
    /// This rank has done its part, but another rank could not.
    #[error("another rank cannot write or read its part of the checkpoint")]
    Elsewhere,
    /// Another rank does not respond.
    #[error(transparent)]
    Exchange(#[from] crate::Error),
}

/// Kinds of damage of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It does not begin with the magic bytes.
    #[error("it does not begin with `percgran`")]
    Magic,
    /// It was written by another version of the program.
    #[error("its format has version {found}, expected {VERSION}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// It was truncated or extended.
    #[error("it has {found} bytes, expected {expected}")]
    Length {
        /// Number of bytes found.
        found: u64,
        /// Number of bytes according to its head.
        expected: u64,
    },
    /// It was damaged.
    #[error("its checksum is {found:08x}, expected {expected:08x}")]
    Checksum {
        /// Checksum of the bytes found.
        found: u32,
        /// Checksum that was written.
        expected: u32,
    },
    /// It does not belong to the checkpoint that is continued.
    #[error("it belongs to step {found}, expected step {expected}")]
    Step {
        /// Number of steps after which it was written.
        found: u64,
        /// Number of steps of the checkpoint.
        expected: u64,
    },
    /// The checksum is correct but the entries are invalid.
    #[error("its entry `{entry}` cannot be read")]
    Entry {
        /// The entry.
        entry: &'static str,
    },
}

/// Writes `checkpoint` to `path` and keeps the file that was there as `….previous`.
///
/// # Errors
///
/// [`Error::Access`]. The previous files are then unchanged, or the newer of them has become `….previous`.
///
/// # Example
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Grain, Settings, World, checkpoint::{self, Checkpoint}};
///
/// let mut world = World::new(Settings::default(), vec![])?;
/// world.add(&Grain::at(Vector3::zeros(), 0.1, 1.0))?;
/// world.step()?;
/// let directory = tempfile::tempdir()?;
/// let file = directory.path().join("fall.checkpoint");
/// checkpoint::save(&file, &Checkpoint { note: "a fall".into(), state: world.state() })?;
///
/// let restored = checkpoint::restore(&file)?;
/// let mut twin = World::from_state(restored.checkpoint.state)?;
/// world.step()?;
/// twin.step()?;
/// assert_eq!(world.grains(), twin.grains());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save(path: &Path, checkpoint: &Checkpoint) -> Result<(), Error> {
    replace(path, &encode(checkpoint)).map_err(|source| access(path, source))
}

/// Reads the checkpoint at `path` or, if that is missing or damaged, the previous one.
///
/// # Errors
///
/// [`Error`] of the newer file if neither is usable.
pub fn restore(path: &Path) -> Result<Restored, Error> {
    let refused = match read(path) {
        Ok(checkpoint) => return Ok(Restored { checkpoint, file: path.into(), refused: None }),
        Err(error) => error,
    };
    let file = previous(path);
    match read(&file) {
        Ok(checkpoint) => Ok(Restored { checkpoint, file, refused: Some(refused) }),
        Err(_) => Err(refused),
    }
}

impl Restored {
    /// Renames the newer file that was skipped, if there is one, to `….damaged` and returns the new name.
    ///
    /// Without this the next [`save`] would replace the good previous file by the damaged one, and a run
    /// killed at that moment would leave no usable checkpoint.
    ///
    /// # Errors
    ///
    /// [`Error::Access`].
    pub fn set_aside(&self, path: &Path) -> Result<Option<PathBuf>, Error> {
        if !matches!(self.refused, Some(Error::Damaged { .. })) {
            return Ok(None);
        }
        put_aside(path)
    }
}

fn put_aside(path: &Path) -> Result<Option<PathBuf>, Error> {
    let aside = beside(path, ".damaged");
    fs::rename(path, &aside).map_err(|source| access(path, source))?;
    Ok(Some(aside))
}

/// Path of the previous checkpoint of the one at `path`.
#[must_use]
pub fn previous(path: &Path) -> PathBuf {
    beside(path, ".previous")
}

/// `path` with `ending` added to its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// The bytes of a file.
#[must_use]
pub fn encode(checkpoint: &Checkpoint) -> Vec<u8> {
    let Checkpoint { note, state } = checkpoint;
    let mut bytes = Writer::default();
    bytes.list(note.as_bytes(), |bytes, byte| bytes.put([*byte]));
    put_settings(&mut bytes, &state.settings);
    bytes.list(&state.walls, walls::put);
    bytes.lists_of_numbers(&state.positions);
    bytes.lists_of_numbers(&state.orientations);
    bytes.lists_of_numbers(&state.velocities);
    bytes.lists_of_numbers(&state.spins);
    bytes.lists_of_numbers(&state.yields);
    bytes.list(&state.radii, |bytes, radius| bytes.number(*radius));
    bytes.list(&state.identities, |bytes, identity| bytes.put(identity.to_le_bytes()));
    bytes.list(&state.previous, |bytes, place| bytes.put(place.to_le_bytes()));
    bytes.lists_of_places(&state.slabs);
    bytes.lists_of_places(&state.pairs);
    bytes.lists_of_numbers(&state.impulses);
    bytes.lists_of_places(&state.wall_pairs);
    bytes.lists_of_numbers(&state.wall_impulses);
    bytes.numbers(&state.skin);
    bytes.put([u8::from(state.current)]);
    bytes.put(state.next_identity.to_le_bytes());
    bytes.put(state.steps.to_le_bytes());
    bytes.number(state.time);
    #[cfg(feature = "bodies")]
    if let Some(shaped) = &state.bodies {
        extras::put(&mut bytes, state);
        bodies::put(&mut bytes, shaped);
        return pack(BODIES, &bytes.0);
    }
    if !extras::is_plain(state) {
        extras::put(&mut bytes, state);
        return pack(EXTENDED, &bytes.0);
    }
    let Some(periods) = &state.periods else { return pack(VERSION, &bytes.0) };
    images::put(&mut bytes, periods, state);
    pack(PERIODIC, &bytes.0)
}

/// A file of entries.
fn pack(version: u32, entries: &[u8]) -> Vec<u8> {
    let mut file = Vec::with_capacity(HEAD + entries.len() + TAIL);
    file.extend(MAGIC);
    file.extend(version.to_le_bytes());
    file.extend((entries.len() as u64).to_le_bytes());
    file.extend(entries);
    file.extend(crc32fast::hash(entries).to_le_bytes());
    file
}

/// The version and the entries of a file, which is whole.
fn unpack(file: &[u8]) -> Result<(u32, &[u8]), Fault> {
    let mut head = Reader(file);
    if head.take().ok_or(Fault::Magic)? != MAGIC {
        return Err(Fault::Magic);
    }
    let found = file.len() as u64;
    let short = Fault::Length { found, expected: (HEAD + TAIL) as u64 };
    let version = u32::from_le_bytes(head.take().ok_or(short)?);
    let length = u64::from_le_bytes(head.take().ok_or(short)?);
    let expected = length.saturating_add((HEAD + TAIL) as u64);
    if found != expected {
        return Err(Fault::Length { found, expected });
    }
    let (entries, mut tail) = (&file[HEAD..file.len() - TAIL], Reader(&file[file.len() - TAIL..]));
    let expected = u32::from_le_bytes(tail.take().ok_or(short)?);
    let found = crc32fast::hash(entries);
    if found != expected {
        return Err(Fault::Checksum { found, expected });
    }
    Ok((version, entries))
}

/// Whether a file of this version is that of a world.
const fn is_world(version: u32) -> bool {
    #[cfg(feature = "bodies")]
    if version == BODIES {
        return true;
    }
    matches!(version, VERSION | PERIODIC | EXTENDED)
}

/// The entries of a file of this version.
fn entries(file: &[u8], version: u32) -> Result<&[u8], Fault> {
    match unpack(file)? {
        (found, entries) if found == version => Ok(entries),
        (found, _) => Err(Fault::Version { found }),
    }
}

/// Decodes the checkpoint in a file with these bytes.
///
/// [`World::from_state`](crate::World::from_state) checks that its lists are consistent.
///
/// # Errors
///
/// [`Fault`].
pub fn decode(file: &[u8]) -> Result<Checkpoint, Fault> {
    let (version, entries) = unpack(file)?;
    if !is_world(version) {
        return Err(Fault::Version { found: version });
    }
    let bytes = &mut Reader(entries);
    let note = entry("note", bytes.list(1, Reader::byte))?;
    let note = entry("note", String::from_utf8(note).ok())?;
    let settings = entry("settings", settings(bytes))?;
    let walls = entry("walls", bytes.list(1, walls::take))?;
    let mut state = State {
        positions: entry("positions", bytes.lists_of_numbers())?,
        orientations: entry("orientations", bytes.lists_of_numbers())?,
        velocities: entry("velocities", bytes.lists_of_numbers())?,
        spins: entry("spins", bytes.lists_of_numbers())?,
        yields: entry("yields", bytes.lists_of_numbers())?,
        radii: entry("radii", bytes.list(8, Reader::number))?,
        identities: entry("identities", bytes.list(8, Reader::long))?,
        previous: entry("previous", bytes.list(4, Reader::place))?,
        slabs: entry("slabs", bytes.lists_of_places())?,
        pairs: entry("pairs", bytes.lists_of_places())?,
        impulses: entry("impulses", bytes.lists_of_numbers())?,
        wall_pairs: entry("wall_pairs", bytes.lists_of_places())?,
        wall_impulses: entry("wall_impulses", bytes.lists_of_numbers())?,
        skin: entry("skin", bytes.numbers())?,
        current: entry("current", bytes.flag())?,
        next_identity: entry("next_identity", bytes.long())?,
        steps: entry("steps", bytes.long())?,
        time: entry("time", bytes.number())?,
        ..State::empty(settings, walls, Materials::default())
    };
    state.grain_materials = vec![0; state.positions.len()];
    match version {
        PERIODIC => images::take(bytes, &mut state)?,
        EXTENDED => extras::take(bytes, &mut state)?,
        #[cfg(feature = "bodies")]
        BODIES => {
            extras::take(bytes, &mut state)?;
            state.bodies = Some(Box::new(entry("bodies", bodies::take(bytes))?));
        }
        _ => {}
    }
    if bytes.0.is_empty() {
        Ok(Checkpoint { note, state })
    } else {
        Err(Fault::Entry { entry: "time" })
    }
}

fn entry<T>(entry: &'static str, value: Option<T>) -> Result<T, Fault> {
    value.ok_or(Fault::Entry { entry })
}

fn put_settings(bytes: &mut Writer, settings: &Settings) {
    let Settings { step_size, gravity, friction, correction, max_sweeps, tolerance, skin } =
        settings;
    bytes.number(*step_size);
    bytes.vector(gravity);
    bytes.number(*friction);
    match *correction {
        Correction::Position { part, sweeps } => {
            bytes.put([0]);
            bytes.number(part);
            bytes.put((sweeps as u64).to_le_bytes());
        }
        Correction::Velocity { part } => {
            bytes.put([1]);
            bytes.number(part);
        }
    }
    bytes.put((*max_sweeps as u64).to_le_bytes());
    bytes.number(*tolerance);
    bytes.number(*skin);
}

fn settings(bytes: &mut Reader<'_>) -> Option<Settings> {
    let whole = |bytes: &mut Reader<'_>| usize::try_from(bytes.long()?).ok();
    Some(Settings {
        step_size: bytes.number()?,
        gravity: bytes.vector()?,
        friction: bytes.number()?,
        correction: match bytes.byte()? {
            0 => Correction::Position { part: bytes.number()?, sweeps: whole(bytes)? },
            1 => Correction::Velocity { part: bytes.number()? },
            _ => return None,
        },
        max_sweeps: whole(bytes)?,
        tolerance: bytes.number()?,
        skin: bytes.number()?,
    })
}

fn read(path: &Path) -> Result<Checkpoint, Error> {
    let file = fs::read(path).map_err(|source| access(path, source))?;
    decode(&file).map_err(|fault| Error::Damaged { path: path.into(), fault })
}

fn access(path: &Path, source: io::Error) -> Error {
    Error::Access { path: path.into(), source }
}

fn replace(path: &Path, file: &[u8]) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut new = tempfile::Builder::new().prefix(lock::TEMPORARY).tempfile_in(directory)?;
    // The lock marks the file as being written, so that it is not taken for a leftover of a killed run.
    let _ = new.as_file().try_lock();
    new.write_all(file)?;
    new.as_file().sync_all()?;
    match fs::rename(path, previous(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    new.persist(path)?;
    // The names are on the disk when their directory is flushed; not every system can flush one.
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
    Ok(())
}
