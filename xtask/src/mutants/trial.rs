//! Builds the mutants of a package and runs its tests on each.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc::Sender,
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serde_json::Value;

use super::{
    list::Mutant,
    weave::{self, SWITCH, VARIABLE},
};
use crate::shell::{self, cargo};

/// Attempts to leave out what does not compile: errors of types hide those of borrows.
const ATTEMPTS: usize = 40;

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    /// A test failed.
    Caught,
    /// A test did not end.
    OutOfTime,
    /// No test failed.
    Survived,
    /// It does not compile.
    Unviable,
    /// It cannot be woven: constant functions, arms and fields.
    NotTried,
}

/// The woven package and its tests, the fastest first.
pub(super) struct Trial {
    /// The folder in which the tests run.
    folder: PathBuf,
    tests: Vec<(PathBuf, Duration)>,
    /// Parts of the names of tests that do not run.
    skipped: &'static [&'static str],
    /// Fates that are known from the build.
    pub(super) fates: BTreeMap<usize, Fate>,
}

impl Trial {
    /// Copies the workspace into `tree`, weaves the mutants into it, leaves out those that do not compile, and
    /// runs the tests once without a mutant.
    pub(super) fn build(
        package: &str,
        skipped: &'static [&'static str],
        mutants: &[Mutant],
        tree: &Path,
    ) -> anyhow::Result<Self> {
        copy(tree)?;
        let folder = tree.join("crates").join(package.trim_start_matches("percussion-"));
        let head = folder.join("src/lib.rs");
        let text = fs::read_to_string(&head).with_context(|| head.display().to_string())?;
        fs::write(&head, text + SWITCH)?;
        let mut unviable = BTreeSet::new();
        let mut woven = weave_into(tree, mutants, &unviable)?;
        for attempt in 0.. {
            let faults = faults(package, tree)?;
            if faults.is_empty() {
                break;
            }
            if attempt == ATTEMPTS {
                bail!("the mutants of {package} do not compile after {ATTEMPTS} attempts");
            }
            println!("{package}: {} mutants do not compile", faults.len() + unviable.len());
            unviable.extend(faults);
            woven = weave_into(tree, mutants, &unviable)?;
        }
        let fates = mutants
            .iter()
            .filter(|mutant| !woven.contains(&mutant.id))
            .map(|mutant| {
                let is_unviable = unviable.contains(&mutant.id);
                (mutant.id, if is_unviable { Fate::Unviable } else { Fate::NotTried })
            })
            .collect();
        let mut tests = Vec::new();
        for path in executables(package, tree)? {
            let (fate, time) = run(&path, &folder, skipped, 0, Duration::from_secs(600));
            if fate != Fate::Survived {
                bail!("{} fails without a mutant", path.display());
            }
            tests.push((path, time));
        }
        tests.sort_by_key(|(_, time)| *time);
        Ok(Self { folder, tests, skipped, fates })
    }

    /// Runs the tests on the mutants that are left, on all processors, and adds what became of them. Each is told to `log`
    /// as soon as it is known.
    pub(super) fn run(&mut self, mutants: &[Mutant], log: Sender<String>) {
        let next = AtomicUsize::new(0);
        let fates = Mutex::new(std::mem::take(&mut self.fates));
        let left: Vec<&Mutant> = {
            let known = fates.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            mutants.iter().filter(|mutant| !known.contains_key(&mutant.id)).collect()
        };
        let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        thread::scope(|scope| {
            for log in std::iter::repeat_n(log, threads) {
                let (next, left, fates, trial) = (&next, &left, &fates, &*self);
                scope.spawn(move || {
                    while let Some(mutant) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let fate = trial.fate(mutant.id);
                        // Without a reader nothing is told.
                        let _ = log.send(format!("{fate:?} {}", mutant.name));
                        let mut fates =
                            fates.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        fates.insert(mutant.id, fate);
                    }
                });
            }
        });
        self.fates = fates.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    }

    /// The tests one after another, until one fails.
    fn fate(&self, id: usize) -> Fate {
        let mut fates = self.tests.iter().map(|(path, time)| {
            // Branches that a mutant takes may be slower.
            let limit = *time * 5 + Duration::from_secs(10);
            run(path, &self.folder, self.skipped, id, limit).0
        });
        fates.find(|fate| *fate != Fate::Survived).unwrap_or(Fate::Survived)
    }
}

