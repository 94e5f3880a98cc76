//! The report card of engines: `cargo xtask report-card`.
//!
//! Creates a virtual environment below `target/report-card`, installs the wheel of the Python package and the engines of
//! `report-card/engines.toml`, runs its tests, and runs the engines. An engine that cannot be installed is a gap in the card,
//! and is named here.

use std::{collections::BTreeMap, fs, process::Command};

use anyhow::Context;
use serde::Deserialize;

use crate::{
    apt, python,
    shell::{self, NotChecked, Refusal},
};

const FOLDER: &str = "report-card";

/// Further packages: of the build, and of the tests.
const TOOLS: [&str; 2] = ["maturin>=1.16,<2", "pytest>=8"];

/// The packages of an engine.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Engine {
    /// Whether it belongs to the quick form.
    quick: bool,
    pip: Vec<String>,
    apt: Vec<String>,
}

/// Runs the report card with the arguments of its own command line.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let Some(interpreter) = python::interpreter() else {
        return Err(Refusal::missing(python::NEEDED, &apt::line(&python::PACKAGES)).into());
    };
    let out = shell::target().join(FOLDER);
    let environment = python::Environment::in_folder(&out)?;
    let engines = engines(arguments)?;
    let mut needed: Vec<&str> = TOOLS.to_vec();
    needed.extend(
        engines.get("percussion").into_iter().flat_map(|own| own.pip.iter().map(String::as_str)),
    );
    environment.make(&interpreter, &needed)?;
    for (name, engine) in &engines {
        if !engine.pip.is_empty() && !shell::succeeds(environment.pip().args(&engine.pip)) {
            println!(
                "report-card: {name} is not installed: pip finds no {}",
                engine.pip.join(", ")
            );
        }
        let packages: Vec<&str> = engine.apt.iter().map(String::as_str).collect();
        if !packages.is_empty() && !are_installed(&packages) && !apt::install(FOLDER, &packages)? {
            println!("report-card: {name} is not installed: {}", apt::line(&packages));
        }
    }
    python::install(&environment)?;
    let folder = shell::root().join(FOLDER);
    let quick = arguments.contains(&"--quick");
    let mut pytest = environment.tool("python");
    shell::run(pytest.args(["-m", "pytest", "-q"]).current_dir(&folder))?;
    let mut card = environment.tool("python");
    card.args(["-m", "report_card", "--out"]).arg(out.join(if quick { "quick" } else { "pages" }));
    shell::run(card.args(arguments).current_dir(&folder))
}

/// The quick form, as CI runs it.
pub(crate) fn in_ci() -> anyhow::Result<()> {
    if python::interpreter().is_none() {
        return Err(NotChecked(format!("{} is not installed here", python::NEEDED)).into());
    }
    run(&["--quick"])
}

/// The engines that these arguments ask for.
fn engines(arguments: &[&str]) -> anyhow::Result<BTreeMap<String, Engine>> {
    let path = shell::root().join(FOLDER).join("engines.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let mut engines: BTreeMap<String, Engine> =
        toml::from_str(&text).with_context(|| format!("reading {}", path.display()))?;
    let named: Vec<&str> =
        arguments.windows(2).filter(|pair| pair[0] == "--engine").map(|pair| pair[1]).collect();
    if !named.is_empty() {
        engines.retain(|name, _| name == "percussion" || named.contains(&name.as_str()));
    } else if arguments.contains(&"--quick") {
        engines.retain(|_, engine| engine.quick);
    } else if arguments.contains(&"--pages-only") {
        engines.retain(|name, _| name == "percussion");
    }
    Ok(engines)
}

/// Whether all of these packages of Debian are installed.
fn are_installed(packages: &[&str]) -> bool {
    shell::succeeds(Command::new("dpkg").arg("-s").args(packages))
}
