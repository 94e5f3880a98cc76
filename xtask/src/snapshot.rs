//! `cargo xtask snapshot [--accept]`: the tests that compare with a stored snapshot.
//!
//! Tests with snapshots in files are the test target `stored` of their package. They run once and write
//! differences to `.snap.new` files next to the stored ones; these are shown as a [`table`] and then removed
//! or accepted. Texts in the source of other tests are ordinary assertions, which `cargo test` checks.

mod table;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::{
    shell::{self, cargo},
    tidy::{self, files},
};

/// Name of the test targets with snapshots in files.
const TARGET: &str = "stored";

/// Shows the differences and leaves all files unchanged; a difference is an error.
pub(crate) fn check() -> anyhow::Result<()> {
    let metadata = tidy::metadata()?;
    let stored = run(&metadata)?;
    let differences = stored.show()?;
    stored.pending()?.iter().try_for_each(|path| remove(path))?;
    if differences > 0 {
        bail!(
            "{differences} stored snapshots differ; if that is meant, take them with `cargo xtask snapshot --accept`"
        );
    }
    println!("no stored snapshot differs");
    Ok(())
}

/// Accepts the differences, and removes files that no test reads.
pub(crate) fn accept() -> anyhow::Result<()> {
    let metadata = tidy::metadata()?;
    let stored = run(&metadata)?;
    stored.show()?;
    for path in stored.pending()? {
        fs::rename(&path, path.with_extension(""))
            .with_context(|| format!("accepting {}", path.display()))?;
    }
    stored.unread()?.iter().try_for_each(|path| remove(path))
}

/// Fails when an earlier run left a changed snapshot behind that nobody accepted or rejected.
pub(crate) fn none_pending() -> anyhow::Result<()> {
    let pending: Vec<_> =
        files::all(&shell::root())?.into_iter().filter(|path| is_pending(path)).collect();
    if pending.is_empty() {
        return Ok(());
    }
    for path in &pending {
        eprintln!("{}: snapshot waits for a decision", path.display());
    }
    bail!(
        "{} pending snapshots; accept with `cargo xtask snapshot --accept` or delete them",
        pending.len()
    );
}

fn is_pending(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".snap.new") || name.ends_with(".pending-snap")
}

fn remove(path: &Path) -> anyhow::Result<()> {
    fs::remove_file(path).with_context(|| format!("removing {}", path.display()))
}

/// Runs all tests with snapshots in files; differences are pending afterwards.
fn run(metadata: &Value) -> anyhow::Result<Stored> {
    let folders = owners(metadata);
    let references = shell::target().join("snapshot-references.txt");
    // Tests append to the list of an earlier run.
    if references.exists() {
        remove(&references)?;
    }
    let stored = Stored {
        folders: folders.iter().map(|folder| folder.join("tests/snapshots")).collect(),
        references,
    };
    stored.pending()?.iter().try_for_each(|path| remove(path))?;
    // With `--workspace` dependencies have the same features, and therefore the same build, as for all other tests.
    let tests = |options: &[&str]| {
        let options = [&["test", "--workspace", "--quiet", "--no-fail-fast"], options].concat();
        let mut command = cargo(options);
        command.args(["--test", TARGET]);
        command
    };
    shell::run(&mut tests(&["--no-run"]))?;
    let start = Instant::now();
    // A difference does not stop a test, so that all of its snapshots are compared.
    let mut command = tests(&[]);
    command
        .env("INSTA_UPDATE", "new")
        .env("INSTA_FORCE_PASS", "1")
        .env("INSTA_OUTPUT", "none")
        .env("INSTA_SNAPSHOT_REFERENCES_FILE", &stored.references);
    shell::run(&mut command)?;
    println!("stored snapshots compared in {:.0} s", start.elapsed().as_secs_f64());
    Ok(stored)
}

/// Folders of the packages that have snapshots in files.
fn owners(metadata: &Value) -> Vec<PathBuf> {
    let has_target = |package: &&Value| {
        package["targets"].as_array().is_some_and(|targets| {
            targets.iter().any(|target| target["name"] == TARGET && target["kind"][0] == "test")
        })
    };
    let packages = metadata["packages"].as_array().into_iter().flatten().filter(has_target);
    let folder = |package: &Value| {
        Path::new(package["manifest_path"].as_str()?).parent().map(Path::to_path_buf)
    };
    packages.filter_map(folder).collect()
}

/// The list of the snapshot files that tests have read.
struct Stored {
    folders: Vec<PathBuf>,
    /// One path per line.
    references: PathBuf,
}

impl Stored {
    fn files(&self, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for folder in self.folders.iter().filter(|folder| folder.exists()) {
            found.extend(files::with_extension(folder, extension)?);
        }
        Ok(found)
    }

    fn pending(&self) -> anyhow::Result<Vec<PathBuf>> {
        self.files("new")
    }

    /// Stored snapshots that no test reads any more.
    fn unread(&self) -> anyhow::Result<Vec<PathBuf>> {
        let read = fs::read_to_string(&self.references)
            .with_context(|| format!("reading {}", self.references.display()))?;
        let read: BTreeSet<_> = read.lines().map(Path::new).collect();
        let mut files = self.files("snap")?;
        files.retain(|path| !read.contains(path.as_path()));
        Ok(files)
    }

    /// Prints the differences and returns the number of files.
    fn show(&self) -> anyhow::Result<usize> {
        let pending = self.pending()?;
        for path in &pending {
            let before = path.with_extension("");
            let after = read(path)?;
            let before = if before.exists() { read(&before)? } else { String::new() };
            let name = path.with_extension("");
            println!("\n{}", name.strip_prefix(shell::root()).unwrap_or(&name).display());
            println!("{}", table::of(&before, &after));
        }
        let unread = self.unread()?;
        for path in &unread {
            println!("\n{}: no test reads this any more", path.display());
        }
        Ok(pending.len() + unread.len())
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pending_snapshots_are_known_by_their_names() {
        assert!(is_pending(Path::new("tests/snapshots/a.snap.new")), "a file snapshot");
        assert!(is_pending(Path::new("src/.lemke.rs.pending-snap")), "an inline snapshot");
        assert!(!is_pending(Path::new("tests/snapshots/a.snap")), "an accepted snapshot");
    }

    #[test]
    fn owners_have_a_test_target_of_that_name() {
        let package = |name: &str, target: &str, kind: &str| {
            json!({
                "name": name,
                "manifest_path": format!("/w/{name}/Cargo.toml"),
                "targets": [{"name": target, "kind": [kind]}],
            })
        };
        let metadata = json!({"packages": [
            package("a", "stored", "test"), package("b", "stored", "bin"), package("c", "laws", "test"),
        ]});
        assert_eq!(owners(&metadata), [PathBuf::from("/w/a")]);
    }

    #[test]
    fn stored_files_that_no_test_reads_are_found() {
        let folder = std::env::temp_dir().join(format!("xtask-snapshot-{}", std::process::id()));
        fs::create_dir_all(folder.join("impacts")).unwrap();
        let [kept, orphan] = ["a.snap", "b.snap"].map(|name| folder.join("impacts").join(name));
        fs::write(&kept, "").unwrap();
        fs::write(&orphan, "").unwrap();
        let references = folder.join("references.txt");
        fs::write(&references, format!("{}\n", kept.display())).unwrap();
        let stored = Stored { folders: vec![folder.clone()], references };
        assert_eq!(stored.unread().unwrap(), [orphan]);
        assert!(stored.pending().unwrap().is_empty(), "nothing differs");
        fs::remove_dir_all(folder).unwrap();
    }
}
