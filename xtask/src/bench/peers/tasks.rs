//! The programs that measure: their lists of tasks, and one process for each task.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;

use super::row::Row;
use crate::shell;

/// Rows that one process measures together.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) struct Task {
    #[serde(rename = "task")]
    pub(super) name: String,
    pub(super) rows: Vec<String>,
    /// The peers without which it cannot run.
    pub(super) needs: Vec<String>,
    /// Time after which it is ended (s).
    pub(super) seconds: u64,
    /// The program.
    #[serde(skip)]
    pub(super) program: Program,
}

/// A program that knows `list` and `run TASK`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Program {
    /// The words before `list` or `run`.
    pub(super) start: Vec<PathBuf>,
    /// The words at the end.
    pub(super) options: Vec<String>,
}

impl Program {
    fn command(&self, words: &[&str]) -> Command {
        let mut start = self.start.iter();
        let mut command = Command::new(start.next().map_or(Path::new(""), PathBuf::as_path));
        command.args(start).args(words).args(&self.options).current_dir(shell::root());
        command
    }

    /// Its tasks, and the versions of the libraries that it uses.
    pub(super) fn list(&self) -> anyhow::Result<(Vec<Task>, BTreeMap<String, String>)> {
        let (mut tasks, mut versions) = (Vec::new(), BTreeMap::new());
        for line in shell::read(&mut self.command(&["list"]))?.lines() {
            let value: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
            if let (Some(peer), Some(version)) = (value["peer"].as_str(), value["version"].as_str())
            {
                versions.insert(peer.to_owned(), version.to_owned());
            } else {
                let task: Task = serde_json::from_value(value).with_context(|| line.to_owned())?;
                tasks.push(Task { program: self.clone(), ..task });
            }
        }
        Ok((tasks, versions))
    }
}

impl Task {
    /// Its rows; those that the program does not print say why.
    pub(super) fn run(&self, mut tell: impl FnMut(&Row)) -> Vec<Row> {
        let mut rows = Vec::new();
        let failure = self.read(&mut rows, &mut tell).map_or_else(
            |error| format!("failed: {error:#}"),
            |()| "failed: the program printed no such row".to_owned(),
        );
        for name in &self.rows {
            if rows.iter().all(|row| row.name != *name) {
                let row = Row::absent(name, &failure);
                tell(&row);
                rows.push(row);
            }
        }
        rows
    }

    fn read(&self, rows: &mut Vec<Row>, tell: &mut impl FnMut(&Row)) -> anyhow::Result<()> {
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let mut command = self.program.command(&["run", &self.name]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("the program does not start")?;
        let complaints = child.stderr.take().map(|stderr| thread::spawn(|| last_words(stderr)));
        let (sender, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                BufReader::new(stdout)
                    .lines()
                    .map_while(Result::ok)
                    .all(|line| sender.send(line).is_ok())
            });
        }
        let followed = loop {
            match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => match serde_json::from_str::<Row>(&line) {
                    Ok(row) => {
                        tell(&row);
                        rows.push(row);
                    }
                    Err(error) => break Err(anyhow::anyhow!("no row: {line}: {error}")),
                },
                Err(RecvTimeoutError::Timeout) => {
                    break Err(anyhow::anyhow!("not finished in {} s", self.seconds));
                }
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
        };
        if followed.is_err() {
            child.kill()?;
            child.wait()?;
            return followed;
        }
        let status = child.wait()?;
        let complaint = complaints.and_then(|thread| thread.join().ok()).unwrap_or_default();
        anyhow::ensure!(status.success(), "{status}: {complaint}");
        Ok(())
    }
}

/// The last line that is not empty.
fn last_words(stderr: impl Read) -> String {
    let lines = BufReader::new(stderr).lines().map_while(Result::ok);
    let notes = |line: &String| !line.trim().is_empty() && !line.starts_with("note: run with");
    lines.filter(notes).last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(script: &str, seconds: u64) -> Task {
        let start = ["sh", "-c", script].map(PathBuf::from).into();
        let rows = ["a/one", "a/two"].map(str::to_owned).into();
        let program = Program { start, options: Vec::new() };
        Task { name: "a".to_owned(), rows, needs: Vec::new(), seconds, program }
    }

    fn absences(script: &str, limit: u64) -> Vec<String> {
        let mut told = 0;
        let rows = task(script, limit).run(|_| told += 1);
        assert_eq!((rows.len(), told), (2, 2), "each announced row is there once: {rows:?}");
        rows.into_iter().map(|row| row.absent).collect()
    }

    #[test]
    fn rows_before_a_failure_are_kept_and_the_others_say_why() {
        let one = r#"echo '{"name": "a/one"}'"#;
        assert_eq!(absences(&format!("{one}; echo no >&2; exit 3"), 60)[0], "");
        let failed = &absences(&format!("{one}; echo no memory >&2; exit 3"), 60)[1];
        assert!(failed.starts_with("failed: exit") && failed.ends_with("no memory"), "{failed}");
        let missing = "failed: the program printed no such row";
        assert_eq!(absences(one, 60)[1], missing);
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let start = Instant::now();
        assert_eq!(absences("exec sleep 60", 1), ["failed: not finished in 1 s"; 2]);
        assert!(start.elapsed() < Duration::from_secs(30), "it is not waited for");
    }

    #[test]
    fn lines_that_are_no_rows_are_a_failure() {
        let failed = &absences("echo thread panicked", 60)[0];
        assert!(failed.contains("thread panicked"), "{failed}");
    }

    #[test]
    fn a_list_has_tasks_and_versions() {
        let script = r#"echo '{"peer": "X", "version": "1.2"}'; echo '{"task": "a", "rows": ["a"], "needs": ["X"], "seconds": 9}'"#;
        let (tasks, versions) = task(script, 1).program.list().unwrap();
        assert_eq!(versions["X"], "1.2");
        assert_eq!((&*tasks[0].name, tasks[0].needs.len()), ("a", 1));
    }
}
