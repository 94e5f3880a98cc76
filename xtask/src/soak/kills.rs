//! A run that is killed and resumed repeatedly ends with bitwise the same result.

use std::{process::Stdio, thread::sleep, time::Duration};

use super::trial::Trial;

pub(super) fn run(trial: &mut Trial) -> anyhow::Result<()> {
    let whole = trial.finish("whole")?;
    let longest = u64::try_from(whole.as_micros()).unwrap_or(u64::MAX);
    for _ in 0..20 {
        let mut command = trial.command("killed", trial.is_begun("killed"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        sleep(Duration::from_micros(trial.random.below(longest / 2 + 1)));
        // On Unix this is `kill -9`.
        child.kill()?;
        child.wait()?;
    }
    trial.finish("killed")?;
    trial.compare("whole", "killed")
}
