//! `cargo xtask ci`: everything that must hold before a merge, in order and to the end.

use std::{env, fs, path::PathBuf, time::Instant};

use anyhow::{Context, bail};

use crate::{
    book, deny, doc, downstream, examples, fuzz, reproduce,
    shell::{self, cargo},
    snapshot, tidy,
};

type Step = (&'static str, fn() -> anyhow::Result<()>);

const STEPS: [Step; 13] = [
    ("tidy", tidy::run),
    ("deny", deny::run_if_installed),
    ("fmt", format),
    ("clippy", clippy),
    ("test", test),
    ("examples", examples::run),
    ("doc", doc::run),
    ("book", book::build_if_installed),
    ("snapshot", snapshot::none_pending),
    ("fuzz", fuzz::in_ci),
    ("reproduce", reproduce::quick),
    ("package", package),
    ("downstream", downstream::run),
];

/// Runs all steps, whatever fails, and then lists what failed.
pub(crate) fn run() -> anyhow::Result<()> {
    let mut summary = Vec::new();
    for (name, step) in STEPS {
        println!("── {name}");
        let start = Instant::now();
        let failure = step().err();
        if let Some(error) = &failure {
            eprintln!("{name} failed: {error:#}");
        }
        summary.push((name, failure, start.elapsed()));
    }
    println!("── summary");
    for (name, failure, time) in &summary {
        let outcome = if failure.is_none() { "ok" } else { "FAILED" };
        println!("{name:<10} {outcome:<6} {:>7.1} s", time.as_secs_f64());
    }
    let failed: Vec<_> =
        summary.iter().filter(|(_, failure, _)| failure.is_some()).map(|step| step.0).collect();
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn format() -> anyhow::Result<()> {
    shell::run(&mut cargo(["fmt", "--all", "--", "--check"]))
}

fn clippy() -> anyhow::Result<()> {
    shell::run(&mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// A changed snapshot fails here: `INSTA_UPDATE=no` shows the difference and writes nothing.
fn test() -> anyhow::Result<()> {
    shell::run(cargo(["test", "--workspace", "--no-fail-fast"]).env("INSTA_UPDATE", "no"))
}

/// Removes what cargo remembers of building the crate `name`, which for a package from a registry is its version only.
fn forget_built(name: &str) -> anyhow::Result<()> {
    let Ok(builds) = fs::read_dir(shell::target().join("debug/.fingerprint")) else {
        return Ok(());
    };
    for build in builds {
        let build = build?;
        if build.file_name().to_string_lossy().rsplit_once('-').is_some_and(|(of, _)| of == name) {
            fs::remove_dir_all(build.path())
                .with_context(|| format!("removing {}", build.path().display()))?;
        }
    }
    Ok(())
}

/// Packs every crate that is published and builds it from the package alone.
///
/// `--allow-dirty`, because what is packed must build whether or not it is committed yet; `--offline`,
/// because the steps before have fetched all that a package of ours may need.
fn package() -> anyhow::Result<()> {
    let metadata = tidy::metadata()?;
    let mut command = cargo(["package", "--allow-dirty", "--offline"]);
    for name in tidy::published(&metadata) {
        forget_built(name)?;
        forget_unpacked(name)?;
        command.args(["--package", name]);
    }
    shell::run(&mut command)
}

/// Removes what an earlier run unpacked of our package `name`.
///
/// To verify packages that depend on one another, cargo serves them from a registry of its own, whose
/// sources it unpacks below the cargo home, in a folder that starts with `-` and depends on the path of
/// the build products only. It would take a package of the same version from there, however old.
fn forget_unpacked(name: &str) -> anyhow::Result<()> {
    let Some(home) = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
    else {
        return Ok(());
    };
    let Ok(registries) = fs::read_dir(home.join("registry/src")) else { return Ok(()) };
    for registry in registries {
        let registry = registry?;
        let unpacked = registry.path().join(format!("{name}-{}", env!("CARGO_PKG_VERSION")));
        if registry.file_name().to_string_lossy().starts_with('-') && unpacked.is_dir() {
            fs::remove_dir_all(&unpacked)
                .with_context(|| format!("removing {}", unpacked.display()))?;
        }
    }
    Ok(())
}
