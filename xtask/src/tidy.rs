//! `cargo xtask tidy`: our rules that no compiler checks.
//!
//! Each check is a pure function from text to [`Finding`]s in its own module, so that it can be tested on a
//! few lines; this module passes it the workspace.

mod circles;
pub(crate) mod files;
mod fixtures;
mod formulas;
mod front_page;
mod layering;
mod licenses;
mod links;
mod packages;
mod public_paths;
mod readme;
mod registry;
mod sources;
mod text;
mod toolchain;
mod versions;

use std::{
    fmt::{self, Display, Formatter},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::{
    fields,
    shell::{self, cargo},
};

/// A violation of a rule.
#[derive(Debug, PartialEq)]
pub(crate) struct Finding {
    path: PathBuf,
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: impl Into<PathBuf>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into() }
    }
}

impl Display for Finding {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path.display(), self.line, self.message)
    }
}

/// Prints every finding; a single finding is a failure.
pub(crate) fn run() -> anyhow::Result<()> {
    let findings = findings()?;
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} findings", findings.len());
    }
    println!("tidy");
    Ok(())
}

fn findings() -> anyhow::Result<Vec<Finding>> {
    let root = shell::root();
    let metadata = metadata()?;
    let mut findings = layering::check(&metadata);
    findings.extend(versions::check(&shell::read(&mut cargo(versions::TREE))?));
    let licenses = shell::read(&mut cargo(licenses::TREE))?;
    findings.extend(licenses::check(&licenses, &read(&root.join("deny.toml"))?));
    for (name, arguments) in packages::trees() {
        findings.extend(packages::check(name, &shell::read(&mut cargo(arguments))?));
    }
    let workflow = read(&root.join(".github/workflows/ci.yml"))?;
    findings.extend(toolchain::check(&read(&root.join("Cargo.toml"))?, &workflow));
    let lock = read(&root.join("Cargo.lock"))?;
    findings.extend(registry::check(&lock));
    let python = Path::new("python/Cargo.lock");
    findings.extend(registry::check_versions(python, &read(&root.join(python))?, &lock));
    findings.extend(readme::check_crates(&metadata));
    let crates: Vec<_> = published(&metadata).collect();
    findings.extend(readme::check_table(&read(&root.join("README.md"))?, &crates));
    let mut sources = Vec::new();
    for path in files::all(&root)? {
        let relative = path.strip_prefix(&root).unwrap_or(&path);
        if relative.extension().is_some_and(|extension| extension == "rs") {
            let text = read(&path)?;
            findings.extend(sources::check(relative, &text));
            findings.extend(formulas::check(relative, &text));
            findings.extend(front_page::check(relative, &text));
            findings.extend(public_paths::check(relative, &text));
            sources.push((relative.to_path_buf(), text));
        } else if relative.extension().is_some_and(|extension| extension == "md") {
            let text = read(&path)?;
            findings.extend(formulas::check(relative, &text));
            let exists = |path: &Path| root.join(path).exists();
            let text_of = |path: &Path| fs::read_to_string(root.join(path)).unwrap_or_default();
            findings.extend(links::check(relative, &text, exists, text_of));
            findings.extend(links::check_chapter(relative, |list| text_of(Path::new(list))));
        } else if fixtures::is_fixture(relative) {
            let list = fs::read_to_string(path.with_file_name("README.md")).unwrap_or_default();
            let text = read(&path)?;
            findings.extend(fixtures::check(relative, &text, &list));
            findings.extend(fixtures::check_origins(relative, &text));
        }
    }
    if let Some(line) = fields::first_difference()? {
        findings.push(Finding::new(fields::PAGE, line, fields::DIFFERS));
    }
    let sources = sources.iter().map(|(path, text)| (path.as_path(), text.as_str()));
    findings.extend(circles::check(sources));
    Ok(findings)
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

/// The members in `cargo metadata`, without the packages of their dependencies.
pub(crate) fn metadata() -> anyhow::Result<Value> {
    let text = shell::read(&mut cargo(["metadata", "--format-version=1", "--no-deps"]))?;
    serde_json::from_str(&text).context("output of cargo metadata")
}

/// Name and folder of every member of the workspace.
pub(crate) fn members(metadata: &Value) -> impl Iterator<Item = (&str, &str)> {
    packages(metadata).filter_map(|package| {
        let manifest = package["manifest_path"].as_str()?;
        Some((package["name"].as_str()?, manifest.strip_suffix("Cargo.toml")?))
    })
}

/// Names of the members that may be published (`publish` is not `false`).
pub(crate) fn published(metadata: &Value) -> impl Iterator<Item = &str> {
    packages(metadata)
        .filter(|package| package["publish"].as_array().is_none_or(|to| !to.is_empty()))
        .filter_map(|package| package["name"].as_str())
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// Path of the manifest of `package`, relative to the root if it is below it.
fn manifest(package: &Value) -> PathBuf {
    let path = Path::new(package["manifest_path"].as_str().unwrap_or("Cargo.toml"));
    path.strip_prefix(shell::root()).unwrap_or(path).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let list: Vec<_> = findings().unwrap().iter().map(ToString::to_string).collect();
        assert!(list.is_empty(), "\n{}", list.join("\n"));
    }

    #[test]
    fn a_finding_reads_like_a_compiler_message() {
        let finding = Finding::new("src/a.rs", 7, "broken, expected whole");
        assert_eq!(finding.to_string(), "src/a.rs:7: broken, expected whole");
    }

    #[test]
    fn unpublished_members_are_not_packed() {
        let metadata = serde_json::json!({"packages": [
            {"name": "a", "publish": null}, {"name": "b", "publish": []},
        ]});
        assert_eq!(published(&metadata).collect::<Vec<_>>(), ["a"]);
    }
}
