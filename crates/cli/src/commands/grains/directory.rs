//! The directory of a run, to which only this process writes: [`Directory`].

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use percussion_granular::{
    Report, World,
    checkpoint::{self, Checkpoint, Error, Lock},
};
use percussion_mechanism::{grains::Measures, view::GrainFilm};
use percussion_record::view::View;
use percussion_report::{atomic, viewer};

use super::{
    Sums,
    course::Course,
    picture,
    statistics::{self, StatisticsFile},
};
use crate::output::prepare_directory;

/// Names of the written files.
const CHECKPOINT: &str = "grains.checkpoint";
const COURSE: &str = "course.csv";
const FILM: &str = "grains.film";

/// The table of the course, checkpoints and pictures of one run.
pub(super) struct Directory {
    path: PathBuf,
    /// Text that identifies this run.
    note: String,
    course: Course,
    statistics: Option<StatisticsFile>,
    /// Held until the run has ended; `None` if the file system has no locks.
    _lock: Option<Lock>,
}

impl Directory {
    /// Opens `path` for the run that `note` describes, and with `resume` returns the world of its last checkpoint.
    ///
    /// Returns an error if another process writes to the directory, or if it contains a run that is not resumed. The
    /// steps of the earlier run are added to `sums`.
    pub(super) fn open(
        path: &Path,
        note: String,
        resume: bool,
        sums: &mut Sums,
    ) -> Result<(Self, Option<World>)> {
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
        let course = Course::open(&path.join(COURSE), steps, &mut |line| sums.add_line(line))?;
        Ok((Self { path: path.into(), note, course, statistics: None, _lock: lock }, world))
    }

    /// Opens the table of what is measured, with the lines of a former run until the time of `world`.
    pub(super) fn measure(&mut self, measures: &mut Measures, world: &World) -> Result<()> {
        self.statistics = Some(StatisticsFile::open(&self.path, measures, world.time())?);
        Ok(())
    }

    /// Adds the last step of `world` to the table, and a line to that of what is measured.
    pub(super) fn add(
        &mut self,
        world: &World,
        report: &Report,
        line: Option<&[f64]>,
    ) -> Result<()> {
        if let (Some(statistics), Some(line)) = (&mut self.statistics, line) {
            statistics.add(line)?;
        }
        self.course.add(world, report)
    }

    /// Replaces what `film` has by what was filmed until the world was saved, where that is known.
    pub(super) fn film(&self, film: &mut GrainFilm, world: &World) {
        let file = self.path.join(FILM);
        let read = fs::read(&file).is_ok_and(|bytes| film.restore(&bytes, world.steps()));
        if !read {
            tracing::warn!(
                "`{}` is missing or damaged: the page plays only what follows",
                file.display()
            );
            film.restart(world);
        }
    }

    /// Brings the table and the film to the disk and then writes a checkpoint.
    pub(super) fn save(&mut self, world: &World, film: &GrainFilm) -> Result<()> {
        self.course.flush()?;
        atomic::write(&self.path.join(FILM), &film.to_bytes())?;
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

    /// Writes the page that plays the run and its data, and what was measured, and returns their names.
    pub(super) fn results(
        &self,
        view: &mut View,
        measures: Option<&Measures>,
    ) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        if let Some(measures) = measures {
            statistics::add_curves(view, measures);
            files = statistics::write(&self.path, measures)?;
        }
        files.splice(0..0, viewer::write(&self.path, view)?);
        Ok(files)
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
