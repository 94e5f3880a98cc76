//! The Python package: `cargo xtask python`.
//!
//! Checks the Rust side with rustfmt and clippy, creates a virtual environment below `target/`, builds the wheel, installs
//! it, and checks it with pytest, which runs the notebooks, the stubs, the types of package and examples, and the examples
//! themselves. The adapter of pinocchio, which
//! is a large package, is checked only if pinocchio is installed.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, bail};

use crate::{
    apt,
    shell::{self, NotChecked, Refusal},
};

/// The package, a cargo workspace of its own.
const FOLDER: &str = "python";

/// Oldest supported interpreter, as declared by the package.
const OLDEST: (u32, u32) = (3, 10);

/// Further packages for the checks, installed by pip.
const TOOLS: [&str; 7] = [
    "maturin>=1.16,<2",
    "numpy>=1.26",
    "pytest>=8",
    "mypy>=1.11",
    "mujoco>=3.2",
    "matplotlib>=3.7",
    "distributed>=2024",
];

/// What is needed beside Rust.
pub(crate) const NEEDED: &str = "Python 3.10 or newer with venv and pip";

/// The packages of Debian and Ubuntu.
pub(crate) const PACKAGES: [&str; 2] = ["python3", "python3-venv"];

/// Builds and checks the package.
pub(crate) fn run() -> anyhow::Result<()> {
    match interpreter() {
        Some(python) => check(&python),
        None => Err(Refusal::missing(NEEDED, &apt::line(&PACKAGES)).into()),
    }
}

/// The same in CI: installs what is missing where that is allowed, and is [`NotChecked`] where it is not.
pub(crate) fn in_ci() -> anyhow::Result<()> {
    if interpreter().is_none() && !apt::install("python", &PACKAGES)? {
        return Err(NotChecked(format!(
            "{NEEDED} is not installed here and may not be installed ({}): the Python package was not built and not \
             checked",
            apt::line(&PACKAGES)
        ))
        .into());
    }
    run()
}

/// An interpreter that is new enough and can make virtual environments with pip.
pub(crate) fn interpreter() -> Option<PathBuf> {
    let chosen = env::var_os("PYTHON").map(PathBuf::from);
    let names = ["python3", "python"].map(PathBuf::from);
    chosen.into_iter().chain(names).find(|python| is_usable(python))
}

fn is_usable(python: &Path) -> bool {
    let script = "import sys, venv, ensurepip; print(*sys.version_info[:2])";
    let output = Command::new(python).args(["-c", script]).stderr(Stdio::null()).output();
    let Ok(output) = output else { return false };
    output.status.success() && version(&output.stdout).is_some_and(|version| version >= OLDEST)
}

/// The two numbers that an interpreter has printed.
fn version(printed: &[u8]) -> Option<(u32, u32)> {
    let text = std::str::from_utf8(printed).ok()?;
    let (major, minor) = text.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn check(python: &Path) -> anyhow::Result<()> {
    let out = shell::target().join("python");
    let environment = Environment::in_folder(&out)?;
    let package = shell::root().join(FOLDER);
    let mut times = Vec::new();
    let mut timed = |name: &'static str, step: &dyn Fn() -> anyhow::Result<()>| {
        println!("python: {name}");
        let start = Instant::now();
        let ended = step().with_context(|| format!("python: {name}"));
        times.push((name, start.elapsed()));
        ended
    };
    timed("format", &|| {
        let mut format = shell::cargo(["fmt", "--check", "--manifest-path"]);
        shell::run(format.arg(package.join("Cargo.toml")))
    })?;
    timed("clippy", &|| clippy(&package))?;
    timed("environment", &|| environment.make(python, &TOOLS))?;
    timed("wheel", &|| build(&environment, &package, &out.join("wheels")))?;
    timed("tests", &|| {
        let mut pytest = environment.tool("pytest");
        pytest.arg(package.join("tests")).env("PERCUSSION_COMMAND", command_line()?);
        shell::run(pytest.arg("--config-file").arg(package.join("pyproject.toml")))
    })?;
    timed("types", &|| types(&environment, &package, &out))?;
    timed("examples", &|| examples(&environment, &package))?;
    for (name, time) in times {
        println!("{name:<12} {:>6.1} s", time.as_secs_f64());
    }
    Ok(())
}

/// Checks the Rust side for warnings, with the settings and the target directory of its workspace.
fn clippy(package: &Path) -> anyhow::Result<()> {
    // In the profile of the wheel, so that macros and build scripts are compiled once.
    let mut clippy =
        shell::cargo(["clippy", "--release", "--quiet", "--locked", "--", "-D", "warnings"]);
    shell::run(
        clippy.current_dir(package).env("CARGO_TARGET_DIR", shell::target().join("bindings")),
    )
}

