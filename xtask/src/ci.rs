//! `cargo xtask ci [--full]`: all checks before a merge, in order and without stopping at a failure.

use std::time::Instant;

use anyhow::bail;

use crate::{
    book, deny, doc, downstream, examples, features, fuzz, mpi, mutants, package, pages, python,
    report_card, reproduce, semver,
    shell::{self, NotChecked, cargo},
    site, snapshot, soak, tidy,
};

type Step = (&'static str, fn() -> anyhow::Result<()>);

const STEPS: [Step; 16] = [
    ("tidy", tidy::run),
    ("deny", deny::run_if_installed),
    ("fmt", format),
    ("clippy", clippy),
    ("test", test),
    ("examples", examples::run),
    ("doc", doc::run),
    ("snapshot", snapshot::none_pending),
    ("fuzz", fuzz::in_ci),
    ("reproduce", reproduce::quick),
    ("book", book::build_if_installed),
    ("package", package::run),
    ("downstream", downstream::run),
    ("python", python::in_ci),
    ("report-card", report_card::in_ci),
    ("mpi", mpi::in_ci),
];

/// The further steps of `--full`, which take hours; a missing tool is a failure here.
const FULL: [Step; 8] = [
    ("site", site::run),
    ("pages", pages::in_ci),
    ("features", features::run),
    ("semver", semver::run),
    ("experiments", || reproduce::run(&["--full"])),
    ("soak", || soak::run(&soak::Options::parse(&[])?)),
    ("full card", || report_card::run(&[])),
    ("mutants", || mutants::run(&mutants::Options::default())),
];

/// The outcome of a step that failed.
const FAILED: &str = "FAILED";

/// Runs the steps of every merge.
pub(crate) fn run() -> anyhow::Result<()> {
    run_steps(&STEPS)
}

/// Runs the steps of every merge, and those of [`FULL`].
pub(crate) fn run_full() -> anyhow::Result<()> {
    run_steps(&[&STEPS[..], &FULL[..]].concat())
}

/// Runs all steps, also after a failure, and then lists the failed ones.
fn run_steps(steps: &[Step]) -> anyhow::Result<()> {
    let mut summary = Vec::new();
    for &(name, step) in steps {
        println!("── {name}");
        let start = Instant::now();
        let outcome = match step() {
            Ok(()) => "ok",
            Err(error) if error.is::<NotChecked>() => {
                println!("{name}: {error}");
                "NOT CHECKED"
            }
            Err(error) => {
                eprintln!("{name} failed: {error:#}");
                FAILED
            }
        };
        summary.push((name, outcome, start.elapsed()));
    }
    println!("── summary");
    for (name, outcome, time) in &summary {
        println!("{name:<11} {outcome:<11} {:>7.1} s", time.as_secs_f64());
    }
    let failed: Vec<_> =
        summary.iter().filter(|(_, outcome, _)| *outcome == FAILED).map(|step| step.0).collect();
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn format() -> anyhow::Result<()> {
    shell::run(&mut cargo(["fmt", "--all", "--", "--check"]))
}

fn clippy() -> anyhow::Result<()> {
    shell::run(&mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// A changed snapshot fails here: `INSTA_UPDATE=no` shows the difference and writes nothing.
fn test() -> anyhow::Result<()> {
    shell::run(cargo(["test", "--workspace", "--no-fail-fast"]).env("INSTA_UPDATE", "no"))
}
