//! Standard output, standard error and exit codes.

use std::{
    env, fs,
    io::{self, ErrorKind, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, ensure};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use percussion_report::{atomic, number::short};
use serde::Serialize;
use tracing::level_filters::LevelFilter;

/// Whether the command succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Solved, simulated, accepted: exit code 0.
    Met,
    /// Unsolved or not accepted: exit code 1.
    Unmet,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Met => Self::SUCCESS,
            Verdict::Unmet => Self::FAILURE,
        }
    }
}

/// Creates `directory` for output if it does not exist.
///
/// # Errors
///
/// If the path is a file, or the directory cannot be created or written to.
pub(crate) fn prepare_directory(directory: &Path) -> anyhow::Result<()> {
    let is_else = directory.exists() && !directory.is_dir();
    ensure!(!is_else, "cannot write `{}`: it is a file, expected a directory", directory.display());
    Ok(atomic::prepare_directory(directory)?)
}

/// Writes `text` to standard output; a reader that closed the pipe is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// Writes `document` to standard output as one line of JSON, or else the readable `text`.
pub(crate) fn answer(
    json: bool,
    document: &impl Serialize,
    text: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    if json { print(&(serde_json::to_string(document)? + "\n")) } else { print(&text()) }
}

/// The name of a status as it appears in JSON documents.
pub(crate) fn name_of(value: &impl Serialize) -> String {
    let name = serde_json::to_value(value).ok();
    name.as_ref().and_then(|name| name.as_str()).unwrap_or("unknown").to_owned()
}

/// A readable list of the written files; empty if there are none.
pub(crate) fn written(files: &[PathBuf]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let names = files.iter().map(|file| format!("  {}\n", file.display()));
    format!("\nWritten:\n{}", names.collect::<String>())
}

/// Warns of files in `directory` that are not among those `written` to it: they are those of an earlier run.
pub(crate) fn warn_of_others(directory: &Path, written: &[PathBuf]) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_other = |path: &PathBuf| !written.iter().any(|file| file.starts_with(path));
    let names = paths.filter(is_other).filter_map(|path| Some(path.file_name()?.to_owned()));
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    if !names.is_empty() {
        let text = format!("it also has files that this run has not written: {}", names.join(", "));
        warn(&[text], &directory.display().to_string());
    }
}

/// Writes `error` with its causes to standard error, which may be closed.
pub(crate) fn complain(error: &anyhow::Error) {
    let _ = writeln!(io::stderr(), "error: {}", with_causes(error));
}

/// Writes to standard error, which may be closed, what was ignored, filled in or repaired in the file `name`.
pub(crate) fn warn(warnings: &[String], name: &str) {
    for warning in warnings {
        let _ = writeln!(io::stderr(), "warning: `{name}`: {warning}");
    }
}

/// Whether `value` is only the rounding error of numbers of this `size`.
pub(crate) fn is_rounding(value: f64, size: f64) -> bool {
    value.abs() <= 1e-13 * size
}

/// Formats `value`; a rounding error of numbers of the given size becomes 0.
pub(crate) fn clean(value: f64, size: f64) -> String {
    short(if is_rounding(value, size) { 0.0 } else { value })
}

/// The messages of `error` and its causes, without those that the message before already contains.
#[must_use]
pub fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Sends logs of the given verbosity to standard error.
pub fn start_logging(verbosity: u8) {
    let level = match verbosity {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && !declines_color())
        .log_internal_errors(false)
        .init();
}

/// Whether the environment requests text without colors, as <https://no-color.org> defines it.
fn declines_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// A bar on standard error that fills from 0 to 1; hidden unless that is a terminal.
pub(crate) struct Progress(ProgressBar);

const STEPS: u64 = 1000;

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{bar:30} {percent:>3} %  {elapsed} (left {eta})  {msg}");
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// Moves the bar to `share` (from 0 to 1) and shows `message`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the share is clamped and the cast saturates"
    )]
    pub(crate) fn show(&self, share: f64, message: &str) {
        self.0.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
        self.0.set_message(message.to_owned());
    }

    /// Removes the bar from the screen.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn causes_follow_each_other_and_are_not_repeated() {
        let error = anyhow!("no space left").context("cannot write: no space left").context("run");
        assert_eq!(with_causes(&error), "run: cannot write: no space left");
    }
}