/// The `percussion` program that the tests compare with bitwise: the one given by the environment, or one built here.
fn command_line() -> anyhow::Result<PathBuf> {
    if let Some(command) = env::var_os("PERCUSSION_COMMAND") {
        return Ok(PathBuf::from(command));
    }
    Ok(PathBuf::from(shell::tested("percussion")?.get_program()))
}

/// A virtual environment.
pub(crate) struct Environment {
    root: PathBuf,
}

impl Environment {
    /// The environment in a folder below `target/`, which is created if needed.
    pub(crate) fn in_folder(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        Ok(Self { root: folder.join("venv") })
    }

    /// Creates the environment if it does not exist, with these packages.
    pub(crate) fn make(&self, python: &Path, packages: &[impl AsRef<OsStr>]) -> anyhow::Result<()> {
        if !shell::succeeds(self.tool("python").arg("--version")) {
            shell::run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&self.root))?;
        }
        shell::run(self.pip().args(packages))
    }

    /// `pip install`.
    pub(crate) fn pip(&self) -> Command {
        let mut pip = self.tool("python");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    }

    /// A program of the environment, in a folder in which Python does not find the sources of the package.
    pub(crate) fn tool(&self, name: &str) -> Command {
        let programs = self.root.join(if cfg!(windows) { "Scripts" } else { "bin" });
        let mut command = Command::new(programs.join(name));
        command.current_dir(self.root.parent().unwrap_or(&self.root));
        // The build of the wheel has its own folder, as `python/.cargo/config.toml` says.
        command.env("CARGO_TARGET_DIR", shell::target().join("bindings"));
        command
    }
}

/// Builds the wheel of the package and installs it in an environment that has `maturin`.
pub(crate) fn install(environment: &Environment) -> anyhow::Result<()> {
    build(environment, &shell::root().join(FOLDER), &shell::target().join("python/wheels"))
}

/// Builds the wheel and installs it.
fn build(environment: &Environment, package: &Path, wheels: &Path) -> anyhow::Result<()> {
    if wheels.exists() {
        fs::remove_dir_all(wheels).with_context(|| format!("removing {}", wheels.display()))?;
    }
    let mut maturin = environment.tool("maturin");
    maturin.args(["build", "--release", "--locked", "--out"]).arg(wheels).current_dir(package);
    shell::run(&mut maturin)?;
    let wheel = wheel(wheels)?;
    let size = fs::metadata(&wheel).map_or(0, |about| about.len());
    println!("{} ({:.1} MB)", wheel.display(), size as f64 / 1e6);
    let mut pip = environment.pip();
    shell::run(pip.args(["--no-index", "--no-deps", "--force-reinstall"]).arg(&wheel))
}

/// The only wheel in a folder.
fn wheel(folder: &Path) -> anyhow::Result<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            found.push(path);
        }
    }
    match <[PathBuf; 1]>::try_from(found) {
        Ok([wheel]) => Ok(wheel),
        Err(found) => bail!("{} has {} wheels, expected one", folder.display(), found.len()),
    }
}

/// Checks that the stubs agree with the module, and the types of the package and of its examples.
fn types(environment: &Environment, package: &Path, out: &Path) -> anyhow::Result<()> {
    let settings = package.join("pyproject.toml");
    let cache = out.join("mypy");
    let mut stubtest = environment.tool("python");
    stubtest.args(["-m", "mypy.stubtest", "percussion", "--concise", "--ignore-unused-allowlist"]);
    stubtest.arg("--allowlist").arg(package.join("stubtest-allowlist.txt"));
    shell::run(stubtest.arg("--mypy-config-file").arg(&settings))?;
    let mypy = || {
        let mut mypy = environment.tool("mypy");
        mypy.arg("--config-file").arg(&settings).arg("--cache-dir").arg(&cache);
        mypy
    };
    shell::run(mypy().args(["--package", "percussion"]))?;
    shell::run(mypy().arg(package.join("examples")))
}

/// Runs the examples, which assert the figures they print.
fn examples(environment: &Environment, package: &Path) -> anyhow::Result<()> {
    let folder = package.join("examples");
    let mut scripts = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "py") {
            scripts.push(path);
        }
    }
    scripts.sort();
    for script in scripts {
        println!("{}", script.display());
        shell::run(environment.tool("python").arg(script))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(version(b"3 9\n").is_some_and(|version| version < OLDEST), "3.9 is too old");
        assert!(version(b"3 11\n").is_some_and(|version| version >= OLDEST), "3.11 is new enough");
        assert_eq!(version(b"Python 2.7"), None);
    }

    #[test]
    fn what_is_no_interpreter_is_not_used() {
        assert!(!is_usable(Path::new("no-such-program")), "not there");
    }
}
