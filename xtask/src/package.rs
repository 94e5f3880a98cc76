//! `cargo xtask package`: packs every published crate and checks it using only its package.
//!
//! The packages are unpacked into a separate workspace, in which each is checked with its default features and
//! without any. This finds files that are missing in a package and features that only another of our crates
//! enables, and it compiles shared dependencies only once.

use std::{fmt::Write as _, fs, path::Path, process::Command};

use anyhow::{Context, bail};

use crate::{
    features,
    shell::{self, cargo},
    tidy,
};

/// The texts that a package must contain.
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// `--allow-dirty`, because a package must build whether or not it is committed; `--offline`, because the
/// steps before have fetched all dependencies.
pub(crate) fn run() -> anyhow::Result<()> {
    let metadata = tidy::metadata()?;
    let names: Vec<&str> = tidy::published(&metadata).collect();
    let mut pack = cargo(["package", "--allow-dirty", "--offline", "--no-verify"]);
    shell::run(pack.args(names.iter().flat_map(|name| ["--package", name])))?;
    let folder = shell::target().join("package/unpacked");
    unpack(&names, &folder)?;
    for name in &names {
        let package = folder.join(format!("{name}-{}", env!("CARGO_PKG_VERSION")));
        for license in LICENSES {
            if !package.join(license).is_file() {
                bail!(
                    "the package of {name} has no {license}, expected a link to it in its folder"
                );
            }
        }
    }
    let check = |name, selection: &[&str]| {
        let mut check = cargo(["check", "--offline", "--package", name, "--manifest-path"]);
        check.arg(folder.join("Cargo.toml")).args(selection);
        shell::run(check.env("CARGO_TARGET_DIR", shell::target()))
    };
    for name in &names {
        check(name, &[])?;
    }
    for name in features::with_features(&metadata) {
        check(name, &["--no-default-features"])?;
    }
    Ok(())
}

/// Creates a workspace of the packages `names` in `folder`, which is emptied first.
fn unpack(names: &[&str], folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("removing {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    for name in names {
        let archive = format!("{name}-{}.crate", env!("CARGO_PKG_VERSION"));
        let mut tar = Command::new("tar");
        // With the times of today: cargo builds again what is newer than its last build.
        tar.arg("-xzmf").arg(shell::target().join("package").join(archive)).arg("-C").arg(folder);
        shell::run(&mut tar)?;
    }
    let root = shell::root();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).context("reading Cargo.toml")?;
    fs::write(folder.join("Cargo.toml"), workspace(names, profiles(&manifest)?))
        .with_context(|| format!("writing into {}", folder.display()))?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).context("copying Cargo.lock")?;
    Ok(())
}

/// The manifest of a workspace in which the packages `names` depend on one another.
fn workspace(names: &[&str], profiles: &str) -> String {
    let mut text = "[workspace]\nresolver = \"3\"\nmembers = [\"percussion-*\"]\n".to_owned();
    text.push_str("\n[patch.crates-io]\n");
    for name in names {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} = {{ path = \"{name}-{}\" }}", env!("CARGO_PKG_VERSION"));
    }
    text + "\n" + profiles
}

/// The part of our manifest from its first profile on, so that existing builds are reused.
fn profiles(manifest: &str) -> anyhow::Result<&str> {
    match manifest.find("[profile.") {
        Some(start) => Ok(&manifest[start..]),
        None => bail!("Cargo.toml has no profile, expected them at its end"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_stand_in_for_those_of_the_registry() {
        let text = workspace(&["percussion-a"], "[profile.dev]\nopt-level = 1\n");
        let patch =
            format!("percussion-a = {{ path = \"percussion-a-{}\" }}", env!("CARGO_PKG_VERSION"));
        assert!(text.contains(&patch), "{text}");
        assert!(text.ends_with("[profile.dev]\nopt-level = 1\n"), "{text}");
    }

    #[test]
    fn profiles_are_the_end_of_the_manifest() {
        assert_eq!(profiles("[workspace]\n[profile.dev]\n").unwrap(), "[profile.dev]\n");
        assert!(profiles("[workspace]\n").is_err());
    }
}
