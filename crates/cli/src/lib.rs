//! The `percussion` command: simulate and solve rigid-body impacts with friction, and reproduce published results.
//!
//! | command | does |
//! | --- | --- |
//! | `percussion list` | lists the built-in scenarios and experiments |
//! | `percussion new KIND` | writes a commented file to start from |
//! | `percussion inspect NAME\|FILE` | shows the parts of a robot or a scenario and which of them touch |
//! | `percussion run NAME\|FILE` | simulates a scenario |
//! | `percussion impact FILE` | computes the velocity after an impact, by any law |
//! | `percussion compare FILE` | compares the results of several laws |
//! | `percussion design FILE\|NAME` | finds the nearest mechanism whose impact has only one outcome |
//! | `percussion solve lcp FILE` | solves a linear complementarity problem |
//! | `percussion solve friction FILE` | solves a problem of contacts with friction |
//! | `percussion reproduce [ID…]` | runs published experiments and compares the published figures with ours |
//! | `percussion grains SCENE` | simulates many grains in hard contact, with checkpoints |
//! | `percussion view DIR` | shows the results of a run in a browser on this machine |
//! | `percussion completions SHELL` | prints a script for command completion in a shell |
//!
//! Results go to standard output, as readable text or, with `--json`, as exactly one JSON document. Progress
//! and logs go to standard error; progress bars are shown only on a terminal.
//!
//! The exit code is 0 for success, 1 for an unsolved problem or a failed acceptance, and 2 for invalid input
//! or output that cannot be written. Work that `--time-limit` ends has the status `time-limit` and the exit code 1; what is
//! finished is written. A reader that closes the pipe early, such as `head`, changes neither the
//! result nor the exit code.
//!
//! The library has the commands; [`main`] is all of the program. [`grains`] also serves programs that run grains on several
//! processes.
//!
//! # Example
//!
//! Grains on one process, as `percussion grains` runs them, in a program with arguments of its own:
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//!
//! use clap::Parser;
//! use percussion_cli::Verdict;
//!
//! #[derive(Parser)]
//! struct Arguments {
//!     #[command(flatten)]
//!     grains: percussion_cli::grains::Arguments,
//! }
//!
//! let Arguments { grains } = Arguments::parse();
//! let verdict = percussion_cli::grains::execute(&grains, &mut percussion_cli::grains::Alone, &AtomicBool::new(false))?;
//! assert_eq!(verdict, Verdict::Met);
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | content |
//! | --- | --- |
//! | [`grains`] | runs of many grains on one process or on several |
//!
//! # Features
//!
//! There are none.
//!
//! # Limits
//!
//! The other commands are no interface: they print, and what they compute is in the other crates.

mod arguments;
mod catalogue;
mod commands;
mod input;
mod laws;
mod likeness;
mod output;

use std::process::ExitCode;

use clap::Parser;

pub use commands::grains;
pub use output::{Verdict, start_logging, with_causes};

/// Runs the command that the arguments of the process give.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    start_logging(arguments.verbose);
    match commands::execute(&arguments) {
        Ok(verdict) => verdict.into(),
        Err(error) => {
            output::complain(&error);
            ExitCode::from(2)
        }
    }
}
