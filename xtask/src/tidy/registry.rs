//! Every package comes from crates.io, or is a member of the workspace.
//!
//! The same rule as `cargo deny check sources`, without an outside tool.

use super::Finding;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// `lock` is the text of `Cargo.lock`, which names the source of every package but the members.
pub(super) fn check(lock: &str) -> Vec<Finding> {
    let sources = lock.lines().enumerate().filter_map(|(index, line)| {
        let source = line.strip_prefix("source = \"")?.strip_suffix('"')?;
        (source != CRATES_IO).then(|| {
            let message = format!("a package comes from `{source}`, expected crates.io");
            Finding::new("Cargo.lock", index + 1, message)
        })
    });
    sources.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_registries_and_repositories_are_found() {
        let lock = format!(
            "[[package]]\nname = \"a\"\nsource = \"{CRATES_IO}\"\n\
             [[package]]\nname = \"b\"\nsource = \"git+https://example.org/b#1\"\n\
             [[package]]\nname = \"member\"\n"
        );
        let findings: Vec<String> = check(&lock).iter().map(ToString::to_string).collect();
        let expected =
            "Cargo.lock:6: a package comes from `git+https://example.org/b#1`, expected crates.io";
        assert_eq!(findings, [expected]);
    }
}
