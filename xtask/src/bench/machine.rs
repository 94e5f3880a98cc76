//! Describes the machine, without which a time has no meaning.

use std::{env, fs, process::Command, thread};

use crate::shell;

/// Processor, cores, load, system and compilers, one per line; unknown items are omitted.
pub(super) fn describe() -> String {
    lines().iter().map(|(name, value)| format!("{name:<10} {value}\n")).collect()
}

/// Names and values of the same.
pub(super) fn lines() -> Vec<(String, String)> {
    let cores = thread::available_parallelism().map(|count| count.get().to_string()).ok();
    let lines = [
        ("processor", processor()),
        ("cores", cores),
        ("load", fs::read_to_string("/proc/loadavg").ok()),
        ("system", Some(format!("{} {}", env::consts::OS, env::consts::ARCH))),
        ("rustc", shell::read(Command::new("rustc").arg("--version")).ok()),
        ("commit", shell::read(Command::new("git").args(["describe", "--always", "--dirty"])).ok()),
    ];
    let known = lines.into_iter().filter_map(|(name, value)| Some((name, value?)));
    known.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
}

/// Mean number of processes that want to run, over the last minute.
pub(super) fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
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
    fn the_load_is_a_number_where_the_system_has_it() {
        assert_eq!(load().is_some(), std::path::Path::new("/proc/loadavg").exists());
    }

    #[test]
    fn the_description_names_the_compiler() {
        assert!(describe().contains("\nrustc      rustc 1."), "{}", describe());
    }
}
