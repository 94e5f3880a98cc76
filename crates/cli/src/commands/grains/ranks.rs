//! The table of how evenly the work is divided, and how fast it is done: [`RanksFile`].

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result};
use percussion_report::{atomic, csv, number::exact};

use super::Totals;

/// Name of the file.
pub(super) const TABLE: &str = "ranks.csv";

const COLUMNS: [&str; 6] =
    ["step", "time (s)", "ranks", "imbalance", "divided anew", "particle updates per second"];

/// A line every so many steps.
pub(super) struct RanksFile {
    path: PathBuf,
    file: File,
    clock: Instant,
    /// Grains that were moved by a step since the last line.
    updates: f64,
}

impl RanksFile {
    /// Keeps the lines of a former run up to `steps`.
    pub(super) fn open(directory: &Path, steps: u64) -> Result<Self> {
        let path = directory.join(TABLE);
        let before = match fs::read_to_string(&path) {
            Ok(text) if steps > 0 => text,
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
            _ => String::new(),
        };
        let is_kept = |line: &&str| {
            let step = line.split(',').next().and_then(|step| step.parse::<u64>().ok());
            line.ends_with('\n') && step.is_some_and(|step| step <= steps)
        };
        let lines = before.split_inclusive('\n').filter(is_kept).collect::<String>();
        atomic::write(&path, (csv::table(&COLUMNS, []) + &lines).as_bytes())?;
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(Self { path, file, clock: Instant::now(), updates: 0.0 })
    }

    /// Counts a step.
    pub(super) fn count(&mut self, totals: &Totals) {
        self.updates += totals.grains as f64;
    }

    /// Adds a line; the speed is that since the line before.
    pub(super) fn add(
        &mut self,
        totals: &Totals,
        ranks: usize,
        (imbalance, moved): (f64, bool),
    ) -> Result<()> {
        let speed = self.updates / self.clock.elapsed().as_secs_f64();
        (self.clock, self.updates) = (Instant::now(), 0.0);
        let line = csv::line([
            totals.step.to_string(),
            exact(totals.time),
            ranks.to_string(),
            exact(imbalance),
            u8::from(moved).to_string(),
            format!("{speed:.0}"),
        ]);
        let written = self.file.write_all(line.as_bytes());
        written.with_context(|| format!("cannot write `{}`", self.path.display()))
    }
}
