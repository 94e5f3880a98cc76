//! `percussion-grains-mpi`: `percussion grains` on many processes.
//!
//! Started by `mpirun -n N`, or with `--ranks N`, which starts `mpirun` and turns every failure of it into a message and
//! exit code 1. Rank 0 prints. The exit codes are those of `percussion`: 0, 1 for a run that did not reach its end, 2 for
//! invalid input. If a rank cannot go on, it says why and ends all ranks with code 1.

use std::{
    env,
    process::{Command, ExitCode},
    thread,
    time::Duration,
};

use anyhow::Context;
use clap::Parser;
use mpi::{
    Threading,
    topology::SimpleCommunicator,
    traits::{Communicator, CommunicatorCollectives},
};
use percussion_cli::{Verdict, grains, start_logging, with_causes};
use percussion_mpi::{Mpi, Ranks, Shape};

/// Simulate many grains in hard contact on many processes, with the arguments, files and output of `percussion grains`.
#[derive(Debug, Parser)]
#[command(name = "percussion-grains-mpi", version)]
struct Arguments {
    #[command(flatten)]
    grains: grains::Arguments,
    /// Start this many processes on this machine with `mpirun`, more than it has cores if need be.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Option<u32>,
    /// Numbers of boxes along x, y and z into which space is divided, such as 2x2x1; their product is the number of
    /// processes. By default their common faces are as small as possible.
    #[arg(long, value_name = "XxYxZ")]
    partition: Option<Shape>,
    /// Time without an answer after which another process counts as unreachable (s).
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    patience: Duration,
    /// Log to standard error: -v information, -vv details, -vvv everything.
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected a finite number above 0".to_owned())
}

fn main() -> ExitCode {
    // Known before MPI is there: a process that was started by itself may be the one that starts the others.
    let parsed = Arguments::try_parse();
    if let Ok(arguments) = &parsed
        && let Some(ranks) = arguments.ranks
    {
        return launch(arguments, ranks);
    }
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("error: MPI is already in use");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            if world.rank() == 0 {
                let _ = error.print();
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    if world.rank() == 0 {
        start_logging(arguments.verbose);
    }
    run(&arguments, &world)
}

/// Runs this rank.
fn run(arguments: &Arguments, world: &SimpleCommunicator) -> ExitCode {
    let mut machine =
        Ranks::new(Mpi::new(world.duplicate(), arguments.patience), arguments.partition);
    let ended = threads(world)
        .and_then(|()| grains::execute(&arguments.grains, &mut machine, &*grains::interruption()?));
    match ended {
        Ok(verdict) => {
            // No rank leaves while another may still say why it cannot.
            world.barrier();
            match verdict {
                Verdict::Met => ExitCode::SUCCESS,
                Verdict::Unmet => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            // What all ranks know, such as mistakes in the input, rank 0 says and then ends the others.
            if world.rank() > 0 {
                thread::sleep(Duration::from_secs(if machine.has_begun() { 1 } else { 20 }));
            }
            eprintln!("error: rank {}: {}", world.rank(), with_causes(&error));
            world.abort(if machine.has_begun() { 1 } else { 2 })
        }
    }
}

/// Divides the cores of each machine among its ranks, unless the environment says how many threads each has.
fn threads(world: &SimpleCommunicator) -> anyhow::Result<()> {
    let here = usize::try_from(world.split_shared(world.rank()).size()).unwrap_or(1).max(1);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let chosen = env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
    let count = chosen.filter(|count| *count > 0).unwrap_or((cores / here).max(1));
    // The thread that calls MPI is one of them.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).use_current_thread();
    pool.build_global().context("cannot start threads")
}

/// Starts the ranks with `mpirun` and waits for their end.
fn launch(arguments: &Arguments, ranks: u32) -> ExitCode {
    let hint = match arguments.grains.out() {
        Some(directory) => format!(
            "; `--resume` continues from the last checkpoint in `{}`, with any number of ranks",
            directory.display()
        ),
        None => String::new(),
    };
    match mpirun(ranks) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(2) => ExitCode::from(2),
        Ok(1) => ExitCode::FAILURE,
        Ok(code) => {
            eprintln!(
                "error: a rank has died and all others were ended (mpirun: code {code}){hint}"
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {}", with_causes(&error));
            ExitCode::FAILURE
        }
    }
}

/// The exit code of `mpirun` with this program and its arguments but `--ranks`.
fn mpirun(ranks: u32) -> anyhow::Result<i32> {
    let program = env::current_exe().context("cannot find this program")?;
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "-n", &ranks.to_string()]).arg(program);
    let mut arguments = env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--ranks" {
            arguments.next();
        } else if !argument.to_string_lossy().starts_with("--ranks=") {
            command.arg(argument);
        }
    }
    let status = command.status().context(
        "cannot start `mpirun`, expected it installed (Debian: apt-get install openmpi-bin)",
    )?;
    Ok(status.code().unwrap_or(-1))
}
