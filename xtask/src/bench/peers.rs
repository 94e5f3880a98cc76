//! Other libraries on the same problems in the same run.
//!
//! The peer today is the lexicographic Lemke method of Siconos. Our driver in C is compiled against
//! the installed library; the program `lemke_peers` of percussion-benches feeds it problem by problem
//! in turn with our solver, so that load and clock of the machine change both times alike.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::Options;
use crate::shell::{self, Refusal, cargo};

/// Where a system package or a local installation puts the headers.
const HEADERS: [&str; 2] = ["/usr/include/siconos", "/usr/local/include/siconos"];

/// Runs the comparison and saves its table beside the description of the machine.
pub(super) fn run(options: &Options, folder: &Path, machine: &str) -> anyhow::Result<()> {
    let driver = driver(folder)?;
    let mut command = cargo([
        "run",
        "--release",
        "--package",
        "percussion-benches",
        "--bin",
        "lemke_peers",
        "--",
    ]);
    command.arg(driver).arg(options.problems.to_string()).args(&options.filter);
    let table = shell::read(&mut command)?;
    println!("\n{table}");
    fs::write(folder.join("peers.txt"), format!("{machine}\n{table}"))?;
    println!("saved in {}", folder.display());
    Ok(())
}

/// Compiles the driver into `folder`.
fn driver(folder: &Path) -> anyhow::Result<PathBuf> {
    if !shell::succeeds(Command::new("cc").arg("--version")) {
        return Err(Refusal::missing("a C compiler", "sudo apt-get install gcc").into());
    }
    let Some(headers) = HEADERS.iter().map(Path::new).find(|path| path.is_dir()) else {
        let install = "sudo apt-get install libsiconos-numerics-dev";
        return Err(Refusal::missing("Siconos (numerics)", install).into());
    };
    let program = folder.join("siconos_lemke");
    let mut command = Command::new("cc");
    command.arg("-O2").arg("-I").arg(headers).arg("-I").arg(headers.join("numerics"));
    command.arg(shell::root().join("benches/peers/siconos_lemke.c"));
    command.arg("-o").arg(&program).arg("-lsiconos_numerics");
    shell::run(&mut command)?;
    Ok(program)
}
