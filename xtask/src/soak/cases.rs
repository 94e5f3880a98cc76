//! The random tests of the libraries, with new cases.

use super::trial::Trial;
use crate::shell::{self, cargo};

pub(super) fn run(trial: &mut Trial) -> anyhow::Result<()> {
    let seed = trial.random.next().to_string();
    println!("random tests with PROPTEST_RNG_SEED={seed}");
    // This replaces the seed that `.cargo/config.toml` gives to every other run.
    shell::run(cargo(["test", "--workspace", "--lib"]).env("PROPTEST_RNG_SEED", seed))
}
