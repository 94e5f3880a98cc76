//! Common parts of trials: [`Trial`], a run of grains in a directory of its own, and [`Random`] numbers.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread::{self, JoinHandle, sleep},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

/// The generator `SplitMix64`, whose numbers depend only on the seed.
///
/// # Source
///
/// G. L. Steele Jr., D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", *OOPSLA* 2014, figure 16.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// An integer from 0 to `count − 1`; the bias of the remainder does not matter here.
    pub(super) fn below(&mut self, count: u64) -> u64 {
        self.next() % count.max(1)
    }
}

/// Time limit of a run (s); the longest run takes a few seconds.
const PATIENCE: Duration = Duration::from_secs(300);

/// Files that a disturbed run must leave with the same bits as an undisturbed one.
const RESULTS: [&str; 2] = ["grains.checkpoint", "course.csv"];

/// A scene with its arguments, and a directory for runs of it.
#[derive(Debug)]
pub(super) struct Trial {
    program: PathBuf,
    directory: PathBuf,
    scene: Vec<String>,
    pub(super) random: Random,
}

impl Trial {
    /// A random scene of one to three hundred steps.
    pub(super) fn new(program: &Path, directory: &Path, seed: u64) -> anyhow::Result<Self> {
        fs::create_dir_all(directory)
            .with_context(|| format!("creating {}", directory.display()))?;
        let mut random = Random::new(seed);
        let (scene, step) = match random.below(4) {
            0 => (&["channel", "--factor", "8"][..], 8e-5),
            1 => (&["six-by-six-by-six"][..], 1e-3),
            2 => (&["hopper"][..], 1e-3),
            _ => (&["column"][..], 1e-3),
        };
        let steps = 100 + random.below(200);
        let every = 1 + random.below(40);
        let mut words = vec!["grains".to_owned()];
        words.extend(scene.iter().map(ToString::to_string));
        let options = [
            ("--duration", format!("{:e}", step * steps as f64)),
            ("--seed", random.below(1000).to_string()),
            ("--checkpoint-every", every.to_string()),
        ];
        words.extend(options.into_iter().flat_map(|(name, value)| [name.to_owned(), value]));
        Ok(Self { program: program.into(), directory: directory.into(), scene: words, random })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The arguments of the program for a run into the directory `name`.
    pub(super) fn arguments(&self, name: &str, resume: bool) -> Vec<String> {
        let mut words = self.scene.clone();
        words.extend(["--out".to_owned(), self.path(name).display().to_string()]);
        words.extend(resume.then(|| "--resume".to_owned()));
        words
    }

    /// The run into the directory `name`.
    pub(super) fn command(&self, name: &str, resume: bool) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments(name, resume)).stdin(Stdio::null());
        command
    }

    /// Whether the directory `name` contains a checkpoint to resume from.
    pub(super) fn is_begun(&self, name: &str) -> bool {
        let files = ["grains.checkpoint", "grains.checkpoint.previous"];
        files.iter().any(|file| self.path(name).join(file).exists())
    }

    /// Runs without disturbance into the directory `name`, from the last checkpoint if there is one, and
    /// returns the time that it took.
    pub(super) fn finish(&self, name: &str) -> anyhow::Result<Duration> {
        let start = Instant::now();
        let output = self.output(&mut self.command(name, self.is_begun(name)))?;
        ensure!(output.status.code() == Some(0), "an undisturbed run failed: {output:?}");
        Ok(start.elapsed())
    }

    /// The output of `command`, which must end in time and without a panic.
    pub(super) fn output(&self, command: &mut Command) -> anyhow::Result<Output> {
        let running = Running::start(command)?;
        let output = running.output().with_context(|| format!("{command:?}"))?;
        Ok(output)
    }

    /// Fails unless the results in both directories are the same and no temporary file is left in the second.
    pub(super) fn compare(&self, whole: &str, disturbed: &str) -> anyhow::Result<()> {
        for file in RESULTS {
            let [ours, theirs] =
                [whole, disturbed].map(|name| fs::read(self.path(name).join(file)));
            ensure!(ours? == theirs?, "{file} of {whole} and {disturbed} differ");
        }
        for entry in fs::read_dir(self.path(disturbed))? {
            let name = entry?.file_name();
            ensure!(!name.to_string_lossy().starts_with(".percussion-"), "{name:?} was left");
        }
        Ok(())
    }
}

/// A process whose output is collected while it runs.
pub(super) struct Running {
    child: Child,
    start: Instant,
    /// Standard output and standard error.
    pipes: [JoinHandle<io::Result<Vec<u8>>>; 2],
}

impl Running {
    pub(super) fn start(command: &mut Command) -> anyhow::Result<Self> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("starting {command:?}"))?;
        let (out, said) = (child.stdout.take(), child.stderr.take());
        let pipes = [thread::spawn(move || collect(out)), thread::spawn(move || collect(said))];
        Ok(Self { child, start: Instant::now(), pipes })
    }

    /// The output of the process after it has ended, which it must do in time and without a panic.
    pub(super) fn output(mut self) -> anyhow::Result<Output> {
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if self.start.elapsed() > PATIENCE {
                self.child.kill()?;
                bail!("it did not end within {PATIENCE:?}");
            }
            sleep(Duration::from_millis(2));
        };
        let [stdout, stderr] =
            self.pipes.map(|pipe| pipe.join().unwrap_or_else(|_| Ok(Vec::new())));
        let output = Output { status, stdout: stdout?, stderr: stderr? };
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(!said.contains("panicked"), "it panicked: {said}");
        Ok(output)
    }
}

fn collect(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_the_paper() {
        // The first outputs of SplitMix64 from the seed 1234567, as its reference implementation prints them.
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([random.next(), random.next()], expected);
    }
}
