//! `cargo xtask mutants [--shard K/N] [--in-diff FILE] [--file PATH] [--of FILE]`: changes of the code that no test
//! detects.
//!
//! cargo-mutants lists changes of the functions that judge answers. All changes of a package are [woven](weave) into
//! one copy of it, which is compiled once; then its tests [run](trial) on each. A change that passes all tests, those of
//! documentation aside, is a survivor: either a test is missing, or the change has no effect. Those that have none are
//! [explained] in a file and do not count. Of the others at least [`GOAL`] must be detected in each file.
//! The results are kept in `target/mutants/summary.txt`.

mod explained;
mod list;
mod trial;
mod weave;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    io::Write as _,
};

use anyhow::{Context, bail};
use explained::Explained;
use list::Mutant;
use trial::{Fate, Trial};

use crate::shell::{self, Refusal, cargo};

const INSTALL: &str = "cargo install cargo-mutants --locked";

/// Least share of the mutants of a file that must be detected, of those that compile and are not explained (%).
const GOAL: f64 = 95.0;

/// The files of a package that decide whether an answer counts as solved.
struct Package {
    name: &'static str,
    files: &'static [&'static str],
    /// Parts of the names of tests that do not run, because they take long and judge other code.
    skipped: &'static [&'static str],
}

/// The packages whose tests run.
const PACKAGES: [Package; 2] = [
    Package {
        name: "percussion-complementarity",
        skipped: &[],
        files: &[
            "crates/complementarity/src/elimination.rs",
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
    },
    Package {
        name: "percussion-impact",
        skipped: &["derivative::", "outer_bounds::", "outcome_set::", "set_valued::"],
        files: &[
            "crates/impact/src/certificate.rs",
            "crates/impact/src/certificate/**",
            "crates/impact/src/problem.rs",
            "crates/impact/src/problem/**",
        ],
    },
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
    /// A file that names mutants, such as the summary of another run; only these are tried.
    of: Option<String>,
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
                "--of" => options.of = Some(value.to_owned()),
                unknown => return Err(Refusal::new(format!("unknown: mutants {unknown}")).into()),
            }
        }
        Ok(options)
    }

    /// The part of the list that is requested: every `N`th, so that each part has some of every file, and the named
    /// ones.
    fn part(&self, mut list: Vec<Mutant>) -> anyhow::Result<Vec<Mutant>> {
        if let Some((k, n)) = self.shard {
            list.retain(|mutant| mutant.id % n == k);
        }
        if let Some(file) = &self.of {
            let text = fs::read_to_string(file).with_context(|| file.clone())?;
            let names: BTreeSet<&str> = text.lines().map(str::trim).collect();
            list.retain(|mutant| names.contains(&*mutant.name));
        }
        Ok(list)
    }

    /// Whether all mutants of the files are tried.
    const fn all(&self) -> bool {
        self.shard.is_none() && self.in_diff.is_none() && self.of.is_none()
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

/// Tries the mutants and writes the summary; needs cargo-mutants. Fails if a file misses the goal or an explanation is
/// wrong.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if !shell::succeeds(&mut cargo(["mutants", "--version"])) {
        return Err(Refusal::missing("cargo-mutants", INSTALL).into());
    }
    let explained = Explained::load()?;
    let folder = shell::target().join("mutants");
    fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
    let path = folder.join("summary.txt");
    let (mut summary, mut faults) = (String::new(), 0);
    for Package { name: package, files, skipped } in PACKAGES {
        let files = options.files(package, files);
        if files.is_empty() {
            continue;
        }
        let mutants = list::of(package, &files, options.in_diff.as_deref())?;
        let (reasons, unused) = explained.among(&mutants)?;
        let mutants = options.part(mutants)?;
        if mutants.is_empty() {
            continue;
        }
        let mut trial = Trial::build(package, skipped, &mutants, &folder.join("tree"))?;
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
        faults += record(&mut summary, &mutants, &trial.fates, &reasons)?;
        if options.all() {
            for entry in &unused {
                writeln!(summary, "explains nothing: {entry}")?;
            }
            faults += unused.len();
        }
        fs::write(&path, &summary).with_context(|| format!("writing {}", path.display()))?;
    }
    println!("{summary}written to {}", path.display());
    if faults > 0 {
        bail!("{faults} files below {GOAL} % and explanations that do not hold");
    }
    Ok(())
}

