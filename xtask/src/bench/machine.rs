//! Describes the machine, without which a time has no meaning.

use std::{env, fs, process::Command, thread};

use crate::shell;

/// Processor, cores, load, system and compilers, one per line; unknown items are omitted.
pub(super) fn describe() -> String {
    let cores = thread::available_parallelism().map(|count| count.get().to_string()).ok();
    let lines = [
        ("processor", processor()),
        ("cores", cores),
        ("load", fs::read_to_string("/proc/loadavg").ok()),
        ("system", Some(format!("{} {}", env::consts::OS, env::consts::ARCH))),
        ("rustc", shell::read(Command::new("rustc").arg("--version")).ok()),
        ("commit", shell::read(Command::new("git").args(["describe", "--always", "--dirty"])).ok()),
    ];
    let mut text = String::new();
    for (name, value) in lines {
        if let Some(value) = value {
            text += &format!("{name:<10} {}\n", value.trim());
        }
    }
    text
}

fn processor() -> Option<String> {
    let linux = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.to_string())
    });
    linux.or_else(|| {
        shell::read(Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"])).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_names_the_compiler() {
        assert!(describe().contains("\nrustc      rustc 1."), "{}", describe());
    }
}
