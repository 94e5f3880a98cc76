//! If several runs start on one directory, one of them runs, and the others end with an error or find it finished.

use std::{thread::sleep, time::Duration};

use anyhow::ensure;

use super::trial::{Running, Trial};

pub(super) fn run(trial: &mut Trial) -> anyhow::Result<()> {
    trial.finish("whole")?;
    let (count, resume) = (2 + trial.random.below(3), trial.random.below(2) == 1);
    let mut children = Vec::new();
    for number in 0..count {
        let resume = resume && number > 0 && trial.is_begun("shared");
        children.push((resume, Running::start(&mut trial.command("shared", resume))?));
        sleep(Duration::from_micros(trial.random.below(30_000)));
    }
    let mut begun = 0;
    for (resume, running) in children {
        let output = running.output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => begun += u32::from(!resume),
            Some(2) => {
                let name = trial.path("shared").display().to_string();
                let expected = said.contains("is in use by") || said.contains("a run already");
                ensure!(expected && said.contains(&name), "refused without the reason: {said}");
            }
            code => anyhow::bail!("ended with {code:?}: {said}"),
        }
    }
    ensure!(begun == 1, "{begun} of {count} runs began in one directory");
    trial.compare("whole", "shared")
}
