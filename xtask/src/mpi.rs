//! Grains over MPI: `cargo xtask mpi`.
//!
//! Checks the package `mpi/` with rustfmt and clippy, builds it, and runs its tests, which start 1, 2 and 4 processes with
//! `mpirun` and kill, stop and starve some of them. `--scaling` measures how fast two ranks are beside one.

mod scaling;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    apt,
    shell::{self, NotChecked, Refusal},
};

/// The package, a cargo workspace of its own.
const FOLDER: &str = "mpi";

/// What is needed beside Rust.
const NEEDED: &str = "Open MPI with mpicc and mpirun, and libclang";

/// The packages of Debian and Ubuntu.
const PACKAGES: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// Containers run as root, which `mpirun` refuses otherwise.
const AS_ROOT: [(&str, &str); 2] =
    [("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")];

/// Builds and checks the package.
pub(crate) fn run() -> anyhow::Result<()> {
    must_be_installed()?;
    check()
}

/// Measures how fast two ranks are beside one.
pub(crate) fn scaling() -> anyhow::Result<()> {
    must_be_installed()?;
    scaling::run()
}

fn must_be_installed() -> anyhow::Result<()> {
    if is_installed() {
        Ok(())
    } else {
        Err(Refusal::missing(NEEDED, &apt::line(&PACKAGES)).into())
    }
}

/// The same in CI: installs what is missing where that is allowed, and is [`NotChecked`] where it is not.
pub(crate) fn in_ci() -> anyhow::Result<()> {
    if !is_installed() && !apt::install("mpi", &PACKAGES)? {
        return Err(NotChecked(format!(
            "{NEEDED} are not installed here and may not be installed ({}): grains over MPI were not built and not \
             checked",
            apt::line(&PACKAGES)
        ))
        .into());
    }
    run()
}

fn is_installed() -> bool {
    let answers = |program: &str| {
        shell::succeeds(Command::new(program).arg("--version").stderr(Stdio::null()))
    };
    answers("mpirun") && answers("mpicc") && has_libclang()
}

/// Whether the library is where bindgen looks for it.
fn has_libclang() -> bool {
    if env::var_os("LIBCLANG_PATH").is_some() || !cfg!(target_os = "linux") {
        return true;
    }
    let is_there = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).any(|name| {
            name.to_str().is_some_and(|name| name.starts_with("libclang") && name.contains(".so"))
        })
    };
    let versions = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let llvm = versions.map(|entry| entry.path()).filter(|path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("llvm"))
    });
    let mut folders = llvm.map(|path| path.join("lib"));
    folders.any(|folder| is_there(&folder))
        || ["/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
            .iter()
            .any(|folder| is_there(Path::new(folder)))
}

fn check() -> anyhow::Result<()> {
    shell::run(&mut cargo(&["fmt", "--check"]))?;
    // In one profile, so that the dependencies are compiled once.
    shell::run(&mut cargo(&["test", "--release", "--locked"]))?;
    let clippy =
        ["clippy", "--release", "--quiet", "--locked", "--all-targets", "--", "-D", "warnings"];
    shell::run(&mut cargo(&clippy))
}

/// `cargo ARGUMENTS` in the package, built beside the Python package, with which it shares most dependencies.
fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = shell::cargo(arguments);
    cargo.current_dir(shell::root().join(FOLDER)).env("CARGO_TARGET_DIR", built());
    cargo.envs(AS_ROOT);
    cargo
}

/// Where the package is built.
fn built() -> PathBuf {
    shell::target().join("bindings")
}
