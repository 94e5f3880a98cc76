//! The table of a run, with one line per step: [`Course`].

use std::{
    fs::{self, File, OpenOptions},
    io::{BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use percussion_granular::{Report, World};
use percussion_report::{atomic, csv, number::exact};

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

/// What is read again of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) step: f64,
    pub(super) grains: f64,
    pub(super) contacts: f64,
    pub(super) sweeps: f64,
    pub(super) relative_residual: f64,
    /// m.
    pub(super) overlap: f64,
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let fields: Vec<f64> =
            line.trim_end().split(',').map(|field| field.parse().ok()).collect::<Option<_>>()?;
        let [step, _, grains, contacts, sweeps, relative_residual, overlap, ..] = fields[..] else {
            return None;
        };
        Some(Self { step, grains, contacts, sweeps, relative_residual, overlap })
    }
}

/// A file with one line a step.
pub(super) struct Course {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Course {
    /// Keeps the lines of a former run up to `steps`, and passes each to `known`; what came after them was lost with the
    /// checkpoint.
    pub(super) fn open(path: &Path, steps: u64, known: &mut dyn FnMut(&Line)) -> Result<Self> {
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
        for line in whole {
            let Some(read) = Line::read(line).filter(|line| line.step <= steps as f64) else {
                continue;
            };
            known(&read);
            text += line;
        }
        atomic::write(path, text.as_bytes())?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    pub(super) fn add(&mut self, world: &World, report: &Report) -> Result<()> {
        let counts = [world.grains().len(), report.contacts, report.sweeps];
        let values = [
            report.relative_residual,
            report.overlap,
            world.grains().kinetic_energy(),
            world.energy(),
            report.contact_work,
            report.wall_work,
        ];
        let first = [world.steps().to_string(), exact(world.time())];
        let counts = counts.map(|count| count.to_string());
        let fields = first.into_iter().chain(counts).chain(values.map(exact));
        let line = csv::line(fields);
        let written = self.file.write_all(line.as_bytes());
        written.with_context(|| format!("cannot write `{}`", self.path.display()))
    }

    /// Flushes all lines to the disk.
    pub(super) fn flush(&mut self) -> Result<()> {
        let flushed = self.file.flush().and_then(|()| self.file.get_ref().sync_data());
        flushed.with_context(|| format!("cannot write `{}`", self.path.display()))
    }
}
