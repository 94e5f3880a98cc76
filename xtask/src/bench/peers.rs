//! Other libraries on the same problems in the same run: one table with accuracy beside speed.
//!
//! The program `peers` of percussion-benches and `benches/peers/whole_step.py` know the rows and print each as one JSON object
//! a line. Every task of theirs is one process with a time limit, so that one that fails is a row that says so. For Siconos the
//! drivers in C are compiled against the installed library.
//!
//! After each task `peers.txt`, `peers.json` and `peers.md` in `target/bench` have all rows so far. With `--page` the last
//! two become those of the book at the end: only then, because a run on a busy machine or without a peer should not change it.

mod installed;
mod page;
mod row;
mod tasks;

use std::{fs, path::Path, process::Command, time::Instant};

use anyhow::Context;

use self::{
    page::Comparison,
    row::Row,
    tasks::{Program, Task},
};
use super::{Options, machine};
use crate::shell::{self, Refusal, cargo};

/// The page of the book, and its data.
const PAGE: [&str; 2] = ["docs/src/peers.md", "docs/src/peers.json"];

/// Measures the rows whose names contain the filter, and saves them in `folder`.
pub(super) fn run(options: &Options, folder: &Path) -> anyhow::Result<()> {
    if options.page && options.filter.is_some() {
        return Err(Refusal::new("--page writes the page of all rows, expected no filter").into());
    }
    if let Some(files) = options.files.as_ref().filter(|files| !Path::new(files).is_dir()) {
        return Err(Refusal::new(format!("--files is `{files}`, expected a folder")).into());
    }
    let start = Instant::now();
    build()?;
    let mut missing = Vec::new();
    if let Err(error) = installed::siconos(folder) {
        eprintln!("{error:#}");
        missing.push("siconos");
    }
    if options.files.is_none() {
        missing.push("files");
    }
    let mut comparison = Comparison {
        date: today(),
        machine: machine::lines(),
        load: [machine::load(), None],
        peers: installed::versions(),
        ..Comparison::default()
    };
    let mut tasks = ours(options, folder).list()?.0;
    tasks.extend(robots(&mut missing, &mut comparison));
    let filter = options.filter.as_deref().unwrap_or_default();
    let tasks = selected(tasks, filter)?;
    println!("{} rows in {} tasks; saved in {}", rows_of(&tasks), tasks.len(), folder.display());
    for (index, task) in tasks.iter().enumerate() {
        println!(
            "[{}/{}, {:.0} s] {}",
            index + 1,
            tasks.len(),
            start.elapsed().as_secs_f64(),
            task.name
        );
        let tell = |row: &Row| {
            if row.name.contains(filter) {
                println!("  {}: {}", row.name, row.cells().map(|c| c + ";").join(" "));
            }
        };
        let need = missing.iter().find(|need| task.needs.iter().any(|needed| needed == *need));
        let rows = match need {
            None => task.run(tell),
            Some(need) => {
                let absent = |name: &String| Row::absent(name, installed::not_compared(need));
                let rows: Vec<Row> = task.rows.iter().map(absent).collect();
                rows.iter().for_each(tell);
                rows
            }
        };
        comparison.rows.extend(rows.into_iter().filter(|row| row.name.contains(filter)));
        comparison.minutes = start.elapsed().as_secs_f64() / 60.0;
        comparison.load[1] = machine::load();
        save(&comparison, folder)?;
    }
    println!("\n{}\nsaved in {}", comparison.text(), folder.display());
    if options.page {
        for (to, from) in PAGE.iter().zip(["peers.md", "peers.json"]) {
            fs::copy(folder.join(from), shell::root().join(to))
                .with_context(|| (*to).to_owned())?;
            println!("{to} is written");
        }
    }
    Ok(())
}

/// Builds the program and the driver of whole steps.
///
/// The examples have the dependencies of the benches, so that these compile nothing again.
fn build() -> anyhow::Result<()> {
    let package = ["build", "--release", "--package", "percussion-benches"];
    shell::run(cargo(package).args(["--bin", "peers", "--bin", "whole_step", "--examples"]))
}

