//! Running other programs from the root of the workspace.

use std::{
    env,
    ffi::OsStr,
    fmt::{self, Display, Formatter},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, bail};

/// A reason not to start, wrong usage or a missing outside tool; the exit code is 2.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// `tool` is not installed; `install` is the command that installs it.
    pub(crate) fn missing(tool: &str, install: &str) -> Self {
        Self(format!("{tool} is not installed here; install it with\n\n    {install}\n"))
    }
}

impl Display for Refusal {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// A step of the check that was left out because its tool is missing; the summary says so, and it is no failure.
#[derive(Debug)]
pub(crate) struct NotChecked(pub(crate) String);

impl Display for NotChecked {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for NotChecked {}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The directory of build products, as set by the environment.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// `cargo ARGUMENTS` from the root, with the cargo that started this program.
pub(crate) fn cargo(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// The command of the program `name` of the workspace as built for the tests; builds it if necessary.
///
/// Building it together with targets that may use development dependencies, such as examples, gives it the features of the tests; other
/// features would compile all dependencies again.
pub(crate) fn tested(name: &str) -> anyhow::Result<Command> {
    run(&mut cargo(["build", "--workspace", "--examples", "--bin", name]))?;
    let mut command = Command::new(target().join("debug").join(name));
    command.current_dir(root());
    Ok(command)
}

/// Runs `command` on our own stdout and stderr; an exit code other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("starting {}", line(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", line(command));
    }
    Ok(())
}

/// The stdout of `command`; an exit code other than 0 is an error.
pub(crate) fn read(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("starting {}", line(command)))?;
    if !output.status.success() {
        bail!("{} ended with {}", line(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("output of {}", line(command)))
}

/// Whether `command` starts and succeeds; its output is dropped.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// `command` as it would be typed.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_in_the_error() {
        let error = run(&mut cargo(["no-such-command"])).unwrap_err();
        assert!(error.to_string().starts_with("cargo no-such-command ended with"), "{error}");
    }

    #[test]
    fn a_missing_tool_comes_with_its_install_command() {
        let message = Refusal::missing("cc", "sudo apt-get install gcc").to_string();
        assert!(message.contains("    sudo apt-get install gcc"), "{message}");
    }
}
