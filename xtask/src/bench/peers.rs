//! Other libraries on the same problems in the same run.
//!
//! The peers are Siconos's lexicographic Lemke method and its solvers of contacts with friction, and MuJoCo's whole steps of
//! robots. For Siconos our drivers in C are compiled against the installed library. The programs `lemke_peers` and
//! `friction_peers` of percussion-benches send them each problem in turn with our solvers, so that load and
//! clock of the machine affect both times alike. For MuJoCo `benches/peers/whole_step.py` does the same.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::Options;
use crate::shell::{self, Refusal, cargo};

/// Include folders of system packages and of local installations.
const HEADERS: [&str; 2] = ["/usr/include/siconos", "/usr/local/include/siconos"];

/// A program of percussion-benches and its driver of Siconos.
struct Peer {
    program: &'static str,
    driver: &'static str,
    /// Whether it solves contacts with friction; LCPs otherwise.
    friction: bool,
}

const PEERS: [Peer; 2] = [
    Peer { program: "lemke_peers", driver: "siconos_lemke", friction: false },
    Peer { program: "friction_peers", driver: "siconos_friction", friction: true },
];

/// Runs the comparisons and saves their tables with the description of the machine.
///
/// A filter that begins with `friction` selects a part of that comparison, one that begins with `robots` the whole steps (of
/// the robots whose name contains what follows a `/`), any other one a family of LCPs.
pub(super) fn run(options: &Options, folder: &Path, machine: &str) -> anyhow::Result<()> {
    let wanted = options.filter.as_deref().and_then(|filter| filter.strip_prefix("robots"));
    if let Some(name) = wanted {
        let table = robots(name.trim_start_matches('/'))?;
        return save(folder, machine, &table);
    }
    let asked = options.filter.as_ref().map(|filter| filter.starts_with("friction"));
    let mut tables = String::new();
    for peer in PEERS.iter().filter(|peer| asked.is_none_or(|friction| friction == peer.friction)) {
        let driver = driver(peer.driver, folder)?;
        let mut command = cargo([
            "run",
            "--release",
            "--package",
            "percussion-benches",
            "--bin",
            peer.program,
            "--",
        ]);
        command.arg(driver);
        if !peer.friction {
            command.arg(options.problems.to_string());
        }
        let table = shell::read(command.args(&options.filter))?;
        println!("\n{table}");
        tables += &table;
    }
    save(folder, machine, &tables)?;
    if options.filter.is_none() {
        tables += &robots("")?;
        save(folder, machine, &tables)?;
    }
    Ok(())
}

fn save(folder: &Path, machine: &str, tables: &str) -> anyhow::Result<()> {
    fs::write(folder.join("peers.txt"), format!("{machine}\n{tables}"))?;
    println!("saved in {}", folder.display());
    Ok(())
}

/// Whole steps of robots whose name contains `name`, by the Python of the variable `PYTHON` or `python3`.
fn robots(name: &str) -> anyhow::Result<String> {
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    if !shell::succeeds(Command::new(&python).args(["-c", "import mujoco, numpy"])) {
        let install = "pip install mujoco gymnasium gymnasium-robotics mjlab dm-control";
        return Err(Refusal::missing("MuJoCo for Python", install).into());
    }
    let example = ["--package", "percussion-benches", "--example", "whole_step"];
    shell::run(cargo(["build", "--release"]).args(example))?;
    let mut command = Command::new(python);
    command.arg(shell::root().join("benches/peers/whole_step.py"));
    command.arg(shell::target().join("release/examples/whole_step")).arg(name);
    let table = shell::read(&mut command)?;
    println!("\n{table}");
    Ok(table)
}

/// Compiles the driver `name` into `folder`.
fn driver(name: &str, folder: &Path) -> anyhow::Result<PathBuf> {
    if !shell::succeeds(Command::new("cc").arg("--version")) {
        return Err(Refusal::missing("a C compiler", "sudo apt-get install gcc").into());
    }
    let Some(headers) = HEADERS.iter().map(Path::new).find(|path| path.is_dir()) else {
        let install = "sudo apt-get install libsiconos-numerics-dev";
        return Err(Refusal::missing("Siconos (numerics)", install).into());
    };
    let program = folder.join(name);
    let mut command = Command::new("cc");
    command.arg("-O2").arg("-I").arg(headers).arg("-I").arg(headers.join("numerics"));
    command.arg(shell::root().join(format!("benches/peers/{name}.c")));
    command.arg("-o").arg(&program).arg("-lsiconos_numerics");
    shell::run(&mut command)?;
    Ok(program)
}
