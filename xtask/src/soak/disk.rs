//! A run whose disk is full reports this, loses no checkpoint, and continues with bitwise the same result when there is space again.
//!
//! If permitted, a small file system in memory is filled; otherwise, and in half of the trials, the size of
//! files is limited. Both exist only on Unix.

use std::{fs, process::Command};

use anyhow::ensure;

use super::trial::Trial;
use crate::shell;

pub(super) fn run(trial: &mut Trial) -> anyhow::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    trial.finish("whole")?;
    let size = fs::metadata(trial.path("whole").join("grains.checkpoint"))?.len();
    fs::create_dir_all(trial.path("full"))?;
    // Space for between half of a checkpoint and a whole run: three checkpoints at a time, the table and the page.
    let room = size / 2 + trial.random.below(6 * size);
    if trial.random.below(2) == 0 && mount(trial, room) {
        let tried = attempts(trial, |trial| trial.command("full", trial.is_begun("full")));
        // The written files must be kept after the small file system is removed.
        let kept = copy(trial).and_then(|()| {
            let place = trial.path("full");
            shell::run(Command::new("umount").arg(&place))?;
            fs::remove_dir_all(&place)?;
            Ok(fs::rename(trial.path("kept"), &place)?)
        });
        tried.and(kept)?;
    } else {
        attempts(trial, |trial| {
            // In units of 512 bytes or 1 KiB, depending on the shell.
            let limit = trial.random.below(size / 512 + 8);
            let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"");
            let mut command = Command::new("sh");
            command.args(["-c", &script]).arg(trial.program());
            command.args(trial.arguments("full", trial.is_begun("full")));
            command
        })?;
    }
    trial.finish("full")?;
    trial.compare("whole", "full")
}

/// Runs a few times; each succeeds or ends with an error message.
fn attempts(
    trial: &mut Trial,
    mut command: impl FnMut(&mut Trial) -> Command,
) -> anyhow::Result<()> {
    for _ in 0..4 {
        let mut command = command(trial);
        let output = trial.output(&mut command)?;
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(2) => ensure!(said.contains("cannot"), "refused without the reason: {said}"),
            code => anyhow::bail!("ended with {code:?}: {said}"),
        }
    }
    Ok(())
}

/// Mounts a file system of `size` bytes as the directory of the run, if that is permitted.
fn mount(trial: &Trial, size: u64) -> bool {
    let mut command = Command::new("mount");
    command.args(["-t", "tmpfs", "-o", &format!("size={size}"), "percussion-soak"]);
    shell::succeeds(command.arg(trial.path("full")))
}

/// Copies the files of the run to the directory `kept`.
fn copy(trial: &Trial) -> anyhow::Result<()> {
    fs::create_dir_all(trial.path("kept"))?;
    for entry in fs::read_dir(trial.path("full"))? {
        let entry = entry?;
        fs::copy(entry.path(), trial.path("kept").join(entry.file_name()))?;
    }
    Ok(())
}
