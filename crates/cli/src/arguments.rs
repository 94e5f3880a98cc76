//! The command line of `percussion`.

mod completions;
mod design;
mod grains;
mod impact;
mod inspect;
mod laws;
mod list;
mod new;
mod reproduce;
mod robot;
mod run;
mod solve;
mod time_limit;
mod view;

use clap::{ArgAction, Parser, Subcommand};

pub use self::grains::Grains;
pub(crate) use self::{
    completions::Completions,
    design::Design,
    impact::{Compare, Impact},
    inspect::Inspect,
    laws::{Allowed, LawSettings, Which},
    list::List,
    new::{Kind, New},
    reproduce::Reproduce,
    robot::{Entry, RobotOptions},
    run::Run,
    solve::{Solve, SolveFriction, SolveLcp, Solver},
    time_limit::{Clock, TimeLimit},
    view::View,
};

/// Simulate and solve rigid-body impacts with friction, and reproduce published results.
#[derive(Debug, Parser)]
#[command(
    name = "percussion",
    version,
    after_help = HELP
)]
pub(crate) struct Arguments {
    /// Command to run.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Log to standard error: -v information, -vv details, -vvv everything.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

const HELP: &str = "\
Examples:
  percussion reproduce --quick
  percussion run stewart-trinkle/four-balls --out run && percussion view run
  percussion compare rocking-block
  percussion new impact && percussion compare impact.toml
  percussion run --help

Exit codes: 0 solved or accepted, 1 unsolved or not accepted, 2 refused input.";

/// What `percussion` says without arguments.
pub(crate) const START: &str = "\
Bodies that strike at several points at once: their motion, the impact by any law, and all outcomes of it.

Try first:
  percussion compare rocking-block --out block && percussion view block
      a block lands flat: every law's outcome, side by side on a page that plays them
  percussion run stewart-trinkle/four-balls --out run && percussion view run
      a ball is thrown at a row of three: tables, figures and a page that plays the motion
  percussion reproduce --quick && percussion view target/reproduction
      the published experiments, our figures beside those of the papers (about a minute)

Then your own:
  percussion new impact && percussion compare impact.toml
  percussion new scenario && percussion run scenario.toml
  percussion inspect robot.urdf

`percussion list` shows all built-in names, `percussion --help` all commands and the exit codes.
";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the built-in scenarios, experiments and laws, and the settings of laws.
    List(List),
    /// Show the parts of a robot description or a scenario, and which of them touch.
    Inspect(Inspect),
    /// Write a commented file to start from: a scenario, an impact, a scene of grains or a law.
    New(New),
    /// Simulate a scenario, or resolve an impact.
    Run(Run),
    /// Compute the velocity after an impact, by one law or by all of them.
    Impact(Impact),
    /// Compare the results of several laws for one impact.
    Compare(Compare),
    /// Find the mechanism and posture nearest to given ones whose impact has only one outcome.
    Design(Design),
    /// Solve a problem from a file.
    #[command(subcommand)]
    Solve(Solve),
    /// Run published experiments and compare the published figures with ours.
    Reproduce(Reproduce),
    /// Simulate many grains in hard contact, with checkpoints for long runs.
    Grains(Grains),
    /// Show the results in a directory written by `run`, `impact`, `compare`, `grains` or `reproduce` in a browser.
    View(View),
    /// Print a script for command completion in a shell.
    Completions(Completions),
}

fn positive(text: &str) -> Result<f64, String> {
    number(text, "a finite number above 0", |value| value > 0.0)
}

fn not_negative(text: &str) -> Result<f64, String> {
    number(text, "a finite number of at least 0", |value| value >= 0.0)
}

/// Parses a nonnegative integer.
fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected an integer from 0 to {}", u64::MAX))
}

/// Parses a positive integer.
fn count(text: &str) -> Result<u64, String> {
    let expected = || format!("expected an integer from 1 to {}", u64::MAX);
    whole(text).ok().filter(|&count| count > 0).ok_or_else(expected)
}

fn number(text: &str, expected: &str, accept: fn(f64) -> bool) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && accept(value) => Ok(value),
        _ => Err(format!("expected {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for text in ["0", "-1", "nan", "inf", "1e999", "", "one"] {
            assert!(positive(text).is_err(), "{text} was accepted");
        }
        for text in ["-1", "1.5", "1e3", "18446744073709551616", "", "one"] {
            assert!(whole(text).is_err() && count(text).is_err(), "{text} was accepted");
        }
        assert_eq!((whole("0"), count("0").is_err(), count("7")), (Ok(0), true, Ok(7)));
        assert_eq!(positive("1e-3"), Ok(1e-3));
        assert_eq!(not_negative("0"), Ok(0.0));
    }
}
