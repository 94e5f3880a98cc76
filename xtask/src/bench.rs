//! `cargo xtask bench [FILTER] [--peers [--page] [--files FOLDER] [--problems N]]`: speed together with accuracy.
//!
//! Without `--peers` the criterion benches run and their medians go to `target/bench/`, together with a
//! description of the machine and the residuals of the timed results.

mod machine;
mod peers;
mod table;

use std::fs;

use anyhow::Context;

use crate::shell::{self, Refusal, cargo};

/// Problems per family in comparisons with the peers, enough for a 99th percentile.
const PROBLEMS: u32 = 1000;

/// Where the names of benches are.
const NAMES: &str = "expected a part of a name in target/bench/medians.txt of a run without a filter, such as `lemke` \
                     or `articulated/balls`";

/// Options of the measurement.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    filter: Option<String>,
    peers: bool,
    /// Whether the page of the book is written.
    page: bool,
    /// A folder of contact problems of Siconos.
    files: Option<String>,
    problems: u32,
}

impl Options {
    pub(crate) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut options =
            Self { filter: None, peers: false, page: false, files: None, problems: PROBLEMS };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "--peers" => options.peers = true,
                "--page" => options.page = true,
                "--files" => {
                    let folder = rest.next().filter(|folder| !folder.starts_with('-'));
                    let folder = folder.ok_or_else(|| Refusal::new("--files expects a folder"))?;
                    options.files = Some((*folder).to_owned());
                }
                "--problems" => {
                    let value = rest.next().copied().unwrap_or_default();
                    options.problems = value.parse().ok().filter(|n| *n > 0).ok_or_else(|| {
                        Refusal::new(format!("--problems is `{value}`, expected a positive number"))
                    })?;
                }
                filter if !filter.starts_with('-') && options.filter.is_none() => {
                    options.filter = Some(filter.to_string());
                }
                unknown => return Err(Refusal::new(format!("unknown: bench {unknown}")).into()),
            }
        }
        if !options.peers && (options.page || options.files.is_some()) {
            return Err(Refusal::new("--page and --files belong to --peers").into());
        }
        Ok(options)
    }
}

/// Runs the benches, or the comparison with the peers.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let folder = shell::target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
    let machine = machine::describe();
    fs::write(folder.join("machine.txt"), &machine)?;
    print!("{machine}");
    if options.peers {
        return peers::run(options, &folder);
    }

    let residuals = folder.join("residuals.tsv");
    if residuals.exists() {
        fs::remove_file(&residuals)?;
    }
    let criterion = folder.join("criterion");
    if criterion.exists() {
        fs::remove_dir_all(&criterion)?;
    }
    let mut command = cargo(["bench", "--package", "percussion-benches", "--benches", "--"]);
    command.args(&options.filter);
    command.env("CRITERION_HOME", &criterion).env("PERCUSSION_RESIDUALS", &residuals);
    shell::run(&mut command)?;

    let rows = table::read(&criterion, &fs::read_to_string(&residuals).unwrap_or_default())?;
    if rows.is_empty() {
        let filter = options.filter.as_deref().unwrap_or_default();
        let message = format!("no bench is named like `{filter}`, nothing saved; {NAMES}");
        return Err(Refusal::new(message).into());
    }
    let table = table::format(&rows);
    fs::write(folder.join("medians.txt"), format!("{machine}\n{table}"))?;
    println!("\n{table}");
    println!("saved in {}", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order() {
        let options =
            Options::parse(&["--problems", "5", "box", "--files", "data", "--peers"]).unwrap();
        let expected = Options {
            filter: Some("box".to_string()),
            peers: true,
            page: false,
            files: Some("data".to_string()),
            problems: 5,
        };
        assert_eq!(options, expected);
    }

    #[test]
    fn wrong_options_are_refused() {
        for wrong in [
            &["--problems"][..],
            &["--problems", "0"],
            &["--fast"],
            &["a", "b"],
            &["--page"],
            &["--peers", "--files"],
        ] {
            let error = Options::parse(wrong).unwrap_err();
            assert!(error.is::<Refusal>(), "{wrong:?}");
        }
    }
}
