//! The directory of a run, to which only this process writes: [`Directory`].

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use percussion_granular::{
    Report, World,
    checkpoint::{self, Checkpoint, Error, Lock},
};
use percussion_record::view::View;
use percussion_report::{atomic, viewer};

use super::{course::Course, picture};
use crate::output::prepare_directory;

/// Names of the written files.
const CHECKPOINT: &str = "grains.checkpoint";
const COURSE: &str = "course.csv";

/// The table of the course, checkpoints and pictures of one run.
pub(super) struct Directory {
    path: PathBuf,
    /// Text that identifies this run.
    note: String,
    course: Course,
    /// Held until the run has ended; `None` if the file system has no locks.
    _lock: Option<Lock>,
}

impl Directory {
    /// Opens `path` for the run that `note` describes, and with `resume` returns the world of its last checkpoint.
    ///
    /// Returns an error if another process writes to the directory, or if it contains a run that is not resumed.
    pub(super) fn open(path: &Path, note: String, resume: bool) -> Result<(Self, Option<World>)> {
        prepare_directory(path)?;
        let lock = lock(path)?;
        let file = path.join(CHECKPOINT);
        let world = if resume {
            Some(last_world(&file, &note)?)
        } else {
            // A run that was killed between its two renames leaves only its second-to-last checkpoint.
            for file in [&file, &checkpoint::previous(&file)] {
                ensure!(
                    !is_there(file)?,
                    "`{}` already contains a run (`{}`), expected `--resume` or another directory",
                    path.display(),
                    file.file_name().unwrap_or_default().display()
                );
            }
            None
        };
        let steps = world.as_ref().map_or(0, World::steps);
        let course = Course::open(&path.join(COURSE), steps)?;
        Ok((Self { path: path.into(), note, course, _lock: lock }, world))
    }

    /// Adds the last step of `world` to the table.
    pub(super) fn add(&mut self, world: &World, report: &Report) -> Result<()> {
        self.course.add(world, report)
    }

    /// Flushes the table to the disk and then writes a checkpoint.
    pub(super) fn save(&mut self, world: &World) -> Result<()> {
        self.course.flush()?;
        let checkpoint = Checkpoint { note: self.note.clone(), state: world.state() };
        Ok(checkpoint::save(&self.path.join(CHECKPOINT), &checkpoint)?)
    }

    /// Flushes the table to the disk.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.course.flush()
    }

    /// Writes a picture for `ParaView`.
    pub(super) fn picture(&self, world: &World) -> Result<()> {
        let name = format!("grains-{:09}.vtk", world.steps());
        Ok(atomic::write(&self.path.join(name), &picture(world))?)
    }

    /// Writes the page that plays the run and its data, and returns their names.
    pub(super) fn page(&self, view: &View) -> Result<Vec<PathBuf>> {
        Ok(viewer::write(&self.path, view)?.to_vec())
    }
}

/// Acquires the lock of the directory and removes temporary files of killed runs.
fn lock(path: &Path) -> Result<Option<Lock>> {
    let lock = match Lock::take(path) {
        Ok(lock) => lock,
        Err(Error::Access { source, .. }) if source.kind() == ErrorKind::Unsupported => {
            tracing::warn!(
                "the file system of `{}` has no locks: do not start a second run there",
                path.display()
            );
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let count = lock.remove_leftovers()?;
    if count > 0 {
        tracing::info!(count, "removed temporary files of runs that were killed");
    }
    Ok(Some(lock))
}

/// Whether `path` exists; this must be known before it may be overwritten.
fn is_there(path: &Path) -> Result<bool> {
    path.try_exists().with_context(|| format!("cannot read `{}`", path.display()))
}

/// The world of the last usable checkpoint.
fn last_world(path: &Path, note: &str) -> Result<World> {
    let restored = checkpoint::restore(path)?;
    let found = &restored.checkpoint.note;
    ensure!(
        found == note,
        "`{}` belongs to another run: {found}, expected {note}",
        restored.file.display()
    );
    if let Some(refused) = &restored.refused {
        tracing::warn!("{refused}; continuing from `{}`", restored.file.display());
    }
    if let Some(aside) = restored.set_aside(path)? {
        tracing::warn!("the damaged checkpoint is kept as `{}`", aside.display());
    }
    World::from_state(restored.checkpoint.state)
        .with_context(|| restored.file.display().to_string())
}
