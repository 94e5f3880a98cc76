//! The commands, one module each.

mod completions;
mod design;
pub mod grains;
mod impact;
mod inspect;
mod list;
mod new;
mod reproduce;
mod run;
mod solve;
mod solve_friction;
mod view;

use rayon::ThreadPoolBuilder;

use crate::{
    arguments::{Arguments, Command, START, Solve},
    output::{Verdict, print},
};

/// Executes the command given by `arguments`.
///
/// # Errors
///
/// Invalid input, and output that cannot be written.
pub(crate) fn execute(arguments: &Arguments) -> anyhow::Result<Verdict> {
    match &arguments.command {
        None => {
            print(START)?;
            Ok(Verdict::Met)
        }
        Some(Command::List(arguments)) => list::execute(arguments),
        Some(Command::New(arguments)) => new::execute(arguments),
        Some(Command::Inspect(arguments)) => inspect::execute(arguments),
        Some(Command::Run(arguments)) => run::execute(arguments),
        Some(Command::Grains(arguments)) => {
            // This thread becomes one of the pool. Outside of it, it would sleep and be woken at every step. A pool that there
            // is already stays.
            let pool = ThreadPoolBuilder::new().use_current_thread();
            pool.build_global().ok();
            grains::execute_alone(arguments, &*grains::interruption()?)
        }
        Some(Command::Impact(arguments)) => impact::impact(arguments),
        Some(Command::Compare(arguments)) => impact::compare(arguments),
        Some(Command::Design(arguments)) => design::execute(arguments),
        Some(Command::Solve(Solve::Lcp(arguments))) => solve::execute(arguments),
        Some(Command::Solve(Solve::Friction(arguments))) => solve_friction::execute(arguments),
        Some(Command::Reproduce(arguments)) => reproduce::execute(arguments),
        Some(Command::View(arguments)) => view::execute(arguments),
        Some(Command::Completions(arguments)) => completions::execute(arguments),
    }
}
