//! Packages that use the crates as a user would: `cargo xtask downstream`.

use std::{fs, process::Command};

use anyhow::Context;

use crate::shell::{self, cargo};

/// The folder of the packages, a separate workspace.
const FOLDER: &str = "examples/downstream";

/// Builds all packages and runs each of them, without a network.
///
/// They use the versions of our lock file, so that nothing must be fetched.
pub(crate) fn run() -> anyhow::Result<()> {
    let (root, folder) = (shell::root(), shell::root().join(FOLDER));
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).context("copying Cargo.lock")?;
    let mut build = cargo(["build", "--workspace", "--offline", "--manifest-path"]);
    build.arg(folder.join("Cargo.toml")).env("CARGO_TARGET_DIR", shell::target());
    shell::run(&mut build)?;
    for package in packages(&folder)? {
        println!("{FOLDER}/{package}");
        // `cargo run` of one package would compile its dependencies again, with only its own features.
        let program = shell::target().join("debug").join(&package);
        shell::run(Command::new(program).current_dir(&root))?;
    }
    Ok(())
}

/// The folders with a manifest, named like their packages.
fn packages(folder: &std::path::Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.join("Cargo.toml").is_file() {
            names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}