/// The files of the repository as they are now. Unchanged files keep their times, so that cargo does not compile again.
fn copy(tree: &Path) -> anyhow::Result<()> {
    let root = shell::root();
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(&root);
    for name in shell::read(&mut list)?.lines() {
        let (from, to) = (root.join(name), tree.join(name));
        let Ok(content) = fs::read(&from) else { continue };
        write(&to, &content)?;
    }
    Ok(())
}

/// Writes what is new.
fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    fs::write(path, content).with_context(|| path.display().to_string())
}

/// Weaves all but `without` into the files of `tree`; returns those that are in.
fn weave_into(
    tree: &Path,
    mutants: &[Mutant],
    without: &BTreeSet<usize>,
) -> anyhow::Result<BTreeSet<usize>> {
    let mut by_file: BTreeMap<&str, Vec<Mutant>> = BTreeMap::new();
    for mutant in mutants {
        let list = by_file.entry(&mutant.file).or_default();
        if !without.contains(&mutant.id) {
            list.push(mutant.clone());
        }
    }
    let mut all = BTreeSet::new();
    for (file, list) in by_file {
        let path = shell::root().join(file);
        let text = fs::read_to_string(&path).with_context(|| file.to_owned())?;
        let woven = weave::weave(&text, &list).with_context(|| file.to_owned())?;
        all.extend(woven.mutants);
        write(&tree.join(file), woven.text.as_bytes())?;
    }
    Ok(all)
}

/// `cargo COMMAND` in the tree, whose warnings do not matter.
fn in_tree(tree: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", tree.with_extension("target"))
        .env("RUSTFLAGS", "--cap-lints allow")
        .args(["--message-format", "json"]);
    command
}

fn messages(command: &mut Command) -> anyhow::Result<Vec<Value>> {
    let output = command.stderr(Stdio::inherit()).output().context("starting cargo")?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// The mutants to which the errors of the compiler belong.
fn faults(package: &str, tree: &Path) -> anyhow::Result<BTreeSet<usize>> {
    let messages = messages(&mut in_tree(tree, &["check", "--package", package]))?;
    let mut faults = BTreeSet::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for message in messages.iter().map(|message| &message["message"]) {
        let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
        if message["level"] != "error" || spans.is_empty() {
            continue;
        }
        // The branches that a span is in, else all of the expressions around it.
        let mut found = BTreeSet::new();
        for choose in [branch, around] {
            if !found.is_empty() {
                break;
            }
            for span in spans {
                let file = span["file_name"].as_str().unwrap_or_default();
                let start = span["byte_start"].as_u64().unwrap_or_default();
                let text = texts
                    .entry(file.to_owned())
                    .or_insert_with(|| fs::read_to_string(tree.join(file)).unwrap_or_default());
                found.extend(choose(text, usize::try_from(start)?));
            }
        }
        if found.is_empty() {
            bail!("not by a mutant: {}", message["rendered"].as_str().unwrap_or_default());
        }
        faults.extend(found);
    }
    Ok(faults)
}

/// The mutant at whose line `offset` is.
fn branch(text: &str, offset: usize) -> Vec<usize> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let mark = text[start..].strip_prefix("/*m").and_then(|rest| rest.split_once("*/"));
    mark.and_then(|(number, _)| number.parse().ok()).into_iter().collect()
}

