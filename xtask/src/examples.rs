//! The examples of the crates: `cargo xtask examples`.

use std::{fs, process::Command};

use anyhow::{Context, bail};

use crate::shell::{self, cargo};

/// Examples that measure for minutes; they are run by hand, in release builds.
const BY_HAND: [&str; 2] = ["articulated_speed", "variational_energy"];

/// Builds all examples, which the tests may have built already, and runs each that is not in [`BY_HAND`]. An
/// example asserts the figures that it prints.
pub(crate) fn run() -> anyhow::Result<()> {
    shell::run(&mut cargo(["build", "--workspace", "--examples"]))?;
    let names = names()?;
    if let Some(missing) = BY_HAND.iter().find(|name| !names.iter().any(|known| known == *name)) {
        bail!("there is no example {missing}");
    }
    for name in names.iter().filter(|name| !BY_HAND.contains(&name.as_str())) {
        println!("{name}");
        let program = shell::target().join("debug/examples").join(name);
        shell::run(Command::new(program).current_dir(shell::root()))?;
    }
    Ok(())
}

/// The names of all examples, in order: `crates/*/examples/*.rs`.
fn names() -> anyhow::Result<Vec<String>> {
    let crates = shell::root().join("crates");
    let mut names = Vec::new();
    for entry in fs::read_dir(&crates).with_context(|| format!("reading {}", crates.display()))? {
        let Ok(files) = fs::read_dir(entry?.path().join("examples")) else { continue };
        for file in files {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
    }
    names.sort();
    Ok(names)
}
