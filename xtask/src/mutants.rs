//! `cargo xtask mutants [--shard K/N] [--in-diff FILE] [--file PATH]`: changes of the code that no test detects.
//!
//! cargo-mutants lists changes of the functions that judge answers. All changes of a package are [woven](weave) into
//! one copy of it, which is compiled once; then its tests [run](trial) on each. A change that passes all tests, those of
//! documentation aside, is a survivor: either a test is missing, or the change has no effect. The results are kept in
//! `target/mutants/summary.txt`.

mod list;
mod trial;
mod weave;

use std::{collections::BTreeMap, fmt::Write, fs, io::Write as _};

use anyhow::{Context, bail};
use list::Mutant;
use trial::{Fate, Trial};

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
    /// Part of the mutants, such as the first of eight, `(0, 8)`.
    shard: Option<(usize, usize)>,
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

    /// The part of the list that is requested: every `N`th, so that each part has some of every file.
    fn part(&self, list: Vec<Mutant>) -> Vec<Mutant> {
        let Some((k, n)) = self.shard else { return list };
        list.into_iter().filter(|mutant| mutant.id % n == k).collect()
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
fn checked_shard(text: &str) -> Result<(usize, usize), Refusal> {
    let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((k, n)) if k < n => Ok((k, n)),
        _ => Err(Refusal::new(format!("--shard is `{text}`, expected K/N with K from 0 to N − 1"))),
    }
}

/// Tries the mutants and writes the summary; needs cargo-mutants. Survivors count as a failure.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if !shell::succeeds(&mut cargo(["mutants", "--version"])) {
        return Err(Refusal::missing("cargo-mutants", INSTALL).into());
    }
    let folder = shell::target().join("mutants");
    fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
    let path = folder.join("summary.txt");
    let (mut summary, mut survivors) = (String::new(), 0);
    for (package, all) in FILES {
        let files = options.files(package, all);
        if files.is_empty() {
            continue;
        }
        let mutants = options.part(list::of(package, &files, options.in_diff.as_deref())?);
        if mutants.is_empty() {
            continue;
        }
        let mut trial = Trial::build(package, &mutants, &folder.join("tree"))?;
        let mut log = fs::File::create(folder.join(format!("{package}.log")))?;
        let (sender, receiver) = std::sync::mpsc::channel::<String>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for line in receiver {
                    // What is lost here is in the summary.
                    let _ = writeln!(log, "{line}");
                }
            });
            trial.run(&mutants, sender);
        });
        survivors += record(&mut summary, package, &mutants, &trial.fates)?;
        fs::write(&path, &summary).with_context(|| format!("writing {}", path.display()))?;
    }
    println!("{summary}written to {}", path.display());
    if survivors > 0 {
        bail!("{survivors} mutants survived");
    }
    Ok(())
}

/// Adds the counts and survivors of a package; returns how many survived.
fn record(
    summary: &mut String,
    package: &str,
    mutants: &[Mutant],
    fates: &BTreeMap<usize, Fate>,
) -> anyhow::Result<usize> {
    let count = |fate: Fate| fates.values().filter(|found| **found == fate).count();
    let [caught, late, missed] = [Fate::Caught, Fate::OutOfTime, Fate::Survived].map(count);
    let viable = caught + late + missed;
    let share = 100.0 * (caught + late) as f64 / viable.max(1) as f64;
    writeln!(
        summary,
        "{package}: {viable} viable, {caught} caught, {late} out of time ({share:.1} % together), {missed} survived; \
         {} do not compile, {} not tried",
        count(Fate::Unviable),
        count(Fate::NotTried),
    )?;
    for mutant in mutants.iter().filter(|mutant| fates.get(&mutant.id) == Some(&Fate::Survived)) {
        writeln!(summary, "  {}", mutant.name)?;
    }
    Ok(missed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values() {
        let options = Options::parse(&["--shard", "1/8", "--in-diff", "x.diff"]).unwrap();
        assert_eq!((options.shard, options.in_diff.as_deref()), (Some((1, 8)), Some("x.diff")));
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
        let value = |line: usize| {
            serde_json::json!({
                "file": "src/x.rs", "name": format!("src/x.rs:{line}: replace x"), "genre": "FnValue",
                "replacement": "0", "span": {"start": {"line": line, "column": 1}},
            })
        };
        let list: Vec<_> = (1..=3).map(|id| list::read(&value(id), id).unwrap()).collect();
        let fates = [(1, Fate::Survived), (2, Fate::Caught), (3, Fate::OutOfTime)].into();
        let mut summary = String::new();
        assert_eq!(record(&mut summary, "crate", &list, &fates).unwrap(), 1);
        let counts = "3 viable, 1 caught, 1 out of time (66.7 % together), 1 survived";
        assert!(summary.contains(counts), "{summary}");
        assert!(summary.contains("\n  src/x.rs:1: replace x\n"), "{summary}");
        let options = Options { shard: Some((1, 3)), ..Options::default() };
        assert_eq!(options.part(list).len(), 1, "one of three");
    }
}
