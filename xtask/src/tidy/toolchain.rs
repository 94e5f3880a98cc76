//! Checks that CI tests the oldest Rust that the crates declare.

use super::Finding;

/// `manifest` is the workspace's `Cargo.toml`, `workflow` the jobs of CI.
pub(super) fn check(manifest: &str, workflow: &str) -> Option<Finding> {
    let declared = |line: &'_ str| {
        Some(line.strip_prefix("rust-version = \"")?.trim_end_matches('"').to_owned())
    };
    let Some(oldest) = manifest.lines().find_map(declared) else {
        return Some(Finding::new("Cargo.toml", 1, "expected `rust-version`"));
    };
    let test = format!("cargo +{oldest} test --workspace");
    let message = format!("expected `{test}`, the Rust that Cargo.toml declares");
    (!workflow.contains(&test)).then(|| Finding::new(".github/workflows/ci.yml", 1, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declared_rust_is_the_tested_one() {
        let manifest = "[workspace.package]\nrust-version = \"1.90\"\n";
        assert_eq!(check(manifest, "- run: cargo +1.90 test --workspace --exclude xtask"), None);
        let finding = check(manifest, "- run: cargo +1.95 test --workspace").unwrap();
        assert!(finding.to_string().contains("cargo +1.90 test"), "{finding}");
        assert!(check("[workspace]", "").is_some());
    }
}
