//! `cargo xtask soak [--minutes M] [--seed S]`: trials that run for a given time.
//!
//! Runs of grains are killed at random times, run out of disk space, have bits of their checkpoints flipped,
//! and are started twice on one directory. Each must end with bitwise the same result as an undisturbed run,
//! or with an error message. In between, the driver of the fuzz targets and the random tests of the libraries
//! run with new seeds. The first seed is printed; the times of kills still differ from run to run. The
//! program also reads documents with random damage. A failed trial keeps its directory below `target/soak/`.

mod cases;
mod disk;
mod flips;
mod fuzz;
mod inputs;
mod kills;
mod pairs;
mod trial;

use std::{
    fs,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, bail};

use self::trial::{Random, Trial};
use crate::shell::{self, Refusal, cargo};

/// Default duration (minutes).
const MINUTES: u64 = 10;

type Kind = (&'static str, fn(&mut Trial) -> anyhow::Result<()>);

const KINDS: [Kind; 7] = [
    ("kills", kills::run),
    ("disk", disk::run),
    ("flips", flips::run),
    ("pairs", pairs::run),
    ("inputs", inputs::run),
    ("fuzz", fuzz::run),
    ("cases", cases::run),
];

/// The options.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    minutes: u64,
    seed: Option<u64>,
}

impl Options {
    pub(crate) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self { minutes: MINUTES, seed: None };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut number = || {
                let value = rest.next().copied().unwrap_or_default();
                value.parse().map_err(|_| {
                    let expected = "expected a nonnegative integer";
                    Refusal::new(format!("{argument} is `{value}`, {expected}"))
                })
            };
            match *argument {
                "--minutes" => options.minutes = number()?,
                "--seed" => options.seed = Some(number()?),
                unknown => return Err(Refusal::new(format!("unknown: soak {unknown}")).into()),
            }
        }
        Ok(options)
    }
}

/// Runs trials of all kinds in turn until the time is up, each kind at least once, and lists the failed ones.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let seed = options.seed.unwrap_or_else(fresh_seed);
    println!("soak for {} min, seed {seed}", options.minutes);
    shell::run(&mut cargo(["build", "--release", "--package", "percussion-cli"]))?;
    let program = shell::target().join("release").join("percussion");
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    let folder = shell::target().join("soak");
    fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
    let start = Instant::now();
    let time = Duration::from_secs(60 * options.minutes);
    let (mut counts, mut failed) = ([0_u64; KINDS.len()], Vec::new());
    let mut seeds = Random::new(seed);
    for number in 0_usize.. {
        if number >= KINDS.len() && start.elapsed() >= time {
            break;
        }
        let (name, kind) = KINDS[number % KINDS.len()];
        let seed = seeds.next();
        let directory = folder.join(format!("{name}-{seed:016x}"));
        let mut trial = Trial::new(&program, &directory, seed)?;
        counts[number % KINDS.len()] += 1;
        match kind(&mut trial) {
            Ok(()) => fs::remove_dir_all(&directory)
                .with_context(|| format!("removing {}", directory.display()))?,
            Err(error) => {
                eprintln!("{name} failed in {}: {error:#}", directory.display());
                failed.push(directory);
            }
        }
    }
    for ((name, _), count) in KINDS.iter().zip(counts) {
        println!("{name:<6} {count:>7} trials");
    }
    println!("{:.1} min, seed {seed}", start.elapsed().as_secs_f64() / 60.0);
    if !failed.is_empty() {
        bail!("{} trials failed", failed.len());
    }
    Ok(())
}

/// A seed from the clock.
fn fresh_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Random::new(since.as_secs() ^ (u64::from(since.subsec_nanos()) << 32)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_numbers() {
        let options = Options::parse(&["--seed", "7", "--minutes", "0"]).unwrap();
        assert_eq!(options, Options { minutes: 0, seed: Some(7) });
        for wrong in [&["--seed"][..], &["--minutes", "-1"], &["7"]] {
            assert!(Options::parse(wrong).unwrap_err().is::<Refusal>(), "{wrong:?}");
        }
    }
}