/// The mutants of the innermost woven expression around `offset`.
fn around(text: &str, offset: usize) -> Vec<usize> {
    let mut closed = BTreeSet::new();
    let mut end = offset;
    while let Some(at) = text[..end].rfind("/*") {
        end = at;
        let Some((mark, _)) = text[at + 2..].split_once("*/") else { continue };
        if let Some(numbers) = mark.strip_prefix('x') {
            closed.insert(numbers);
        } else if let Some(numbers) = mark.strip_prefix('e') {
            let list: Result<Vec<usize>, _> = numbers.split(',').map(str::parse).collect();
            if let (Ok(list), false) = (list, closed.contains(numbers)) {
                return list;
            }
        }
    }
    Vec::new()
}

/// The test programs of the package.
fn executables(package: &str, tree: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut command = in_tree(tree, &["test", "--no-run", "--package", package]);
    let list: Vec<PathBuf> = messages(&mut command)?
        .iter()
        .filter(|message| message["profile"]["test"] == true)
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .collect();
    if list.is_empty() {
        bail!("{package} has no tests, or they do not compile");
    }
    Ok(list)
}

/// Runs one test program with the mutant `id` and without the `skipped` tests, for at most `limit` of processor time.
/// Returns the time that it took, too.
fn run(
    path: &Path,
    folder: &Path,
    skipped: &[&str],
    id: usize,
    limit: Duration,
) -> (Fate, Duration) {
    let mut command = Command::new(path);
    command
        .arg("--quiet")
        .args(skipped.iter().flat_map(|name| ["--skip", name]))
        .current_dir(folder)
        .env(VARIABLE, id.to_string())
        .env("INSTA_UPDATE", "no")
        .env("CARGO_MANIFEST_DIR", folder)
        .env("PROPTEST_RNG_SEED", "15")
        // A failure is enough: its smallest case and its backtrace are not needed.
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return (Fate::NotTried, Duration::ZERO) };
    let start = Instant::now();
    let mut time = Duration::ZERO;
    loop {
        time = processor_time(child.id()).unwrap_or_else(|| start.elapsed()).max(time);
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return (Fate::Survived, time),
            Ok(Some(_)) | Err(_) => return (Fate::Caught, time),
            // A program that waits for nothing takes no processor time.
            Ok(None) if time > limit || start.elapsed() > 60 * limit => {
                // It may have ended meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return (Fate::OutOfTime, time);
            }
            Ok(None) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Processor time of a program that runs, which does not depend on what else does; `None` if it is not known.
fn processor_time(id: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses is the second field; the times of the program and of the system for it are the fields 14
    // and 15, in hundredths of a second.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(14)? + ticks(15)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_belongs_to_the_branch_or_the_expression_around_it() {
        let text = "x (/*e7,8*/ match (a, (/*e9*/ b /*x9*/)) {\n/*m7*/ l - r\n} else c /*x7,8*/) y";
        let at = |part: &str| text.find(part).unwrap();
        assert_eq!(branch(text, at("l - r")), [7]);
        assert!(branch(text, at("match")).is_empty());
        assert_eq!(around(text, at("b /*")), [9]);
        assert_eq!(around(text, at("c /*")), [7, 8]);
        assert!(around(text, at("y")).is_empty() && around(text, 0).is_empty(), "outside of all");
    }

    #[test]
    fn a_program_that_fails_or_does_not_end_is_told_apart() {
        let shell = |script: &str| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("test.sh");
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            assert!(shell::succeeds(Command::new("chmod").arg("+x").arg(&path)));
            run(&path, folder.path(), &["slow"], 3, Duration::from_millis(300)).0
        };
        assert_eq!(shell("exit 0"), Fate::Survived);
        assert_eq!(shell("test $PERCUSSION_MUTANT != 3"), Fate::Caught);
        assert_eq!(shell("test \"$*\" = '--quiet --skip slow'"), Fate::Survived);
        assert_eq!(shell("while :; do :; done"), Fate::OutOfTime);
        // Elsewhere the time is that of the clock.
        if processor_time(std::process::id()).is_some() {
            assert_eq!(shell("sleep 1"), Fate::Survived, "it takes no processor time");
        }
    }
}