/// Our program.
fn ours(options: &Options, folder: &Path) -> Program {
    let mut words = vec!["--problems".to_owned(), options.problems.to_string()];
    words.extend(["--drivers".to_owned(), folder.display().to_string()]);
    if let Some(files) = &options.files {
        words.extend(["--files".to_owned(), files.clone()]);
    }
    Program { start: vec![shell::target().join("release/peers")], options: words }
}

/// The tasks of robots, one that is not compared where Python itself is missing.
fn robots(missing: &mut Vec<&str>, comparison: &mut Comparison) -> Vec<Task> {
    let python = installed::python();
    if !installed::has_modules(&python, "mujoco, numpy") {
        missing.push("mujoco");
    }
    let script = shell::root().join("benches/peers/whole_step.py");
    let driver = shell::target().join("release/whole_step");
    let program = Program { start: vec![python, script, driver], options: Vec::new() };
    match program.list() {
        Ok((tasks, versions)) => {
            comparison.peers.extend(versions);
            tasks
        }
        Err(error) => {
            eprintln!("{error:#}");
            missing.push("mujoco");
            let (name, needs) = ("robots".to_owned(), vec!["mujoco".to_owned()]);
            vec![Task { rows: vec![name.clone()], name, needs, seconds: 0, program }]
        }
    }
}

fn rows_of(tasks: &[Task]) -> usize {
    tasks.iter().map(|task| task.rows.len()).sum()
}

/// The tasks with a row whose name contains `filter`; of their rows only these.
fn selected(tasks: Vec<Task>, filter: &str) -> anyhow::Result<Vec<Task>> {
    let mut groups: Vec<&str> =
        tasks.iter().flat_map(|task| &task.rows).filter_map(|row| row.split('/').next()).collect();
    groups.dedup();
    let groups = groups.join(", ");
    let mut tasks = tasks;
    for task in &mut tasks {
        task.rows.retain(|row| row.contains(filter));
    }
    tasks.retain(|task| !task.rows.is_empty());
    if tasks.is_empty() {
        let message = format!(
            "no row of the comparison is named like `{filter}`, expected a part of a name; names begin with {groups}"
        );
        return Err(Refusal::new(message).into());
    }
    Ok(tasks)
}

fn save(comparison: &Comparison, folder: &Path) -> anyhow::Result<()> {
    let data = serde_json::to_string_pretty(comparison)? + "\n";
    for (name, text) in
        [("peers.txt", comparison.text()), ("peers.json", data), ("peers.md", comparison.page())]
    {
        fs::write(folder.join(name), text).with_context(|| format!("writing {name}"))?;
    }
    Ok(())
}

/// Year, month and day.
fn today() -> String {
    let date = shell::read(Command::new("date").args(["-u", "+%F"]));
    date.map_or_else(|_| "unknown".to_owned(), |date| date.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(rows: &[&str]) -> Task {
        let rows = rows.iter().map(|row| (*row).to_owned()).collect();
        Task {
            name: "task".to_owned(),
            rows,
            needs: Vec::new(),
            seconds: 1,
            program: Program::default(),
        }
    }

    #[test]
    fn a_filter_selects_rows() {
        let all = || vec![task(&["lcp/box", "lcp/ray"]), task(&["bricks/rapier"])];
        let chosen = selected(all(), "box").unwrap();
        assert_eq!((chosen.len(), &*chosen[0].rows), (1, &["lcp/box".to_owned()][..]));
        assert_eq!(rows_of(&selected(all(), "").unwrap()), 3, "without a filter all");
        let error = selected(all(), "bricks/mujoco").unwrap_err();
        assert!(error.is::<Refusal>() && error.to_string().contains("lcp, bricks"), "{error}");
    }

    #[test]
    fn the_page_is_only_written_whole() {
        let options = Options::parse(&["--peers", "--page", "bricks"]).unwrap();
        assert!(run(&options, Path::new("")).unwrap_err().is::<Refusal>(), "with a filter");
        let options = Options::parse(&["--peers", "--files", "/no/such/folder"]).unwrap();
        assert!(run(&options, Path::new("")).unwrap_err().is::<Refusal>(), "no folder");
    }
}
