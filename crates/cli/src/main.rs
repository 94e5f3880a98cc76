//! The `percussion` command: run, solve and reproduce rigid-body impacts with friction.
//!
//! | command | does |
//! | --- | --- |
//! | `percussion list` | names the scenarios and experiments that are built in |
//! | `percussion inspect NAME\|FILE` | tells what a robot or a scenario consists of and what touches in it |
//! | `percussion run NAME\|FILE` | simulates a scenario |
//! | `percussion impact FILE` | tells what velocity an impact leads to, by any law |
//! | `percussion compare FILE` | sets the answers of several laws side by side |
//! | `percussion design FILE\|NAME` | finds the nearest mechanism whose impact has one outcome |
//! | `percussion solve lcp FILE` | solves a linear complementarity problem |
//! | `percussion solve friction FILE` | solves a problem of contacts with friction |
//! | `percussion reproduce [ID…]` | runs published experiments and compares their figures with ours |
//! | `percussion grains SCENE` | runs many grains in hard contact, with checkpoints |
//! | `percussion view DIR` | shows what a run wrote in a browser on this machine |
//! | `percussion completions SHELL` | prints a script that completes the commands |
//!
//! Answers go to standard output, as text for people or, with `--json`, as one JSON document and
//! nothing else. Progress and logs go to standard error, bars only on a terminal.
//!
//! The exit code is 0 when the answer is the one hoped for, 1 for an unsolved problem or a failed
//! acceptance, and 2 for input that is refused or output that cannot be written.
//! A reader that closes the pipe early, such as `head`, changes neither answer nor code.

mod arguments;
mod commands;
mod input;
mod laws;
mod likeness;
mod output;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    output::start_logging(arguments.verbose);
    match commands::execute(&arguments) {
        Ok(verdict) => verdict.into(),
        Err(error) => {
            output::complain(&error);
            ExitCode::from(2)
        }
    }
}
