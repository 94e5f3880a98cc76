//! Which peers are installed here, and how to install those that are not.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::shell::{self, Refusal};

/// Include folders of system packages and of local installations.
const HEADERS: [&str; 2] = ["/usr/include/siconos", "/usr/local/include/siconos"];
/// The drivers of Siconos.
const DRIVERS: [&str; 2] = ["siconos_lemke", "siconos_friction"];

/// A peer, or data that it comes with.
pub(super) struct Source {
    /// The word by which tasks need it.
    pub(super) need: &'static str,
    pub(super) name: &'static str,
    pub(super) install: &'static str,
    /// What is compared with it.
    pub(super) used: &'static str,
}

/// All of them, in the order of the page.
pub(super) const SOURCES: [Source; 5] = [
    Source {
        need: "siconos",
        name: "Siconos (numerics)",
        install: "sudo apt-get update && sudo apt-get install gcc libsiconos-numerics-dev",
        used: "linear complementarity problems, contacts with friction",
    },
    Source {
        need: "files",
        name: "contact problems of Siconos (`.dat`)",
        install: "`git clone https://github.com/siconos/siconos`, then the option --files FOLDER with a folder of its `.dat` files",
        used: "contacts with friction",
    },
    Source {
        need: "rapier",
        name: "rapier",
        install: "none: cargo fetches rapier3d-f64",
        used: "spheres and bricks",
    },
    Source {
        need: "mujoco",
        name: "MuJoCo and its robots",
        install: "pip install gymnasium gymnasium-robotics mjlab dm-control, then pip install --upgrade --no-deps \
                  mujoco==4.0.0 mujoco-core==4.0.0 mujoco-studio==4.0.0, as other packages ask for an older one; \
                  PYTHON names the interpreter",
        used: "steps of robots",
    },
    Source {
        need: "pinocchio",
        name: "pinocchio",
        install: "pip install pin",
        used: "steps of robots",
    },
];

/// The reason why rows that need `need` are not there.
pub(super) fn not_compared(need: &str) -> String {
    let source = SOURCES.iter().find(|source| source.need == need);
    let install = source.map_or(need, |source| source.install);
    format!("not compared: install by {install}")
}

/// Compiles the drivers of Siconos into `folder`.
pub(super) fn siconos(folder: &Path) -> anyhow::Result<()> {
    if !shell::succeeds(Command::new("cc").arg("--version")) {
        return Err(Refusal::missing("a C compiler", "sudo apt-get install gcc").into());
    }
    let Some(headers) = HEADERS.iter().map(Path::new).find(|path| path.is_dir()) else {
        return Err(Refusal::missing(SOURCES[0].name, SOURCES[0].install).into());
    };
    for name in DRIVERS {
        let mut command = Command::new("cc");
        command.arg("-O2").arg("-I").arg(headers).arg("-I").arg(headers.join("numerics"));
        command.arg(shell::root().join(format!("benches/peers/{name}.c")));
        command.arg("-o").arg(folder.join(name)).arg("-lsiconos_numerics");
        shell::run(&mut command)?;
    }
    Ok(())
}

/// The interpreter of the variable `PYTHON`, or `python3`.
pub(super) fn python() -> PathBuf {
    env::var_os("PYTHON").unwrap_or_else(|| "python3".into()).into()
}

/// Whether `python` has these modules.
pub(super) fn has_modules(python: &Path, modules: &str) -> bool {
    shell::succeeds(Command::new(python).arg("-c").arg(format!("import {modules}")))
}

/// Versions of peers that no program of ours tells.
pub(super) fn versions() -> BTreeMap<String, String> {
    let mut versions = BTreeMap::new();
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f=${Version}", "libsiconos-numerics-dev"]);
    if let Ok(version) = shell::read(&mut query) {
        versions.insert("Siconos".to_owned(), version);
    }
    let lock = fs::read_to_string(shell::root().join("Cargo.lock")).unwrap_or_default();
    if let Some(version) = version_in(&lock, "rapier3d-f64") {
        versions.insert("rapier".to_owned(), version);
    }
    versions
}

/// The version of a package in the text of `Cargo.lock`.
fn version_in(lock: &str, package: &str) -> Option<String> {
    let rest = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?.1;
    Some(rest.split('"').next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_installed_is_named_with_its_command() {
        let reason = not_compared("siconos");
        assert_eq!(
            reason,
            "not compared: install by sudo apt-get update && sudo apt-get install gcc libsiconos-numerics-dev"
        );
        assert_eq!(not_compared("other"), "not compared: install by other");
    }

    #[test]
    fn the_version_of_rapier_is_that_of_the_lock_file() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1\"\n\n[[package]]\nname = \"b\"\nversion = \"2.3\"\n";
        assert_eq!(version_in(lock, "b").as_deref(), Some("2.3"));
        assert_eq!(version_in(lock, "c"), None);
    }
}
