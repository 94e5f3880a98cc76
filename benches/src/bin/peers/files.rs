//! Contact problems that Siconos stored, by our default method and by the fastest of Siconos's solvers.
//!
//! They are not part of this repository: `--files FOLDER`, such as the data of the tests of its component `numerics`. A row for each
//! file, and three for all: the median and the largest ratio, and the number solved to 1e-8.

use std::{fs, path::PathBuf};

use percussion_benches::row::{Accuracy, Reach, Row, Spread};
use percussion_complementarity::friction::{Problem, siconos};

use super::{Context, Outcome, RIGHT, Task, friction, siconos::Siconos};

/// Time for an answer of any of Siconos's solvers (s).
const LIMIT: f64 = 20.0;
const NAME: &str = "friction/files";

/// Reach of files for which one was set: the problem that no solver of Siconos finishes in 20 s.
const HARD: (&str, f64) = ("RockPile_tob1", 2.0);

pub(crate) fn task(context: &Context) -> Task {
    let files = context.files.iter().flat_map(problems);
    let mut rows: Vec<String> = files.map(|(name, _)| row_of(&name)).collect();
    rows.extend(["median", "worst", "solved"].map(row_of));
    // A file that no solver finishes takes 200 s, most take less than one.
    let seconds = 600 + 60 * rows.len() as u64;
    Task { seconds, ..Task::of_rows(NAME, rows, &["siconos", "files"], run) }
}

fn row_of(name: &str) -> String {
    format!("{NAME}-{name}")
}

/// The problems in space in a folder, by name; other files are skipped.
fn problems(folder: &PathBuf) -> Vec<(String, Problem)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "dat") {
            continue;
        }
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let reading = fs::read_to_string(&path).ok().and_then(|text| siconos::read(&text).ok());
        match (name, reading) {
            (Some(name), Some(reading)) if reading.tangents == 2 => {
                found.push((name, reading.problem));
            }
            _ => eprintln!("{}: no contact problem in space", path.display()),
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn run(context: &Context) -> Outcome {
    let folder = context.files.as_ref().ok_or("this task needs --files FOLDER")?;
    let mut driver = Siconos::new(&context.driver("siconos_friction")?);
    let problems = problems(folder);
    let (mut ratios, mut large, mut solved, mut worst) = (Vec::new(), Vec::new(), 0, 0.0_f64);
    for (name, problem) in &problems {
        let mut row = friction::solve(&row_of(name), problem, &mut driver, LIMIT)?;
        if name == HARD.0 {
            row.reach = Some(Reach::OursAtMost(HARD.1));
        }
        row.print()?;
        let residual = row.accuracy.as_ref().map_or(f64::NAN, |accuracy| accuracy.ours);
        if residual <= RIGHT {
            solved += 1;
            worst = worst.max(residual);
            let ratio = row.ratio.map(|ratio| ratio.median);
            ratios.extend(ratio);
            large.extend(ratio.filter(|_| problem.contact_count() >= 4).map(|r| (r, name)));
        }
    }
    let accuracy = || {
        Some(Accuracy { what: "worst relative residual of those solved", ours: worst, peer: None })
    };
    let summary = |name: &str, ratio: Option<Spread>, reach: f64, note: String| Row {
        name: row_of(name),
        ratio,
        accuracy: accuracy(),
        reach: Some(Reach::RatioAtMost(reach)),
        note,
        ..Row::default()
    };
    let count = ratios.len();
    let note = format!("{count} problems that both solve; the range is that of the problems");
    summary("median", Spread::of(&ratios), 0.3, note).print()?;
    if let Some((ratio, name)) = large.iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
        let note = format!("{name}, of problems with 4 or more contacts");
        summary("worst", Some(Spread::exact(*ratio)), 1.0, note).print()?;
    }
    let all = problems.len() as f64;
    let row = Row {
        name: row_of("solved"),
        unit: "problems",
        ours: Some(Spread::exact(f64::from(solved))),
        accuracy: accuracy(),
        reach: Some(Reach::OursAtLeast(all)),
        note: format!("of {all}, to 1e-8"),
        ..Row::default()
    };
    Ok(row.print()?)
}