/// Adds the counts and survivors of each file; returns the number of files that miss the goal and of explained mutants
/// that a test detects.
fn record(
    summary: &mut String,
    mutants: &[Mutant],
    fates: &BTreeMap<usize, Fate>,
    reasons: &BTreeSet<usize>,
) -> anyhow::Result<usize> {
    let mut faults = 0;
    let files: BTreeSet<&str> = mutants.iter().map(|mutant| &*mutant.file).collect();
    for file in files {
        let list: Vec<(&Mutant, Fate, bool)> = mutants
            .iter()
            .filter(|mutant| mutant.file == file)
            .filter_map(|mutant| {
                Some((mutant, *fates.get(&mutant.id)?, reasons.contains(&mutant.id)))
            })
            .collect();
        let count = |fate: Fate| list.iter().filter(|(_, found, _)| *found == fate).count();
        let [caught, late, survived] = [Fate::Caught, Fate::OutOfTime, Fate::Survived].map(count);
        let explained =
            list.iter().filter(|(_, fate, reason)| *fate == Fate::Survived && *reason).count();
        let missed = survived - explained;
        let share = 100.0 * (caught + late) as f64 / (caught + late + missed).max(1) as f64;
        writeln!(
            summary,
            "{file}: {} viable, {caught} caught, {late} out of time, {explained} explained, {missed} missed \
             ({share:.1} % of the unexplained); {} do not compile, {} not tried",
            caught + late + survived,
            count(Fate::Unviable),
            count(Fate::NotTried),
        )?;
        faults += usize::from(share < GOAL);
        for (mutant, fate, reason) in list {
            match (fate, reason) {
                (Fate::Survived, false) => writeln!(summary, "  {}", mutant.name)?,
                (Fate::Caught | Fate::OutOfTime, true) => {
                    faults += 1;
                    writeln!(summary, "  explained, but detected: {}", mutant.name)?;
                }
                _ => {}
            }
        }
    }
    Ok(faults)
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
        for file in PACKAGES.iter().flat_map(|package| package.files) {
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
        let list: Vec<_> = (1..=4).map(|id| list::read(&value(id), id).unwrap()).collect();
        let fates =
            [(1, Fate::Survived), (2, Fate::Caught), (3, Fate::OutOfTime), (4, Fate::Survived)];
        let record = |reasons: &[usize]| {
            let mut summary = String::new();
            let reasons = reasons.iter().copied().collect();
            let faults = record(&mut summary, &list, &fates.into(), &reasons).unwrap();
            (faults, summary)
        };
        let (faults, summary) = record(&[4]);
        assert_eq!(faults, 1, "below the goal");
        let counts =
            "4 viable, 1 caught, 1 out of time, 1 explained, 1 missed (66.7 % of the unexplained)";
        assert!(summary.contains(counts), "{summary}");
        assert!(summary.contains("\n  src/x.rs:1: replace x\n"), "{summary}");
        assert!(!summary.contains("x.rs:4"), "{summary}");
        assert_eq!(record(&[1, 4]).0, 0, "all others are detected");
        let (faults, summary) = record(&[1, 2, 4]);
        assert_eq!(faults, 1, "a reason is wrong");
        assert!(summary.contains("explained, but detected: src/x.rs:2: replace x"), "{summary}");
    }

    #[test]
    fn a_part_has_some_of_every_file_or_the_named_ones() {
        let value = |line: usize| {
            serde_json::json!({
                "file": "src/x.rs", "name": format!("src/x.rs:{line}: replace x"), "genre": "FnValue",
                "replacement": "0", "span": {"start": {"line": line, "column": 1}},
            })
        };
        let list: Vec<_> = (1..=3).map(|id| list::read(&value(id), id).unwrap()).collect();
        let of = |options: Options| options.part(list.clone()).unwrap().len();
        assert_eq!(of(Options { shard: Some((1, 3)), ..Options::default() }), 1, "one of three");
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "x: 1 missed\n  src/x.rs:2: replace x\n").unwrap();
        let of_file = Some(file.path().display().to_string());
        assert_eq!(of(Options { of: of_file, ..Options::default() }), 1, "the named one");
    }
}
