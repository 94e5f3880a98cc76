//! The table of a run, with one line per step: [`Course`].

use std::{
    fs::{self, File, OpenOptions},
    io::{BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use percussion_granular::{Report, World};
use percussion_report::{atomic, csv};

const COLUMNS: [&str; 11] = [
    "step",
    "time (s)",
    "grains",
    "contacts",
    "sweeps",
    "relative residual",
    "overlap (m)",
    "kinetic energy (J)",
    "energy (J)",
    "contact work (J)",
    "wall work (J)",
];

/// A file with one line per step.
pub(super) struct Course {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Course {
    /// Keeps the lines of an earlier run up to `steps`; later lines have no checkpoint and are dropped.
    pub(super) fn open(path: &Path, steps: u64) -> Result<Self> {
        let before = match fs::read_to_string(path) {
            Ok(text) if steps > 0 => text,
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
            _ => String::new(),
        };
        let mut text = csv::table(&COLUMNS, []);
        // A killed run may have written only the beginning of its last line, which could be read as an earlier step.
        let whole = before.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let known = |line: &&str| {
            let step = line.split(',').next().and_then(|step| step.parse::<f64>().ok());
            step.is_some_and(|step| step <= steps as f64)
        };
        text.extend(whole.filter(known));
        atomic::write(path, text.as_bytes())?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    pub(super) fn add(&mut self, world: &World, report: &Report) -> Result<()> {
        let line = csv::row([
            world.steps() as f64,
            world.time(),
            world.grains().len() as f64,
            report.contacts as f64,
            report.sweeps as f64,
            report.relative_residual,
            report.overlap,
            world.grains().kinetic_energy(),
            world.energy(),
            report.contact_work,
            report.wall_work,
        ]);
        let written = self.file.write_all(line.as_bytes());
        written.with_context(|| format!("cannot write `{}`", self.path.display()))
    }

    /// Flushes all lines to the disk.
    pub(super) fn flush(&mut self) -> Result<()> {
        let flushed = self.file.flush().and_then(|()| self.file.get_ref().sync_data());
        flushed.with_context(|| format!("cannot write `{}`", self.path.display()))
    }
}
