//! The directory of a run, to which only this process writes: [`Directory`].

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use percussion_granular::{
    Domain,
    checkpoint::{self, Error, Lock},
};
use percussion_mechanism::{grains::Measures, view::GrainFilm};
use percussion_record::view::View;
use percussion_report::{atomic, viewer, vtk};

use super::{
    IMBALANCE_LIMIT, Machine, Sums, Totals,
    course::Course,
    picture::picture,
    ranks::{self, RanksFile},
    scene::Scene,
    statistics::{self, StatisticsFile},
};
use crate::output::prepare_directory;

/// Names of the written files.
const CHECKPOINT: &str = "grains.checkpoint";
const COURSE: &str = "course.csv";
const FILM: &str = "grains.film";
const SUMS: &str = "grains.statistics";

/// The table of the course, checkpoints and pictures of one run. Rank 0 writes all but its parts of pictures and checkpoints.
pub(super) struct Directory {
    path: PathBuf,
    /// Text that identifies this run.
    note: String,
    tables: Option<Tables>,
    /// Held until the run has ended; `None` if the file system has no locks.
    _lock: Option<Lock>,
}

/// What rank 0 writes line by line.
struct Tables {
    course: Course,
    statistics: Option<StatisticsFile>,
    ranks: Option<RanksFile>,
}

impl Directory {
    /// Opens `path` for the run that `note` describes, and with `resume` restores the domain of `scene` from its last
    /// checkpoint.
    ///
    /// Returns an error if another process writes to the directory, or if it contains a run that is not resumed. The
    /// steps of the earlier run are added to `sums`.
    pub(super) fn open<D: Domain>(
        path: &Path,
        note: String,
        resume: bool,
        scene: &mut Scene<D>,
        (sums, machine): (&mut Sums, &impl Machine<Domain = D>),
    ) -> Result<Self> {
        let first = machine.rank() == 0;
        let mut lock = None;
        if first {
            prepare_directory(path)?;
            lock = self::lock(path)?;
        }
        let file = path.join(CHECKPOINT);
        if resume {
            restore(&file, &note, scene)?;
        } else if first {
            // A run that was killed between its two renames leaves only its second-to-last checkpoint.
            for file in [&file, &checkpoint::previous(&file)] {
                ensure!(
                    !is_there(file)?,
                    "`{}` already contains a run (`{}`), expected `--resume` or another directory",
                    path.display(),
                    file.file_name().unwrap_or_default().display()
                );
            }
        }
        let steps = scene.world().steps();
        let mut tables = None;
        if first {
            let course = Course::open(&path.join(COURSE), steps, &mut |line| sums.add_line(line))?;
            let recorded = machine.is_recorded();
            let ranks = recorded.then(|| RanksFile::open(path, steps)).transpose()?;
            tables = Some(Tables { course, statistics: None, ranks });
        }
        Ok(Self { path: path.into(), note, tables, _lock: lock })
    }

    /// Opens the table of what is measured, with the lines of a former run until now, and with `resume` goes on from what
    /// that run has added up.
    pub(super) fn measure(
        &mut self,
        measures: &mut Measures,
        domain: &mut impl Domain,
        resume: bool,
    ) -> Result<()> {
        if let Some(tables) = &mut self.tables {
            let time = domain.world().time();
            tables.statistics = Some(StatisticsFile::open(&self.path, measures, time)?);
        }
        if resume {
            statistics::resume(&self.path.join(SUMS), measures, domain)?;
            // Of the two files the newer one may be of a checkpoint that is lost; it must not outlive this one.
            statistics::save(&self.path.join(SUMS), measures, domain)?;
        }
        Ok(())
    }

    /// Adds the last step to the table of steps, and `line` to the table of statistics.
    pub(super) fn add(&mut self, totals: &Totals, line: Option<&[f64]>) -> Result<()> {
        let Some(tables) = &mut self.tables else { return Ok(()) };
        if let (Some(statistics), Some(line)) = (&mut tables.statistics, line) {
            statistics.add(line)?;
        }
        if let Some(ranks) = &mut tables.ranks {
            ranks.count(totals);
        }
        tables.course.add(totals)
    }

