//! `cargo xtask fuzz [--seconds S] [--seed S] [--target T]`: the stable driver of the fuzz targets.
//!
//! When started by hand, the driver is a release build with the features of the command line, so that both share their dependencies.

use std::process::Command;

use crate::shell::{self, Refusal, cargo};

/// Time of the step of `cargo xtask ci` (s), for all targets together.
const SECONDS: u64 = 120;

/// The targets of that step: those without a known wrong answer after a complete campaign, see the page on
/// reliability in the book.
const IN_CI: [&str; 6] = ["lcp", "friction", "blocks", "impact", "motion", "files"];

/// The options.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    seconds: u64,
    seed: Option<String>,
    targets: Vec<String>,
}

impl Options {
    pub(crate) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self { seconds: SECONDS, seed: None, targets: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let value = rest.next().copied().unwrap_or_default();
            match *argument {
                "--seconds" => {
                    options.seconds = value.parse().map_err(|_| {
                        let expected = "expected a nonnegative integer";
                        Refusal::new(format!("--seconds is `{value}`, {expected}"))
                    })?;
                }
                "--seed" | "--target" if value.is_empty() => {
                    return Err(Refusal::new(format!("{argument} has no value")).into());
                }
                "--seed" => options.seed = Some(value.to_owned()),
                "--target" => options.targets.push(value.to_owned()),
                unknown => return Err(Refusal::new(format!("unknown: fuzz {unknown}")).into()),
            }
        }
        Ok(options)
    }
}

/// The step of `cargo xtask ci`, with the hash of the commit as the seed.
///
/// It uses the driver that the tests have built; a release build takes longer than the additional cases are worth.
pub(crate) fn in_ci() -> anyhow::Result<()> {
    let options =
        Options { seconds: SECONDS, seed: None, targets: IN_CI.map(str::to_owned).to_vec() };
    drive(shell::tested("driver")?, &options)
}

/// Replays the regressions and then draws cases until the time is up. The driver prints its seed.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    drive(driver()?, options)
}

fn drive(mut command: Command, options: &Options) -> anyhow::Result<()> {
    let seed = options.seed.clone().unwrap_or_else(commit);
    command.args(["--seed", &seed, "--seconds", &options.seconds.to_string(), "--save"]);
    command.arg(shell::target().join("fuzz"));
    for target in &options.targets {
        command.args(["--target", target]);
    }
    shell::run(&mut command)
}

/// The command of the built driver, to which arguments are added.
pub(crate) fn driver() -> anyhow::Result<Command> {
    // Cargo unites the features of the requested packages, whichever of their programs it builds.
    let packages = ["--package", "percussion-fuzz", "--package", "percussion-cli"];
    let mut build = cargo(["build", "--release", "--quiet", "--bin", "driver"]);
    shell::run(build.args(packages))?;
    let mut command = Command::new(shell::target().join("release/driver"));
    command.current_dir(shell::root());
    Ok(command)
}

/// The hash of the commit, or a fixed seed outside of a repository.
fn commit() -> String {
    let mut command = Command::new("git");
    command.args(["rev-parse", "HEAD"]).current_dir(shell::root());
    shell::read(&mut command).map_or_else(|_| "1".to_owned(), |hash| hash.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values() {
        let options =
            Options::parse(&["--seconds", "5", "--seed", "ab12", "--target", "lcp"]).unwrap();
        let (seed, targets) = (Some("ab12".to_owned()), vec!["lcp".to_owned()]);
        assert_eq!(options, Options { seconds: 5, seed, targets });
        for wrong in [&["--seconds", "many"][..], &["--seed"], &["--cases", "7"]] {
            assert!(Options::parse(wrong).unwrap_err().is::<Refusal>(), "{wrong:?}");
        }
    }
}
