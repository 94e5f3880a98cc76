//! What is measured of a run, as files: [`StatisticsFile`] and [`write()`].

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use percussion_granular::{Domain, checkpoint};
use percussion_mechanism::grains::Measures;
use percussion_record::view::{Curve, View};
use percussion_report::{atomic, csv, write_figure};

const TABLE: &str = "statistics.csv";

/// The table over time, a line at a time.
pub(super) struct StatisticsFile {
    path: PathBuf,
    file: File,
}

impl StatisticsFile {
    /// Keeps the lines of a former run until `time` (s), and adds them to `measures`.
    pub(super) fn open(directory: &Path, measures: &mut Measures, time: f64) -> Result<Self> {
        let path = directory.join(TABLE);
        let before = match fs::read_to_string(&path) {
            Ok(text) if time > 0.0 => text,
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
            _ => String::new(),
        };
        let columns = measures.columns();
        let row = |line: &str| {
            let fields = line.strip_suffix('\n')?.split(',');
            let row: Vec<f64> = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
            // Times are written with all their digits.
            (row.len() == columns.len() && row[0] <= time).then_some(row)
        };
        let rows: Vec<Vec<f64>> = before.split_inclusive('\n').filter_map(row).collect();
        let heads: Vec<String> =
            columns.iter().map(|(name, unit)| csv::heading(name, unit)).collect();
        atomic::write(&path, csv::table(&heads, rows.iter().cloned()).as_bytes())?;
        measures.prepend(rows);
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(Self { path, file })
    }

    /// Adds a line.
    pub(super) fn add(&mut self, row: &[f64]) -> Result<()> {
        let written = self.file.write_all(csv::row(row.iter().copied()).as_bytes());
        written.with_context(|| format!("cannot write `{}`", self.path.display()))
    }
}

/// Stores what the ranks have added up until now.
pub(super) fn save(path: &Path, measures: &mut Measures, domain: &mut impl Domain) -> Result<()> {
    let words = measures.sums().into_iter().map(f64::to_bits).collect();
    let ranks = domain.gather(words)?;
    if domain.rank() == 0 {
        checkpoint::save_sums(path, domain.world().steps(), &numbers(ranks))?;
    }
    Ok(())
}

/// Goes on from what the ranks had added up when the checkpoint was written; warns where that is not known.
pub(super) fn resume(path: &Path, measures: &mut Measures, domain: &mut impl Domain) -> Result<()> {
    let steps = domain.world().steps();
    // Rank 0 reads, and tells the others: the number of ranks, of which there are none if it failed, and all their sums.
    let mut words = Vec::new();
    if domain.rank() == 0 {
        let former = checkpoint::restore_sums(path, steps).unwrap_or_else(|error| {
            warn(path, &error);
            Vec::new()
        });
        words.push(former.len() as u64);
        words.extend(former.into_iter().flatten().map(f64::to_bits));
    }
    domain.broadcast(&mut words)?;
    let (ranks, words) = words.split_first().map_or((0, &[][..]), |(ranks, rest)| (*ranks, rest));
    if words.is_empty() {
        return Ok(());
    }
    let each = words.len() / usize::try_from(ranks)?;
    let former = numbers(words.chunks(each.max(1)).map(<[u64]>::to_vec).collect());
    if let Err(error) = measures.resume(&former, [domain.rank(), domain.size()])
        && domain.rank() == 0
    {
        warn(path, &error);
    }
    Ok(())
}

fn warn(path: &Path, error: &dyn std::error::Error) {
    tracing::warn!(
        "`{}`: {error}; the averages of cells, the radial distribution, the distribution of forces and the line of \
         `{TABLE}` that was under way begin anew",
        path.display()
    );
}

fn numbers(ranks: Vec<Vec<u64>>) -> Vec<Vec<f64>> {
    ranks.into_iter().map(|words| words.into_iter().map(f64::from_bits).collect()).collect()
}

/// Writes the averages of cells, the radial distribution and the figures, and returns their names.
pub(super) fn write(directory: &Path, measures: &Measures) -> Result<Vec<PathBuf>> {
    let mut files = vec![directory.join(TABLE)];
    let rows: Vec<Vec<f64>> = measures
        .cells()
        .map(|cell| {
            let [place, velocity] = [cell.at, cell.velocity].map(<[f64; 3]>::from);
            [&place[..], &[cell.solid_fraction], &velocity].concat()
        })
        .collect();
    if !rows.is_empty() {
        let columns = [
            "x (m)",
            "y (m)",
            "z (m)",
            "solid fraction",
            "velocity x (m/s)",
            "velocity y (m/s)",
            "velocity z (m/s)",
        ];
        let path = directory.join("cells.csv");
        atomic::write(&path, csv::table(&columns, rows).as_bytes())?;
        files.push(path);
    }
    let radial = measures.radial();
    if !radial.is_empty() {
        let path = directory.join("radial.csv");
        let columns = ["distance (m)", "radial distribution"];
        let table = csv::table(&columns, radial.iter().map(|row| row.to_vec()));
        atomic::write(&path, table.as_bytes())?;
        files.push(path);
    }
    let figures = measures.figures();
    if !figures.is_empty() {
        let folder = directory.join("figures");
        atomic::prepare_directory(&folder)?;
        for figure in &figures {
            files.extend(write_figure(&folder.join(&figure.id), figure)?);
        }
    }
    Ok(files)
}

/// Adds what is shown over time to the page that plays the run: at every time the line of the table before it.
pub(super) fn add_curves(view: &mut View, measures: &Measures) {
    let Some(motion) = view.motions.first_mut() else { return };
    let chosen = |name: &str| {
        name == "coordination" || name == "surface angle" || name.ends_with(": mass flow")
    };
    for (column, (name, unit)) in measures.columns().iter().enumerate() {
        if !chosen(name) || measures.rows().is_empty() {
            continue;
        }
        let at = |time: &f64| {
            let before = measures.rows().partition_point(|row| row[0] <= *time);
            measures.rows()[before.saturating_sub(1)][column]
        };
        let values: Vec<f64> = motion.times.iter().map(at).collect();
        if values.iter().all(|value| value.is_finite()) {
            let [chart, label, unit] = [name, name, *unit].map(str::to_owned);
            motion.curves.push(Curve { chart, label, unit, values });
        }
    }
}