    /// Adds how evenly the work is divided.
    pub(super) fn add_balance(
        &mut self,
        totals: &Totals,
        ranks: usize,
        balance: (f64, bool),
    ) -> Result<()> {
        let table = self.tables.as_mut().and_then(|tables| tables.ranks.as_mut());
        table.map_or(Ok(()), |table| table.add(totals, ranks, balance))
    }

    /// Replaces what `film` has by what was filmed until the world was saved, where that is known to all ranks.
    pub(super) fn film(&self, film: &mut GrainFilm, domain: &mut impl Domain) -> Result<()> {
        let file = self.path.join(FILM);
        let steps = domain.world().steps();
        let read = fs::read(&file).is_ok_and(|bytes| film.restore(&bytes, steps));
        let mut unread = [if read { 0.0 } else { 1.0 }];
        domain.largest(&mut unread)?;
        if unread[0] > 0.0 {
            tracing::warn!(
                "`{}` is missing or damaged: the page plays only what follows",
                file.display()
            );
            film.restart_all(domain)?;
        }
        Ok(())
    }

    /// Brings the tables, the film and what was added up to the disk and then writes a checkpoint.
    pub(super) fn save(
        &mut self,
        domain: &mut impl Domain,
        film: &GrainFilm,
        measures: Option<&mut Measures>,
    ) -> Result<()> {
        self.flush()?;
        if let Some(measures) = measures {
            statistics::save(&self.path.join(SUMS), measures, domain)?;
        }
        if self.tables.is_some() {
            atomic::write(&self.path.join(FILM), &film.to_bytes())?;
        }
        Ok(checkpoint::save_together(&self.path.join(CHECKPOINT), &self.note, domain)?)
    }

    /// Flushes the table to the disk.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.tables.as_mut().map_or(Ok(()), |tables| tables.course.flush())
    }

    /// Writes a picture for `ParaView`: of several ranks a piece of each, and a list of them.
    pub(super) fn picture(&self, domain: &impl Domain) -> Result<()> {
        let name = format!("grains-{:09}", domain.world().steps());
        let size = domain.size();
        if size == 1 {
            return Ok(atomic::write(&self.path.join(name + ".vtk"), &picture(domain))?);
        }
        let piece = |rank: usize| format!("{name}-{rank}.vtk");
        atomic::write(&self.path.join(piece(domain.rank())), &picture(domain))?;
        if self.tables.is_some() {
            let list = vtk::pieces((0..size).map(piece));
            atomic::write(&self.path.join(format!("{name}.pvtk")), list.as_bytes())?;
        }
        Ok(())
    }

    /// Writes the page that plays the run and its data, and what was measured, and returns their names and those of the
    /// files that the run has written before.
    pub(super) fn results(
        &self,
        view: &mut View,
        measures: Option<&Measures>,
    ) -> Result<Vec<PathBuf>> {
        if let Some(measures) = measures {
            statistics::add_curves(view, measures);
        }
        let mut files = Vec::from(viewer::write(&self.path, view)?);
        let earlier = [COURSE, ranks::TABLE, FILM, CHECKPOINT].map(|name| self.path.join(name));
        files.extend(earlier.into_iter().filter(|path| path.exists()));
        if let Some(measures) = measures {
            files.extend(statistics::write(&self.path, measures)?);
        }
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

/// Restores the domain of `scene` from the last usable checkpoint.
fn restore<D: Domain>(path: &Path, note: &str, scene: &mut Scene<D>) -> Result<()> {
    let domain = scene.domain();
    let partition = domain.partition();
    let restored = checkpoint::restore_together(path, &partition, domain)?;
    let found = &restored.note;
    ensure!(
        found == note,
        "`{}` belongs to another run: {found}, expected {note}",
        restored.file.display()
    );
    if let Some(refused) = &restored.refused
        && !matches!(refused, Error::Elsewhere)
    {
        tracing::warn!("{refused}; continuing from `{}`", restored.file.display());
    }
    if domain.rank() == 0
        && let Some(aside) = restored.set_aside(path)?
    {
        tracing::warn!("the damaged checkpoint is kept as `{}`", aside.display());
    }
    let file = restored.file;
    domain.restore(restored.share).with_context(|| file.display().to_string())?;
    // Ranks with boxes of their own continue as they would have without a pause.
    if !restored.is_own {
        domain.balance(IMBALANCE_LIMIT)?;
    }
    scene.check_walls()
}
