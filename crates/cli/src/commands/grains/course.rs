//! The table of a run, with one line per step: [`Course`].

use std::{
    fs::{self, File, OpenOptions},
    io::{BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use percussion_report::{atomic, csv, number::exact};

use super::totals::{Line, Totals};

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

    pub(super) fn add(&mut self, totals: &Totals) -> Result<()> {
        let Totals { step, time, grains, report, .. } = totals;
        let counts = [*grains, report.contacts, report.sweeps];
        let values = [
            report.relative_residual,
            report.overlap,
            totals.kinetic_energy,
            totals.energy,
            report.contact_work,
            report.wall_work,
        ];
        let first = [step.to_string(), exact(*time)];
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
