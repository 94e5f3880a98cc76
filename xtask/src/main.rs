//! Chores of the workspace: `cargo xtask COMMAND`, one file per command.
//!
//! It depends on none of the crates that it checks, so it builds even when they do not.
//! Exit codes: 0 success, 1 a check failed, 2 wrong usage or a missing outside tool.
#![expect(clippy::print_stdout, reason = "the commands talk to a person at a terminal")]

mod apt;
mod bench;
mod book;
mod ci;
mod deny;
mod doc;
mod downstream;
mod examples;
mod features;
mod fields;
mod formulas;
mod fuzz;
mod mpi;
mod mutants;
mod package;
mod pages;
mod python;
mod release;
mod report_card;
mod reproduce;
mod semver;
mod shell;
mod site;
mod snapshot;
mod soak;
mod tidy;

use std::{env, process::ExitCode};

use shell::Refusal;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci [--full]                         everything that must hold before a merge; with --full also what takes hours:
                                      public items, mutants, soak, the site, the full experiments
  tidy                                the rules of the house that no compiler checks
  snapshot [--accept]                 compare results with the stored ones; with --accept take what differs
  deny                                licenses, versions and sources of all packages; needs cargo-deny
  doc                                 the documentation of the crates with its formulas, into target/doc/
  book                                the book with its pictures, into target/book/; needs mdbook
  site                                book, report and crate documentation as one static site, into target/site/;
                                      installs mdbook if it is missing
  fields [--accept]                   the fields of every file format, docs/src/fields.md, from the types; tidy compares
  examples                            build and run the examples of the crates
  pages [--accept] [--kept]           report, players and book in headless Chromium: overflow, overlaps, messages, first
                                      paint, accessibility, stored pictures; --accept takes new pictures, --kept
                                      measures the pages of the last run; needs Chromium, Python and DejaVu Sans
  features                            test every crate without its features and with all of them
  package                             pack every crate that is published, and check it from its package alone
  release --dry-run                   pack and check every crate that is published, in the order of publication
  semver [--accept]                   whether public items still serve their users, by comparison with a commit; with
                                      --accept the current commit is the next baseline; needs cargo-semver-checks
  python                              build the Python package and check it in an environment of its own, below target/;
                                      needs Python 3.10 or newer with pip
  report-card [--quick] [--scene NAME] [--engine NAME] [--rounds N] [--seconds S] [--pages-only]
                                      other engines on the same scenes, judged by one certificate, into
                                      report-card/results and target/report-card/pages; installs their packages below
                                      target/; hours in full, two minutes with --quick
  mpi [--scaling]                     build grains over MPI and run them on 1, 2 and 4 processes, some of which are
                                      killed; with --scaling instead the speed of two processes beside one, on an
                                      idle machine; needs Open MPI and libclang
  downstream                          build and run the packages of examples/downstream
  reproduce [ID…] [--sensitivity]     the published experiments, into target/reproduction/; or which changes of their
                                      inputs make their rows fail
  bench [FILTER] [--peers [--page] [--files FOLDER] [--problems N]]
                                      speed and accuracy; --peers one table beside the peers installed here, with
                                      --page also the page of the book; --files contact problems of Siconos
  fuzz [--seconds S] [--seed S] [--target T]
                                      random problems for every solver, law and scheme, judged by a second
                                      opinion; two minutes with the hash of the commit as seed by default
  mutants [--shard K/N] [--in-diff FILE] [--file PATH] [--of FILE]
                                      which changes of the code that judges answers no test sees; needs cargo-mutants
  soak [--minutes M] [--seed S]       runs killed, out of disk, damaged and started twice, and fuzzing,
                                      with fresh seeds unless one is given; 10 minutes by default";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<Refusal>() { 2 } else { 1 })
        }
    }
}

fn run(arguments: &[String]) -> anyhow::Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let [command, .., "--help" | "-h"] = arguments.as_slice()
        && let Some(usage) = usage_of(command)
    {
        println!("{usage}");
        return Ok(());
    }
    match arguments.as_slice() {
        ["ci"] => ci::run(),
        ["ci", "--full"] => ci::run_full(),
        ["tidy"] => tidy::run(),
        ["deny"] => deny::run(),
        ["doc"] => doc::run(),
        ["book"] => book::run(),
        ["site"] => site::run(),
        // mdBook calls this while it builds the book.
        ["mdbook-formulas", question @ ..] => book::preprocess(question),
        ["examples"] => examples::run(),
        ["pages", options @ ..] => pages::run(pages::Options::parse(options)?),
        ["features"] => features::run(),
        ["fields"] => fields::run(false),
        ["fields", "--accept"] => fields::run(true),
        ["package"] => package::run(),
        ["release", "--dry-run"] => release::dry_run(),
        ["semver"] => semver::run(),
        ["semver", "--accept"] => semver::accept(),
        ["python"] => python::run(),
        ["report-card", arguments @ ..] => report_card::run(arguments),
        ["mpi"] => mpi::run(),
        ["mpi", "--scaling"] => mpi::scaling(),
        ["downstream"] => downstream::run(),
        ["snapshot"] => snapshot::check(),
        ["snapshot", "--accept"] => snapshot::accept(),
        ["reproduce", ids @ ..] => reproduce::run(ids),
        ["bench", options @ ..] => bench::run(&bench::Options::parse(options)?),
        ["fuzz", options @ ..] => fuzz::run(&fuzz::Options::parse(options)?),
        ["mutants", options @ ..] => mutants::run(&mutants::Options::parse(options)?),
        ["soak", options @ ..] => soak::run(&soak::Options::parse(options)?),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        [] => Err(Refusal::new(USAGE).into()),
        unknown => Err(Refusal::new(format!("unknown: {}\n\n{USAGE}", unknown.join(" "))).into()),
    }
}

/// The lines of [`USAGE`] about `command`; `None` for an unknown one.
fn usage_of(command: &str) -> Option<String> {
    let name = |line: &'static str| line.strip_prefix("  ")?.split(' ').next();
    let begins = |line: &&'static str| !command.is_empty() && name(line) == Some(command);
    let mut lines = USAGE.lines().skip_while(|line| !begins(line));
    let first = lines.next()?;
    let rest = lines.take_while(|line| line.starts_with("   "));
    Some(std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_its_own_help() {
        let usage = usage_of("bench").expect("a command");
        assert!(usage.starts_with("  bench [FILTER]") && usage.lines().count() == 3, "{usage}");
        assert_eq!(usage_of("tidy").map(|usage| usage.lines().count()), Some(1));
        assert_eq!(usage_of("tydi"), None);
        assert_eq!(usage_of(""), None);
        assert!(run(&["bench".to_owned(), "--help".to_owned()]).is_ok());
    }

    fn refused(arguments: &[&str]) -> bool {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        run(&arguments).is_err_and(|error| error.is::<Refusal>())
    }

    #[test]
    fn wrong_usage_is_refused() {
        assert!(refused(&[]), "no command");
        assert!(refused(&["tydi"]), "unknown command");
        assert!(refused(&["ci", "--fast"]), "unknown option");
        assert!(refused(&["bench", "--problems", "many"]), "number expected");
        assert!(refused(&["fuzz", "--seconds", "many"]), "number expected");
        assert!(refused(&["mutants", "--shard", "8/8"]), "a part of all expected");
        assert!(refused(&["pages", "--fast"]), "unknown option");
        assert!(refused(&["soak", "--seed", "fresh"]), "number expected");
    }
}
