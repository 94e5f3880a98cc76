//! Packages of Debian and Ubuntu that a step of CI needs beside Rust.

use std::process::Command;

use crate::shell;

/// The command with which a user installs `packages`.
pub(crate) fn line(packages: &[&str]) -> String {
    format!("sudo apt-get install {}", packages.join(" "))
}

/// Installs `packages` for the step `step` if this is root on a system with apt, as in a container of CI; returns
/// whether it is.
pub(crate) fn install(step: &str, packages: &[&str]) -> anyhow::Result<bool> {
    if !is_allowed() {
        return Ok(false);
    }
    println!("{step}: installing {}", packages.join(", "));
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        shell::run(apt.env("DEBIAN_FRONTEND", "noninteractive").args(arguments))
    };
    apt(&["update", "-qq"])?;
    apt(&[&["install", "--yes", "-qq", "--no-install-recommends"], packages].concat())?;
    Ok(true)
}

fn is_allowed() -> bool {
    let user = Command::new("id").arg("-u").output();
    let is_root = user.is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    is_root && shell::succeeds(Command::new("apt-get").arg("--version"))
}
