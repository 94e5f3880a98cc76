//! A checkpoint with flipped bits, truncated or replaced by noise is rejected; the checkpoint before it continues with bitwise the same result.

use std::fs;

use anyhow::ensure;

use super::trial::{Random, Trial};

pub(super) fn run(trial: &mut Trial) -> anyhow::Result<()> {
    trial.finish("whole")?;
    trial.finish("flipped")?;
    let files = ["grains.checkpoint", "grains.checkpoint.previous"]
        .map(|name| trial.path("flipped").join(name));
    let [good, before] = files.each_ref().map(fs::read);
    let (good, before) = (good?, before?);
    for _ in 0..20 {
        let both = trial.random.below(2) == 1;
        fs::write(&files[0], damaged(&good, &mut trial.random))?;
        let second = if both { damaged(&before, &mut trial.random) } else { before.clone() };
        fs::write(&files[1], second)?;
        let output = trial.output(&mut trial.command("flipped", true))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(said.contains("no usable checkpoint"), "the damage was not noticed: {output:?}");
        let expected = if both { 2 } else { 0 };
        ensure!(output.status.code() == Some(expected), "expected {expected}: {output:?}");
        if !both {
            trial.compare("whole", "flipped")?;
        }
    }
    Ok(())
}

/// The file with a bit flipped, truncated, or with other bytes.
fn damaged(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = file.to_vec();
    let place = usize::try_from(random.below(file.len() as u64)).unwrap_or(0);
    match random.below(8) {
        0 => bytes.truncate(place),
        1 => bytes[place..].fill(0),
        _ => bytes[place] ^= 1 << random.below(8),
    }
    // Writing zeros over zeros is no damage.
    if bytes == file {
        bytes[place] ^= 1;
    }
    bytes
}
