//! Rows of the comparison with other libraries, one JSON object a line; `cargo xtask bench --peers` starts it and makes the table.
//!
//! `peers list [OPTIONS]` prints the tasks with the names of their rows, what they need (`siconos`, `files`), and the time that they
//! may take.
//! `peers run TASK [OPTIONS]` runs one task and prints its [`Row`](percussion_benches::row::Row)s. Options:
//!
//! - `--drivers FOLDER`: the drivers of Siconos, compiled from `benches/peers`;
//! - `--files FOLDER`: files of contact problems of Siconos (`.dat`);
//! - `--problems N`: number of problems of a family (1000).
//!
//! Ours and the peer take turns on each problem, so that load and clock of the machine affect both alike.
#![expect(clippy::print_stdout, reason = "the rows are the output of this program")]

mod bricks;
mod files;
mod friction;
mod large;
mod lcp;
mod plus;
mod sets;
mod siconos;
mod spheres;
mod threads;

use std::{env, error::Error, path::PathBuf};

use serde_json::json;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Largest relative residual of an answer that counts as right.
const RIGHT: f64 = 1e-8;

/// What the command line gives.
#[derive(Default)]
struct Context {
    drivers: Option<PathBuf>,
    files: Option<PathBuf>,
    problems: u64,
}

impl Context {
    fn parse(arguments: &[String]) -> Outcome<Self> {
        let mut context = Self { problems: 1000, ..Self::default() };
        for option in arguments.chunks(2) {
            let [name, value] = option else {
                return Err(format!("{} has no value", option[0]).into());
            };
            match name.as_str() {
                "--drivers" => context.drivers = Some(value.into()),
                "--files" => context.files = Some(value.into()),
                "--problems" => context.problems = value.parse()?,
                unknown => return Err(format!("unknown option {unknown}").into()),
            }
        }
        Ok(context)
    }

    /// The path of a driver of Siconos.
    fn driver(&self, name: &str) -> Outcome<PathBuf> {
        let folder = self.drivers.as_ref().ok_or("this task needs --drivers FOLDER")?;
        Ok(folder.join(name))
    }
}

/// A task: some rows that are measured together.
struct Task {
    name: String,
    rows: Vec<String>,
    needs: &'static [&'static str],
    /// Time that it may take (s).
    seconds: u64,
    run: Box<dyn Fn(&Context) -> Outcome>,
}

impl Task {
    /// A task with one row, which has its name.
    fn of_row(
        name: &str,
        needs: &'static [&'static str],
        run: impl Fn(&Context) -> Outcome + 'static,
    ) -> Self {
        Self::of_rows(name, vec![name.to_owned()], needs, run)
    }

    /// A task with several rows.
    fn of_rows(
        name: &str,
        rows: Vec<String>,
        needs: &'static [&'static str],
        run: impl Fn(&Context) -> Outcome + 'static,
    ) -> Self {
        Self { name: name.to_owned(), rows, needs, seconds: 600, run: Box::new(run) }
    }
}

fn tasks(context: &Context) -> Vec<Task> {
    let mut tasks = lcp::tasks();
    tasks.extend(friction::tasks());
    tasks.push(files::task(context));
    tasks.extend(large::tasks());
    tasks.extend(plus::tasks());
    tasks.extend(sets::tasks());
    tasks.extend(spheres::tasks());
    tasks.push(bricks::task());
    tasks
}

fn main() -> Outcome {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, options)) if command == "list" => {
            for task in tasks(&Context::parse(options)?) {
                let Task { name, rows, needs, seconds, .. } = task;
                let line = json!({"task": name, "rows": rows, "needs": needs, "seconds": seconds});
                println!("{line}");
            }
            Ok(())
        }
        Some((command, [name, options @ ..])) if command == "run" => {
            let context = Context::parse(options)?;
            // Without reading the files, which only the list has to know.
            let tasks = tasks(&Context::default());
            let task = tasks.into_iter().find(|task| task.name == *name);
            (task.ok_or_else(|| format!("no task {name}"))?.run)(&context)
        }
        _ => Err("usage: peers list [OPTIONS] | peers run TASK [OPTIONS]".into()),
    }
}
