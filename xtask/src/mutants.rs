//! `cargo xtask mutants [--shard K/N] [--in-diff FILE] [--file PATH]`: changes of the code that no test detects.
//!
//! cargo-mutants changes one function after another in a copy of the workspace and runs the tests of its
//! crate. A change that passes all tests is a survivor: either a test is missing, or the change has no
//! effect. The results are kept in `target/mutants/`: the folders of cargo-mutants, and `summary.txt` with
//! the counts and the survivors.

use std::{fmt::Write, fs, path::Path};

use anyhow::{Context, bail};

use crate::shell::{self, Refusal, cargo};

const INSTALL: &str = "cargo install cargo-mutants --locked";

/// The files that decide whether an answer counts as solved, by the package whose tests run.
const FILES: [(&str, &[&str]); 2] = [
    (
        "percussion-complementarity",
        &[
            "crates/complementarity/src/lcp/lemke.rs",
            "crates/complementarity/src/lcp/lemke/**",
            "crates/complementarity/src/lcp/residual.rs",
            "crates/complementarity/src/lcp/residual/**",
            "crates/complementarity/src/friction/cone.rs",
            "crates/complementarity/src/friction/single.rs",
            "crates/complementarity/src/friction/single/**",
            "crates/complementarity/src/friction/problem.rs",
            "crates/complementarity/src/friction/problem/**",
        ],
    ),
    (
        "percussion-impact",
        &[
            "crates/impact/src/certificate.rs",
            "crates/impact/src/certificate/**",
            "crates/impact/src/problem.rs",
            "crates/impact/src/problem/**",
        ],
    ),
];

/// The options.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Part of the mutants, such as `0/8`.
    shard: Option<String>,
    /// A file with a diff; only the changed code is mutated.
    in_diff: Option<String>,
    /// One file instead of the list.
    file: Option<String>,
}

impl Options {
    pub(crate) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        for pair in arguments.chunks(2) {
            let &[name, value] = pair else {
                return Err(Refusal::new(format!("mutants {} has no value", pair[0])).into());
            };
            match name {
                "--shard" => options.shard = Some(checked_shard(value)?),
                "--in-diff" => options.in_diff = Some(value.to_owned()),
                "--file" => options.file = Some(value.to_owned()),
                unknown => return Err(Refusal::new(format!("unknown: mutants {unknown}")).into()),
            }
        }
        Ok(options)
    }

    /// The files of a package that are requested.
    fn files<'a>(&'a self, package: &str, all: &'a [&'a str]) -> Vec<&'a str> {
        let folder = format!("crates/{}/", package.trim_start_matches("percussion-"));
        match &self.file {
            Some(file) if file.starts_with(&folder) => vec![file],
            Some(_) => Vec::new(),
            None => all.to_vec(),
        }
    }
}

/// `K/N` with `K < N`.
fn checked_shard(text: &str) -> Result<String, Refusal> {
    let numbers =
        text.split_once('/').and_then(|(k, n)| Some((k.parse::<u32>().ok()?, n.parse().ok()?)));
    match numbers {
        Some((k, n)) if k < n => Ok(text.to_owned()),
        _ => Err(Refusal::new(format!("--shard is `{text}`, expected K/N with K from 0 to N − 1"))),
    }
}

/// Runs cargo-mutants, which must be installed, and writes the summary. Survivors count as a failure.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if !shell::succeeds(&mut cargo(["mutants", "--version"])) {
        return Err(Refusal::missing("cargo-mutants", INSTALL).into());
    }
    let folder = shell::target().join("mutants");
    let (mut summary, mut survivors) = (String::new(), 0);
    for (package, all) in FILES {
        let files = options.files(package, all);
        if files.is_empty() {
            continue;
        }
        let output = folder.join(package);
        fs::create_dir_all(&output).with_context(|| format!("creating {}", output.display()))?;
        let mut command = cargo(["mutants", "--no-shuffle", "--package", package, "--output"]);
        command.arg(&output);
        for file in files {
            command.args(["--file", file]);
        }
        for (name, value) in [("--shard", &options.shard), ("--in-diff", &options.in_diff)] {
            if let Some(value) = value {
                command.args([name, value]);
            }
        }
        // Survivors and timeouts have their own exit codes; the results are read from the files.
        let status = command.status().context("starting cargo mutants")?;
        if !matches!(status.code(), Some(0 | 2 | 3)) {
            bail!("cargo mutants ended with {status}");
        }
        survivors += record(&mut summary, package, &output.join("mutants.out"))?;
    }
    let path = folder.join("summary.txt");
    fs::write(&path, &summary).with_context(|| format!("writing {}", path.display()))?;
    println!("{summary}written to {}", path.display());
    if survivors > 0 {
        bail!("{survivors} mutants survived");
    }
    Ok(())
}

/// Adds the counts and survivors of a package; returns how many survived.
fn record(summary: &mut String, package: &str, results: &Path) -> anyhow::Result<usize> {
    let list = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(results.join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    let [caught, missed, timeout, unviable] =
        ["caught.txt", "missed.txt", "timeout.txt", "unviable.txt"].map(list);
    let viable = caught.len() + missed.len() + timeout.len();
    writeln!(
        summary,
        "{package}: {viable} viable, {} caught, {} out of time, {} survived; {} do not compile",
        caught.len(),
        timeout.len(),
        missed.len(),
        unviable.len()
    )?;
    for survivor in &missed {
        writeln!(summary, "  {survivor}")?;
    }
    Ok(missed.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values() {
        let options = Options::parse(&["--shard", "1/8", "--in-diff", "x.diff"]).unwrap();
        assert_eq!(
            (options.shard.as_deref(), options.in_diff.as_deref()),
            (Some("1/8"), Some("x.diff"))
        );
        for wrong in [&["--shard"][..], &["--shard", "8/8"], &["--shard", "a/b"], &["--all", "yes"]]
        {
            assert!(Options::parse(wrong).unwrap_err().is::<Refusal>(), "{wrong:?}");
        }
    }

    #[test]
    fn a_file_belongs_to_one_package() {
        let file = Some("crates/impact/src/problem.rs".to_owned());
        let options = Options { file, ..Options::default() };
        assert!(options.files("percussion-complementarity", &["x"]).is_empty(), "another crate");
        assert_eq!(options.files("percussion-impact", &["x"]), ["crates/impact/src/problem.rs"]);
    }

    /// A file that was moved would no longer be mutated.
    #[test]
    fn every_file_exists() {
        for file in FILES.iter().flat_map(|(_, files)| files.iter()) {
            let path = shell::root().join(file.trim_end_matches("/**"));
            assert!(path.exists(), "{file}");
        }
    }

    #[test]
    fn survivors_are_counted_and_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("caught.txt"), "a\nb\n").unwrap();
        fs::write(folder.path().join("missed.txt"), "src/x.rs:1: replace x\n").unwrap();
        let mut summary = String::new();
        assert_eq!(record(&mut summary, "crate", folder.path()).unwrap(), 1);
        assert!(summary.contains("3 viable, 2 caught, 0 out of time, 1 survived"), "{summary}");
        assert!(summary.contains("\n  src/x.rs:1: replace x\n"), "{summary}");
    }
}
