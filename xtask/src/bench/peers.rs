//! Other libraries on the same problems in the same run.
//!
//! The peers are Siconos's lexicographic Lemke method and its solvers of contacts with friction, the whole steps of
//! robots by MuJoCo and pinocchio, and piles of spheres and bricks by rapier. For Siconos our drivers in C are compiled against the installed library. The programs `lemke_peers` and
//! `friction_peers` of percussion-benches send them each problem in turn with our solvers, so that load and
//! clock of the machine affect both times alike. For MuJoCo and pinocchio `benches/peers/whole_step.py` does the same, for rapier
//! the bench `granular_pile`.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, bail};

use super::Options;
use crate::shell::{self, Refusal, cargo};

/// Include folders of system packages and of local installations.
const HEADERS: [&str; 2] = ["/usr/include/siconos", "/usr/local/include/siconos"];

/// One comparison, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    /// Linear complementarity problems, with Siconos.
    Lcp,
    /// Contacts with friction, with Siconos.
    Friction,
    /// Whole steps of robots, with MuJoCo and pinocchio.
    Robots,
    /// Spheres and bricks, with rapier, which cargo fetches.
    Grains,
}

impl Comparison {
    const ALL: [Self; 4] = [Self::Lcp, Self::Friction, Self::Robots, Self::Grains];

    const fn title(self) -> &'static str {
        match self {
            Self::Lcp => "Linear complementarity problems beside Siconos",
            Self::Friction => "Contacts with friction beside Siconos",
            Self::Robots => "Whole steps of robots beside MuJoCo and pinocchio",
            Self::Grains => "Spheres and bricks beside rapier",
        }
    }

    /// The comparison that a filter selects by its beginning.
    fn of(filter: &str) -> Self {
        let named =
            [("friction", Self::Friction), ("robots", Self::Robots), ("granular", Self::Grains)];
        let found = named.into_iter().find(|(name, _)| filter.starts_with(name));
        found.map_or(Self::Lcp, |(_, comparison)| comparison)
    }

    /// Its table.
    fn run(self, options: &Options, folder: &Path) -> anyhow::Result<String> {
        let filter = options.filter.as_deref();
        match self {
            Self::Lcp => siconos(["lemke_peers", "siconos_lemke"], options, folder),
            Self::Friction => siconos(["friction_peers", "siconos_friction"], options, folder),
            Self::Robots => {
                let name = filter.and_then(|filter| filter.strip_prefix("robots"));
                robots(name.unwrap_or_default().trim_start_matches('/'))
            }
            Self::Grains => grains(filter.unwrap_or("granular/")),
        }
    }
}

/// Runs the comparisons and saves their tables with the description of the machine.
///
/// A filter that begins with `friction` selects a part of that comparison, one that begins with `robots` the whole steps (of
/// the robots whose name contains what follows a `/`), one that begins with `granular` the grains, any other one a family of LCPs.
/// Without a filter a comparison whose peer is missing is named in the table, with the command that installs the peer.
pub(super) fn run(options: &Options, folder: &Path, machine: &str) -> anyhow::Result<()> {
    if let Some(filter) = &options.filter {
        let table = Comparison::of(filter).run(options, folder)?;
        println!("\n{table}");
        return save(folder, machine, &table);
    }
    let mut tables = String::new();
    for comparison in Comparison::ALL {
        let table = match comparison.run(options, folder) {
            Err(error) if error.is::<Refusal>() => format!("not compared: {error}"),
            table => table?,
        };
        let table = format!("{}\n\n{}\n\n", comparison.title(), table.trim_end());
        println!("\n{table}");
        tables += &table;
        save(folder, machine, &tables)?;
    }
    Ok(())
}

/// The table of a program of percussion-benches with a driver of Siconos.
fn siconos(
    [program, driver]: [&str; 2],
    options: &Options,
    folder: &Path,
) -> anyhow::Result<String> {
    let peer = self::driver(driver, folder)?;
    let package = ["run", "--release", "--package", "percussion-benches", "--bin", program, "--"];
    let mut command = cargo(package);
    command.arg(peer);
    if program == "lemke_peers" {
        command.arg(options.problems.to_string());
    }
    shell::read(command.args(&options.filter))
}

/// What the bench of grains whose names begin with `filter` says of ours and of rapier: times in turns, overlap, approach and
/// kinetic energy.
fn grains(filter: &str) -> anyhow::Result<String> {
    let bench = ["bench", "--package", "percussion-benches", "--bench", "granular_pile", "--"];
    let mut command = cargo(bench);
    command.arg(filter).stderr(Stdio::piped());
    let mut running = command.spawn().context("starting the bench of grains")?;
    let mut table = String::new();
    for line in running.stderr.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line?;
        eprintln!("{line}");
        if ["bricks/", "pile/"].iter().any(|name| line.starts_with(name)) {
            table += &line;
            table.push('\n');
        }
    }
    if !running.wait()?.success() {
        bail!("the bench of grains failed");
    }
    Ok(table)
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
        let install = "pip install mujoco pin gymnasium gymnasium-robotics mjlab dm-control";
        return Err(Refusal::missing("MuJoCo for Python", install).into());
    }
    let example = ["--package", "percussion-benches", "--example", "whole_step"];
    shell::run(cargo(["build", "--release"]).args(example))?;
    let mut command = Command::new(python);
    command.arg(shell::root().join("benches/peers/whole_step.py"));
    command.arg(shell::target().join("release/examples/whole_step")).arg(name);
    shell::read(&mut command)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_filter_selects_the_comparison() {
        assert_eq!(Comparison::of("friction/stack"), Comparison::Friction);
        assert_eq!(Comparison::of("robots/ant"), Comparison::Robots);
        assert_eq!(Comparison::of("granular/bricks"), Comparison::Grains);
        assert_eq!(Comparison::of("box"), Comparison::Lcp);
    }
}
