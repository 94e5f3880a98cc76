//! The stable driver of the fuzz targets, with a new seed.

use super::trial::Trial;
use crate::{fuzz, shell};

/// Time for the cases of one trial (s).
const SECONDS: &str = "30";

pub(super) fn run(trial: &mut Trial) -> anyhow::Result<()> {
    let seed = trial.random.next().to_string();
    let mut command = fuzz::driver()?;
    command.args(["--seed", &seed, "--seconds", SECONDS, "--save"]);
    shell::run(command.arg(trial.path("failures")))
}
