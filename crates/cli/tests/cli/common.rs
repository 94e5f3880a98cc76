//! Runs the binary and reads its output.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

/// The result of a finished `percussion` process.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Exit code.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Finished {
    /// Standard output as one JSON document.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in {:?}, {:?}", self.stdout, self.stderr))
    }

    /// Asserts exit code 2, an empty standard output, and every one of `words` on standard error.
    #[track_caller]
    pub(crate) fn assert_refused(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing in {:?}", self.stderr);
        }
    }
}

/// Runs `percussion` with `arguments` and nothing on standard input.
pub(crate) fn percussion(arguments: &[&str]) -> Finished {
    percussion_with_input(arguments, b"")
}

/// Runs `percussion` with `arguments` and `input` on standard input.
pub(crate) fn percussion_with_input(arguments: &[&str], input: &[u8]) -> Finished {
    let mut child = command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    // A command with invalid arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    finished(child.wait_with_output().unwrap())
}

/// `percussion` with `arguments`, its output captured.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percussion"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finished(output: Output) -> Finished {
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Writes a file into `folder` and returns its path.
pub(crate) fn written(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}
